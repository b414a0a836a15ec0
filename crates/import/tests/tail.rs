//! Session files that grow, shrink and change places, and what the spine has of them afterwards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use std::collections::HashSet;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde_json::{Value, json};
use subcortex_import::{Look, News, Options, Root, Sources, Tail, import};
use subcortex_known_agents::{Agent, CLAUDE, CODEX};
use subcortex_spine::{Item, Reader, Spine, SpineDirs};
use subcortex_store::RealDisk;
use subcortex_testkit::{FakeHome, Random};

/// A folder of session files, a spine, and somebody who follows.
struct Scene {
    home: FakeHome,
    agent: &'static Agent,
    /// The name of the folder.
    folder: &'static str,
    tail: Option<Tail>,
}

impl Scene {
    fn new(agent: &'static Agent) -> Self {
        // These tests make many files and ask nothing of a disk.
        let home = FakeHome::in_memory();
        home.make("sessions");
        home.make("var/index");
        Self { home, agent, folder: "sessions", tail: None }
    }

    fn root(&self) -> PathBuf {
        self.home.root().canonicalize().unwrap().join(self.folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    fn places_file(&self) -> PathBuf {
        self.home.path("var/index/tail.json")
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    fn append(&self, name: &str, content: impl AsRef<[u8]>) {
        let mut file = std::fs::File::options().append(true).create(true).open(self.path(name)).unwrap();
        file.write_all(content.as_ref()).unwrap();
    }

    /// As if nobody had touched it for an hour.
    fn age(&self, name: &str) {
        let file = std::fs::File::options().append(true).open(self.path(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }

    fn spine(&self) -> Spine {
        Spine::new(Arc::new(RealDisk), SpineDirs::below(&self.home.path("var")), "this-boot".into())
    }

    fn look_as(&mut self, look: Look<'_>, go_on: &dyn Fn() -> bool) -> News {
        let mut spine = self.spine();
        let roots = [Root { agent: self.agent, path: self.root() }];
        let places_file = self.places_file();
        let own = vec![PathBuf::from("/own")];
        let tail = self.tail.get_or_insert_with(|| Tail::open(Arc::new(RealDisk), places_file, own).0);
        let news = tail.look(&mut spine, &roots, look, &Timestamp::now, go_on).unwrap();
        tail.save().unwrap();
        news
    }

    fn look(&mut self) -> News {
        self.look_as(Look::Everything, &|| true)
    }

    /// What a restart leaves: the places, and no reader.
    fn restart(&mut self) {
        self.tail = None;
    }

    fn import(&self) {
        let sources = Sources::find(&RealDisk, &[self.agent], &[self.root()]);
        let own_dirs = vec![PathBuf::from("/own")];
        let options = Options { agent: self.agent, own_dirs, clock: &Timestamp::now, only: None };
        import(&mut self.spine(), &RealDisk, sources, &options, &mut |_| {}).unwrap();
    }

    /// Every event without what depends on when it was appended.
    fn events(&self) -> Vec<Value> {
        let mut events = Vec::new();
        let events_dir = SpineDirs::below(&self.home.path("var")).events;
        let mut reader = Reader::open(Arc::new(RealDisk), &events_dir, None).unwrap();
        reader
            .read(|_, item| {
                let Item::Record { envelope, .. } = item else { panic!("damaged") };
                let mut event = serde_json::to_value(envelope.to_event().unwrap()).unwrap();
                event.as_object_mut().unwrap().retain(|key, _| !matches!(key.as_str(), "id" | "seq" | "crc"));
                events.push(event);
                ControlFlow::Continue(())
            })
            .unwrap();
        events
    }

    fn texts(&self) -> Vec<String> {
        let text = |event: &Value| event["payload"]["text"].as_str().unwrap_or("-").to_owned();
        self.events().iter().map(text).collect()
    }
}

fn record(kind: &str, uuid: &str, fields: Value) -> String {
    let mut record = json!({
        "type": kind, "uuid": uuid, "sessionId": "s", "timestamp": "2026-03-01T10:00:00.000Z",
        "cwd": "/p", "isSidechain": false, "userType": "external",
    });
    record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    format!("{record}\n")
}

fn prompt(uuid: &str, text: &str) -> String {
    record(
        "user",
        uuid,
        json!({"promptId": format!("p-{uuid}"), "promptSource": "typed", "message": {"role": "user", "content": text}}),
    )
}

fn said(uuid: &str, message: &str, content: &Value) -> String {
    let usage = json!({"input_tokens": 7, "output_tokens": 9});
    record("assistant", uuid, json!({"message": {"id": message, "content": [content], "usage": usage}}))
}

fn queue(operation: &str, text: &str) -> String {
    let record = json!({"type": "queue-operation", "operation": operation, "content": text,
        "timestamp": "2026-03-01T10:00:01.000Z", "sessionId": "s"});
    format!("{record}\n")
}

/// A session with everything that needs a reader's memory.
fn claude_session() -> String {
    let bash = json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}});
    let answer =
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a b"}]});
    [
        record("file-history-snapshot", "0", json!({})),
        prompt("1", "list the files"),
        said("2", "m1", &json!({"type": "text", "text": "yes"})),
        said("3", "m1", &bash),
        queue("enqueue", "and use tabs"),
        record("user", "4", json!({"message": answer})),
        "{\"broken\n".to_owned(),
        queue("remove", "and use tabs"),
        said("5", "m2", &json!({"type": "text", "text": "done"})),
        queue("enqueue", "one more thing"),
        queue("dequeue", ""),
        prompt("6", "one more thing"),
        said("7", "m3", &json!({"type": "text", "text": "ünd göod"})),
        queue("enqueue", "never delivered"),
    ]
    .concat()
}

fn codex_session() -> String {
    let at = |n: usize| format!("2026-03-01T10:00:{n:02}.000Z");
    let lines = [
        json!({"type": "session_meta", "payload": {"id": "c", "cwd": "/p", "originator": "codex_cli_rs"}}),
        json!({"type": "event_msg", "payload": {"type": "task_started", "turn_id": "t"}}),
        json!({"type": "turn_context", "payload": {"cwd": "/p", "model": "m", "turn_id": "t"}}),
        json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]}}),
        json!({"type": "event_msg", "payload": {"type": "user_message", "message": "fix it", "kind": "plain"}}),
        json!({"type": "response_item", "payload": {"type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "k"}}),
        json!({"type": "response_item", "payload": {"type": "function_call_output", "call_id": "k", "output": "{\"output\":\"a\",\"metadata\":{\"exit_code\":0}}"}}),
        json!({"type": "event_msg", "payload": {"type": "agent_message", "message": "fixed"}}),
        json!({"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "fixed"}]}}),
        json!({"type": "event_msg", "payload": {"type": "task_complete"}}),
        json!({"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "thanks"}]}}),
    ];
    let line = |(n, mut line): (usize, Value)| {
        line["timestamp"] = at(n).into();
        format!("{line}\n")
    };
    lines.into_iter().enumerate().map(line).collect()
}

fn imported(agent: &'static Agent, name: &str, content: &str) -> Vec<Value> {
    let scene = Scene::new(agent);
    scene.write(name, content);
    scene.age(name);
    scene.import();
    scene.events()
}

/// Lets the file grow in steps of random length; between them everything may be restarted, or the places lost.
#[track_caller]
fn check_growth(agent: &'static Agent, name: &str, content: &str) {
    let expect = imported(agent, name, content);
    assert!(expect.len() >= 4, "{expect:?}");
    for seed in 0..24 {
        let mut random = Random::seeded(seed);
        let mut scene = Scene::new(agent);
        let mut rest = content.as_bytes();
        while !rest.is_empty() {
            let (step, later) = rest.split_at((1 + random.below(content.len() / 3)).min(rest.len()));
            rest = later;
            scene.append(name, step);
            match random.below(3) {
                0 => {
                    scene.look();
                }
                1 => {
                    let files = HashSet::from([scene.path(name), PathBuf::from("/elsewhere.jsonl")]);
                    scene.look_as(Look::Files(&files), &|| true);
                }
                _ => {
                    // Told to stop in the middle.
                    let lines = AtomicU64::new(random.below(9) as u64);
                    let go_on =
                        || lines.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
                    scene.look_as(Look::Everything, &|| go_on().is_ok());
                }
            }
            if random.below(3) == 0 {
                scene.restart();
            }
            if random.below(6) == 0 {
                scene.restart();
                drop(std::fs::remove_file(scene.places_file()));
            }
        }
        scene.age(name);
        scene.look();
        assert_eq!(scene.events(), expect, "seed {seed}");
        assert_eq!(scene.look(), News::default(), "seed {seed}");
        scene.import();
        assert_eq!(scene.events(), expect, "seed {seed}");
    }
}

#[test]
fn what_is_written_beside_a_session_is_not_followed() {
    for (name, is_followed) in
        [("-p/s.jsonl", true), ("-p/s/x.jsonl", false), ("-p/memory/a/x.jsonl", false), ("x.jsonl", false)]
    {
        let mut scene = Scene { folder: "projects", ..Scene::new(&CLAUDE) };
        std::fs::create_dir_all(scene.path(name).parent().unwrap()).unwrap();
        scene.write(name, prompt("1", "hello"));
        let changed = HashSet::from([scene.path(name)]);
        assert_eq!(scene.look_as(Look::Files(&changed), &|| true).events, u64::from(is_followed), "{name}");
        assert_eq!(scene.look().events, 0, "{name}: a look at everything finds no more");
    }
}

#[test]
fn however_a_claude_file_grows_the_events_are_those_of_one_import() {
    check_growth(&CLAUDE, "s.jsonl", &claude_session());
}

#[test]
fn however_a_codex_file_grows_the_events_are_those_of_one_import() {
    check_growth(&CODEX, "rollout-1-c.jsonl", &codex_session());
}

#[test]
fn a_file_that_does_not_change_is_not_opened() {
    let mut scene = Scene::new(&CLAUDE);
    scene.write("s.jsonl", prompt("1", "hello"));
    assert_eq!((scene.look().files, scene.look().files), (1, 0));
    scene.restart();
    assert_eq!(scene.look().files, 0);
    scene.append("s.jsonl", prompt("2", "again"));
    let news = scene.look();
    assert_eq!((news.files, news.events, news.duplicates), (1, 1, 0));
    scene.restart();
    scene.append("s.jsonl", prompt("3", "after a restart"));
    let news = scene.look();
    assert_eq!((news.events, news.duplicates), (1, 0), "what was told is not even offered");
}

#[test]
fn what_another_way_told_before_is_not_told_again() {
    let mut scene = Scene::new(&CLAUDE);
    scene.write("s.jsonl", prompt("1", "hello"));
    scene.import();
    scene.append("s.jsonl", prompt("2", "again"));
    let news = scene.look();
    assert_eq!((news.events, news.duplicates), (1, 1));
    assert_eq!(scene.texts(), ["hello", "again"]);
}

#[test]
fn a_file_that_shrinks_or_is_replaced_is_read_anew() {
    let (one, two) = (prompt("1", "one"), prompt("2", "two"));
    type Change = fn(&Scene, &str);
    let changes: [(&str, Change); 4] = [
        ("shrinks", |scene, content| scene.write("s.jsonl", content)),
        ("is replaced", |scene, content| {
            scene.write("new", content);
            std::fs::rename(scene.path("new"), scene.path("s.jsonl")).unwrap();
        }),
        ("is rotated", |scene, content| {
            std::fs::rename(scene.path("s.jsonl"), scene.path("s-old.jsonl")).unwrap();
            scene.write("s.jsonl", content);
        }),
        ("is rewritten at its end and longer", |scene, content| {
            scene.write("s.jsonl", content.repeat(4));
        }),
    ];
    for (what, change) in changes {
        for restarts in [false, true] {
            let mut scene = Scene::new(&CLAUDE);
            scene.write("s.jsonl", format!("{one}{two}"));
            scene.look();
            if restarts {
                scene.restart();
            }
            change(&scene, &prompt("9", "three"));
            scene.look();
            assert_eq!(scene.texts(), ["one", "two", "three"], "{what}");
            scene.append("s.jsonl", prompt("10", "four"));
            scene.look();
            assert_eq!(scene.texts(), ["one", "two", "three", "four"], "{what}");
        }
    }
}

#[test]
fn a_file_that_moves_is_not_told_twice_and_one_that_goes_is_forgotten() {
    let mut scene = Scene::new(&CLAUDE);
    scene.write("s.jsonl", prompt("1", "one"));
    scene.look();
    std::fs::rename(scene.path("s.jsonl"), scene.path("t.jsonl")).unwrap();
    let news = scene.look();
    assert_eq!((news.events, news.duplicates), (0, 1));
    std::fs::remove_file(scene.path("t.jsonl")).unwrap();
    assert_eq!(scene.look(), News::default());
    assert_eq!(scene.tail.as_ref().unwrap().files_below(&scene.root()), 0);
}

#[test]
fn an_unfinished_line_waits_for_its_end_or_for_quiet() {
    let mut scene = Scene::new(&CLAUDE);
    let line = prompt("1", "whole");
    scene.write("s.jsonl", line.trim_end());
    scene.write("t.jsonl", &line[..line.len() / 2]);
    scene.look();
    assert_eq!(scene.texts(), [""; 0]);
    scene.age("s.jsonl");
    scene.age("t.jsonl");
    scene.look();
    assert_eq!(scene.texts(), ["whole"]);
    scene.append("s.jsonl", format!("\n{}", prompt("2", "more")));
    scene.look();
    assert_eq!(scene.texts(), ["whole", "more"]);
    scene.append("t.jsonl", &line[line.len() / 2..]);
    assert_eq!(scene.look().duplicates, 1);
}

#[test]
fn words_that_wait_are_told_when_the_file_was_quiet_for_long_and_only_once() {
    let mut scene = Scene::new(&CLAUDE);
    scene.write("s.jsonl", [prompt("1", "go"), queue("enqueue", "use tabs")].concat());
    scene.look();
    assert_eq!(scene.texts(), ["go"]);
    scene.restart();
    scene.age("s.jsonl");
    scene.look();
    assert_eq!(scene.texts(), ["go", "use tabs"]);
    assert_eq!(scene.look(), News::default());
    for restarts in [false, true] {
        if restarts {
            scene.restart();
        }
        scene.append(
            "s.jsonl",
            said(if restarts { "2" } else { "3" }, "m", &json!({"type": "text", "text": "on"})),
        );
        scene.look();
    }
    assert_eq!(scene.texts(), ["go", "use tabs", "on", "on"]);
}

#[test]
fn a_file_that_cannot_be_read_is_reported_once_and_holds_nothing_up() {
    let mut scene = Scene::new(&CLAUDE);
    scene.write("a.jsonl", prompt("1", "mine"));
    std::os::unix::fs::symlink("a.jsonl", scene.path("link.jsonl")).unwrap();
    std::fs::create_dir(scene.path("closed")).unwrap();
    scene.write("closed/b.jsonl", prompt("2", "closed"));
    let allow =
        |mode| std::fs::set_permissions(scene.path("closed/b.jsonl"), PermissionsExt::from_mode(mode));
    allow(0o000).unwrap();
    let is_root = std::fs::read(scene.path("closed/b.jsonl")).is_ok();
    let open = scene.path("closed/b.jsonl");
    let news = scene.look();
    assert_eq!(news.problems.len(), if is_root { 1 } else { 2 }, "{news:?}");
    assert!(scene.texts().contains(&"mine".to_owned()));
    assert_eq!(scene.look().problems, []);
    std::fs::set_permissions(open, PermissionsExt::from_mode(0o600)).unwrap();
    scene.look();
    assert_eq!(scene.texts().len(), 2);
}

#[test]
fn places_that_are_garbage_cost_only_time() {
    for garbage in [&b"{"[..], b"", b"\xff\xff", br#"{"version": 9, "files": {}}"#, b"[]"] {
        let mut scene = Scene::new(&CLAUDE);
        scene.write("s.jsonl", prompt("1", "one"));
        scene.look();
        scene.restart();
        std::fs::write(scene.places_file(), garbage).unwrap();
        let (_, problem) = Tail::open(Arc::new(RealDisk), scene.places_file(), Vec::new());
        assert!(problem.is_some());
        scene.append("s.jsonl", prompt("2", "two"));
        let news = scene.look();
        assert_eq!((news.events, news.duplicates), (1, 1));
        assert_eq!(scene.texts(), ["one", "two"]);
    }
}

#[test]
fn a_compressed_file_is_read_and_damage_is_told_once() {
    let mut scene = Scene::new(&CLAUDE);
    let packed = zstd::encode_all(prompt("1", "packed").as_bytes(), 0).unwrap();
    scene.write("s.jsonl.zst", &packed);
    scene.write("t.jsonl.zst", &packed[..packed.len() - 3]);
    let news = scene.look();
    assert_eq!((news.events, news.problems.len()), (1, 1), "{news:?}");
    assert_eq!(scene.look(), News::default());
    scene.age("s.jsonl.zst");
    scene.age("t.jsonl.zst");
    scene.restart();
    assert_eq!(scene.look().events, 0);
    assert_eq!(scene.look(), News::default());
    assert_eq!(scene.texts(), ["packed"]);
}

#[test]
fn a_folder_that_is_not_there_yet_is_no_problem() {
    let mut scene = Scene::new(&CLAUDE);
    std::fs::remove_dir(scene.root()).unwrap();
    assert_eq!(scene.look(), News::default());
    std::fs::create_dir(scene.root()).unwrap();
    scene.write("s.jsonl", prompt("1", "one"));
    assert_eq!(scene.look().events, 1);
}
