//! `subcortex status`: what is going on, at a glance.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;
use subcortex_audit::Ink;
use subcortex_daemon::control::{Answer, Request, ask};
use subcortex_daemon::{
    Followed, InboxCounts, InboxTask, PartitionStatus, Schedule, look_at_fleet, peek, shared_inbox, spend,
    weaver_settings, workshop,
};
use subcortex_guard::escape_for_display;
use subcortex_home::doctor::{Severity, unwritable};
use subcortex_memory::{Proposal, WEAVER};
use subcortex_runs::Ended;
use subcortex_store::HomeLock;
use subcortex_usage::Spend;
use subcortex_weaver::scanner::unread;
use subcortex_weaver::updater::{ASKS_FOR_AN_EDIT, unseen_edits};
use subcortex_weaver::{Held, Workshop, held_changes};

use super::World;
use super::loops::table;
use super::runs::lines_of_runs;
use super::status_fleet::show_fleet;
use super::trouble::{Trouble, lines_of, troubles};
use crate::args::Status as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::output::{print, print_json};
use crate::words::{self, Clock, count, grouped};

/// How often `--watch` looks.
const WATCH_PAUSE: Duration = Duration::from_secs(1);
/// How many runs are shown.
const SHOWN_RUNS: usize = 5;
/// How many events that nobody has read are counted.
const MAX_UNREAD: usize = 100_000;

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

/// The scheduler as it stands, and whether anybody turns its wheels.
pub(crate) struct Stand {
    pub(crate) schedule: Schedule,
    /// Whether a daemon runs.
    pub(crate) is_served: bool,
}

pub(crate) fn run(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    if args.json {
        print_json(&look(world)?)?;
        return Ok(ExitCode::Done);
    }
    loop {
        let looks = world.looks();
        let text = shown(world, &look(world)?)?;
        if !args.watch {
            looks.print(&text)?;
            return Ok(ExitCode::Done);
        }
        // Clears the screen and goes to its upper left corner. What comes first is what matters most.
        print(&format!("\u{1b}[2J\u{1b}[H{}", looks.top(&looks.fit(&text))))?;
        std::thread::sleep(WATCH_PAUSE);
    }
}

/// The scheduler as it stands.
pub(crate) fn schedule(world: &World<'_>) -> Result<Schedule, Failure> {
    Ok(stand(world)?.schedule)
}

/// The same, and whether a daemon runs.
pub(crate) fn stand(world: &World<'_>) -> Result<Stand, Failure> {
    let Status { daemon, schedule, .. } = look(world)?;
    Ok(Stand { schedule, is_served: daemon.is_some() })
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
    // The daemon tells of them in the order in which they came to it.
    schedule.partitions.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(Status { daemon, schedule, shared_inbox, spend: spend(&setup).unwrap_or_default() })
}

fn shown(world: &World<'_>, status: &Status) -> Result<String, Failure> {
    let mut text = String::new();
    let (schedule, clock) = (&status.schedule, Clock::here());
    // Writing to a String cannot fail.
    let _ok = writeln!(text, "home       {}", world.home.root().display());
    let _ok = match &status.daemon {
        Some(daemon) => writeln!(
            text,
            "daemon     running since {} (pid {})",
            daemon.since.as_deref().map_or("?".into(), |since| clock.written(since)),
            daemon.pid.map_or("?".into(), |pid| pid.to_string()),
        ),
        None => writeln!(
            text,
            "daemon     not running: nothing is learned and no task is taken; start it with `subcortex run`"
        ),
    };
    if let Some(paused) = world.paused(None) {
        let _ok = writeln!(text, "paused     {paused}; continue with `subcortex resume`");
    }
    if let Some(next) = schedule.next_tick_at.as_deref().and_then(|at| at.parse().ok()) {
        let _ok = writeln!(
            text,
            "next tick  {}; workers in a cooldown are looked at then",
            clock.time_and_distance(next)
        );
    }
    if let Some(trouble) = &schedule.trouble {
        let _ok = writeln!(text, "waiting    {}", escape_for_display(trouble));
    }
    if !schedule.follows.is_empty() {
        let followed: Vec<String> = schedule.follows.iter().map(|it| followed(it, &clock)).collect();
        let _ok = writeln!(text, "follows    {}", followed.join("; "));
    }
    if status.spend.today.tokens > 0 || status.spend.cap_usd_per_day.is_some() {
        let _ok = writeln!(text, "spent      {}", spent(&status.spend));
    }
    show_memory(world, &clock, &mut text);
    show_workers(&mut text, &schedule.partitions, status.daemon.is_some(), &clock);
    if !schedule.loops.is_empty() {
        let _ok = write!(text, "\n{}", table(&schedule.loops, &clock));
    }
    if status.shared_inbox.pending > 0 {
        let _ok =
            writeln!(text, "shared inbox: {} to be handed on", count(status.shared_inbox.pending, "task"));
    }
    if let Some(fleet) = &schedule.fleet {
        show_fleet(&mut text, fleet);
    }
    let mut troubles: Vec<Trouble> = of_settings(world).into_iter().collect();
    troubles.extend(self::troubles(world, schedule, &clock));
    troubles.extend(of_memory(world));
    show_troubles(&mut text, &troubles, &Looks::of(world.surroundings));
    let runs = subcortex_runs::list(&*world.disk, &world.home.runs(), SHOWN_RUNS)?;
    if !runs.is_empty() {
        text.push_str("\nLast runs (`subcortex runs show ID` tells more):\n");
        lines_of_runs(&runs, &clock).lines().for_each(|line| text.extend(["  ", line, "\n"]));
    }
    Ok(text)
}

