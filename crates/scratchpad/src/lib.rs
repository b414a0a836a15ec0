//! The scratchpad of a worker: its own durable memory, replaced whole after every cycle.
//!
//! # Files in `subconscious/<worker>/scratchpad/`
//!
//! | name                  | what                                                                                |
//! |-----------------------|-------------------------------------------------------------------------------------|
//! | `active.yaml`         | the state between cycles                                                            |
//! | `<cycle>_before.yaml` | exactly what a cycle read, written before any work                                  |
//! | `<cycle>_after.yaml`  | the state at its end, written before `last_updated` is stamped and `active.yaml` replaced |
//!
//! A cycle is named by its start in UTC, `20261114_083700`, with `-2`, `-3` … when the name is taken. The newest
//! [`KEPT_PAIRS`] pairs are kept.
//!
//! # `active.yaml`
//!
//! ```yaml
//! goals: []
//! current_task: null
//! pending_actions: []
//! completed_tasks: []
//! notes: ""            # at most 64 KiB; beyond it the oldest lines go
//! scratchpad: ""       # free text, at most 10,000 characters
//! last_updated: null   # RFC 3339, when this file was written
//! ```
//!
//! - A missing file, a missing key or a key without a value means the default. Keys that a worker adds are kept.
//! - A file that cannot be read as this (no YAML, wrong types, too long, a link) is moved to quarantine, and the defaults
//!   are used. A file that the disk cannot give is an error, and stays.
//! - Secrets are replaced before anything is written. So a *before* that would hold one (a person typed it into the
//!   file) holds what was read with the secret replaced, and every other *before* is the very bytes.
//!
//! # How a cycle ends
//!
//! | what happened                                     | `<cycle>_after.yaml`          | `active.yaml`                    |
//! |---------------------------------------------------|-------------------------------|----------------------------------|
//! | [`Cycle::finish`]                                 | the new state                 | the same, stamped                |
//! | [`Cycle::keep_change`], while it lasts            | not yet                       | what was read, with the change   |
//! | [`Cycle::fail`]                                   | what was read, and a note     | the same, stamped                |
//! | [`Cycle::fail`] after [`Cycle::keep_so_far`]      | what was kept, and a note     | the same, stamped                |
//! | killed, then [`recover_interrupted`]              | what was read, and a note     | the same, stamped                |
//! | killed between the two writes of `finish`, `fail` | the new state                 | what was read                    |
//!
//! The note is `Cycle <id> failed: <error>` on a line of its own; earlier notes stay. At every moment `active.yaml` is
//! the old or the new one, whole. [`reset`] is such a cycle, too: its new state is the default. Whoever else changed it during a cycle finds that version in quarantine.

mod active;
mod cycle;
mod cycle_id;
mod error;
mod interrupted;
mod reset;
mod snapshots;
mod state;
mod trace;
mod yaml;

pub use active::{ACTIVE_FILE, MAX_ACTIVE_BYTES, Quarantined, Read, read};
pub use cycle::{Cycle, Ended, KeepError};
pub use cycle_id::CycleId;
pub use error::ScratchpadError;
pub use interrupted::{INTERRUPTED, recover_interrupted};
pub use reset::reset;
pub use snapshots::{KEPT_PAIRS, after, before};
pub use state::{MAX_NOTES_BYTES, MAX_TEXT_CHARS, State, TextTooLong, UPDATED};
pub use trace::{KEPT_TRACES, MAX_TRACE_BYTES, trace_path, write_trace};
