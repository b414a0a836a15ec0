//! Inputs of hooks, rewritten as records of its transcripts.

use serde_json::{Map, Value, json};
use subcortex_model::{Draft, Source, Via, event_type};
use subcortex_store::Disk;

use crate::hooks::{Call, Input, Problem, expect_silent};
use crate::{CLAUDE, Options, Reader};

/// The events that say something, and the one at which the agent is told where pointers lead and what to ask.
pub(super) const EVENTS: [&str; 12] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionDenied",
    "InstructionsLoaded",
    "Stop",
    "StopFailure",
    "SubagentStop",
    "SessionEnd",
];

/// Fields of a record that show whose it is, and how a hook's input would spell them.
const MARKS: [(&str, &str); 16] = [
    ("isMeta", "is_meta"),
    ("isSidechain", "is_sidechain"),
    ("isCompactSummary", "is_compact_summary"),
    ("isVisibleInTranscriptOnly", "is_visible_in_transcript_only"),
    ("isVirtual", "is_virtual"),
    ("isSynthetic", "is_synthetic"),
    ("isReplay", "is_replay"),
    ("turnCompanion", "turn_companion"),
    ("ephemeral", "ephemeral"),
    ("textNotTyped", "text_not_typed"),
    ("handedOff", "handed_off"),
    ("wakeupSource", "wakeup_source"),
    ("scheduledTaskId", "scheduled_task_id"),
    ("agentName", "teammate_name"),
    ("userType", "user_type"),
    ("parent_tool_use_id", "parent_tool_use_id"),
];

pub(crate) fn drafts(disk: &dyn Disk, call: &Call<'_>, input: &Input) -> Result<Vec<Draft>, Problem> {
    let mut session = Session::new(call, input)?;
    match call.event {
        "UserPromptSubmit" => session.prompt(disk)?,
        "PreToolUse" => session.tool_use()?,
        "PostToolUse" => {
            session.tool_use()?;
            session.tool_result(&response_text(input.value("tool_response")), ToolEnd::Fine)?;
        }
        "PostToolUseFailure" => {
            session.tool_use()?;
            let is_interrupt = input.flag("is_interrupt");
            session.tool_result(
                input.text("error").unwrap_or_default(),
                if is_interrupt { ToolEnd::Interrupted } else { ToolEnd::Failed },
            )?;
        }
        "PermissionDenied" => {
            session.tool_use()?;
            session.tool_result(input.text("reason").unwrap_or("denied"), ToolEnd::Failed)?;
            session.mark_last("refused", true.into());
        }
        "PostToolBatch" => session.batch()?,
        "InstructionsLoaded" => session.memory()?,
        "Stop" if !input.has_transcript(disk, "transcript_path") => session.said()?,
        // A subagent's own transcript may come a moment later than its end; where its session has one, it will come.
        "SubagentStop" if !session_or_agent_has_transcript(input, disk) => session.said()?,
        "StopFailure" if !input.has_transcript(disk, "transcript_path") => session.failed()?,
        "Stop" | "SubagentStop" | "StopFailure" => {}
        "SessionEnd" => session.ended()?,
        other => expect_silent(other)?,
    }
    Ok(session.drafts)
}

fn session_or_agent_has_transcript(input: &Input, disk: &dyn Disk) -> bool {
    ["agent_transcript_path", "transcript_path"].iter().any(|key| input.has_transcript(disk, key))
}

/// What became of a tool call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ToolEnd {
    Fine,
    Failed,
    Interrupted,
}

/// One input, being read as if it were a transcript.
struct Session<'a> {
    input: &'a Input,
    entrypoint: Option<&'a str>,
    reader: Box<dyn Reader>,
    drafts: Vec<Draft>,
}

impl<'a> Session<'a> {
    fn new(call: &'a Call<'_>, input: &'a Input) -> Result<Self, Problem> {
        input.session()?;
        let options = Options { own_dirs: call.own_dirs.clone(), is_live: true, ..Options::default() };
        let reader = CLAUDE.reader(options);
        Ok(Self { input, entrypoint: call.entrypoint, reader, drafts: Vec::new() })
    }

    /// Reads a record with these fields and what the input says about the session.
    fn record(&mut self, kind: &str, fields: Value) {
        let input = self.input;
        let mut record = json!({
            "type": kind,
            "sessionId": input.text("session_id"),
            "promptId": input.text("prompt_id"),
            "cwd": input.text("cwd"),
            "agentId": input.value("agent_id"),
            "isSidechain": !input.value("agent_id").is_null(),
            "entrypoint": self.entrypoint,
        });
        if let (Some(record), Value::Object(fields)) = (record.as_object_mut(), fields) {
            record.extend(fields);
        }
        self.reader.line(record.to_string().as_bytes(), &mut self.drafts);
    }

