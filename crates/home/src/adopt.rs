//! Takes over the rules of an existing `CLAUDE.md` or `AGENTS.md` as the first broadcast.
//!
//! The broadcast has one rule a line. So a list item that was wrapped over several lines becomes one line, and
//! a line that only imports another file (`@AGENTS.md`) is replaced by that file's rules. Everything else
//! stays as it is: headings, code blocks, order.

use std::io;
use std::path::{Component, Path, PathBuf};

use subcortex_store::{Disk, durable};

use crate::layout::Home;

/// The longest rules file that is taken over, in bytes.
pub const MAX_RULES_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// How many files may import one another in a row, as agents do it.
const MAX_IMPORT_HOPS: usize = 4;

/// What was taken over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adopted {
    /// Lines that say something: not blank, not headings.
    pub rules: usize,
    /// Imports that were left as they are, with the reason.
    pub kept_imports: Vec<String>,
    /// Whether the broadcast already held exactly this.
    pub was_there: bool,
}

/// Why a rules file was not taken over.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// The home has a broadcast of its own.
    #[error(
        "{} already holds rules, and they are never overwritten; move it away first if it should be replaced",
        .0.display()
    )]
    HasRules(PathBuf),
    /// The file cannot be read.
    #[error("cannot take over {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is nothing in the file.
    #[error("{} holds no rules: there is nothing to take over", .0.display())]
    Empty(PathBuf),
    /// The broadcast could not be written.
    #[error(transparent)]
    Write(#[from] durable::WriteError),
}

/// Writes the rules of `file` to the broadcast of a home that has none.
pub fn adopt(disk: &dyn Disk, home: &Home, file: &Path) -> Result<Adopted, AdoptError> {
    let mut adopted = Adopted::default();
    let base = file.parent().unwrap_or(Path::new("")).to_owned();
    let text = read(file).map_err(|source| AdoptError::Read { path: file.to_owned(), source })?;
    let broadcast = one_rule_a_line(&expand(&text, &base, &base, MAX_IMPORT_HOPS, &mut adopted));
    adopted.rules = broadcast.lines().filter(|line| is_rule(line)).count();
    if adopted.rules == 0 {
        return Err(AdoptError::Empty(file.to_owned()));
    }
    let path = home.broadcast();
    match durable::create_new(disk, &path, broadcast.as_bytes()) {
        Ok(()) => Ok(adopted),
        Err(durable::WriteError::Exists { .. }) => match read(&path).as_deref() {
            Ok(there) if there == broadcast => Ok(Adopted { was_there: true, ..adopted }),
            Ok("") => {
                // Empty, or emptied by an editor that is about to fill it.
                let file =
                    durable::follow_link(disk, &path).map_err(|_| AdoptError::HasRules(path.clone()))?;
                durable::wait_until_quiet(disk, &file, durable::Patience::USUAL)?;
                durable::replace_if_unchanged(disk, &file, Some(b""), broadcast.as_bytes())?;
                Ok(adopted)
            }
            _ => Err(AdoptError::HasRules(path)),
        },
        Err(error) => Err(error.into()),
    }
}

/// A rules file is a person's own and may be a link, so it is read like any other program would read it.
fn read(path: &Path) -> io::Result<String> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    if found.len() > MAX_RULES_FILE_BYTES {
        return Err(io::Error::other(format!("it is larger than {MAX_RULES_FILE_BYTES} bytes")));
    }
    let bytes = std::fs::read(path)?;
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))?;
    Ok(text.trim_start_matches('\u{feff}').replace("\r\n", "\n"))
}

/// Replaces lines that import a file below `root` by that file's text.
fn expand(text: &str, dir: &Path, root: &Path, hops: usize, adopted: &mut Adopted) -> String {
    let mut out = String::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= is_fence(line);
        let import = line.trim().strip_prefix('@').filter(|path| !in_code && !path.contains(' '));
        let replaced = import.map(|path| import_text(path, dir, root, hops, adopted));
        match replaced {
            Some(Ok(text)) => out.push_str(&text),
            Some(Err(reason)) => {
                adopted.kept_imports.push(format!("{}: {reason}", line.trim()));
                out.push_str(line);
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

fn import_text(
    path: &str,
    dir: &Path,
    root: &Path,
    hops: usize,
    adopted: &mut Adopted,
) -> Result<String, String> {
    if hops == 0 {
        return Err(format!("more than {MAX_IMPORT_HOPS} files import one another"));
    }
    let is_below =
        Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_below {
        return Err("it lies outside the folder of the rules file".into());
    }
    let file = dir.join(path);
    let text = read(&file).map_err(|error| error.to_string())?;
    let dir = file.parent().unwrap_or(root).to_owned();
    Ok(expand(&text, &dir, root, hops - 1, adopted))
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

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn is_rule(line: &str) -> bool {
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
    fn headings_code_and_tables_stay_as_they_are() {
        let text = "# Title\nText\n```sh\na\nb\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        check(text, text);
    }
}
