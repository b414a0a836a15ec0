//! What a worker remembers.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use subcortex_guard::{Redactor, escape_for_display};

use crate::{CycleId, ScratchpadError, yaml};

/// The longest free text, in characters.
pub const MAX_TEXT_CHARS: usize = 10_000;
/// The longest notes, in bytes.
pub const MAX_NOTES_BYTES: usize = 64 * 1024;
/// The longest error that a note repeats, in characters.
const MAX_ERROR_CHARS: usize = 2_000;
/// What a worker is told when its text was taken.
pub const UPDATED: &str = "Scratchpad updated successfully.";

/// A worker's memory.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// What it is after.
    #[serde(deserialize_with = "nothing_is_default")]
    pub goals: Vec<Value>,
    /// What it is doing.
    pub current_task: Value,
    /// What it wants to do next.
    #[serde(deserialize_with = "nothing_is_default")]
    pub pending_actions: Vec<Value>,
    /// What it has done.
    #[serde(deserialize_with = "nothing_is_default")]
    pub completed_tasks: Vec<Value>,
    /// What happened, one line each. Cut to [`MAX_NOTES_BYTES`] when it is written, the oldest first.
    #[serde(deserialize_with = "nothing_is_default")]
    pub notes: String,
    /// Free text. Cut to [`MAX_TEXT_CHARS`] when it is written.
    #[serde(deserialize_with = "nothing_is_default")]
    pub scratchpad: String,
    /// When `active.yaml` was written.
    pub last_updated: Option<String>,
    /// Keys that the worker added.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A text that is longer than a scratchpad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Scratchpad content exceeds maximum length of {MAX_TEXT_CHARS} characters")]
pub struct TextTooLong {
    /// How long it is.
    pub len_chars: usize,
}

impl State {
    /// Sets the free text, without its control characters; an empty one clears it. Says what the worker is told.
    pub fn set_text(&mut self, text: &str) -> Result<&'static str, TextTooLong> {
        let text = without_control(text);
        let len_chars = text.chars().count();
        if len_chars > MAX_TEXT_CHARS {
            return Err(TextTooLong { len_chars });
        }
        self.scratchpad = text;
        Ok(UPDATED)
    }

    /// Sets the free text to what a worker answered when it was asked at the end of a run: nothing or an empty answer
    /// keeps what is there, a long one is cut. Says whether it was set.
    pub fn remember(&mut self, answer: Option<&str>) -> bool {
        let text = without_control(answer.unwrap_or_default());
        if text.trim().is_empty() {
            return false;
        }
        // Secrets go before the cut, as in `bounded`.
        self.scratchpad = first_chars(&Redactor::new().text(&text), MAX_TEXT_CHARS).to_owned();
        true
    }

    /// Adds `Cycle <id> failed: <error>` to the notes, once.
    pub(crate) fn note_failure(&mut self, cycle: &CycleId, error: &str) {
        let begins = format!("Cycle {cycle} failed: ");
        if self.notes.lines().any(|line| line.starts_with(&begins)) {
            return;
        }
        let clean = Redactor::new().text(error).into_owned();
        let error = escape_for_display(first_chars(clean.trim(), MAX_ERROR_CHARS)).into_owned();
        if !self.notes.is_empty() && !self.notes.ends_with('\n') {
            self.notes.push('\n');
        }
        self.notes.push_str(&begins);
        self.notes.push_str(&error);
    }

    /// The state as it may reach the disk. Control characters go first, since they could hide a secret by splitting it;
    /// the cut comes last, since half a secret has no form by which it could be recognised.
    #[must_use]
    pub fn bounded(mut self) -> State {
        self.scratchpad = without_control(&self.scratchpad);
        let mut state = self.redacted();
        state.notes = newest_lines(&state.notes, MAX_NOTES_BYTES).to_owned();
        state.scratchpad = first_chars(&state.scratchpad, MAX_TEXT_CHARS).to_owned();
        state
    }

    /// The state as `active.yaml` would hold it. Refused if it could not be read back, or is longer than that file may be.
    pub fn to_yaml(&self) -> Result<String, ScratchpadError> {
        String::from_utf8(yaml::write(self)?).map_err(|_| ScratchpadError::Unwritable)
    }

    /// The state without secrets.
    pub(crate) fn redacted(mut self) -> State {
        let redactor = Redactor::new();
        self.notes = redactor.text(&self.notes).into_owned();
        self.scratchpad = redactor.text(&self.scratchpad).into_owned();
        let lists = [&mut self.goals, &mut self.pending_actions, &mut self.completed_tasks];
        lists.into_iter().flatten().for_each(|value| redactor.value(value));
        redactor.value(&mut self.current_task);
        redactor.map(&mut self.other);
        self
    }
}

/// Line ends and tabs are text; whatever else a terminal would obey is not.
fn without_control(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect()
}

fn first_chars(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end])
}

/// The last lines of a text that fit; of a single line that does not, its end.
fn newest_lines(text: &str, max_bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(max_bytes);
    if start == 0 {
        return text;
    }
    while !text.is_char_boundary(start) {
        start += 1;
    }
    if text.as_bytes()[start - 1] == b'\n' {
        return &text[start..];
    }
    match text[start..].find('\n') {
        Some(end) if start + end + 1 < text.len() => &text[start + end + 1..],
        _ => &text[start..],
    }
}

