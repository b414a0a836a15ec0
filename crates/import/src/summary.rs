//! What came of an import.

use std::collections::BTreeMap;

use serde::Serialize;
use subcortex_known_agents::transcript::Counts;

use crate::find::Problem;
use crate::outbox::Tally;

/// The reasons that this crate adds to those of the transcript readers.
pub mod skipped {
    /// A file that was there a moment ago.
    pub const FILE_GONE: &str = "file_gone";
    /// A file or folder that the system does not let us read.
    pub const FILE_UNREADABLE: &str = "file_unreadable";
    /// A file that became shorter while it was read; what was read of it counts.
    pub const FILE_SHRANK: &str = "file_shrank";
    /// A compressed file that is damaged; what came before the damage counts.
    pub const FILE_DAMAGED: &str = "file_damaged";
    /// A link inside a folder; links are not followed.
    pub const FILE_LINK: &str = "file_link";
    /// A file that was named, and lies where the agent or its tools write.
    pub const FILE_OF_OTHERS: &str = "file_of_others";
    /// A file of another project than the one that was asked for.
    pub const OTHER_PROJECT: &str = "other_project";
    /// A last line that is not whole yet.
    pub const UNFINISHED: &str = "unfinished";
    /// Words that wait for their delivery in a file that may still grow.
    pub const WAITING: &str = "waiting";
    /// An event that the spine refuses, because it is too large.
    pub const REFUSED: &str = "refused";
}

/// What came of an import. Serialised, it is the answer for programs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Files that were read.
    pub files: u64,
    /// Lines in them that were not blank.
    pub records: u64,
    /// Events that are new on the spine.
    pub events: u64,
    /// What gave no event, by reason: those of the transcript readers, and [`skipped`].
    pub skipped: BTreeMap<&'static str, u64>,
    /// Events that were on the spine already.
    pub duplicates: u64,
    /// The files that were left out, for people.
    #[serde(skip)]
    pub problems: Vec<Problem>,
}

impl Summary {
    /// Whether there was something to read, and nothing of it could be.
    pub fn is_all_unreadable(&self) -> bool {
        self.files == 0 && !self.problems.is_empty()
    }

    pub(crate) fn skip(&mut self, reason: &'static str, n: u64) {
        if n > 0 {
            *self.skipped.entry(reason).or_default() += n;
        }
    }

    /// Counts a file or folder that is left out.
    pub fn add_problem(&mut self, problem: Problem) {
        self.skip(problem.reason, 1);
        self.problems.push(problem);
    }

    /// Adds what came of other files.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.records += other.records;
        self.events += other.events;
        self.duplicates += other.duplicates;
        for (reason, n) in other.skipped {
            self.skip(reason, n);
        }
        self.problems.extend(other.problems);
    }

    pub(crate) fn add_counts(&mut self, counts: &Counts) {
        self.records += counts.records;
        for (reason, n) in &counts.skipped {
            self.skip(reason, *n);
        }
    }

    pub(crate) fn add_appended(&mut self, tally: Tally) {
        self.events += tally.events;
        self.duplicates += tally.duplicates;
        self.skip(skipped::REFUSED, tally.refused);
    }
}
