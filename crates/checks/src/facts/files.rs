//! Files written in a turn, by a tool or by the shell, and what was added to them.

use serde_json::Value;

use super::Simple;

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

/// The path as the project sees it.
pub(crate) fn relative(path: &str, cwd: Option<&str>) -> String {
    let cut = cwd
        .and_then(|cwd| path.strip_prefix(cwd.trim_end_matches('/')))
        .map(|rest| rest.trim_start_matches('/'));
    cut.unwrap_or(path).trim_start_matches("./").to_owned()
}

/// Whether a path lies in a place for throw-away files or the agent's own plans: no part of the project.
pub(crate) fn is_scratch(path: &str) -> bool {
    ["/tmp/", "/private/tmp/", "/var/folders/", "/dev/"].iter().any(|place| path.starts_with(place))
        || path.contains("/.claude/plans/")
        || path.contains("/.claude/projects/")
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
    collect_new_lines(&mut written.added, old, new);
    collect_new_lines(&mut written.removed, new, old);
    written.edited.push_str(new);
    written.edited.push('\n');
}

fn collect_new_lines(into: &mut String, before: &str, after: &str) {
    let known: std::collections::HashSet<&str> = before.lines().map(str::trim).collect();
    for line in after.lines().filter(|line| !line.trim().is_empty() && !known.contains(line.trim())) {
        into.push_str(line);
        into.push('\n');
    }
}

/// What a shell command changed.
pub(crate) fn by_shell(simple: &Simple, cwd: Option<&str>) -> Vec<Written> {
    let mut found: Vec<Written> = Vec::new();
    let place = |path: &str| match &simple.dir {
        Some(dir) if !path.starts_with('/') => {
            relative(&format!("{}/{path}", dir.trim_end_matches('/')), cwd)
        }
        _ => relative(path, cwd),
    };
    for path in
        simple.redirects.iter().filter(|path| !path.starts_with("/dev/") && !path.starts_with("/tmp/"))
    {
        let mut written = Written::new(place(path), WrittenBy::Shell);
        written.added = simple.heredoc.clone().unwrap_or_default();
        written.whole = true;
        found.push(written);
    }
    let words: Vec<&str> = simple.words.iter().map(String::as_str).collect();
    let words = if words.first() == Some(&"git") { words.get(1..).unwrap_or(&[]) } else { &words };
    let operands: Vec<&str> = words.iter().skip(1).copied().filter(|word| !word.starts_with('-')).collect();
    match words.first().copied() {
        Some("mv" | "cp") => {
            if let Some((target, sources)) = operands.split_last() {
                for source in sources {
                    let name = source.rsplit('/').next().unwrap_or(source);
                    let into_dir = target.ends_with('/')
                        || sources.len() > 1
                        || !target.rsplit('/').next().unwrap_or("").contains('.');
                    let path = if into_dir {
                        format!("{}/{name}", target.trim_end_matches('/'))
                    } else {
                        (*target).to_owned()
                    };
                    let mut written = Written::new(place(&path), WrittenBy::Shell);
                    written.moved_from = (words.first() == Some(&"mv")).then(|| place(source));
                    found.push(written);
                }
            }
        }
        Some("rm") => {
            for path in operands {
                let mut written = Written::new(place(path), WrittenBy::Shell);
                written.deleted = true;
                found.push(written);
            }
        }
        Some("sed" | "perl") if words.iter().any(|word| word.starts_with("-i") || *word == "-pi") => {
            if let Some(path) = operands.last() {
                let mut written = Written::new(place(path), WrittenBy::Shell);
                written.added = operands.first().map(|script| (*script).to_owned()).unwrap_or_default();
                found.push(written);
            }
        }
        Some("tee" | "touch") => {
            found.extend(operands.iter().map(|path| Written::new(place(path), WrittenBy::Shell)))
        }
        _ => {}
    }
    found
}
