//! `subcortex whoami` and `scratchpad`: a worker's own page and its own memory.

use std::io::Read as _;

use subcortex_daemon::control::{Answer, Request};
use subcortex_daemon::{WorkerAnswer, WorkerRequest, ask_as_worker, scratchpad_of, whoami_of};
use subcortex_guard::escape_for_display;

use super::World;
use crate::args::{Scratchpad, ScratchpadCommand, Whoami};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_foreign};

/// The longest text that is read, in bytes: more than a scratchpad takes, so that it is refused for the right reason.
const MAX_TEXT_BYTES: u64 = 128 * 1024;
/// What everyone is told who is not the worker.
const UNAUTHORIZED: &str = "403 Unauthorized";

pub(crate) fn whoami(world: &World<'_>, args: &Whoami) -> Result<ExitCode, Failure> {
    print_foreign(&page(world, &args.worker)?)?;
    Ok(ExitCode::Done)
}

/// A worker as it is shown to itself.
pub(crate) fn page(world: &World<'_>, worker: &str) -> Result<String, Failure> {
    world.expect_home()?;
    let worker = world.expect_partition(worker)?;
    Ok(whoami_of(&world.setup(), &worker)?)
}

pub(crate) fn scratchpad(world: &World<'_>, args: &Scratchpad) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    match &args.command {
        ScratchpadCommand::Show { worker } => {
            let worker = world.expect_partition(worker)?;
            let text = scratchpad_of(&world.setup(), &worker)?.scratchpad;
            let shown: Vec<_> = text.lines().map(escape_for_display).collect();
            print(&if shown.is_empty() { String::new() } else { shown.join("\n") + "\n" })?;
            Ok(ExitCode::Done)
        }
        ScratchpadCommand::Set { worker, text } => {
            let text = if text == "-" { read_stdin()? } else { text.clone() };
            print(&format!("{}\n", set(world, worker, text)?))?;
            Ok(ExitCode::Done)
        }
        ScratchpadCommand::Reset { worker } => reset(world, worker),
    }
}

fn reset(world: &World<'_>, worker: &str) -> Result<ExitCode, Failure> {
    let worker = world.expect_partition(worker)?;
    if world.surroundings.variables.text("SUBCORTEX_TOKEN").is_some() {
        return Err(Failure::failed(format!(
            "{UNAUTHORIZED}: only a person resets a scratchpad, and $SUBCORTEX_TOKEN says that a worker asks; `scratchpad set` changes one's own"
        )));
    }
    world.expect_a_person(
        "resets a scratchpad",
        &format!("a person runs `subcortex scratchpad reset {worker}` in a terminal of their own"),
    )?;
    match world.ask(Request::ResetScratchpad { worker: worker.to_string() })? {
        Answer::Reset { before } => {
            print(&format!("the scratchpad of {worker} is empty; what it held: {before}\n"))?;
            Ok(ExitCode::Done)
        }
        Answer::Refused { why } => Err(Failure::refused(why)),
        Answer::NotKept { why } => Err(Failure::storage(why)),
        other @ (Answer::Schedule(_)
        | Answer::Ran { .. }
        | Answer::Done
        | Answer::Decided { .. }
        | Answer::LoopRan(_)) => {
            Err(Failure::failed(format!("the daemon answered something else: {other:?}")))
        }
    }
}

/// Replaces the text of a scratchpad, as its worker.
pub(crate) fn set(world: &World<'_>, worker: &str, text: String) -> Result<String, Failure> {
    let worker = world.expect_partition(worker)?;
    let unauthorized = || {
        Failure::failed(format!(
            "{UNAUTHORIZED}: only {worker} itself may change its scratchpad, with $SUBCORTEX_TOKEN of its run"
        ))
    };
    let token = world.surroundings.variables.text("SUBCORTEX_TOKEN").ok_or_else(unauthorized)?;
    let request = WorkerRequest::SetScratchpad { worker: worker.to_string(), token, text };
    let answer = ask_as_worker(&world.home.worker_socket(), &request)
        .map_err(|error| Failure::failed(format!("the daemon of this worker does not answer: {error}")))?;
    match answer {
        Some(WorkerAnswer::Done { said }) => Ok(said),
        // Nobody runs: then no token is valid.
        Some(WorkerAnswer::Unauthorized) | None => Err(unauthorized()),
        Some(WorkerAnswer::Unfit { why }) => Err(Failure::refused(why)),
        Some(WorkerAnswer::NotKept { why }) => Err(Failure::storage(why)),
    }
}

fn read_stdin() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MAX_TEXT_BYTES)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::failed(format!("standard input cannot be read: {error}")))?;
    String::from_utf8(bytes).map_err(|_| Failure::refused("the text is not UTF-8"))
}
