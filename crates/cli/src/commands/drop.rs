//! `subcortex drop`: hands a task to a partition, and waits for its result if asked.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use subcortex_cadence::definition::InboxPlace;
use subcortex_daemon::inbox_place;
use subcortex_inbox::{MAX_TASK_BYTES, default_name, drop_task, keys_when_handed_over, task_key};

use super::drop_fleet::drop_to_fleet;
use super::drop_wait::wait;
use super::{InboxOf, World};
use crate::args::Drop;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::print;

/// What is read as an empty file.
const NOTHING: &str = "/dev/null";
/// Where the streams are that a shell opened for us.
const OWN_STREAMS: [&str; 3] = ["/dev/fd", "/dev/stdin", "/proc/self/fd"];

pub(crate) fn run(world: &World<'_>, args: &Drop) -> Result<ExitCode, Failure> {
    let inbox = world.expect_inbox(&args.partition)?;
    let body = read_task(&args.file)?;
    let from_file =
        args.file.file_name().filter(|_| args.file != Path::new("-")).and_then(|name| name.to_str());
    let made_up = default_name(Timestamp::now());
    let name = args.name.as_deref().or(from_file).unwrap_or(made_up.as_str());
    let patience = args.timeout.map(Duration::from_secs);
    let folder = match &inbox {
        InboxOf::Partition(partition)
            if inbox_place(&*world.disk, &world.home, partition) == InboxPlace::Fleet =>
        {
            return drop_to_fleet(world, partition, name, &body, args.wait.then_some(patience));
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
    wait(world, &inbox, &keys, patience)
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
        open(file).and_then(|file| file.take(MAX_TASK_BYTES + 1).read_to_end(&mut body))
    };
    read.map_err(|error| {
        Failure::refused(format!(
            "cannot read the task from {}: {error}\ngive the path of a file, or `-` and the task on standard input",
            file.display()
        ))
    })?;
    if file != Path::new(NOTHING) && body.iter().all(u8::is_ascii_whitespace) {
        return Err(Failure::refused(format!(
            "{} holds no words, so there is no task; nothing was handed over\n\
             a worker that needs none is started by `{NOTHING}` in its place",
            if file == Path::new("-") { "standard input".to_owned() } else { file.display().to_string() }
        )));
    }
    Ok(body)
}

/// Opens the file of a task. Somebody else's FIFO under its name would let us wait for ever; what a shell hands over as a file
/// (`<(command)`) is a pipe of the person's own, and `/dev/null` a task without words.
fn open(file: &Path) -> io::Result<File> {
    let is_own_stream = OWN_STREAMS.iter().any(|place| file.starts_with(place)) || file == Path::new(NOTHING);
    if !is_own_stream && !std::fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(file)
}
