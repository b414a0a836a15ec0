//! The last turns of the log: what a check is tried on, and what tells of a project.

use std::collections::{BTreeMap, VecDeque};
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
    let mut last = Last { max_turns, ..Last::default() };
    let mut reader = Reader::open(shop.disk.clone(), &shop.events_dir, start(shop, max_bytes)?)?;
    reader.read(|_, item| {
        if let Item::Record { envelope, .. } = item
            && envelope.gate() == Gate::External
            && last.has_room_for(envelope.session_key.as_deref().unwrap_or_default())
            && let Ok(event) = envelope.to_event()
        {
            last.add(event);
        }
        ControlFlow::Continue(())
    })?;
    Ok(last.sessions.into_values().flatten().collect())
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

/// The last turns of what has been read so far. Events take several times the room of their records, so what will not be handed out is
/// dropped at once: as nothing comes before a turn that was dropped, nothing of its session that comes later has to be known either.
#[derive(Debug, Default)]
struct Last {
    max_turns: usize,
    sessions: BTreeMap<String, VecDeque<Turn>>,
    /// How many turns all sessions have together.
    turns: usize,
}

impl Last {
    /// Whether what a session does now may be handed out: sessions in front of those that fill all the room go first.
    fn has_room_for(&self, session: &str) -> bool {
        let first = self.sessions.first_key_value();
        self.turns < self.max_turns || first.is_none_or(|(first, _)| first.as_str() <= session)
    }

    fn add(&mut self, event: Event) {
        let key = event.session_key.clone().unwrap_or_default();
        let turns = self.sessions.entry(key.clone()).or_default();
        match turns.back_mut() {
            Some(turn) if !event.begins_turn() => turn.events.push(event),
            Some(_) | None => {
                turns.push_back(Turn { session_key: key, events: vec![event] });
                self.turns += 1;
            }
        }
        if self.turns > self.max_turns {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        let Some(mut first) = self.sessions.first_entry() else { return };
        first.get_mut().pop_front();
        if first.get().is_empty() {
            first.remove();
        }
        self.turns -= 1;
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use subcortex_model::{EventId, Source, event_type};
    use subcortex_testkit::Random;

    use super::*;

    fn event(number: usize, session: usize, begins: bool) -> Event {
        let kind = if begins { event_type::CHANNEL_COMMAND } else { event_type::AGENT_TOOL_USE };
        Event {
            id: EventId::from_log(format!("evt_{number}")),
            ts: Timestamp::UNIX_EPOCH,
            event_type: kind.to_owned(),
            source: Source::of("claude"),
            session_key: Some(format!("s{session}")),
            turn: None,
            cwd: None,
            dedup: None,
            payload: serde_json::Map::new(),
        }
    }

    /// What is handed out, as the names of its events.
    fn turns_of(events: &[Event], max_turns: usize) -> Vec<Vec<String>> {
        let mut last = Last { max_turns, ..Last::default() };
        for event in events {
            if last.has_room_for(event.session_key.as_deref().unwrap_or_default()) {
                last.add(event.clone());
            }
            assert!(last.turns <= max_turns && last.sessions.values().all(|turns| !turns.is_empty()));
        }
        let turns = last.sessions.into_values().flatten();
        turns.map(|turn| turn.events.iter().map(|event| event.id.as_str().to_owned()).collect()).collect()
    }

    #[test]
    fn what_is_dropped_while_reading_is_what_would_be_dropped_at_the_end() {
        for seed in 0..300 {
            let mut random = Random::seeded(seed);
            let sessions = 1 + random.below(8);
            let events: Vec<Event> = (0..random.below(120))
                .map(|number| event(number, random.below(sessions), random.chance(0.4)))
                .collect();
            let all = turns_of(&events, usize::MAX);
            for max_turns in [0, 1, 2, 5, 20] {
                let expected = &all[all.len().saturating_sub(max_turns)..];
                assert_eq!(turns_of(&events, max_turns), expected, "seed {seed}, {max_turns} turns");
            }
        }
    }
}
