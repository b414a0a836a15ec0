//! `import`: old sessions become events, once.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::TestHome;

/// A folder beside the home with one session of two records and a broken line.
fn session(home: &TestHome) -> PathBuf {
    let folder = home.path("../sessions/project");
    std::fs::create_dir_all(&folder).unwrap();
    let record = |kind: &str, uuid: &str, message: Value| {
        json!({"type": kind, "uuid": uuid, "sessionId": "s1", "timestamp": "2026-03-01T10:00:00.000Z",
            "cwd": "/home/someone/project", "isSidechain": false, "userType": "external", "promptSource": "typed", "message": message})
    };
    let asked = record("user", "u1", json!({"role": "user", "content": "use tabs"}));
    let told = record("assistant", "u2", json!({"id": "m", "content": [{"type": "text", "text": "done"}]}));
    std::fs::write(folder.join("s1.jsonl"), format!("{asked}\nnot json\n{told}\n")).unwrap();
    folder.parent().unwrap().to_owned()
}

#[test]
fn sessions_are_on_the_spine_once_however_often_they_are_imported() {
    let home = TestHome::new();
    let folder = session(&home);
    let args = ["import", "claude", folder.to_str().unwrap(), "--json"];
    let first = json!({"files": 1, "records": 3, "events": 2, "skipped": {"broken": 1}, "duplicates": 0});
    assert_eq!(home.json(&args), first);
    let again = json!({"files": 1, "records": 3, "events": 0, "skipped": {"broken": 1}, "duplicates": 2});
    assert_eq!(home.json(&args), again);
    assert_eq!(home.run(&["spine", "cat", "--kind", "claude"]).out.lines().count(), 2);
    assert_eq!(home.run(&["spine", "verify"]).code, 0);
}

#[test]
fn people_get_a_summary_and_no_progress_where_nobody_watches() {
    let home = TestHome::new();
    let folder = session(&home);
    let said = home.run(&["import", "claude", folder.to_str().unwrap(), "/nowhere/at/all"]);
    assert_eq!(said.code, 0);
    assert_eq!(
        said.out,
        "1 file with 3 records: 2 new events\n\
         left out, whole or in part (one record can give several events, so these do not add up to the records):\n         1  broken            lines that are no JSON\n\
         \u{20}        1  file_gone         files or folders that are not there\n\
         next: subcortex tick --partition memory-weaver   reads them now; a running daemon does so by itself\n\
         what you said before this home existed changes no rule; it waits for your yes in: subcortex review (0 now)\n"
    );
    assert_eq!(said.err, "note: /nowhere/at/all: No such file or directory (os error 2)\n");
}

#[test]
fn without_a_path_the_agents_own_folder_is_read() {
    let home = TestHome::new();
    let folder = session(&home);
    let user = home.path("../user");
    std::fs::create_dir_all(user.join(".claude")).unwrap();
    std::fs::rename(folder, user.join(".claude/projects")).unwrap();
    let output = home.command(&["import", "claude", "--json"]).env("HOME", &user).output().unwrap();
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["events"], 2);
    let output = home.command(&["import", "codex"]).env("HOME", &user).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_cannot_be_imported_is_refused_with_code_2_and_makes_no_home() {
    let home = TestHome::bare();
    for (args, expect) in [
        (&["import", "claude", "/nowhere/at/all"][..], "/nowhere/at/all: No such file"),
        (&["import", "claude", "/dev/null"], "is not a regular file"),
        (&["import", "claude"], "$HOME is not set"),
        (&["import", "clippy", "."], "possible values: auto, claude, codex"),
    ] {
        let said = home.run(args);
        assert_eq!((said.code, &*said.out), (2, ""), "{args:?}: {said:?}");
        assert!(said.err.contains(expect), "{args:?}: {}", said.err);
    }
    assert!(!home.path("").exists());
}
