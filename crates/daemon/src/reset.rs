//! A person empties a worker's scratchpad.

use jiff::Timestamp;
use subcortex_cadence::PartitionId;
use subcortex_home::Home;
use subcortex_store::Disk;
use subcortex_work::AtWork;
use tracing::info;

use crate::control::Answer;

/// Empties a scratchpad, unless its worker runs: what it would write at its end would bring back what it had read.
pub(crate) fn reset(disk: &dyn Disk, home: &Home, at_work: &AtWork, worker: &str) -> Answer {
    // A name from outside becomes a path here.
    if let Err(problem) = PartitionId::new(worker) {
        return Answer::Refused { why: problem.to_string() };
    }
    let (dir, quarantine) = (home.scratchpad(worker), home.spine().quarantine);
    let done =
        at_work.while_idle(worker, || subcortex_scratchpad::reset(disk, &dir, &quarantine, Timestamp::now()));
    match done {
        None => Answer::Refused {
            why: format!(
                "`{worker}` is running, and would bring back what it has read: wait for its end, or end it with `subcortex pause {worker}`"
            ),
        },
        Some(Err(error)) => Answer::NotKept { why: error.to_string() },
        Some(Ok(before)) => {
            info!(worker, before = %before.display(), "scratchpad reset");
            Answer::Reset { before: before.display().to_string() }
        }
    }
}
