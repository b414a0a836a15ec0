//! `audit`: somebody's own rules file held against their own sessions, with no home and nothing written but the page.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::Said;

/// A person's home folder with a project, its rules and sessions of both agents.
struct Person {
    dir: tempfile::TempDir,
}

impl Person {
    fn new() -> Self {
        let person = Self { dir: tempfile::tempdir().unwrap() };
        person.write(
            "web/CLAUDE.md",
            "# Web\n\n- Use `pnpm`, not `npm`.\n- Never push to `main`.\n- Be kind.\n",
        );
        let project = person.path("web");
        let cwd = project.to_str().unwrap();
        let folder = cwd.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        person.write(
            &format!(".claude/projects/{folder}/s1.jsonl"),
            session("s1", cwd, "npm install left-pad"),
        );
        person.write(".claude/projects/-elsewhere/s2.jsonl", session("s2", "/elsewhere", "npm install x"));
        person.write(".codex/sessions/2026/03/02/rollout-s3.jsonl", rollout("s3", cwd, "pnpm add x"));
        person
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(below)
    }

    fn write(&self, below: &str, content: impl AsRef<[u8]>) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Runs the command in the project, with nothing but `$HOME` around it.
    fn audit(&self, args: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_subcortex"));
        command.env_clear().env("HOME", self.path("")).current_dir(self.path("web"));
        let output = command.arg("audit").args(args).output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Every file and folder with its content.
    fn everything(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        fn walk(dir: &Path, found: &mut BTreeMap<PathBuf, Option<Vec<u8>>>) {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, found);
                    found.insert(path, None);
                } else {
                    let content = std::fs::read(&path).unwrap();
                    found.insert(path, Some(content));
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(&self.path(""), &mut found);
        found
    }
}

fn session(id: &str, cwd: &str, command: &str) -> String {
    let record = |n: u64, kind: &str, message: Value| {
        json!({"type": kind, "uuid": format!("{id}-{n}"), "sessionId": id, "timestamp": format!("2026-03-01T10:00:0{n}.000Z"),
            "cwd": cwd, "gitBranch": "main", "isSidechain": false, "userType": "external", "message": message})
    };
    let call = json!({"type": "tool_use", "id": format!("toolu_{id}"), "name": "Bash", "input": {"command": command}});
    let answer = json!({"type": "tool_result", "tool_use_id": format!("toolu_{id}"), "content": "ok"});
    let wish = "From now on, always write the release notes in German.";
    [
        record(1, "user", json!({"role": "user", "content": "install it"})),
        record(2, "assistant", json!({"id": "m", "role": "assistant", "content": [call]})),
        record(3, "user", json!({"role": "user", "content": [answer]})),
        record(4, "user", json!({"role": "user", "content": wish})),
    ]
    .map(|record| format!("{record}\n"))
    .concat()
}

fn rollout(id: &str, cwd: &str, command: &str) -> String {
    let line = |n: u64, kind: &str, payload: Value| json!({"timestamp": format!("2026-03-02T10:00:0{n}.000Z"), "type": kind, "payload": payload});
    [
        line(1, "session_meta", json!({"id": id, "cwd": cwd, "originator": "codex_cli_rs", "source": "cli"})),
        line(2, "event_msg", json!({"type": "user_message", "message": "install it"})),
        line(
            3,
            "response_item",
            json!({"type": "function_call", "name": "shell", "call_id": "call_1",
            "arguments": json!({"command": ["bash", "-lc", command]}).to_string()}),
        ),
    ]
    .map(|line| format!("{line}\n"))
    .concat()
}

#[test]
fn a_newcomer_gets_a_table_and_nothing_is_written() {
    let person = Person::new();
    let before = person.everything();
    let said = person.audit(&["CLAUDE.md"]);
    assert_eq!((said.code, &*said.err), (0, ""), "{said:?}");
    assert_eq!(
        said.out,
        "CLAUDE.md, held against 2 sessions (claude, codex), 3 turns, 2026-03-01 to 2026-03-02\n\
         3 rules:  1 missed at times  0 always followed  1 waiting  1 not testable\n\
         \n\
         Judged (1)  worst first, where many misses weigh more than one; with the newest quotes\n\
         L3  █████░░░░░  50%  followed 1  missed 1\n\
         \u{20}   Use `pnpm`, not `npm`.\n\
         \u{20}   missed   2026-03-01 s1  npm install left-pad\n\
         \u{20}   followed 2026-03-02 s3  pnpm add x\n\
         \n\
         Waiting (1)  no occasion yet\n\
         L4  Never push to `main`.\n\
         \n\
         Said, but not written down  no rule covers it\n\
         \u{20}   2026-03-01 s1  From now on, always write the release notes in German.\n\
         \n\
         Not testable (1)  and how to reword it\n\
         L5  Be kind.\n\
         \u{20}   → name in backticks the command, file or term that shows it, if there is one\n"
    );
    assert_eq!(person.everything(), before);
}

#[test]
fn programs_get_an_object_and_people_a_page_that_replaces_an_older_one_only() {
    let person = Person::new();
    let before = person.everything();
    for _ in 0..2 {
        let said = person.audit(&["CLAUDE.md", "--html", "out.html", "--json"]);
        assert_eq!((said.code, &*said.err), (0, "note: the page is out.html\n"));
        let answer: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(
            (&answer["file"], &answer["sessions"], &answer["turns"]),
            (&json!("CLAUDE.md"), &json!(2), &json!(3))
        );
        let counts = json!({"rules": 3, "contradicted": 0, "missed": 1, "followed": 0, "unclear": 0, "waiting": 1,
            "not_trusted": 0, "not_testable": 1});
        assert_eq!(answer["counts"], counts);
        let wish = "From now on, always write the release notes in German.";
        let said = json!([{"text": wish, "session": "s1", "at": "2026-03-01T10:00:04Z", "times": 1}]);
        assert_eq!(answer["said"], said);
        let rule = &answer["rules"][0];
        assert_eq!((&rule["line"], &rule["text"]), (&json!(3), &json!("- Use `pnpm`, not `npm`.")));
        assert_eq!((&rule["followed"], &rule["missed"], &rule["waiting"]), (&json!(1), &json!(1), &json!(0)));
        assert_eq!(
            (&rule["contradicted"], &rule["unclear"], &rule["state"]),
            (&json!(0), &json!(0), &json!("tested"))
        );
        assert_eq!(rule["quotes"][0]["verdict"], "followed");
        assert_eq!(rule["quotes"].as_array().unwrap().len(), 2);
    }
    let mut after = person.everything();
    let page = after.remove(&person.path("web/out.html")).unwrap().unwrap();
    assert_eq!(after, before, "nothing but the page");
    let page = String::from_utf8(page).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("npm install left-pad"), "{page}");
    let said = person.audit(&["CLAUDE.md", "--html", "CLAUDE.md"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("is not a page of an audit"), "{}", said.err);
    assert_eq!(
        person.everything().get(&person.path("web/CLAUDE.md")),
        before.get(&person.path("web/CLAUDE.md"))
    );
}

#[test]
fn hostile_sessions_and_rules_stay_text() {
    let person = Person::new();
    person.write("web/CLAUDE.md", "- Use `pnpm`, not `npm`. <script>alert(1)</script> \u{1b}[2J\n");
    person.write(
        "t/s.jsonl",
        session("<b>\u{1b}[2J", "/x", "npm i '</blockquote><script>alert(2)</script>' # \u{1b}[31m"),
    );
    let said = person.audit(&["CLAUDE.md", "--transcripts", "../t", "--html", "../out.html"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(!said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'));
    let page = std::fs::read_to_string(person.path("out.html")).unwrap();
    assert!(!page.contains("<script") && !page.contains('\u{1b}') && !page.contains("<b>\\u"));
    assert!(page.contains("&lt;script&gt;alert(2)"));
}

#[test]
fn what_cannot_be_audited_is_said_with_what_to_do() {
    let person = Person::new();
    person.write("lonely/AGENTS.md", "- Use tabs.\n");
    person.write("web/latin.md", b"caf\xe9\n");
    person.write("empty/readme.txt", "");
    for (args, code, expect) in [
        (&["MISSING.md"][..], 2, "No such file"),
        (&["."], 2, "did you mean"),
        (&["latin.md"], 2, "is not UTF-8"),
        (&["../lonely/AGENTS.md"], 1, ".claude/projects"),
        (&["CLAUDE.md", "--since", "1"], 1, "no session is of the last 1 day: there are 2 sessions"),
        (&["CLAUDE.md", "--transcripts", "/nowhere/at/all"], 2, "No such file"),
        (&["CLAUDE.md", "--transcripts", "../empty"], 2, ".jsonl"),
        (&["CLAUDE.md", "--html", "/nowhere/at/all.html"], 2, "no folder"),
        (&["CLAUDE.md", "--since", "0"], 2, "--since"),
        (&[], 2, "<FILE>"),
    ] {
        let said = person.audit(args);
        assert_eq!((said.code, &*said.out), (code, ""), "{args:?}: {said:?}");
        assert!(said.err.contains(expect), "{args:?}: {}", said.err);
    }
}

#[test]
fn empty_rules_and_rules_that_only_take_in_others_are_no_mistake() {
    let person = Person::new();
    person.write("web/EMPTY.md", "");
    let said = person.audit(&["EMPTY.md", "--json"]);
    let answer: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &answer["rules"]), (0, &json!([])));
    person.write("web/AGENTS.md", "- Use `pnpm`, not `npm`.\n");
    person.write("web/CLAUDE.md", "@AGENTS.md\n");
    let said = person.audit(&["CLAUDE.md"]);
    assert!(said.err.contains("only takes in") && said.out.contains("followed 1  missed 1"), "{said:?}");
}

#[test]
fn rules_of_a_folder_are_held_against_the_sessions_of_its_repository() {
    let person = Person::new();
    person.write("web/.git/HEAD", "ref: refs/heads/main\n");
    person.write("web/apps/api/CLAUDE.md", "- Use `pnpm`, not `npm`.\n");
    let said = person.audit(&["apps/api/CLAUDE.md"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("no session was started in the folder of the rules"), "{}", said.err);
    assert!(said.out.contains("followed 1  missed 1"), "{}", said.out);
}
