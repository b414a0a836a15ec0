//! `subcortex status`: what is going on, at a glance.

use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};
use subcortex_config::Config;
use subcortex_daemon::TickState;
use subcortex_store::{HomeLock, durable};

use super::World;
use crate::args::Json;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};

/// The longest settings file that is read, in bytes.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Serialize)]
struct Status {
    daemon: Option<Daemon>,
    tick: u64,
    next_tick_at: Option<String>,
    interval_ms: u64,
    paused: bool,
    partitions: Vec<Value>,
    spend: Value,
}

#[derive(Debug, Serialize)]
struct Daemon {
    pid: Option<u32>,
    since: Option<String>,
}

pub(crate) fn run(world: &World, args: &Json) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    let status = look(world)?;
    if args.json { print_json(&status)? } else { print(&shown(world, &status))? }
    Ok(ExitCode::Done)
}

fn look(world: &World) -> Result<Status, Failure> {
    let (disk, home) = (&*world.disk, &world.home);
    let holder = HomeLock::peek(disk, &home.lock()).map_err(|error| Failure::storage(error.to_string()))?;
    let daemon = holder
        .filter(|holder| holder.what.as_deref() == Some("daemon"))
        .map(|holder| Daemon { pid: holder.pid, since: holder.since });
    let state = TickState::load(disk, &home.cadence_state()).map_err(|error| Failure::refused(error.to_string()))?;
    let interval_ms = config(world)?.cadence.interval_ms;
    let next = state
        .last_tick_at
        .filter(|_| daemon.is_some())
        .and_then(|last| last.checked_add(SignedDuration::from_millis(interval_ms.try_into().ok()?)).ok());
    Ok(Status {
        daemon,
        tick: state.tick,
        next_tick_at: next.map(|next: Timestamp| format!("{next:.3}")),
        interval_ms,
        // Any doubt means paused: only a plain "not there" means that it is not.
        paused: !matches!(disk.stat(&home.kill_switch()), Err(error) if error.kind() == std::io::ErrorKind::NotFound),
        partitions: Vec::new(),
        spend: json!({}),
    })
}

fn config(world: &World) -> Result<Config, Failure> {
    match durable::read_text(&*world.disk, &world.home.config_file(), MAX_CONFIG_BYTES) {
        Ok(text) => {
            Config::parse(&text).map_err(|problem| Failure::refused(problem.at(subcortex_config::FILE)))
        }
        Err(durable::ReadError::Missing { .. }) => Ok(Config::default()),
        Err(error) => Err(Failure::storage(error.to_string())),
    }
}

fn shown(world: &World, status: &Status) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ok = writeln!(text, "home       {}", world.home.root().display());
    let _ok = match &status.daemon {
        Some(daemon) => writeln!(
            text,
            "daemon     running, pid {}, since {}",
            daemon.pid.map_or("?".into(), |pid| pid.to_string()),
            daemon.since.as_deref().unwrap_or("?")
        ),
        None => writeln!(text, "daemon     not running; start it with `subcortex run`"),
    };
    let _ok = match &status.next_tick_at {
        Some(next) => writeln!(text, "tick       {}, the next at {next}", status.tick),
        None => writeln!(text, "tick       {}", status.tick),
    };
    if status.paused {
        let switch = world.home.kill_switch();
        let _ok = writeln!(text, "paused     yes: {} is there; nothing runs until it is removed", switch.display());
    }
    text
}