/// A key that is there without a value is as good as missing.
fn nothing_is_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    reader: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(reader)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cycle() -> CycleId {
        "20261114_083700".parse().unwrap()
    }

    #[track_caller]
    fn check_text(text: &str, expect: &str) {
        let mut state = State { scratchpad: "old".into(), ..State::default() };
        let said = match state.set_text(text) {
            Ok(said) => format!("{said} {:?}", state.scratchpad),
            Err(error) => format!("{error} {:?}", state.scratchpad),
        };
        assert_eq!(said, expect);
    }

    #[test]
    fn a_text_is_taken_up_to_ten_thousand_characters_and_the_worker_is_told() {
        check_text("remember this", "Scratchpad updated successfully. \"remember this\"");
        check_text("", "Scratchpad updated successfully. \"\"");
        let longest = "ü".repeat(10_000);
        check_text(&longest, &format!("Scratchpad updated successfully. {longest:?}"));
        check_text(
            &"x".repeat(10_001),
            "Scratchpad content exceeds maximum length of 10000 characters \"old\"",
        );
    }

    #[test]
    fn control_characters_are_stripped_and_lines_stay_lines() {
        check_text("a\u{1b}[2J\r\nb\tc\0\u{7f}\u{9b}", "Scratchpad updated successfully. \"a[2J\\nb\\tc\"");
        check_text("\u{1b}", "Scratchpad updated successfully. \"\"");
        let stripped = "x".repeat(10_000);
        check_text(&format!("\0{stripped}"), &format!("Scratchpad updated successfully. {stripped:?}"));
    }

    #[test]
    fn an_answer_at_the_end_of_a_run_is_cut_and_an_empty_one_keeps_what_is_there() {
        let mut state = State { scratchpad: "old".into(), ..State::default() };
        for empty in [None, Some(""), Some(" \n"), Some("\0")] {
            assert!(!state.remember(empty) && state.scratchpad == "old", "{empty:?}");
        }
        assert!(state.remember(Some(&"ü".repeat(10_001))));
        assert_eq!(state.scratchpad, "ü".repeat(10_000));
    }

    #[track_caller]
    fn check_note(notes: &str, error: &str, expect: &str) {
        let mut state = State { notes: notes.into(), ..State::default() };
        state.note_failure(&cycle(), error);
        assert_eq!(state.notes, expect);
        state.note_failure(&cycle(), "again");
        assert_eq!(state.notes, expect, "one note a cycle");
    }

    #[test]
    fn a_failure_is_added_to_the_notes_on_one_line_and_earlier_notes_stay() {
        check_note("", "exit code 1", "Cycle 20261114_083700 failed: exit code 1");
        check_note("one\ntwo", "x", "one\ntwo\nCycle 20261114_083700 failed: x");
        check_note("one\n", "x", "one\nCycle 20261114_083700 failed: x");
        check_note("", "a\nCycle b\u{1b}", "Cycle 20261114_083700 failed: a\\nCycle b\\u{1b}");
        check_note("", "PASSWORD=hunter2", "Cycle 20261114_083700 failed: PASSWORD=[REDACTED:password]");
    }

    #[track_caller]
    fn check_newest(text: &str, max_bytes: usize, expect: &str) {
        assert_eq!(newest_lines(text, max_bytes), expect);
    }

    #[test]
    fn of_long_notes_the_oldest_lines_go() {
        check_newest("one\ntwo\nthree", 20, "one\ntwo\nthree");
        check_newest("one\ntwo\nthree", 9, "two\nthree");
        check_newest("one\ntwo\nthree", 8, "three");
        check_newest("one\ntwo\nthree", 4, "hree");
        check_newest("one\ntwo\n", 4, "two\n");
        check_newest("one\ntwo\n", 3, "wo\n");
        check_newest("üü", 3, "ü");
    }

    #[test]
    fn nothing_of_a_state_that_is_written_is_a_secret_or_too_long() {
        const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
        let mut state = State {
            goals: vec![json!({"step": SECRET})],
            current_task: json!(SECRET),
            pending_actions: vec![json!(SECRET)],
            completed_tasks: vec![json!([SECRET])],
            notes: format!("{}\nuse {SECRET}", "x".repeat(MAX_NOTES_BYTES)),
            scratchpad: format!("{SECRET}\u{1b}{}", "x ".repeat(MAX_TEXT_CHARS)),
            ..State::default()
        };
        state.other.insert("mood".into(), json!({"deep": SECRET}));
        let clean = state.bounded();
        let text = serde_json::to_string(&clean).unwrap();
        assert!(!text.contains(SECRET) && text.matches("[REDACTED").count() == 7, "{text}");
        assert!(clean.notes.len() <= MAX_NOTES_BYTES && clean.notes.starts_with("use"));
        assert_eq!(clean.scratchpad.chars().count(), MAX_TEXT_CHARS);
        assert_eq!(clean.clone().bounded(), clean);
    }

    #[test]
    fn a_state_can_be_shown_as_it_would_be_written() {
        let mut state = State { notes: "one".into(), ..State::default() };
        assert!(state.to_yaml().unwrap().contains("\nnotes: one\nscratchpad: \"\"\n"));
        state.current_task = json!("x".repeat(600_000));
        assert!(matches!(state.to_yaml(), Err(ScratchpadError::TooLarge { .. })));
    }

    #[test]
    fn a_secret_that_is_split_by_control_characters_is_still_one() {
        let split = "ghp_0123456789abcdef\u{1b}ghijABCDEFGHIJ456789";
        let clean = State { scratchpad: split.into(), ..State::default() }.bounded();
        assert!(clean.scratchpad.contains("[REDACTED"), "{}", clean.scratchpad);
    }
}
