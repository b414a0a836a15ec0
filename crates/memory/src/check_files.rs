//! `checks/<line hash>.yaml`: how each line is understood, for people to read and to correct.
//!
//! ```yaml
//! line: "- Use pnpm, not npm."
//! by: rules                  # rules | model | person
//! made: 89abcdef01234567     # of the check as it was written; another one means that a person changed it
//! check:
//!   testable: true
//!   …
//! ```
//!
//! A file whose check no longer fits `made`, or that says `by: person`, is a person's: it is used as it is, and never
//! overwritten. All others follow the line and the rules.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use subcortex_checks::Check;
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};

use crate::{Broadcast, Line, MadeBy, MemoryFolder, Trouble};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 256 * 1024;
const DIGEST_DIGITS: usize = 16;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckFile {
    line: String,
    by: MadeBy,
    #[serde(default)]
    made: String,
    check: Check,
}

/// What became of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Synced {
    /// Files that were written or removed, as references.
    pub changed: Vec<String>,
    /// Files that cannot be used, as references, with the reason; the rules' own check is used instead.
    pub problems: Vec<(String, String)>,
}

/// Takes over what people wrote into the check files of the broadcast's lines.
pub fn take_over(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    broadcast: &mut Broadcast,
) -> Result<Synced, Trouble> {
    let mut synced = Synced::default();
    for line in &mut broadcast.lines {
        match stored(disk, folder, line)? {
            Stored::None | Stored::Ours(_) => {}
            Stored::Theirs(by, check) => {
                line.by = by;
                line.check = *check;
            }
            Stored::Broken(path, why) => synced.problems.push((path, why)),
        }
    }
    Ok(synced)
}

/// Takes over what people wrote, writes the checks that are missing or outdated, and removes those of lines that are gone.
pub fn sync(disk: &dyn Disk, folder: &MemoryFolder, broadcast: &mut Broadcast) -> Result<Synced, Trouble> {
    let mut synced = Synced::default();
    durable::make_dirs(disk, folder.root(), Path::new("checks"))?;
    let mut missing = Vec::new();
    for line in &mut broadcast.lines {
        let path = path_of(folder, line);
        match stored(disk, folder, line)? {
            Stored::None => missing.push((path, rendered(line).into_bytes())),
            Stored::Ours(text) => {
                let wanted = rendered(line);
                if text != wanted {
                    durable::replace(disk, &path, wanted.as_bytes())?;
                    synced.changed.push(folder.reference(&path));
                }
            }
            Stored::Theirs(by, check) => {
                line.by = by;
                line.check = *check;
            }
            Stored::Broken(path, why) => synced.problems.push((path, why)),
        }
    }
    durable::create_many_new(disk, &missing)?;
    synced.changed.extend(missing.iter().map(|(path, _)| folder.reference(path)));
    remove_orphans(disk, folder, broadcast, &mut synced)?;
    Ok(synced)
}

enum Stored {
    None,
    Ours(String),
    Theirs(MadeBy, Box<Check>),
    Broken(String, String),
}

fn path_of(folder: &MemoryFolder, line: &Line) -> std::path::PathBuf {
    folder.checks().join(format!("{}.yaml", line.hash))
}

fn stored(disk: &dyn Disk, folder: &MemoryFolder, line: &Line) -> Result<Stored, Trouble> {
    let path = path_of(folder, line);
    let text = match durable::read_text(disk, &path, MAX_BYTES) {
        Ok(text) => text,
        Err(ReadError::Missing { .. }) => return Ok(Stored::None),
        Err(error @ ReadError::Io { .. }) => return Err(error.into()),
        Err(error) => return Ok(Stored::Broken(folder.reference(&path), error.to_string())),
    };
    if text == rendered(line) {
        return Ok(Stored::Ours(text));
    }
    Ok(match subcortex_yaml::from_str::<CheckFile>(&text) {
        Err(problem) => Stored::Broken(folder.reference(&path), problem.to_string()),
        Ok(file) if file.by == MadeBy::Rules && file.made == digest(&file.check) => Stored::Ours(text),
        Ok(file) if file.by == MadeBy::Model && file.made == digest(&file.check) => {
            Stored::Theirs(MadeBy::Model, Box::new(in_scope(file.check, line)))
        }
        Ok(file) => Stored::Theirs(MadeBy::Person, Box::new(in_scope(file.check, line))),
    })
}

