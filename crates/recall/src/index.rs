//! The files of the index.

use std::io;
use std::path::{Path, PathBuf};

use subcortex_store::durable::{self, ReadError, WriteError};
use subcortex_store::{DiskFile, OpenMode, Refusal};

use crate::manifest::{Manifest, Shelf, VERSION};
use crate::segment::{Damaged, Files, Segment, Stored};
use crate::{Places, RecallError};

/// The largest manifest that is read, in bytes.
const MAX_MANIFEST_BYTES: u64 = 64 * 1024 * 1024;
/// The largest file of a segment that is read, in bytes.
const MAX_SEGMENT_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// The longest line of a document, in bytes: more is damage.
const MAX_LINE_BYTES: u32 = 16 * 1024 * 1024;

/// Why the index could not be used: it has to be made anew, or nothing helps.
#[derive(Debug)]
pub(crate) enum Broken {
    Damaged(&'static str),
    Error(RecallError),
}

impl From<Damaged> for Broken {
    fn from(damaged: Damaged) -> Self {
        Self::Damaged(damaged.0)
    }
}

impl<E: Into<RecallError>> From<E> for Broken {
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}

/// A segment that is open.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) segment: Segment,
    lines: Lines,
}

#[derive(Debug)]
enum Lines {
    File(Box<dyn DiskFile>),
    Memory(Vec<u8>),
}

impl Opened {
    /// A segment that was never written.
    pub(crate) fn in_memory(files: Files) -> Result<Self, Damaged> {
        Ok(Self { segment: Segment::parse(files.words)?, lines: Lines::Memory(files.docs) })
    }

    /// What is shown of a document.
    pub(crate) fn stored(&self, doc: u32) -> Result<Stored, Damaged> {
        serde_json::from_slice(&self.line(doc)?).map_err(|_| Damaged("a document in it cannot be read"))
    }

    /// The same, as it stands in the file.
    pub(crate) fn line(&self, doc: u32) -> Result<Vec<u8>, Damaged> {
        let (from, len, crc) = self.segment.line_of(doc)?;
        let line = match &self.lines {
            Lines::Memory(bytes) => {
                let from = usize::try_from(from).unwrap_or(usize::MAX);
                bytes.get(from..).and_then(|rest| rest.get(..len as usize)).map(<[u8]>::to_vec)
            }
            Lines::File(file) => read_exactly(&**file, from, len),
        };
        line.filter(|line| crc32fast::hash(line) == crc).ok_or(Damaged("a document's checksum does not hold"))
    }
}

fn read_exactly(file: &dyn DiskFile, from: u64, len: u32) -> Option<Vec<u8>> {
    let mut bytes = vec![0; if len <= MAX_LINE_BYTES { len as usize } else { return None }];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(bytes.get_mut(filled..)?, from + filled as u64) {
            Ok(0) | Err(_) => return None,
            Ok(count) => filled += count,
        }
    }
    Some(bytes)
}

impl Places {
    pub(crate) fn index(&self) -> PathBuf {
        self.var.join("index").join("recall")
    }

    /// Whether an error says that a file of the index is none: a directory, a link, a FIFO, or one that cannot be opened.
    pub(crate) fn is_in_the_way(&self, error: &RecallError) -> bool {
        let is_foreign = |source: &io::Error| {
            let kinds =
                [io::ErrorKind::PermissionDenied, io::ErrorKind::IsADirectory, io::ErrorKind::NotADirectory];
            Refusal::within(source).is_some() || kinds.contains(&source.kind())
        };
        let path = match error {
            RecallError::Io { path, source } if is_foreign(source) => path,
            RecallError::Read(ReadError::Io { path, source }) if is_foreign(source) => path,
            RecallError::Write(WriteError::Failed { path, source, .. }) if is_foreign(source) => path,
            RecallError::Read(ReadError::NotRegular(refusal))
            | RecallError::Write(WriteError::NotRegular(refusal)) => &refusal.path,
            RecallError::Memory(_)
            | RecallError::Spine(_)
            | RecallError::Write(_)
            | RecallError::Read(_)
            | RecallError::Io { .. }
            | RecallError::Damaged { .. }
            | RecallError::NoWords(_) => return false,
        };
        path.starts_with(self.index())
    }

    fn manifest(&self) -> PathBuf {
        self.index().join("manifest.json")
    }

    fn segment(&self, number: u64, what: &str) -> PathBuf {
        self.index().join(format!("{number}.{what}"))
    }

    pub(crate) fn io_error(&self, path: &Path) -> impl Fn(io::Error) -> RecallError + use<> {
        let path = path.to_owned();
        move |source| RecallError::Io { path: path.clone(), source }
    }

    /// Reads the manifest; `None` when there is none that can be used.
    pub(crate) fn read_manifest(&self) -> Result<Option<Manifest>, RecallError> {
        let text = match durable::read(&*self.disk, &self.manifest(), MAX_MANIFEST_BYTES) {
            Ok(text) => text,
            Err(ReadError::Io { path, source }) => return Err(ReadError::Io { path, source }.into()),
            Err(_) => return Ok(None),
        };
        let manifest: Option<Manifest> = serde_json::from_slice(&text).ok();
        Ok(manifest.filter(|manifest| manifest.version == VERSION))
    }

    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> Result<(), RecallError> {
        // Numbers, names and times: nothing that JSON cannot hold.
        let text = serde_json::to_vec(manifest).unwrap_or_default();
        Ok(durable::replace_derived(&*self.disk, &self.manifest(), &text)?)
    }

    pub(crate) fn write_segment(&self, number: u64, files: &Files) -> Result<u64, RecallError> {
        durable::replace_derived(&*self.disk, &self.segment(number, "docs"), &files.docs)?;
        durable::replace_derived(&*self.disk, &self.segment(number, "words"), &files.words)?;
        Ok((files.docs.len() + files.words.len()) as u64)
    }

    pub(crate) fn open_segment(&self, shelf: &Shelf) -> Result<Opened, Broken> {
        let gone = Broken::Damaged("a file of it is missing");
        let words = match durable::read(&*self.disk, &self.segment(shelf.segment, "words"), MAX_SEGMENT_BYTES)
        {
            Ok(words) => words,
            Err(ReadError::Io { path, source }) => {
                return Err(RecallError::from(ReadError::Io { path, source }).into());
            }
            Err(_) => return Err(gone),
        };
        let docs = self.segment(shelf.segment, "docs");
        let file = match self.disk.open(&docs, OpenMode::Read) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(gone),
            Err(error) => return Err(self.io_error(&docs)(error).into()),
        };
        Ok(Opened { segment: Segment::parse(words)?, lines: Lines::File(file) })
    }

    /// Removes what no manifest names: what a crash left, and what was made into something else.
    pub(crate) fn sweep(&self, manifest: &Manifest) -> Result<(), RecallError> {
        let dir = self.index();
        for name in self.disk.list(&dir).map_err(self.io_error(&dir))? {
            let Some((number, _)) = name.to_str().and_then(|name| name.split_once('.')) else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            if !manifest.shelves.iter().any(|shelf| shelf.segment == number) {
                durable::remove(&*self.disk, &dir.join(&name))?;
            }
        }
        Ok(())
    }
}
