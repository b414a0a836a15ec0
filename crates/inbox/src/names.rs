//! Which names in an inbox are tasks.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use subcortex_guard::{check_basename, escape_for_display};

use crate::InboxError;

/// How much of a name a message shows, in characters.
const SHOWN_MAX_CHARS: usize = 80;

/// Whether a name belongs to a file that is still being written, or is hidden on purpose.
pub fn is_ignored(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b".") || name.as_bytes().ends_with(b".tmp")
}

/// Lets a name through under which a task can be seen.
pub(crate) fn check(name: &str) -> Result<&str, InboxError> {
    let name = check_basename(name)?;
    if is_ignored(OsStr::new(name)) {
        return Err(InboxError::Ignored { shown: shown(OsStr::new(name)) });
    }
    Ok(name)
}

/// A name for a message: short, on one line, and unable to pass for something else.
pub(crate) fn shown(name: &OsStr) -> String {
    let text = name.to_string_lossy();
    let start: String = text.chars().take(SHOWN_MAX_CHARS).collect();
    let cut = if start.len() < text.len() { "…" } else { "" };
    format!("{}{cut}", escape_for_display(&start))
}
