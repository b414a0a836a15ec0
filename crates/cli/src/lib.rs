//! The `subcortex` command: words in, words and exit codes out.
//!
//! [`Surroundings`] is the only place of the program that looks at the environment.

mod args;
mod bar;
mod commands;
mod demo;
mod exit_code;
mod failure;
mod looks;
mod names;
mod output;
mod spinner;
mod surroundings;
#[allow(dead_code)] // the commands follow
mod words;

pub use exit_code::ExitCode;
pub use failure::Failure;
pub use surroundings::Surroundings;

use clap::Parser;

use crate::args::{Args, Command};

/// Runs one command line.
pub fn run(surroundings: &Surroundings) -> Result<ExitCode, Failure> {
    let args = match Args::try_parse_from(&surroundings.args) {
        Ok(args) => args,
        // A wrong word in an agent's settings must not stop the agent.
        Err(mistake) if mistake.use_stderr() && commands::hook::is_meant(&surroundings.args) => {
            return Ok(commands::hook::misunderstood(surroundings));
        }
        Err(help_or_mistake) => return Failure::of_usage(&help_or_mistake),
    };
    let home = args.home.as_deref();
    // An agent's hook must not fail over its home, and an audit comes before there is one.
    let world = || surroundings.home(home).map(|home| commands::World::new(surroundings, home));
    match args.command.unwrap_or(Command::Run) {
        Command::Run => commands::daemon::run(&world()?),
        Command::Init(args) => commands::init::run(&world()?, &args),
        Command::Adopt(args) => commands::init::adopt(&world()?, &args.file),
        Command::Status(args) => commands::status::run(&world()?, &args),
        Command::Open(args) => commands::open::run(&world()?, &args),
        Command::Log(args) => commands::log::run(&world()?, &args),
        Command::Tick(args) => commands::tick::run(&world()?, args),
        Command::Runs(args) => commands::runs::run(&world()?, args),
        Command::Drop(args) => commands::drop::run(&world()?, &args),
        Command::Inbox(args) => commands::inbox::run(&world()?, args),
        Command::Whoami(args) => commands::worker::whoami(&world()?, &args),
        Command::Scratchpad(args) => commands::worker::scratchpad(&world()?, &args),
        Command::Blackboard(args) => commands::blackboard::run(&world()?, args),
        Command::Pause(args) => commands::pause::pause(&world()?, &args),
        Command::Resume(args) => commands::pause::resume(&world()?, &args),
        Command::Service(args) => commands::service::run(&world()?, &args.command),
        Command::Event(args) => commands::event::run(&world()?, args),
        Command::Import(args) => commands::import::run(&world()?, args),
        Command::Connect(args) => commands::connect::connect(&world()?, &args),
        Command::Disconnect(args) => commands::connect::disconnect(&world()?, &args),
        Command::Hook(args) => Ok(commands::hook::run(surroundings, home, &args)),
        Command::Spine(args) => commands::spine::run(&world()?, args),
        Command::Audit(args) => commands::audit::run(surroundings, home, &args),
        Command::Check(args) => commands::check::run(&world()?, &args),
        Command::Loop(args) => commands::loops::run(surroundings, home, &args.command),
        Command::Demo(args) => commands::demo::run(&world()?, &args),
        Command::Why(args) => commands::why::run(&world()?, &args),
        Command::Recall(args) => commands::recall::run(&world()?, &args),
        Command::Remember(args) => commands::remember::run(&world()?, &args),
        Command::Metrics => commands::metrics::run(&world()?),
        Command::Mcp => commands::mcp::run(&world()?),
        Command::Rule(args) => commands::rule::run(&world()?, &args.command),
        Command::Review(args) => commands::review::run(&world()?, &args),
        Command::History(args) => commands::history::run(&world()?, &args),
        Command::Revert(args) => commands::history::revert(&world()?, &args),
        Command::Forget(args) => commands::forget::run(&world()?, &args),
        Command::Doctor(args) => commands::doctor::run(&world()?, &args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Complete(args) => commands::complete::run(surroundings, home, &args),
        Command::Man(args) => commands::completions::man(&args),
    }
}
