//! `subcortex drop`: hands a task to a partition, and waits for its result if asked.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use subcortex_cadence::TaskKey;
use subcortex_cadence::definition::InboxPlace;
use subcortex_daemon::{inbox_place, shared_inbox};
use subcortex_inbox::{MAX_TASK_BYTES, default_name, drop_task, keys_when_handed_over, task_key};
use subcortex_store::HomeLock;

use super::drop_fleet::drop_to_fleet;
use super::{InboxOf, World};
use crate::args::Drop;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print};

/// How often `--wait` looks.
const WAIT_PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn run(world: &World<'_>, args: &Drop) -> Result<ExitCode, Failure> {
    let inbox = world.expect_inbox(&args.partition)?;
    let body = read_task(&args.file)?;
    let from_file =
        args.file.file_name().filter(|_| args.file != Path::new("-")).and_then(|name| name.to_str());
    let made_up = default_name(Timestamp::now());
    let name = args.name.as_deref().or(from_file).unwrap_or(made_up.as_str());
    let folder = match &inbox {
        InboxOf::Partition(partition)
            if inbox_place(&*world.disk, &world.home, partition) == InboxPlace::Fleet =>
        {
            return drop_to_fleet(world, partition, name, &body, args.wait);
        }
        InboxOf::Partition(partition) => world.home.inbox(partition.as_str()),
        InboxOf::Everybody => world.home.shared_inbox(),
    };
    let name = drop_task(&*world.disk, &folder, name, &body)?;
    print(&format!("{name}\n"))?;
    if !args.wait {
        return Ok(ExitCode::Done);
    }
    let keys = match &inbox {
        InboxOf::Partition(_) => vec![task_key(name.as_str(), &body)],
        InboxOf::Everybody => keys_when_handed_over(name.as_str(), &body),
    };
    wait(world, &inbox, &keys)
}

/// Drops a task and says what it is called.
pub(crate) fn drop_body(
    world: &World<'_>,
    partition: &str,
    name: Option<&str>,
    body: &str,
) -> Result<String, Failure> {
    let partition = world.expect_partition(partition)?;
    let made_up = default_name(Timestamp::now());
    let name = name.unwrap_or(made_up.as_str());
    let dropped = drop_task(&*world.disk, &world.home.inbox(partition.as_str()), name, body.as_bytes())?;
    Ok(dropped.to_string())
}

fn read_task(file: &Path) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    let read = if file == Path::new("-") {
        std::io::stdin().take(MAX_TASK_BYTES + 1).read_to_end(&mut body)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(MAX_TASK_BYTES + 1).read_to_end(&mut body))
    };
    read.map_err(|error| Failure::refused(format!("cannot read {}: {error}", file.display())))?;
    Ok(body)
}

/// Waits until a run has come to something with this task. What is kept is tried again by later runs; the
/// first answer counts.
fn wait(world: &World<'_>, inbox: &InboxOf, keys: &[TaskKey]) -> Result<ExitCode, Failure> {
    if HomeLock::peek(&*world.disk, &world.home.lock()).is_ok_and(|holder| holder.is_none()) {
        note(
            "no daemon runs, so nobody takes the task yet: start one with `subcortex run`, or run it with `subcortex tick`",
        );
    }
    loop {
        let runs = subcortex_runs::list(&*world.disk, &world.home.runs(), 50)?;
        let found = runs
            .iter()
            .filter(|run| is_of(inbox, &run.partition) && run.ended_at.is_some())
            .find_map(|run| {
                let task = keys.iter().find_map(|key| run.task(key.name.as_str(), key.hash.as_str()))?;
                Some((run, task))
            });
        if let Some((run, task)) = found {
            let line = task.result.as_deref().or(task.reason.as_deref()).unwrap_or(run.outcome.as_str());
            print(&format!("{line}\n"))?;
            return Ok(if task.acked { ExitCode::Done } else { ExitCode::NotTerminal });
        }
        if let Some(why) = why_it_stays(world, inbox, keys) {
            print(&format!("{why}\n"))?;
            return Ok(ExitCode::NotTerminal);
        }
        std::thread::sleep(WAIT_PAUSE);
    }
}

/// Whoever it was handed over to.
fn is_of(inbox: &InboxOf, partition: &str) -> bool {
    match inbox {
        InboxOf::Partition(id) => id.as_str() == partition,
        InboxOf::Everybody => true,
    }
}

/// Why nobody will ever take a task out of the shared inbox as things stand.
fn why_it_stays(world: &World<'_>, inbox: &InboxOf, keys: &[TaskKey]) -> Option<String> {
    let (InboxOf::Everybody, Some(key)) = (inbox, keys.first()) else { return None };
    if !world.home.shared_inbox().join(key.name.as_str()).exists() {
        return None;
    }
    let found = shared_inbox(&world.setup()).into_iter().find(|task| task.name == key.name.as_str())?;
    found.reason
}
