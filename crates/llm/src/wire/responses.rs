//! OpenAI's Responses.

use serde_json::{Value, json};
use subcortex_mind::Question;

use super::complaint::said;
use super::{Shape, max_output_tokens, messages, schema_name};
use crate::answer::{Answer, Trouble, count, count_input};

pub(super) fn body(model: &str, question: &Question, shape: Shape) -> Value {
    let mut body = json!({
        "model": model,
        "max_output_tokens": max_output_tokens(question),
        "stream": true,
        // Nothing asked here is for the other side to keep.
        "store": false,
        "input": messages(&question.said).collect::<Vec<_>>(),
    });
    if !question.rules.is_empty() {
        body["instructions"] = json!(question.rules);
    }
    if let Some(schema) = question.schema.as_ref().filter(|_| shape.has_schema) {
        let name = schema_name(question);
        body["text"] =
            json!({"format": {"type": "json_schema", "name": name, "schema": schema, "strict": true}});
    }
    body
}

pub(super) fn take_event(answer: &mut Answer, event: &Value) -> Result<(), Trouble> {
    match event["type"].as_str().unwrap_or_default() {
        "response.created" => answer.name_model(&event["response"]["model"]),
        "response.output_text.delta" | "response.refusal.delta" => answer.add_content(&event["delta"])?,
        "response.completed" | "response.incomplete" => {
            take_whole(answer, &event["response"])?;
            answer.is_whole = true;
        }
        "response.failed" => {
            take_whole(answer, &event["response"])?;
            return Err(said(&Value::Null));
        }
        "error" => return Err(said(if event["error"].is_object() { &event["error"] } else { event })),
        other if other.ends_with(".delta") => answer.pass_over(&event["delta"]),
        _ => {}
    }
    Ok(())
}

/// The response as it stands at its end: in a stream it repeats the text, alone it is the only place for it.
pub(super) fn take_whole(answer: &mut Answer, response: &Value) -> Result<(), Trouble> {
    answer.name_model(&response["model"]);
    take_usage(answer, &response["usage"]);
    if !response["error"].is_null() {
        return Err(said(&response["error"]));
    }
    match response["status"].as_str() {
        Some("failed" | "cancelled") => return Err(said(&Value::Null)),
        Some("incomplete") => answer.is_cut = true,
        _ => {}
    }
    if answer.text.is_empty() {
        let items = response["output"].as_array().into_iter().flatten();
        let messages = items.filter(|item| item["type"] == "message");
        messages.map(|item| &item["content"]).try_for_each(|content| answer.add_content(content))?;
    }
    answer.has_stopped |= response["output"].is_array() || response["status"].is_string();
    Ok(())
}

fn take_usage(answer: &mut Answer, usage: &Value) {
    let cached = &usage["input_tokens_details"]["cached_tokens"];
    count_input(&mut answer.told, &usage["input_tokens"], cached);
    count(&mut answer.told.output, &usage["output_tokens"]);
}
