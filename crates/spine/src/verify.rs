//! Checks every record of the log: checksums, sequence numbers, JSON.

use std::path::Path;

use serde::Serialize;
use subcortex_model::event_type;
use subcortex_store::Disk;

use crate::day::DayFile;
use crate::error::ReadError;
use crate::reader::Item;
use crate::scan::{Summary, scan};

/// How many pieces of damage are listed one by one; all of them are counted.
const MAX_LISTED: usize = 1000;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// Day files.
    pub files: usize,
    /// Whole records.
    pub records: u64,
    /// Torn tails that were repaired in the past.
    pub repaired: u64,
    /// What is damaged now.
    pub damaged: Vec<DamageAt>,
    /// How many pieces of damage there are beyond those listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub damaged_unlisted: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde asks for
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// One piece of damage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DamageAt {
    /// The day file's name.
    pub file: String,
    /// Where it begins.
    pub offset: u64,
    /// What is wrong, in words.
    pub reason: String,
}

/// Reads the whole log and says what is damaged in it.
pub fn verify(disk: &dyn Disk, events_dir: &Path) -> Result<Verification, ReadError> {
    let scanned = scan::<Findings>(disk, events_dir)?;
    let mut damaged: Vec<DamageAt> = scanned
        .odd
        .iter()
        .map(|odd| DamageAt {
            file: odd.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            offset: 0,
            reason: format!("it is {} where a day file belongs; move it away", odd.what),
        })
        .collect();
    damaged.extend(scanned.summary.damaged);
    Ok(Verification {
        files: scanned.files.len(),
        records: scanned.summary.records,
        repaired: scanned.summary.repaired,
        damaged,
        damaged_unlisted: scanned.summary.unlisted,
    })
}

#[derive(Debug, Default)]
struct Findings {
    records: u64,
    repaired: u64,
    damaged: Vec<DamageAt>,
    unlisted: u64,
    /// The first and the last record of this part that could follow or precede another part's.
    first: Option<Numbered>,
    last: Option<Numbered>,
    /// Whether records without a number, or damage, stand before `first` or behind `last`.
    other_before_first: bool,
    other_after_last: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Numbered {
    file: String,
    offset: u64,
    seq: u64,
}

impl Summary for Findings {
    fn take(&mut self, file: &DayFile, item: Item<'_>) {
        let name = || file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match item {
            Item::Damaged { offset, damage, .. } => {
                self.list(DamageAt { file: name(), offset, reason: damage.to_string() });
                self.pass_other();
            }
            Item::Record { envelope, offset, .. } => {
                self.records += 1;
                self.repaired += u64::from(envelope.event_type == event_type::SPINE_REPAIRED);
                match envelope.seq {
                    Some(seq) => self.pass_numbered(Numbered { file: file.day.file_name(), offset, seq }),
                    None => self.pass_other(),
                }
            }
        }
    }

    fn append(&mut self, later: Self) {
        self.records += later.records;
        self.repaired += later.repaired;
        self.unlisted += later.unlisted;
        if let Some(first) = later.first {
            self.other_after_last |= later.other_before_first;
            self.pass_numbered(first);
            self.last = later.last;
            self.other_after_last = later.other_after_last;
        } else {
            self.other_after_last |= later.other_before_first || later.other_after_last;
        }
        later.damaged.into_iter().for_each(|damage| self.list(damage));
    }
}

impl Findings {
    fn list(&mut self, damage: DamageAt) {
        if self.damaged.len() < MAX_LISTED {
            self.damaged.push(damage);
        } else {
            self.unlisted += 1;
        }
    }

    fn pass_other(&mut self) {
        if self.first.is_none() {
            self.other_before_first = true;
        }
        self.other_after_last = true;
    }

    /// A number follows the one before it. Behind lines of others, or damage, it may begin again or jump.
    fn pass_numbered(&mut self, next: Numbered) {
        if let Some(last) = &self.last
            && last.file == next.file
            && next.seq != last.seq + 1
            && !self.other_after_last
        {
            let reason = format!("record {} is followed by record {}", last.seq, next.seq);
            let damage = DamageAt { file: next.file.clone(), offset: next.offset, reason };
            self.list(damage);
        }
        if self.first.is_none() {
            self.first = Some(next.clone());
        }
        self.last = Some(next);
        self.other_after_last = false;
    }
}
