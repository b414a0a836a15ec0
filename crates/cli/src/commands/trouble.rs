//! What is stuck or fails, in words: the cause, the end of what the program said, and the command that helps. `status` and
//! `doctor` show the same.

use std::collections::HashMap;

use subcortex_cadence::settle::{ATTEMPTS_BEFORE_HOLD, Outcome};
use subcortex_cadence::{NameProblem, PartitionId};
use subcortex_daemon::{EngineState, InboxTask, PartitionStatus, SHARED_INBOX, Schedule, engines};
use subcortex_guard::escape_for_display;
use subcortex_runs::{Ended, RunRecord};

use super::World;
use crate::words::{self, Clock, count};

/// How many lines of a program's standard error are shown.
const SHOWN_STDERR_LINES: usize = 3;
/// How much of each, in characters.
const SHOWN_LINE_CHARS: usize = 160;
/// How many tasks of one worker are named; the others are counted.
const NAMED_TASKS: usize = 3;

/// Something that waits for a person.
#[derive(Debug)]
pub(crate) struct Trouble {
    /// Whose.
    pub(crate) worker: String,
    /// What is wrong and why: a first line, and more of it.
    pub(crate) what: Vec<String>,
    /// What to do.
    pub(crate) help: Vec<String>,
    /// Whether nothing of it works until somebody does something.
    pub(crate) is_grave: bool,
}

/// Everything that waits for a person, worker by worker.
pub(crate) fn troubles(world: &World<'_>, schedule: &Schedule, clock: &Clock) -> Vec<Trouble> {
    let engines = engines(&world.setup()).unwrap_or_default();
    let unusable = engines.iter().filter(|state| state.usable.is_err());
    let unusable: HashMap<&str, &EngineState> =
        unusable.map(|state| (state.partition.as_str(), state)).collect();
    let mut all_stuck: HashMap<&str, Vec<&InboxTask>> = HashMap::new();
    for task in &schedule.stuck {
        all_stuck.entry(&task.partition).or_default().push(task);
    }
    let mut found = Vec::new();
    for partition in &schedule.partitions {
        let name = partition.name.as_str();
        let stuck = all_stuck.remove(name).unwrap_or_default();
        let engine = unusable.get(name);
        if let Some(problem) = &partition.problem {
            found.push(definition(name, problem));
        } else if let Some(EngineState { enabled, usable: Err(why), .. }) = engine
            && (*enabled || partition.inbox.pending > 0 || !stuck.is_empty())
        {
            found.push(missing(name, why, partition));
        } else if stuck.is_empty() {
            found.extend(failing(world, partition, clock));
        }
        found.extend(held(world, &stuck));
        found.extend(refused(&stuck));
        found.extend(waiting_for_nothing(world, partition));
    }
    found.extend(schedule.stuck.iter().filter(|task| task.partition == SHARED_INBOX).map(unaddressed));
    found.extend(unusable_names(world));
    found
}

/// Folders that look like workers and cannot be any, because of their names: nothing else would ever speak of them.
fn unusable_names(world: &World<'_>) -> Vec<Trouble> {
    let dir = world.home.subconscious();
    let names = world.disk.list(&dir).unwrap_or_default(); // a home without it is a finding of its own
    let odd = names.iter().filter_map(|name| {
        let shown = name.to_string_lossy();
        let why = match name.to_str().map(PartitionId::new) {
            Some(Ok(_) | Err(NameProblem::LeadingDot)) => return None,
            Some(Err(why)) => why.to_string(),
            None => "a partition's name is text, and this one is not".to_owned(),
        };
        world.disk.stat(&dir.join(name).join("CLAUDE.md")).ok()?;
        let shown = escape_for_display(&shown).into_owned();
        Some(Trouble {
            what: vec![format!("nothing runs it: {why}")],
            help: vec![format!("give the folder subconscious/{shown} another name; its tasks stay in it")],
            worker: shown,
            is_grave: true,
        })
    });
    odd.collect()
}

/// Lines for people, without what a terminal would obey. A reason on record is one line, with its hint at the end.
pub(crate) fn lines_of(text: &str) -> Vec<String> {
    text.replace("; hint: ", "\nhint: ").lines().map(|line| escape_for_display(line).into_owned()).collect()
}

/// The end of what a program said on its standard error.
pub(crate) fn stderr_of(record: &RunRecord) -> Vec<String> {
    let lines: Vec<&str> = record.errors.lines().filter(|line| !line.trim().is_empty()).collect();
    let end = lines.get(lines.len().saturating_sub(SHOWN_STDERR_LINES)..).unwrap_or_default();
    end.iter()
        .map(|line| {
            let short: String = line.chars().take(SHOWN_LINE_CHARS).collect();
            format!("it said: {}", escape_for_display(&short))
        })
        .collect()
}

