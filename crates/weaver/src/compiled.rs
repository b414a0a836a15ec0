//! The broadcast with how each of its lines is understood.

use subcortex_checks::compile;
use subcortex_memory::check_files::{self, Synced};
use subcortex_memory::{Broadcast, Line, LineCheck, LineHash, MadeBy, MemoryFolder, Trouble};
use subcortex_store::Disk;

/// The broadcast, and a check for each of its lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompiledBroadcast {
    /// The file.
    pub broadcast: Broadcast,
    /// In the order of its lines, one for each.
    checks: Vec<LineCheck>,
}

impl CompiledBroadcast {
    /// As the rules of this program understand it.
    pub fn by_rules(broadcast: Broadcast) -> Self {
        let read = |line: &Line| LineCheck { check: compile(&line.rule, &line.context), by: MadeBy::Rules };
        let checks = broadcast.lines.iter().map(read).collect();
        Self { broadcast, checks }
    }

    /// The home's broadcast as it counts: with the checks of people and models. Nothing is written. Also says which check files
    /// cannot be used.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<(Self, Synced), Trouble> {
        let mut compiled = Self::by_rules(Broadcast::read(disk, folder)?);
        let synced = compiled.take_over(disk, folder)?;
        Ok((compiled, synced))
    }

    /// Takes over the checks of people and models.
    pub(crate) fn take_over(&mut self, disk: &dyn Disk, folder: &MemoryFolder) -> Result<Synced, Trouble> {
        check_files::take_over(disk, folder, &self.broadcast, &mut self.checks)
    }

    /// Takes over the checks of people and models, and lets the rules' own files follow the broadcast.
    pub(crate) fn sync(&mut self, disk: &dyn Disk, folder: &MemoryFolder) -> Result<Synced, Trouble> {
        check_files::sync(disk, folder, &self.broadcast, &mut self.checks)
    }

    /// Each line with its check.
    pub fn lines(&self) -> impl Iterator<Item = (&Line, &LineCheck)> + Clone {
        self.broadcast.lines.iter().zip(&self.checks)
    }

    /// The rule on this line.
    pub fn by_number(&self, number: usize) -> Option<(&Line, &LineCheck)> {
        self.lines().find(|(line, _)| line.number == number)
    }

    /// The rule with this identity.
    pub fn by_hash(&self, hash: &LineHash) -> Option<(&Line, &LineCheck)> {
        self.lines().find(|(line, _)| line.hash == *hash)
    }

    /// The rule on this line, whose check is to be replaced.
    pub(crate) fn by_number_mut(&mut self, number: usize) -> Option<(&Line, &mut LineCheck)> {
        self.broadcast.lines.iter().zip(&mut self.checks).find(|(line, _)| line.number == number)
    }
}

/// As the rules understand a text.
impl From<&str> for CompiledBroadcast {
    fn from(text: &str) -> Self {
        Self::by_rules(Broadcast::parse(text))
    }
}
