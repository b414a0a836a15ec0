//! A home with a log that tests write to.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods
)]

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use subcortex_memory::fragments::Stored;
use subcortex_memory::{Broadcast, MemoryFolder};
use subcortex_model::{Draft, Source};
use subcortex_spine::{Cursor, Day, Durability, Spine, SpineDirs};
use subcortex_store::RealDisk;
use subcortex_weaver::scanner::{self, ScanRequest};
use subcortex_weaver::{Settings, Workshop};

pub struct World {
    pub dir: tempfile::TempDir,
    pub shop: Workshop,
    pub spine: Spine,
    pub cwd: Option<String>,
}

impl World {
    /// A home whose broadcast is `rules`; empty: there is none.
    pub fn with(rules: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let var = dir.path().join("var");
        let memory = dir.path().join("memory");
        let dirs = SpineDirs::below(&var);
        for folder in [&dirs.events, &dirs.quarantine, &var.join("index"), &memory.join("state")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        if !rules.is_empty() {
            std::fs::write(memory.join("CLAUDE.md"), rules).unwrap();
        }
        let shop = Workshop {
            disk: Arc::new(RealDisk),
            folder: MemoryFolder::at(memory),
            events_dir: dirs.events.clone(),
            index_dir: var.join("index"),
            now: Timestamp::now(),
            settings: Settings::default(),
            run_id: None,
        };
        let spine = Spine::new(Arc::new(RealDisk), dirs, "boot".into());
        Self { dir, shop, spine, cwd: None }
    }

    pub fn minutes_pass(&mut self, minutes: i64) {
        self.shop.now += SignedDuration::from_mins(minutes);
    }

    pub fn event(&mut self, kind: &str, event_type: &str, session: &str, payload: Value) -> String {
        let Value::Object(payload) = payload else { panic!("an object") };
        let mut draft = Draft::new(event_type, Source::of(kind), payload);
        draft.ts = Some(self.shop.now);
        draft.session_key = Some(session.to_owned());
        draft.cwd = self.cwd.clone();
        self.shop.now += SignedDuration::from_secs(1);
        let appended = self.spine.append(vec![draft], Timestamp::now(), Durability::Written).unwrap();
        format!("{appended:?}")
    }

    pub fn person(&mut self, session: &str, text: &str) -> String {
        self.event("claude", "channel.message", session, json!({ "text": text }))
    }

    pub fn ran(&mut self, session: &str, command: &str) {
        let input = json!({ "tool_name": "Bash", "input": { "command": command } });
        self.event("claude", "agent.tool_use", session, input);
    }

    pub fn beginning(&self) -> Cursor {
        Cursor::at_start_of(Day::of(Timestamp::now()))
    }

    pub fn scan(&mut self) -> String {
        self.scan_with(&ScanRequest::default())
    }

    /// Scans, and shows the new fragments.
    pub fn scan_with(&mut self, request: &ScanRequest) -> String {
        let mut broadcast = Broadcast::read(&*self.shop.disk, &self.shop.folder).unwrap();
        let scan = scanner::scan(&self.shop, &mut broadcast, request, &|| false).unwrap();
        scan.new.iter().map(shown).collect::<Vec<_>>().join("\n")
    }
}

pub fn shown(stored: &Stored) -> String {
    let fragment = &stored.fragment;
    let line = fragment.line.as_ref().map_or("none".to_owned(), |line| format!("L{}", line.number));
    let (trajectory, signal) = (fragment.trajectory.as_str(), fragment.signal.as_str());
    let cause = fragment.root_cause.map_or(String::new(), |cause| format!(" {cause:?}"));
    format!("{line} {trajectory} {signal} {}{cause} `{}`", fragment.origin.as_str(), fragment.quote)
}
