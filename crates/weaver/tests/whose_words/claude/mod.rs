//! Records of Claude Code that hold what no person said, by their kinds.

mod agent;
mod answers;
mod before;
mod beside;
mod blocks;
mod elements;
mod other;
mod prompts;
mod refusals;
mod results;
mod shown;
mod tools;
mod unsigned;

use serde_json::{Value, json};

use crate::case::Case;

pub(crate) use answers::asked;
pub(crate) use before::{OPEN, waiting};

pub(crate) const TYPED: &str = "user: text, typed";
pub(crate) const UNSIGNED: &str = "user: text, in a record that names no sender";
pub(crate) const PERHAPS_TYPED: &str = "user: text, of several, beside a placeholder or a missing answer";
pub(crate) const OUT_OF_PLACE: &str = "user: text, in a record that does not say when or where";
pub(crate) const STRANGE: &str = "user: text, in a record with a field that nobody knows";
const MARKED: &str = "user: text, marked as the program's or another sender's";
pub(crate) const FEEDBACK: &str = "user: userFeedback of a refusal by a person";
pub(crate) const REFUSAL: &str = "user: tool_result, a refusal in words, of the agent's own tools";
pub(crate) const ANSWERED: &str = "user: toolUseResult.answers of the question tool, typed";
pub(crate) const BESIDE: &str = "user: text beside a tool_result that holds a person's words";

/// How the answer of a refused call reads.
pub(crate) fn refusal(words: &str) -> String {
    format!(
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the \
         new_string was NOT written to the file). To tell you how to proceed, the user said:\n{words}"
    )
}

pub(crate) fn prompt(content: impl Into<Value>, fields: Value) -> Value {
    with(json!({"type": "user", "message": {"role": "user", "content": content.into()}}), fields)
}

/// What newer versions say of a prompt that somebody typed.
pub(crate) fn typed() -> Value {
    json!({"promptSource": "typed", "origin": {"kind": "human"}})
}

pub(crate) fn call(tool: &str, input: Value) -> Value {
    let block = json!({"type": "tool_use", "id": "t1", "name": tool, "input": input});
    json!({"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": [block]}})
}

pub(crate) fn result(content: impl Into<Value>, is_error: bool, fields: Value) -> Value {
    let block =
        json!({"type": "tool_result", "tool_use_id": "t1", "content": content.into(), "is_error": is_error});
    prompt(json!([block]), fields)
}

pub(crate) fn with(mut record: Value, fields: Value) -> Value {
    record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    record
}

pub(crate) fn cases() -> Vec<Case> {
    let groups = [
        prompts::cases(),
        before::cases(),
        elements::cases(),
        blocks::cases(),
        shown::cases(),
        tools::cases(),
        results::cases(),
        refusals::cases(),
        answers::cases(),
        beside::cases(),
        agent::cases(),
        other::cases(),
        unsigned::cases(),
    ];
    groups.concat()
}
