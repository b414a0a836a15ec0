//! Which checks are trusted: each is tried on the last turns before its verdicts count, and goes on being tried by every scan.
//!
//! ```json
//! {"version":1,"lines":{"0123456789abcdef":{"check":"89abcdef01234567","tried":{"turns":200,"followed":12,"missed":3}}}}
//! ```
//!
//! in `memory/state/trust.json`: by the hash of the line, which check was tried and what it said. It can be deleted: then the checks are
//! tried again.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use subcortex_checks::{Board, Roles, Tried, Trust, try_on};
use subcortex_memory::{Line, LineCheck, LineHash, MadeBy, MemoryFolder, Trouble, check_files, state_file};
use subcortex_store::Disk;
use subcortex_store::durable;

use crate::{CompiledBroadcast, Tally, WeaveError, Workshop, crystallizer, recent};

const NAME: &str = "trust";
const VERSION: u32 = 1;
/// The largest state that is read, in bytes.
const MAX_STATE_BYTES: u64 = 4 * 1024 * 1024;

/// What all checks said in the turns that they were tried on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TrustState {
    version: u32,
    lines: BTreeMap<LineHash, Entry>,
    /// Those that were tried just now, on turns that the scan meets again.
    #[serde(skip)]
    fresh: Vec<LineHash>,
}

/// The lines whose checks are not trusted, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doubts(BTreeMap<LineHash, (String, &'static str)>);

impl Doubts {
    /// Why the check of a line is not trusted; `None` when it is, or when there is none.
    pub fn of(&self, hash: &LineHash) -> Option<&str> {
        self.0.get(hash).map(|(why, _)| why.as_str())
    }

    /// The same without counts, for files whose bytes are to stay while nothing else changes.
    pub fn in_short(&self, hash: &LineHash) -> Option<&'static str> {
        self.0.get(hash).map(|(_, in_short)| *in_short)
    }

    /// What counts: of a line whose check is not trusted only what that check did not decide.
    #[must_use]
    pub fn counted(&self, tally: &Tally) -> Tally {
        let mut counted = tally.clone();
        for hash in self.0.keys() {
            if let Some(line) = counted.lines.get_mut(hash) {
                *line = line.without_check();
            }
        }
        counted.lines.retain(|_, line| line.total() > 0);
        counted
    }
}

/// The broadcast as it is understood, and what counts of the evidence: what people are shown.
#[derive(Debug)]
pub struct Counted {
    /// The broadcast, with the checks of people and models.
    pub compiled: CompiledBroadcast,
    /// How the checks were tried.
    pub trust: TrustState,
    /// Those that are not trusted.
    pub doubts: Doubts,
    /// The evidence that counts.
    pub tally: Tally,
}

/// What counts by now. Nothing is written.
pub fn counted(shop: &Workshop) -> Result<Counted, WeaveError> {
    let (compiled, _) = CompiledBroadcast::read(&*shop.disk, &shop.folder)?;
    let trust = TrustState::read(&*shop.disk, &shop.folder)?;
    let doubts = trust.doubts(&compiled);
    let tally = doubts.counted(&crystallizer::tally(shop, &|| false)?.0);
    Ok(Counted { compiled, trust, doubts, tally })
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    check: String,
    tried: Tried,
}

impl TrustState {
    /// Reads it; one that is missing or broken is empty.
    pub fn read(disk: &dyn Disk, folder: &MemoryFolder) -> Result<Self, Trouble> {
        let understand = |text: &str| serde_json::from_str::<Self>(text).ok();
        let known = state_file::read(disk, &folder.state(NAME), MAX_STATE_BYTES, understand)?;
        Ok(known.filter(|state| state.version == VERSION).unwrap_or_default())
    }

    /// Writes it, and says where.
    pub(crate) fn write(&self, shop: &Workshop) -> Result<String, WeaveError> {
        let path = shop.folder.state(NAME);
        durable::make_dirs(&*shop.disk, shop.folder.root(), Path::new("state"))?;
        let state = Self { version: VERSION, ..self.clone() };
        let mut text = serde_json::to_string(&state)
            .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
        text.push('\n');
        durable::replace_derived(&*shop.disk, &path, text.as_bytes())?;
        Ok(shop.folder.reference(&path))
    }

    /// Whether the verdicts of a line's check count. A person's own check always does.
    pub fn of(&self, line: &Line, known: &LineCheck) -> Trust {
        if known.by == MadeBy::Person || !known.check.testable {
            return Trust::Trusted;
        }
        self.tried(line, known).map_or(Trust::Trusted, |tried| tried.trust(&known.check))
    }

    /// The lines whose checks are not trusted, with the reason. One place decides it for everybody who counts or shows.
    pub fn doubts(&self, compiled: &CompiledBroadcast) -> Doubts {
        let doubted = compiled.lines().filter_map(|(line, known)| {
            let trust = self.of(line, known);
            Some((line.hash.clone(), (trust.doubt()?.to_owned(), trust.doubt_in_short()?)))
        });
        Doubts(doubted.collect())
    }

    /// What a line's check said where it was tried; nothing when it was not yet.
    pub fn tried(&self, line: &Line, known: &LineCheck) -> Option<&Tried> {
        let entry = self.lines.get(&line.hash)?;
        (entry.check == check_files::digest(&known.check)).then_some(&entry.tried)
    }

    /// Tries the checks that were not tried yet on the last turns, and forgets those of lines that are gone.
    pub(crate) fn try_new(
        &mut self,
        shop: &Workshop,
        compiled: &CompiledBroadcast,
        roles: &Roles,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), WeaveError> {
        self.lines.retain(|hash, _| compiled.by_hash(hash).is_some());
        let is_untried =
            |(line, known): &(&Line, &LineCheck)| known.check.testable && self.tried(line, known).is_none();
        let untried: Vec<(&Line, &LineCheck)> = compiled.lines().filter(is_untried).collect();
        if untried.is_empty() {
            return Ok(());
        }
        let board = Board::new(untried.iter().map(|(line, known)| (line.number, known.check.clone())));
        let board = board.with_roles(roles.clone());
        let said = try_on(&board, recent::turns(shop)?.iter().take_while(|_| !cancelled()));
        if cancelled() {
            return Err(WeaveError::Cancelled);
        }
        for (line, known) in untried {
            let tried = said.get(&line.number).copied().unwrap_or_default();
            let check = check_files::digest(&known.check);
            self.lines.insert(line.hash.clone(), Entry { check, tried });
            self.fresh.push(line.hash.clone());
        }
        Ok(())
    }

    /// Adds what a scan saw, but for checks that were tried just before it.
    pub(crate) fn add(&mut self, line: &Line, seen: &Tried) {
        if !self.fresh.contains(&line.hash)
            && let Some(entry) = self.lines.get_mut(&line.hash)
        {
            entry.tried.join(seen);
        }
    }
}
