//! `subcortex forget --origin`: everything that came from one event or session goes.

use std::fmt::Write as _;

use serde_json::Value;
use subcortex_daemon::Decision;
use subcortex_guard::escape_for_display;

use super::World;
use super::history::decide;
use super::why::{Known, known_origin, unknown};
use crate::args::Forget;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::spinner::Spinner;
use crate::words::count;

/// How much of a name is enough: as much as `audit` shows of a session. What is forgotten does not come back, so a name
/// that was typed badly must not be the beginning of another one.
const MIN_CHARS: usize = 8;
/// How many damaged pieces are named.
const MAX_DAMAGED: usize = 10;

pub(crate) fn run(world: &World<'_>, args: &Forget) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    if !args.dry_run {
        world.expect_a_person(
            "has something forgotten",
            "a person runs `subcortex forget` in a terminal of their own; `--dry-run` only shows what would go",
        )?;
    }
    let waits = Spinner::new("looking for it in the event log");
    let known = known_origin(&world.workshop()?, &args.origin, MIN_CHARS)?;
    drop(waits);
    let origin = match known {
        Known::Remembered(name) | Known::Logged(name) => name,
        Known::Unknown { near } => return Err(unknown(&args.origin, near.as_deref())),
    };
    let value = decide(world, Decision::Forget { origin: origin.clone(), dry_run: args.dry_run })?;
    if args.json {
        print_json(&value)?;
        return expect_whole(&value, args.dry_run);
    }
    let list = |name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut text = String::new();
    if origin != args.origin {
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "meant: {origin}");
    }
    let verb = if args.dry_run { "would go" } else { "gone" };
    let mut nothing = true;
    for name in ["fragments", "lines", "proposals", "dossiers"] {
        for item in list(name).iter().filter_map(Value::as_str) {
            nothing = false;
            let _ok = writeln!(text, "{verb}: {item}");
        }
    }
    if nothing {
        text.push_str("nothing rests on it; it will not become evidence\n");
    }
    text.push_str(
        "kept: the event log, which is only ever added to, and, where memory/ is under git, its history and what was pushed\n",
    );
    print(&text)?;
    if value.get("edited_meanwhile").and_then(Value::as_bool) == Some(true) {
        return Err(Failure::failed("memory/CLAUDE.md was edited at the same moment; ask again"));
    }
    expect_whole(&value, args.dry_run)
}

/// Nobody is told that all is gone where something could not be looked at.
fn expect_whole(value: &Value, dry_run: bool) -> Result<ExitCode, Failure> {
    let damaged = value.get("damaged").and_then(Value::as_array).into_iter().flatten();
    let damaged: Vec<&str> = damaged.filter_map(Value::as_str).collect();
    if damaged.is_empty() || dry_run {
        return Ok(ExitCode::Done);
    }
    let listed: Vec<String> =
        damaged.iter().take(MAX_DAMAGED).map(|what| format!("  {}", escape_for_display(what))).collect();
    Err(Failure::failed(format!(
        "something of it may be left: {} cannot be read\n{}\nlook through memory/CLAUDE.md and memory/topics yourself, and take out what is left and the files that are named",
        count(damaged.len(), "piece"),
        listed.join("\n")
    )))
}
