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
//! What an agent program also reports while it happens (to a hook, see the crate `hooks`) goes by an id that both
//! know: a prompt by `<session id>/<prompt or turn id>`, a call of a tool by `<session id>/<call id>`, its answer by
//! `<session id>/<call id>:output`, a memory file by session, agent and path.
//!
//! What a person may have said becomes a `channel.message`, and its `via` ([`subcortex_model::Via`]) says how it came, from
//! fields of the record alone. [`WAYS`] lists every way by which text reaches the spine, and whose it is.
//!
//! Another agent's format is one more module with a reader of its records and one more variant of [`Format`].
//! [`recognising_reader`] finds out by itself whose file it reads.

mod bound;
mod choice;
mod claude;
mod codex;
mod counted;
mod counts;
mod draft;
mod markup;
mod peek;
mod raw;
mod recognise;
#[cfg(test)]
mod testkit;
mod ways;

use std::path::{Path, PathBuf};

use subcortex_model::Draft;

use counted::Counted;

pub use bound::{MAX_INPUT_BYTES, MAX_MESSAGE_BYTES, MAX_RESULT_BYTES};
pub use counts::{Counts, skipped};
pub use draft::memory_file_name;
pub use raw::lenient_json;
pub use recognise::recognising_reader;
pub use ways::{Door, Owner, WAYS, Way};

/// Longer lines are passed over without being parsed, so that one line cannot exhaust the memory.
pub const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// What a reader is told about the file before its first line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Directories of subcortex itself: what agents did below them is its own work and not evidence.
    pub own_dirs: Vec<PathBuf>,
    /// The session of records that name none, such as the stem of the file's name.
    pub fallback_session: Option<String>,
}

impl Options {
    /// Whether `cwd` is one of subcortex's own directories or below one.
    pub(crate) fn is_own(&self, cwd: Option<&str>) -> bool {
        cwd.is_some_and(|cwd| self.own_dirs.iter().any(|own| Path::new(cwd).starts_with(own)))
    }
}

/// The session files that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Claude Code: `~/.claude/projects/<project>/<session>.jsonl` and the subagents' files next to it.
    Claude,
    /// Codex: `~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl`.
    Codex,
}

impl Format {
    /// Every format, in the order in which the documentation names them.
    pub const ALL: [Self; 2] = [Self::Claude, Self::Codex];

    /// The name on the command line, which is the source kind of the drafts as well.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// A reader for one file of this format.
    pub fn reader(self, options: Options) -> Box<dyn Reader> {
        match self {
            Self::Claude => Box::new(Counted::new(claude::Claude::new(options))),
            Self::Codex => Box::new(Counted::new(codex::Codex::new(options))),
        }
    }
}

/// Reads one session file, line by line, in the order of the file.
pub trait Reader: Send {
    /// Takes one line, with or without its line end, and adds what it says to `drafts`.
    fn line(&mut self, line: &[u8], drafts: &mut Vec<Draft>);

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

/// A line without its end, and without the NUL bytes that a crash or a preallocated file leaves in front.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let start = line.iter().position(|byte| *byte != 0 && !byte.is_ascii_whitespace()).unwrap_or(line.len());
    line[start..].trim_ascii_end()
}
