//! The inbox of one partition: a directory; whoever drops a file hands over a task.
//!
//! # States
//!
//! | `<name>` in the inbox   | result in a run record | `task.done` on the spine | state    | next move                                      |
//! |-------------------------|------------------------|--------------------------|----------|------------------------------------------------|
//! | starts `.`, ends `.tmp` | any                    | any                      | writing  | none: its writer renames it                    |
//! | refused (below)         | any                    | any                      | refused  | none: a person puts it right; it stays         |
//! | the file that was taken | no                     | no                       | pending  | a run takes it, oldest first                   |
//! | the file that was taken | yes                    | no                       | settled  | write `task.done`, then remove                 |
//! | the file that was taken | any                    | yes                      | acked    | remove exactly this file, sync the directory   |
//! | none                    | no                     | no                       | gone     | none: somebody removed it before it was done   |
//! | none                    | yes                    | no                       | done     | write `task.done` (removed by hand)            |
//! | none                    | any                    | yes                      | done     | none                                           |
//! | another file            | no                     | no                       | replaced | none: the new file is a task of its own        |
//! | another file            | yes                    | no                       | replaced | write `task.done`; the new file stays, pending |
//! | another file            | any                    | yes                      | replaced | none; the new file stays, pending              |
//!
//! The rows from `pending` on are decided by [`subcortex_cadence::ack::recover`], and by nothing else;
//! [`look`] only looks at the disk for it.
//!
//! # Rules
//!
//! - A task is its name *and* its content ([`task_key`]): a new body under an old name is a new task. A file of the
//!   same name and content that was dropped again is recognised by its stamp ([`stamp_of`]: inode and time of change).
//! - Refused, with a reason, and left where they are: symbolic links, directories, FIFOs, sockets, devices; names with
//!   control characters, with characters that turn or hide text, or that are not UTF-8; more than
//!   [`MAX_TASK_BYTES`]; files that cannot be read. A task is never cut short.
//! - [`drop_task`]: `.<name>….tmp`, sync, rename without replacing, sync the directory. So a task is missing or whole.
//! - [`ack`]: the caller has made the result and `task.done` durable *before*. Only the file that was taken is
//!   removed, then the directory is synced. Done twice it is done once.
//! - Markers (`[memory:claude-compress] …`) are transport: they say where a task goes, the prose says what to do.
//!
//! # Not promised
//!
//! - An engine may be started twice for one task (crash after its work, before its result is durable). Its effects
//!   carry the task's key, so that they are not doubled.
//! - Somebody who overwrites a task's file in the microseconds between the last look of [`ack`] and the removal loses
//!   that edit: no system call removes a file only if it is unchanged. Droppers who rename without replacing, as
//!   [`drop_task`] does, cannot get there.

mod ack;
mod body;
mod dropping;
mod error;
mod list;
mod marker;
mod names;
pub mod notices;
mod render;
mod shared;

pub use ack::{Acked, ack, ack_all, look};
pub use body::{Body, MAX_TASK_BYTES, read_body, stamp_of, task_key};
pub use dropping::{check_task, default_name, drop_many, drop_task};
pub use error::InboxError;
pub use list::{Known, Listing, MAX_REFUSED_LISTED, Refused, Task, list, list_again, survey};
pub use marker::{MAX_MARKER_CHARS, marker, matches};
pub use names::is_ignored;
pub use render::{render, shown_in_prompt};
pub use shared::{Consumer, Undeliverable, addressee, hand_over, keys_when_handed_over};
