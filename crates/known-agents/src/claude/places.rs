//! How the folders and files of sessions are called.
//!
//! Below `projects` each working directory has a folder of its own, called like the directory with everything but ASCII
//! letters and digits as `-`. The name does not decide alone: `/p/web-two` and `/p/web/two` are called the same.

use std::path::Path;

/// Longer names are cut here, with a hash behind.
const MAX_NAME_BYTES: usize = 200;

/// Whether a folder of this name may hold sessions in the directory or below it.
pub(super) fn may_hold(folder_name: &str, directory: &Path) -> bool {
    let wanted = encoded(directory);
    match wanted.get(..MAX_NAME_BYTES) {
        Some(cut) => folder_name.starts_with(cut),
        None => {
            folder_name.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
    }
}

/// Subagents' files lie in a folder of their own.
pub(super) fn is_subagents(file: &Path) -> bool {
    file.parent().and_then(Path::file_name).is_some_and(|folder| folder == "subagents")
}

/// The name that Claude Code gives the folder of a project.
fn encoded(folder: &Path) -> String {
    let mut name = String::new();
    for c in folder.to_string_lossy().chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else {
            // It counts in UTF-16.
            name.extend(std::iter::repeat_n('-', c.len_utf16()));
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_folder_is_made_as_the_agent_makes_it() {
        assert_eq!(encoded(Path::new("/home/dev/my_app.v2")), "-home-dev-my-app-v2");
        assert_eq!(encoded(Path::new("/ä/🦀x")), "-----x");
        let web = Path::new("/p/web");
        assert!(may_hold("-p-web", web) && may_hold("-p-web-api", web) && !may_hold("-p-website", web));
        let long = "x".repeat(300);
        let cut = format!("{}-1a2b", &long[..200]);
        assert!(may_hold(&cut, Path::new(&long)) && !may_hold(&long[..150], Path::new(&long)));
    }
}
