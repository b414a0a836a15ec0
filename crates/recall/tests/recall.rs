//! Searching a home of real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use subcortex_memory::MemoryFolder;
use subcortex_recall::{Hit, Kind, Places, RecallError, recall};
use subcortex_store::{Disk, Fault, FaultKind, FaultyDisk, RealDisk, Then};
use subcortex_testkit::FakeHome;

struct Home(FakeHome);

impl Home {
    fn new() -> Self {
        Self(FakeHome::with_folders(&["var/events"]))
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path(below)
    }

    fn write(&self, below: &str, text: &str) {
        self.0.write(below, text);
    }

    /// Appends a record to a day as others write it.
    fn event(&self, day: &str, id: &str, session: &str, event_type: &str, payload: &str) {
        let path = self.path(&format!("var/events/{day}.jsonl"));
        let line = format!(
            r#"{{"id":"{id}","ts":"{day}T08:00:00Z","type":"{event_type}","source":{{"kind":"claude"}},"session_key":"{session}","payload":{payload}}}"#
        );
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, format!("{before}{line}\n")).unwrap();
    }

    fn says(&self, day: &str, id: &str, session: &str, text: &str) {
        self.event(day, id, session, "channel.message", &format!(r#"{{"text":"{text}"}}"#));
    }

    fn fragment(&self, event: &str, quote: &str) {
        let text = format!(
            "---\nsource_event_id: {event}\nsource_ts: 2026-01-02T03:04:05.678Z\nsource_kind: claude\nsession_key: s9\n\
             event_type: channel.message\nsignal: preference\nclaude_md_ref: none\ntrajectory: NEW_SIGNAL\n\
             activation: waiting\norigin: person\n---\n# Fragment\n\nEvidence:\n> {quote}\n\nEffectiveness note:\nno line says it\n"
        );
        self.write(&format!("memory/fragments/2026-01-02/030405-{event}.md"), &text);
    }

    fn places(&self, disk: Arc<dyn Disk>) -> Places {
        let memory = MemoryFolder::at(self.path("memory"));
        Places { disk, memory, events: self.path("var/events"), var: self.path("var") }
    }

    fn ask(&self, question: &str) -> Vec<Hit> {
        recall(&self.places(Arc::new(RealDisk)), question, 10).unwrap()
    }

    fn paths(&self, question: &str) -> Vec<String> {
        self.ask(question).into_iter().map(|hit| hit.path).collect()
    }

    fn index(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(self.path("var/index/recall")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }
}

/// A bit of everything.
fn full() -> Home {
    let home = Home::new();
    home.write("memory/CLAUDE.md", "# Rules\n\n- Use pnpm, never npm.\n- Indent with tabs.\n");
    home.write(
        "memory/topics/deploys.md",
        "---\nkind: topic\n---\n# Deploys\n\nThe staging cluster is called heron.\n",
    );
    home.fragment("evt_9", "please write commit messages in the imperative");
    home.says("2026-01-01", "evt_1", "s1", "the migrations fail on postgres, run them by hand");
    home.event("2026-01-01", "evt_2", "s1", "agent.result", r#"{"text":"I ran the migration with psql."}"#);
    home.event(
        "2026-01-01",
        "evt_3",
        "s1",
        "agent.tool_use",
        r#"{"tool_name":"Bash","input":{"command":"psql -f db/0042_widgets.sql"}}"#,
    );
    home.says("2026-01-01", "evt_4", "s1", "now something about zebras");
    home
}

#[test]
fn everything_that_is_remembered_is_found_with_where_it_stands() {
    let home = full();
    assert_eq!(home.paths("pnpm"), ["memory/CLAUDE.md:L3"]);
    assert_eq!(home.paths("heron cluster"), ["memory/topics/deploys.md"]);
    assert_eq!(home.paths("commits imperative"), ["memory/fragments/2026-01-02/030405-evt_9.md"]);
    let hits = home.ask("migrating postgres");
    assert_eq!(hits[0].path, "var/events/2026-01-01.jsonl#evt_1");
    assert_eq!((hits[0].kind, hits[0].session.as_deref()), (Kind::Turn, Some("s1")));
    assert_eq!(hits[0].text, "the migrations fail on postgres, run them by hand");
    assert_eq!(
        home.paths("widgets"),
        ["var/events/2026-01-01.jsonl#evt_1"],
        "what was run belongs to its turn"
    );
    assert_eq!(home.paths("unheard-of"), [""; 0]);
}

#[test]
fn what_internal_kinds_say_is_not_found() {
    let home = full();
    let path = home.path("var/events/2026-01-01.jsonl");
    let line = r#"{"id":"evt_5","ts":"2026-01-01T08:00:00Z","type":"channel.message","source":{"kind":"cadence"},"payload":{"text":"xylophone"}}"#;
    let before = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{before}{line}\n")).unwrap();
    assert_eq!(home.paths("xylophone"), [""; 0]);
}

#[test]
fn the_better_answer_comes_first() {
    let home = Home::new();
    home.says("2026-01-01", "evt_1", "s1", "tests tests tests and a cache");
    home.says("2026-01-01", "evt_2", "s2", "the cache of the tests is stale");
    home.says("2026-01-01", "evt_3", "s3", "tests");
    assert_eq!(home.paths("stale test cache")[0], "var/events/2026-01-01.jsonl#evt_2");
}

#[test]
fn what_is_new_is_found_and_what_was_read_is_not_read_again() {
    let home = full();
    assert_eq!(home.paths("giraffe").len(), 0);
    let words = |home: &Home| {
        home.index().into_iter().filter(|path| path.extension().is_some_and(|e| e == "words")).count()
    };
    let before = words(&home);
    // The turn goes on, in another segment, and stays one answer.
    home.event("2026-01-01", "evt_6", "s1", "agent.result", r#"{"text":"a giraffe is no zebra"}"#);
    assert_eq!(home.paths("giraffe zebras"), ["var/events/2026-01-01.jsonl#evt_4"]);
    for number in 10..40 {
        home.says("2026-01-02", &format!("evt_{number}"), "s2", &format!("giraffe number{number}"));
        assert_eq!(home.paths(&format!("number{number}")).len(), 1);
    }
    assert!(words(&home) <= before + 4, "segments are made one: {:?}", home.index());
    home.write("memory/topics/deploys.md", "# Deploys\n\nThe staging cluster is called stork.\n");
    assert_eq!((home.paths("heron").len(), home.paths("stork").len()), (0, 1));
    fs::remove_dir_all(home.path("memory/fragments/2026-01-02")).unwrap();
    assert_eq!(home.paths("imperative").len(), 0);
}

#[test]
fn what_was_forgotten_and_days_that_are_gone_are_not_shown() {
    let home = full();
    assert_eq!(home.paths("zebras").len(), 1);
    home.write("memory/state/forgotten.json", r#"{"events":["evt_4"],"sessions":["s9"]}"#);
    assert_eq!(home.paths("zebras").len(), 0);
    assert_eq!(home.paths("imperative").len(), 0, "its session is forgotten");
    assert_eq!(home.paths("postgres").len(), 1);
    fs::remove_file(home.path("var/events/2026-01-01.jsonl")).unwrap();
    assert_eq!(home.paths("postgres").len(), 0);
    for file in home.index() {
        assert!(!String::from_utf8_lossy(&fs::read(&file).unwrap()).contains("postgres"), "{file:?}");
    }
}

#[test]
fn a_secret_that_a_person_wrote_down_is_neither_kept_nor_shown() {
    let home = full();
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    home.write("memory/topics/deploys.md", &format!("the token of heron is {secret}\n"));
    let hits = home.ask("heron token");
    assert!(!hits[0].text.contains(&secret), "{hits:?}");
    for file in home.index() {
        assert!(!String::from_utf8_lossy(&fs::read(&file).unwrap()).contains(&secret), "{file:?}");
    }
}

#[test]
fn a_damaged_index_is_made_anew() {
    let home = full();
    let expected = home.ask("migrations zebras pnpm heron imperative");
    assert!(expected.len() >= 4);
    for file in home.index() {
        for damage in [&b""[..], b"garbage", b"{}"] {
            fs::write(&file, damage).unwrap();
            assert_eq!(home.ask("migrations zebras pnpm heron imperative"), expected, "{file:?}");
        }
        let mut bytes = fs::read(&file).unwrap();
        if let Some(byte) = bytes.get_mut(20) {
            *byte ^= 1;
            fs::write(&file, bytes).unwrap();
            assert_eq!(home.ask("migrations zebras pnpm heron imperative"), expected, "one bit of {file:?}");
        }
        let _gone = fs::remove_file(&file);
        assert_eq!(home.ask("migrations zebras pnpm heron imperative"), expected, "without {file:?}");
    }
    fs::remove_dir_all(home.path("var/index")).unwrap();
    assert_eq!(home.ask("migrations zebras pnpm heron imperative"), expected);
}

#[test]
fn whatever_call_fails_the_next_search_finds_everything() {
    let expected = full().ask("migrations zebras heron");
    for kind in [FaultKind::Eio, FaultKind::Crash] {
        for at_call in 1.. {
            let home = full();
            let disk = Arc::new(FaultyDisk::new(RealDisk, Fault { at_call, kind, then: Then::FromThenOn }));
            let result = recall(&home.places(disk.clone()), "migrations zebras heron", 10);
            if let Ok(hits) = result {
                assert_eq!(hits, expected, "{:?}", disk.log());
            }
            assert_eq!(home.ask("migrations zebras heron"), expected, "{:?}", disk.log());
            if !disk.was_reached() {
                break;
            }
        }
    }
}

#[test]
fn a_question_without_words_is_refused() {
    let home = full();
    for question in ["", "  ", "the of", "?!"] {
        let refused = recall(&home.places(Arc::new(RealDisk)), question, 10);
        assert!(matches!(refused, Err(RecallError::NoWords(_))), "{question}: {refused:?}");
    }
}

#[test]
fn several_searches_at_once_find_everything() {
    let home = full();
    let expected = full().paths("migrations zebras heron");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    assert_eq!(home.paths("migrations zebras heron"), expected);
                }
            });
        }
        scope.spawn(|| {
            for number in 0..20 {
                home.write("memory/topics/other.md", &format!("page {number}"));
            }
        });
    });
}

