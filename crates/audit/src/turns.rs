//! Turns out of the drafts of one session file, by session.
//!
//! A turn begins with what a person typed (or a program for them), or with a command of theirs, and ends before the next.
//! What subagents do is the agent's work and belongs to the turn that started them.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::Value;
use subcortex_model::{Draft, Event, EventId, Turn, event_type};

/// For how many events room is kept from turn to turn.
const MAX_KEPT_EVENTS: usize = 256;
/// How many sessions of one file are followed at once. Two terminals may write into one file; nobody has this many.
const MAX_OPEN_SESSIONS: usize = 16;

/// A turn that is over, and the one before it in its session.
pub(crate) struct Ended<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) before: Option<&'a Turn>,
}

/// The session that is being read.
#[derive(Debug)]
struct Open {
    turn: Turn,
    turn_bytes: usize,
    before: Option<Turn>,
    /// When it was last heard of, counted in drafts.
    heard_at: u64,
}

/// Collects drafts and hands out turns as they end.
#[derive(Debug)]
pub(crate) struct TurnCollector {
    sessions: HashMap<String, Open>,
    heard: u64,
    /// The time of what says none: that of the event before it, or of the file.
    now: Timestamp,
    /// Events that did not fit into their turn.
    pub(crate) left_out: u64,
}

impl TurnCollector {
    /// `undated` is the time of events that name none and come before any that does.
    pub(crate) fn new(undated: Timestamp) -> Self {
        Self { sessions: HashMap::new(), heard: 0, now: undated, left_out: 0 }
    }

