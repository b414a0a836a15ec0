//! Anthropic's Messages: <https://docs.claude.com/en/api/messages-streaming>.

use serde_json::{Value, json};
use subcortex_mind::Question;

use super::complaint::said;
use super::{max_output_tokens, messages};
use crate::answer::{Answer, Trouble, count};

/// The schema is not sent: it is for the prompt to say.
pub(super) fn body(model: &str, question: &Question) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": max_output_tokens(question),
        "stream": true,
        "messages": messages(&question.said).collect::<Vec<_>>(),
    });
    if !question.rules.is_empty() {
        body["system"] = json!(question.rules);
    }
    body
}

pub(super) fn take_event(answer: &mut Answer, event: &Value) -> Result<(), Trouble> {
    match event["type"].as_str().unwrap_or_default() {
        "message_start" => {
            answer.name_model(&event["message"]["model"]);
            take_usage(answer, &event["message"]["usage"]);
        }
        "content_block_start" => answer.add_content(&event["content_block"]["text"])?,
        "content_block_delta" => {
            answer.pass_over(&event["delta"]["thinking"]);
            answer.add_content(&event["delta"]["text"])?;
        }
        "message_delta" => {
            take_stop(answer, &event["delta"]["stop_reason"]);
            take_usage(answer, &event["usage"]);
        }
        "message_stop" => answer.is_whole = true,
        "error" => return Err(said(&event["error"])),
        _ => {}
    }
    Ok(())
}

pub(super) fn take_whole(answer: &mut Answer, message: &Value) -> Result<(), Trouble> {
    if message["type"] == "error" {
        return Err(said(&message["error"]));
    }
    answer.name_model(&message["model"]);
    take_usage(answer, &message["usage"]);
    take_stop(answer, &message["stop_reason"]);
    answer.add_content(&message["content"])
}

fn take_stop(answer: &mut Answer, reason: &Value) {
    answer.has_stopped |= reason.is_string();
    answer.is_cut |= matches!(reason.as_str(), Some("max_tokens" | "model_context_window_exceeded"));
}

/// Later counts replace earlier ones: they are of the whole message, not of the part since then.
fn take_usage(answer: &mut Answer, usage: &Value) {
    count(&mut answer.told.input, &usage["input_tokens"]);
    count(&mut answer.told.output, &usage["output_tokens"]);
    count(&mut answer.told.cache_read, &usage["cache_read_input_tokens"]);
    count(&mut answer.told.cache_write, &usage["cache_creation_input_tokens"]);
}
