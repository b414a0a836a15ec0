//! `subcortex run`: the daemon in the foreground.

use std::sync::Arc;

use subcortex_daemon::{Setup, serve};

use super::World;
use crate::exit_code::ExitCode;
use crate::failure::Failure;

pub(crate) fn run(world: &World) -> Result<ExitCode, Failure> {
    serve(Setup {
        home: world.home.clone(),
        disk: Arc::clone(&world.disk),
        boot_id: world.boot_id.clone(),
        log_sink: Box::new(std::io::stderr()),
    })?;
    Ok(ExitCode::Done)
}
