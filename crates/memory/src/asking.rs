//! `state/asking.json`: which proposals were put to a person through an agent, in which sessions, and what was answered. Names only.
//!
//! ```json
//! {"put":[{"proposal":"prop_…","session":"8a1f…","ts":"2026-01-02T03:04:05Z","answer":"yes"}]}
//! ```
//!
//! What is put is noted before it is said, so that nothing is put twice; who finds the file changed meanwhile puts nothing.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_store::Disk;
use subcortex_store::durable;

use crate::{ChangeKind, MemoryFolder, Proposal, Trouble, state_file};

const NAME: &str = "asking";
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;
/// How many questions are remembered: the latest.
const MAX_KEPT: usize = 500;
/// How often a proposal is put to a person who does not answer it.
pub const MAX_PUT: usize = 3;

/// How an agent is told to ask about a rule, word for word: the rule follows, and nothing else.
pub const QUESTION: &str = "Shall I remember this rule for good:";

/// What was put to people.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Asking {
    /// The questions, oldest first.
    pub put: Vec<Put>,
}

/// One proposal that was put to a person in one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Put {
    /// Which one.
    pub proposal: String,
    /// Where.
    pub session: String,
    /// When the agent was told to ask.
    pub ts: Timestamp,
    /// What the person said, if they said something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Said>,
}

/// What a person said to a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Said {
    /// Plainly yes.
    Yes,
    /// Plainly no: it still waits, and is not put again.
    No,
    /// Something else.
    Other,
}

impl Asking {
    /// Reads the file, and what has to be there still when it is written.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<(Self, Option<Vec<u8>>), Trouble> {
        let path = folder.state(NAME);
        let understand =
            |text: &str| Some((serde_json::from_str(text).ok()?, Some(text.as_bytes().to_owned())));
        Ok(state_file::read(disk, &path, MAX_BYTES, understand)?.unwrap_or_default())
    }

    /// Writes the file, unless somebody else did so since it was read.
    pub fn write(
        mut self,
        disk: &dyn Disk,
        folder: &MemoryFolder,
        read: Option<&[u8]>,
    ) -> Result<(), Trouble> {
        self.put.drain(..self.put.len().saturating_sub(MAX_KEPT));
        let path = folder.state(NAME);
        durable::make_dirs(disk, folder.root(), std::path::Path::new("state"))?;
        let mut text = serde_json::to_string(&self)
            .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
        text.push('\n');
        Ok(durable::replace_if_unchanged(disk, &path, read, text.as_bytes())?)
    }

    /// The new rule that may be put to the person of a session: the best founded that holds there. At most one in a session, and each
    /// at most [`MAX_PUT`] times.
    pub fn next<'p>(
        &self,
        waiting: &'p [Proposal],
        session: &str,
        cwd: Option<&str>,
    ) -> Option<&'p Proposal> {
        if self.put.iter().any(|put| put.session == session) {
            return None;
        }
        let holds_here = |project: &str| {
            cwd.is_some_and(|cwd| std::path::Path::new(cwd).starts_with(project.trim_end_matches('/')))
        };
        waiting.iter().find(|proposal| {
            let before: Vec<&Put> = self.put.iter().filter(|put| put.proposal == proposal.id).collect();
            let change = &proposal.change;
            change.kind == ChangeKind::Add
                && change.after.is_some()
                && change.project.as_deref().is_none_or(holds_here)
                && before.len() < MAX_PUT
                && before.iter().all(|put| matches!(put.answer, None | Some(Said::Other)))
        })
    }
}

impl Proposal {
    /// The words of the rule, without a list mark.
    pub fn rule(&self) -> Option<&str> {
        self.change.after.as_deref().map(|after| after.trim().trim_start_matches(['-', '*', '+']).trim())
    }
}
