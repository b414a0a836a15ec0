//! One run: fold, then the ledger, then the dossiers, and last the index, which only saves time.

use subcortex_memory::Journal;
use subcortex_memory::fragments::Rejected;
use subcortex_store::durable::{self, ReadError};

use super::dossier_files::{make_folder, remove_forgotten, sync};
use super::index::Gathered;
use super::ledger_read::{Ledger, MAX_LEDGER_BYTES};
use super::pages::Pages;
use super::wanted::Material;
use super::{candidates, index, ledger};
use crate::{CompiledBroadcast, Tally, TrustState, WeaveError, Workshop};

/// What a run did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Crystallized {
    /// What all fragments say together.
    pub tally: Tally,
    /// What of it counts: without the verdicts of checks that are not trusted.
    pub counted: Tally,
    /// What was written or removed, as references.
    pub changed: Vec<String>,
    /// Files that were read and are no fragments.
    pub rejected: Vec<Rejected>,
    /// How many files are no fragments, those read in earlier runs included.
    pub rejected_count: u64,
    /// The dossiers that are new, as references; also in `changed`.
    pub dossiers_made: Vec<String>,
    /// How many more there should be: the next run makes them.
    pub dossiers_waiting: usize,
    /// Dossiers that a person changed and whose evidence is gone: they may still quote it, and are left to that person.
    pub outlived: Vec<String>,
    /// How many fragments were folded that had not been.
    pub folded: usize,
    /// Why the ledger that was there could not be used. It has been made anew.
    pub ledger_refused: Option<String>,
}

/// Folds what is new, and brings ledger and dossiers up to date.
pub fn crystallize(
    shop: &Workshop,
    compiled: &CompiledBroadcast,
    journal: &Journal,
    cancelled: &dyn Fn() -> bool,
) -> Result<Crystallized, WeaveError> {
    crystallize_from(shop, index::gather(shop, cancelled)?, compiled, journal)
}

/// The same, from what has been gathered.
pub(crate) fn crystallize_from(
    shop: &Workshop,
    mut gathered: Gathered,
    compiled: &CompiledBroadcast,
    journal: &Journal,
) -> Result<Crystallized, WeaveError> {
    let mut done = Crystallized {
        rejected: std::mem::take(&mut gathered.rejected),
        rejected_count: gathered.rejected_count(),
        folded: gathered.folded,
        ..Crystallized::default()
    };
    let totals = &gathered.index.totals;
    let doubts = TrustState::read(&*shop.disk, &shop.folder)?.doubts(compiled);
    let counted = doubts.counted(&totals.tally);
    let groups = candidates::group(&counted, &compiled.broadcast, journal);
    let page = ledger::Page { all: &totals.tally, counted: &counted, compiled, journal, doubts: &doubts };
    write_ledger(shop, &page.render(&groups), &mut done)?;
    let material =
        Material { tally: &counted, mentions: &totals.mentions, compiled, journal, groups: &groups };
    let wanted = material.wanted();
    let looked_at = Pages::read(shop);
    let pages = sync(shop, &wanted, &looked_at, &mut done)?;
    if gathered.rebuilt {
        remove_forgotten(&*shop.disk, &shop.folder, &wanted, &mut done)?;
    }
    drop(wanted);
    gathered.save(shop)?;
    pages.write(shop, &looked_at)?;
    done.tally = gathered.index.totals.tally;
    done.counted = counted;
    Ok(done)
}

/// What all fragments say together, for readers: nothing is written.
pub fn tally(shop: &Workshop, cancelled: &dyn Fn() -> bool) -> Result<(Tally, Vec<Rejected>), WeaveError> {
    let gathered = index::gather(shop, cancelled)?;
    Ok((gathered.index.totals.tally, gathered.rejected))
}

fn write_ledger(shop: &Workshop, text: &str, done: &mut Crystallized) -> Result<(), WeaveError> {
    let (disk, path) = (&*shop.disk, shop.folder.ledger());
    match durable::read_text(disk, &path, MAX_LEDGER_BYTES) {
        Ok(old) if old == text => return Ok(()),
        Ok(old) => done.ledger_refused = Ledger::parse(&old).err(),
        Err(ReadError::Missing { .. }) => {}
        Err(error @ ReadError::Io { .. }) => return Err(error.into()),
        Err(error) => done.ledger_refused = Some(error.to_string()),
    }
    if let Some(dir) = path.parent() {
        make_folder(disk, &shop.folder, dir)?;
    }
    durable::replace_derived(disk, &path, text.as_bytes())?;
    done.changed.push(shop.folder.reference(&path));
    Ok(())
}
