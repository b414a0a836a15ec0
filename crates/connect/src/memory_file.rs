//! The line by which an agent's own memory file takes in the broadcast.

use std::path::Path;

use crate::ConnectError;
use crate::edit::Insertion;
use crate::style::line_end;

/// What stands between the path and the sentence behind it.
const BEHIND: &str = " (where it says [[topic-x]]";

/// The line: `@` and the path, in which a blank would end it, and where the pointers of the broadcast lead.
pub(crate) fn line(broadcast: &Path) -> Result<String, ConnectError> {
    let path = broadcast.to_str().filter(|path| !path.contains(['\n', '\r', '\t', '\\']));
    let path = path.ok_or_else(|| ConnectError::OddPath(broadcast.to_owned()))?;
    let folder = broadcast.parent().and_then(Path::to_str).unwrap_or_default();
    Ok(format!(
        "@{}{BEHIND} or [[entity-x]], open {folder}/topics/x.md or {folder}/entities/x.md when that rule applies)",
        path.replace(' ', "\\ ")
    ))
}

/// Whether a file has the line.
pub(crate) fn has(text: &str, line: &str) -> bool {
    text.lines().any(|found| is_it(found, line))
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
    text.split_inclusive('\n').filter(|found| !is_it(found, line)).collect()
}

/// The import is what counts; lines of earlier versions, and of people, have no sentence or another one.
fn is_it(found: &str, line: &str) -> bool {
    let import = line.split_once(BEHIND).map_or(line, |(import, _)| import);
    found.trim().strip_prefix(import).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}
