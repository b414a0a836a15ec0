//! Takes over the rules of an existing `CLAUDE.md` or `AGENTS.md`: as the first broadcast, or as the section of one more project.
//!
//! The broadcast has one rule a line. So a list item that was wrapped over several lines becomes one line, and
//! a line that only imports another file (`@AGENTS.md`) is replaced by that file's rules. Everything else
//! stays as it is: headings, code blocks, order. Where there are rules already, not one of them is touched: see [`beside`].

use std::io;
use std::path::{Path, PathBuf};

use subcortex_checks::reading::{MAX_RULES_BYTES, RulesFile};
use subcortex_guard::Redactor;
use subcortex_store::{Disk, durable};

use crate::layout::Home;
use crate::{beside, imports};

/// The longest rules file that is taken over, in bytes: a longer memory would not be read.
pub const MAX_RULES_FILE_BYTES: u64 = MAX_RULES_BYTES;

/// What was taken over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Rules that are new there, as `rule list` counts them. All of them when nothing is new.
    pub rules: usize,
    /// Imports that were left as they are, with the reason.
    pub kept_imports: Vec<String>,
    /// Whether the broadcast already held all of it.
    pub was_there: bool,
    /// Whether secrets were replaced in them.
    pub hides_secrets: bool,
    /// Where they are now.
    pub place: Place,
}

/// Where rules were put.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Place {
    /// They are all of the broadcast.
    #[default]
    Everything,
    /// Beside other rules that hold in every project.
    Everywhere,
    /// In the section of a project.
    Project(String),
}

/// Why a rules file was not taken over.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// The file cannot be read.
    #[error("cannot take over {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is nothing in the file.
    #[error("{} holds no rules: there is nothing to take over\na rule is a line such as `- Use pnpm, not npm.`", .0.display())]
    Empty(PathBuf),
    /// The broadcast would be longer than what is read of it.
    #[error(
        "{} would have {len} bytes with these rules, and at most {MAX_RULES_FILE_BYTES} are read: make one of the two shorter; nothing was written",
        path.display()
    )]
    TooMuch {
        /// Which file.
        path: PathBuf,
        /// How many bytes it would have.
        len: usize,
    },
    /// The broadcast could not be written.
    #[error(transparent)]
    Write(#[from] durable::WriteError),
}

/// Puts the rules of `file` into the broadcast: those that are new, below the section of `project`, or, without one, beside the rules
/// that hold everywhere.
pub fn adopt(
    disk: &dyn Disk,
    home: &Home,
    file: &Path,
    project: Option<&Path>,
) -> Result<Adopted, AdoptError> {
    let mut adopted = Adopted::default();
    let broadcast = rules_of(file, &mut adopted.kept_imports)?;
    // A secret is replaced before the first write, wherever it comes from.
    let clean = Redactor::new().text(&broadcast).into_owned();
    adopted.hides_secrets = clean != broadcast;
    let broadcast = clean;
    adopted.rules = number_of_rules(&broadcast);
    let path = home.broadcast();
    let project = project.map(|folder| folder.display().to_string());
    let alone = beside::beside("", &broadcast, project.as_deref());
    let first = alone.map_or(broadcast.clone(), |alone| alone.text);
    match durable::create_new(disk, &path, first.as_bytes()) {
        Ok(()) => Ok(Adopted { place: project.map_or(Place::Everything, Place::Project), ..adopted }),
        Err(durable::WriteError::Exists { .. }) => add(disk, &path, &broadcast, project, adopted),
        Err(error) => Err(error.into()),
    }
}

/// How many rules could be taken over of a file, or why none: to be asked before anything is made.
pub fn adoptable(file: &Path) -> Result<usize, AdoptError> {
    rules_of(file, &mut Vec::new()).map(|rules| number_of_rules(&rules))
}

/// What a file, and those that it imports, would put into the broadcast.
fn rules_of(file: &Path, kept_imports: &mut Vec<String>) -> Result<String, AdoptError> {
    let text = imports::expanded(file, kept_imports)
        .map_err(|source| AdoptError::Read { path: file.to_owned(), source })?;
    let rules = one_rule_a_line(&text);
    if number_of_rules(&rules) == 0 { Err(AdoptError::Empty(file.to_owned())) } else { Ok(rules) }
}

/// As `rule list` counts them: what only explains is none.
pub(crate) fn number_of_rules(text: &str) -> usize {
    RulesFile::parse(text).rules.len()
}