    /// Takes in the next draft; `ended` gets the turn that it ended.
    pub(crate) fn push(&mut self, draft: Draft, ended: &mut dyn FnMut(Ended<'_>)) {
        let Some(session) = draft.session_key.clone() else { return };
        // What a program says to a subagent is no person's prompt.
        let of_subagent = draft.payload.get("is_sidechain").and_then(Value::as_bool) == Some(true);
        if of_subagent
            && matches!(&*draft.event_type, event_type::CHANNEL_MESSAGE | event_type::CHANNEL_COMMAND)
        {
            return;
        }
        self.heard += 1;
        self.now = draft.ts.unwrap_or(self.now);
        let event = event(draft, self.now, self.heard);
        let bytes = event.text_bytes();
        match self.sessions.get_mut(&session) {
            Some(open) if event.begins_turn() => {
                ended(Ended { turn: &open.turn, before: open.before.as_ref() });
                // The next turn takes the room of the one that nobody needs any more.
                let mut events = open.before.take().map(|turn| turn.events).unwrap_or_default();
                events.clear();
                events.shrink_to(MAX_KEPT_EVENTS);
                events.push(event);
                let turn = Turn { session_key: session, events };
                open.before = Some(std::mem::replace(&mut open.turn, turn));
                open.turn_bytes = bytes;
                open.heard_at = self.heard;
            }
            Some(open) if open.turn.events.len() >= Turn::MAX_EVENTS || open.turn_bytes > Turn::MAX_BYTES => {
                self.left_out += 1;
            }
            Some(open) => {
                open.turn.events.push(event);
                open.turn_bytes += bytes;
                open.heard_at = self.heard;
            }
            None => {
                self.make_room(ended);
                let turn = Turn { session_key: session.clone(), events: vec![event] };
                let open = Open { turn, turn_bytes: bytes, before: None, heard_at: self.heard };
                self.sessions.insert(session, open);
            }
        }
    }

    /// Ends all turns, because the file is over.
    pub(crate) fn finish(&mut self, ended: &mut dyn FnMut(Ended<'_>)) {
        let mut open: Vec<Open> = self.sessions.drain().map(|(_, open)| open).collect();
        open.sort_by(|a, b| a.turn.session_key.cmp(&b.turn.session_key));
        for Open { turn, before, .. } in open {
            ended(Ended { turn: &turn, before: before.as_ref() });
        }
    }

    fn make_room(&mut self, ended: &mut dyn FnMut(Ended<'_>)) {
        if self.sessions.len() < MAX_OPEN_SESSIONS {
            return;
        }
        let silent = self.sessions.iter().min_by_key(|(_, open)| open.heard_at).map(|(key, _)| key.clone());
        if let Some(open) = silent.and_then(|key| self.sessions.remove(&key)) {
            ended(Ended { turn: &open.turn, before: open.before.as_ref() });
        }
    }
}

fn event(draft: Draft, ts: Timestamp, nth: u64) -> Event {
    let Draft { ts: _, event_type, source, session_key, turn, cwd, payload, source_id, key: _ } = draft;
    let id = source_id.unwrap_or_else(|| format!("{}/~{nth}", session_key.as_deref().unwrap_or_default()));
    Event { id: EventId::from_log(id), ts, event_type, source, session_key, turn, cwd, dedup: None, payload }
}

#[cfg(test)]
mod tests {
    use subcortex_model::{Source, Via, command, event_type};

    use super::*;

    /// `session:type:id`, with `/via` behind the type.
    fn draft(word: &str) -> Draft {
        let [session, kind, id]: [&str; 3] = word.split(':').collect::<Vec<_>>().try_into().unwrap();
        let (kind, via) = kind.split_once('/').unwrap_or((kind, ""));
        let (event_type, key) = match kind {
            "said" => (event_type::CHANNEL_MESSAGE, Via::FIELD),
            "command" => (event_type::CHANNEL_COMMAND, command::FIELD),
            _ => (event_type::AGENT_RESULT, Via::FIELD),
        };
        let mut payload = serde_json::Map::new();
        if !via.is_empty() {
            payload.insert(key.into(), via.into());
        }
        if kind == "aside" {
            payload.insert("is_sidechain".into(), true.into());
        }
        let mut draft = Draft::new(event_type, Source::of("claude"), payload);
        draft.session_key = Some(session.into());
        draft.source_id = Some(id.into());
        draft
    }

    fn turns_of(words: &[String]) -> Vec<String> {
        let mut turns = TurnCollector::new(Timestamp::UNIX_EPOCH);
        let mut told = Vec::new();
        let ids = |turn: &Turn| turn.events.iter().map(|event| event.id.as_str()).collect::<String>();
        let mut ended = |end: Ended<'_>| {
            told.push(format!(
                "{}:{}<{}",
                end.turn.session_key,
                ids(end.turn),
                end.before.map(ids).unwrap_or_default()
            ));
        };
        for word in words {
            turns.push(draft(word), &mut ended);
        }
        turns.finish(&mut ended);
        told
    }

    #[track_caller]
    fn check(words: &str, expect: &[&str]) {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        assert_eq!(turns_of(&words), expect);
    }

    #[test]
    fn a_prompt_or_a_command_begins_a_turn_and_words_in_between_do_not() {
        check(
            "s:said:a s:did:b s:said/queued:c s:command/interrupt:d s:said/sdk:e s:command/slash:f s:did:g s:said/memory:h",
            &["s:abcd<", "s:e<abcd", "s:fg<e", "s:h<fg"],
        );
    }

    #[test]
    fn sessions_of_one_file_stay_apart() {
        check("s:said:a t:said:b s:did:c t:did:d s:said:e", &["s:ac<", "s:e<ac", "t:bd<"]);
    }

    #[test]
    fn what_subagents_did_belongs_to_the_turn_and_what_they_are_told_to_none() {
        check("s:said:a s:aside:b s:did:c", &["s:abc<"]);
    }

    #[test]
    fn the_session_that_was_silent_longest_makes_room() {
        let words: Vec<String> = (0..=MAX_OPEN_SESSIONS).map(|n| format!("{n:02}:said:x")).collect();
        let told = turns_of(&words);
        assert_eq!(told.len(), MAX_OPEN_SESSIONS + 1);
        assert_eq!(told[0], "00:x<");
    }

    #[test]
    fn a_turn_without_end_is_cut_and_counted() {
        let mut turns = TurnCollector::new(Timestamp::UNIX_EPOCH);
        for _ in 0..Turn::MAX_EVENTS + 3 {
            turns.push(draft("s:did:x"), &mut |_| {});
        }
        assert_eq!(turns.left_out, 3);
    }
}
