//! What a partition that is only a prompt is told, and the loop in which a model works through tools.
//!
//! # A step
//!
//! [`work()`] asks a [`Mind`](subcortex_mind::Mind) at most `max_steps` times. A question holds the rules, [`whoami`], the
//! partition's own instructions, the state of its scratchpad as YAML, what the earlier steps of this run gave, the tools
//! and the inbox. The answer is one JSON object `{"tool": …, "args": {…}}`; prose around it is passed over, and of several
//! objects the first counts.
//!
//! | tool                | args                         | what it does                                                    |
//! |---------------------|------------------------------|-----------------------------------------------------------------|
//! | `echo`              | `text` or `message`          | gives the text back                                             |
//! | `shell`             | `program`, `args`; `command` | starts a program of the allow-list; there is no shell           |
//! | `read_file`         | `path`, `offset`             | a part of a text file below a root                              |
//! | `write_file`        | `path`, `content`            | a whole file below a write root, atomically                     |
//! | `http_get`          | `url`                        | a page, through [`Fetch`], which decides where it may go        |
//! | `blackboard_read`   |                              | the thread of its supervised run, through [`Blackboard`]        |
//! | `blackboard_append` | `entry`                      | an entry in the run's own name and role                         |
//! | `drop_task`         | `task`                       | a task for another partition, through the shared inbox          |
//! | `update_scratchpad` | keys of the state            | see `tools::scratchpad`                                         |
//! | `done`              | `summary`                    | ends the loop; the last line of the summary is the result line  |
//!
//! # Notes
//!
//! Each step leaves one line in the state's notes: `[TOOL] name(args) → result`, `[TOOL ERROR] name(args) → why`, `[UNKNOWN TOOL] name`,
//! `[PARSE ERROR] why` or `[COMPLETED] summary`, with what follows the mark cut at [`MAX_NOTE_CHARS`] characters. What a worker notes
//! itself begins with `[NOTE]`, so it cannot pass for one of these. A failing step is a note, not an end.
//!
//! # What a model can cause
//!
//! Whatever it answers: files below the write roots (see `place` and `walk`), its own state within the limits of
//! [`State`](subcortex_scratchpad::State), programs that a person allowed, pages that `Fetch` allows, and a few
//! tasks for other partitions. It acks nothing:
//! the summary is text that the daemon judges.

mod answer;
mod ask;
mod identity;
mod notes;
mod place;
mod prompt;
mod question;
mod shown_args;
mod step;
mod tasks;
mod text;
mod tools;
mod trace;
mod walk;
mod work;

pub use ask::{ExitReport, ask_for_scratchpad};
pub use identity::{Identity, whoami};
pub use notes::MAX_NOTE_CHARS;
pub use prompt::prompt;
pub use subcortex_mind::{Fetch, Fetched, Fetching};
pub use tasks::{complete, take_up};
pub use tools::scratchpad::{OWN_KEYS, update_own};
pub use tools::{BLACKBOARD_TOOLS, Blackboard, Letterbox, TOOL_NAMES, Tools};
pub use work::{Exit, Job, Misread, Worked, work};
