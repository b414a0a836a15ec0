//! How far an import is.

use crate::find::{SourceFile, Sources};

/// How far an import is, in files and in bytes as they are stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that are done.
    pub files_done: u64,
    /// Files in all.
    pub files_total: u64,
    /// Bytes that were read.
    pub bytes_done: u64,
    /// Bytes in all.
    pub bytes_total: u64,
}

impl Progress {
    pub(crate) fn of(sources: &Sources) -> Self {
        Self {
            files_total: sources.files.len() as u64,
            bytes_total: sources.files.iter().map(|file| file.len_bytes).sum(),
            ..Self::default()
        }
    }

    pub(crate) fn within_file(self, read_bytes: u64) -> Self {
        Self { bytes_done: self.bytes_done + read_bytes, ..self }
    }

    pub(crate) fn after_file(self, file: &SourceFile) -> Self {
        Self { files_done: self.files_done + 1, bytes_done: self.bytes_done + file.len_bytes, ..self }
    }
}