#[test]
fn something_else_in_the_place_of_the_index_is_set_aside() {
    for name in ["", ".lock", "manifest.json", "1.docs", "1.words"] {
        for is_link in [false, true] {
            let home = Home::new();
            home.says("2026-01-02", "e1", "s1", "we use zebrafish here");
            home.says("2026-01-03", "e2", "s2", "and nothing else");
            let ask = || recall(&home.places(Arc::new(RealDisk)), "zebrafish", 5).map(|hits| hits.len());
            assert_eq!(ask().unwrap(), 1);
            let path = home.path("var/index/recall").join(name);
            match name {
                "" => fs::remove_dir_all(home.path("var/index/recall")).unwrap(),
                _ => fs::remove_file(&path).unwrap(),
            }
            match (name, is_link) {
                ("", false) => fs::write(home.path("var/index/recall"), "x").unwrap(),
                ("", true) => std::os::unix::fs::symlink("/nowhere", home.path("var/index/recall")).unwrap(),
                (_, false) => fs::create_dir(&path).unwrap(),
                (_, true) => std::os::unix::fs::symlink("/nowhere", &path).unwrap(),
            }
            assert_eq!(ask().unwrap_or_else(|error| panic!("{name} {is_link}: {error}")), 1, "{name}");
            assert_eq!(ask().unwrap(), 1, "{name}");
        }
    }
}
