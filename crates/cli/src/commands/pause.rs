//! `subcortex pause` and `resume`: the kill switch is a file, so it works with and without a daemon.

use std::path::PathBuf;

use subcortex_daemon::end_what_was_left;
use subcortex_guard::{counted, escape_for_display};
use subcortex_home::kill_switch::{self, Paused};

use super::World;
use crate::args::{Pause, Resume};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print};

pub(crate) fn pause(world: &World<'_>, args: &Pause) -> Result<ExitCode, Failure> {
    let Switch { path, whose, resume } = switch(world, args.partition.as_deref())?;
    let why = args.why.as_deref().unwrap_or_default();
    let set = kill_switch::pause(&*world.disk, &path, why)?;
    let because = match kill_switch::reason(&*world.disk, &path) {
        Some(why) if !why.is_empty() => format!(" (“{}”)", escape_for_display(&why)),
        Some(_) | None => String::new(),
    };
    match set {
        Paused::Already => {
            if args.why.is_some() {
                note("note: it was paused before, and the reason that was given then stays");
            }
            print(&format!("paused already: {whose}{because}; continue with `{resume}`\n"))?;
        }
        Paused::Now | Paused::WithoutReason => {
            if set == Paused::WithoutReason {
                note("note: there is no room for the reason; the switch is set without it");
            }
            let work = match end_what_was_left(&world.setup()) {
                Ok(0) => "running work was stopped".to_owned(),
                Ok(left) => {
                    let left = counted(
                        left,
                        "process that a killed daemon left does",
                        "processes that a killed daemon left do",
                    );
                    format!("{left} not end, though killed")
                }
                Err(error) => {
                    format!("whether a killed daemon left work running could not be looked at: {error}")
                }
            };
            print(&format!("paused: {whose}{because}; {work}; continue with `{resume}`\n"))?;
        }
    }
    Ok(ExitCode::Done)
}

pub(crate) fn resume(world: &World<'_>, args: &Resume) -> Result<ExitCode, Failure> {
    let Switch { path, whose, resume } = switch(world, args.partition.as_deref())?;
    // Whoever may stop everything need not be able to let it go on.
    world.expect_a_person(
        "lifts a kill switch",
        &format!("a person runs `{resume}` in a terminal of their own"),
    )?;
    let was_paused = kill_switch::resume(&*world.disk, &path)?;
    print(&format!("{}: {whose}\n", if was_paused { "resumed" } else { "was not paused" }))?;
    say_what_stays_paused(world, args.partition.as_deref());
    Ok(ExitCode::Done)
}

/// Whoever lifts one switch may wonder why nothing runs: there are others.
fn say_what_stays_paused(world: &World<'_>, resumed: Option<&str>) {
    if let Some(all) = world.paused(None) {
        if resumed.is_some() {
            note(&format!("but {all}, so it does not run: `subcortex resume` without a name lifts that"));
        }
        return;
    }
    for worker in world.workers().iter().filter(|worker| resumed.is_none_or(|resumed| resumed == **worker)) {
        if let Some(paused) = world.paused(Some(worker)) {
            note(&format!("{paused} by itself: `subcortex resume {worker}`"));
        }
    }
}

/// A kill switch.
struct Switch {
    path: PathBuf,
    whose: String,
    /// The command that lifts it.
    resume: String,
}

fn switch(world: &World<'_>, partition: Option<&str>) -> Result<Switch, Failure> {
    let Some(name) = partition else {
        let (path, whose) = (world.home.kill_switch(), "everything".to_owned());
        return Ok(Switch { path, whose, resume: "subcortex resume".into() });
    };
    let id = world.expect_partition(name)?;
    Ok(Switch {
        path: world.home.partition_kill_switch(id.as_str()),
        whose: id.to_string(),
        resume: format!("subcortex resume {id}"),
    })
}
