//! Answers that are too long for a record: Claude Code writes them into files of their own, and the record names the file.
//!
//! ```text
//! projects/<directory>/<session>.jsonl
//! projects/<directory>/<session>/tool-results/<name>      what the record names, also that of a subagent
//! ```
//!
//! Bash has a field for the path; of other tools only the text of the answer names it. It makes no difference: a file is looked at only below
//! the session's own folder, and only so that its words are known as somebody else's.

use std::path::{Path, PathBuf};

use memchr::memmem;

use super::places::{SUBAGENTS, TOOL_RESULTS};
use crate::agent::Spilled;

/// How a field names the file, and how a text begins that stands for one.
const MARKS: [&[u8]; 2] = [b"\"persistedOutputPath\":\"", b"\"<persisted-output>"];
/// The longest name of a file, in bytes.
const MAX_NAME_BYTES: usize = 128;

/// The files beside a session file that a line of it names.
pub(super) fn named_in(session_file: &Path, line: &[u8]) -> Spilled {
    let mut spilled = Spilled::default();
    let is_marked = || MARKS.iter().any(|mark| memmem::find(line, mark).is_some());
    let folder = own_folder(session_file);
    for at in memmem::find_iter(line, TOOL_RESULTS) {
        let above = line[..at].strip_suffix(b"/").unwrap_or_default();
        let is_own = folder.as_deref().and_then(Path::file_name).is_some_and(|own| {
            above.strip_suffix(own.as_encoded_bytes()).is_some_and(|above| above.ends_with(b"/"))
        });
        let name = line[at + TOOL_RESULTS.len()..].strip_prefix(b"/").map(file_name);
        let path = folder.as_deref().zip(name.flatten()).filter(|_| is_own);
        spilled.files.extend(path.map(|(folder, name)| folder.join(TOOL_RESULTS).join(name)));
    }
    spilled.is_hidden = spilled.files.is_empty() && is_marked();
    spilled
}

/// The folder of a session, also for the file of one of its subagents.
fn own_folder(session_file: &Path) -> Option<PathBuf> {
    let subagents =
        session_file.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == SUBAGENTS));
    match subagents {
        Some(folder) => folder.parent().map(Path::to_owned),
        None => {
            let name = session_file.file_name()?.to_str()?;
            let name = name.strip_suffix(".zst").unwrap_or(name).strip_suffix(".jsonl")?;
            Some(session_file.with_file_name(name))
        }
    }
}

/// The name of a file that stands in front of these bytes.
fn file_name(bytes: &[u8]) -> Option<&str> {
    let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let len = bytes.iter().take(MAX_NAME_BYTES).take_while(is_plain).count();
    // A sentence may end behind it.
    let name = std::str::from_utf8(&bytes[..len]).ok()?.trim_end_matches('.');
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_sessions_own_folder_are_named() {
        let named = |file: &str, line: &str| {
            let spilled = named_in(Path::new(file), line.as_bytes());
            let files = spilled.files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
            (files.join(" "), spilled.is_hidden)
        };
        let own = "/c/projects/-p/s/tool-results/b1.txt";
        for file in [
            "/c/projects/-p/s.jsonl",
            "/c/projects/-p/s.jsonl.zst",
            "/c/projects/-p/s/subagents/agent-a.jsonl",
        ] {
            assert_eq!(named(file, &format!("saved to {own}.\\n")), (own.to_owned(), false), "{file}");
        }
        let file = "/c/projects/-p/s.jsonl";
        assert_eq!(named(file, "see /x/tool-results/a.xml"), (String::new(), false));
        for path in [
            "/c/projects/-p/other/tool-results/b1.txt",
            "/c/projects/-p/xs/tool-results/b1.txt",
            "/c/projects/-p/s/tool-results/../../x",
            "/tmp/x.txt",
        ] {
            let line = format!("{{\"toolUseResult\":{{\"persistedOutputPath\":\"{path}\"}}}}");
            assert_eq!(named(file, &line), (String::new(), true), "{path}");
        }
    }
}
