//! `doctor` on homes that are broken in every way we know.

use crate::support::{ReadOnly, TestHome};

#[track_caller]
fn check(break_it: impl FnOnce(&TestHome), code: i32, expect: &str) {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- a rule\n");
    break_it(&home);
    let said = home.run(&["doctor"]);
    assert_eq!(said.code, code, "{said:?}");
    let shown = home.plain(&said.out);
    assert!(shown.contains(expect), "expected\n{expect}\nin\n{shown}");
}

#[test]
fn a_home_that_is_not_there() {
    let home = TestHome::bare();
    let said = home.run(&["doctor"]);
    assert_eq!(said.code, 1);
    assert_eq!(
        home.plain(&said.out),
        "PROBLEM  home         HOME does not exist\n                     \
         → make it with `subcortex init`, or point to another with --home DIR or $SUBCORTEX_HOME\n\n1 problem to fix.\n"
    );
}

#[test]
fn what_of_the_memory_cannot_be_read_is_named_and_nothing_is_said_to_be_forgotten_for_good() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- a rule\n");
    let event = home.says("s1", "please fix the parser");
    assert_eq!(home.run(&["rule", "add", "Run `make lint` before every commit."]).code, 0);
    assert!(home.run(&["doctor"]).out.contains("It works"));
    let journal = std::fs::read(home.path("memory/journal.jsonl")).unwrap();
    home.write("memory/journal.jsonl", [b"{\xff\n", journal.as_slice()].concat());
    std::fs::create_dir_all(home.path("memory/fragments/2026-03-02")).unwrap();
    home.write("memory/fragments/2026-03-02/broken.md", b"---\norigin: \xff\n");
    let doctor = home.run(&["doctor"]);
    assert!(
        doctor.out.contains("memory/journal.jsonl:1:") && doctor.out.contains("and 1 more"),
        "{doctor:?}"
    );
    let forget = home.run(&["forget", "--origin", &event]);
    assert_eq!(forget.code, 1, "{forget:?}");
    assert!(forget.err.contains("something of it may be left: 2 pieces"), "{forget:?}");
    assert!(forget.err.contains("memory/fragments/2026-03-02/broken.md"), "{forget:?}");
}

#[test]
fn a_check_that_a_person_corrected_and_that_is_broken_is_named() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- Always run `make lint` before you commit.\n");
    home.says("s1", "please fix the parser");
    home.run(&["tick", "--partition", "memory-weaver"]);
    let found = std::fs::read_dir(home.path("memory/checks")).unwrap().flatten().next().unwrap();
    let name = found.file_name().into_string().unwrap();
    home.write(&format!("memory/checks/{name}"), "by: person\ntestable: tr");
    let said = home.run(&["doctor"]);
    assert!(said.out.contains(&format!("memory/checks/{name} is not used")), "{said:?}");
}

#[test]
fn each_way_a_home_can_be_broken_is_named_with_what_to_do() {
    check(|_| {}, 0, "It works, with 1 warning.");
    check(
        |home| std::fs::remove_dir_all(home.path("var/events")).unwrap(),
        1,
        "PROBLEM  folders      missing: var/events\n                     → `subcortex init` makes them",
    );
    check(
        |home| {
            std::fs::remove_dir_all(home.path("var/log")).unwrap();
            home.write("var/log", "");
        },
        1,
        "PROBLEM  folders      var/log is not a folder",
    );
    check(|home| home.write("config/subcortex.yaml", "log:\n  lvel: info\n"), 1, "config/subcortex.yaml:2:3");
    check(
        |home| {
            use std::os::unix::fs::PermissionsExt;
            let open = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(home.path("var/events"), open).unwrap();
        },
        0,
        "warning  permissions  one entry readable by others: var/events\n                     → close them with `chmod -R go= HOME/var`",
    );
    check(
        |home| home.write("PAUSED", ""),
        0,
        "warning  kill switch  the file PAUSED is there, so nothing runs",
    );
    check(
        |home| std::fs::create_dir(home.path("var/events/2026-01-01.jsonl")).unwrap(),
        1,
        "PROBLEM  event log    var/events/2026-01-01.jsonl is a directory where a day file belongs",
    );
    check(
        |home| home.write("var/events/2038-01-19.jsonl", ""),
        0,
        "warning  event log    the newest day, 2038-01-19, lies in the future",
    );
    check(|home| home.write("var/events/2026-01-01.jsonl", "{\"id\":"), 0, "ends in the middle of a record");
    check(|home| home.write("var/quarantine/x", ""), 0, "warning  quarantine   1 damaged piece was cut off");
    check(
        |home| home.write("memory/priority.md", "first"),
        1,
        "make `@priority.md` the first line of memory/CLAUDE.md",
    );
    check(|home| home.write("memory/CLAUDE.md", "- rule\n".repeat(300)), 0, "memory/CLAUDE.md has 300 lines");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let closed = |home: &TestHome, folder: &str| {
        std::fs::set_permissions(home.path(folder), std::fs::Permissions::from_mode(0o500)).unwrap();
    };
    for (folder, what_follows) in [
        ("memory", "nothing can be learned"),
        ("memory/state", "nothing can be learned"),
        ("var/events", "what happens cannot be kept, and the daemon cannot run"),
        ("var/runs", "what happens cannot be kept, and the daemon cannot run"),
        ("subconscious/inbox", "tasks can be neither handed over nor finished there"),
        ("subconscious/worker/inbox", "tasks can be neither handed over nor finished there"),
    ] {
        let break_it = |home: &TestHome| {
            crate::partitions::script(home, "worker", "cooldown_ticks: 0", "echo NO-OP: x");
            closed(home, folder);
        };
        let lines = format!(
            "{folder}/ is not writable (mode 0500); {what_follows}\n                     \
             → make it writable with `chmod u+w HOME/{folder}`"
        );
        check(break_it, 1, &lines);
    }
}

#[test]
fn a_folder_on_a_read_only_mount_is_named() {
    for folder in ["memory", "subconscious", "var"] {
        let home = TestHome::new();
        let path = home.path(folder).canonicalize().unwrap();
        let Some(_mounted) = ReadOnly::over("doctor on a read-only mount", &path) else { return };
        let said = home.run(&["doctor"]);
        assert_eq!(said.code, 1, "{said:?}");
        let expect = format!("{folder}/");
        let lines: Vec<&str> = said.out.lines().filter(|line| line.contains("not writable")).collect();
        assert!(lines.iter().any(|line| line.contains(&expect)), "{folder}: {said:?}");
        assert!(said.out.contains("mounted read-only: remount it for writing"), "{folder}: {said:?}");
    }
}

#[test]
fn json_says_the_same() {
    let home = TestHome::new();
    let findings = home.json(&["doctor", "--json"]);
    assert!(findings.as_array().unwrap().iter().any(|finding| finding["about"] == "broadcast"));
}

#[test]
fn what_has_several_lines_is_shown_in_several() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- Never push to `main`.\n");
    let hash = home.json(&["check", "L1", "--json"])[0]["hash"].as_str().unwrap().to_owned();
    std::fs::create_dir_all(home.path("memory/checks")).unwrap();
    home.write(&format!("memory/checks/{hash}.yaml"), "by: person\nchek:\n  testable: true\n");
    let said = home.run(&["doctor"]).out;
    assert!(said.contains("\n                       hint: ") && !said.contains("\\n"), "{said}");
}
