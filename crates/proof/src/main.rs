//! `subcortex-proof [TURNS [FIRST..LAST]]` lives every policy with each seed and prints the report;
//! `subcortex-proof TURNS SEED` tells every edit of one life with subcortex;
//! `subcortex-proof each` says every correction once and tells how it was understood.

#![allow(clippy::print_stdout, clippy::print_stderr)] // A tool for a terminal.

use std::process::ExitCode;

use subcortex_proof::{Life, Policy, ProofError, each, hearing_report, live, report};

const DEFAULT_TURNS: usize = 10_000;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == "each").is_some() {
        return print(each().map(|hearing| hearing_report(&hearing)));
    }
    let turns = arguments.next().map_or(Some(DEFAULT_TURNS), |turns| turns.parse().ok());
    let seeds = arguments.next().unwrap_or_else(|| "1..6".into());
    let range =
        seeds.split_once("..").and_then(|(first, last)| Some((first.parse().ok()?, last.parse().ok()?)));
    let outcome = match (turns, range, seeds.parse()) {
        (Some(turns), Some((first, last)), _) => many(turns, first, last),
        (Some(turns), None, Ok(seed)) => one(turns, seed),
        _ => {
            eprintln!("usage: subcortex-proof [TURNS [SEED | FIRST..LAST]], or subcortex-proof each");
            return ExitCode::from(2);
        }
    };
    print(outcome)
}

fn print(outcome: Result<String, ProofError>) -> ExitCode {
    match outcome {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn many(turns: usize, first: u64, last: u64) -> Result<String, ProofError> {
    let mut lives = Vec::new();
    for policy in Policy::ALL {
        let outcomes = std::thread::scope(|scope| {
            let lives: Vec<_> =
                (first..last).map(|seed| scope.spawn(move || live(Life { seed, turns, policy }))).collect();
            lives.into_iter().filter_map(|life| life.join().ok()).collect::<Result<Vec<_>, _>>()
        })?;
        eprintln!("{}: {} lives", policy.name(), outcomes.len());
        lives.push((policy, outcomes));
    }
    Ok(report(turns, &lives))
}

fn one(turns: usize, seed: u64) -> Result<String, ProofError> {
    let outcome = live(Life { seed, turns, policy: Policy::Subcortex })?;
    let edits = outcome.edits.join("\n");
    let broadcast = outcome.broadcast.clone();
    let misheard = outcome
        .hearing
        .misheard
        .iter()
        .map(|((words, stood, taken), count)| format!("{words}\t{stood:?}\t{taken:?}\t{count}"));
    let misheard = misheard.collect::<Vec<_>>().join("\n");
    let report = report(turns, &[(Policy::Subcortex, vec![outcome])]);
    Ok(format!("{edits}\n\n{broadcast}\n{misheard}\n\n{report}"))
}
