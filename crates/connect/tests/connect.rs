//! Settings of every shape: what is added, that nothing else changes, and that it can be taken back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;
use subcortex_connect::{
    ConnectError, Link, Plan, apply, findings, is_connected, plan_connect, plan_disconnect,
};
use subcortex_home::{Home, init};
use subcortex_known_agents::{Agent, CLAUDE, CODEX};
use subcortex_store::RealDisk;
use subcortex_store::durable::ReadError;
use subcortex_testkit::FakeHome;

/// A person with a home.
struct Person {
    dir: FakeHome,
    agent: &'static Agent,
}

impl Person {
    fn new() -> Self {
        let person = Self { dir: FakeHome::new(), agent: &CLAUDE };
        init(&RealDisk, &person.link().home).unwrap();
        fs::create_dir(person.path(".claude")).unwrap();
        person
    }

    fn with_settings(text: &str) -> Self {
        let person = Self::new();
        fs::write(person.path(".claude/settings.json"), text).unwrap();
        person
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path(below)
    }

    fn link(&self) -> Link {
        let config_dir = self.path(self.agent.config_dir.usual);
        let home = Home::at(self.path("its home"));
        let settings = self.agent.settings().unwrap();
        Link { agent: self.agent, settings, config_dir, binary: PathBuf::from("/bin/sh"), home }
    }

    fn settings(&self) -> Option<String> {
        fs::read_to_string(self.link().settings_file()).ok()
    }

    fn memory(&self) -> Option<String> {
        fs::read_to_string(self.path(".claude/CLAUDE.md")).ok()
    }

    #[track_caller]
    fn connect(&self) -> Plan {
        let plan = plan_connect(&RealDisk, &self.link()).unwrap();
        apply(&RealDisk, &self.link(), &plan).unwrap();
        plan
    }

    #[track_caller]
    fn disconnect(&self) -> Plan {
        let plan = plan_disconnect(&RealDisk, &self.link()).unwrap();
        apply(&RealDisk, &self.link(), &plan).unwrap();
        plan
    }

    fn says(&self) -> Vec<String> {
        findings(&RealDisk, &self.link(), "2026-03-01T10:00:00Z".parse().unwrap())
            .into_iter()
            .map(|finding| format!("{:?}: {}", finding.severity, finding.found))
            .collect()
    }
}

/// Connecting changes only by adding, twice is once, and disconnecting gives back every byte.
#[track_caller]
fn check_round_trip(settings: Option<&str>) -> String {
    let person = Person::new();
    if let Some(text) = settings {
        fs::write(person.path(".claude/settings.json"), text).unwrap();
    }
    person.connect();
    let connected = person.settings().unwrap();
    assert!(plan_connect(&RealDisk, &person.link()).unwrap().is_empty(), "{connected}");
    person.disconnect();
    assert_eq!(person.settings().as_deref(), settings, "after\n{connected}");
    assert_eq!(person.memory(), None);
    connected
}

/// The commands that a program which reads plain JSON finds.
fn commands(text: &str) -> usize {
    let settings: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    let events = settings["hooks"].as_object().unwrap();
    let ours = |event: &str, group: &Value| {
        let hooks = group["hooks"].as_array().unwrap().iter();
        hooks
            .filter(|hook| hook["command"].as_str().unwrap().contains(&format!("hook {event} --agent")))
            .count()
    };
    events
        .iter()
        .flat_map(|(event, groups)| groups.as_array().unwrap().iter().map(move |group| ours(event, group)))
        .sum()
}

