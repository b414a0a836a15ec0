//! `subcortex pause` and `resume`: the kill switch is a file, so it works with and without a daemon.

use std::path::{Path, PathBuf};

use subcortex_guard::Redactor;
use subcortex_home::init;
use subcortex_store::durable::{self, WriteError};

use super::World;
use crate::args::{Pause, Resume};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print};

pub(crate) fn pause(world: &World<'_>, args: &Pause) -> Result<ExitCode, Failure> {
    let (switch, whose) = switch(world, args.partition.as_deref())?;
    let why = Redactor::new().text(args.why.as_deref().unwrap_or_default()).into_owned();
    match set(world, &switch, &why) {
        Ok(()) => print(&format!("paused: {whose}; `subcortex resume` lets it go on\n"))?,
        Err(WriteError::Exists { .. }) => print(&format!("paused already: {whose}\n"))?,
        Err(error) => return Err(error.into()),
    }
    Ok(ExitCode::Done)
}

/// Sets a switch. It is needed most when something fills the disk: an empty file fits there, and says what matters.
fn set(world: &World<'_>, switch: &Path, why: &str) -> Result<(), WriteError> {
    let error = match durable::create_new(&*world.disk, switch, format!("{why}\n").as_bytes()) {
        Err(error @ WriteError::Failed { .. }) => error,
        other => return other.or_else(is_set),
    };
    durable::create_new(&*world.disk, switch, b"").or_else(is_set).map_err(|_| error)?;
    note("note: there is no room for the reason; the switch is set without it");
    Ok(())
}

pub(crate) fn resume(world: &World<'_>, args: &Resume) -> Result<ExitCode, Failure> {
    let (switch, whose) = switch(world, args.partition.as_deref())?;
    let was_paused = durable::remove(&*world.disk, &switch)?;
    print(&format!("{}: {whose}\n", if was_paused { "resumed" } else { "was not paused" }))?;
    Ok(ExitCode::Done)
}

/// A switch that is there is set, even if a power cut may still take it.
fn is_set(error: WriteError) -> Result<(), WriteError> {
    if !matches!(error, WriteError::NotDurable { .. }) {
        return Err(error);
    }
    note(&format!("note: {error}"));
    Ok(())
}

fn switch(world: &World<'_>, partition: Option<&str>) -> Result<(PathBuf, String), Failure> {
    match partition {
        None => {
            init(&*world.disk, &world.home)?;
            Ok((world.home.kill_switch(), "everything".into()))
        }
        Some(name) => {
            let id = world.expect_partition(name)?;
            Ok((world.home.partition_kill_switch(id.as_str()), id.to_string()))
        }
    }
}
