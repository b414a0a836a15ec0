//! The files below `memory/`: what they hold, how they are read, and how they are written.
//!
//! | path below `memory/` | what | type |
//! |---|---|---|
//! | `CLAUDE.md` | the broadcast, one rule a line | [`Broadcast`] |
//! | `checks/<line hash>.yaml` | how a line is understood | [`check_files`] |
//! | `fragments/<yyyy-mm-dd>/*.md` | one piece of evidence each, by the day on which it happened | [`Fragment`] |
//! | `state/spine-scanner.json` | how far the log has been read | [`ScannerState`] |
//! | `state/forgotten.json` | origins that are never evidence again | [`Forgotten`] |
//! | `state/fragments.json` | which fragments this home made itself | [`MadeHere`] |
//! | `state/asking.json` | proposals that were put to people through an agent | [`Asking`] |
//! | `journal.jsonl` | every edit of the broadcast | [`Edit`] |
//! | `proposals/<id>.yaml` | edits that wait for a yes | [`Proposal`] |
//!
//! This crate knows formats, not decisions: what a line means, who writes what and why stands in `weaver`.

mod asking;
mod broadcast;
pub mod check_files;
mod folder;
mod forgotten;
mod fragment;
mod fragment_text;
pub mod fragments;
mod journal;
mod made_here;
mod proposal;
mod scanner_state;
pub mod state_file;
mod trouble;

pub use asking::{Asking, MAX_PUT, Put, QUESTION, Said};
pub use broadcast::{Broadcast, Line, LineHash, MAX_BROADCAST_BYTES, pointers_of};
pub use check_files::{LineCheck, MadeBy};
pub use folder::MemoryFolder;
pub use forgotten::Forgotten;
pub use fragment::{Broken, Fragment, JudgedBy, LineRef, Origin, SignalKind, Trajectory};
pub use journal::{Cause, Change, ChangeKind, Edit, EvidenceRef, Journal, Rate};
pub use made_here::MadeHere;
pub use proposal::{Proposal, Proposals};
pub use scanner_state::{ScannerState, SessionPosition};
pub use trouble::Trouble;

/// The worker that reads and edits these files; its partition has this name.
pub const WEAVER: &str = "memory-weaver";

/// What the tasks say that a check of the memory posts, so that whoever reads them knows what they are.
pub mod notice_words {
    /// The task waits for a person: no worker can do it.
    pub const GOES_AWAY: &str = "This task goes away by itself";
    /// Nobody has to do anything.
    pub const FOR_INFORMATION: &str = "For your information: ";
}
