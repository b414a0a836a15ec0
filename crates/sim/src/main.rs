//! `cargo run -p subcortex-sim -- SEED` tells one life in full; `-- FIRST..LAST` lives many.

#![allow(clippy::print_stdout)] // A tool for a terminal.

use std::process::ExitCode;

use subcortex_sim::{simulate_all, trace};

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if let Some((first, last)) = argument.split_once("..")
        && let (Ok(first), Ok(last)) = (first.parse(), last.parse())
    {
        return many(first, last);
    }
    match argument.parse() {
        Ok(seed) => one(seed),
        Err(_) => {
            println!("usage: subcortex-sim SEED | FIRST..LAST");
            ExitCode::from(2)
        }
    }
}

fn one(seed: u64) -> ExitCode {
    let (outcome, lines) = trace(seed);
    for line in lines {
        println!("{line}");
    }
    match outcome {
        Ok(summary) => {
            println!("seed {seed}: {summary}");
            ExitCode::SUCCESS
        }
        Err(what) => {
            println!("seed {seed}: {what}");
            ExitCode::FAILURE
        }
    }
}

fn many(first: u64, last: u64) -> ExitCode {
    match simulate_all(first..last) {
        Ok(summary) => {
            println!("{} seeds: {summary}", last.saturating_sub(first));
            ExitCode::SUCCESS
        }
        Err(failure) => {
            println!("{failure}");
            ExitCode::FAILURE
        }
    }
}
