//! Inputs of hooks, rewritten as lines of its rollouts.

use std::path::Path;

use serde_json::{Map, Value, json};
use subcortex_model::{Draft, Source, event_type};
use subcortex_store::{Disk, OpenMode};

use crate::hooks::{Call, Input, Problem, expect_silent};
use crate::{CODEX, Options};

/// The events that say something.
pub(super) const EVENTS: [&str; 6] =
    ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];

/// How much of a rollout is read for its first line, which holds the agent's instructions too, in bytes.
const MAX_HEAD_BYTES: usize = 256 * 1024;

pub(crate) fn drafts(disk: &dyn Disk, call: &Call<'_>, input: &Input) -> Result<Vec<Draft>, Problem> {
    input.session()?;
    let has_rollout = || input.has_transcript(disk, "transcript_path");
    match call.event {
        "UserPromptSubmit" if input.text("turn_id").is_some() || !has_rollout() => {
            let mut prompt: Map<String, Value> = input.flags().collect();
            prompt.insert("type".to_owned(), "user_message".into());
            prompt.insert("message".to_owned(), input.need("prompt")?.into());
            let prompt = Value::Object(prompt);
            Ok(read(disk, call, input, &[("event_msg", prompt)]))
        }
        "PreToolUse" => Ok(read(disk, call, input, &[("response_item", function_call(input)?)])),
        "PostToolUse" if !has_rollout() => {
            let output = json!({"type": "function_call_output", "call_id": input.need("tool_use_id")?,
                "output": response_text(input.value("tool_response"))});
            let lines = [("response_item", function_call(input)?), ("response_item", output)];
            Ok(read(disk, call, input, &lines))
        }
        "Stop" | "SubagentStop" if !has_rollout() => {
            let Some(text) = input.text("last_assistant_message") else { return Ok(Vec::new()) };
            let said = json!({"type": "agent_message", "message": text});
            Ok(nameless(read(disk, call, input, &[("event_msg", said)])))
        }
        "StopFailure" if !has_rollout() => {
            let text = input.text("error").unwrap_or("the turn failed");
            Ok(nameless(read(disk, call, input, &[("event_msg", json!({"type": "error", "message": text}))])))
        }
        "UserPromptSubmit" | "PostToolUse" | "Stop" | "SubagentStop" | "StopFailure" => Ok(Vec::new()),
        "SessionEnd" => {
            let source = Source { name: Some("codex-cli".to_owned()), ..Source::of(CODEX.name) };
            let payload = Map::from_iter([("reason".to_owned(), input.value("reason").clone())]);
            Ok(vec![input.draft(event_type::AGENT_SESSION_END, source, payload)?])
        }
        other => expect_silent(other).map(|()| Vec::new()),
    }
}

/// Whether an input can only be from Codex.
pub(super) fn is_input(input: &Input) -> bool {
    let is_rollout = input.text("transcript_path").is_some_and(|path| {
        Path::new(path).file_name().is_some_and(|name| name.to_string_lossy().starts_with("rollout-"))
    });
    is_rollout || input.text("turn_id").is_some()
}

fn function_call(input: &Input) -> Result<Value, Problem> {
    Ok(json!({
        "type": "function_call",
        "name": input.need("tool_name")?,
        "call_id": input.need("tool_use_id")?,
        "arguments": input.value("tool_input").to_string(),
    }))
}

/// Reads these lines behind the beginning of the rollout, which says whose prompts these are.
fn read(disk: &dyn Disk, call: &Call<'_>, input: &Input, lines: &[(&str, Value)]) -> Vec<Draft> {
    let options = Options {
        own_dirs: call.own_dirs.clone(),
        fallback_session: input.text("session_id").map(str::to_owned),
        is_live: true,
        ..Options::default()
    };
    let mut reader = CODEX.reader(options);
    let mut drafts = Vec::new();
    // An input that names an agent or a source is not from the person at the terminal, whatever the rollout says.
    let is_marked = ["agent_id", "source", "origin"].iter().any(|key| !input.value(key).is_null());
    let rollout = input.text("transcript_path").filter(|_| !is_marked);
    let head = rollout.and_then(|path| first_line(disk, Path::new(path)));
    reader.line(&head.unwrap_or_else(|| nobodys_head(input)), &mut drafts);
    let turn =
        json!({"turn_id": input.text("turn_id"), "cwd": input.text("cwd"), "model": input.text("model")});
    for (kind, payload) in [("turn_context", turn)].iter().chain(lines) {
        reader.line(json!({"type": kind, "payload": payload}).to_string().as_bytes(), &mut drafts);
    }
    drafts
}

/// The first line of a rollout that is not kept. Only `codex exec` keeps none, so its prompts are a program's.
fn nobodys_head(input: &Input) -> Vec<u8> {
    let meta = json!({"id": input.text("session_id"), "cwd": input.text("cwd"), "source": "exec"});
    json!({"type": "session_meta", "payload": meta}).to_string().into_bytes()
}

/// The first line of a file, if it is whole and says what session this is.
fn first_line(disk: &dyn Disk, path: &Path) -> Option<Vec<u8>> {
    let file = disk.open(path, OpenMode::Read).ok()?;
    let mut bytes = vec![0; MAX_HEAD_BYTES];
    let mut filled = 0;
    loop {
        let count = file.read_at(bytes.get_mut(filled..)?, filled as u64).ok()?;
        let end = bytes.get(filled..filled + count)?.iter().position(|byte| *byte == b'\n');
        if let Some(end) = end {
            bytes.truncate(filled + end);
            return Some(bytes);
        }
        filled += count;
        if count == 0 {
            return None;
        }
    }
}

/// A record without an id is named by its content, and two of the same content are still two.
fn nameless(mut drafts: Vec<Draft>) -> Vec<Draft> {
    drafts.iter_mut().for_each(|draft| draft.source_id = None);
    drafts
}

fn response_text(response: &Value) -> String {
    match response {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => response.to_string(),
    }
}
