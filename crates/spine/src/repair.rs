//! The tail of a day file, before something is appended behind it.
//!
//! | what stands behind the last whole line | what is done |
//! |---|---|
//! | nothing | nothing |
//! | one whole record without its newline | the newline is added |
//! | bytes without any whole record (half a record, NULs, broken UTF-8) | copied to quarantine, then cut off |
//! | whole records fused with such bytes | all of it copied to quarantine, then the file is replaced by one with each whole record on a line of its own |
//!
//! Each row can be cut short by a crash anywhere and be done again: the quarantined copy is durable before
//! anything is cut, and the replacement is one rename. Broken lines with whole lines behind them are not the
//! tail; they stay where they are and are reported by every reader.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use subcortex_store::{Disk, DiskFile, durable};

use crate::error::AppendError;
use crate::lines::{FileReader, Lines, MAX_LINE_BYTES, RawLine};
use crate::record::{Seal, seal};
use crate::salvage::{Damage, whole_records};
use crate::{envelope::Envelope, spine::SpineDirs};

/// How far back the first look goes, in bytes; doubled until a whole line is found.
const FIRST_LOOK_BYTES: u64 = 64 * 1024;
/// How far back a sequence number is looked for behind lines of others, which have none.
const SEQ_LOOK_BYTES: u64 = 1024 * 1024;
/// How much of a torn tail is searched for whole records, in bytes, counted from its end.
const MAX_SEARCHED_BYTES: u64 = 4 * MAX_LINE_BYTES as u64;

/// What was done to a torn tail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The day file.
    pub file: PathBuf,
    /// Where the torn part began.
    pub offset: u64,
    /// How many bytes were cut off.
    pub cut_bytes: u64,
    /// How many whole records were found among them and kept.
    pub kept_records: u64,
    /// Where the torn bytes are now, if any were cut.
    pub quarantined: Option<PathBuf>,
    /// What was wrong, in words.
    pub reason: String,
}

/// A tail behind which the next record can be appended.
#[derive(Debug)]
pub(crate) struct Tail {
    /// The length of the file.
    pub(crate) len: u64,
    /// The number of the last record that has one.
    pub(crate) seq: u64,
    /// What had to be done first.
    pub(crate) repair: Option<Repair>,
}

/// Looks at the end of a day file and repairs it if needed. The caller holds the lock of the spine.
pub(crate) fn sound_tail(
    disk: &dyn Disk,
    dirs: &SpineDirs,
    path: &Path,
    file: &dyn DiskFile,
) -> Result<Tail, AppendError> {
    let len = file.len().map_err(AppendError::io("measure", path))?;
    let look = look_back(file, len).map_err(AppendError::io("read", path))?;
    if look.good_end == len {
        return Ok(Tail { len, seq: look.seq, repair: None });
    }
    let torn = Torn::read(file, look.good_end, len).map_err(AppendError::io("read", path))?;
    torn.repair(disk, dirs, path, file, look.seq)
}

/// The last sound line of a file.
struct Look {
    /// The byte behind its newline; 0 when there is none.
    good_end: u64,
    /// The highest sequence number seen; 0 when there is none.
    seq: u64,
}

fn look_back(file: &dyn DiskFile, len: u64) -> io::Result<Look> {
    let mut window = FIRST_LOOK_BYTES;
    loop {
        let from = len.saturating_sub(window);
        let look = look_from(file, from)?;
        let found_end = look.good_end > from;
        if from == 0 || (found_end && (look.seq > 0 || window >= SEQ_LOOK_BYTES)) {
            return Ok(look);
        }
        window *= 4;
    }
}

/// Reads forward from `from`, which may be in the middle of a line.
fn look_from(file: &dyn DiskFile, from: u64) -> io::Result<Look> {
    let mut lines = Lines::new(FileReader::new(file, from), from);
    let mut look = Look { good_end: 0, seq: 0 };
    while let Some(line) = lines.next()? {
        let RawLine::Whole { offset, bytes } = line else { continue };
        let in_the_middle = offset == from && from > 0;
        if !in_the_middle && is_sound(bytes) {
            look.good_end = offset + bytes.len() as u64 + 1;
            if let Seal::Whole { seq, .. } = seal(bytes) {
                look.seq = look.seq.max(seq);
            }
        }
    }
    Ok(look)
}

/// A whole record, an empty line, or somebody's JSON that is no event: nothing that a torn write leaves.
fn is_sound(line: &[u8]) -> bool {
    line.is_empty() || Envelope::parse(line).map_or_else(Damage::is_foreign, |_| true)
}

/// The bytes behind the last sound line.
struct Torn {
    from: u64,
    to: u64,
    /// The end of them, or all.
    bytes: Vec<u8>,
    /// The whole records in `bytes`.
    records: Vec<std::ops::Range<usize>>,
}

