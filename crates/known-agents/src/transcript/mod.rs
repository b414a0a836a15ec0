//! The session files of coding agents, turned into drafts for the spine.
//!
//! A reader is handed one line after the other and gives back drafts and counts; it opens no file. One
//! [`Reader`] reads one file from its beginning, because a few things need memory: words that wait in the
//! agent's queue, the name of a tool whose answer comes later, a message whose usage was already counted.
//!
//! Every draft carries a `source_id` that depends on the file's content alone: `<session id>/<record id>`,
//! with `#2`, `#3` … for what else the same record holds, and `<session id>/~<hash>` for records without an
//! id. Reading a file twice therefore gives the same ids, and the spine stores nothing twice.
//!
//! What an agent program also reports while it happens (to a hook, see [`crate::hooks`]) goes by an id that both
//! know: a prompt by `<session id>/<prompt or turn id>`, a call of a tool by `<session id>/<call id>`, its answer by
//! `<session id>/<call id>:output`, a memory file by session, agent and path.
//!
//! What a person may have said becomes a `channel.message`, and its `via` ([`subcortex_model::Via`]) says how it came, from
//! fields of the record alone. [`crate::ways`] lists every way by which text reaches the spine, and whose it is.
//!
//! [`reader_of`] finds out by itself whose file it reads.

pub(crate) mod bound;
pub(crate) mod choice;
pub(crate) mod counted;
pub(crate) mod counts;
pub(crate) mod draft;
pub(crate) mod json;
pub(crate) mod markup;
pub(crate) mod peek;
pub(crate) mod raw;
mod recognise;
pub(crate) mod rest;
pub(crate) mod second;
pub(crate) mod sent;
pub(crate) mod shown;

use std::path::{Path, PathBuf};

use subcortex_model::{Draft, ORDERS_CUT};

pub use bound::{MAX_INPUT_BYTES, MAX_MESSAGE_BYTES, MAX_RESULT_BYTES};
pub use counted::{Counted, Records};
pub use counts::{Counts, skipped};
pub use draft::memory_file_name;
pub use raw::lenient_json;
pub use recognise::{Fields, reader_of, recognise};
pub use rest::Rest;

/// Longer lines are passed over without being parsed, so that one line cannot exhaust the memory.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// What a reader is told about the file before its first line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Directories of subcortex itself: what agents did below them is its own work and not evidence.
    pub own_dirs: Vec<PathBuf>,
    /// The session of records that name none, such as the stem of the file's name.
    pub fallback_session: Option<String>,
    /// Whether the file is a subagent's by its place, whatever its records say.
    pub is_subagents: bool,
    /// Whether the records are told while they happen, here: then they need not say when and where.
    pub is_live: bool,
    /// What becomes of what no draft tells.
    pub rest: Rest,
}

impl Options {
    /// Whether `cwd` is one of subcortex's own directories or below one.
    pub(crate) fn is_own(&self, cwd: Option<&str>) -> bool {
        cwd.is_some_and(|cwd| self.own_dirs.iter().any(|own| Path::new(cwd).starts_with(own)))
    }
}

/// Reads one session file, line by line, in the order of the file.
pub trait Reader: Send {
    /// Takes one line, with or without its line end, and adds what it says to `drafts`.
    fn line(&mut self, line: &[u8], drafts: &mut Vec<Draft>);

    /// Says that this is all for now: what was kept back for the next line only is added, under the name that it would have had then.
    fn pause(&mut self, drafts: &mut Vec<Draft>);

    /// Says that the file will not grow any more: words that still waited for their delivery are added.
    /// A caller that follows a living file leaves this out, or the words may come a second time.
    fn finish(&mut self, drafts: &mut Vec<Draft>);

    /// Whether nothing is held back. Only then may a caller remember its place in the file and go on
    /// from there with a new reader; from an earlier place it merely meets known ids again. A format whose
    /// records can only be understood from the beginning of the file never is settled.
    fn is_settled(&self) -> bool;

    /// What was read so far.
    fn counts(&self) -> &Counts;
}

/// Of a text that somebody else than a person wrote, what is told of it.
pub fn words_of_others(text: &str, rest: Rest) -> String {
    match rest {
        Rest::Left => String::new(),
        Rest::Orders => bound::orders(text),
        Rest::All => text.to_owned(),
    }
}

/// What is told of a text of others that nobody could read: anything may have stood there.
pub fn unread_of_others() -> String {
    format!("…[not read]…{ORDERS_CUT}")
}

/// A line without its end, and without the NUL bytes that a crash or a preallocated file leaves in front.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let start = line.iter().position(|byte| *byte != 0 && !byte.is_ascii_whitespace()).unwrap_or(line.len());
    line[start..].trim_ascii_end()
}