    fn prompt(&mut self, disk: &dyn Disk) -> Result<(), Problem> {
        let prompt = self.input.need("prompt")?;
        let has_id = self.input.text("prompt_id").is_some();
        // An old version: only the transcript can name the prompt, and it tells the first one of a session, too, when it is there.
        if !has_id && self.input.will_have_transcript(disk, "transcript_path") {
            return Ok(());
        }
        // Only what is no person's has a source.
        let source = self.input.value("source");
        let origin = if source.is_null() {
            self.input.value("origin").clone()
        } else {
            json!({"kind": {"source": source}})
        };
        let mut fields: Map<String, Value> = self.input.flags().collect();
        fields.extend(self.marks());
        fields.extend(Map::from_iter([
            (String::from("message"), json!({"role": "user", "content": as_recorded(prompt)})),
            (String::from("promptSource"), self.either("prompt_source", "promptSource").clone()),
            (String::from("turnOrigin"), self.either("turn_origin", "turnOrigin").clone()),
            (String::from("origin"), origin),
            (String::from("sourceToolUseID"), self.input.value("tool_use_id").clone()),
            (String::from("toolUseResult"), self.input.value("tool_response").clone()),
        ]));
        self.record("user", Value::Object(fields));
        self.reader.finish(&mut self.drafts); // no other record will say who started the agent
        self.drafts.retain(|draft| draft.event_type != event_type::AGENT_SHOWN); // the transcript tells it, under its own name
        if !has_id {
            self.forget_names();
            self.doubt_ways();
        }
        Ok(())
    }

    /// What has no name cannot be held against its record, which alone says for sure whose words they are.
    fn doubt_ways(&mut self) {
        let said = self.drafts.iter_mut().filter(|draft| draft.event_type == event_type::CHANNEL_MESSAGE);
        for draft in said {
            let way = Via::of(&draft.payload).doubted();
            draft.payload.extend(way.word().map(|word| (Via::FIELD.to_owned(), word.into())));
        }
    }

    fn either(&self, one: &str, other: &str) -> &Value {
        let value = self.input.value(one);
        if value.is_null() { self.input.value(other) } else { value }
    }

    /// The marks of a record that is no person's, under their own names or as hooks usually spell them.
    fn marks(&self) -> Map<String, Value> {
        let spelled = MARKS.iter().map(|(in_record, in_hook)| {
            let named = [in_hook, in_record].map(|name| self.input.value(name));
            ((*in_record).to_owned(), named.into_iter().find(|value| !value.is_null()))
        });
        spelled.filter_map(|(name, value)| Some((name, value?.clone()))).collect()
    }

    fn tool_use(&mut self) -> Result<(), Problem> {
        let id = self.input.need("tool_use_id")?;
        let name = self.input.need("tool_name")?;
        self.call(id, name, self.input.value("tool_input"));
        Ok(())
    }

    fn call(&mut self, id: &str, name: &str, arguments: &Value) {
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": arguments});
        self.record("assistant", json!({"message": {"content": [block]}}));
    }

    fn tool_result(&mut self, text: &str, outcome: ToolEnd) -> Result<(), Problem> {
        let id = self.input.need("tool_use_id")?;
        // What a failure says is a text of the tool's, or of whoever denied the call: no field tells a person's words in it.
        let result = match outcome {
            // The program writes a person's answers into the call as well, and so may the agent have: only the transcript, which has
            // the call as the agent wrote it, tells them apart.
            ToolEnd::Fine if self.has_answers_in_its_call() => Value::Null,
            ToolEnd::Fine => self.input.value("tool_response").clone(),
            ToolEnd::Failed => Value::Null,
            ToolEnd::Interrupted => json!({"interrupted": true}),
        };
        self.answer(id, text.into(), outcome != ToolEnd::Fine, result);
        Ok(())
    }

    fn has_answers_in_its_call(&self) -> bool {
        let call = self.input.value("tool_input");
        ["answers", "annotations"].iter().any(|key| call.get(key).is_some_and(|value| !value.is_null()))
    }