#[test]
fn plain_settings_of_every_layout_stay_plain_and_come_back() {
    for settings in [
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\n  \"model\": \"opus\"\n}\n",
        "{\n\t\"model\": \"opus\",\n\t\"env\": {\"A\": \"1\"}\n}",
        "{\"model\":\"opus\"}",
        "{\r\n    \"model\": \"opus\"\r\n}\r\n",
        "{\n  \"hooks\": {}\n}",
        "{\n  \"hooks\": {\n  }\n}",
        "{\"hooks\": {\"Stop\": []}}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]\n      }\n    ]\n  },\n  \"x\": 1\n}\n",
    ] {
        let connected = check_round_trip(Some(settings));
        assert_eq!(commands(&connected), 12, "{connected}");
        if settings.contains("\r\n") {
            assert_eq!(connected.matches('\n').count(), connected.matches("\r\n").count());
        }
    }
    assert_eq!(commands(&check_round_trip(None)), 12);
    check_round_trip(Some(""));
}

#[test]
fn comments_trailing_commas_and_marks_stay_where_they_are() {
    for settings in [
        "\u{feff}{\n  \"model\": \"opus\"\n}\n",
        "// mine\n{\n  \"model\": \"opus\", // the good one\n}\n",
        "{\n  \"model\": \"opus\" // the good one\n  // nothing more\n}\n",
        "{\n  \"model\": \"opus\" /* good */\n}\n",
        "{ /* empty */ }",
        "// only words\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      // none yet\n    ],\n  },\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [] }, ],\n  }\n}\n",
    ] {
        let connected = check_round_trip(Some(settings));
        for remark in ["// the good one", "/* good */", "// none yet", "// mine", "// nothing more"] {
            assert_eq!(connected.contains(remark), settings.contains(remark), "{connected}");
        }
    }
    let connected = check_round_trip(Some("{\n  \"model\": \"opus\" // the good one\n}\n"));
    assert!(
        connected.starts_with("{\n  \"model\": \"opus\", // the good one\n  \"hooks\": {\n    \"Session"),
        "{connected}"
    );
}

#[test]
fn what_is_added_is_shown_and_looks_like_the_rest() {
    let person = Person::with_settings("{\n  \"model\": \"opus\"\n}\n");
    let plan = plan_connect(&RealDisk, &person.link()).unwrap();
    let diff = plan.diff().replace(person.dir.root().to_str().unwrap(), "~");
    let expect = "\
--- ~/.claude/settings.json
+++ ~/.claude/settings.json
@@ -1,3 +1,17 @@
 {
-  \"model\": \"opus\"
+  \"model\": \"opus\",
+  \"hooks\": {
+    \"SessionStart\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"/bin/sh --home '~/its home' hook SessionStart --agent claude\", \"timeout\": 10 }] }],
+    \"UserPromptSubmit\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"/bin/sh --home '~/its home' hook UserPromptSubmit --agent claude\", \"timeout\": 10 }] }],
";
    assert!(diff.starts_with(expect), "{diff}");
    assert!(
        diff.ends_with(
            "--- /dev/null\n+++ ~/.claude/CLAUDE.md\n@@ -0,0 +1 @@\n+@~/its\\ home/memory/CLAUDE.md (where it says [[topic-x]] or [[entity-x]], \
             open ~/its home/memory/topics/x.md or ~/its home/memory/entities/x.md when that rule applies)\n"
        ),
        "{diff}"
    );
}

#[test]
fn a_persons_edits_in_between_stay() {
    let person = Person::with_settings("{\n  \"model\": \"opus\"\n}\n");
    fs::write(person.path(".claude/CLAUDE.md"), "be short").unwrap();
    person.connect();
    assert!(person.memory().unwrap().starts_with("be short\n\n@/"));
    let edited = person
        .settings()
        .unwrap()
        .replace("opus", "haiku")
        .replace("{\n  \"model\"", "{\n  \"env\": {},\n  \"model\"");
    fs::write(person.path(".claude/settings.json"), edited).unwrap();
    fs::write(person.path(".claude/CLAUDE.md"), person.memory().unwrap() + "and kind\n").unwrap();
    person.disconnect();
    assert_eq!(person.settings().unwrap(), "{\n  \"env\": {},\n  \"model\": \"haiku\"\n}\n");
    assert_eq!(person.memory().unwrap(), "be shortand kind\n");
}

#[test]
fn settings_that_were_written_anew_lose_our_entries_and_nothing_else() {
    let theirs =
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}, "model": "opus"}"#;
    for note in ["kept", "lost"] {
        let person = Person::with_settings(theirs);
        person.connect();
        let settings: Value = serde_json::from_str(&person.settings().unwrap()).unwrap();
        fs::write(person.path(".claude/settings.json"), serde_json::to_string_pretty(&settings).unwrap())
            .unwrap();
        if note == "lost" {
            fs::remove_file(person.path("its home/var/connect/claude.json")).unwrap();
        }
        person.disconnect();
        let left: Value = serde_json::from_str(&person.settings().unwrap()).unwrap();
        assert_eq!(left, serde_json::from_str::<Value>(theirs).unwrap(), "{note}");
        assert!(person.memory().is_none_or(|text| text.trim().is_empty()), "{note}");
    }
}

