//! Files written in a turn, by a tool or by the shell, and what was added to them.

use serde_json::Value;
use std::borrow::Cow;

use super::diff;

/// Who wrote a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenBy {
    /// An editing tool of the agent.
    Tool,
    /// A shell command: a redirection, `sed -i`, `mv`, `cp`, `tee`.
    Shell,
}

/// One change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Path relative to the project where that is known.
    pub path: String,
    /// Lines that were not there before (for a new file: all of it).
    pub added: String,
    /// Lines that are no longer there.
    pub removed: String,
    /// What stands there after an edit, with the lines around it that the edit names; empty for a whole file.
    pub edited: String,
    /// Whether the whole file was written at once.
    pub whole: bool,
    /// Whether the file was not there before.
    pub new: bool,
    /// Whether the file was moved here from another place, and from where.
    pub moved_from: Option<String>,
    /// Whether the file was deleted.
    pub deleted: bool,
    /// Who did it.
    pub by: WrittenBy,
}

impl Written {
    pub(super) fn new(path: String, by: WrittenBy) -> Self {
        Self {
            path,
            added: String::new(),
            removed: String::new(),
            edited: String::new(),
            whole: false,
            new: false,
            moved_from: None,
            deleted: false,
            by,
        }
    }

    /// What stands there after the change, as far as the change shows it.
    pub fn after(&self) -> &str {
        if self.edited.is_empty() { &self.added } else { &self.edited }
    }
}

/// The path as the project sees it, with slashes as globs have them.
pub(crate) fn relative(path: &str, cwd: Option<&str>) -> String {
    let (path, cwd) = (slashed(path), cwd.map(slashed));
    let cut = cwd
        .as_deref()
        .and_then(|cwd| path.strip_prefix(cwd.trim_end_matches('/')))
        .map(|rest| rest.trim_start_matches('/'));
    cut.unwrap_or(&path).trim_start_matches("./").to_owned()
}

/// A path of Windows (`D:\x\src`) with slashes; every other one as it is.
fn slashed(path: &str) -> Cow<'_, str> {
    let is_windows = matches!(path.as_bytes(), [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic());
    if is_windows { Cow::Owned(path.replace('\\', "/")) } else { Cow::Borrowed(path) }
}

/// Whether the answer of a tool says that the file had been there.
pub(super) fn was_there(answer: &str) -> bool {
    answer.contains("has been updated")
        || answer.contains("updated successfully")
        || answer.contains("overwr")
}

/// Places for throw-away files.
const SCRATCH: [&str; 4] = ["/tmp", "/private/tmp", "/var/folders", "/dev"];

/// Whether a path lies in a place for throw-away files or the agent's own plans: no part of the project.
pub(crate) fn is_scratch(path: &str) -> bool {
    SCRATCH.iter().any(|place| path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/')))
        || path.contains("/.claude/plans/")
        || path.contains("/.claude/projects/")
}

/// Whether a directory is one for throw-away work.
pub(super) fn is_scratch_dir(dir: &str) -> bool {
    is_scratch(dir)
        || SCRATCH.contains(&dir)
        || dir.ends_with("/.claude/plans")
        || dir.ends_with("/.claude/projects")
        || dir.contains("mktemp")
        || dir.starts_with("$TMP")
        || dir.starts_with("${TMP")
}

/// What an editing tool changed; empty for tools that change no file.
pub(crate) fn by_tool(tool: &str, input: &Value, cwd: Option<&str>) -> Vec<Written> {
    if !matches!(
        tool,
        "Edit"
            | "Write"
            | "MultiEdit"
            | "NotebookEdit"
            | "Update"
            | "str_replace_based_edit_tool"
            | "create_file"
            | "apply_patch"
            | "write_file"
            | "edit_file"
    ) {
        return Vec::new();
    }
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let Some(path) = text("file_path").or_else(|| text("notebook_path")).or_else(|| text("path")) else {
        return Vec::new();
    };
    let mut written = Written::new(relative(path, cwd), WrittenBy::Tool);
    if let Some(content) = text("content").or_else(|| text("file_text")) {
        content.clone_into(&mut written.added);
        written.whole = true;
    }
    if let Some(new) = text("new_string").or_else(|| text("new_str")).or_else(|| text("new_source")) {
        let old = text("old_string").or_else(|| text("old_str")).unwrap_or("");
        add_difference(&mut written, old, new);
    }
    for edit in input.get("edits").and_then(Value::as_array).into_iter().flatten() {
        let part = |key: &str| edit.get(key).and_then(Value::as_str).unwrap_or("");
        add_difference(&mut written, part("old_string"), part("new_string"));
    }
    vec![written]
}

fn add_difference(written: &mut Written, old: &str, new: &str) {
    let (added, removed) = diff::lines(old, new);
    for (into, lines) in [(&mut written.added, added), (&mut written.removed, removed)] {
        for line in lines {
            into.push_str(line);
            into.push('\n');
        }
    }
    written.edited.push_str(new);
    written.edited.push('\n');
}
