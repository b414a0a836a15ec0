//! `state/broadcast.json`: what stood in the broadcast when it was last read or written by us.
//!
//! ```json
//! {"version":1,"lines":12,"seen":["0123456789abcdef"],"gone":{"0123456789abcdef":"edit_…"}}
//! ```
//!
//! - A file that had lines and is gone is on its way: an editor that keeps a backup, and `git checkout`, move it away and write another.
//!   Nothing is written in its place; who wants to begin anew makes an empty file. Where there is no such note yet, a copy that an editor
//!   keeps beside it ([`EDITORS_COPIES`]) says the same.
//! - `seen` holds those words of our own edits that a later run found in the file. Others may never have met a person's eyes: an
//!   editor may have saved over them what it had read before.
//! - `gone` holds those words of our own edits that a later run did not find there, with the edit: when they are back and no other edit put them
//!   there, a person did.
//!
//! It can be deleted: then whatever the journal says counts as seen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};
use subcortex_memory::{Broadcast, Edit, Journal, LineHash, Trouble, state_file};
use subcortex_store::durable;

use crate::{WeaveError, Workshop};

const NAME: &str = "broadcast";
const VERSION: u32 = 1;
/// The largest state that is read, in bytes.
const MAX_STATE_BYTES: u64 = 16 * 1024 * 1024;

/// What stood in the broadcast.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Stood {
    version: u32,
    /// How many lines there were.
    pub(crate) lines: usize,
    /// Whether no run has read it yet: then whatever the journal says counts as seen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unread: bool,
    /// The words of our edits that were found in it since.
    seen: BTreeSet<String>,
    /// The words of our edits that were missing once, with the edit that had put them there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    gone: BTreeMap<String, String>,
}

impl Stood {
    /// Reads it; `None` when there is none that can be used.
    pub(crate) fn read(shop: &Workshop) -> Result<Option<Self>, WeaveError> {
        let understand = |text: &str| serde_json::from_str::<Self>(text).ok();
        let known = state_file::read(&*shop.disk, &shop.folder.state(NAME), MAX_STATE_BYTES, understand)?;
        Ok(known.filter(|stood| stood.version == VERSION))
    }

    /// Notes what was read at the beginning of a run.
    pub(crate) fn note(shop: &Workshop, broadcast: &Broadcast, journal: &Journal) -> Result<(), WeaveError> {
        let before = Self::read(shop)?;
        let is_there =
            |hash: &LineHash| broadcast.lines.iter().any(|line| line.hash.of_words() == hash.of_words());
        let was_seen = |hash: &LineHash| before.as_ref().is_none_or(|before| before.has_seen(hash));
        let edits = journal.edits.iter().flat_map(|edit| &edit.changes);
        let ours = edits.filter_map(|change| change.hash_after.as_ref());
        let seen =
            ours.filter(|hash| was_seen(hash) || is_there(hash)).map(|hash| hash.of_words().to_owned());
        let was_gone = before.as_ref().map(|before| before.gone.clone()).unwrap_or_default();
        let gone = given_by(journal).into_iter().filter(|(words, edit)| {
            let is_known = was_gone.get(*words).is_some_and(|known| known == edit);
            is_known || !broadcast.lines.iter().any(|line| line.hash.of_words() == *words)
        });
        let gone = gone.map(|(words, edit)| (words.to_owned(), edit.to_owned())).collect();
        let lines = broadcast.text.as_deref().map_or(0, lines_of);
        let now = Self { version: VERSION, lines, unread: false, seen: seen.collect(), gone };
        if before.as_ref() == Some(&now) { Ok(()) } else { now.write(shop) }
    }

    /// Notes that a text stands there now. Which of its words a person saw is for the next run to say.
    pub(crate) fn note_text(shop: &Workshop, text: &str) -> Result<(), WeaveError> {
        let first = || Self { version: VERSION, unread: true, ..Self::default() };
        let before = Self::read(shop)?.unwrap_or_else(first);
        let lines = lines_of(text);
        if before.lines == lines { Ok(()) } else { Self { lines, ..before }.write(shop) }
    }

    /// Whether a person can have seen this line of ours.
    pub(crate) fn has_seen(&self, hash: &LineHash) -> bool {
        self.unread || self.seen.contains(hash.of_words())
    }

    /// Whether a run found that the words of a line were gone after this edit had put them there.
    pub(crate) fn was_gone_since(&self, hash: &LineHash, edit: &Edit) -> bool {
        self.gone.get(hash.of_words()) == Some(&edit.id)
    }

    fn write(&self, shop: &Workshop) -> Result<(), WeaveError> {
        let path = shop.folder.state(NAME);
        durable::make_dirs(&*shop.disk, shop.folder.root(), Path::new("state"))?;
        let mut text = serde_json::to_string(self)
            .map_err(|error| Trouble::Content { path: path.clone(), why: error.to_string() })?;
        text.push('\n');
        Ok(durable::replace(&*shop.disk, &path, text.as_bytes())?)
    }
}

/// How many lines say anything.
fn lines_of(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

/// The words that should be there as far as our edits go, each with the last edit that put them there.
fn given_by(journal: &Journal) -> BTreeMap<&str, &str> {
    let mut given = BTreeMap::new();
    for edit in &journal.edits {
        for change in &edit.changes {
            if let Some(hash) = &change.hash_before {
                given.remove(hash.of_words());
            }
            if let Some(hash) = &change.hash_after {
                given.insert(hash.of_words(), edit.id.as_str());
            }
        }
    }
    given
}

/// What editors keep of the broadcast beside it while they save it.
const EDITORS_COPIES: [&str; 6] =
    ["CLAUDE.md~", "CLAUDE.md.bak", "CLAUDE.md.orig", ".CLAUDE.md.swp", "#CLAUDE.md#", ".#CLAUDE.md"];

/// Refuses a broadcast that is missing although there was one. Where nobody ever noted that, what an editor keeps says so.
pub(crate) fn refuse_vanished(shop: &Workshop, broadcast: &Broadcast) -> Result<(), WeaveError> {
    if broadcast.text.is_some() {
        return Ok(());
    }
    let is_there = |name: &&str| shop.disk.stat(&shop.folder.root().join(name)).is_ok();
    match Stood::read(shop)? {
        Some(Stood { lines: 0, .. }) => Ok(()),
        Some(Stood { lines, .. }) => Err(WeaveError::Vanished { lines }),
        None => match EDITORS_COPIES.into_iter().find(is_there) {
            Some(copy) => Err(WeaveError::MovedAway { copy }),
            None => Ok(()),
        },
    }
}
