//! `rule`, `review`, `revert --change`: what people decide about the memory by hand, with and without a daemon.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::partitions::script;
use crate::support::{TestHome, binary};

const RULES: &str = "# Rules\n- Use npm, not pnpm.\n- Never push to `main`.\n";

fn home() -> TestHome {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", RULES);
    home
}

fn memory(home: &TestHome) -> String {
    std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap()
}

fn tick(home: &TestHome) -> Value {
    home.json(&["tick", "--partition", "memory-weaver", "--json"])["runs"][0].clone()
}

/// Adds, changes and removes rules, and goes all the way back.
fn there_and_back(home: &TestHome) {
    let project = home.path("..").canonicalize().unwrap();
    let project = project.to_str().unwrap();
    let added = home.json(&["rule", "add", "Be kind.", "--json"]);
    assert_eq!(added["edit"]["cause"], "person", "{added}");
    let said = home.run(&["rule", "add", "Run `make lint` before you push.", "--project", project]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("+ L8    - Run `make lint` before you push.\n"), "{}", said.out);
    assert!(said.out.contains("undo: subcortex revert edit_"), "{}", said.out);
    let changed = home.run(&["rule", "edit", "L2", "Use pnpm, not npm."]);
    assert!(
        changed.out.contains("- L2    - Use npm, not pnpm.\n    + L2    - Use pnpm, not npm."),
        "{changed:?}"
    );
    assert_eq!(home.run(&["rule", "remove", "L3"]).code, 0);
    let expect = format!(
        "# Rules\n- Use pnpm, not npm.\n- Be kind.\n\n## Project: {project}\n\n- Run `make lint` before you push.\n"
    );
    assert_eq!(memory(home), expect);
    let listed = home.json(&["rule", "list", "--json"]);
    let lines: Vec<(&Value, &Value)> =
        listed.as_array().unwrap().iter().map(|rule| (&rule["line"], &rule["project"])).collect();
    let (null, here) = (Value::Null, json!(project));
    assert_eq!(lines, [(&json!(2), &null), (&json!(3), &null), (&json!(7), &here)]);
    let elsewhere = home.json(&["rule", "list", "--project", "/", "--json"]);
    assert_eq!(elsewhere.as_array().unwrap().len(), 2, "only what holds everywhere");
    // Nobody is told of what they wrote themselves.
    assert!(!home.run(&["status"]).out.contains("not seen"), "{:?}", home.run(&["status"]));
    let history = home.json(&["history", "--json"]);
    for edit in history.as_array().unwrap().iter().rev() {
        let said = home.run(&["revert", edit["id"].as_str().unwrap()]);
        assert_eq!(said.code, 0, "{said:?}");
    }
    assert_eq!(memory(home), RULES);
}

#[test]
fn rules_by_hand_are_edits_that_go_back_without_a_daemon() {
    there_and_back(&home());
}

#[test]
fn rules_by_hand_go_through_the_running_daemon() {
    let home = home();
    let daemon = home.daemon();
    there_and_back(&home);
    drop(daemon);
}

#[test]
fn a_rule_by_hand_never_overwrites_what_somebody_saves_at_the_same_moment() {
    let home = home();
    let file = home.path("memory/CLAUDE.md");
    let saver = std::thread::spawn(move || {
        for n in 0..10 {
            let mut open = std::fs::File::options().append(true).open(&file).unwrap();
            open.write_all(format!("- Saved by hand {n}.\n").as_bytes()).unwrap();
            drop(open);
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    });
    // A command that meets the other one says so, and changes nothing.
    let made: Vec<usize> = (0..6)
        .filter(|n| home.run(&["rule", "add", &format!("Written with a command, number {n}.")]).code == 0)
        .collect();
    saver.join().unwrap();
    let edits = home.json(&["history", "--json"]);
    assert_eq!(edits.as_array().unwrap().len(), made.len(), "{edits}");
    let now = memory(&home);
    let saved = (0..10).map(|n| format!("- Saved by hand {n}.\n"));
    let written = made.iter().map(|n| format!("- Written with a command, number {n}.\n"));
    for line in saved.chain(written) {
        assert!(now.contains(&line), "{line} is lost:\n{now}");
    }
}

/// An editor that keeps a backup has the broadcast away for longer than anybody waits.
#[test]
fn a_rule_by_hand_begins_no_new_file_while_an_editor_has_it_away() {
    for was_noted in [true, false] {
        let home = home();
        if was_noted {
            assert_eq!(home.run(&["rule", "add", "Keep it short."]).code, 0);
        } else {
            assert!(!home.path("memory/state/broadcast.json").exists());
        }
        let (file, backup) = (home.path("memory/CLAUDE.md"), home.path("memory/CLAUDE.md~"));
        std::fs::rename(&file, &backup).unwrap();
        // Whoever looks for a line waits like whoever adds one.
        let wish = if was_noted { &["remove", "L2"][..] } else { &["add", "Say why."] };
        for wish in [wish, &["list"]] {
            let said = home.run(&[&["rule"], wish].concat());
            assert!(said.code != 0 && !said.out.contains("no rules yet"), "{wish:?}: {said:?}");
            assert!(said.err.contains("Nothing was changed"), "{wish:?}: {said:?}");
            assert!(!file.exists(), "{wish:?}");
        }
        std::fs::rename(&backup, &file).unwrap();
        assert_eq!(memory(&home).lines().next(), Some("# Rules"));
    }
}

#[test]
fn a_rule_that_is_edited_waits_for_an_editor_that_saves() {
    let home = home();
    assert_eq!(home.run(&["rule", "add", "Keep it short."]).code, 0);
    let (file, backup) = (home.path("memory/CLAUDE.md"), home.path("memory/CLAUDE.md~"));
    std::fs::rename(&file, &backup).unwrap();
    let saver = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(1));
        std::fs::rename(&backup, &file).unwrap();
    });
    let said = home.run(&["rule", "edit", "L2", "Say why."]);
    saver.join().unwrap();
    assert_eq!(said.code, 0, "{said:?}");
    assert!(memory(&home).starts_with("# Rules\n- Say why.\n"), "{}", memory(&home));
}

