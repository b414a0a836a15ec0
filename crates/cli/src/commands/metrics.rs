//! `subcortex metrics`: what can be counted, for Prometheus.

use subcortex_daemon::{metrics, spend};

use super::{World, status};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::print;

pub(crate) fn run(world: &World<'_>) -> Result<ExitCode, Failure> {
    let schedule = status::schedule(world)?;
    print(&metrics(&schedule, &spend(&world.setup())?, &world.workshop()?)?)?;
    Ok(ExitCode::Done)
}
