//! Calls of tools and their answers.

use serde_json::Value;
use subcortex_guard::{Asked, Redactor};
use subcortex_model::{Draft, Via, event_type};

use super::reader::{Codex, DraftResult, owned};
use super::record::{Item, Record};
use super::{call, output};
use crate::transcript::bound::{self, MAX_MESSAGE_BYTES};
use crate::transcript::choice;
use crate::transcript::counts::skipped;
use crate::transcript::draft::Payload;
use crate::transcript::raw::Raw;

/// How many calls wait for their answer at most.
const MAX_OPEN_CALLS: usize = 4096;
/// The tool with which the agent asks a person.
const QUESTION_TOOL: &str = "request_user_input";
/// What stands in front of words that a person adds to a picked option.
const NOTE: &str = "user_note: ";

/// A call that waits for its answer.
#[derive(Debug)]
pub(super) struct OpenCall {
    tool_name: String,
    /// Whether it asked for a secret.
    pub(super) asked: Option<Asked>,
    /// The questions, if the call asks a person.
    questions: Option<Value>,
}

impl Codex {
    pub(super) fn read_call(
        &mut self,
        record: &Record<'_>,
        payload: Raw<'_>,
        item: &Item<'_>,
        drafts: &mut Vec<Draft>,
    ) -> DraftResult {
        let call = call::read(item, self.setting.cwd.as_deref()).ok_or(skipped::NO_CONTENT)?;
        let id = owned(item.call_id).or_else(|| owned(item.id));
        let mut common = self.common(record, payload, id.as_deref())?;
        // A server's tool of that name has a namespace of its own.
        let asks = call.tool_name == QUESTION_TOOL && owned(item.namespace).is_none();
        let questions = asks.then(|| call.inputs.first().cloned()).flatten();
        if let Some(id) = &id {
            self.last_call = Some(id.clone());
            self.said_behind = 0;
        }
        let asked = call.inputs.iter().find_map(|input| Redactor::new().asked_by(input));
        for mut input in call.inputs {
            bound::input(&mut input);
            let payload = Payload::new()
                .with("tool_name", call.tool_name.as_str())
                .with("input", input)
                .with_some("tool_use_id", id.as_deref())
                .with_some("model", self.setting.model.as_deref());
            drafts.push(common.draft(event_type::AGENT_TOOL_USE, payload));
        }
        if let Some(id) = id.filter(|_| self.open_calls.len() < MAX_OPEN_CALLS) {
            self.open_calls.insert(id, OpenCall { tool_name: call.tool_name, asked, questions });
        }
        Ok(())
    }

    pub(super) fn read_output(
        &mut self,
        record: &Record<'_>,
        payload: Raw<'_>,
        item: &Item<'_>,
        drafts: &mut Vec<Draft>,
    ) -> DraftResult {
        let call_id = owned(item.call_id);
        call_id.iter().for_each(|id| self.drop_output(id));
        let id = call_id.as_ref().map(|id| format!("{id}:output"));
        let mut common = self.common(record, payload, id.as_deref())?;
        let open = call_id.as_ref().and_then(|id| self.open_calls.remove(id));
        let output = output::read(item.output);
        let payload = Payload::new()
            .with_some("tool_name", open.as_ref().map(|open| open.tool_name.as_str()))
            .with_some("tool_use_id", call_id.as_deref())
            .with("is_error", output.is_error)
            .with_some("exit_code", output.exit_code)
            .with("text", bound::answer(&output.text, open.as_ref().and_then(|open| open.asked)))
            .with_flag("refused", output.is_refused)
            .with_flag("interrupted", output.is_interrupted);
        drafts.push(common.draft(event_type::AGENT_TOOL_RESULT, payload));
        // A script answers its agent's questions, and an agent those of its subagents.
        let is_asked = !self.setting.is_programs() && !self.setting.is_subagent;
        if let Some(questions) = open.and_then(|open| open.questions).filter(|_| is_asked) {
            for (question, text, via) in answers(&questions, &output.text) {
                let payload = Payload::new()
                    .with("text", bound::text(&text, MAX_MESSAGE_BYTES))
                    .via(via)
                    .with_some("tool_use_id", call_id.as_deref())
                    .with("question", question);
                drafts.push(common.draft(event_type::CHANNEL_MESSAGE, payload));
            }
        }
        Ok(())
    }
}

/// The answers of a person: question, text, and whether they picked or typed it.
fn answers(questions: &Value, output: &str) -> Vec<(String, String, Via)> {
    let given: Value = serde_json::from_str(output).unwrap_or_default();
    let Some(given) = given.get("answers").and_then(Value::as_object) else { return Vec::new() };
    let asked = questions.get("questions").and_then(Value::as_array);
    let mut found = Vec::new();
    for (id, answer) in given {
        let is_it = |asked: &&Value| asked.get("id").and_then(Value::as_str) == Some(id);
        // An answer to nothing that was asked is nobody's.
        let Some(asked) = asked.and_then(|all| all.iter().find(is_it)) else { continue };
        let question = asked.get("question").and_then(Value::as_str).unwrap_or(id);
        let offered = choice::offered(asked, &[questions]);
        let parts = answer.get("answers").and_then(Value::as_array);
        for part in parts.into_iter().flatten().filter_map(Value::as_str) {
            let part = choice::split(part, &offered);
            found.extend(part.picked.map(|picked| (question.to_owned(), picked, Via::Picked)));
            let typed = part.typed.as_deref().map(|typed| typed.strip_prefix(NOTE).unwrap_or(typed));
            let note = typed.map(|typed| choice::split(typed, &offered)).unwrap_or_default();
            found.extend(note.picked.map(|picked| (question.to_owned(), picked, Via::Picked)));
            found.extend(note.typed.map(|typed| (question.to_owned(), typed, Via::Answer)));
        }
    }
    found
}