impl Torn {
    fn read(file: &dyn DiskFile, from: u64, to: u64) -> io::Result<Self> {
        let searched_from = from.max(to.saturating_sub(MAX_SEARCHED_BYTES));
        let mut bytes = Vec::new();
        FileReader::new(file, searched_from).take(to - searched_from).read_to_end(&mut bytes)?;
        let records = whole_records(&bytes);
        Ok(Self { from, to, bytes, records })
    }

    fn is_one_whole_record(&self) -> bool {
        let all = self.bytes.len() as u64 == self.to - self.from;
        all && matches!(&*self.records, [only] if *only == (0..self.bytes.len()))
    }

    fn repair(
        self,
        disk: &dyn Disk,
        dirs: &SpineDirs,
        path: &Path,
        file: &dyn DiskFile,
        seq: u64,
    ) -> Result<Tail, AppendError> {
        let seq = self.sequence().unwrap_or(seq).max(seq);
        if self.is_one_whole_record() {
            let len = self.to;
            durable::append(file, len, b"\n")?;
            return Ok(self.tail(path, len + 1, seq, None, "the last record had no newline"));
        }
        let quarantined = self.quarantine(disk, dirs, path, file)?;
        if self.records.is_empty() {
            file.truncate(self.from).map_err(AppendError::io("cut the torn end of", path))?;
            let (len, reason) = (self.from, self.reason());
            return Ok(self.tail(path, len, seq, Some(quarantined), reason));
        }
        let len = self.replace_file(disk, path, file)?;
        Ok(self.tail(path, len, seq, Some(quarantined), "whole records were fused with a torn one"))
    }

    fn reason(&self) -> &'static str {
        if self.bytes.contains(&0) {
            "the file ended in NUL bytes"
        } else if std::str::from_utf8(&self.bytes).is_err() {
            "the file ended in the middle of a character"
        } else {
            "the file ended in the middle of a record"
        }
    }

    fn sequence(&self) -> Option<u64> {
        let numbers = self.records.iter().filter_map(|range| match seal(self.bytes.get(range.clone())?) {
            Seal::Whole { seq, .. } => Some(seq),
            Seal::Absent | Seal::Broken => None,
        });
        numbers.max()
    }

    fn tail(self, path: &Path, len: u64, seq: u64, quarantined: Option<PathBuf>, reason: &str) -> Tail {
        let repair = Repair {
            file: path.to_owned(),
            offset: self.from,
            cut_bytes: if quarantined.is_some() { self.to - self.from } else { 0 },
            kept_records: self.records.len() as u64,
            quarantined,
            reason: reason.to_owned(),
        };
        Tail { len, seq, repair: Some(repair) }
    }

    /// Keeps the torn bytes. The name is made of what is kept, so that doing it again writes the same file.
    fn quarantine(
        &self,
        disk: &dyn Disk,
        dirs: &SpineDirs,
        path: &Path,
        file: &dyn DiskFile,
    ) -> Result<PathBuf, AppendError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hash = blake3::hash(&self.bytes).to_hex();
        let short = hash.get(..12).unwrap_or_default();
        let kept = dirs.quarantine.join(format!("{name}.{}.{short}", self.from));
        disk.make_dir(&dirs.quarantine).map_err(AppendError::io("make", &dirs.quarantine))?;
        durable::replace_with(disk, &kept, |out| copy_range(file, self.from, self.to, out, 0))?;
        Ok(kept)
    }

    /// Puts a copy in the file's place in which each whole record has a line of its own.
    fn replace_file(&self, disk: &dyn Disk, path: &Path, file: &dyn DiskFile) -> Result<u64, AppendError> {
        let len = durable::replace_with(disk, path, |out| {
            let mut len = copy_range(file, 0, self.from, out, 0)?;
            for range in &self.records {
                len = write_all_at(out, self.bytes.get(range.clone()).unwrap_or_default(), len)?;
                len = write_all_at(out, b"\n", len)?;
            }
            Ok(len)
        })?;
        Ok(len)
    }
}

/// Copies a part of a file, and says where the copy ends.
fn copy_range(file: &dyn DiskFile, from: u64, to: u64, out: &dyn DiskFile, mut at: u64) -> io::Result<u64> {
    const COPY_BYTES: usize = 1024 * 1024;
    let mut reader = FileReader::new(file, from).take(to - from);
    let mut buffer = vec![0; COPY_BYTES];
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            return Ok(at);
        }
        at = write_all_at(out, buffer.get(..read).unwrap_or_default(), at)?;
    }
}

fn write_all_at(out: &dyn DiskFile, mut bytes: &[u8], mut offset: u64) -> io::Result<u64> {
    while !bytes.is_empty() {
        let written = out.write_at(bytes, offset)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(written..).unwrap_or_default();
        offset += written as u64;
    }
    Ok(offset)
}
