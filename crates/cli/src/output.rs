//! Answers on standard output: text for people, JSON for programs.

use std::io::{self, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Writes to standard output, all at once. A reader that has gone away is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    ignore_closed_pipe(io::stdout().lock().write_all(text.as_bytes()))
}

/// Writes one JSON document.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    print(&text)
}

/// Writes to standard error what is not part of the answer.
pub(crate) fn note(text: &str) {
    // Nothing can be done when the terminal is gone.
    drop(writeln!(io::stderr().lock(), "{text}"));
}

/// Whether the reader of a pipe has gone away: `subcortex spine cat | head` is a success.
pub(crate) fn ignore_closed_pipe(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(Failure::from),
    }
}
