//! `subcortex loop run`: one run now, by the daemon or in its place.

use std::fmt::Write as _;
use std::path::Path;

use subcortex_daemon::LoopAnswered;
use subcortex_daemon::control::{Answer, Request};
use subcortex_guard::escape_for_display;
use subcortex_loops::LoopPlace;
use subcortex_loops::end::Standing;
use subcortex_store::RealDisk;

use super::here;
use crate::args::LoopTarget;
use crate::commands::World;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::surroundings::Surroundings;

pub(super) fn run(
    surroundings: &Surroundings,
    home: Option<&Path>,
    args: &LoopTarget,
) -> Result<ExitCode, Failure> {
    let place = LoopPlace::find(&RealDisk, &here(surroundings)?, &args.target)?;
    let name = place.name();
    let world = World::new(surroundings, surroundings.home(home)?);
    let answer = world.ask(Request::LoopRun { dir: place.dir, root: place.root })?;
    let ran = match answer {
        Answer::LoopRan(ran) => ran,
        Answer::Refused { why } => return Err(Failure::refused(why)),
        Answer::NotKept { why } => return Err(Failure::storage(why)),
        other @ (Answer::Schedule(_)
        | Answer::Ran { .. }
        | Answer::Done
        | Answer::Reset { .. }
        | Answer::Decided { .. }) => {
            return Err(Failure::failed(format!("the daemon answered something else: {other:?}")));
        }
    };
    if args.json {
        print_json(&ran)?;
    } else {
        print(&in_words(&name, &ran))?;
    }
    Ok(code_of(&ran))
}

fn in_words(name: &str, ran: &LoopAnswered) -> String {
    let mut words = format!("{}: {}", escape_for_display(name), ran.outcome);
    // Writing to a String cannot fail.
    for part in [&ran.result, &ran.why].into_iter().flatten() {
        let _ok = write!(words, ": {}", escape_for_display(part));
    }
    if let Some(branch) = &ran.branch {
        let _ok = write!(words, "\n  on branch {}", escape_for_display(branch));
    }
    if let Some(run_id) = &ran.run_id {
        let _ok = write!(words, "\n  see `subcortex runs show {run_id}`");
    }
    words + "\n"
}

/// Scripts rely on these.
fn code_of(ran: &LoopAnswered) -> ExitCode {
    match ran.standing {
        Standing::Stands => ExitCode::Done,
        Standing::Unfinished => ExitCode::NotTerminal,
        Standing::Paused => ExitCode::Paused,
        Standing::Refused => ExitCode::Refused,
        Standing::Stopped => ExitCode::Failed,
    }
}
