//! `subcortex completions SHELL`.

use clap::CommandFactory;

use crate::args::{Args, Completions};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::print;

pub(crate) fn run(args: &Completions) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "subcortex", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::Done)
}
