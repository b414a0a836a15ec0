//! How an edit becomes durable: the broadcast and the journal are two files, and die together or not at all.
//!
//! `journal.pending.json` is written first, then the broadcast is swapped, then the journal is appended to, then the
//! pending file goes. Whoever finds one left behind finishes the work or drops it:
//!
//! | journal has the edit | the broadcast is | what is done |
//! |---|---|---|
//! | yes | | the pending file goes |
//! | no | as the edit left it | the journal gets the edit |
//! | no | as it was before | nothing happened: the pending file goes |
//! | no | something else: a person edited it since | the journal gets the edit if its lines are there |
//!
//! A person's save that the swap displaced gets its name back before any of this is looked at
//! ([`durable::finish_replacements`]), and nothing is decided while somebody writes to the file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use subcortex_memory::{Broadcast, Change, ChangeKind, Edit, Journal, Trouble, state_file};
use subcortex_store::durable::{self, WriteError};

use crate::stood::{Stood, refuse_vanished};
use crate::{WeaveError, Workshop};

/// The largest pending file that is read, in bytes.
const MAX_PENDING_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
struct Pending {
    edit: Edit,
    before: Option<String>,
    after: String,
}

/// What became of an edit.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Committed {
    /// It is made, and in the journal.
    Done,
    /// A person edited the broadcast meanwhile: nothing was written.
    Conflict,
    /// Somebody is writing it at this moment: nothing was written.
    Busy,
}

/// Makes an edit: the broadcast gets its new text if it still is what was read, and the journal gets the edit.
pub(super) fn commit(
    shop: &Workshop,
    before: &Broadcast,
    text: &str,
    edit: &Edit,
) -> Result<Committed, WeaveError> {
    refuse_vanished(shop, before)?;
    let disk = &*shop.disk;
    let file = Broadcast::file(disk, &shop.folder)?;
    let path = pending_path(shop);
    let pending =
        Pending { edit: edit.clone(), before: before.text.as_deref().map(digest), after: digest(text) };
    let bytes = serde_json::to_vec(&pending)
        .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
    durable::replace(disk, &path, &bytes)?;
    let refused =
        match durable::replace_when_quiet(disk, &file, before.bytes(), text.as_bytes(), shop.patience) {
            Ok(()) => None,
            Err(WriteError::Conflict { .. }) => Some(Ok(Committed::Conflict)),
            Err(WriteError::Busy { .. }) => Some(Ok(Committed::Busy)),
            Err(error @ WriteError::LeftAlone { .. }) => Some(Err(error.into())),
            // Whether it happened is seen by the next one who looks.
            Err(error) => return Err(error.into()),
        };
    if let Some(refused) = refused {
        durable::remove(disk, &path)?;
        return refused;
    }
    Journal::append(disk, &shop.folder, edit)?;
    durable::remove(disk, &path)?;
    Stood::note_text(shop, text)?;
    Ok(Committed::Done)
}

/// Finishes or drops an edit that was being made when its maker died. Hands out the edit if the journal lacked it.
pub(crate) fn recover(shop: &Workshop) -> Result<Option<Edit>, WeaveError> {
    let disk = &*shop.disk;
    let path = pending_path(shop);
    let file = Broadcast::file(disk, &shop.folder)?;
    for folder in written_to(shop, &file) {
        durable::clear_up(disk, &folder).map_err(Trouble::from)?;
    }
    let understand = |text: &str| serde_json::from_str::<Pending>(text).ok();
    let Some(pending) = state_file::read(disk, &path, MAX_PENDING_BYTES, understand)? else {
        return Ok(None);
    };
    let known = Journal::read(disk, &shop.folder)?.by_id(&pending.edit.id).is_some();
    let now = || crate::quiet::read(shop, &|| false);
    let missing = !known && was_made(&pending, &now()?);
    if missing {
        Journal::append(disk, &shop.folder, &pending.edit)?;
    }
    durable::remove(disk, &path)?;
    Ok(missing.then_some(pending.edit))
}

/// The folders that an edit of the broadcast, and what follows from it, writes to. The broadcast itself may be a link to somewhere else.
fn written_to(shop: &Workshop, broadcast: &Path) -> BTreeSet<PathBuf> {
    let folder = &shop.folder;
    let files = [broadcast.to_owned(), folder.broadcast(), folder.ledger(), folder.state("any")];
    let beside = files.iter().filter_map(|file| file.parent()).map(Path::to_owned);
    let indexes = shop.index_dir.join("fragments");
    beside.chain([folder.checks(), folder.topics(), folder.entities(), indexes]).collect()
}

fn was_made(pending: &Pending, now: &Broadcast) -> bool {
    let found = now.text.as_deref().map(digest);
    if found.as_deref() == Some(&pending.after) {
        return true;
    }
    if found == pending.before {
        return false;
    }
    let shows = |change: &Change| match change.kind {
        ChangeKind::Add | ChangeKind::Rewrite => {
            change.hash_after.as_ref().is_some_and(|hash| now.by_hash(hash).is_some())
        }
        ChangeKind::Remove => change.hash_before.as_ref().is_some_and(|hash| now.by_hash(hash).is_none()),
        ChangeKind::Move => {
            change.hash_after != change.hash_before
                && change.hash_after.as_ref().is_some_and(|hash| now.by_hash(hash).is_some())
        }
    };
    pending.edit.changes.iter().any(shows)
}

fn pending_path(shop: &Workshop) -> PathBuf {
    shop.folder.root().join("journal.pending.json")
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