    fn answer(&mut self, id: &str, content: Value, is_error: bool, result: Value) {
        let block =
            json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error});
        self.record(
            "user",
            json!({"message": {"role": "user", "content": [block]}, "toolUseResult": result}),
        );
    }

    /// The answers of all calls that the agent made at once, as the model gets them. Those of calls that ran were told by
    /// `PostToolUse` and `PostToolUseFailure`, and are duplicates by now; the others never ran. By whom they were stopped,
    /// and what that one said, no field says.
    fn batch(&mut self) -> Result<(), Problem> {
        let calls = self.input.value("tool_calls").as_array().ok_or(Problem::Missing("tool_calls"))?;
        for call in calls {
            let text = |key: &str| call.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            let (Some(id), Some(name)) = (text("tool_use_id"), text("tool_name")) else { continue };
            self.call(id, name, call.get("tool_input").unwrap_or(&Value::Null));
            let response = call.get("tool_response").cloned().unwrap_or_default();
            self.answer(id, response, /*is_error*/ true, Value::Null);
        }
        Ok(())
    }

    fn memory(&mut self) -> Result<(), Problem> {
        let input = self.input;
        let attachment = json!({
            "type": "nested_memory",
            "path": input.need("file_path")?,
            "content": {"type": input.text("memory_type")},
            "reason": input.text("load_reason"),
        });
        self.record("attachment", json!({"attachment": attachment}));
        for key in ["parent_file_path", "trigger_file_path"] {
            if let Some(path) = input.text(key) {
                self.mark_last(key, path.into());
            }
        }
        Ok(())
    }

    /// What the agent said last, in a session without a transcript.
    fn said(&mut self) -> Result<(), Problem> {
        let Some(text) = self.input.text("last_assistant_message") else { return Ok(()) };
        self.record("assistant", json!({"message": {"content": [{"type": "text", "text": text}]}}));
        self.forget_names();
        Ok(())
    }

    /// The service's failure, in a session without a transcript.
    fn failed(&mut self) -> Result<(), Problem> {
        let input = self.input;
        let text = input.text("error_details").or(input.text("last_assistant_message"));
        let text = text.or(input.text("error")).unwrap_or("the turn failed");
        let message = json!({"content": [{"type": "text", "text": text}]});
        self.record("assistant", json!({"message": message, "isApiErrorMessage": true}));
        self.forget_names();
        Ok(())
    }

    fn ended(&mut self) -> Result<(), Problem> {
        let source = Source { name: Some("claude-code".to_owned()), ..Source::of(CLAUDE.name) };
        let payload = Map::from_iter([("reason".to_owned(), self.input.value("reason").clone())]);
        self.drafts.push(self.input.draft(event_type::AGENT_SESSION_END, source, payload)?);
        Ok(())
    }

    /// A record without an id is named by its content, and two of the same content are still two.
    fn forget_names(&mut self) {
        self.drafts.iter_mut().for_each(|draft| draft.source_id = None);
    }

    fn mark_last(&mut self, key: &str, value: Value) {
        // What is told beside it comes behind it.
        let told = self.drafts.iter_mut().rev().find(|draft| draft.event_type != event_type::AGENT_SHOWN);
        if let Some(draft) = told {
            draft.payload.insert(key.to_owned(), value);
        }
    }
}

/// A prompt as the transcript will have it: commands of the program are wrapped there.
fn as_recorded(prompt: &str) -> String {
    let trimmed = prompt.trim();
    let (name, arguments) = trimmed.split_once(char::is_whitespace).unwrap_or((trimmed, ""));
    let is_command = name.strip_prefix('/').is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
    });
    if is_command {
        return format!(
            "<command-name>{name}</command-name><command-args>{}</command-args>",
            arguments.trim()
        );
    }
    prompt.to_owned()
}

/// What a tool answered, as one text. Each tool has a form of its own; an unknown one stays JSON.
fn response_text(response: &Value) -> String {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    match response {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Array(blocks) => blocks_text(blocks),
        Value::Object(fields) => {
            if let (Some(out), Some(err)) = (text(fields.get("stdout")), text(fields.get("stderr"))) {
                let parts = [out, err];
                return parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
            }
            if let Some(path) = text(fields.get("filePath")) {
                return format!("{} {path}", text(fields.get("type")).unwrap_or("update".to_owned()));
            }
            if let Some(blocks) = fields.get("content").and_then(Value::as_array) {
                return blocks_text(blocks);
            }
            if let Some(names) = fields.get("filenames").and_then(Value::as_array)
                && text(fields.get("content")).is_none_or(|content| content.is_empty())
            {
                return names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
            }
            text(response.pointer("/file/content"))
                .or_else(|| text(fields.get("content")))
                .or_else(|| text(fields.get("result")))
                .unwrap_or_else(|| response.to_string())
        }
        Value::Bool(_) | Value::Number(_) => response.to_string(),
    }
}

fn blocks_text(blocks: &[Value]) -> String {
    let texts = blocks.iter().map(|block| {
        let kind = block.get("type").and_then(Value::as_str).unwrap_or("block");
        block.get("text").and_then(Value::as_str).map_or_else(|| format!("[{kind}]"), str::to_owned)
    });
    texts.collect::<Vec<_>>().join("\n")
}