/// Adds rules to a broadcast that is there.
fn add(
    disk: &dyn Disk,
    broadcast: &Path,
    rules: &str,
    project: Option<String>,
    adopted: Adopted,
) -> Result<Adopted, AdoptError> {
    let unreadable = |source| AdoptError::Read { path: broadcast.to_owned(), source };
    let file = durable::follow_link(disk, broadcast)
        .map_err(|error| unreadable(io::Error::other(error.to_string())))?;
    let patience = durable::Patience::USUAL;
    let there = match durable::read_when_quiet(disk, &file, MAX_RULES_FILE_BYTES, patience) {
        Ok(there) => there,
        Err(durable::QuietError::Wait(error)) => return Err(error.into()),
        Err(durable::QuietError::Read(error)) => return Err(unreadable(io::Error::other(error.to_string()))),
    };
    let text = as_text(there.clone().unwrap_or_default()).map_err(unreadable)?;
    let Some(beside) = beside::beside(&text, rules, project.as_deref()) else {
        return Ok(Adopted { was_there: true, ..adopted });
    };
    let place = match (text.trim().is_empty(), project) {
        (_, Some(project)) => Place::Project(project),
        (true, None) => Place::Everything,
        (false, None) => Place::Everywhere,
    };
    let is_dos = there.iter().any(|there| there.windows(2).any(|pair| pair == b"\r\n"));
    let mut whole = if is_dos { beside.text.replace('\n', "\r\n") } else { beside.text };
    if there.as_ref().is_some_and(|there| there.starts_with("\u{feff}".as_bytes())) {
        whole.insert(0, '\u{feff}');
    }
    if whole.len() as u64 > MAX_RULES_FILE_BYTES {
        return Err(AdoptError::TooMuch { path: broadcast.to_owned(), len: whole.len() });
    }
    durable::replace_when_quiet(disk, &file, there.as_deref(), whole.as_bytes(), patience)?;
    Ok(Adopted { rules: beside.rules, place, ..adopted })
}

/// A rules file is a person's own and may be a link, so it is read like any other program would read it.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if found.len() > MAX_RULES_FILE_BYTES {
        return Err(io::Error::other(format!("it is larger than {MAX_RULES_FILE_BYTES} bytes")));
    }
    as_text(std::fs::read(path)?)
}

fn as_text(bytes: Vec<u8>) -> io::Result<String> {
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))?;
    Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
}

/// Joins the lines of a wrapped list item or paragraph.
fn one_rule_a_line(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let (mut in_code, mut may_continue) = (false, false);
    for line in text.lines() {
        let fence = is_fence(line);
        if may_continue && !in_code && !fence && continues(line) {
            if let Some(last) = out.last_mut() {
                last.push(' ');
                last.push_str(line.trim());
            }
            continue;
        }
        in_code ^= fence;
        may_continue = !in_code && !fence && is_rule(line) && !line.trim_start().starts_with(['|', '<', '@']);
        out.push(line.trim_end().to_owned());
    }
    let mut joined = out.join("\n");
    joined.truncate(joined.trim_end().len());
    joined.push('\n');
    joined
}

pub(crate) fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

pub(crate) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#') && !line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_'))
}

/// Whether a line goes on with the one before it: text that begins neither a list item nor anything else.
fn continues(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.split_once(['.', ')']).is_some_and(|(number, rest)| {
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) && rest.starts_with(' ')
    });
    let bulleted = ["- ", "* ", "+ "].iter().any(|bullet| line.starts_with(bullet));
    is_rule(line) && !numbered && !bulleted && !line.starts_with(['|', '<', '@', '>'])
}

#[cfg(test)]
mod tests {
    use subcortex_store::RealDisk;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(one_rule_a_line(text), expect);
    }

    #[test]
    fn wrapped_items_become_one_line() {
        check(
            "- run the tests\n  before you commit\n- use pnpm\n",
            "- run the tests before you commit\n- use pnpm\n",
        );
        check("1. one\n   more\n2. two\n", "1. one more\n2. two\n");
        check("A paragraph\nover two lines.\n\nAnother.\n", "A paragraph over two lines.\n\nAnother.\n");
    }

    #[test]
    fn a_secret_in_a_rules_file_is_replaced_before_the_first_write() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        durable::make_dirs(&RealDisk, folder.path(), Path::new("home/memory")).unwrap();
        let file = folder.path().join("AGENTS.md");
        let token = format!("ghp_{}", "Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz3Xc7");
        durable::create_new(&RealDisk, &file, format!("- Push with {token}.\n- Use tabs.\n").as_bytes())
            .unwrap();
        for _ in 0..2 {
            let adopted = adopt(&RealDisk, &home, &file, None).unwrap();
            assert!(adopted.hides_secrets);
            let written = std::fs::read_to_string(home.broadcast()).unwrap();
            assert_eq!(written, "- Push with [REDACTED:github-token].\n- Use tabs.\n");
        }
    }

    #[test]
    fn headings_code_and_tables_stay_as_they_are() {
        let text = "# Title\nText\n```sh\na\nb\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        check(text, text);
    }
}
