//! `subcortex inbox`: the tasks that wait, and why.

use std::fmt::Write as _;

use subcortex_daemon::control::{Answer, Request};
use subcortex_daemon::{InboxTask, SHARED_INBOX, Schedule, peek, shared_inbox};
use subcortex_guard::escape_for_display;

use super::trouble::{lines_of, quoted, task_state};
use super::{World, status};
use crate::args::{Inbox, InboxCommand};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print, print_json};
use crate::words::{self, Clock, count};

pub(crate) fn run(world: &World<'_>, args: Inbox) -> Result<ExitCode, Failure> {
    if let Some(InboxCommand::Retry { partition, name }) = args.command {
        return retry(world, &partition, &name);
    }
    let tasks = tasks(world, args.partition.as_deref())?;
    if args.json {
        print_json(&tasks)?
    } else {
        let stand = status::stand(world)?;
        print(&shown(world, &tasks, &stand.schedule, stand.is_served))?
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
        own.iter().for_each(|task| show_task(&mut text, task));
    }
    text
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

fn show_task(text: &mut String, task: &InboxTask) {
    let name = escape_for_display(&task.name);
    let mut reason =
        if task.running { Vec::new() } else { lines_of(task.reason.as_deref().unwrap_or_default()) };
    let first = if reason.is_empty() { String::new() } else { format!(": {}", reason.remove(0)) };
    // Writing to a String cannot fail.
    let _ok = writeln!(text, "  {name}  {}{first}", task_state(task));
    for line in reason {
        let _ok = writeln!(text, "      {line}");
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