#[test]
fn an_import_that_a_person_wrote_is_not_ours() {
    let person = Person::new();
    let line = format!("@{}/its\\ home/memory/CLAUDE.md\n", person.dir.root().display());
    fs::write(person.path(".claude/CLAUDE.md"), &line).unwrap();
    person.connect();
    assert_eq!(person.memory().as_deref(), Some(line.as_str()));
    person.disconnect();
    assert_eq!(person.memory().as_deref(), Some(line.as_str()));
    assert!(person.disconnect().is_empty());
}

#[test]
fn another_program_takes_the_place_of_the_old_one_and_another_home_stands_beside_it() {
    let person = Person::with_settings("{}\n");
    person.connect();
    let moved = Link { binary: "/usr/bin/env".into(), ..person.link() };
    apply(&RealDisk, &moved, &plan_connect(&RealDisk, &moved).unwrap()).unwrap();
    let settings = person.settings().unwrap();
    assert_eq!((commands(&settings), settings.contains("/bin/sh --home")), (12, false), "{settings}");
    let other = Link { home: Home::at(person.path("other")), ..person.link() };
    init(&RealDisk, &other.home).unwrap();
    apply(&RealDisk, &other, &plan_connect(&RealDisk, &other).unwrap()).unwrap();
    assert_eq!(commands(&person.settings().unwrap()), 24);
    apply(&RealDisk, &other, &plan_disconnect(&RealDisk, &other).unwrap()).unwrap();
    assert_eq!(person.settings().unwrap(), settings);
    person.disconnect();
    assert_eq!(person.settings().unwrap(), "{}\n");
}

#[track_caller]
fn check_refused(settings: &str, expect: &str) {
    let person = Person::with_settings(settings);
    let error = plan_connect(&RealDisk, &person.link()).unwrap_err();
    assert!(error.is_refused_input());
    assert!(error.to_string().contains(expect), "{error}");
    assert_eq!(person.settings().as_deref(), Some(settings));
}

#[test]
fn settings_that_cannot_be_understood_are_refused_with_their_place() {
    check_refused(
        "{\n  \"model\": opus\n}",
        "settings.json:2:12: a value is expected here\nnothing was changed",
    );
    check_refused("[]", "settings.json:1:1: the settings must be an object");
    check_refused("{\"hooks\": []}", "settings.json:1:11: `hooks` must be an object");
    check_refused("{\n  \"hooks\": {\"Stop\": {}}}", "settings.json:2:21: `hooks.Stop` must be a list");
}

#[test]
fn links_are_followed_and_modes_kept() {
    let person = Person::new();
    let real = person.path("dotfiles.json");
    fs::write(&real, "{}\n").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o644)).unwrap();
    symlink(&real, person.path(".claude/settings.json")).unwrap();
    person.connect();
    assert!(fs::symlink_metadata(person.path(".claude/settings.json")).unwrap().is_symlink());
    assert_eq!(commands(&fs::read_to_string(&real).unwrap()), 12);
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o644);
    person.disconnect();
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");
    fs::remove_file(&real).unwrap();
    assert!(matches!(
        plan_connect(&RealDisk, &person.link()),
        Err(ConnectError::Read(ReadError::BrokenLink { .. }))
    ));
}

