//! The ways of keeping a memory that are compared.

use std::collections::BTreeMap;

use jiff::Timestamp;
use subcortex_memory::Proposal;

use crate::ProofError;
use crate::acts::Decisions;
use crate::home::{Home, Spoken};
use crate::reading::{self, ReadLine};
use crate::topics::MEMORY_AT_THE_START;

/// A way of keeping a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Policy {
    /// memory-weaver, as it ships.
    Subcortex,
    /// The same, and in each session the person is asked about one proposal and answers what they want.
    Asking,
    /// There is no memory, and none is made.
    NoMemory,
    /// Whatever sounds like a rule is appended, whoever said it; nothing is ever removed.
    AppendEverything,
    /// A line goes when it was missed more often than followed; nothing else happens.
    CountersOnly,
}

impl Policy {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 5] =
        [Self::Subcortex, Self::Asking, Self::NoMemory, Self::AppendEverything, Self::CountersOnly];

    /// The name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Subcortex => "subcortex",
            Self::Asking => "subcortex that asks",
            Self::NoMemory => "no memory",
            Self::AppendEverything => "append everything",
            Self::CountersOnly => "counters only",
        }
    }
}

/// A memory under one of the policies.
pub(crate) enum Memory {
    Subcortex(Box<Home>),
    Asking(Box<Home>),
    Nothing,
    AppendEverything(String),
    CountersOnly { lines: String, counts: BTreeMap<ReadLine, (u64, u64)> },
}

/// Words by which a naive program takes a sentence for something to remember.
const REMEMBER: &[&str] = &["always", "never", "remember", "from now on", "important"];
/// How many occasions a counter needs before it speaks.
const MIN_OCCASIONS: u64 = 5;

impl Memory {
    pub(crate) fn begin(policy: Policy, now: Timestamp) -> Result<Self, ProofError> {
        Ok(match policy {
            Policy::Subcortex => Self::Subcortex(Box::new(Home::with(MEMORY_AT_THE_START, now)?)),
            Policy::Asking => Self::Asking(Box::new(Home::with(MEMORY_AT_THE_START, now)?)),
            Policy::NoMemory => Self::Nothing,
            Policy::AppendEverything => {
                Self::AppendEverything(MEMORY_AT_THE_START.to_owned() + "\n# Remembered\n\n")
            }
            Policy::CountersOnly => {
                Self::CountersOnly { lines: MEMORY_AT_THE_START.to_owned(), counts: BTreeMap::new() }
            }
        })
    }

    pub(crate) fn text(&self) -> Result<String, ProofError> {
        Ok(match self {
            Self::Subcortex(home) | Self::Asking(home) => home.broadcast()?,
            Self::Nothing => String::new(),
            Self::AppendEverything(text) | Self::CountersOnly { lines: text, .. } => text.clone(),
        })
    }

    /// Takes in a turn; hands out the id of the message where there is one.
    pub(crate) fn turn(
        &mut self,
        spoken: &Spoken<'_>,
        is_correction: bool,
        project: usize,
        done: &Decisions,
        now: Timestamp,
    ) -> Result<Option<String>, ProofError> {
        match self {
            Self::Subcortex(home) | Self::Asking(home) => return home.turn(spoken, now).map(Some),
            Self::Nothing => {}
            Self::AppendEverything(text) => {
                let all_of_it = is_correction.then_some(spoken.message);
                let answers = spoken.acts.iter().map(|act| act.answer.as_str()).chain([spoken.message]);
                let sounds = |line: &&str| REMEMBER.iter().any(|word| line.to_lowercase().contains(word));
                let remembered = answers.flat_map(str::lines).filter(sounds);
                let mut new: Vec<&str> = all_of_it.into_iter().chain(remembered).collect();
                new.dedup();
                for line in new {
                    *text += &format!("- {line}\n");
                }
            }
            Self::CountersOnly { lines, counts } => {
                count(lines, counts, project, done);
            }
        }
        Ok(None)
    }

    /// What happens now and then in the background.
    pub(crate) fn tick(&mut self, now: Timestamp) -> Result<(), ProofError> {
        if let Self::Subcortex(home) | Self::Asking(home) = self {
            home.reflect(now)?;
        }
        Ok(())
    }

    /// The proposal that a person is asked about, if any.
    pub(crate) fn proposal(&self) -> Result<Option<Proposal>, ProofError> {
        match self {
            Self::Asking(home) => home.proposal(),
            Self::Subcortex(_) | Self::Nothing | Self::AppendEverything(_) | Self::CountersOnly { .. } => {
                Ok(None)
            }
        }
    }

    /// What the person says to it.
    pub(crate) fn answer(&self, proposal: &Proposal, is_wanted: bool) -> Result<(), ProofError> {
        if let Self::Asking(home) = self {
            home.answer(proposal, is_wanted)?;
        }
        Ok(())
    }
}

/// Counts with the world's own understanding of lines: better than any real counter could.
fn count(lines: &mut String, counts: &mut BTreeMap<ReadLine, (u64, u64)>, project: usize, done: &Decisions) {
    let mut useless = Vec::new();
    for line in reading::read(lines).into_iter().filter(|line| line.holds_in(project)) {
        let Some((topic, choice)) = line.asks else { continue };
        let Some(way) = done.get(topic) else { continue };
        let (followed, missed) = counts.entry(line.clone()).or_default();
        *(if *way == choice { &mut *followed } else { &mut *missed }) += 1;
        if *missed > *followed && *followed + *missed >= MIN_OCCASIONS {
            useless.push(line.text.clone());
        }
    }
    if !useless.is_empty() {
        let kept = lines.lines().filter(|line| !useless.contains(&line.trim().to_owned()));
        *lines = kept.map(|line| format!("{line}\n")).collect();
    }
}
