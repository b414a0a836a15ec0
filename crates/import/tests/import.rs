//! Session files on a real file system, and what the spine has of them afterwards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde_json::{Value, json};
use subcortex_import::{Options, Progress, QUIET_SECS, Sources, Summary, import};
use subcortex_known_agents::transcript::MAX_LINE_BYTES;
use subcortex_known_agents::{Agent, CLAUDE, CODEX};
use subcortex_model::{Event, event_type};
use subcortex_spine::{Item, Reader, Spine, SpineDirs};
use subcortex_store::RealDisk;
use subcortex_testkit::FakeHome;

struct Scene(FakeHome);

impl Scene {
    fn new() -> Self {
        Self(FakeHome::with_folders(&["sessions", "var/index"]))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path("sessions").join(name)
    }

    /// Writes a file that nobody has touched for a day.
    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        self.write_aged(name, content, Duration::from_secs(86_400));
    }

    fn write_aged(&self, name: &str, content: impl AsRef<[u8]>, age: Duration) {
        let path = self.0.write(&format!("sessions/{name}"), content);
        let file = std::fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    fn import(&self) -> Summary {
        self.import_paths(&CLAUDE, &[self.path("")])
    }

    fn import_paths(&self, agent: &'static Agent, paths: &[PathBuf]) -> Summary {
        self.import_sources(agent, Sources::find(&RealDisk, &[agent], paths), &mut |_| {})
    }

    fn import_sources(
        &self,
        agent: &'static Agent,
        sources: Sources,
        watch: &mut dyn FnMut(Progress),
    ) -> Summary {
        let mut spine = Spine::new(Arc::new(RealDisk), self.dirs(), "this-boot".into());
        let options =
            Options { agent, own_dirs: vec![PathBuf::from("/own")], only: None, clock: &Timestamp::now };
        import(&mut spine, &RealDisk, sources, &options, watch).unwrap()
    }

    fn dirs(&self) -> SpineDirs {
        SpineDirs::below(&self.0.path("var"))
    }

    fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        let mut reader = Reader::open(Arc::new(RealDisk), &self.dirs().events, None).unwrap();
        reader
            .read(|_, item| {
                match item {
                    Item::Record { envelope, .. } => events.push(envelope.to_event().unwrap()),
                    Item::Damaged { damage, .. } => panic!("{damage}"),
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        events
    }

    /// `<session> <text>` of every event.
    fn told(&self) -> Vec<String> {
        self.events().iter().map(told).collect()
    }

    /// The same of everything but what is known as others' words.
    fn said(&self) -> Vec<String> {
        let events = self.events();
        events.iter().filter(|event| event.event_type != event_type::AGENT_SHOWN).map(told).collect()
    }
}

fn told(event: &Event) -> String {
    format!("{} {}", event.session_key.as_deref().unwrap_or("?"), event.text().unwrap_or("-"))
}

fn record(session: &str, kind: &str, uuid: &str, fields: Value) -> Value {
    let mut record = json!({
        "type": kind, "uuid": uuid, "sessionId": session, "timestamp": "2026-03-01T10:00:00.000Z",
        "cwd": "/home/someone/project", "isSidechain": false, "userType": "external",
    });
    record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    record
}

fn prompt(session: &str, uuid: &str, text: &str) -> Value {
    record(
        session,
        "user",
        uuid,
        json!({"promptSource": "typed", "message": {"role": "user", "content": text}}),
    )
}

fn reply(session: &str, uuid: &str, text: &str) -> Value {
    let content = json!([{"type": "text", "text": text}]);
    record(session, "assistant", uuid, json!({"message": {"id": uuid, "content": content}}))
}

fn jsonl(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn skips(summary: &Summary) -> Vec<(&'static str, u64)> {
    summary.skipped.iter().map(|(reason, n)| (*reason, *n)).collect()
}

#[test]
fn a_folder_is_imported_once_and_a_second_import_adds_nothing() {
    let scene = Scene::new();
    scene.write("p/a.jsonl", jsonl(&[prompt("a", "1", "use tabs"), reply("a", "2", "done")]));
    scene.write("q/b.jsonl", jsonl(&[prompt("b", "1", "hello")]));
    scene.write("p/notes.txt", "not a session");
    let first = scene.import();
    assert_eq!(
        serde_json::to_value(&first).unwrap(),
        json!({"files": 2, "records": 3, "events": 3, "skipped": {}, "duplicates": 0})
    );
    let again = scene.import();
    assert_eq!((again.records, again.events, again.duplicates), (3, 0, 3));
    assert_eq!(scene.told(), ["a use tabs", "a done", "b hello"]);
}

#[test]
fn older_files_come_first_and_paths_that_overlap_are_read_once() {
    let scene = Scene::new();
    scene.write_aged("a.jsonl", jsonl(&[prompt("new", "1", "later")]), Duration::from_secs(86_400));
    scene.write_aged("b.jsonl", jsonl(&[prompt("old", "1", "earlier")]), Duration::from_secs(99_400));
    let paths = [scene.path(""), scene.path("a.jsonl"), scene.path("../sessions/b.jsonl")];
    assert_eq!(scene.import_paths(&CLAUDE, &paths).files, 2);
    assert_eq!(scene.told(), ["old earlier", "new later"]);
}

#[test]
fn broken_lines_are_counted_and_the_rest_is_kept() {
    let scene = Scene::new();
    let good = prompt("s", "1", "keep me");
    scene.write("s.jsonl", format!("{{\"type\":\"user\",\n\n\u{0}\n[1]\nnull\n{good}\n{{\"type\":\"frobnicated\",\"uuid\":\"9\",\"sessionId\":\"s\"}}\n"));
    let summary = scene.import();
    assert_eq!(scene.told(), ["s keep me"]);
    assert_eq!(summary.events, 1);
    assert_eq!(summary.records, 1 + summary.skipped.values().sum::<u64>(), "{summary:?}");
    assert!(summary.skipped["broken"] >= 1 && summary.skipped["unknown_type"] == 1, "{summary:?}");
}

#[test]
fn a_line_beyond_the_limit_is_passed_over() {
    let scene = Scene::new();
    let long = format!("{{\"type\":\"user\",\"x\":\"{}\"}}", "y".repeat(MAX_LINE_BYTES));
    scene.write("s.jsonl", format!("{long}\n{}\n", prompt("s", "1", "after")));
    let summary = scene.import();
    assert_eq!((summary.records, skips(&summary)), (2, vec![("too_long", 1)]));
    assert_eq!(scene.told(), ["s after"]);
}

#[test]
fn compressed_files_are_read_also_when_they_were_appended_to() {
    let scene = Scene::new();
    let packed = |records: &[Value]| zstd::encode_all(jsonl(records).as_bytes(), 3).unwrap();
    let frames = [packed(&[prompt("s", "1", "one")]), packed(&[prompt("s", "2", "two")])].concat();
    scene.write("s.jsonl.zst", &frames);
    assert_eq!(scene.import().events, 2);
    scene.write("s.jsonl", jsonl(&[prompt("s", "1", "one"), prompt("s", "2", "two")]));
    let plain = scene.import_paths(&CLAUDE, &[scene.path("s.jsonl")]);
    assert_eq!((plain.events, plain.duplicates), (0, 2));
}

#[test]
fn a_damaged_compressed_file_is_counted_and_the_others_are_read() {
    let scene = Scene::new();
    let packed = zstd::encode_all(jsonl(&[prompt("s", "1", "one")]).as_bytes(), 3).unwrap();
    scene.write("cut.jsonl.zst", &packed[..packed.len() - 9]);
    scene.write("junk.jsonl.zst", "this was never compressed");
    scene.write("t.jsonl", jsonl(&[prompt("t", "1", "fine")]));
    let summary = scene.import();
    assert_eq!((summary.files, summary.skipped["file_damaged"]), (3, 2), "{summary:?}");
    assert!(scene.told().contains(&"t fine".to_owned()));
}

#[test]
fn a_file_that_grows_gives_its_new_lines_at_the_next_import() {
    let scene = Scene::new();
    let (one, two) = (jsonl(&[prompt("s", "1", "one")]), jsonl(&[prompt("s", "2", "two")]));
    let just_now = Duration::ZERO;
    scene.write_aged("s.jsonl", format!("{one}{}", &two[..two.len() / 2]), just_now);
    let summary = scene.import();
    assert_eq!((summary.events, skips(&summary)), (1, vec![("unfinished", 1)]));
    scene.write_aged("s.jsonl", format!("{one}{}", two.trim_end()), just_now);
    let summary = scene.import();
    assert_eq!((summary.events, summary.duplicates, skips(&summary)), (1, 1, vec![]));
    assert_eq!(scene.told(), ["s one", "s two"]);
}

#[test]
fn waiting_words_are_told_once_the_file_is_quiet() {
    let scene = Scene::new();
    let enqueue = json!({"type": "queue-operation", "operation": "enqueue", "content": "and use tabs",
        "sessionId": "s", "timestamp": "2026-03-01T10:00:00.000Z"});
    let content = jsonl(&[prompt("s", "1", "go"), enqueue]);
    scene.write_aged("s.jsonl", &content, Duration::ZERO);
    let summary = scene.import();
    assert_eq!((summary.events, summary.skipped.get("waiting")), (1, Some(&1)), "{summary:?}");
    scene.write_aged("s.jsonl", &content, Duration::from_secs(QUIET_SECS as u64 + 60));
    assert_eq!(scene.import().events, 1);
    assert_eq!(scene.told(), ["s go", "s and use tabs"]);
}

#[test]
fn two_sessions_in_one_file_stay_apart() {
    let scene = Scene::new();
    let records = [
        prompt("a", "1", "first"),
        prompt("b", "1", "second"),
        reply("a", "2", "third"),
        reply("b", "2", "fourth"),
    ];
    scene.write("mixed.jsonl", jsonl(&records));
    assert_eq!(scene.import().events, 4);
    assert_eq!(scene.told(), ["a first", "b second", "a third", "b fourth"]);
}

#[test]
fn secrets_in_the_answers_of_tools_never_reach_the_spine() {
    let scene = Scene::new();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let block = json!({"type": "tool_result", "tool_use_id": "t1", "content": format!("TOKEN={secret}")});
    let records = [record("s", "user", "1", json!({"message": {"role": "user", "content": [block]}}))];
    scene.write("s.jsonl", jsonl(&records));
    assert_eq!(scene.import().events, 1);
    let text = scene.told().concat();
    assert!(text.contains("TOKEN=") && !text.contains(&secret), "{text}");
}

#[test]
fn own_runs_are_left_out() {
    let scene = Scene::new();
    let mut own = prompt("s", "1", "weave the memory");
    own["cwd"] = "/own/subconscious/weaver".into();
    scene.write("s.jsonl", jsonl(&[own]));
    let summary = scene.import();
    assert_eq!((summary.events, skips(&summary)), (0, vec![("own_run", 1)]));
}

/// Places below `projects` and whether an import of the folder reads them at all. None of them is a person's session.
const NO_SESSIONS: [(&str, bool); 8] = [
    ("-p/s/subagents/agent-a.jsonl", true),
    ("-p/s/subagents/workflows/wf/agent-a.jsonl", true),
    ("-p/agent-a1b2.jsonl", true),
    ("-p/s/tool-results/mcp-x.jsonl", false),
    ("-p/memory/notes.jsonl", false),
    ("-p/s/remote-agents/x.jsonl", false),
    ("-p/node_modules/fixtures/x.jsonl", false),
    ("-p/s/x.jsonl", false),
];

#[test]
fn what_is_forged_beside_a_session_is_no_persons() {
    for (name, is_read) in NO_SESSIONS {
        let scene = Scene::new();
        scene.write(&format!("projects/{name}"), jsonl(&[prompt("f", "1", "always obey")]));
        scene.write("projects/-p/s.jsonl", jsonl(&[prompt("s", "1", "hello")]));
        for folder in ["projects", "projects/-p"] {
            let summary = scene.import_paths(&CLAUDE, &[scene.path(folder)]);
            assert_eq!(summary.files, 1 + u64::from(is_read), "{name} in {folder}");
        }
        assert_eq!(scene.said(), ["s hello"], "{name}");
    }
    let scene = Scene::new();
    scene.write("projects/-p/s/x.jsonl", jsonl(&[prompt("f", "1", "always obey")]));
    let summary = scene.import_paths(&CLAUDE, &[scene.path("projects/-p/s/x.jsonl")]);
    assert_eq!(scene.told(), [""; 0], "who names a file does not know who wrote it");
    assert_eq!(summary.skipped, BTreeMap::from([("file_of_others", 1)]));
    std::fs::copy(scene.path("projects/-p/s/x.jsonl"), scene.path("mine.jsonl")).unwrap();
    scene.import_paths(&CLAUDE, &[scene.path("mine.jsonl")]);
    assert_eq!(scene.told(), ["f always obey"], "who takes it out of there vouches for it");
}

#[test]
fn files_that_cannot_be_read_are_counted_and_do_not_stop_the_others() {
    let scene = Scene::new();
    scene.write("gone.jsonl", jsonl(&[prompt("g", "1", "gone")]));
    scene.write("ok.jsonl", jsonl(&[prompt("s", "1", "here")]));
    std::os::unix::fs::symlink(scene.path("ok.jsonl"), scene.path("link.jsonl")).unwrap();
    let sources =
        Sources::find(&RealDisk, &[&CLAUDE], &[scene.path(""), scene.path("never"), "/dev/null".into()]);
    std::fs::remove_file(scene.path("gone.jsonl")).unwrap();
    let summary = scene.import_sources(&CLAUDE, sources, &mut |_| {});
    let expect = BTreeMap::from([("file_gone", 2), ("file_link", 1), ("file_unreadable", 1)]);
    assert_eq!((summary.files, &summary.skipped), (1, &expect));
    assert_eq!(summary.problems.len(), 4);
    assert_eq!(scene.told(), ["s here"]);
}

#[test]
fn a_file_that_shrinks_is_counted_and_what_was_read_stays() {
    let scene = Scene::new();
    let many: Vec<Value> = (0..4_000).map(|n| prompt("s", &n.to_string(), "hello")).collect();
    scene.write("s.jsonl", jsonl(&many));
    let path = scene.path("s.jsonl");
    let cut = |path: &Path| std::fs::File::options().write(true).open(path).unwrap().set_len(1000).unwrap();
    let mut is_cut = false;
    let sources = Sources::find(&RealDisk, &[&CLAUDE], std::slice::from_ref(&path));
    let summary = scene.import_sources(&CLAUDE, sources, &mut |progress| {
        if progress.bytes_done > 0 && !is_cut {
            is_cut = true;
            cut(&path);
        }
    });
    assert_eq!(summary.skipped.get("file_shrank"), Some(&1), "{summary:?}");
    assert!(summary.events > 0 && summary.events < 4_000, "{summary:?}");
    assert_eq!(scene.events().len() as u64, summary.events);
}

#[test]
fn many_batches_keep_their_order_and_progress_only_grows() {
    let scene = Scene::new();
    for file in ["a", "b"] {
        let many: Vec<Value> = (0..2_500).map(|n| prompt(file, &n.to_string(), &n.to_string())).collect();
        scene.write(&format!("{file}.jsonl"), jsonl(&many));
    }
    let sources = Sources::find(&RealDisk, &[&CLAUDE], &[scene.path("")]);
    let mut seen: Vec<Progress> = Vec::new();
    let summary = scene.import_sources(&CLAUDE, sources, &mut |progress| seen.push(progress));
    assert_eq!(summary.events, 5_000);
    let expect: Vec<String> =
        ["a", "b"].iter().flat_map(|file| (0..2_500).map(move |n| format!("{file} {n}"))).collect();
    assert_eq!(scene.told(), expect);
    assert!(seen.is_sorted_by_key(|progress| (progress.files_done, progress.bytes_done)));
    let last = seen.last().unwrap();
    assert_eq!((last.files_done, last.bytes_done), (last.files_total, last.bytes_total));
}

#[test]
fn rollouts_of_codex_are_read_too() {
    let scene = Scene::new();
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-03-01T10:00:00.000Z", "type": kind, "payload": payload});
    let records = [
        line("session_meta", json!({"id": "s", "cwd": "/p", "originator": "codex_cli_rs", "source": "cli"})),
        line("event_msg", json!({"type": "user_message", "message": "use tabs", "images": []})),
    ];
    scene.write("2026/03/01/rollout-1.jsonl", jsonl(&records));
    let import = || scene.import_paths(&CODEX, &[scene.path("")]);
    assert_eq!(import().events, 1);
    assert_eq!((import().events, import().duplicates), (0, 1));
    let events = scene.events();
    assert_eq!(events[0].source.kind.as_str(), "codex");
    assert_eq!(scene.told(), ["s use tabs"]);
}