#[test]
fn one_change_of_an_edit_is_taken_back_by_a_short_name() {
    let home = home();
    home.says("s1", "From now on always use pnpm, not npm.");
    home.says("s1", "From now on always write commit messages with a ticket number.");
    home.says("s1", "ok");
    tick(&home);
    let text = memory(&home);
    assert!(text.contains("pnpm, not npm") && text.contains("ticket number"), "{text}");
    let history = home.json(&["history", "--json"]);
    let id = history[0]["id"].as_str().unwrap();
    let changes = history[0]["changes"].as_array().unwrap();
    let number = 1 + changes.iter().position(|change| change["kind"] == "add").unwrap();
    let shown = home.run(&["history"]).out;
    assert!(shown.contains("change 1") && shown.contains("--change N"), "{shown}");
    assert!(!shown.contains(id), "names are short: {shown}");
    let short = shown.lines().find_map(|line| line.split("subcortex revert ").nth(1)).unwrap();
    let short = short.split([',', ' ']).next().unwrap();
    let said = home.run(&["revert", short, "--change", &number.to_string()]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.starts_with(&format!("taken back: change {number} of {short}\n")), "{}", said.out);
    assert!(memory(&home).contains("pnpm, not npm") && !memory(&home).contains("ticket number"));
    let shown = home.run(&["history"]).out;
    assert!(shown.contains(&format!("change {number}  (taken back)")), "{shown}");
}

#[test]
fn a_wish_that_was_rejected_does_not_come_back_in_other_words_or_with_another_import() {
    let home = home();
    home.write("config/subcortex.yaml", "broadcast:\n  mode: propose\n");
    home.says("s1", "From now on, always use pnpm instead of npm.");
    home.says("s1", "ok");
    tick(&home);
    let waiting = home.json(&["review", "--json"]);
    let id = waiting[0]["id"].as_str().unwrap_or_else(|| panic!("{waiting}"));
    assert!(home.run(&["status"]).out.contains("subcortex review"), "{}", home.run(&["status"]).out);
    let said = home.run(&["review", "reject", &id[..12]]);
    assert_eq!((said.code, said.out.contains("does not come back")), (0, true), "{said:?}");
    // The same in other words, from a session that is imported later.
    let folder = home.path("../sessions/project");
    std::fs::create_dir_all(&folder).unwrap();
    let record = |uuid: &str, text: &str| {
        json!({"type": "user", "uuid": uuid, "sessionId": "s2", "timestamp": "2026-03-01T10:00:00.000Z",
            "isSidechain": false, "userType": "external", "promptSource": "typed", "message": {"role": "user", "content": text}})
    };
    let wish = record("u1", "From now on, always use pnpm, never npm.");
    std::fs::write(folder.join("s2.jsonl"), format!("{wish}\n{}\n", record("u2", "thanks"))).unwrap();
    let sessions = folder.parent().unwrap().to_str().unwrap();
    assert_eq!(home.json(&["import", "claude", sessions, "--json"])["events"], 2);
    tick(&home);
    assert_eq!(home.json(&["review", "--json"]), json!([]));
    assert_eq!(memory(&home), RULES);
}