/// What keeps the memory from being written; `doctor` says the same of its own.
fn of_memory(world: &World<'_>) -> impl Iterator<Item = Trouble> {
    unwritable(&*world.disk, &world.home).into_iter().map(|finding| Trouble {
        worker: WEAVER.to_owned(),
        is_grave: finding.severity == Severity::Problem,
        what: vec![finding.found],
        help: finding.advice.into_iter().collect(),
    })
}

/// What is stuck or fails, and what helps.
fn show_troubles(text: &mut String, troubles: &[Trouble], looks: &Looks) {
    if troubles.is_empty() {
        return;
    }
    text.extend(["\n", &looks.ink(Ink::Yellow, "Needs you:"), "\n"]);
    for trouble in troubles {
        let mut what = trouble.what.iter();
        // Writing to a String cannot fail.
        let worker = looks.bold(&trouble.worker);
        let _ok = writeln!(text, "  {worker}: {}", what.next().map_or("", |line| line));
        what.for_each(|line| text.extend(["      ", line, "\n"]));
        trouble.help.iter().for_each(|line| text.extend(["      → ", &looks.command(line), "\n"]));
    }
}

fn spent(spend: &Spend) -> String {
    let cap = spend.cap_usd_per_day.map_or(String::new(), |cap| format!(" of {cap:.2}"));
    let unpriced = match spend.today.unpriced {
        0 => String::new(),
        count => format!("; {count} questions have no price"),
    };
    format!("{} tokens, {:.4} USD{cap} today{unpriced}", spend.today.tokens, spend.today.usd)
}

fn followed(followed: &Followed, clock: &Clock) -> String {
    let Followed { agent, files, last_event_at } = followed;
    let files = count(*files, "transcript");
    match last_event_at {
        Some(at) => format!("{files} of {agent}, with news at {}", clock.written(at)),
        None => format!("{files} of {agent}"),
    }
}

/// Edits that wait for their time or for a yes, and those that nobody has looked at. What cannot be read now is no reason to say
/// nothing else.
fn show_memory(world: &World<'_>, clock: &Clock, text: &mut String) {
    // Broken settings are a trouble of their own; what waits does not depend on them.
    let config = world.setup().read_config().unwrap_or_default();
    let settings = weaver_settings(&config);
    let shop = workshop(&world.home, &world.disk, settings, None);
    show_unread(&shop, text);
    let held = held_changes(&shop).unwrap_or_default().filter(|held| held.until > shop.now);
    if let Some(Held { changes, until }) = held {
        let interval = u64::try_from(settings.min_rewrite_interval.as_millis()).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ok = writeln!(
            text,
            "memory     {} {} until {}: at most one edit in {} (`broadcast.min_rewrite_interval`); at once with: echo \"{ASKS_FOR_AN_EDIT}\" | subcortex drop {WEAVER} -",
            count(changes, "change"),
            if changes == 1 { "waits" } else { "wait" },
            clock.time_and_distance(until),
            words::duration(interval),
        );
    }
    let unseen = unseen_edits(&shop).unwrap_or_default();
    let waiting = Proposal::read_all(&*shop.disk, &shop.folder).unwrap_or_default().waiting;
    if let Some(last) = unseen.last() {
        let _ok = writeln!(
            text,
            "memory     {} that you have not seen: `subcortex history`; the last is undone with `subcortex revert {}`",
            count(unseen.len(), "edit"),
            last.id
        );
    }
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "waits" } else { "wait" };
        let _ok = writeln!(
            text,
            "memory     {} {verb} for your yes: `subcortex review`",
            count(waiting.len(), "edit")
        );
    }
}

/// What happened and nobody has looked at yet: nothing is learned of it so far.
fn show_unread(shop: &Workshop, text: &mut String) {
    let unread = unread(shop, MAX_UNREAD).unwrap_or_default();
    if unread == 0 {
        return;
    }
    let events = format!("{} event{}", grouped(unread as u64), if unread == 1 { "" } else { "s" });
    let more = if unread >= MAX_UNREAD { " or more" } else { "" };
    // Writing to a String cannot fail.
    let _ok = writeln!(
        text,
        "memory     {events}{more} not read yet: the next run of {WEAVER} does (now: `subcortex tick --partition {WEAVER}`)"
    );
}

/// Settings that cannot be used: whoever looks at `status` first would wonder what else is not as it should be.
fn of_settings(world: &World<'_>) -> Option<Trouble> {
    let error = world.setup().read_config().err()?;
    Some(Trouble {
        worker: "settings".to_owned(),
        is_grave: true,
        what: lines_of(&error.to_string()),
        help: vec![
            "correct config/subcortex.yaml; until then the daemon goes on with those it started with, and does not start anew"
                .to_owned(),
        ],
    })
}

fn show_workers(text: &mut String, partitions: &[PartitionStatus], is_served: bool, clock: &Clock) {
    let mut rows = vec![["WORKER", "STATE", "ENGINE", "QUEUE", "LAST RUN"].map(String::from)];
    rows.extend(partitions.iter().map(|partition| {
        let last = partition.last_outcome.as_ref().map(|word| Ended::from(word.clone()));
        [
            partition.name.clone(),
            words::state(partition, is_served, clock),
            partition.engine.clone().unwrap_or_else(|| "-".into()),
            queue(partition.inbox),
            last.map_or("never ran".into(), |last| words::outcome(&last).to_owned()),
        ]
    }));
    text.push('\n');
    text.push_str(&words::table(&rows));
}

fn queue(InboxCounts { pending, held }: InboxCounts) -> String {
    match (pending, held) {
        (0, 0) => "empty".into(),
        (0, held) => format!("{held} stuck"),
        (pending, 0) => format!("{pending} waiting"),
        (pending, held) => format!("{pending} waiting, {held} stuck"),
    }
}
