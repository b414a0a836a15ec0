//! Development commands: `cargo xtask test` and its siblings.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a tool for a developer's terminal: it talks to it, reads the environment and writes below target/"
)]

mod bench;
mod cargo;
mod deb;
mod eval;
#[cfg(test)]
mod layers;
mod prove;
mod schema;
mod setup;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Development commands of subcortex.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Xtask {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Installs what is missing, then checks format and lints, runs all tests and builds the documentation.
    Test(test::Args),
    /// Writes docs/config.schema.json from the types of the settings.
    Schema,
    /// Scores the understanding of memory lines on labelled transcripts.
    Eval(eval::Args),
    /// Lives a simulated world with and without memory and writes docs/LOOP.md.
    Prove(prove::Args),
    /// Makes a Debian package of the program.
    Deb(deb::Args),
    /// Measures speed side by side with other tools and writes docs/BENCHMARKS.md.
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let outcome = match Xtask::parse().command {
        Command::Test(args) => test::run(&args),
        Command::Schema => schema::run(),
        Command::Eval(args) => eval::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Deb(args) => deb::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
