//! An agent that nobody uses: a line of its files is `{"toy": "<id>", "by": "…", "text": "…"}`.

use serde_json::{Map, Value};
use subcortex_known_agents::headless::{Cli, CommandLine};
use subcortex_known_agents::hooks::Hooks;
use subcortex_known_agents::transcript::{Counted, Records, lenient_json, skipped};
use subcortex_known_agents::{Agent, ConfigDir, Door, Options, Owner, Sessions, Settings, Way};
use subcortex_mind::FailureKind;
use subcortex_model::{Draft, Source, Via, event_type};

pub(crate) static TOY: Agent = Agent {
    name: "toy",
    title: "Toy",
    config_dir: ConfigDir { variable: "TOY_HOME", usual: ".toy" },
    shell_variables: &[],
    lies_in: &[],
    sessions: Sessions {
        folders: &["talks"],
        is_record: |fields| fields.has("toy"),
        reader: |options| Box::new(Counted::new(Talk(options))),
        may_hold: None,
        is_session: |_, _| true,
        is_others: |_| false,
        is_subagents: |_| false,
        spilled: None,
    },
    hooks: Some(Hooks {
        is_input: |input| input.text("toy").is_some(),
        drafts: |_disk, _call, input| {
            let payload = [("text".to_owned(), input.need("text")?.into())].into_iter().collect();
            let mut draft = input.draft(event_type::CHANNEL_MESSAGE, Source::of("toy"), payload)?;
            draft.source_id = input.text("toy").map(|id| format!("s/{id}"));
            Ok(vec![draft])
        },
        entrypoint: None,
        session: None,
        settings: Settings { file: "toy.json", events: &["Said"], memory_file: Some("TOY.md"), advice: None },
    }),
    cli: Some(Cli {
        command_line: |request| {
            Ok(CommandLine { stdin: request.order.prompt.clone(), ..CommandLine::default() })
        },
        report: |lines, _order| {
            let said = lines.last().and_then(|line| line.get("text")).and_then(Value::as_str);
            subcortex_known_agents::headless::Report {
                failure: said.is_none().then(|| (FailureKind::Garbage, "`toy` said nothing".to_owned())),
                text: said.unwrap_or_default().to_owned(),
                turns: 1,
                ..Default::default()
            }
        },
        hear: |_line, _so_far| {},
        tells_cost: false,
        has_own_sandbox: false,
        variables: &[],
    }),
    ways: &[Way { door: Door::Record, place: "text", owner: Owner::Message(Via::Prompt) }],
};

/// A session file.
struct Talk(Options);

impl Records for Talk {
    fn read(&mut self, line: &[u8], drafts: &mut Vec<Draft>) -> Result<(), &'static str> {
        let Ok(Value::Object(record)) = lenient_json(line) else { return Err(skipped::BROKEN) };
        let text = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default();
        let mut payload = Map::new();
        let event_type = match text("by") {
            "person" => {
                payload.insert("text".into(), text("text").into());
                event_type::CHANNEL_MESSAGE
            }
            "shell" => {
                payload.insert("tool_name".into(), "Bash".into());
                payload.insert("input".into(), serde_json::json!({"command": text("text")}));
                event_type::AGENT_TOOL_USE
            }
            _ => return Err(skipped::UNKNOWN_TYPE),
        };
        let mut draft = Draft::new(event_type, Source::of("toy"), payload);
        draft.session_key = self.0.fallback_session.clone();
        draft.cwd = Some("/p".into());
        draft.source_id = Some(format!("s/{}", text("toy")));
        drafts.push(draft);
        Ok(())
    }

    fn finish(&mut self, _drafts: &mut Vec<Draft>) {}

    fn is_settled(&self) -> bool {
        true
    }
}
