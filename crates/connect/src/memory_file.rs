//! The line by which an agent's own memory file takes in the broadcast.

use std::path::Path;

use crate::ConnectError;
use crate::edit::Insertion;
use crate::style::line_end;

/// The line: `@` and the path, in which a blank would end it.
pub(crate) fn line(broadcast: &Path) -> Result<String, ConnectError> {
    let path = broadcast.to_str().filter(|path| !path.contains(['\n', '\r', '\t', '\\']));
    let path = path.ok_or_else(|| ConnectError::OddPath(broadcast.to_owned()))?;
    Ok(format!("@{}", path.replace(' ', "\\ ")))
}

/// Whether a file has the line.
pub(crate) fn has(text: &str, line: &str) -> bool {
    text.lines().any(|found| found.trim() == line)
}

/// What has to go into a file so that it has the line.
pub(crate) fn add(text: &str, line: &str) -> Insertion {
    let eol = line_end(text);
    let before = match text {
        "" | "\u{feff}" => String::new(),
        text if text.ends_with('\n') => eol.to_owned(),
        _ => format!("{eol}{eol}"),
    };
    Insertion { at: text.len(), text: format!("{before}{line}{eol}") }
}

/// A file without the line, whatever was done to it since.
pub(crate) fn remove(text: &str, line: &str) -> String {
    text.split_inclusive('\n').filter(|found| found.trim() != line).collect()
}
