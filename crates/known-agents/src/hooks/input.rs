//! The fields of a hook's input, each of which may be missing or of another type.

use std::path::Path;

use serde_json::{Map, Value};
use subcortex_model::{Draft, Source};
use subcortex_store::{Disk, EntryKind};

use super::{Hooks, Problem};
use crate::Agent;
use crate::transcript::lenient_json;

/// A hook's input.
#[derive(Debug)]
pub struct Input(Map<String, Value>);

impl Input {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        if bytes.trim_ascii().is_empty() {
            return Err(Problem::Empty);
        }
        match lenient_json(bytes) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(Problem::NotJson("it is another kind of value".to_owned())),
            Err(error) => Err(Problem::NotJson(error.to_string())),
        }
    }

    /// Which of these agents it is from, by the fields that only one of them has; the first, if it shows none.
    pub(crate) fn whose(&self, agents: &[&'static Agent]) -> Option<(&'static Agent, &'static Hooks)> {
        let with_hooks = || agents.iter().filter_map(|agent| Some((*agent, agent.hooks.as_ref()?)));
        with_hooks().find(|(_, hooks)| (hooks.is_input)(self)).or_else(|| with_hooks().next())
    }

    /// A text that is there and not blank.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str().filter(|text| !text.trim().is_empty())
    }

    /// The same; without it the call is of no use.
    pub fn need(&self, key: &'static str) -> Result<&str, Problem> {
        self.text(key).ok_or(Problem::Missing(key))
    }

    /// The session that it is about.
    pub fn session(&self) -> Result<&str, Problem> {
        self.text("session_id").ok_or(Problem::NoSession)
    }

    /// Whether a field is `true`.
    pub fn flag(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or_default()
    }

    /// All fields that are `true`. One that nobody knows may say that no person sent a prompt.
    pub fn flags(&self) -> impl Iterator<Item = (String, Value)> {
        let flags = self.0.iter().filter(|(_, value)| **value == Value::Bool(true));
        flags.map(|(name, value)| (name.clone(), value.clone()))
    }

    /// A field as it is; null if it is missing.
    pub fn value(&self, key: &str) -> &Value {
        self.0.get(key).unwrap_or(&Value::Null)
    }

    /// Whether the file of that name keeps (or kept) what the session says.
    pub fn has_transcript(&self, disk: &dyn Disk, key: &str) -> bool {
        self.text(key)
            .is_some_and(|path| disk.stat(Path::new(path)).is_ok_and(|stat| stat.kind == EntryKind::File))
    }

    /// Whether what the session says is kept in the file of that name, or will be: agents write the first record of a session a moment
    /// after its first hook, into the folder of a project that may be new.
    pub fn will_have_transcript(&self, disk: &dyn Disk, key: &str) -> bool {
        let is_folder = |path: &&Path| {
            let kind = disk.stat(path).map(|stat| stat.kind);
            matches!(kind, Ok(EntryKind::Directory | EntryKind::Symlink))
        };
        let named = |path: &&Path| path.file_name().is_some(); // the root is everybody's
        let mut folders =
            self.text(key).into_iter().flat_map(|path| Path::new(path).ancestors().skip(1).take(2));
        self.has_transcript(disk, key) || folders.by_ref().filter(named).any(|path| is_folder(&path))
    }

    /// A draft about this session that no transcript tells.
    pub fn draft(
        &self,
        event_type: &str,
        source: Source,
        payload: Map<String, Value>,
    ) -> Result<Draft, Problem> {
        let mut draft = Draft::new(event_type, source, payload);
        draft.session_key = Some(self.session()?.to_owned());
        draft.turn = self.text("prompt_id").or(self.text("turn_id")).map(str::to_owned);
        draft.cwd = self.text("cwd").map(str::to_owned);
        Ok(draft)
    }
}
