//! `state/memory-weaver.json`: from when on there is work that nobody has to ask for, because a run left it.
//!
//! ```json
//! {"unfinished_from":"2026-11-16T12:00:00Z","held":{"changes":3,"until":"2026-11-16T12:00:00Z"}}
//! ```
//!
//! `held` are changes of the broadcast that wait for the interval between two edits, for people who ask what goes on.
//!
//! A scan moves the position in the log; what follows from it (dossiers, an edit) is done after that, or hours after
//! that, when the interval between two edits is over. So it is noted here before the position moves, and taken
//! back when nothing is left: whoever is killed, cancelled or told to wait in between leaves a note for the next run, and
//! no new event is needed for it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_memory::{Trouble, WEAVER, state_file};
use subcortex_store::durable;

use crate::{WeaveError, Workshop};

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Note {
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished_from: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<Held>,
}

/// Changes of the broadcast that wait for their time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// How many there are.
    pub changes: usize,
    /// When the next edit may be made that no task asks for.
    pub until: Timestamp,
}

/// The changes that the last run left for later.
pub fn held_changes(shop: &Workshop) -> Result<Option<Held>, WeaveError> {
    Ok(read(shop)?.and_then(|note| note.held))
}

fn read(shop: &Workshop) -> Result<Option<Note>, WeaveError> {
    let understand = |text: &str| serde_json::from_str::<Note>(text).ok();
    Ok(state_file::read(&*shop.disk, &shop.folder.state(WEAVER), MAX_BYTES, understand)?)
}

/// From when on there is something left to do; `None` when there is nothing.
pub(super) fn from_when(shop: &Workshop) -> Result<Option<Timestamp>, WeaveError> {
    let had_note = shop.disk.stat(&shop.folder.state(WEAVER)).is_ok();
    let note = read(shop)?;
    // A note that nobody can read costs one more look.
    let from = note.map_or(had_note.then_some(shop.now), |note| note.unfinished_from);
    // Nor does a clock that was set back make anybody wait longer than the interval.
    let latest = shop.now.checked_add(shop.settings.min_rewrite_interval).unwrap_or(shop.now);
    Ok(from.map(|from| from.min(latest)))
}

/// Notes it, if it is not on record already.
pub(crate) fn note(shop: &Workshop, from: Option<Timestamp>) -> Result<(), WeaveError> {
    if from_when(shop)? == from {
        return Ok(());
    }
    let held = held_changes(shop)?;
    write(shop, &Note { unfinished_from: from, held })
}

/// Notes which changes wait, if it is not on record already.
pub(super) fn note_held(shop: &Workshop, held: Option<Held>) -> Result<(), WeaveError> {
    if held_changes(shop)? == held {
        return Ok(());
    }
    let unfinished_from = from_when(shop)?;
    write(shop, &Note { unfinished_from, held })
}

fn write(shop: &Workshop, note: &Note) -> Result<(), WeaveError> {
    let path = shop.folder.state(WEAVER);
    durable::make_dirs(&*shop.disk, shop.folder.root(), std::path::Path::new("state"))?;
    let mut text = serde_json::to_string(note)
        .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
    text.push('\n');
    Ok(durable::replace(&*shop.disk, &path, text.as_bytes())?)
}
