//! A home with a log that tests write to.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods
)]

pub mod bad;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use subcortex_memory::fragments::{self, Stored};
use subcortex_memory::{Broadcast, MemoryFolder};
use subcortex_mind::{AskNow, Failure, Question, Reply, Scripted};
use subcortex_model::{Draft, Source};
use subcortex_spine::{Cursor, Day, Durability, Spine, SpineDirs};
use subcortex_store::RealDisk;
use subcortex_testkit::FakeHome;
use subcortex_weaver::scanner::{self, ScanReport, ScanRequest};
use subcortex_weaver::{CompiledBroadcast, Workshop};

pub struct World {
    pub home: FakeHome,
    pub shop: Workshop,
    pub spine: Spine,
    pub cwd: Option<String>,
    pub last: Option<ScanReport>,
}

impl World {
    /// A home whose broadcast is `rules`; empty: there is none.
    pub fn with(rules: &str) -> Self {
        let home = FakeHome::with_folders(&["var/events", "var/quarantine", "var/index", "memory/state"]);
        if !rules.is_empty() {
            home.write("memory/CLAUDE.md", rules);
        }
        let (folder, var) = (MemoryFolder::at(home.path("memory")), home.path("var"));
        let shop = Workshop::new(Arc::new(RealDisk), folder, &var, Timestamp::now());
        let spine = Spine::new(Arc::new(RealDisk), SpineDirs::below(&var), "boot".into());
        Self { home, shop, spine, cwd: None, last: None }
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

    pub fn wrote(&mut self, session: &str, path: &str, content: &str) {
        let input = json!({ "tool_name": "Write", "input": { "file_path": path, "content": content } });
        self.event("claude", "agent.tool_use", session, input);
    }

    pub fn beginning(&self) -> Cursor {
        Cursor::at_start_of(Day::of("2026-01-01T00:00:00Z".parse().unwrap()))
    }

    pub fn scan(&mut self) -> String {
        self.scan_with(&ScanRequest::default())
    }

    /// Scans, and shows the new fragments.
    pub fn scan_with(&mut self, request: &ScanRequest) -> String {
        let broadcast = Broadcast::read(&*self.shop.disk, &self.shop.folder).unwrap();
        let mut broadcast = CompiledBroadcast::by_rules(broadcast);
        let report = scanner::scan(&self.shop, &mut broadcast, request, &|| false).unwrap();
        let written = report.fragments.iter().map(|path| self.fragment(path));
        let found = written.map(|stored| shown(&stored)).collect::<Vec<_>>().join("\n");
        self.last = Some(report);
        found
    }

    fn fragment(&self, path: &str) -> Stored {
        let (day, name) = path.strip_prefix("memory/fragments/").unwrap().split_once('/').unwrap();
        fragments::read_one(&*self.shop.disk, &self.shop.folder, day, name).unwrap().unwrap()
    }

    /// From now on this one is asked.
    pub fn thinks<M: AskNow + 'static>(&mut self, mind: M) -> Arc<M> {
        let mind = Arc::new(mind);
        self.shop.mind = Some(mind.clone());
        mind
    }

    /// From now on this one is asked, but about no line: the rules' own readings stay.
    pub fn judges(&mut self, mind: Scripted) -> Arc<JudgeOnly> {
        self.thinks(JudgeOnly(mind))
    }

    /// What the last scan refused of a model's answers.
    pub fn refusals(&self) -> Vec<String> {
        self.last.as_ref().map(|report| report.model.refused.clone()).unwrap_or_default()
    }

    /// Rewrites the log so that it is the same in every home: plain lines, with names and times that are counted.
    pub fn pin_events(&mut self) {
        let start: Timestamp = "2026-03-02T08:00:00Z".parse().unwrap();
        let mut lines = String::new();
        let mut count = 0;
        for entry in std::fs::read_dir(&self.shop.events_dir).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "jsonl") {
                continue;
            }
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                let mut event: Value = serde_json::from_str(line).unwrap();
                let fields = event.as_object_mut().unwrap();
                fields.retain(|name, _| name != "seq" && name != "crc");
                count += 1;
                fields.insert("id".into(), format!("evt_{count}").into());
                fields.insert("ts".into(), (start + SignedDuration::from_secs(count)).to_string().into());
                lines.push_str(&format!("{event}\n"));
            }
            std::fs::remove_file(&path).unwrap();
        }
        std::fs::write(self.shop.events_dir.join("2026-03-02.jsonl"), lines).unwrap();
        self.shop.now = start + SignedDuration::from_hours(1);
    }

    pub fn rules(&self, text: &str) {
        std::fs::write(self.shop.folder.broadcast(), text).unwrap();
    }

    pub fn file(&self, path: &str) -> String {
        self.home.text(path)
    }

    pub fn has(&self, path: &str) -> bool {
        self.home.has(path)
    }

    /// Every file below `memory/` with its content, but for what only remembers which questions were asked and how checks were tried.
    pub fn memory(&self) -> Vec<(String, String)> {
        let mut found = self.home.texts("memory");
        found.retain(|(path, _)| {
            !["memory/state/compiler.json", "memory/state/trust.json"].contains(&&**path)
        });
        found
    }
}

/// A mind that leaves every line to the rules and hears nothing.
#[derive(Debug)]
pub struct JudgeOnly(Scripted);

impl JudgeOnly {
    /// The questions so far, but for those about lines and messages.
    pub fn asked(&self) -> Vec<Question> {
        self.0.asked()
    }
}

impl AskNow for JudgeOnly {
    fn model(&self) -> &'static str {
        "scripted"
    }

    fn ask_now(&self, question: &Question) -> Result<Reply, Failure> {
        match question.purpose {
            "compile" => {}
            "listen" => return Ok(Reply { text: r#"{"wishes": []}"#.into(), ..Reply::default() }),
            _ => return self.0.ask_now(question),
        }
        let lines: Vec<String> = (1..100).map(|n| format!("\"{n}\": {{\"untestable\": \"\"}}")).collect();
        Ok(Reply { text: format!("{{{}}}", lines.join(",")), ..Reply::default() })
    }
}

pub fn shown(stored: &Stored) -> String {
    let fragment = &stored.fragment;
    let line = fragment.line.as_ref().map_or("none".to_owned(), |line| format!("L{}", line.number));
    let (trajectory, signal) = (fragment.trajectory.as_str(), fragment.signal.as_str());
    let cause = fragment.root_cause.map_or(String::new(), |cause| format!(" {cause:?}"));
    format!("{line} {trajectory} {signal} {}{cause} `{}`", fragment.origin.as_str(), fragment.quote)
}
