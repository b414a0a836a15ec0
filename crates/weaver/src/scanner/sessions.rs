//! The turns of many sessions at once, in bounded memory.
//!
//! Each session has a last turn: open, or judged and kept because the next words may speak of it. Only the sessions that
//! were heard of last have theirs in memory; of the others the position is known, and the turn is read again when it is
//! needed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use subcortex_memory::SessionPosition;
use subcortex_model::{Event, Turn, event_type};

use super::log::{Place, load_turn};
use super::others::Others;
use crate::{WeaveError, Workshop};

/// How many sessions have their turns in memory.
const MAX_LOADED_SESSIONS: usize = 64;
/// How much text they hold together, in bytes. Those that were heard of longest ago go first, and the one that is being read stays.
const MAX_LOADED_BYTES: usize = 8 * 1024 * 1024;
/// How many sessions are remembered although their last turn has been judged: the ones heard of last.
const MAX_REMEMBERED_SESSIONS: usize = 256;

/// A turn that has ended, and the one before it.
pub(super) type Ended = (Arc<Turn>, Option<Arc<Turn>>);

#[derive(Debug, Default)]
pub(super) struct Sessions {
    positions: BTreeMap<String, SessionPosition>,
    loaded: HashMap<String, Loaded>,
    clock: u64,
    /// The session that the last event belongs to, when that event is a person's words.
    said: Option<String>,
    last_message: Option<Event>,
}

#[derive(Debug)]
struct Loaded {
    turn: Turn,
    bytes: usize,
    before: Option<Arc<Turn>>,
    before_bytes: usize,
    others: Others,
    touched: u64,
}

impl Loaded {
    fn all_bytes(&self) -> usize {
        self.bytes + self.before_bytes + self.others.bytes()
    }
}

impl Sessions {
    pub(super) fn of(positions: BTreeMap<String, SessionPosition>) -> Self {
        Self { positions, ..Self::default() }
    }

    /// Takes in an event; hands out the turn that it ended.
    pub(super) fn take(
        &mut self,
        shop: &Workshop,
        event: Event,
        at: Place,
    ) -> Result<Option<Ended>, WeaveError> {
        self.clock += 1;
        let key = event.session_key.clone().unwrap_or_default();
        let is_message = event.event_type == event_type::CHANNEL_MESSAGE;
        self.said = is_message.then(|| key.clone());
        if is_message {
            self.last_message = Some(event.clone());
        }
        let begins = event.begins_turn();
        let ends_session = event.event_type == event_type::AGENT_SESSION_END;
        self.load(shop, &key)?;
        let was_judged = self.positions.get(&key).is_none_or(|position| position.judged);
        let mut ended = None;
        match self.loaded.get_mut(&key) {
            Some(loaded) if begins => {
                let turn = std::mem::replace(
                    &mut loaded.turn,
                    Turn { session_key: key.clone(), events: Vec::new() },
                );
                let turn = Arc::new(turn);
                let before = loaded.before.replace(Arc::clone(&turn));
                loaded.before_bytes = std::mem::take(&mut loaded.bytes);
                if !was_judged {
                    ended = Some((turn, before));
                }
            }
            Some(_) => {}
            None => {
                let turn = Turn { session_key: key.clone(), events: Vec::new() };
                self.loaded.insert(
                    key.clone(),
                    Loaded {
                        turn,
                        bytes: 0,
                        before: None,
                        before_bytes: 0,
                        others: Others::default(),
                        touched: 0,
                    },
                );
            }
        }
        self.extend_position(&key, begins, &event, at);
        let clock = self.clock;
        if let Some(loaded) = self.loaded.get_mut(&key) {
            loaded.touched = clock;
            loaded.bytes += event.text_bytes();
            loaded.others.add(&event);
            if loaded.turn.events.len() < Turn::MAX_EVENTS && loaded.bytes <= Turn::MAX_BYTES {
                loaded.turn.events.push(event);
            }
        }
        if ends_session {
            ended = ended.or(self.end(shop, &key)?);
        }
        self.unload_oldest();
        Ok(ended)
    }

