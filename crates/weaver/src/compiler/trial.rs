//! A model's check is tried before it is used: on its own examples, and on turns that have nothing to do with any line.

use jiff::Timestamp;
use serde_json::{Value, json};
use subcortex_checks::{Board, Check, Trajectory, judge};
use subcortex_model::{Event, EventId, Source, Turn, event_type};

use super::form::{Examples, Step};

/// How many steps an example has at most.
pub(super) const MAX_STEPS: usize = 6;
/// The longest text of a step, in bytes.
const MAX_STEP_BYTES: usize = 2_000;

/// Says why a check cannot be used.
pub(super) fn passes(check: &Check, examples: &Examples) -> Result<(), &'static str> {
    let steps = || examples.followed.iter().chain(&examples.missed);
    if examples.followed.len().max(examples.missed.len()) > MAX_STEPS
        || steps().any(|step| step.len_bytes() > MAX_STEP_BYTES)
    {
        return Err("its examples are too long");
    }
    if check.problem().is_some() {
        return Err("it holds a condition that can never be met");
    }
    let board = Board::new([(1, without_project(check))]);
    let verdict = |steps: &[Step]| seen(&board, steps.iter().map(Step::event).collect());
    if verdict(&examples.missed) != Some(Trajectory::Weakening) {
        return Err("its own example of a miss is none by the check");
    }
    let followed = verdict(&examples.followed);
    // A line that only forbids is followed by everything else.
    let kept = check.expect.is_empty() && check.trigger.is_empty() && followed.is_none();
    if followed != Some(Trajectory::Strengthening) && !kept {
        return Err("its own example of following the line is none by the check");
    }
    if everyday().into_iter().all(|events| seen(&board, events).is_some()) {
        return Err("it would fit every turn");
    }
    Ok(())
}

/// Examples happen nowhere in particular.
fn without_project(check: &Check) -> Check {
    let mut check = check.clone();
    check.scope.project = None;
    check
}

fn seen(board: &Board, events: Vec<Event>) -> Option<Trajectory> {
    let message = event(0, event_type::CHANNEL_MESSAGE, json!({ "text": "go on" }));
    let events: Vec<Event> = std::iter::once(message).chain(events).enumerate().map(numbered).collect();
    let turn = Turn { session_key: "trial".into(), events };
    judge(&turn, None, board).first().map(|verdict| verdict.trajectory)
}

fn numbered((at, mut event): (usize, Event)) -> Event {
    event.id = EventId::from_log(format!("trial_{at}"));
    event
}

/// Turns such as there are in every session.
fn everyday() -> [Vec<Event>; 3] {
    [
        vec![Step::Read("notes.txt".into()).event()],
        vec![Step::Ran("ls".into()).event(), Step::Ran("git status".into()).event()],
        vec![Step::Wrote { path: "notes.txt".into(), content: "a note\n".into() }.event()],
    ]
}

impl Step {
    fn len_bytes(&self) -> usize {
        match self {
            Self::Ran(text) | Self::Read(text) => text.len(),
            Self::Wrote { path, content } => path.len() + content.len(),
        }
    }

    fn event(&self) -> Event {
        let (tool, input) = match self {
            Self::Ran(command) => ("Bash", json!({ "command": command })),
            Self::Wrote { path, content } => ("Write", json!({ "file_path": path, "content": content })),
            Self::Read(path) => ("Read", json!({ "file_path": path })),
        };
        event(0, event_type::AGENT_TOOL_USE, json!({ "tool_name": tool, "input": input }))
    }
}

fn event(at: usize, event_type: &str, payload: Value) -> Event {
    Event {
        id: EventId::from_log(format!("trial_{at}")),
        ts: Timestamp::UNIX_EPOCH,
        event_type: event_type.to_owned(),
        source: Source::of("trial"),
        session_key: Some("trial".into()),
        turn: None,
        cwd: None,
        dedup: None,
        payload: payload.as_object().cloned().unwrap_or_default(),
    }
}
