//! Rules files that a person names: read, or told with the name that may have been meant.

use std::path::Path;

use subcortex_home::{AdoptError, adoptable};
use subcortex_store::{Disk, durable};
use subcortex_yaml::nearest;

use crate::failure::Failure;

/// The longest rules file that is read, in bytes.
const MAX_RULES_BYTES: u64 = 4 * 1024 * 1024;
/// The names that rules files have, most used first.
const USUAL_NAMES: [&str; 6] = [
    "CLAUDE.md",
    "AGENTS.md",
    ".cursorrules",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
];
/// How many files of a folder are looked at for a name that was mistyped.
const MAX_NEIGHBOURS: usize = 1_000;

/// Reads a rules file that a person named: a regular file, or a link to one, and no more of it than a rules file can have.
pub(crate) fn read_rules(disk: &dyn Disk, path: &Path) -> Result<String, Failure> {
    // `CLAUDE.md` is often a link to `AGENTS.md`.
    let real = path.canonicalize().map_err(|error| {
        Failure::refused(format!("cannot read {}: {error}{}", path.display(), did_you_mean(path)))
    })?;
    if real.is_dir() {
        return Err(Failure::refused(format!(
            "{} is a folder; name the rules file in it{}",
            path.display(),
            did_you_mean(path)
        )));
    }
    durable::read_text(disk, &real, MAX_RULES_BYTES).map_err(|error| Failure::refused(error.to_string()))
}

/// Refuses a file whose rules could not be taken over, before anything is made.
pub(crate) fn expect_adoptable(file: &Path) -> Result<(), Failure> {
    match adoptable(file) {
        Ok(_) => Ok(()),
        Err(error @ AdoptError::Read { .. }) => {
            Err(Failure::refused(format!("{error}{}", did_you_mean(file))))
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether agents read a file of this name for the folder in which it lies.
pub(crate) fn is_rules_name(file: &Path) -> bool {
    USUAL_NAMES.iter().any(|usual| file.ends_with(usual))
}

/// The file that was meant by the name of one that is not there, or of its folder: a line of its own.
fn did_you_mean(path: &Path) -> String {
    if path.is_dir() {
        let inside = USUAL_NAMES.into_iter().find(|name| path.join(name).is_file());
        return hint(inside.map(|name| path.join(name).display().to_string()));
    }
    let (false, Some(name)) = (path.exists(), path.file_name().and_then(|name| name.to_str())) else {
        return String::new();
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let neighbours: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(MAX_NEIGHBOURS)
        .filter(|entry| entry.path().is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    let names: Vec<&str> = neighbours.iter().map(String::as_str).collect();
    let usual = || USUAL_NAMES.into_iter().find(|usual| folder.join(usual).is_file());
    let meant = nearest(name, &names).or_else(usual);
    hint(meant.map(|meant| path.with_file_name(meant).display().to_string()))
}

fn hint(meant: Option<String>) -> String {
    meant.map_or_else(String::new, |meant| format!("\ndid you mean {meant}?"))
}
