//! Partitions that are only a prompt, on engine `api`: the real binary, a scripted model behind real HTTP.

mod agents;
mod budget;
mod cycles;
mod exits;
mod hostile;
mod local;
mod own_token;
mod weaver;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use subcortex_fake_model::{Model, Turn};

use crate::support::TestHome;

/// A home with one partition `notes` on engine `api`.
pub(super) struct Notes {
    pub(super) home: TestHome,
    pub(super) model: Model,
}

impl Notes {
    /// The model answers by this script.
    pub(super) fn with(
        definition: &str,
        script: impl Fn(&Value, usize) -> Turn + Send + Sync + 'static,
    ) -> Self {
        let (home, model) = (TestHome::new(), Model::start(script));
        let notes = Self { home, model };
        notes.partition("notes", &format!("engine: api\n{definition}"));
        notes.settings("");
        notes
    }

    /// The model says these things, each to the next step, and this when it is asked what to remember.
    pub(super) fn saying(definition: &str, steps: Vec<String>, to_remember: &'static str) -> Self {
        let steps = std::sync::Mutex::new(steps.into_iter());
        Self::with(definition, move |request, _| {
            if is_exit_question(request) {
                return Turn::say(to_remember);
            }
            Turn::say(steps.lock().unwrap().next().unwrap_or_else(|| "nothing left to say".into()))
        })
    }

    pub(super) fn partition(&self, name: &str, frontmatter: &str) {
        std::fs::create_dir_all(self.home.path(&format!("subconscious/{name}/inbox"))).unwrap();
        let text = format!("---\n{frontmatter}\n---\nKeep notes of what people say.\n");
        self.home.write(&format!("subconscious/{name}/CLAUDE.md"), text);
    }

    /// The settings: where the model is, and more.
    pub(super) fn settings(&self, more: &str) {
        let port = self.model.port;
        let api =
            format!("api: {{base_url: \"http://127.0.0.1:{port}\", model: scripted, max_retries: 0}}\n");
        self.home.write("config/subcortex.yaml", api + more);
    }

    pub(super) fn drop_task(&self, name: &str, body: &str) {
        self.home.write(&format!("subconscious/notes/inbox/{name}"), body);
    }

    /// One run; its record as `tick` shows it.
    pub(super) fn tick(&self) -> Value {
        let mut said = self.home.json(&["tick", "--partition", "notes", "--json"]);
        said["runs"][0].take()
    }

    /// The whole record of a run.
    pub(super) fn record(&self, run: &Value) -> Value {
        self.home.json(&["runs", "show", run["run_id"].as_str().unwrap(), "--json"])
    }

    pub(super) fn read(&self, below: &str) -> String {
        std::fs::read_to_string(self.home.path(below)).unwrap_or_default()
    }

    /// The names in the worker's scratchpad folder.
    pub(super) fn scratchpad_files(&self) -> Vec<String> {
        let folder = std::fs::read_dir(self.home.path("subconscious/notes/scratchpad")).unwrap();
        let mut names: Vec<String> =
            folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// Whether the model is asked what it wants to remember.
pub(crate) fn is_exit_question(request: &Value) -> bool {
    !request.to_string().contains("Which tool do you call?")
}

pub(crate) fn call(tool: &str, args: Value) -> String {
    json!({ "tool": tool, "args": args }).to_string()
}

pub(crate) fn done(summary: &str) -> String {
    call("done", json!({ "summary": summary }))
}

/// Every file below a folder with its bytes, except below these.
pub(super) fn tree(root: &Path, except: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let below = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let kind = entry.file_type().unwrap();
            if except.iter().any(|part| below.starts_with(part)) {
                continue;
            }
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.insert(below, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    files
}
