//! spine-scanner: turns are held against the checks of the broadcast, and what they show becomes fragments.
//!
//! A scan goes on behind the last one (or where a task says), takes a bounded range of the log, and judges each turn
//! that is over: by the next prompt of its session, by the session's end, or by [`SILENCE`]. A person's words are heard
//! at once. The position is written after the fragments are durable, so a scan that dies is simply done again, and
//! what it had written stays as it is.

mod doubt;
mod evidence;
mod listener;
mod log;
mod others;
mod pass;
mod pasts;
mod recurring;
mod report;
mod scan;
mod sessions;

pub use doubt::MAX_QUESTIONS as MAX_TURNS_ASKED;
pub use listener::MAX_QUESTIONS as MAX_BATCHES_HEARD;
pub use report::{LineCounts, MAX_NAMED, Range, ScanReport};
pub use scan::{
    MAX_BYTES_A_SCAN, MAX_EVENTS_A_SCAN, NOTHING_FOUND, SILENCE, ScanRequest, has_news, scan, unread,
};
