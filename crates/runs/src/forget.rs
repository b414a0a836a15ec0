//! Taking names out of the records: a name that was made of words that are to be forgotten is those words.

use std::path::Path;

use subcortex_store::Disk;
use subcortex_store::durable::{self, ReadError};

use crate::{LOG_FILE, MAX_LOG_BYTES, RunsError, days, files};

/// Replaces names in every record that has ended and in the log, and says how many files held one. `names` are pairs of what to look for
/// and what to put there; both are plain words of names, which JSON does not escape.
pub fn forget_names(disk: &dyn Disk, dir: &Path, names: &[(String, String)]) -> Result<usize, RunsError> {
    let is_plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let names: Vec<_> = names.iter().filter(|(from, to)| is_plain(from) && is_plain(to)).collect();
    if names.is_empty() {
        return Ok(0);
    }
    let without = |text: &[u8]| -> Option<Vec<u8>> {
        let text = std::str::from_utf8(text).ok()?;
        let found = names.iter().filter(|(from, _)| text.contains(from.as_str()));
        let clean = found.fold(None, |clean: Option<String>, (from, to)| {
            Some(clean.as_deref().unwrap_or(text).replace(from.as_str(), to))
        });
        clean.map(String::into_bytes)
    };
    let mut changed = 0;
    for day in days::days(disk, dir)? {
        for file in days::records_of(disk, dir, day)?.into_iter().filter(|file| !file.open) {
            let bytes = match files::read_bytes(disk, &file) {
                Ok(bytes) => bytes,
                Err(ReadError::Missing { .. }) => continue,
                Err(error) => return Err(error.into()),
            };
            if let Some(clean) = without(&bytes) {
                durable::replace(disk, &file.path, &clean)?;
                changed += 1;
            }
        }
    }
    let log = dir.join(LOG_FILE);
    if let Ok(bytes) = durable::read(disk, &log, 2 * MAX_LOG_BYTES)
        && let Some(clean) = without(&bytes)
    {
        durable::replace(disk, &log, &clean)?;
        changed += 1;
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use subcortex_store::RealDisk;

    use super::*;
    use crate::{RunRecord, load, write};

    #[test]
    fn a_name_goes_from_every_record_and_nothing_else_does() {
        let dir = tempfile::tempdir().unwrap();
        let name = "memory/topics/blorptron-zebrafish-7fc8a52349e3.md";
        let record = |run_id: &str, output: &str| RunRecord {
            run_id: run_id.to_owned(),
            changed: vec![name.to_owned(), "memory/CLAUDE.md".to_owned()],
            output: output.to_owned(),
            ..RunRecord::default()
        };
        for run in ["20261117T093022-1", "20261118T093022-2"] {
            write(&RealDisk, dir.path(), &record(run, &format!("changed: {name}, {name}"))).unwrap();
        }
        let other = RunRecord { changed: Vec::new(), ..record("20261118T093022-3", "zebrafish farm") };
        write(&RealDisk, dir.path(), &other).unwrap();
        let names = [
            ("blorptron-zebrafish-7fc8a52349e3".to_owned(), "forgotten-7fc8a52349e3".to_owned()),
            ("with \"quotes\"".to_owned(), "x".to_owned()),
        ];
        assert_eq!(forget_names(&RealDisk, dir.path(), &names).unwrap(), 2);
        assert_eq!(forget_names(&RealDisk, dir.path(), &names).unwrap(), 0, "asked again");
        let first = load(&RealDisk, dir.path(), "20261117T093022-1").unwrap().unwrap();
        assert_eq!(first.changed, ["memory/topics/forgotten-7fc8a52349e3.md", "memory/CLAUDE.md"]);
        assert!(!first.output.contains("zebrafish"), "{}", first.output);
        let third = load(&RealDisk, dir.path(), "20261118T093022-3").unwrap().unwrap();
        assert_eq!(third.output, "zebrafish farm");
    }
}
