//! The `subcortex` binary: looks around once, then hands over to the library.

use std::process::ExitCode;

use subcortex_cli::{Surroundings, run};

fn main() -> ExitCode {
    match run(&Surroundings::from_process()) {
        Ok(code) => code.into(),
        Err(failure) => failure.report(&mut std::io::stderr()).into(),
    }
}
