//! Lines of a rules file that import another one (`@docs/style.md`), replaced by that file's text.
//!
//! The file may be somebody else's, so what it imports lies below its own folder, also behind links, and is taken in a bounded
//! amount.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::adopt::{MAX_RULES_FILE_BYTES, is_fence, read};

/// How many files may import one another in a row, as agents do it.
const MAX_HOPS: usize = 4;

/// The text of a rules file with that of the files that it imports; `kept` gets the imports that stay as they are, with the reason.
pub(crate) fn expanded(file: &Path, kept: &mut Vec<String>) -> io::Result<String> {
    let text = read(file)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut expansion = Expansion {
        root: std::fs::canonicalize(folder)?,
        open: vec![std::fs::canonicalize(file)?],
        bytes_left: MAX_RULES_FILE_BYTES.saturating_sub(text.len() as u64),
        kept,
    };
    Ok(expansion.expand(&text, folder))
}

struct Expansion<'k> {
    /// What is imported lies below it.
    root: PathBuf,
    /// The files that are being taken in, each by an import of the one before.
    open: Vec<PathBuf>,
    /// How much may still be taken in.
    bytes_left: u64,
    kept: &'k mut Vec<String>,
}

impl Expansion<'_> {
    fn expand(&mut self, text: &str, folder: &Path) -> String {
        let mut out = String::new();
        let mut in_code = false;
        for line in text.lines() {
            in_code ^= is_fence(line);
            let import = line.trim().strip_prefix('@').filter(|path| !in_code && !path.contains(' '));
            match import.map(|path| self.import(path, folder)) {
                Some(Ok(text)) => out.push_str(&text),
                Some(Err(reason)) => {
                    self.kept.push(format!("{}: {reason}", line.trim()));
                    out.push_str(line);
                }
                None => out.push_str(line),
            }
            out.push('\n');
        }
        out
    }

    fn import(&mut self, path: &str, folder: &Path) -> Result<String, String> {
        if self.open.len() > MAX_HOPS {
            return Err(format!("more than {MAX_HOPS} files import one another"));
        }
        let outside = || "it lies outside the folder of the rules file".to_owned();
        let is_below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(path).components().all(is_below) {
            return Err(outside());
        }
        let file = folder.join(path);
        let real = std::fs::canonicalize(&file).map_err(|error| error.to_string())?;
        if !real.starts_with(&self.root) {
            return Err(outside());
        }
        if self.open.contains(&real) {
            return Err("it imports itself".into());
        }
        let text = read(&real).map_err(|error| error.to_string())?;
        let Some(left) = self.bytes_left.checked_sub(text.len() as u64) else {
            return Err(format!("with it the rules are longer than {MAX_RULES_FILE_BYTES} bytes"));
        };
        self.bytes_left = left;
        self.open.push(real);
        let expanded = self.expand(&text, file.parent().unwrap_or(folder));
        self.open.pop();
        Ok(expanded)
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test makes the links that are followed")]
mod tests {
    use std::os::unix::fs::symlink;

    use subcortex_store::{RealDisk, durable};

    use super::*;

    fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        durable::make_dirs(&RealDisk, folder, Path::new(name).parent().unwrap()).unwrap();
        durable::replace(&RealDisk, &path, text.as_bytes()).unwrap();
        path
    }

    #[track_caller]
    fn check(file: &Path, expect: &str, reasons: &[&str]) {
        let mut kept = Vec::new();
        assert_eq!(expanded(file, &mut kept).unwrap(), expect);
        assert_eq!(kept.len(), reasons.len(), "{kept:?}");
        assert!(kept.iter().zip(reasons).all(|(kept, reason)| kept.contains(reason)), "{kept:?}");
    }

    #[test]
    fn a_link_that_leads_out_of_the_folder_is_left_alone_and_one_inside_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "diary.txt", "- tell nobody\n");
        let rules = write(folder.path(), "web/AGENTS.md", "@style.md\n@more.md\n");
        write(folder.path(), "web/docs/more.md", "- use tabs\n");
        symlink("../diary.txt", folder.path().join("web/style.md")).unwrap();
        symlink("docs/more.md", folder.path().join("web/more.md")).unwrap();
        check(&rules, "@style.md\n- use tabs\n\n", &["outside"]);
    }

    #[test]
    fn a_file_that_imports_itself_is_taken_in_once_and_all_together_no_more_than_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let rules = write(folder.path(), "AGENTS.md", &format!("{}- use tabs\n", "@AGENTS.md\n".repeat(60)));
        let mut kept = Vec::new();
        assert_eq!(expanded(&rules, &mut kept).unwrap().matches("use tabs").count(), 1);
        assert_eq!(kept.len(), 60);
        // A little more than a quarter of the limit, so that three of them have room.
        let quarter = usize::try_from(MAX_RULES_FILE_BYTES / 4).unwrap();
        write(folder.path(), "long.md", &format!("- {}\n", "x".repeat(quarter)));
        let rules = write(folder.path(), "AGENTS.md", &"@long.md\n".repeat(100));
        let mut kept = Vec::new();
        assert!(expanded(&rules, &mut kept).unwrap().len() as u64 <= MAX_RULES_FILE_BYTES);
        assert_eq!(kept.len(), 97);
    }
}
