//! OpenAI's Chat Completions, and what other servers made of it.

use serde_json::{Value, json};
use subcortex_mind::Question;

use super::complaint::said;
use super::{Shape, max_output_tokens, messages, schema_name};
use crate::answer::{Answer, Trouble, count, count_input};

pub(super) fn body(model: &str, question: &Question, shape: Shape) -> Value {
    let rules = (!question.rules.is_empty()).then(|| json!({"role": "system", "content": question.rules}));
    let limit = if shape.has_new_limit { "max_completion_tokens" } else { "max_tokens" };
    let mut body = json!({
        "model": model,
        limit: max_output_tokens(question),
        "stream": true,
        "stream_options": {"include_usage": true},
        "messages": rules.into_iter().chain(messages(&question.said)).collect::<Vec<_>>(),
    });
    if let Some(schema) = question.schema.as_ref().filter(|_| shape.has_schema) {
        let format = json!({"name": schema_name(question), "schema": schema, "strict": true});
        body["response_format"] = json!({"type": "json_schema", "json_schema": format});
    }
    body
}

/// Takes over a piece (`delta`) or the whole (`message`): they differ in that name alone.
pub(super) fn take(answer: &mut Answer, chunk: &Value, part: &str) -> Result<(), Trouble> {
    if !chunk["error"].is_null() {
        return Err(said(&chunk["error"]));
    }
    answer.name_model(&chunk["model"]);
    take_usage(answer, &chunk["usage"]);
    // One answer was asked for; the piece with the account holds none.
    let choice = &chunk["choices"][0];
    answer.pass_over(&choice[part]["reasoning_content"]);
    answer.pass_over(&choice[part]["reasoning"]);
    answer.add_content(&choice[part]["content"])?;
    answer.add_content(&choice[part]["refusal"])?;
    if let Some(reason) = choice["finish_reason"].as_str() {
        answer.has_stopped = true;
        answer.is_cut |= reason == "length";
    }
    Ok(())
}

fn take_usage(answer: &mut Answer, usage: &Value) {
    let cached = &usage["prompt_tokens_details"]["cached_tokens"];
    count_input(&mut answer.told, &usage["prompt_tokens"], cached);
    count(&mut answer.told.output, &usage["completion_tokens"]);
    // Some brokers say what it cost.
    if let Some(cost) = usage["cost"].as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0) {
        answer.cost_usd = Some(cost);
    }
}
