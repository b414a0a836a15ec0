//! A model's check is tried before it is used: on its own examples, and on turns that have nothing to do with any rule.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use subcortex_checks::{Bearing, Board, Check, Past, judge_after};
use subcortex_model::{Event, EventId, Source, Turn, event_type};

/// How many steps an example has at most.
const MAX_STEPS: usize = 12;
/// The longest text of a step, in bytes.
const MAX_STEP_BYTES: usize = 4_000;

/// Short turns that show what is meant.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Examples {
    followed: Vec<String>,
    missed: Vec<String>,
    untouched: Vec<String>,
}

/// Says why a check cannot be used.
pub(super) fn passes(check: &Check, examples: &Examples) -> Result<(), String> {
    let all = [&examples.followed, &examples.missed, &examples.untouched];
    if all.iter().any(|steps| steps.len() > MAX_STEPS || steps.iter().any(|step| step.len() > MAX_STEP_BYTES))
    {
        return Err("its examples are too long".into());
    }
    let board = Board::new([(1, without_project(check))]);
    let verdict = |steps: &[String]| seen(&board, steps);
    if examples.missed.is_empty() && examples.followed.is_empty() {
        return Err("it has no examples".into());
    }
    if !examples.missed.is_empty() && verdict(&examples.missed)? != Some(Bearing::Weakening) {
        return Err("its own example of a miss is none by the check".into());
    }
    let could_follow = !examples.followed.is_empty() && !check.expect.is_empty();
    if could_follow && verdict(&examples.followed)? != Some(Bearing::Strengthening) {
        return Err("its own example of following the rule is none by the check".into());
    }
    if matches!(verdict(&examples.untouched)?, Some(Bearing::Weakening | Bearing::Strengthening)) {
        return Err("its own example of a turn that does not touch the rule does by the check".into());
    }
    for steps in EVERYDAY {
        let steps: Vec<String> = steps.iter().map(|step| (*step).to_owned()).collect();
        if matches!(verdict(&steps)?, Some(Bearing::Weakening)) {
            return Err("it finds a miss in a turn that only looks around".into());
        }
    }
    Ok(())
}

/// Turns such as there are in every session.
const EVERYDAY: [&[&str]; 2] = [
    &["? notes.txt", "< It is a list of things to do."],
    &["$ ls", "$ git status => nothing to commit", "< There is nothing to do."],
];

/// Examples happen nowhere in particular.
fn without_project(check: &Check) -> Check {
    let mut check = check.clone();
    check.scope.project = None;
    check
}

fn seen(board: &Board, steps: &[String]) -> Result<Option<Bearing>, String> {
    let mut events = Vec::new();
    if !steps.first().is_some_and(|step| step.starts_with('>')) {
        add(&mut events, event_type::CHANNEL_MESSAGE, json!({ "text": "go on" }));
    }
    for (number, step) in steps.iter().enumerate() {
        take(&mut events, step, &format!("call_{number}"))?;
    }
    let turn = Turn { session_key: "trial".into(), events };
    Ok(judge_after(&turn, None, &Past::start(), board).first().map(|verdict| verdict.trajectory))
}

fn take(events: &mut Vec<Event>, step: &str, id: &str) -> Result<(), String> {
    let mut chars = step.chars();
    let mark = chars.next();
    let rest = chars.as_str().trim_start();
    let (head, body) = rest.split_once('\n').unwrap_or((rest, ""));
    let mut call = |tool: &str, input: Value| {
        add(
            events,
            event_type::AGENT_TOOL_USE,
            json!({ "tool_name": tool, "input": input, "tool_use_id": id }),
        );
    };
    match mark {
        Some('>') => add(events, event_type::CHANNEL_MESSAGE, json!({ "text": rest })),
        Some('<') => add(events, event_type::AGENT_RESULT, json!({ "text": rest })),
        Some('$' | '!') => {
            let (command, answer) = rest.split_once(" => ").unwrap_or((rest, "ok"));
            call("Bash", json!({ "command": command }));
            let answer = json!({ "tool_use_id": id, "is_error": mark == Some('!'), "text": answer });
            add(events, event_type::AGENT_TOOL_RESULT, answer);
        }
        Some('+') => call("Write", json!({ "file_path": head.trim(), "content": body })),
        Some('~') => {
            let (old, new) =
                body.split_once("\n===\n").or_else(|| body.split_once("===\n")).unwrap_or(("", body));
            call("Edit", json!({ "file_path": head.trim(), "old_string": old, "new_string": new }));
        }
        Some('?') => call("Read", json!({ "file_path": head.trim() })),
        Some('@') => call(head.trim(), json!({ "input": body })),
        Some(_) | None => return Err("a step of its examples begins with no mark".into()),
    }
    Ok(())
}

fn add(events: &mut Vec<Event>, event_type: &str, payload: Value) {
    events.push(Event {
        id: EventId::from_log(format!("trial_{}", events.len())),
        ts: Timestamp::UNIX_EPOCH,
        event_type: event_type.to_owned(),
        source: Source::of("claude"),
        session_key: Some("trial".into()),
        turn: None,
        cwd: Some("/trial".into()),
        dedup: None,
        payload: payload.as_object().cloned().unwrap_or_default(),
    });
}
