//! What a scan says of itself.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use subcortex_memory::fragments::Stored;
use subcortex_memory::{Broadcast, Line, LineHash, Trajectory};
use subcortex_spine::Cursor;

use crate::Consulted;

/// How many new fragments a report names; the rest is counted. The first scan of a long history writes hundreds of thousands.
pub const MAX_NAMED: usize = 10_000;

/// What a scan says of itself: `scan` in the JSON of `tick`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ScanReport {
    /// From where to where the log was read.
    pub range: Range,
    /// External events.
    pub events: u64,
    /// Bytes of records.
    pub bytes: u64,
    /// Turns that were over and judged.
    pub turns: u64,
    /// External events by source kind.
    pub accepted: BTreeMap<String, u64>,
    /// Events that the source gate dropped, by kind.
    pub rejected: BTreeMap<String, u64>,
    /// Records that could not be read.
    pub damaged: u64,
    /// Verdicts whose evidence did not hold: a quote that is not verbatim, a secret, a forgotten origin.
    pub refused: u64,
    /// How many fragments are new.
    pub written: u64,
    /// The new fragments, as references: the first [`MAX_NAMED`].
    pub fragments: Vec<String>,
    /// The new evidence by line.
    pub lines: Vec<LineCounts>,
    /// How many new fragments are about no line.
    pub new_signals: u64,
    /// Whether the position moved.
    pub advanced: bool,
    /// Whether there is more to read.
    pub more: bool,
    /// Turns that are not over yet.
    pub open_turns: usize,
    /// Check files that cannot be used, with the reason.
    pub check_problems: Vec<(String, String)>,
    /// Lines whose checks are not trusted, with the reason: what they say does not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_trusted: Vec<(String, String)>,
    /// What a model was asked, and what came of it.
    #[serde(skip_serializing_if = "Consulted::is_empty")]
    pub model: Consulted,
    /// Other files that were written or removed.
    #[serde(skip)]
    pub changed: Vec<String>,
    /// When the last event happened.
    #[serde(skip)]
    pub last_event_ts: Option<Timestamp>,
}

/// A range of the log.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Range {
    /// Its beginning; nothing: the beginning of the log.
    pub from: Option<Cursor>,
    /// Its end.
    pub to: Option<Cursor>,
}

/// The new evidence about one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineCounts {
    /// `memory/CLAUDE.md:L3`.
    pub line: String,
    /// Its number.
    #[serde(skip)]
    pub number: usize,
    /// Its identity.
    #[serde(skip)]
    pub hash: LineHash,
    /// Pieces that say that it was followed.
    pub strengthening: u64,
    /// Pieces that say that it was not.
    pub weakening: u64,
    /// Pieces that say neither.
    pub neutral: u64,
}

impl LineCounts {
    fn of(line: &Line) -> Self {
        let (number, hash) = (line.number, line.hash.clone());
        Self { line: line.reference(), number, hash, strengthening: 0, weakening: 0, neutral: 0 }
    }

    /// All new pieces.
    pub fn total(&self) -> u64 {
        self.strengthening + self.weakening + self.neutral
    }
}

impl ScanReport {
    /// Counts what was really written.
    pub(super) fn count(&mut self, broadcast: &Broadcast, new: &[Stored]) {
        self.written += new.len() as u64;
        let room = MAX_NAMED.saturating_sub(self.fragments.len());
        self.fragments.extend(new.iter().take(room).map(|stored| stored.path.clone()));
        for Stored { fragment, .. } in new {
            let Some(line) = &fragment.line else {
                self.new_signals += 1;
                continue;
            };
            let Some(known) = broadcast.by_hash(&line.hash) else { continue };
            self.count_line(known, fragment.trajectory);
        }
    }

    fn count_line(&mut self, line: &Line, trajectory: Trajectory) {
        let at = match self.lines.binary_search_by_key(&line.number, |counts| counts.number) {
            Ok(at) => at,
            Err(at) => {
                self.lines.insert(at, LineCounts::of(line));
                at
            }
        };
        let Some(counts) = self.lines.get_mut(at) else { return };
        match trajectory {
            Trajectory::Strengthening => counts.strengthening += 1,
            Trajectory::Weakening => counts.weakening += 1,
            Trajectory::Neutral | Trajectory::NewSignal => counts.neutral += 1,
        }
    }
}