#[test]
fn a_read_only_file_and_one_that_changed_meanwhile_are_left_alone() {
    let person = Person::with_settings("{}\n");
    let path = person.path(".claude/settings.json");
    let plan = plan_connect(&RealDisk, &person.link()).unwrap();
    fs::write(&path, "{\"model\": \"opus\"}\n").unwrap();
    let error = apply(&RealDisk, &person.link(), &plan).unwrap_err();
    assert!(error.is_refused_input() && error.to_string().contains("changed by somebody else"), "{error}");
    assert_eq!(person.settings().unwrap(), "{\"model\": \"opus\"}\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(plan_connect(&RealDisk, &person.link()), Err(ConnectError::ReadOnly(_))));
}

#[test]
fn codex_gets_hooks_of_which_the_first_hands_over_the_broadcast() {
    let person = Person { agent: &CODEX, ..Person::new() };
    person.connect();
    let settings = person.settings().unwrap();
    assert_eq!(commands(&settings), 6);
    assert!(settings.contains("hook SessionStart --agent codex --inject"), "{settings}");
    assert!(is_connected(&RealDisk, &person.link().home, &CODEX));
    assert!(!is_connected(&RealDisk, &person.link().home, &CLAUDE));
    person.disconnect();
    assert_eq!(person.settings(), None);
    assert!(!is_connected(&RealDisk, &person.link().home, &CODEX));
}

#[test]
fn the_doctor_says_whether_it_works() {
    let person = Person::new();
    let shown = person.path(".claude/settings.json").display().to_string();
    assert_eq!(
        person.says(),
        [format!("Ok: not connected; `subcortex connect claude` adds hooks to {shown}")]
    );
    person.connect();
    assert_eq!(person.says(), [format!("Ok: 12 hooks in {shown}; not heard of yet today")]);
    let whole = person.settings().unwrap();
    let stop = whole.lines().find(|line| line.contains("\"Stop\"")).unwrap();
    fs::write(&shown, whole.replace(&format!("{stop}\n"), "")).unwrap();
    assert_eq!(person.says(), ["Warning: these hooks are missing: Stop"]);
    fs::write(&shown, whole.replace("/bin/sh", "/nowhere/sh")).unwrap();
    assert_eq!(person.says(), ["Problem: the hooks call /nowhere/sh, which is not there"]);
    fs::write(&shown, whole.replacen('{', "{\n  \"disableAllHooks\": true,", 1)).unwrap();
    assert!(person.says()[0].starts_with("Warning: disableAllHooks is set"));
    fs::write(&shown, "{").unwrap();
    assert!(person.says()[0].starts_with("Problem: "), "{:?}", person.says());
    fs::write(&shown, "{}").unwrap();
    assert!(person.says()[0].starts_with("Warning: the hooks are gone"));
    fs::write(&shown, &whole).unwrap();
    fs::write(person.path(".claude/CLAUDE.md"), "").unwrap();
    assert!(person.says()[0].ends_with("CLAUDE.md does not import the broadcast"));
    let log = "2026-03-01T09:59:00.000Z WARN  hook failed  event=Stop error=x\n";
    fs::write(person.path("its home/var/log/hooks.log"), log).unwrap();
    assert!(person.says()[1].starts_with("Warning: a hook failed today: 2026-03-01T09:59"));
}

/// White space and comments that may stand between the parts of a value.
fn trivia() -> impl Strategy<Value = String> {
    let parts = ["", "", " ", "\n", "\n  ", "\t", "\r\n", " /* c */ ", " // c\n", "\n  // \"hooks\": {\n"];
    prop::sample::select(parts.to_vec()).prop_map(str::to_owned)
}

/// A value in some layout.
fn value() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["1", "true", "null", "\"a // b\"", "\"hooks\"", "[]", "{}"]);
    leaf.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        let item = (trivia(), inner, trivia())
            .prop_map(|(before, value, after)| format!("{before}{value}{after}"))
            .boxed();
        let list = (prop::collection::vec(item.clone(), 0..3), any::<bool>(), trivia());
        let list = list.prop_map(|(items, comma, end)| container('[', &items, comma, &end, ']'));
        let key = prop::sample::select(vec!["a", "Stop", "PreToolUse", "x y"]);
        let member = (trivia(), key, trivia(), item)
            .prop_map(|(before, key, behind, value)| format!("{before}\"{key}\"{behind}:{value}"));
        let object = (prop::collection::vec(member, 0..3), any::<bool>(), trivia());
        prop_oneof![list, object.prop_map(|(items, comma, end)| container('{', &items, comma, &end, '}'))]
    })
}

