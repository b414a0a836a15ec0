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
mod words;

pub use exit_code::ExitCode;
pub use failure::Failure;
pub use surroundings::Surroundings;

use clap::{CommandFactory as _, Parser};

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
    let is_named = home.is_some() || surroundings.subcortex_home.is_some();
    let command = match args.command {
        Some(command) => command,
        None if is_named => Command::Run,
        // Whoever wants to know what this is does not want a daemon.
        None => {
            // Whoever closed the pipe does not want to read it.
            drop(Args::command().print_help());
            return Ok(ExitCode::Done);
        }
    };
    // An agent's hook must not fail over its home, and an audit comes before there is one.
    let world = || surroundings.home(home).map(|home| commands::World::new(surroundings, home));
    // `init` and `run` make a home; for everything else one that is not there is a mistake in the path.
    let at_home = || {
        let world = world()?;
        world.expect_home()?;
        Ok::<_, Failure>(world)
    };
    match command {
        Command::Run => commands::daemon::run(&world()?),
        Command::Init(args) => commands::init::run(&world()?, &args),
        Command::Adopt(args) => commands::adopt::run(&at_home()?, &args),
        Command::Status(args) => commands::status::run(&at_home()?, &args),
        Command::Open(args) => commands::open::run(&at_home()?, &args),
        Command::Log(args) => commands::log::run(&at_home()?, &args),
        Command::Tick(args) => commands::tick::run(&at_home()?, &args),
        Command::Runs(args) => commands::runs::run(&at_home()?, &args),
        Command::Drop(args) => commands::drop::run(&at_home()?, &args),
        Command::Inbox(args) => commands::inbox::run(&at_home()?, &args),
        Command::Whoami(args) => commands::worker::whoami(&at_home()?, &args),
        Command::Scratchpad(args) => commands::worker::scratchpad(&at_home()?, &args),
        Command::Blackboard(args) => commands::blackboard::run(&at_home()?, &args),
        Command::Pause(args) => commands::pause::pause(&at_home()?, &args),
        Command::Resume(args) => commands::pause::resume(&at_home()?, &args),
        Command::Service(args) => commands::service::run(&world()?, &args),
        Command::Event(args) => commands::event::run(&at_home()?, &args),
        Command::Import(args) => commands::import::run(&world()?, &args),
        Command::Connect(args) => commands::connect::connect(&at_home()?, &args),
        Command::Disconnect(args) => commands::connect::disconnect(&world()?, &args),
        Command::Hook(args) => Ok(commands::hook::run(surroundings, home, &args)),
        Command::Spine(args) => commands::spine::run(&at_home()?, &args),
        Command::Audit(args) => commands::audit::run(surroundings, home, &args),
        Command::Check(args) => commands::check::run(&world()?, &args),
        Command::Loop(args) => commands::loops::run(surroundings, home, &args),
        Command::Demo(args) => commands::demo::run(&world()?, &args),
        Command::Why(args) => commands::why::run(&at_home()?, &args),
        Command::Recall(args) => commands::recall::run(&at_home()?, &args),
        Command::Remember(args) => commands::remember::run(&at_home()?, &args),
        Command::Metrics => commands::metrics::run(&at_home()?),
        Command::Mcp => commands::mcp::run(&at_home()?),
        Command::Rule(args) => commands::rule::run(&at_home()?, &args),
        Command::Review(args) => commands::review::run(&at_home()?, &args),
        Command::History(args) => commands::history::run(&at_home()?, &args),
        Command::Revert(args) => commands::history::revert(&at_home()?, &args),
        Command::Forget(args) => commands::forget::run(&at_home()?, &args),
        Command::Doctor(args) => commands::doctor::run(&world()?, &args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Complete(args) => commands::complete::run(surroundings, home, &args),
        Command::Man(args) => commands::completions::man(&args),
    }
}