/// What to know about a result that is none.
pub(crate) fn about_results(record: &RunRecord) -> Option<&'static str> {
    (record.outcome == Ended::As(Outcome::InvalidOutput)).then_some(
        "a result is a last line that begins with `UPDATED:`, `NO-OP:`, `NO_NEW_GRADIENT:` or `BOOTSTRAPPED:`; with any \
         other end the task is kept",
    )
}

/// How a task came to be held.
pub(crate) fn why_held(task: &InboxTask) -> String {
    if task.attempts >= ATTEMPTS_BEFORE_HOLD {
        format!("{} failed", count(task.attempts as usize, "attempt"))
    } else {
        "the work on it was broken off again and again".into()
    }
}

fn definition(worker: &str, problem: &str) -> Trouble {
    let mut what = lines_of(problem);
    what.insert(0, "its definition cannot be used".into());
    Trouble {
        worker: worker.to_owned(),
        what,
        help: vec![format!("correct subconscious/{worker}/CLAUDE.md; it is read again at once")],
        is_grave: true,
    }
}

/// What it needs from outside is not there.
fn missing(worker: &str, why: &str, partition: &PartitionStatus) -> Trouble {
    let is_program = partition.engine.as_deref() == Some("command");
    let mut what = lines_of(why);
    if !is_program {
        what.insert(0, format!("it cannot run on {}", partition.engine.as_deref().unwrap_or("its engine")));
    }
    if partition.inbox.pending > 0 {
        what.push(format!("{} until then", verb(partition.inbox.pending, "waits", "wait")));
    }
    let key = if is_program { "command" } else { "engine" };
    let help = format!(
        "`{key}:` in subconscious/{worker}/CLAUDE.md names it; `subcortex tick --partition {worker}` tries it"
    );
    Trouble { worker: worker.to_owned(), what, help: vec![help], is_grave: true }
}

/// Its last run did not go well, and nothing is held yet.
fn failing(world: &World<'_>, partition: &PartitionStatus, clock: &Clock) -> Option<Trouble> {
    let run = partition.last_run.as_deref()?;
    // With very many workers, reading the record of a run that went well would be most of the time.
    what_failed(&Ended::from(partition.last_outcome.clone()?))?;
    let record = subcortex_runs::find(&*world.disk, &world.home.runs(), run).ok().flatten()?;
    let said = what_failed(&record.outcome)?;
    let ended = record.ended_at.map_or(String::new(), |at| format!(" {}", clock.relative(at)));
    let mut what = vec![format!("{said}{ended}")];
    what.extend(record.reason.as_deref().map(lines_of).unwrap_or_default());
    what.extend(stderr_of(&record));
    what.extend(about_results(&record).map(str::to_owned));
    if let Some(until) = &partition.backoff_until {
        what.push(format!("it is tried again at {}", clock.written(until)));
    }
    let help = vec![
        format!("`subcortex runs show {run}` shows all of it"),
        format!("`subcortex tick --partition {}` tries it now", partition.name),
    ];
    Some(Trouble { worker: partition.name.clone(), what, help, is_grave: false })
}

fn what_failed(outcome: &Ended) -> Option<&'static str> {
    match outcome {
        Ended::As(Outcome::Error) => Some("its last run failed"),
        Ended::As(Outcome::Timeout) => Some("its last run did not end in time"),
        Ended::As(Outcome::InvalidOutput) => Some("its last run gave no result"),
        Ended::As(Outcome::Refused) => Some("its last run could not start"),
        Ended::As(Outcome::Terminal | Outcome::Partial | Outcome::Paused)
        | Ended::NotYet
        | Ended::Unreadable
        | Ended::Unknown(_) => None,
    }
}

