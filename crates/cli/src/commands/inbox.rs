//! `subcortex inbox`: the tasks that wait, and why.

use std::fmt::Write as _;

use subcortex_daemon::control::{Answer, Request};
use subcortex_daemon::{InboxTask, peek, shared_inbox};
use subcortex_guard::escape_for_display;

use super::World;
use crate::args::{Inbox, InboxCommand};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};

pub(crate) fn run(world: &World<'_>, args: Inbox) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    if let Some(InboxCommand::Retry { partition, name }) = args.command {
        return retry(world, partition, name);
    }
    let tasks = tasks(world, args.partition.as_deref())?;
    if args.json {
        print_json(&tasks)?
    } else {
        print(&shown(&tasks))?
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

fn retry(world: &World<'_>, partition: String, name: String) -> Result<ExitCode, Failure> {
    match world.ask(Request::Retry { partition, task: name.clone() })? {
        Answer::Refused { why } => Err(Failure::refused(why)),
        Answer::Done
        | Answer::Schedule(_)
        | Answer::Ran { .. }
        | Answer::Reset { .. }
        | Answer::LoopRan(_)
        | Answer::Decided { .. } => {
            print(&format!("{name} is pending again\n"))?;
            Ok(ExitCode::Done)
        }
    }
}

fn shown(tasks: &[InboxTask]) -> String {
    if tasks.is_empty() {
        return "no tasks\n".into();
    }
    let mut text = String::new();
    for task in tasks {
        let name = escape_for_display(&task.name);
        // Writing to a String cannot fail.
        let _ok = write!(text, "{:<8} {:<20} {name}", task.state, task.partition);
        if task.attempts > 0 {
            let _ok = write!(text, ", {} failed attempts", task.attempts);
        }
        if let Some(reason) = &task.reason {
            let _ok = write!(text, ": {}", escape_for_display(reason));
        }
        text.push('\n');
    }
    text
}
