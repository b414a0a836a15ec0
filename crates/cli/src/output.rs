//! Answers on standard output: text for people, JSON for programs.

use std::io::{self, BufWriter, Write};

use serde::Serialize;
use subcortex_guard::escape_for_display;

use crate::failure::Failure;
use crate::looks::for_stderr;

/// Writes to standard output, all at once. A reader that has gone away is no failure.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    ignore_closed_pipe(io::stdout().lock().write_all(text.as_bytes()))
}

/// Writes one JSON document, while it is made: a report may be as large as all that it was made from.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut output = BufWriter::new(io::stdout().lock());
    let made = serde_json::to_writer_pretty(&mut output, value).map_err(io::Error::from);
    ignore_closed_pipe(made.and_then(|()| output.write_all(b"\n")).and_then(|()| output.flush()))
}

/// Writes an answer that holds other people's words or names: nothing of them reaches the terminal as a command.
pub(crate) fn print_foreign(text: &str) -> Result<(), Failure> {
    print(&inert(text))
}

/// Writes to standard error what is not part of the answer. Most notes name a file or quote somebody.
pub(crate) fn note(text: &str) {
    // Nothing can be done when the terminal is gone.
    drop(io::stderr().lock().write_all(for_stderr(&format!("{}\n", inert(text))).as_bytes()));
}

/// A text whose control characters are shown, but for those that divide lines and columns.
fn inert(text: &str) -> String {
    text.split_inclusive(['\n', '\t'])
        .map(|part| {
            let words = part.trim_end_matches(['\n', '\t']);
            format!("{}{}", escape_for_display(words), &part[words.len()..])
        })
        .collect()
}

/// Whether the reader of a pipe has gone away: `subcortex spine cat | head` is a success.
pub(crate) fn ignore_closed_pipe(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(Failure::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_divides_lines_and_columns_stays_as_it_is() {
        assert_eq!(
            inert("a\tb\n\u{1b}]0;x\u{7}\u{1b}[2J\r\nc\n"),
            "a\tb\n\\u{1b}]0;x\\u{7}\\u{1b}[2J\\r\nc\n"
        );
        assert_eq!(inert(""), "");
    }
}
