//! The state as YAML, and back.

use crate::{MAX_ACTIVE_BYTES, ScratchpadError, State};

/// Reads a state; the reason in words if the text is none.
pub(crate) fn parse(bytes: &[u8]) -> Result<State, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("it is not UTF-8 from byte {} on", error.valid_up_to()))?;
    subcortex_yaml::from_str(text).map_err(|problem| problem.to_string())
}

/// Writes a state, and makes sure that it can be read back: what cannot is refused now, since later it would be a
/// broken file.
pub(crate) fn write(state: &State) -> Result<Vec<u8>, ScratchpadError> {
    let readable = |text: &String| parse(text.as_bytes()).is_ok_and(|back| back == *state);
    let as_yaml = || subcortex_yaml::to_string(state).ok();
    // JSON is YAML too, and leaves less to how a text is quoted.
    let as_json = || serde_json::to_string_pretty(state).ok().map(|json| json + "\n");
    let text = as_yaml().filter(readable).or_else(|| as_json().filter(readable));
    match text {
        Some(text) if text.len() as u64 <= MAX_ACTIVE_BYTES => Ok(text.into_bytes()),
        Some(text) => Err(ScratchpadError::TooLarge { len_bytes: text.len() }),
        None => Err(ScratchpadError::Unwritable),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(yaml: &str, expect: Result<State, &str>) {
        assert_eq!(parse(yaml.as_bytes()), expect.map_err(str::to_owned));
    }

    #[test]
    fn the_defaults_are_written_in_full() {
        let yaml = String::from_utf8(write(&State::default()).unwrap()).unwrap();
        assert_eq!(
            yaml,
            "goals: []\ncurrent_task: null\npending_actions: []\ncompleted_tasks: []\nnotes: \"\"\nscratchpad: \"\"\nlast_updated: null\n"
        );
    }

    #[test]
    fn missing_keys_and_keys_without_a_value_are_defaults() {
        check("", Ok(State::default()));
        check("goals:\nnotes: ~\nscratchpad: null\ncurrent_task:\nlast_updated:\n", Ok(State::default()));
        check("notes: 017", Ok(State { notes: "017".into(), ..State::default() }));
        let goals = vec![json!("one"), json!({"two": [3, null, true, 0.5]})];
        check("goals: [one, {two: [3, null, true, 0.5]}]", Ok(State { goals, ..State::default() }));
    }

    #[test]
    fn keys_that_a_worker_added_are_kept() {
        let mut state = State::default();
        state.other.insert("mood".into(), json!({"today": "calm", "since": 3}));
        check("mood: {today: calm, since: 3}", Ok(state.clone()));
        assert_eq!(parse(&write(&state).unwrap()).unwrap(), state);
    }

    #[test]
    fn what_is_no_state_says_why() {
        for (yaml, expect) in [
            ("goals: no list", "goals is"),
            ("notes: [a]", "notes is"),
            ("- a list", "this is"),
            ("goals: [", ""),
            ("notes: a\nnotes: b", "notes"),
        ] {
            let why = parse(yaml.as_bytes()).expect_err(yaml);
            assert!(why.contains(expect), "{yaml}: {why}");
        }
        assert_eq!(parse(b"notes: \xff").unwrap_err(), "it is not UTF-8 from byte 7 on");
    }

    #[test]
    fn a_state_that_could_not_be_read_back_is_refused() {
        let many = State { goals: vec![json!("x"); 30_000], ..State::default() };
        assert!(matches!(write(&many), Err(ScratchpadError::Unwritable)));
        let long = State { goals: vec![json!("x".repeat(1_000)); 600], ..State::default() };
        assert!(matches!(write(&long), Err(ScratchpadError::TooLarge { .. })));
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any_text().prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec(("[a-z ]{1,8}", inner), 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    /// Texts that are easily taken for something else, and any text.
    fn any_text() -> impl Strategy<Value = String> {
        let awkward = prop::sample::select(vec![
            "null",
            "~",
            "true",
            "no",
            "0x1F",
            "1e3",
            ".nan",
            "- a",
            "a: b",
            "# no comment",
            "\"",
            "'",
            "|",
            ">-",
            "&a",
            "*a",
            "!tag",
            "---",
            "...",
            " leading",
            "trailing ",
            "\n",
            "\n\n a\n",
            "a\n  b\n c",
            "\u{2028}",
            "\u{feff}x",
            "\t",
            "%a",
            "@x",
            "`x`",
            "{",
            "[",
            "?",
            "2026-11-14",
            "<<",
            "=",
        ]);
        prop_oneof![awkward.prop_map(str::to_owned), any::<String>(), "[ -~\n]{0,60}"]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_is_written_is_read_back_equal(
            goals in prop::collection::vec(any_value(), 0..4),
            current_task in any_value(),
            notes in any_text(),
            scratchpad in any_text(),
            other in any_value(),
        ) {
            let mut state = State { goals, current_task, notes, scratchpad, ..State::default() };
            state.other.insert("added".into(), other);
            let written = write(&state).unwrap();
            prop_assert_eq!(parse(&written).unwrap(), state, "{}", String::from_utf8_lossy(&written));
        }
    }
}
