//! What each run did: one JSON file a run, and one line a run in a log for people.
//!
//! # Files
//!
//! | path below `var/runs/`       | what                                                                          |
//! |------------------------------|-------------------------------------------------------------------------------|
//! | `<yyyy-mm-dd>/<run-id>.json` | the record of one run, in the folder of the UTC day on which it started        |
//! | `<yyyy-mm-dd>/<run-id>.open.jsonl` | the same while it runs, see [`settle`]: its head, then a line for each settled task |
//! | `run-log.md`                 | one line a run: when, which, whose, what came of it, how many tasks, how long  |
//!
//! # A record
//!
//! ```json
//! { "run_id": "20261114T083700-17", "partition": "memory-weaver", "mode": "directed", "engine": "builtin", "tick": 412,
//!   "started_at": "2026-11-14T08:37:00Z", "ended_at": "2026-11-14T08:51:42Z", "took_ms": 882711, "outcome": "terminal",
//!   "result": "UPDATED: 3 lines", "reason": null, "subagents": ["spine-scanner"],
//!   "tasks": [{"name": "prune.md", "key": "5f…", "body": "…", "result": "UPDATED: 3 lines", "acked": true, "reason": null}],
//!   "acked": ["prune.md"], "pending": [], "changed": ["memory/CLAUDE.md"],
//!   "evidence": [{"line": "memory/CLAUDE.md:L3", "new": 1, "prior": 2, "total": 3}], "scan": null,
//!   "tokens": null, "cost_usd": null, "survivors_killed": 0, "output": "…", "errors": "" }
//! ```
//!
//! - The file is written whole when the run has ended. Until then what became of its tasks stands in the open file;
//!   readers see one record in either case, with `ended_at` null and `outcome` empty while the run goes on. A record that
//!   is written twice is the same record.
//! - A task with `acked: true` and a terminal result is finished, whether or not its file has left the inbox yet: the
//!   record is durable first. That is where a crash looks again ([`TaskRecord::is_finished`]).
//! - Every text is redacted before it is written. Bodies are kept up to [`MAX_BODY_BYTES`] each, which is as long as a
//!   task can be, and [`MAX_BODIES_BYTES`] together; outputs are cut to their last [`MAX_OUTPUT_BYTES`].
//! - Fields that this version does not know are kept when a record is read and written again.
//! - Limits on age and number: [`Limits`], applied by [`prune`]. Empty day folders stay. The log is cut to its newer
//!   half beyond [`MAX_LOG_BYTES`].

mod days;
mod ended;
mod error;
mod files;
mod forget;
mod journal;
mod log;
mod prune;
mod record;
mod redacted;
mod run_mode;
mod summary;
mod text;

pub use ended::Ended;
pub use error::RunsError;
pub use files::{find, list, load, write};
pub use forget::forget_names;
pub use journal::{settle, sync_settled};
pub use log::{LOG_FILE, MAX_LOG_BYTES, append_log};
pub use prune::{Limits, prune};
pub use record::{CycleRecord, Evidence, ExitRecord, RunRecord, SeenTo, TaskRecord};
pub use redacted::{MAX_BODIES_BYTES, MAX_BODY_BYTES, MAX_OUTPUT_BYTES, MAX_REASON_CHARS};
pub use run_mode::RunMode;
pub use summary::{Summary, TaskSummary};