fn container(open: char, items: &[String], trailing_comma: bool, end: &str, close: char) -> String {
    let comma = if trailing_comma && !items.is_empty() { "," } else { "" };
    format!("{open}{}{comma}{end}{close}", items.join(","))
}

/// Settings in some layout, with hooks or without.
fn any_settings() -> impl Strategy<Value = String> {
    let group =
        (trivia(), trivia()).prop_map(|(a, b)| format!("{a}{{ \"matcher\": \"x\", \"hooks\": [{b}] }}"));
    let event = (
        trivia(),
        prop::sample::select(vec!["Stop", "PreToolUse", "Other"]),
        prop::collection::vec(group, 0..3),
        any::<bool>(),
        trivia(),
    );
    let event = event.prop_map(|(before, name, groups, comma, end)| {
        format!("{before}\"{name}\": {}", container('[', &groups, comma, &end, ']'))
    });
    let hooks = (prop::collection::vec(event, 0..3), any::<bool>(), trivia());
    let hooks = hooks
        .prop_map(|(events, comma, end)| format!("\"hooks\": {}", container('{', &events, comma, &end, '}')));
    let member = (trivia(), prop::sample::select(vec!["model", "env"]), value())
        .prop_map(|(before, key, value)| format!("{before}\"{key}\": {value}"));
    let members =
        (prop::collection::vec(member, 0..3), prop::option::of(hooks), any::<bool>(), trivia(), trivia());
    members.prop_map(|(mut members, hooks, comma, end, behind)| {
        members.extend(hooks);
        format!("{}{behind}", container('{', &members, comma, &end, '}'))
    })
}

fn write_and_read(path: &Path, person: &Person, settings: &str) -> (String, String) {
    fs::write(path, settings).unwrap();
    person.connect();
    let connected = person.settings().unwrap();
    assert!(plan_connect(&RealDisk, &person.link()).unwrap().is_empty());
    person.disconnect();
    (connected, person.settings().unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn any_settings_come_back_byte_for_byte(settings in any_settings()) {
        let person = Person::new();
        let path = person.path(".claude/settings.json");
        let (connected, restored) = write_and_read(&path, &person, &settings);
        prop_assert_eq!(&restored, &settings, "after\n{}", connected);
    }

    #[test]
    fn without_the_note_only_our_entries_go(settings in any_settings()) {
        let person = Person::new();
        let path = person.path(".claude/settings.json");
        fs::write(&path, &settings).unwrap();
        person.connect();
        fs::remove_file(person.path("its home/var/connect/claude.json")).unwrap();
        person.disconnect();
        let left = person.settings().unwrap();
        prop_assert!(!left.contains("--agent claude"), "{}", left);
        // It is still understood, and can be connected again.
        person.connect();
        prop_assert_eq!(settings.matches("\"matcher\"").count(), left.matches("\"matcher\"").count());
    }
}
