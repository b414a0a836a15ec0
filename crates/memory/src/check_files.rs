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
//! overwritten. A model's is used until the model is asked again, and goes with its line. All others follow the line and the rules.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};
use subcortex_checks::Check;
use subcortex_guard::Redactor;
use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError, WriteError};

use crate::{Broadcast, Line, MemoryFolder, Trouble};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 256 * 1024;
const DIGEST_DIGITS: usize = 16;

/// Who said how a line is to be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MadeBy {
    /// The rules of this program.
    Rules,
    /// A model.
    Model,
    /// A person, by hand.
    Person,
}

/// How a line is understood.
#[derive(Debug, Clone, PartialEq)]
pub struct LineCheck {
    /// As which check.
    pub check: Check,
    /// Who says so.
    pub by: MadeBy,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckFile {
    line: String,
    by: MadeBy,
    #[serde(default)]
    made: String,
    check: Check,
}

impl CheckFile {
    /// Whether it is as it was written by them.
    fn is_made_by(&self, by: MadeBy) -> bool {
        self.by == by && self.made == digest(&self.check)
    }
}

/// What became of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Synced {
    /// Files that were written or removed, as references.
    pub changed: Vec<String>,
    /// Files that cannot be used, as references, with the reason; the rules' own check is used instead.
    pub problems: Vec<(String, String)>,
}

/// Takes over what people and models wrote into the check files of the broadcast's lines. `checks` are those of the rules, in the
/// order of the lines.
pub fn take_over(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    broadcast: &Broadcast,
    checks: &mut [LineCheck],
) -> Result<Synced, Trouble> {
    let mut synced = Synced::default();
    for (line, known) in broadcast.lines.iter().zip(checks) {
        match stored(disk, folder, line, &known.check)? {
            Stored::None | Stored::Ours(_) => {}
            Stored::Theirs(theirs, _) => *known = *theirs,
            Stored::Broken(path, why) => synced.problems.push((path, why)),
        }
    }
    Ok(synced)
}

/// Takes over what people and models wrote, writes the checks that are missing or outdated, and removes those of lines that are gone.
pub fn sync(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    broadcast: &Broadcast,
    checks: &mut [LineCheck],
) -> Result<Synced, Trouble> {
    let mut synced = Synced::default();
    durable::make_dirs(disk, folder.root(), Path::new("checks"))?;
    let mut missing = Vec::new();
    for (line, known) in broadcast.lines.iter().zip(checks) {
        let path = path_of(folder, line);
        let wanted = || rendered(line, &known.check, MadeBy::Rules);
        match stored(disk, folder, line, &known.check)? {
            Stored::None => missing.push((path, wanted().into_bytes())),
            Stored::Ours(text) => {
                let (wanted, old) = (wanted(), Some(text.as_bytes()));
                if text != wanted
                    && left_to_us(durable::replace_if_unchanged(disk, &path, old, wanted.as_bytes()))?
                {
                    synced.changed.push(folder.reference(&path));
                }
            }
            Stored::Theirs(theirs, _) => *known = *theirs,
            Stored::Broken(path, why) => synced.problems.push((path, why)),
        }
    }
    durable::create_many_new(disk, &missing)?;
    synced.changed.extend(missing.iter().map(|(path, _)| folder.reference(path)));
    remove_orphans(disk, folder, broadcast, &mut synced)?;
    Ok(synced)
}

/// Writes how a model understands a line that is understood as `known` so far, and says where. A file that is a person's, or that
/// nobody can read, is left alone: then there is nothing to say.
pub fn write(
    disk: &dyn Disk,
    folder: &MemoryFolder,
    line: &Line,
    known: &Check,
    check: &Check,
) -> Result<Option<String>, Trouble> {
    let path = path_of(folder, line);
    let old = match stored(disk, folder, line, known)? {
        Stored::None => None,
        Stored::Ours(text) => Some(text),
        Stored::Theirs(theirs, text) if theirs.by != MadeBy::Person => Some(text),
        Stored::Theirs(..) | Stored::Broken(..) => return Ok(None),
    };
    durable::make_dirs(disk, folder.root(), Path::new("checks"))?;
    let new = rendered(line, &in_scope(check.clone(), line), MadeBy::Model);
    let old = old.as_deref().map(str::as_bytes);
    let is_written = left_to_us(durable::replace_if_unchanged(disk, &path, old, new.as_bytes()))?;
    Ok(is_written.then(|| folder.reference(&path)))
}

