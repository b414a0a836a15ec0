//! Turns out of events: a person's message and what followed it in the same session.

use std::collections::HashMap;

use subcortex_model::{Event, Gate, Turn};

/// How many events one turn holds at most; what an agent does beyond that is left out of the turn.
pub const MAX_TURN_EVENTS: usize = 20_000;

/// Collects events in the order of the log and hands out turns as they end.
#[derive(Debug, Default)]
pub struct TurnAssembler {
    open: HashMap<String, Turn>,
    left_out: u64,
}

impl TurnAssembler {
    /// Takes in the next event; hands out the turn of its session that it ended.
    ///
    /// Internal events and events without a session belong to no turn.
    pub fn push(&mut self, event: Event) -> Option<Turn> {
        if event.gate() != Gate::External {
            return None;
        }
        let session_key = event.session_key.clone()?;
        if event.begins_turn() || !self.open.contains_key(&session_key) {
            let turn = Turn { session_key: session_key.clone(), events: vec![event] };
            return self.open.insert(session_key, turn);
        }
        let turn = self.open.get_mut(&session_key)?;
        if turn.events.len() < MAX_TURN_EVENTS {
            turn.events.push(event);
        } else {
            self.left_out += 1;
        }
        None
    }

    /// Ends the turn of one session, because the session is over or has been silent.
    pub fn end_session(&mut self, session_key: &str) -> Option<Turn> {
        self.open.remove(session_key)
    }

    /// The turns that have not ended yet, by session.
    pub fn open_turns(&self) -> impl Iterator<Item = &Turn> {
        self.open.values()
    }

    /// How many events were left out because their turn was full.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Ends all turns, ordered by session.
    pub fn finish(self) -> Vec<Turn> {
        let mut turns: Vec<Turn> = self.open.into_values().collect();
        turns.sort_by(|a, b| a.session_key.cmp(&b.session_key));
        turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use subcortex_model::{EventId, Source, event_type};

    fn event(id: &str, kind: &str, session: &str) -> Event {
        Event {
            id: EventId::from_log(id),
            ts: Timestamp::UNIX_EPOCH,
            event_type: if id.starts_with('m') { event_type::CHANNEL_MESSAGE } else { "agent.result" }.into(),
            source: Source::of(kind),
            session_key: (!session.is_empty()).then(|| session.into()),
            turn: None,
            cwd: None,
            dedup: None,
            payload: serde_json::Map::new(),
        }
    }

    #[track_caller]
    fn check(events: &[(&str, &str, &str)], expect: &[&str]) {
        let mut assembler = TurnAssembler::default();
        let mut turns: Vec<Turn> = events
            .iter()
            .filter_map(|(id, kind, session)| assembler.push(event(id, kind, session)))
            .collect();
        turns.extend(assembler.finish());
        let shown: Vec<String> = turns
            .iter()
            .map(|turn| {
                let ids: Vec<_> = turn.events.iter().map(|event| event.id.as_str()).collect();
                format!("{}: {}", turn.session_key, ids.join(" "))
            })
            .collect();
        assert_eq!(shown, expect);
    }

    #[test]
    fn a_turn_lasts_until_the_next_message_of_its_session() {
        check(
            &[("m1", "c", "a"), ("r1", "c", "a"), ("m2", "c", "b"), ("r2", "c", "a"), ("m3", "c", "a")],
            &["a: m1 r1 r2", "a: m3", "b: m2"],
        );
    }

    #[test]
    fn a_session_that_begins_without_a_message_has_a_turn_without_one() {
        check(&[("r1", "c", "a"), ("m1", "c", "a")], &["a: r1", "a: m1"]);
    }

    #[test]
    fn internal_events_and_events_without_a_session_belong_to_no_turn() {
        check(&[("m1", "c", "a"), ("r1", "cadence", "a"), ("r2", "c", "")], &["a: m1"]);
    }
}
