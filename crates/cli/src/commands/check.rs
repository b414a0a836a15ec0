//! `subcortex check`: how each line of the memory is understood as a test.

use std::fmt::Write as _;

use serde::Serialize;
use subcortex_checks::{Check, Condition, Expect, Scope, compile_memory, line_hash};
use subcortex_guard::escape_for_display;
use subcortex_store::durable;

use super::World;
use crate::args::Check as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};

/// The longest rules file that is read, in bytes.
const MAX_RULES_BYTES: u64 = 4 * 1024 * 1024;

/// The names of the fields are relied upon by scripts.
#[derive(Debug, Serialize)]
struct Understood<'a> {
    line: usize,
    text: &'a str,
    hash: String,
    testable: bool,
    trigger: &'a [Condition],
    expect: &'a [Expect],
    forbid: &'a [Condition],
    scope: &'a Scope,
    by: &'static str,
    why: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reword: Option<&'a str>,
}

pub(crate) fn run(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    let text = match &args.file {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| Failure::refused(format!("cannot read {}: {error}", file.display())))?,
        None => broadcast(world)?,
    };
    let wanted = args.line.as_deref().map(line_number).transpose()?;
    let lines = compile_memory(&text);
    let shown: Vec<_> =
        lines.iter().filter(|(line, ..)| wanted.is_none_or(|wanted| *line == wanted)).collect();
    if let (Some(wanted), true) = (wanted, shown.is_empty()) {
        return Err(Failure::refused(format!(
            "line {wanted} is no rule; `subcortex check` lists those that are"
        )));
    }
    if args.json {
        print_json(
            &shown.iter().map(|(line, text, check)| understood(*line, text, check)).collect::<Vec<_>>(),
        )?;
    } else {
        print(&shown.iter().map(|(line, text, check)| in_words(*line, text, check)).collect::<String>())?;
    }
    Ok(ExitCode::Done)
}

fn broadcast(world: &World<'_>) -> Result<String, Failure> {
    world.expect_home()?;
    match durable::read_text(&*world.disk, &world.home.broadcast(), MAX_RULES_BYTES) {
        Ok(text) => Ok(text),
        Err(durable::ReadError::Missing { .. }) => Err(Failure::refused(
            "there is no memory/CLAUDE.md yet\ntake over one that you have with `subcortex adopt FILE`, or look at it with --file",
        )),
        Err(error) => Err(Failure::storage(error.to_string())),
    }
}

/// `L12` or `12`.
pub(crate) fn line_number(word: &str) -> Result<usize, Failure> {
    let digits = word.strip_prefix(['L', 'l']).unwrap_or(word);
    digits.parse().map_err(|_| Failure::refused(format!("`{word}` names no line; write it like L12")))
}

fn understood<'a>(line: usize, text: &'a str, check: &'a Check) -> Understood<'a> {
    Understood {
        line,
        text,
        hash: line_hash(text),
        testable: check.testable,
        trigger: &check.trigger,
        expect: &check.expect,
        forbid: &check.forbid,
        scope: &check.scope,
        by: "rules",
        why: &check.why,
        reword: check.reword.as_deref(),
    }
}

fn in_words(line: usize, text: &str, check: &Check) -> String {
    let mark = if check.testable { "test" } else { "    " };
    let mut words = format!("{:<5} {mark}  {}\n", format!("L{line}"), escape_for_display(text));
    // Writing to a String cannot fail.
    let _ok = writeln!(words, "             {}", escape_for_display(&check.why));
    if let Some(reword) = &check.reword {
        let _ok = writeln!(words, "             → {}", escape_for_display(reword));
    }
    words
}
