//! How tasks move through a worker's state: pending, current, completed.

use serde_json::{Value, json};
use subcortex_guard::escape_for_display;
use subcortex_scratchpad::State;

use crate::text::first_chars;
use crate::tools::scratchpad::{MAX_ITEMS, keep_newest};

/// How much of a summary is kept with a completed task, in characters.
const MAX_SUMMARY_CHARS: usize = 300;

/// At wake: the task becomes the current one. What was current and is not completed comes next. Twice is as good as once.
pub fn take_up(state: &mut State, task: &str) {
    let task = Value::from(escape_for_display(task));
    let before = std::mem::replace(&mut state.current_task, task.clone());
    state.pending_actions.retain(|pending| *pending != task);
    let unfinished = !before.is_null() && before != task && !is_completed(state, &before);
    if unfinished && !state.pending_actions.contains(&before) {
        state.pending_actions.insert(0, before);
        state.pending_actions.truncate(MAX_ITEMS);
    }
}

/// Whether a task is among the completed ones: as `{task, summary}`, or alone, as earlier versions wrote it.
fn is_completed(state: &State, task: &Value) -> bool {
    state.completed_tasks.iter().any(|done| done == task || done.get("task") == Some(task))
}

/// At `done`: the current task is completed, the next pending one becomes current. The summary holds no secrets.
pub fn complete(state: &mut State, summary: &str) {
    let finished = state.current_task.take();
    if !finished.is_null() {
        let summary = first_chars(summary.trim(), MAX_SUMMARY_CHARS);
        state.completed_tasks.push(json!({ "task": finished, "summary": summary }));
        keep_newest(&mut state.completed_tasks);
    }
    if !state.pending_actions.is_empty() {
        state.current_task = state.pending_actions.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_take_up(current: Value, pending: Value, completed: Value, expect: Value) {
        let mut state: State = serde_json::from_value(
            json!({"current_task": current, "pending_actions": pending, "completed_tasks": completed}),
        )
        .unwrap();
        take_up(&mut state, "new\n.md");
        assert_eq!((state.current_task, Value::from(state.pending_actions)), (json!("new\\n.md"), expect));
    }

    #[test]
    fn an_unfinished_task_comes_next() {
        check_take_up(json!(null), json!(["b"]), json!([]), json!(["b"]));
        check_take_up(json!("a"), json!(["b"]), json!([]), json!(["a", "b"]));
        check_take_up(json!("a"), json!(["b"]), json!(["a"]), json!(["b"]));
        check_take_up(json!("a"), json!(["b"]), json!([{"task": "a", "summary": "x"}]), json!(["b"]));
        check_take_up(json!("a"), json!(["b", "a"]), json!([]), json!(["b", "a"]));
    }

    #[test]
    fn a_task_that_comes_again_is_not_listed_twice() {
        check_take_up(json!("new\\n.md"), json!(["b"]), json!([]), json!(["b"]));
        check_take_up(json!("a"), json!(["new\\n.md"]), json!([]), json!(["a"]));
    }

    #[test]
    fn a_completed_task_makes_room_for_the_next() {
        let mut state = State { pending_actions: vec![json!("b")], ..State::default() };
        complete(&mut state, "nothing");
        assert_eq!((&state.current_task, state.completed_tasks.len()), (&json!("b"), 0));
        complete(&mut state, &format!("{}\n", "ü".repeat(400)));
        let done = json!({"task": "b", "summary": "ü".repeat(300)});
        assert_eq!((state.current_task, state.completed_tasks), (Value::Null, vec![done]));
    }
}
