//! `subcortex run`: the daemon in the foreground.

use subcortex_daemon::serve;

use super::World;
use crate::exit_code::ExitCode;
use crate::failure::Failure;

pub(crate) fn run(world: &World<'_>) -> Result<ExitCode, Failure> {
    serve(world.setup())?;
    Ok(ExitCode::Done)
}
