//! From what a model said to the call of a tool.

use serde_json::{Map, Value};
use subcortex_mind::Reply;
use subcortex_mind::json::{MAX_ANSWER_BYTES, first_object};

/// How much of an answer that is none a note repeats, in characters.
const MAX_REPEATED_CHARS: usize = 120;

/// A tool, and what it is called with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) tool: String,
    /// `None` when they are there and are no object.
    pub(crate) args: Option<Map<String, Value>>,
}

/// The call in an answer, or what is wrong with it.
pub(crate) fn read(reply: &Reply) -> Result<Call, String> {
    let Some(mut object) = first_object(&reply.text) else { return Err(why_no_object(reply)) };
    let tool = match object.remove("tool") {
        Some(Value::String(tool)) if !tool.trim().is_empty() => tool,
        _ => return Err("the object names no tool: answer with {\"tool\": \"<name>\", \"args\": {…}}".into()),
    };
    let args = match object.remove("args") {
        None | Some(Value::Null) => Some(Map::new()),
        Some(Value::Object(args)) => Some(args),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => None,
    };
    Ok(Call { tool, args })
}

fn why_no_object(reply: &Reply) -> String {
    let len_bytes = reply.text.len();
    if len_bytes > MAX_ANSWER_BYTES {
        return format!(
            "the answer has {len_bytes} bytes, and at most {MAX_ANSWER_BYTES} are read: be brief"
        );
    }
    if reply.is_cut {
        return "the answer was cut because it was too long, and holds no whole JSON object: be brief".into();
    }
    let start = crate::text::one_line(&reply.text, MAX_REPEATED_CHARS);
    format!("no JSON object in the answer: {start}")
}
