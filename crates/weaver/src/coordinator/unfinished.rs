//! `state/memory-weaver.json`: from when on there is work that nobody has to ask for, because a run left it.
//!
//! ```json
//! {"unfinished_from":"2026-11-16T12:00:00Z"}
//! ```
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
}

/// From when on there is something left to do; `None` when there is nothing.
pub(super) fn from_when(shop: &Workshop) -> Result<Option<Timestamp>, WeaveError> {
    let path = shop.folder.state(WEAVER);
    let had_note = shop.disk.stat(&path).is_ok();
    let understand = |text: &str| serde_json::from_str::<Note>(text).ok();
    let note = state_file::read(&*shop.disk, &path, MAX_BYTES, understand)?;
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
    let path = shop.folder.state(WEAVER);
    durable::make_dirs(&*shop.disk, shop.folder.root(), std::path::Path::new("state"))?;
    let mut text = serde_json::to_string(&Note { unfinished_from: from })
        .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
    text.push('\n');
    Ok(durable::replace(&*shop.disk, &path, text.as_bytes())?)
}
