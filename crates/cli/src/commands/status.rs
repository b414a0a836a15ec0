//! `subcortex status`: what is going on, at a glance.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;
use subcortex_daemon::control::{Answer, Request, ask};
use subcortex_daemon::{
    Followed, InboxCounts, InboxTask, PartitionStatus, SHARED_INBOX, Schedule, look_at_fleet, peek,
    shared_inbox, spend,
};
use subcortex_guard::escape_for_display;
use subcortex_memory::Proposal;
use subcortex_store::HomeLock;
use subcortex_usage::Spend;
use subcortex_weaver::updater::unseen_edits;

use super::World;
use super::loops::table;
use super::runs::line;
use super::status_fleet::show_fleet;
use crate::args::Status as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};

/// How often `--watch` looks.
const WATCH_PAUSE: Duration = Duration::from_secs(1);
/// How many runs are shown.
const SHOWN_RUNS: usize = 5;

/// The names of the fields are relied upon by scripts.
#[derive(Debug, Serialize)]
struct Status {
    daemon: Option<Daemon>,
    #[serde(flatten)]
    schedule: Schedule,
    shared_inbox: InboxCounts,
    spend: Spend,
}

#[derive(Debug, Serialize)]
struct Daemon {
    pid: Option<u32>,
    since: Option<String>,
}

pub(crate) fn run(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    if args.json {
        print_json(&look(world)?)?;
        return Ok(ExitCode::Done);
    }
    loop {
        let text = shown(world, &look(world)?)?;
        if !args.watch {
            print(&text)?;
            return Ok(ExitCode::Done);
        }
        // Clears the screen and goes to its upper left corner.
        print(&format!("\u{1b}[2J\u{1b}[H{text}"))?;
        std::thread::sleep(WATCH_PAUSE);
    }
}

/// The scheduler as it stands.
pub(crate) fn schedule(world: &World<'_>) -> Result<Schedule, Failure> {
    world.expect_home()?;
    Ok(look(world)?.schedule)
}

/// What `--json` prints.
pub(crate) fn document(world: &World<'_>) -> Result<serde_json::Value, Failure> {
    world.expect_home()?;
    Ok(serde_json::to_value(look(world)?)?)
}

fn look(world: &World<'_>) -> Result<Status, Failure> {
    let holder = HomeLock::peek(&*world.disk, &world.home.lock())
        .map_err(|error| Failure::storage(error.to_string()))?;
    let daemon = holder
        .filter(|holder| holder.what.as_deref() == Some("daemon"))
        .map(|holder| Daemon { pid: holder.pid, since: holder.since });
    // The daemon knows better what runs now; one that is too busy to answer is no reason to say nothing, and
    // settings that were broken since it started are no reason either.
    let asked =
        daemon.as_ref().and_then(|_| ask(&world.home.control_socket(), &Request::Status).ok().flatten());
    let setup = world.setup();
    let mut schedule = match asked {
        Some(Answer::Schedule(schedule)) => schedule,
        _ => Schedule { fleet: look_at_fleet(&setup)?, ..peek(&setup)?.0 },
    };
    let (stuck, pending): (Vec<_>, Vec<_>) = shared_inbox(&setup).into_iter().partition(InboxTask::is_stuck);
    let shared_inbox = InboxCounts { pending: pending.len(), held: stuck.len() };
    schedule.stuck.extend(stuck);
    Ok(Status { daemon, schedule, shared_inbox, spend: spend(&setup).unwrap_or_default() })
}