fn held(world: &World<'_>, stuck: &[&InboxTask]) -> Option<Trouble> {
    let held: Vec<&&InboxTask> = stuck.iter().filter(|task| task.state == "held").collect();
    let first = held.first()?;
    let worker = first.partition.clone();
    let mut what = vec![format!(
        "{} held: nothing tries {} again until you say so",
        verb(held.len(), "is", "are"),
        if held.len() == 1 { "it" } else { "them" }
    )];
    let mut help = Vec::new();
    for task in held.iter().take(NAMED_TASKS) {
        let name = escape_for_display(&task.name);
        let reason = lines_of(task.reason.as_deref().unwrap_or("no reason is known"));
        what.push(format!(
            "{name}: {}, the last: {}",
            why_held(task),
            reason.first().map_or("", |line| line)
        ));
        what.extend(reason.into_iter().skip(1));
        help.push(format!("`subcortex inbox retry {worker} {}`", quoted(&task.name)));
    }
    if held.len() > NAMED_TASKS {
        what.push(format!("and {} more: `subcortex inbox {worker}`", held.len() - NAMED_TASKS));
    }
    let last = last_run_with(world, first).and_then(|run| {
        // The list has no room for what programs said.
        subcortex_runs::find(&*world.disk, &world.home.runs(), &run.run_id).ok().flatten()
    });
    if let Some(record) = last {
        what.extend(stderr_of(&record));
        help.insert(0, format!("`subcortex runs show {}` shows the last attempt", record.run_id));
    }
    Some(Trouble { worker, what, help, is_grave: true })
}

/// The newest run that worked on a task.
fn last_run_with(world: &World<'_>, task: &InboxTask) -> Option<RunRecord> {
    /// How many runs are looked through.
    const LOOKED_AT: usize = 200;
    let runs = subcortex_runs::list(&*world.disk, &world.home.runs(), LOOKED_AT).ok()?;
    let had = |run: &RunRecord| {
        run.partition == task.partition
            && run.outcome != Ended::NotYet
            && run.tasks.iter().any(|had| had.name == task.name)
    };
    runs.into_iter().find(had)
}

/// What lies in an inbox and can be no task.
fn refused(stuck: &[&InboxTask]) -> Vec<Trouble> {
    let refused = stuck.iter().filter(|task| task.state == "refused");
    refused
        .map(|task| {
            let name = escape_for_display(&task.name);
            let reason = lines_of(task.reason.as_deref().unwrap_or_default()).join(" ");
            let place = format!("subconscious/{}/inbox", task.partition);
            Trouble {
                worker: task.partition.clone(),
                what: vec![format!("{name} can be no task: {reason}")],
                help: vec![format!("take it out of {place}, or hand it over again with `subcortex drop`")],
                is_grave: false,
            }
        })
        .collect()
}

/// A task of the shared inbox that nobody takes.
fn unaddressed(task: &InboxTask) -> Trouble {
    let mut what = lines_of(task.reason.as_deref().unwrap_or("nobody takes it"));
    what.insert(0, format!("subconscious/inbox/{} stays where it is", escape_for_display(&task.name)));
    Trouble {
        worker: "shared inbox".into(),
        what,
        help: vec!["hand it to a worker by name: `subcortex drop WORKER FILE`".into()],
        is_grave: false,
    }
}

/// Tasks that no run will ever take as things stand.
fn waiting_for_nothing(world: &World<'_>, partition: &PartitionStatus) -> Option<Trouble> {
    let name = &partition.name;
    let waiting = match partition.inbox.pending {
        0 => return None,
        pending => verb(pending, "waits", "wait"),
    };
    let (what, help) = match partition.state.as_str() {
        "disabled" => (
            format!("{waiting}, and it is switched off (`enabled: false`)"),
            format!(
                "`subcortex tick --partition {name}` runs it once; `enabled: true` in subconscious/{name}/CLAUDE.md for good"
            ),
        ),
        "nothing_to_do" => (
            format!("{waiting}, and no task wakes it (`wake_on` has no `inbox`)"),
            format!(
                "`subcortex tick --partition {name}` runs it once; add `inbox` to `wake_on` in subconscious/{name}/CLAUDE.md"
            ),
        ),
        // What holds for everything is said once.
        "paused" if world.paused(None).is_none() => (
            format!("{waiting}, and {}", world.paused(Some(name)).unwrap_or_else(|| "it is paused".into())),
            format!("`subcortex resume {name}`"),
        ),
        _ => return None,
    };
    Some(Trouble { worker: name.clone(), what: vec![what], help: vec![help], is_grave: false })
}

fn verb(tasks: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(tasks, "task"), if tasks == 1 { one } else { many })
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '+' | '=' | ':');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", escape_for_display(word).replace('\'', r"'\''"))
}

/// How a task stands.
pub(crate) fn task_state(task: &InboxTask) -> String {
    match task.state.as_str() {
        _ if task.running => "being worked on".into(),
        "pending" if task.attempts > 0 => {
            format!(
                "waiting, {}",
                words::counted(task.attempts as usize, "attempt failed", "attempts failed")
            )
        }
        "pending" => "waiting".into(),
        "held" if task.partition == SHARED_INBOX => "stays".into(),
        "held" => format!("held, {}", why_held(task)),
        "refused" => "no task".into(),
        other => other.to_owned(),
    }
}
