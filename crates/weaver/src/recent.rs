//! The last turns of the log: what a check is tried on, and what tells of a project.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use subcortex_model::{Event, Gate, Turn};
use subcortex_spine::{Cursor, Item, Reader, list_days};

use crate::{WeaveError, Workshop};

/// How much of the end of the log is read, in bytes.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// How many turns are kept: the last ones.
const MAX_TURNS: usize = 200;

/// The last turns, in order of sessions, each behind the one before it.
pub(crate) fn turns(shop: &Workshop) -> Result<Vec<Turn>, WeaveError> {
    turns_within(shop, MAX_BYTES, MAX_TURNS)
}

/// The last turns of so much of the log, and no more than so many.
pub(crate) fn turns_within(
    shop: &Workshop,
    max_bytes: u64,
    max_turns: usize,
) -> Result<Vec<Turn>, WeaveError> {
    let mut sessions: BTreeMap<String, Vec<Turn>> = BTreeMap::new();
    let mut reader = Reader::open(shop.disk.clone(), &shop.events_dir, start(shop, max_bytes)?)?;
    reader.read(|_, item| {
        if let Item::Record { envelope, .. } = item
            && envelope.gate() == Gate::External
            && let Ok(event) = envelope.to_event()
        {
            add(&mut sessions, event);
        }
        ControlFlow::Continue(())
    })?;
    let mut turns: Vec<Turn> = sessions.into_values().flatten().collect();
    turns.drain(..turns.len().saturating_sub(max_turns));
    Ok(turns)
}

/// Where the end of the log begins. A record that this cuts in two is passed over.
fn start(shop: &Workshop, max_bytes: u64) -> Result<Option<Cursor>, WeaveError> {
    let (days, _) = list_days(&*shop.disk, &shop.events_dir)?;
    let mut left = max_bytes;
    let mut from = None;
    for file in days.iter().rev() {
        let len = shop.disk.stat(&file.path).map_or(0, |stat| stat.len);
        let mut cursor = Cursor::at_start_of(file.day);
        if file.compressed {
            break; // how long it is nobody knows without reading it
        }
        cursor.offset = len.saturating_sub(left);
        left = left.saturating_sub(len);
        from = Some(cursor);
        if left == 0 {
            break;
        }
    }
    Ok(from.or_else(|| days.last().map(|file| Cursor::at_start_of(file.day))))
}

fn add(sessions: &mut BTreeMap<String, Vec<Turn>>, event: Event) {
    let key = event.session_key.clone().unwrap_or_default();
    let turns = sessions.entry(key.clone()).or_default();
    match turns.last_mut() {
        Some(turn) if !event.begins_turn() => turn.events.push(event),
        Some(_) | None => turns.push(Turn { session_key: key, events: vec![event] }),
    }
}
