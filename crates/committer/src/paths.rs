//! Which files of the memory are under git, and how two versions of one come together.

/// What belongs to this home alone: positions, open questions, what is being written.
pub(crate) const NOT_SHARED: [&str; 5] = ["/state/", "/proposals/", "/journal.pending.json", ".*.tmp", ".*"];
/// Single files that are shared.
const FILES: [&str; 3] = ["CLAUDE.md", "priority.md", "journal.jsonl"];
/// Folders whose files are shared.
const FOLDERS: [&str; 5] = ["checks/", "fragments/", "entities/", "topics/", "effectiveness/"];

/// How the names of files end.
const FILE_ENDINGS: [&str; 3] = [".md", ".yaml", ".jsonl"];

/// Whether a path below `memory/` is one of those that are committed.
pub(crate) fn is_shared(path: &str) -> bool {
    let hidden = path.split('/').any(|name| name.starts_with('.') || name.ends_with(".tmp"));
    // A folder in the place of a file would be in the way of everybody who writes that file.
    let is_file = |name: &str| FILE_ENDINGS.iter().any(|ending| name.ends_with(ending));
    let is_in_file = path.rsplit_once('/').is_some_and(|(folders, _)| folders.split('/').any(is_file));
    !hidden && !is_in_file && (FILES.contains(&path) || FOLDERS.iter().any(|folder| path.starts_with(folder)))
}

/// Whether a file only holds evidence and what follows from it: worth keeping, not worth a commit of its own each time.
pub(crate) fn is_evidence(path: &str) -> bool {
    ["fragments/", "effectiveness/", "checks/"].iter().any(|folder| path.starts_with(folder))
}

/// How two versions of a file come together that both changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Together {
    /// Line by line.
    Lines,
    /// The one that is on the remote: it was made by code, and code makes it anew.
    Theirs,
}

pub(crate) fn together(path: &str) -> Together {
    if is_evidence(path) { Together::Theirs } else { Together::Lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_has_the_name_of_a_file_is_not_shared() {
        for path in ["CLAUDE.md", "topics/a.md", "fragments/2026-01-01/a.md", "checks/a.yaml"] {
            assert!(is_shared(path), "{path}");
            assert!(!is_shared(&format!("{path}/x.md")), "{path}");
        }
    }
}
