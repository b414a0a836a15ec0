//! The `subcortex` binary: looks around once, then hands over to the library.

use std::process::ExitCode;

use subcortex_cli::{Surroundings, run};

fn main() -> ExitCode {
    let surroundings = Surroundings::from_process();
    match run(&surroundings) {
        Ok(code) => code.into(),
        Err(failure) => failure.report(&mut std::io::stderr(), surroundings.colours_on_stderr()).into(),
    }
}
