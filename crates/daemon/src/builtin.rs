//! The workers that ship: partitions with the engine `builtin`, found by their name.

use subcortex_cadence::PartitionId;
use subcortex_cadence::settle::{Ending, Work};

/// What a worker is given: the body of its task, or nothing when something else woke it.
pub(crate) type TaskBody<'a> = Option<&'a str>;

/// Runs the worker of a partition.
pub(crate) fn run(partition: &PartitionId, task: TaskBody<'_>) -> Work {
    match partition.as_str() {
        "heartbeat" => heartbeat(task),
        other => Work::ended(Ending::Refused(format!(
            "no worker called `{other}` ships with subcortex; name an engine in subconscious/{other}/CLAUDE.md, such as \
             `engine: command`"
        ))),
    }
}

/// Does nothing, and says so: a sign of life for whoever watches the log.
fn heartbeat(task: TaskBody<'_>) -> Work {
    Work::well(match task {
        Some(_) => "NO-OP: the heartbeat has nothing to do with tasks",
        None => "NO-OP: alive",
    })
}
