//! `subcortex pause` and `resume`: the kill switch is a file, so it works with and without a daemon.

use std::path::PathBuf;

use subcortex_home::init;
use subcortex_home::kill_switch::{self, Paused};

use super::World;
use crate::args::{Pause, Resume};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print};

pub(crate) fn pause(world: &World<'_>, args: &Pause) -> Result<ExitCode, Failure> {
    let (switch, whose) = switch(world, args.partition.as_deref())?;
    let why = args.why.as_deref().unwrap_or_default();
    match kill_switch::pause(&*world.disk, &switch, why)? {
        Paused::Already => print(&format!("paused already: {whose}\n"))?,
        set @ (Paused::Now | Paused::WithoutReason) => {
            if set == Paused::WithoutReason {
                note("note: there is no room for the reason; the switch is set without it");
            }
            print(&format!("paused: {whose}; `subcortex resume` lets it go on\n"))?;
        }
    }
    Ok(ExitCode::Done)
}

pub(crate) fn resume(world: &World<'_>, args: &Resume) -> Result<ExitCode, Failure> {
    let (switch, whose) = switch(world, args.partition.as_deref())?;
    let was_paused = kill_switch::resume(&*world.disk, &switch)?;
    print(&format!("{}: {whose}\n", if was_paused { "resumed" } else { "was not paused" }))?;
    Ok(ExitCode::Done)
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
