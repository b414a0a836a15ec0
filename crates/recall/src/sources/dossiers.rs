//! Dossiers: the Markdown files in `memory/topics` and `memory/entities`.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

use subcortex_guard::Redactor;
use subcortex_memory::Trouble;
use subcortex_store::EntryKind;
use subcortex_store::durable;

use super::front;
use crate::segment::{Builder, Kind, Stored};
use crate::words::Words;
use crate::{Places, RecallError};

/// How much of a dossier is read, in bytes.
const MAX_DOSSIER_BYTES: u64 = 1024 * 1024;
/// How much of a dossier is kept to be shown, in bytes.
const MAX_SHOWN_BYTES: usize = 32 * 1024;

/// The files there are now.
#[derive(Debug)]
pub(crate) struct Dossiers {
    files: Vec<PathBuf>,
    /// Changes with any of them.
    pub(crate) stamp: String,
}

impl Dossiers {
    pub(crate) fn look(places: &Places) -> Result<Self, RecallError> {
        let (mut files, mut stamp) = (Vec::new(), crc32fast::Hasher::new());
        for dir in [places.memory.topics(), places.memory.entities()] {
            let names = match places.disk.list(&dir) {
                Ok(names) => names,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(Trouble::List { path: dir, source }.into()),
            };
            for name in names.iter().filter_map(|name| name.to_str()) {
                let path = dir.join(name);
                let is_dossier = name.ends_with(".md") && !name.starts_with('.');
                let Ok(stat) = places.disk.stat(&path) else { continue };
                if !is_dossier || stat.kind != EntryKind::File {
                    continue;
                }
                stamp.update(places.memory.reference(&path).as_bytes());
                stamp.update(&stat.mtime_ns.to_le_bytes());
                stamp.update(&stat.len.to_le_bytes());
                files.push(path);
            }
        }
        let stamp = format!("{} {:08x}", files.len(), stamp.finalize());
        Ok(Self { files, stamp })
    }

    /// Reads them. What cannot be read is not found, and says so nowhere but in `doctor`.
    pub(crate) fn read(&self, places: &Places, words: &mut Words) -> Builder {
        let mut builder = Builder::default();
        let redactor = Redactor::new();
        for path in &self.files {
            let Ok(text) = durable::read_text(&*places.disk, path, MAX_DOSSIER_BYTES) else { continue };
            let text = redactor.text(without_frontmatter(&text));
            let mut counts = HashMap::new();
            words.counted(&text, &mut counts);
            let (path, parts) =
                (places.memory.reference(path), vec![front(&text, MAX_SHOWN_BYTES).to_owned()]);
            let stored = Stored { kind: Kind::Dossier, path, ts: None, event: None, session: None, parts };
            builder.add(&stored, &counts);
        }
        builder
    }
}

fn without_frontmatter(text: &str) -> &str {
    let body = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    body.map_or(text, |(_, body)| body).trim()
}
