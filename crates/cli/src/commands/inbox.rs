//! `subcortex inbox`: the tasks that wait, and why.

use std::fmt::Write as _;

use subcortex_daemon::control::{Answer, Request};
use subcortex_daemon::{InboxTask, SHARED_INBOX, Schedule, peek, shared_inbox};
use subcortex_guard::escape_for_display;
use subcortex_inbox::marker;
use subcortex_store::durable;

use super::trouble::{lines_of, quoted, task_state};
use super::{World, status};
use crate::args::{Inbox, InboxCommand};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print, print_json};
use crate::words::{self, Clock, count, counted, shortened};

pub(crate) fn run(world: &World<'_>, args: &Inbox) -> Result<ExitCode, Failure> {
    if let Some(InboxCommand::Retry { partition, name }) = &args.command {
        return retry(world, partition, name);
    }
    let tasks = tasks(world, args.partition.as_deref())?;
    if args.json {
        print_json(&tasks)?
    } else {
        let stand = status::stand(world)?;
        world.looks().print(&shown(world, &tasks, &stand.schedule, stand.is_served))?
    }
    Ok(ExitCode::Done)
}

/// The tasks of a partition, or of all.
pub(crate) fn tasks(world: &World<'_>, partition: Option<&str>) -> Result<Vec<InboxTask>, Failure> {
    world.expect_home()?;
    let partition = partition.map(|name| world.expect_inbox(name)).transpose()?;
    let setup = world.setup();
    let (_, mut tasks) = peek(&setup)?;
    tasks.extend(shared_inbox(&setup));
    tasks.retain(|task| partition.as_ref().is_none_or(|inbox| task.partition == inbox.name()));
    Ok(tasks)
}

fn retry(world: &World<'_>, worker: &str, name: &str) -> Result<ExitCode, Failure> {
    world.expect_partition(worker)?;
    let before = tasks(world, Some(worker))?.into_iter().find(|task| task.name == name);
    match world.ask(Request::Retry { partition: worker.to_owned(), task: name.to_owned() })? {
        Answer::Refused { why } => return Err(Failure::refused(why)),
        Answer::NotKept { why } => return Err(Failure::storage(why)),
        Answer::Done
        | Answer::Schedule(_)
        | Answer::Ran { .. }
        | Answer::Reset { .. }
        | Answer::LoopRan(_)
        | Answer::Decided { .. } => {}
    }
    let shown = escape_for_display(name);
    print(&match before {
        Some(task) if task.state == "held" => format!("{shown} is no longer held: {worker} tries it again\n"),
        Some(task) if task.state == "refused" => {
            format!("{shown} cannot be a task, and a retry does not change that: {}\n", reason(&task))
        }
        Some(_) | None => format!("{shown} was not held; it waits for its turn\n"),
    })?;
    if let Some(paused) = world.paused(Some(worker)) {
        note(&format!("but {paused}, so it is not taken before `subcortex resume`"));
    } else if !status::stand(world)?.is_served {
        note(&format!(
            "no daemon runs, so nobody takes it yet: `subcortex run` starts one, `subcortex tick --partition {worker}` does it once"
        ));
    }
    Ok(ExitCode::Done)
}

fn reason(task: &InboxTask) -> String {
    lines_of(task.reason.as_deref().unwrap_or_default()).join(" ")
}

fn shown(world: &World<'_>, tasks: &[InboxTask], schedule: &Schedule, is_served: bool) -> String {
    if tasks.is_empty() {
        return "no tasks wait\n".into();
    }
    let clock = Clock::here();
    let mut text = String::new();
    let mut workers: Vec<&str> = tasks.iter().map(|task| task.partition.as_str()).collect();
    workers.dedup();
    for worker in workers {
        let own: Vec<&InboxTask> = tasks.iter().filter(|task| task.partition == worker).collect();
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "{}", heading(world, worker, own.len(), schedule, is_served, &clock));
        let (found, others): (Vec<_>, Vec<_>) = own
            .into_iter()
            .map(|task| (task, About::of(world, task)))
            .partition(|(_, about)| about.is_found());
        show_found(&mut text, &found.into_iter().map(|(_, about)| about).collect::<Vec<_>>());
        others.iter().for_each(|(task, about)| show_task(&mut text, task, about));
    }
    text
}