fn shown(world: &World<'_>, status: &Status) -> Result<String, Failure> {
    let mut text = String::new();
    let schedule = &status.schedule;
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
    let _ok = match &schedule.next_tick_at {
        Some(next) => writeln!(text, "tick       {}, the next at {next}", schedule.tick),
        None => writeln!(text, "tick       {}", schedule.tick),
    };
    if schedule.paused {
        let switch = world.home.kill_switch();
        let _ok =
            writeln!(text, "paused     yes: {} is there; `subcortex resume` removes it", switch.display());
    }
    if let Some(trouble) = &schedule.trouble {
        let _ok = writeln!(text, "waiting    {}", escape_for_display(trouble));
    }
    if !schedule.follows.is_empty() {
        let followed: Vec<String> = schedule.follows.iter().map(followed).collect();
        let _ok = writeln!(text, "follows    {}", followed.join("; "));
    }
    if status.spend.today.tokens > 0 || status.spend.cap_usd_per_day.is_some() {
        let _ok = writeln!(text, "spent      {}", spent(&status.spend));
    }
    let _ok = writeln!(
        text,
        "\n{:<20} {:<16} {:<9} {:>9} {:>9}  last",
        "partition", "state", "engine", "due tick", "inbox"
    );
    schedule.partitions.iter().for_each(|partition| show_partition(&mut text, partition));
    if !schedule.loops.is_empty() {
        let _ok = write!(text, "\n{}", table(&schedule.loops));
    }
    if status.shared_inbox != InboxCounts::default() {
        let InboxCounts { pending, held } = status.shared_inbox;
        let _ok = writeln!(text, "shared inbox: {pending} to be handed on, {held} stay");
    }
    for task in &schedule.stuck {
        let reason = escape_for_display(task.reason.as_deref().unwrap_or("-"));
        let inbox = match task.partition.as_str() {
            SHARED_INBOX => SHARED_INBOX.to_owned(),
            partition => format!("{partition}/inbox"),
        };
        let _ok = writeln!(text, "{:<8} {inbox}/{}: {reason}", task.state, escape_for_display(&task.name));
    }
    if let Some(fleet) = &schedule.fleet {
        show_fleet(&mut text, fleet);
    }
    mention_memory(world, &mut text);
    let runs = subcortex_runs::list(&*world.disk, &world.home.runs(), SHOWN_RUNS)?;
    if !runs.is_empty() {
        text.push('\n');
        text.extend(runs.iter().map(line));
    }
    Ok(text)
}

fn spent(spend: &Spend) -> String {
    let cap = spend.cap_usd_per_day.map_or(String::new(), |cap| format!(" of {cap:.2}"));
    let unpriced = match spend.today.unpriced {
        0 => String::new(),
        count => format!("; {count} questions have no price"),
    };
    format!("{} tokens, {:.4} USD{cap} today{unpriced}", spend.today.tokens, spend.today.usd)
}

fn followed(followed: &Followed) -> String {
    let Followed { agent, files, last_event_at } = followed;
    match last_event_at {
        Some(at) => format!("{files} transcripts of {agent}, with news at {at}"),
        None => format!("{files} transcripts of {agent}"),
    }
}

/// Edits that nobody has looked at, and those that wait for a yes. What cannot be read now is no reason to say nothing else.
fn mention_memory(world: &World<'_>, text: &mut String) {
    let Ok(shop) = world.workshop() else { return };
    let unseen = unseen_edits(&shop).unwrap_or_default();
    let waiting = Proposal::read_all(&*shop.disk, &shop.folder).unwrap_or_default().waiting;
    if let Some(last) = unseen.last() {
        // Writing to a String cannot fail.
        let _ok = writeln!(
            text,
            "\nmemory     {} edits that you have not seen: `subcortex history`; the last is undone with `subcortex revert {}`",
            unseen.len(),
            last.id
        );
    }
    if !waiting.is_empty() {
        let _ok =
            writeln!(text, "\nmemory     {} edits wait for your yes: `subcortex review`", waiting.len());
    }
}

fn show_partition(text: &mut String, partition: &PartitionStatus) {
    let number = |number: Option<u64>| number.map_or("-".into(), |number| number.to_string());
    let held = if partition.inbox.held > 0 { format!("+{}", partition.inbox.held) } else { String::new() };
    // Writing to a String cannot fail.
    let _ok = writeln!(
        text,
        "{:<20} {:<16} {:<9} {:>9} {:>9}  {}",
        partition.name,
        partition.state,
        partition.engine.as_deref().unwrap_or("-"),
        number(partition.next_due_tick),
        format!("{}{held}", partition.inbox.pending),
        partition.last_outcome.as_deref().unwrap_or("never ran")
    );
    if let Some(problem) = &partition.problem {
        for line in problem.lines() {
            let _ok = writeln!(text, "    {}", escape_for_display(line));
        }
    }
}
