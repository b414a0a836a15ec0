//! A generated home whose spine is as large as one asks for.
//!
//! `target/bench/spine-<size>mib/` holds `var/events/<day>.jsonl` and `generated.json`, which is written
//! last: a home without it, or with files of other sizes, or made by an older generator, is made anew.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::event::{Events, day_name};
use super::measure::quantile;

const SEED: u64 = 20_260_101;
const MIB: u64 = 1 << 20;
/// A day's file is this long; the last one is what is left.
const DAY_BYTES: u64 = 256 * MIB;
/// How much of the first file is made again to see whether the generator is still the same.
const SAMPLE_BYTES: usize = 1 << 20;
/// Lines are collected up to about this size and then written.
const CHUNK_BYTES: usize = 1 << 20;

/// A generated spine.
#[derive(Debug)]
pub(crate) struct Dataset {
    pub(crate) home: PathBuf,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) bytes: u64,
    /// Size and shape in words.
    pub(crate) description: String,
}

/// The spine of a size below a directory: the one that is there, or a new one.
pub(crate) fn spine(bench_dir: &Path, size_mib: u64) -> Result<Dataset> {
    let home = bench_dir.join(format!("spine-{size_mib}mib"));
    if let Some(dataset) = reuse(&home) {
        println!("data: {} is there", home.display());
        return Ok(dataset);
    }
    println!("data: generating {} …", home.display());
    generate(&home, size_mib).with_context(|| format!("cannot generate {}", home.display()))?;
    reuse(&home).with_context(|| format!("{} is not what was just generated", home.display()))
}

fn reuse(home: &Path) -> Option<Dataset> {
    let marker: Value = serde_json::from_slice(&fs::read(marker_path(home)).ok()?).ok()?;
    let mut files = Vec::new();
    let mut bytes = 0;
    for file in marker["files"].as_array()? {
        let path = events_dir(home).join(file["name"].as_str()?);
        let length = fs::metadata(&path).ok()?.len();
        if length != file["bytes"].as_u64()? {
            return None;
        }
        bytes += length;
        files.push(path);
    }
    let description = marker["description"].as_str()?.to_owned();
    begins_as_now(files.first()?).then_some(Dataset { home: home.to_owned(), files, bytes, description })
}

/// Whether the generator of today would begin the file with the same bytes.
fn begins_as_now(path: &Path) -> bool {
    let mut made = String::new();
    let mut events = Events::seeded(SEED);
    events.begin_day(0);
    while made.len() < SAMPLE_BYTES {
        events.next_line(&mut made);
    }
    let mut stored = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SAMPLE_BYTES as u64).read_to_end(&mut stored));
    read.is_ok() && made.as_bytes().starts_with(&stored)
}

fn generate(home: &Path, size_mib: u64) -> Result<()> {
    if home.exists() {
        fs::remove_dir_all(home)?;
    }
    fs::create_dir_all(events_dir(home))?;
    let mut events = Events::seeded(SEED);
    let mut lengths = Vec::new();
    let mut files = Vec::new();
    let mut left = size_mib * MIB;
    for day in 0.. {
        if left == 0 {
            break;
        }
        let name = format!("{}.jsonl", day_name(day));
        events.begin_day(day);
        let bytes = write_day(&events_dir(home).join(&name), &mut events, left.min(DAY_BYTES), &mut lengths)?;
        left = left.saturating_sub(bytes);
        files.push(json!({"name": name, "bytes": bytes}));
    }
    let description = describe(&mut lengths, files.len());
    let marker = json!({"files": files, "description": description});
    Ok(fs::write(marker_path(home), serde_json::to_vec_pretty(&marker)?)?)
}

/// Writes lines until the file is at least as long as asked for; gives its length.
fn write_day(path: &Path, events: &mut Events, at_least_bytes: u64, lengths: &mut Vec<f64>) -> Result<u64> {
    let mut file = File::create_new(path)?;
    let mut written = 0;
    let mut chunk = String::new();
    while written < at_least_bytes {
        while chunk.len() < CHUNK_BYTES && written + (chunk.len() as u64) < at_least_bytes {
            let start = chunk.len();
            events.next_line(&mut chunk);
            lengths.push((chunk.len() - start) as f64);
        }
        file.write_all(chunk.as_bytes())?;
        written += chunk.len() as u64;
        chunk.clear();
    }
    // The page cache shall have nothing left to do when the clock runs.
    file.sync_all()?;
    Ok(written)
}

fn describe(lengths: &mut [f64], files: usize) -> String {
    lengths.sort_by(f64::total_cmp);
    let bytes: f64 = lengths.iter().sum();
    format!(
        "{bytes} bytes in {} lines and {files} files; length of a line: median {:.0} B, p90 {:.0} B, p99 {:.0} B, longest {:.0} B",
        lengths.len(),
        quantile(lengths, 0.5),
        quantile(lengths, 0.9),
        quantile(lengths, 0.99),
        quantile(lengths, 1.0),
    )
}

fn events_dir(home: &Path) -> PathBuf {
    home.join("var/events")
}

fn marker_path(home: &Path) -> PathBuf {
    home.join("generated.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_finds_nothing_wrong_with_a_generated_spine() {
        let dir = tempfile::tempdir().unwrap();
        let data = spine(dir.path(), 1).unwrap();
        let found = subcortex_spine::verify(&subcortex_store::RealDisk, &events_dir(&data.home)).unwrap();
        assert_eq!(found.damaged, []);
        assert!(
            data.description.contains(&format!(" {} lines ", found.records)),
            "{} {found:?}",
            data.description
        );
    }

    #[test]
    fn a_spine_is_used_again_until_something_about_it_changes() {
        let dir = tempfile::tempdir().unwrap();
        let first = spine(dir.path(), 1).unwrap();
        assert!(first.bytes >= MIB && first.bytes < MIB + 100_000, "{}", first.bytes);
        let modified = || fs::metadata(&first.files[0]).unwrap().modified().unwrap();
        let made_at = modified();

        spine(dir.path(), 1).unwrap();
        assert_eq!(modified(), made_at, "nothing changed, so nothing is made anew");

        let mut bytes = fs::read(&first.files[0]).unwrap();
        bytes[500] ^= 1;
        fs::write(&first.files[0], &bytes).unwrap();
        assert!(reuse(&first.home).is_none(), "other content");
        fs::write(&first.files[0], b"short").unwrap();
        assert!(reuse(&first.home).is_none(), "other length");

        let again = spine(dir.path(), 1).unwrap();
        assert_eq!(again.bytes, first.bytes);
    }
}
