//! How tasks move through a worker's state: pending, current, completed.

use serde_json::Value;
use subcortex_guard::escape_for_display;
use subcortex_scratchpad::State;

use crate::tools::scratchpad::{MAX_ITEMS, keep_newest};

/// At wake: the task becomes the current one. What was current and is not completed comes next.
pub(crate) fn take_up(state: &mut State, task: &str) {
    let task = Value::from(escape_for_display(task));
    let before = std::mem::replace(&mut state.current_task, task.clone());
    state.pending_actions.retain(|pending| *pending != task);
    let unfinished = !before.is_null() && before != task && !state.completed_tasks.contains(&before);
    if unfinished && !state.pending_actions.contains(&before) {
        state.pending_actions.insert(0, before);
        state.pending_actions.truncate(MAX_ITEMS);
    }
}

/// At `done`: the current task is completed, the next pending one becomes current.
pub(crate) fn complete(state: &mut State) {
    let finished = state.current_task.take();
    if !finished.is_null() {
        state.completed_tasks.push(finished);
        keep_newest(&mut state.completed_tasks);
    }
    if !state.pending_actions.is_empty() {
        state.current_task = state.pending_actions.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
        complete(&mut state);
        assert_eq!((&state.current_task, state.completed_tasks.len()), (&json!("b"), 0));
        complete(&mut state);
        assert_eq!((state.current_task, state.completed_tasks), (Value::Null, vec![json!("b")]));
    }
}
