//! `state/intuition-updater.json`: which edits a person has seen, and which proposals were rejected or never answered. Names only.
//!
//! ```json
//! {"seen":"edit_…","rejected":["prop_…"],"rejected_rules":{"rule_…":"2026-11-14T08:37:00Z"},"lapsed":{"prop_…":"2026-01-02T03:04:05Z"}}
//! ```
//!
//! A rule that was rejected is known by a hash of what it means, so that it does not come back in other words.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use subcortex_memory::{Cause, Edit, Journal, Trouble, state_file};
use subcortex_store::durable;

use crate::{WeaveError, Workshop};

const NAME: &str = "intuition-updater";
/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct State {
    /// The last edit that a person has seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seen: Option<String>,
    /// Proposals that a person rejected: they never come back.
    pub(super) rejected: BTreeSet<String>,
    /// What the rejected ones mean, and when a person said no: what was said before that is spent.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) rejected_rules: BTreeMap<String, Timestamp>,
    /// Proposals that nobody answered, and until when: only what is said later brings them back.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) lapsed: BTreeMap<String, Timestamp>,
}

impl State {
    pub(super) fn read(shop: &Workshop) -> Result<Self, WeaveError> {
        let path = shop.folder.state(NAME);
        let understand = |text: &str| serde_json::from_str(text).ok();
        Ok(state_file::read(&*shop.disk, &path, MAX_BYTES, understand)?.unwrap_or_default())
    }

    pub(super) fn write(&self, shop: &Workshop) -> Result<(), WeaveError> {
        let path = shop.folder.state(NAME);
        durable::make_dirs(&*shop.disk, shop.folder.root(), std::path::Path::new("state"))?;
        let mut text = serde_json::to_string(self)
            .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
        text.push('\n');
        Ok(durable::replace(&*shop.disk, &path, text.as_bytes())?)
    }
}

/// The edits that nobody has looked at since, oldest first.
pub fn unseen_edits(shop: &Workshop) -> Result<Vec<Edit>, WeaveError> {
    let seen = State::read(shop)?.seen;
    let edits = Journal::read(&*shop.disk, &shop.folder)?.edits;
    let from = edits.iter().position(|edit| Some(&edit.id) == seen.as_ref()).map_or(0, |at| at + 1);
    Ok(edits.into_iter().skip(from).filter(|edit| !is_a_person_s(edit.cause)).collect())
}

/// Whoever wrote, accepted or took something back has seen it.
fn is_a_person_s(cause: Cause) -> bool {
    match cause {
        Cause::Person | Cause::Accepted | Cause::Reverted | Cause::Forgotten => true,
        Cause::Evidence | Cause::Task | Cause::Probation => false,
    }
}

/// A person has seen all edits there are.
pub fn mark_seen(shop: &Workshop) -> Result<(), WeaveError> {
    let mut state = State::read(shop)?;
    let last = Journal::read(&*shop.disk, &shop.folder)?.edits.pop().map(|edit| edit.id);
    if state.seen == last {
        return Ok(());
    }
    state.seen = last;
    state.write(shop)
}