/// Whether a file was changed; `false` when a person is at it, whose words stay.
fn left_to_us<T>(outcome: Result<T, WriteError>) -> Result<bool, Trouble> {
    match outcome {
        Ok(_) => Ok(true),
        Err(WriteError::Conflict { .. } | WriteError::Busy { .. } | WriteError::LeftAlone { .. }) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}

/// Removes the checks of forgotten lines, by their [`LineHash::of_words`](crate::LineHash::of_words): also those that a person pinned, since they repeat the line.
pub fn forget(disk: &dyn Disk, folder: &MemoryFolder, words: &BTreeSet<String>) -> Result<(), Trouble> {
    let dir = folder.checks();
    let names = match disk.list(&dir) {
        Ok(names) => names,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(source) => return Err(Trouble::List { path: dir, source }),
    };
    for name in names.iter().filter_map(|name| name.to_str()) {
        let hash = name.strip_suffix(".yaml").map(crate::LineHash::from_file);
        if hash.is_some_and(|hash| words.contains(hash.of_words())) {
            durable::remove(disk, &dir.join(name))?;
        }
    }
    Ok(())
}

/// Where the check of a line stands, as a reference.
pub fn reference(folder: &MemoryFolder, line: &Line) -> String {
    folder.reference(&path_of(folder, line))
}

enum Stored {
    None,
    Ours(String),
    Theirs(Box<LineCheck>, String),
    Broken(String, String),
}

fn path_of(folder: &MemoryFolder, line: &Line) -> std::path::PathBuf {
    folder.checks().join(format!("{}.yaml", line.hash))
}

/// What the file of a line holds, which the rules understand as `known`.
fn stored(disk: &dyn Disk, folder: &MemoryFolder, line: &Line, known: &Check) -> Result<Stored, Trouble> {
    let path = path_of(folder, line);
    let text = match durable::read_text(disk, &path, MAX_BYTES) {
        Ok(text) => text,
        Err(ReadError::Missing { .. }) => return Ok(Stored::None),
        Err(error @ ReadError::Io { .. }) => return Err(error.into()),
        Err(error) => return Ok(Stored::Broken(folder.reference(&path), error.to_string())),
    };
    if text == rendered(line, known, MadeBy::Rules) {
        return Ok(Stored::Ours(text));
    }
    let theirs = |by, check| Box::new(LineCheck { check: in_scope(check, line), by });
    Ok(match subcortex_yaml::from_str::<CheckFile>(&text) {
        Err(problem) => Stored::Broken(folder.reference(&path), problem.to_string()),
        Ok(file) if file.is_made_by(MadeBy::Rules) => Stored::Ours(text),
        Ok(file) if file.is_made_by(MadeBy::Model) => Stored::Theirs(theirs(MadeBy::Model, file.check), text),
        Ok(file) => Stored::Theirs(theirs(MadeBy::Person, file.check), text),
    })
}

/// A section's project holds whatever the check says: it belongs to the broadcast.
fn in_scope(mut check: Check, line: &Line) -> Check {
    check.scope.project.clone_from(&line.project);
    check
}

/// The file of a line. A secret that the line holds is not written a second time: what is tested is the line itself.
fn rendered(line: &Line, check: &Check, by: MadeBy) -> String {
    let check = without_secrets(check);
    let text = Redactor::new().text(line.text.trim_end()).into_owned();
    let file = CheckFile { line: text, by, made: digest(&check), check };
    // A check is plain data: it always has a text.
    subcortex_yaml::to_string(&file).unwrap_or_default()
}

fn without_secrets(check: &Check) -> Check {
    let mut json = check.to_json();
    Redactor::new().value(&mut json);
    // Where a secret stands in place of a word of ours there is no check without it.
    Check::from_json(json).unwrap_or_default()
}

/// What tells one check from another.
pub fn digest(check: &Check) -> String {
    blake3::hash(check.to_json_text().as_bytes()).to_hex().get(..DIGEST_DIGITS).unwrap_or_default().to_owned()
}

/// Removes the checks of lines that are gone. A person's stay.
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
            .is_ok_and(|file| file.is_made_by(MadeBy::Rules) || file.is_made_by(MadeBy::Model));
        if ours && left_to_us(durable::remove_if_unchanged(disk, &path, text.as_bytes()))? {
            synced.changed.push(folder.reference(&path));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use subcortex_store::RealDisk;
    use tempfile::TempDir;

    /// A broadcast in a folder, with checks as the rules would make them.
    struct Fixture {
        _dir: TempDir,
        folder: MemoryFolder,
        broadcast: Broadcast,
        checks: Vec<LineCheck>,
    }

    impl Fixture {
        fn new(text: &str) -> Self {
            let dir = tempfile::tempdir().unwrap();
            let folder = MemoryFolder::at(dir.path());
            let mut new = Self { _dir: dir, folder, broadcast: Broadcast::default(), checks: Vec::new() };
            new.reread(text);
            new
        }

        /// What the rules say of a text: whatever holds code can be tested.
        fn reread(&mut self, text: &str) {
            self.broadcast = Broadcast::parse(text);
            let made = |line: &Line| LineCheck {
                check: Check {
                    testable: line.rule.contains('`'),
                    why: format!("says {}", line.rule),
                    ..Check::default()
                },
                by: MadeBy::Rules,
            };
            self.checks = self.broadcast.lines.iter().map(made).collect();
        }

        fn sync(&mut self) -> Synced {
            sync(&RealDisk, &self.folder, &self.broadcast, &mut self.checks).unwrap()
        }

        fn write(&self, check: &Check) -> Option<String> {
            write(&RealDisk, &self.folder, &self.broadcast.lines[0], &self.checks[0].check, check).unwrap()
        }

        fn path(&self, at: usize) -> std::path::PathBuf {
            path_of(&self.folder, &self.broadcast.lines[at])
        }
    }

    fn text_of(path: &Path) -> String {
        durable::read_text(&RealDisk, path, MAX_BYTES).unwrap()
    }

    #[test]
    fn a_secret_of_a_line_is_in_no_file_and_the_file_stays_ours() {
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        let text = format!("- Always run `deploy --token {secret}` before you commit.\n");
        let mut world = Fixture::new(&text);
        let known = world.checks.clone();
        world.sync();
        let file = text_of(&world.path(0));
        assert!(!file.contains(secret) && file.contains("[REDACTED:github-token]"), "{file}");
        // Read again it is ours, as it was written, and the line is still tested as a whole.
        world.reread(&text);
        assert_eq!(world.sync(), Synced::default());
        assert_eq!(world.checks, known);
    }

    #[test]
    fn a_check_that_a_person_changed_wins_and_stays() {
        let text = "- Use `pnpm`.\n- Be nice.\n";
        let mut world = Fixture::new(text);
        assert_eq!(world.sync().changed.len(), 2);
        world.reread(text);
        assert_eq!(world.sync(), Synced::default());

        let (theirs, ours) = (world.path(0), world.path(1));
        let edited = text_of(&theirs).replace("testable: true", "testable: false");
        durable::replace(&RealDisk, &theirs, edited.as_bytes()).unwrap();
        assert_eq!(world.sync(), Synced::default());
        assert_eq!((world.checks[0].by, world.checks[0].check.testable), (MadeBy::Person, false));
        assert_eq!(text_of(&theirs), edited);

        // The line goes: the person's file stays, ours does not.
        world.reread("");
        world.sync();
        assert!(theirs.exists() && !ours.exists());
    }

    #[test]
    fn a_models_check_is_used_and_goes_with_its_line() {
        let text = "- Be nice.\n";
        let mut world = Fixture::new(text);
        world.sync();
        let check = Check { testable: true, ..world.checks[0].check.clone() };
        let path = world.path(0);
        assert_eq!(world.write(&check), Some(reference(&world.folder, &world.broadcast.lines[0])));

        world.reread(text);
        for _ in 0..2 {
            assert_eq!(world.sync(), Synced::default());
            assert_eq!((world.checks[0].by, world.checks[0].check.testable), (MadeBy::Model, true));
        }

        // Also when the rules can test it now: the model is asked about every line.
        world.reread(text);
        world.checks[0].check.testable = true;
        world.checks[0].check.family = "rules".into();
        assert_eq!(world.sync(), Synced::default());
        assert_eq!(world.checks[0].by, MadeBy::Model);

        world.write(&check);
        world.reread("");
        world.sync();
        assert!(!path.exists());

        // What a person wrote, or began to write, is not overwritten.
        world.reread(text);
        for theirs in ["line: x\nby: person\ncheck: {}\n", "line: x\nby: rules\ncheck: {}\n", "check: ["] {
            durable::replace(&RealDisk, &path, theirs.as_bytes()).unwrap();
            assert_eq!(world.write(&check), None);
            assert_eq!(text_of(&path), theirs);
        }
    }

    #[test]
    fn a_broken_check_file_is_reported_and_the_rules_go_on() {
        let mut world = Fixture::new("- Use `pnpm`.\n");
        world.sync();
        let path = world.path(0);
        durable::replace(&RealDisk, &path, b"check: [").unwrap();
        assert_eq!(world.sync().problems.len(), 1);
        assert_eq!(world.checks[0].by, MadeBy::Rules);
        assert_eq!(text_of(&path), "check: [");
    }
}