    fn extend_position(&mut self, key: &str, begins: bool, event: &Event, at: Place) {
        match self.positions.get_mut(key) {
            Some(position) if !begins => {
                position.to = at.behind;
                position.last_ts = event.ts;
                position.judged = false;
            }
            _ => {
                let position = SessionPosition {
                    from: Some(at.before),
                    to: at.behind,
                    last_ts: event.ts,
                    judged: false,
                };
                self.positions.insert(key.to_owned(), position);
            }
        }
    }

    /// Brings the last turn of a session into memory, if it has one.
    fn load(&mut self, shop: &Workshop, key: &str) -> Result<(), WeaveError> {
        if self.loaded.contains_key(key) {
            return Ok(());
        }
        let Some(position) = self.positions.get(key) else { return Ok(()) };
        if let Some(turn) = load_turn(shop, key, position)? {
            let bytes = turn.events.iter().map(Event::text_bytes).sum();
            let touched = self.clock;
            let others = Others::of(&turn);
            let loaded = Loaded { turn, bytes, before: None, before_bytes: 0, others, touched };
            self.loaded.insert(key.to_owned(), loaded);
        }
        Ok(())
    }

    fn unload_oldest(&mut self) {
        let mut bytes: usize = self.loaded.values().map(Loaded::all_bytes).sum();
        while self.loaded.len() > MAX_LOADED_SESSIONS || bytes > MAX_LOADED_BYTES && self.loaded.len() > 1 {
            let oldest = self.loaded.iter().min_by_key(|(_, loaded)| loaded.touched);
            let Some(key) = oldest.map(|(key, _)| key.clone()) else { return };
            bytes -= self.loaded.remove(&key).map_or(0, |loaded| loaded.all_bytes());
        }
    }

    /// The words that the last event was, the turn that they may speak of, and what others said in the session.
    pub(super) fn just_said(&self) -> Option<(&Event, Option<&Turn>, &Others)> {
        let loaded = self.loaded.get(self.said.as_ref()?)?;
        let message = loaded.turn.events.last()?;
        let before = if message.begins_turn() { loaded.before.as_deref() } else { Some(&loaded.turn) };
        Some((message, before, &loaded.others))
    }

    /// The last words of a person in this pass.
    pub(super) fn last_message(&self) -> Option<&Event> {
        self.last_message.as_ref()
    }

    /// The sessions with an open turn that nothing was heard of for some time, in order.
    pub(super) fn silent_since(&self, now: Timestamp, silence: SignedDuration) -> Vec<String> {
        let silent =
            |position: &SessionPosition| !position.judged && now.duration_since(position.last_ts) >= silence;
        self.positions.iter().filter(|(_, position)| silent(position)).map(|(key, _)| key.clone()).collect()
    }

    /// Ends the open turn of a session.
    pub(super) fn end(&mut self, shop: &Workshop, key: &str) -> Result<Option<Ended>, WeaveError> {
        self.load(shop, key)?;
        if let Some(position) = self.positions.get_mut(key) {
            position.judged = true;
        }
        let loaded = self.loaded.get(key);
        Ok(loaded.map(|loaded| (Arc::new(loaded.turn.clone()), loaded.before.clone())))
    }

    /// Ends the open turn of a session that nothing more will be heard of in this pass, and keeps none of it: of a long history there may be
    /// very many.
    pub(super) fn end_for_good(&mut self, shop: &Workshop, key: &str) -> Result<Option<Ended>, WeaveError> {
        let ended = self.end(shop, key)?;
        self.loaded.remove(key);
        Ok(ended)
    }

    /// What is to be remembered: every open turn, and of the judged ones those heard of last.
    pub(super) fn into_positions(self) -> BTreeMap<String, SessionPosition> {
        let mut judged: Vec<(&String, &SessionPosition)> =
            self.positions.iter().filter(|(_, position)| position.judged).collect();
        judged.sort_by_key(|(key, position)| {
            std::cmp::Reverse((position.to.file.clone(), position.to.offset, (*key).clone()))
        });
        let forgotten: Vec<String> =
            judged.into_iter().skip(MAX_REMEMBERED_SESSIONS).map(|(key, _)| key.clone()).collect();
        let mut positions = self.positions;
        for key in forgotten {
            positions.remove(&key);
        }
        positions
    }
}
