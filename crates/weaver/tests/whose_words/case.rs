//! One way to get a text to the spine.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use subcortex_known_agents::hooks::{self, Call};
use subcortex_known_agents::{Agent, CLAUDE, CODEX, Door, Options, Owner};
use subcortex_model::Draft;
use subcortex_store::RealDisk;

/// Whose the text turns out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The table's answer.
    Way,
    /// It pretends to come by this way, and is somebody else's.
    Forged(Owner),
    /// A person pasted it into their words.
    Pasted,
}

/// Words around a text, and what they are.
pub(crate) type Wrapped = (&'static str, fn(&str) -> String);

/// The type of a line that nobody knows, in a file of Codex that does not begin as usual.
pub(crate) const HEADLESS: &str = "headless";

type Make = Arc<dyn Fn(&str) -> Vec<Value>>;

#[derive(Clone)]
pub(crate) struct Case {
    /// Where the text begins.
    pub(crate) agent: &'static Agent,
    pub(crate) door: Door,
    /// The row of the table.
    pub(crate) way: &'static str,
    pub(crate) name: String,
    pub(crate) whose: Whose,
    make: Make,
    /// The hook event, and how the agent program was started.
    event: &'static str,
    entrypoint: Option<&'static str>,
    /// The beginning of the rollout, if it is another one than usual.
    rollout: Option<&'static [u8]>,
    /// The records that the session's file has of what a hook told.
    records: Option<Make>,
}

impl Case {
    fn new(
        agent: &'static Agent,
        door: Door,
        way: &'static str,
        name: &str,
        make: impl Fn(&str) -> Vec<Value> + 'static,
    ) -> Self {
        Self {
            agent,
            door,
            way,
            name: name.to_owned(),
            whose: Whose::Way,
            make: Arc::new(make),
            event: "",
            entrypoint: None,
            rollout: None,
            records: None,
        }
    }

    /// Records of Claude Code, without what all records have.
    pub(crate) fn claude(way: &'static str, name: &str, make: impl Fn(&str) -> Vec<Value> + 'static) -> Self {
        Self::new(&CLAUDE, Door::Record, way, name, make)
    }

    /// Lines of Codex; a first line that names the session is put in front where there is none.
    pub(crate) fn codex(way: &'static str, name: &str, make: impl Fn(&str) -> Vec<Value> + 'static) -> Self {
        Self::new(&CODEX, Door::Record, way, name, make)
    }

    /// An input of a hook.
    pub(crate) fn hook(
        agent: &'static Agent,
        event: &'static str,
        way: &'static str,
        name: &str,
        make: impl Fn(&str) -> Value + 'static,
    ) -> Self {
        Self { event, ..Self::new(agent, Door::Hook, way, name, move |text| vec![make(text)]) }
    }

    pub(crate) fn full_name(&self) -> String {
        format!("{:?} {:?} {}: {}", self.agent, self.door, self.way, self.name)
    }

    pub(crate) fn forged(self, owner: Owner) -> Self {
        Self { whose: Whose::Forged(owner), ..self }
    }

    pub(crate) fn pasted(self) -> Self {
        Self { whose: Whose::Pasted, ..self }
    }

    pub(crate) fn started_as(self, entrypoint: &'static str) -> Self {
        Self { entrypoint: Some(entrypoint), ..self }
    }

    pub(crate) fn beside(self, rollout: &'static [u8]) -> Self {
        Self { rollout: Some(rollout), ..self }
    }

    pub(crate) fn recorded(self, records: impl Fn(&str) -> Vec<Value> + 'static) -> Self {
        Self { records: Some(Arc::new(records)), ..self }
    }

    /// The file of the session, if it has one.
    pub(crate) fn transcript(&self, text: &str, session: &str) -> Option<String> {
        let lines = self.lines((self.records.as_ref()?)(text), session);
        Some(lines.iter().map(|line| format!("{line}\n")).collect())
    }

    /// Records with what all records have.
    fn lines(&self, records: Vec<Value>, session: &str) -> Vec<Value> {
        let with_common = records.into_iter().enumerate().map(|(number, record)| {
            let common = if *self.agent == CODEX {
                json!({"timestamp": "2026-03-01T10:00:00.000Z"})
            } else {
                json!({"sessionId": session, "uuid": format!("u{number}"), "cwd": "/p", "version": "2.1.325",
                    "isSidechain": false, "userType": "external", "timestamp": "2026-03-01T10:00:00.000Z"})
            };
            Value::Object(merged(common, record))
        });
        let names_session = |record: &Value| record["type"] == "session_meta" || record["type"] == HEADLESS;
        let mut lines: Vec<Value> = with_common.collect();
        if *self.agent == CODEX && !lines.iter().any(names_session) {
            lines.insert(0, codex_head(session));
        }
        lines
    }

    /// What comes of it.
    pub(crate) fn drafts(&self, text: &str) -> Vec<Draft> {
        let made = (self.make)(text);
        match self.door {
            Door::Record => read(self.agent, &self.lines(made, "s")),
            Door::Hook => made.into_iter().flat_map(|input| self.called(input)).collect(),
            Door::Task => Vec::new(),
        }
    }

    fn called(&self, input: Value) -> Vec<Draft> {
        let dir = tempfile::tempdir().unwrap();
        let mut common = json!({"session_id": "s", "cwd": "/p", "hook_event_name": self.event,
            "transcript_path": "/nowhere/s.jsonl"});
        if *self.agent == CODEX {
            let rollout = dir.path().join("rollout-x.jsonl");
            let usual = format!("{}\n", codex_head("s"));
            std::fs::write(&rollout, self.rollout.unwrap_or(usual.as_bytes())).unwrap();
            common["turn_id"] = json!("t1");
            common["transcript_path"] = json!(rollout);
        } else {
            common["prompt_id"] = json!("p1");
        }
        let input = Value::Object(merged(common, input)).to_string();
        let call = Call {
            event: self.event,
            agents: &[self.agent],
            input: input.as_bytes(),
            entrypoint: self.entrypoint,
            own_dirs: Vec::new(),
        };
        // An event that nobody knows says nothing.
        hooks::drafts(&RealDisk, &call).unwrap_or_default()
    }
}

fn codex_head(session: &str) -> Value {
    json!({"type": "session_meta", "payload": {"id": session, "cwd": "/p", "originator": "codex_cli_rs", "source": "cli"}})
}

fn merged(common: Value, fields: Value) -> Map<String, Value> {
    let (Value::Object(mut common), Value::Object(fields)) = (common, fields) else { panic!("objects") };
    common.extend(fields);
    common
}

fn read(agent: &'static Agent, lines: &[Value]) -> Vec<Draft> {
    let options = Options { fallback_session: Some("s".to_owned()), ..Options::default() };
    let (mut reader, mut drafts) = (agent.reader(options), Vec::new());
    lines.iter().for_each(|line| reader.line(line.to_string().as_bytes(), &mut drafts));
    reader.finish(&mut drafts);
    drafts
}
