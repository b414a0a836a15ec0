//! Patches in the form that the agent writes them, one change a file.
//!
//! ```text
//! *** Begin Patch
//! *** Add File: path        followed by lines with `+`
//! *** Update File: path     perhaps `*** Move to: path`, then hunks of ` `, `-` and `+` lines behind `@@`
//! *** Delete File: path
//! *** End Patch
//! ```

use std::path::Path;

use serde_json::{Map, Value};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// What a patch does to one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileChange {
    operation: &'static str,
    path: String,
    moved_to: Option<String>,
    old: String,
    new: String,
}

/// The changes of the patch somewhere in `text`, in order.
pub(super) fn changes(text: &str) -> Vec<FileChange> {
    let Some((_, body)) = text.split_once(BEGIN) else { return Vec::new() };
    let body = body.split_once(END).map_or(body, |(body, _)| body);
    let mut changes: Vec<FileChange> = Vec::new();
    for line in body.lines() {
        if let Some(change) = header(line) {
            changes.push(change);
        } else if let Some(change) = changes.last_mut() {
            change.take(line);
        }
    }
    changes
}

fn header(line: &str) -> Option<FileChange> {
    let rest = line.strip_prefix("*** ")?;
    let (operation, path) = [("add", "Add File: "), ("update", "Update File: "), ("delete", "Delete File: ")]
        .into_iter()
        .find_map(|(operation, mark)| Some((operation, rest.strip_prefix(mark)?)))?;
    Some(FileChange { operation, path: path.trim().to_owned(), ..FileChange::default() })
}

impl FileChange {
    /// Takes one line of the body.
    fn take(&mut self, line: &str) {
        let push = |text: &mut String, line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        if let Some(path) = line.strip_prefix("*** Move to: ") {
            self.moved_to = Some(path.trim().to_owned());
        } else if let Some(added) = line.strip_prefix('+') {
            push(&mut self.new, added);
        } else if let Some(removed) = line.strip_prefix('-') {
            push(&mut self.old, removed);
        } else if let Some(kept) = line.strip_prefix(' ') {
            push(&mut self.old, kept);
            push(&mut self.new, kept);
        }
    }

    /// The change as the input of a tool that edits one file.
    pub(super) fn into_input(self, cwd: Option<&str>) -> Map<String, Value> {
        let mut input = Map::new();
        input.insert("operation".to_owned(), self.operation.into());
        input.insert("file_path".to_owned(), absolute(&self.path, cwd).into());
        if let Some(moved_to) = &self.moved_to {
            input.insert("moved_to".to_owned(), absolute(moved_to, cwd).into());
        }
        match self.operation {
            "add" => drop(input.insert("content".to_owned(), self.new.into())),
            "update" => {
                input.insert("old_string".to_owned(), self.old.into());
                input.insert("new_string".to_owned(), self.new.into());
            }
            _ => {}
        }
        input
    }
}

/// Patches name files relative to the directory they are applied in.
fn absolute(path: &str, cwd: Option<&str>) -> String {
    cwd.and_then(|cwd| Path::new(cwd).join(path).to_str().map(str::to_owned))
        .unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_patch_gives_one_change_a_file() {
        let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: new.rs\n+fn a() {}\n+\n*** Update File: src/b.rs\n\
            *** Move to: src/c.rs\n@@ fn b\n fn b() {\n-    1\n+    2\n }\n*** Delete File: /abs/old.rs\n*** End Patch\nEOF";
        let inputs: Vec<_> =
            changes(patch).into_iter().map(|change| Value::Object(change.into_input(Some("/p")))).collect();
        assert_eq!(
            inputs,
            [
                json!({"operation": "add", "file_path": "/p/new.rs", "content": "fn a() {}\n\n"}),
                json!({"operation": "update", "file_path": "/p/src/b.rs", "moved_to": "/p/src/c.rs",
                    "old_string": "fn b() {\n    1\n}\n", "new_string": "fn b() {\n    2\n}\n"}),
                json!({"operation": "delete", "file_path": "/abs/old.rs"}),
            ]
        );
    }

    #[test]
    fn a_text_without_a_patch_has_no_changes() {
        assert_eq!(changes("*** Add File: x\n+y"), []);
        assert_eq!(changes(""), []);
    }
}
