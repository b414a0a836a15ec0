//! The three interfaces: how a question is written and how an answer is read.

mod anthropic;
mod chat;
mod complaint;
mod responses;

use serde_json::{Value, json};
use subcortex_mind::{Question, Said, Speaker};

use crate::Wire;
use crate::answer::{Answer, Trouble};

pub(crate) use complaint::reason;

/// The longest answer where the question names none, in tokens.
const DEFAULT_MAX_OUTPUT_TOKENS: u32 = 4_096;
/// The longest name of a schema that OpenAI takes.
const MAX_SCHEMA_NAME_CHARS: usize = 64;

/// How a question is put. Servers differ in what they know, so a field that one refuses is put otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The schema of the answer is sent along.
    pub(crate) has_schema: bool,
    /// The length of the answer is called `max_completion_tokens`: newer models of OpenAI refuse `max_tokens`, most
    /// other servers know nothing else.
    pub(crate) has_new_limit: bool,
}

impl Shape {
    /// The first way to put a question.
    pub(crate) fn of(wire: Wire, question: &Question) -> Self {
        Self { has_schema: question.schema.is_some() && wire != Wire::Anthropic, has_new_limit: false }
    }

    /// Another way, after this one was refused.
    pub(crate) fn after_refusal(self, wire: Wire, reason: &str) -> Option<Self> {
        if wire == Wire::OpenAiChat && !self.has_new_limit && reason.contains("max_completion_tokens") {
            return Some(Self { has_new_limit: true, ..self });
        }
        self.has_schema.then_some(Self { has_schema: false, ..self })
    }
}

/// The question as the body of a request.
pub(crate) fn body(wire: Wire, model: &str, question: &Question, shape: Shape) -> Value {
    match wire {
        Wire::Anthropic => anthropic::body(model, question),
        Wire::OpenAiChat => chat::body(model, question, shape),
        Wire::OpenAiResponses => responses::body(model, question, shape),
    }
}

/// Takes over what one event of a stream says.
pub(crate) fn take_event(wire: Wire, answer: &mut Answer, data: &str) -> Result<(), Trouble> {
    match data.trim() {
        "" => return Ok(()),
        "[DONE]" => {
            answer.is_whole = answer.has_stopped || wire == Wire::OpenAiChat;
            return Ok(());
        }
        _ => {}
    }
    let event = parse(data.as_bytes())?;
    match wire {
        Wire::Anthropic => anthropic::take_event(answer, &event),
        Wire::OpenAiChat => chat::take(answer, &event, "delta"),
        Wire::OpenAiResponses => responses::take_event(answer, &event),
    }
}

/// Takes over an answer that came in one piece.
pub(crate) fn take_whole(wire: Wire, answer: &mut Answer, body: &[u8]) -> Result<(), Trouble> {
    let body = parse(body)?;
    match wire {
        Wire::Anthropic => anthropic::take_whole(answer, &body)?,
        Wire::OpenAiChat => chat::take(answer, &body, "message")?,
        Wire::OpenAiResponses => responses::take_whole(answer, &body)?,
    }
    if !answer.has_stopped {
        return Err(Trouble::Nonsense("JSON that holds no answer".to_owned()));
    }
    answer.is_whole = true;
    Ok(())
}

/// Whether an answer ended because it got too long.
pub(crate) fn is_cut(wire: Wire, answer: &Answer, question: &Question) -> bool {
    // Some servers call every response completed (llama.cpp does); its length tells.
    let is_full = answer.told.output >= u64::from(max_output_tokens(question));
    answer.is_cut || (wire == Wire::OpenAiResponses && is_full)
}

fn parse(text: &[u8]) -> Result<Value, Trouble> {
    let value: Value =
        serde_json::from_slice(text).map_err(|problem| Trouble::Nonsense(format!("no JSON: {problem}")))?;
    if value.is_object() { Ok(value) } else { Err(Trouble::Nonsense("JSON that is no object".to_owned())) }
}

fn max_output_tokens(question: &Question) -> u32 {
    if question.max_output_tokens == 0 { DEFAULT_MAX_OUTPUT_TOKENS } else { question.max_output_tokens }
}

fn messages(said: &[Said]) -> impl Iterator<Item = Value> + '_ {
    said.iter().map(|said| {
        let role = match said.by {
            Speaker::Us => "user",
            Speaker::Model => "assistant",
        };
        json!({"role": role, "content": said.text})
    })
}

/// A name for the question's schema, of the characters that OpenAI takes.
fn schema_name(question: &Question) -> String {
    let fit = |name: &char| name.is_ascii_alphanumeric() || matches!(name, '_' | '-');
    let name: String = question.purpose.chars().filter(fit).take(MAX_SCHEMA_NAME_CHARS).collect();
    if name.is_empty() { "answer".to_owned() } else { name }
}

#[cfg(test)]
mod tests;
