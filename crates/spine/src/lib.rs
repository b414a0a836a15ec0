//! The spine: the append-only log of what people and agents really did.
//!
//! # Files
//!
//! | path below `var/` | what |
//! |---|---|
//! | `events/<yyyy-mm-dd>.jsonl` | one JSON object a line; the UTC day on which it was *appended* |
//! | `events/<yyyy-mm-dd>.jsonl.zst` | the same bytes, compressed, for days that are over |
//! | `events/.lock` | held (`flock`) by whoever appends |
//! | `quarantine/` | bytes that were cut off a torn tail |
//! | `index/dedup/` | which `dedup.source_id` is stored where; may be deleted, is rebuilt |
//!
//! # A line
//!
//! ```text
//! {"id":…,"ts":…,"type":…,"source":{"kind":…},"session_key":…,"turn":…,"cwd":…,"dedup":{"source_id":…},"payload":{…},"seq":7,"crc":"89abcdef"}
//! ```
//!
//! `seq` counts from 1 within a file. `crc` is the CRC-32 of all bytes of the line before `,"crc":"`, in
//! eight lower-case hexadecimal digits. Lines that others wrote have neither and may order their keys
//! as they like; they are read as well.
//!
//! # What is promised
//!
//! - A record that [`Spine::append`] acknowledged survives the death of any process at any moment, and
//!   with [`Durability::Synced`] a power cut.
//! - A torn tail is repaired before the next append; whole records before it stay. Damage elsewhere is
//!   reported by every reader and never skipped in silence.
//! - Records of one file stand in the order of their `seq`, and days in the order of their names, so a
//!   position never has to go back.
//!
//! Not promised: protection from somebody who may write to the home (a CRC is no signature), or from a
//! disk that lies about `fsync`, or a network file system without `flock`.

mod compress;
mod contest;
mod cursor;
mod day;
mod dedup;
mod envelope;
mod error;
mod lines;
mod reader;
mod record;
mod repair;
mod salvage;
mod scan;
mod spine;
mod stats;
mod verify;

pub use compress::{Compressed, compress_old_days, remove_expired_days};
pub use cursor::Cursor;
pub use day::{Day, DayFile, OddEntry, list_days};
pub use dedup::SetAside;
pub use envelope::Envelope;
pub use error::{AppendError, ReadError};
pub use lines::MAX_LINE_BYTES;
pub use reader::{Item, Reader};
pub use record::MAX_RECORD_BYTES;
pub use repair::Repair;
pub use salvage::Damage;
pub use spine::{Appended, Durability, Spine, SpineDirs};
pub use stats::{Stats, stats};
pub use verify::{DamageAt, Verification, verify};
