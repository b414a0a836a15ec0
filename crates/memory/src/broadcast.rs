//! The broadcast as a map of its rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use subcortex_checks::line_hash;
use subcortex_checks::reading::{MAX_RULES_BYTES, RulesFile};
use subcortex_store::Disk;
use subcortex_store::durable::{self, Patience, ReadError};

use crate::{MemoryFolder, Trouble};

/// The largest broadcast that is read, in bytes. Whoever reads it makes tests of all its rules, so this also bounds for how long a run
/// goes on behind a kill switch, and a command until it answers.
pub const MAX_BROADCAST_BYTES: u64 = MAX_RULES_BYTES;

/// The identity of a line: the hash of its normalised text and of its project section, and an ordinal where the same rule
/// stands twice. It stays the same when the line moves.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LineHash(String);

impl LineHash {
    /// The identity of the `ordinal`-th (from 1) such rule in its section.
    pub fn of(text: &str, project: Option<&str>, ordinal: usize) -> Self {
        let hash = match project {
            None => line_hash(text),
            // The section is part of the text that is hashed, so the same words for two projects are two rules.
            Some(project) => line_hash(&format!("{project}: {}", line_hash(text))),
        };
        Self(if ordinal > 1 { format!("{hash}-{ordinal}") } else { hash })
    }

    /// Takes over a hash that was read from a file.
    pub fn from_file(hash: impl Into<String>) -> Self {
        Self(hash.into())
    }

    /// The hash of the words alone, whichever of several equal lines it names.
    pub fn of_words(&self) -> &str {
        self.0.split_once('-').map_or(&self.0, |(words, _)| words)
    }

    /// The hash as it stands in files.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One rule of the broadcast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The line as written.
    pub text: String,
    /// All of the rule, which may go on in further lines, without the list mark.
    pub rule: String,
    /// What it stands in, outermost first: headings, and the items that it is nested in.
    pub context: Vec<String>,
    /// The code block that follows it.
    pub code: Option<String>,
    /// Its identity.
    pub hash: LineHash,
    /// The project that its section names.
    pub project: Option<String>,
    /// What it points to: `topic-x`, `entity-x`.
    pub pointers: Vec<String>,
}

impl Line {
    /// The line as references name it: `memory/CLAUDE.md:L3`.
    pub fn reference(&self) -> String {
        format!("{}:L{}", MemoryFolder::BROADCAST_REF, self.number)
    }
}

/// The broadcast, read once. How its lines are understood is for others to say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Broadcast {
    /// Its content; `None` when there is no such file.
    pub text: Option<String>,
    /// Its rules, in order.
    pub lines: Vec<Line>,
}

impl Broadcast {
    /// The file that holds the broadcast: people keep it elsewhere, too, and leave a link in its place.
    pub fn file(disk: &dyn Disk, folder: &MemoryFolder) -> Result<PathBuf, Trouble> {
        Ok(durable::follow_link(disk, &folder.broadcast())?)
    }

    /// Reads the broadcast once nobody writes to it: what an editor has saved so far is not what its person wants. A
    /// [`Trouble`] that [is busy](Trouble::is_busy) when they do not come to an end.
    pub fn read_when_quiet(
        disk: &dyn Disk,
        folder: &MemoryFolder,
        patience: Patience,
    ) -> Result<Self, Trouble> {
        durable::wait_until_quiet(disk, &Self::file(disk, folder)?, patience)?;
        Self::read(disk, folder)
    }

    /// Reads the broadcast. A missing file is an empty broadcast.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Self, Trouble> {
        match durable::read_text(disk, &Self::file(disk, folder)?, MAX_BROADCAST_BYTES) {
            Ok(text) => Ok(Self::parse(text)),
            Err(ReadError::Missing { .. }) => Ok(Self::default()),
            Err(error) => Err(error.into()),
        }
    }

    /// Maps the rules of a text.
    pub fn parse(text: impl Into<String>) -> Self {
        let text = text.into();
        let mut seen: BTreeMap<LineHash, usize> = BTreeMap::new();
        let mut lines = Vec::new();
        for rule in RulesFile::parse(&text).rules {
            let (context, project) = (rule.context(), rule.project());
            let line = rule.first_line;
            let times = seen.entry(LineHash::of(&line, project.as_deref(), 1)).or_default();
            *times += 1;
            let hash = LineHash::of(&line, project.as_deref(), *times);
            lines.push(Line {
                number: rule.line,
                pointers: pointers_of(&line),
                text: line,
                rule: rule.text,
                context,
                code: rule.code,
                hash,
                project,
            });
        }
        Self { text: Some(text), lines }
    }

    /// The rule with this identity.
    pub fn by_hash(&self, hash: &LineHash) -> Option<&Line> {
        self.lines.iter().find(|line| line.hash == *hash)
    }

    /// The rule on this line.
    pub fn by_number(&self, number: usize) -> Option<&Line> {
        self.lines.iter().find(|line| line.number == number)
    }

    /// The content as bytes, for compare-and-swap; `None` when there is no file.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.text.as_deref().map(str::as_bytes)
    }
}

/// The `[[pointers]]` of a text, sorted.
pub fn pointers_of(line: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once("[[") {
        let Some((name, behind)) = after.split_once("]]") else { break };
        let name = name.trim();
        if !name.is_empty() && name.len() <= 100 && !name.contains(['[', '/', '\\']) {
            found.insert(name.to_owned());
        }
        rest = behind;
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_keeps_its_identity_when_it_moves_and_loses_it_when_its_words_or_its_section_change() {
        let before = Broadcast::parse("- Use pnpm, not npm.\n");
        let hash = &before.lines[0].hash;
        let moved = Broadcast::parse("# Rules\n\n- Never push to main.\n* Use  pnpm, not npm.\n");
        assert_eq!(moved.by_hash(hash).map(|line| line.number), Some(4));
        assert!(Broadcast::parse("- Use pnpm, not yarn.\n").by_hash(hash).is_none());
        assert!(Broadcast::parse("## Project: web\n- Use pnpm, not npm.\n").by_hash(hash).is_none());
    }

    #[test]
    fn the_same_rule_twice_is_two_lines() {
        let twice = Broadcast::parse("- Use pnpm.\r\n- Use pnpm.\r\n");
        let hashes: Vec<&str> = twice.lines.iter().map(|line| line.hash.as_str()).collect();
        assert_eq!(hashes[1], format!("{}-2", hashes[0]));
    }

    #[test]
    fn pointers_are_found_and_paths_are_none() {
        let line = "see [[topic-deploys]] and [[ entity-ci ]] before [[../x]] or [[";
        assert_eq!(pointers_of(line), ["entity-ci", "topic-deploys"]);
    }
}