/// What a task is about.
enum About {
    /// The memory's own check posted it about this kind of finding. Nobody else has to do anything.
    Found(&'static Kind),
    /// It begins with these words.
    Says(String),
    /// Nobody can tell, or it says nothing.
    Unknown,
}

/// A kind of finding of the memory's own check.
struct Kind {
    /// The end of its marker, behind `memory:`.
    name: &'static str,
    /// One of it, in words.
    one: &'static str,
    /// Several of it, in words.
    many: &'static str,
    /// What a person may do about it.
    see: &'static str,
}

/// What the memory's own check finds.
const KINDS: [Kind; 8] = [
    Kind {
        name: "untestable",
        one: "line that cannot be tested",
        many: "lines that cannot be tested",
        see: "`subcortex check` lists them",
    },
    Kind {
        name: "line-size",
        one: "line that is longer than a rule should be",
        many: "lines that are longer than a rule should be",
        see: "`subcortex rule list` shows them",
    },
    Kind {
        name: "broken-pointer",
        one: "pointer to a dossier that does not exist",
        many: "pointers to dossiers that do not exist",
        see: "the weaver writes what it has evidence for",
    },
    Kind {
        name: "orphan",
        one: "dossier to which nothing points",
        many: "dossiers to which nothing points",
        see: "a line may point to one with [[its name]]",
    },
    Kind {
        name: "dossier-size",
        one: "dossier that is too long to be read",
        many: "dossiers that are too long to be read",
        see: "you may shorten it",
    },
    Kind { name: "ledger", one: "ledger that is behind", many: "ledgers that are behind", see: LEDGER },
    Kind { name: "not-folded", one: "piece of new evidence", many: "pieces of new evidence", see: LEDGER },
    Kind {
        name: "fragment-changed",
        one: "fragment that was changed",
        many: "fragments that were changed",
        see: LEDGER,
    },
];
/// What is done about the ledger.
const LEDGER: &str = "the weaver brings its ledger up to date";
/// What the names of tasks begin with that the memory's own check posts.
const CHECK_PREFIX: &str = "check-";
/// How much of a task is read to say what it is about, in bytes.
const MAX_READ_BYTES: u64 = 1024 * 1024;
/// How much of its words is shown, in characters.
const SHOWN_WORDS_CHARS: usize = 60;

impl About {
    fn of(world: &World<'_>, task: &InboxTask) -> Self {
        if task.state == "refused" || task.partition == SHARED_INBOX {
            return Self::Unknown;
        }
        let path = world.home.inbox(&task.partition).join(&task.name);
        let Ok(body) = durable::read_text(&*world.disk, &path, MAX_READ_BYTES) else { return Self::Unknown };
        let marker = marker(&body);
        let kind = marker.and_then(|marker| marker.strip_prefix("memory:"));
        let known = kind.and_then(|name| KINDS.iter().find(|kind| kind.name == name));
        if let (Some(kind), true, "pending") = (known, task.name.starts_with(CHECK_PREFIX), &*task.state) {
            return Self::Found(kind);
        }
        let words = match marker {
            Some(_) => body.split_once(']').map_or("", |(_, words)| words),
            None => &body,
        };
        match shortened(words.trim().lines().next().unwrap_or_default(), SHOWN_WORDS_CHARS) {
            words if words.is_empty() => Self::Unknown,
            words => Self::Says(words),
        }
    }

    fn is_found(&self) -> bool {
        matches!(self, Self::Found(_))
    }
}

/// What the memory's own check found, a line a kind: each is a task of its own, and none is a person's to do.
fn show_found(text: &mut String, found: &[About]) {
    for kind in &KINDS {
        let n =
            found.iter().filter(|about| matches!(about, About::Found(of) if of.name == kind.name)).count();
        if n > 0 {
            // Writing to a String cannot fail.
            let _ok =
                writeln!(text, "  the memory's own check: {}; {}", counted(n, kind.one, kind.many), kind.see);
        }
    }
}

/// A worker, how many tasks it has, and when it takes them.
fn heading(
    world: &World<'_>,
    worker: &str,
    tasks: usize,
    schedule: &Schedule,
    is_served: bool,
    clock: &Clock,
) -> String {
    let tasks = count(tasks, "task");
    if worker == SHARED_INBOX {
        return format!("shared inbox (tasks that are handed out by their marker): {tasks}");
    }
    let found = schedule.partitions.iter().find(|partition| partition.name == worker);
    let state = match (world.paused(Some(worker)), found) {
        (Some(paused), _) => format!("{paused}; continue with `subcortex resume`"),
        (None, _) if !is_served => "no daemon runs, so nobody takes them; `subcortex run` starts one".into(),
        (None, Some(partition)) => {
            let state = words::state(partition, true, clock);
            match &partition.next_run_at {
                Some(_) => format!("{state}; now: `subcortex tick --partition {worker}`"),
                None => state,
            }
        }
        (None, None) => "not known to the daemon yet".into(),
    };
    format!("{worker}: {tasks}; {state}")
}

fn show_task(text: &mut String, task: &InboxTask, about: &About) {
    let name = escape_for_display(&task.name);
    let mut reason =
        if task.running { Vec::new() } else { lines_of(task.reason.as_deref().unwrap_or_default()) };
    let first = if reason.is_empty() { String::new() } else { format!(": {}", reason.remove(0)) };
    // Writing to a String cannot fail.
    let _ok = writeln!(text, "  {name}  {}{first}", task_state(task));
    for line in reason {
        let _ok = writeln!(text, "      {line}");
    }
    if let About::Says(words) = about {
        let _ok = writeln!(text, "      “{words}”");
    }
    if task.state == "held" && task.partition != SHARED_INBOX {
        let name = quoted(&task.name);
        let _ok = writeln!(
            text,
            "      → nothing tries it again before: subcortex inbox retry {} {name}",
            task.partition
        );
    }
}
