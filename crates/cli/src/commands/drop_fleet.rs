//! `subcortex drop` to a partition that shares its inbox: the task goes to the fleet's server.

use std::time::{Duration, Instant};

use subcortex_cadence::PartitionId;
use subcortex_daemon::{Finished, FleetError};

use super::World;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print, print_foreign};
use crate::words::count;

/// How often the server is asked for the result.
const WAIT_PAUSE: Duration = Duration::from_millis(100);

impl From<FleetError> for Failure {
    fn from(error: FleetError) -> Self {
        if error.is_refused_input() {
            Self::refused(error.to_string())
        } else {
            Self::storage(format!(
                "{error}\nnothing was dropped, unless the answer was lost: `subcortex status` shows the fleet"
            ))
        }
    }
}

/// Hands the task to whoever of the fleet takes it first, and waits for its result if asked: for as long as it takes, or
/// so long.
pub(crate) fn drop_to_fleet(
    world: &World<'_>,
    partition: &PartitionId,
    name: &str,
    body: &[u8],
    waits: Option<Option<Duration>>,
) -> Result<ExitCode, Failure> {
    let setup = world.setup();
    let fleet = setup.membership(&setup.read_config()?)?;
    let posted = fleet.post(partition, name, body)?;
    print(&format!("{name}\n"))?;
    let Some(patience) = waits else { return Ok(ExitCode::Done) };
    note(&format!(
        "waiting for a machine of the fleet to take {name} for {partition} (Ctrl-C stops waiting, the task stays)"
    ));
    let since = Instant::now();
    loop {
        if patience.is_some_and(|patience| since.elapsed() >= patience) {
            note(&format!("no result yet; {name} stays with the fleet: `subcortex status` shows who has it"));
            return Ok(ExitCode::NotTerminal);
        }
        match fleet.finished(partition, &posted)? {
            Finished::With(result) => {
                print_foreign(&format!("{result}\n"))?;
                return Ok(ExitCode::Done);
            }
            Finished::NotYet { attempts: 0 } => std::thread::sleep(WAIT_PAUSE),
            Finished::NotYet { attempts } => {
                print(&format!(
                    "{} failed; `subcortex inbox` on the machine that has it says why\n",
                    count(attempts as usize, "attempt")
                ))?;
                return Ok(ExitCode::NotTerminal);
            }
        }
    }
}