/// A section's project holds whatever the check says: it belongs to the broadcast.
fn in_scope(mut check: Check, line: &Line) -> Check {
    check.scope.project.clone_from(&line.project);
    check
}

fn rendered(line: &Line) -> String {
    let file = CheckFile {
        line: line.text.trim_end().to_owned(),
        by: MadeBy::Rules,
        made: digest(&line.check),
        check: line.check.clone(),
    };
    // A check is plain data: it always has a text.
    subcortex_yaml::to_string(&file).unwrap_or_default()
}

fn digest(check: &Check) -> String {
    let canonical = serde_json::to_vec(check).unwrap_or_default();
    blake3::hash(&canonical).to_hex().get(..DIGEST_DIGITS).unwrap_or_default().to_owned()
}

/// Removes the rules' own checks of lines that are gone. A person's stay.
fn remove_orphans(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    broadcast: &Broadcast,
    synced: &mut Synced,
) -> Result<(), Trouble> {
    let dir = folder.checks();
    let known: BTreeSet<String> = broadcast.lines.iter().map(|line| format!("{}.yaml", line.hash)).collect();
    let names = disk.list(&dir).map_err(|source| Trouble::List { path: dir.clone(), source })?;
    for name in names.iter().filter_map(|name| name.to_str()) {
        if known.contains(name) || name.starts_with('.') || !name.ends_with(".yaml") {
            continue;
        }
        let path = dir.join(name);
        let Ok(text) = durable::read_text(disk, &path, MAX_BYTES) else { continue };
        let ours = subcortex_yaml::from_str::<CheckFile>(&text)
            .is_ok_and(|file| file.by == MadeBy::Rules && file.made == digest(&file.check));
        if ours && durable::remove(disk, &path)? {
            synced.changed.push(folder.reference(&path));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use subcortex_store::RealDisk;

    #[test]
    fn a_check_that_a_person_changed_wins_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::at(dir.path());
        let text = "- Use pnpm, not npm.\n- Be nice.\n";
        let first = sync(&RealDisk, &folder, &mut Broadcast::parse(text)).unwrap();
        assert_eq!(first.changed.len(), 2);
        assert_eq!(sync(&RealDisk, &folder, &mut Broadcast::parse(text)).unwrap(), Synced::default());

        let mut broadcast = Broadcast::parse(text);
        let path = path_of(&folder, &broadcast.lines[0]);
        let edited = durable::read_text(&RealDisk, &path, MAX_BYTES)
            .unwrap()
            .replace("testable: true", "testable: false");
        durable::replace(&RealDisk, &path, edited.as_bytes()).unwrap();
        assert_eq!(sync(&RealDisk, &folder, &mut broadcast).unwrap(), Synced::default());
        assert_eq!((broadcast.lines[0].by, broadcast.lines[0].check.testable), (MadeBy::Person, false));
        assert_eq!(durable::read_text(&RealDisk, &path, MAX_BYTES).unwrap(), edited);

        // The line goes: the person's file stays, ours does not.
        sync(&RealDisk, &folder, &mut Broadcast::parse("")).unwrap();
        assert!(path.exists());
        assert!(!path_of(&folder, &broadcast.lines[1]).exists());
    }

    #[test]
    fn a_broken_check_file_is_reported_and_the_rules_go_on() {
        let dir = tempfile::tempdir().unwrap();
        let folder = MemoryFolder::at(dir.path());
        let mut broadcast = Broadcast::parse("- Use pnpm, not npm.\n");
        sync(&RealDisk, &folder, &mut broadcast).unwrap();
        let path = path_of(&folder, &broadcast.lines[0]);
        durable::replace(&RealDisk, &path, b"check: [").unwrap();
        let synced = sync(&RealDisk, &folder, &mut broadcast).unwrap();
        assert_eq!(synced.problems.len(), 1);
        assert_eq!(broadcast.lines[0].by, MadeBy::Rules);
        assert_eq!(durable::read_text(&RealDisk, &path, MAX_BYTES).unwrap(), "check: [");
    }
}