#[test]
fn a_proposal_is_accepted_in_other_words() {
    let home = home();
    home.write("config/subcortex.yaml", "broadcast:\n  mode: propose\n");
    home.says("s1", "Please always run `cargo nextest run` before you commit.");
    home.says("s1", "ok");
    tick(&home);
    let shown = home.run(&["review"]).out;
    for part in [
        "1 of 1",
        "+ ",
        "you said",
        "Please always run",
        "accept:  subcortex review accept prop_",
        "reword:",
        "reject:",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let id = shown.split("review accept ").nth(1).unwrap().split_whitespace().next().unwrap();
    let said = home.run(&["review", "accept", id, "--words", "Run `cargo nextest run` before each commit."]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(memory(&home).contains("- Run `cargo nextest run` before each commit.\n"), "{}", memory(&home));
}

#[test]
fn sessions_of_one_project_or_of_every_agent_are_imported() {
    let home = home();
    let user = home.path("../user");
    let record = |session: &str, cwd: &str| {
        let record = json!({"type": "user", "uuid": format!("u-{session}"), "sessionId": session,
            "timestamp": "2026-03-01T10:00:00.000Z", "cwd": cwd, "isSidechain": false, "userType": "external", "promptSource": "typed",
            "message": {"role": "user", "content": "hello"}});
        format!("{record}\n")
    };
    let project = home.path("../web");
    std::fs::create_dir_all(&project).unwrap();
    let project = project.canonicalize().unwrap();
    let cwd = project.to_str().unwrap();
    for (folder, session, cwd) in
        [("a", "ours", cwd), ("b", "other", "/elsewhere"), ("c", "beside", &format!("{cwd}-two"))]
    {
        let folder = user.join(".claude/projects").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{session}.jsonl")), record(session, cwd)).unwrap();
    }
    let codex = user.join(".codex/sessions/2026/03/02");
    std::fs::create_dir_all(&codex).unwrap();
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-03-02T10:00:01.000Z", "type": kind, "payload": payload});
    let meta = line(
        "session_meta",
        json!({"id": "cx", "cwd": "/elsewhere", "originator": "codex_cli_rs", "source": "cli"}),
    );
    let said = line("event_msg", json!({"type": "user_message", "message": "hi"}));
    std::fs::write(codex.join("rollout-cx.jsonl"), format!("{meta}\n{said}\n")).unwrap();
    let import = |args: &[&str]| {
        let output = home.command(args).env("HOME", &user).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let ours: Value =
        serde_json::from_str(&import(&["import", "claude", "--project", cwd, "--json"])).unwrap();
    assert_eq!(
        ours,
        json!({"files": 1, "records": 1, "events": 1, "skipped": {"other_project": 2}, "duplicates": 0})
    );
    let all = import(&["import", "auto"]);
    for part in ["Claude Code: 3 files", "Codex", "together: 4 files", "1 that were there already"] {
        assert!(all.contains(part), "{part}: {all}");
    }
}

/// What a program of a run does may be what a page told it to. That it leaves its environment behind makes it no person.
#[test]
fn a_run_without_its_environment_decides_nothing_by_socket_or_page() {
    let home = home();
    let program = format!("env -i PATH=/usr/bin:/bin {} --home {}", binary(), home.path("").display());
    let knock = "token=${link#*/#}; port=${link%%/#*}; port=${port##*:}\n\
        exec 3<>/dev/tcp/127.0.0.1/$port\n\
        printf \"GET /api/v1/now HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nAuthorization: Bearer $token\\r\\n\\r\\n\" >&3\n\
        head -n 1 <&3 >> out.txt";
    home.write("knock.sh", knock);
    let knock = home.path("knock.sh");
    let work = format!(
        "cat > /dev/null\n{program} rule add 'Be evil.' >> out.txt 2>&1\n\
         (setsid {program} rule remove L2 >> out.txt 2>&1) \n\
         {program} open --print >> out.txt 2>&1\n\
         link=$(cat ../../link.txt)\nexport link\nbash {}\n\
         {program} status > /dev/null && echo 'status is for everybody' >> out.txt\n\
         echo 'UPDATED: done'",
        knock.display()
    );
    script(&home, "hijacked", "max_duration_ms: 60000", &work);
    let daemon = home.daemon();
    // Whoever runs as the person can read the token.
    home.write("link.txt", home.run(&["open", "--print"]).out);
    home.write("task.md", "go");
    let said = home.run(&["drop", "hijacked", home.path("task.md").to_str().unwrap(), "--wait"]);
    assert_eq!(said.code, 0, "{said:?}");
    let told = std::fs::read_to_string(home.path("subconscious/hijacked/out.txt")).unwrap();
    assert_eq!(told.matches("only a person").count(), 2, "{told}");
    assert!(told.contains("the page is for people"), "{told}");
    assert!(told.contains("HTTP/1.1 403"), "{told}");
    assert!(told.contains("status is for everybody"), "{told}");
    assert_eq!(memory(&home), RULES);
    // The person's own call is let through meanwhile.
    assert_eq!(home.run(&["rule", "add", "Be kind."]).code, 0);
    drop(daemon);
}
