//! What somebody who is new here stumbles over: a mistyped file, an order that is not obeyed, numbers that do not add up, a test that
//! shows only half of itself.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Said, TestHome, binary};

/// A folder with files, in which commands are typed, and a home of its own below it.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(below)
    }

    fn write(&self, below: &str, content: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Runs a command in the folder, without any program on the path.
    fn run(&self, args: &[&str]) -> Said {
        let mut command = Command::new(binary());
        command.env_clear().env("HOME", self.path("")).env("PATH", self.path("bin"));
        let output = command.current_dir(self.path("")).args(args).output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

#[track_caller]
fn has(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "`{word}` is missing in:\n{said}");
    }
}

fn home(rules: &str) -> TestHome {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", rules);
    home
}

/// A session file in which a person said something and the agent ran something.
fn session(cwd: &str) -> String {
    let record = |kind: &str, uuid: &str, message: Value| {
        json!({"type": kind, "uuid": uuid, "sessionId": "s1", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": cwd,
            "isSidechain": false, "userType": "external", "promptSource": "typed", "message": message})
    };
    let asked = record("user", "u1", json!({"role": "user", "content": "add left-pad"}));
    let used =
        json!({"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "npm install left-pad"}});
    let did = record("assistant", "u2", json!({"id": "m", "role": "assistant", "content": [used]}));
    format!("{asked}\n{did}\n")
}

#[test]
fn an_engine_that_is_not_installed_is_told_as_that() {
    let desk = Desk::new();
    desk.write("web/CLAUDE.md", "- Keep the naming of handlers consistent with their routes.\n");
    desk.write("sessions/s1.jsonl", &session("/web"));
    for engine in ["claude", "codex"] {
        let said = desk.run(&["audit", "web/CLAUDE.md", "--transcripts", "sessions", "--engine", engine]);
        assert_ne!(said.code, 0, "{said:?}");
        assert!(!said.err.contains("there is no engine"), "{said:?}");
        has(
            &said.err,
            &["no directory of PATH", &format!("install `{engine}`"), &format!("agents.{engine}")],
        );
    }
}

#[test]
fn a_mistyped_rules_file_makes_no_home_and_the_next_try_is_the_first() {
    let desk = Desk::new();
    desk.write("web/CLAUDE.md", "- Use pnpm, not npm.\n");
    let said = desk.run(&["init", "--from", "web/CLAUD.md"]);
    assert_eq!(said.code, 2, "{said:?}");
    has(&said.err, &["No such file", "did you mean web/CLAUDE.md?"]);
    assert!(!desk.path(".subcortex").exists());
    let said = desk.run(&["init", "--from", "web"]);
    assert_eq!(said.code, 2, "{said:?}");
    has(&said.err, &["did you mean web/CLAUDE.md?"]);
    let said = desk.run(&["init", "--from", "web/CLAUDE.md"]);
    assert_eq!(said.code, 0, "{said:?}");
    has(&said.out, &["is a new home", "your rules: 1 of", "1. subcortex connect claude"]);
    for args in [["adopt", "web/CLAUDE.m"], ["adopt", "web"]] {
        let said = desk.run(&args);
        assert_eq!(said.code, 2, "{said:?}");
        has(&said.err, &["did you mean web/CLAUDE.md?"]);
    }
    let said = desk.run(&["check", "--file", "web/CLADE.md"]);
    assert_eq!(said.code, 2, "{said:?}");
    has(&said.err, &["did you mean web/CLAUDE.md?"]);
}

#[test]
fn rules_are_counted_as_they_are_listed() {
    let desk = Desk::new();
    let prose = "# How we work\n\nThis is a web shop. It is written in TypeScript.\n\n```sh\nnpm ci\nnpm test\n```\n\n\
                 - Never push to `main`.\n- Run `make lint` before you commit.\n";
    desk.write("prose.md", prose);
    let made = desk.run(&["init", "--from", "prose.md"]);
    assert_eq!(made.code, 0, "{made:?}");
    let listed = desk.run(&["rule", "list", "--json"]).out;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let expect = format!("your rules: {} of", listed.as_array().unwrap().len());
    has(&made.out, &[&expect]);
    desk.write("only-prose.md", "# Title\n\n```sh\nnpm ci\n```\n");
    let said = desk.run(&["adopt", "only-prose.md"]);
    assert_eq!(said.code, 2, "{said:?}");
    has(&said.err, &["holds no rules", "a rule is a line such as"]);
}

#[test]
fn what_an_import_left_out_is_not_said_to_add_up() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["init"]).code, 0);
    desk.write("sessions/s1.jsonl", &format!("{}no json\n", session("/web")));
    let said = desk.run(&["import", "claude", "sessions"]);
    has(&said.out, &["one record can give several events", "lines that are no JSON"]);
}

#[test]
fn a_persons_own_wording_wins_and_only_the_very_same_words_are_refused() {
    let home = home("- Never push to `main`.\n- Be kind.\n- Use tabs.\n");
    let said = home.run(&["rule", "edit", "L2", "Do not ever push to `main`."]);
    assert_eq!(said.code, 0, "{said:?}");
    has(&said.err, &["L1 says much the same", "subcortex rule remove L1"]);
    let said = home.run(&["rule", "edit", "L3", "Never push to `main`."]);
    assert_eq!(said.code, 2, "{said:?}");
    has(&said.err, &["says that already", "`subcortex rule remove L3`"]);
    let said = home.run(&["rule", "add", "Never push to `main`."]);
    assert_eq!(said.code, 2, "{said:?}");
    has(&said.err, &["L1 says that already", "`subcortex rule edit L1", "`subcortex rule remove L1`"]);
}

#[test]
fn a_persons_own_edits_are_seen() {
    let home = home("- Use npm, not pnpm.\n");
    home.says("s1", "From now on always use pnpm, not npm.");
    home.says("s1", "ok");
    home.run(&["tick", "--partition", "memory-weaver"]);
    has(&home.run(&["status"]).out, &["1 edit that you have not seen"]);
    let edits = home.json(&["history", "--json"]);
    let id = edits[0]["id"].as_str().unwrap();
    assert_eq!(home.run(&["revert", id]).code, 0);
    assert_eq!(home.run(&["rule", "add", "Be kind to all."]).code, 0);
    let status = home.run(&["status"]).out;
    assert!(!status.contains("have not seen"), "{status}");
}

#[test]
fn history_calls_a_line_by_the_number_that_it_has_today() {
    let home = home("# Rules\n\n- Use tabs.\n");
    assert_eq!(home.run(&["rule", "add", "Run `make lint` before you commit."]).code, 0);
    let rules = std::fs::read_to_string(home.path("memory/CLAUDE.md")).unwrap();
    home.write("memory/CLAUDE.md", rules.replace("# Rules\n", "# Rules\n\nRead this first.\n\n- Be kind.\n"));
    let listed = home.json(&["rule", "list", "--json"]);
    let line =
        listed.as_array().unwrap().iter().find(|line| line["text"].as_str().unwrap().contains("make lint"));
    let number = line.unwrap()["line"].as_u64().unwrap();
    let history = home.run(&["history"]).out;
    has(&history, &[&format!("+ L{number} ")]);
    assert_eq!(home.run(&["why", &format!("L{number}")]).code, 0);
    assert_eq!(home.run(&["rule", "remove", &format!("L{number}")]).code, 0);
    let history = home.run(&["history"]).out;
    assert!(!history.contains(&format!("+ L{number} ")), "it stands nowhere any more: {history}");
    has(&history, &["Run `make lint` before you commit."]);

    let edit = home.json(&["history", "--json"])[0]["id"].as_str().unwrap().to_owned();
    let why = home.run(&["why", &edit[..17]]);
    assert_eq!(why.code, 0, "{why:?}");
    has(&why.out, &["make lint", "subcortex revert", "you wrote it"]);
    assert_eq!(home.json(&["why", &edit, "--json"])["id"], json!(edit));
    assert_eq!(home.run(&["why", "edit_ffff"]).code, 2);
}

#[test]
fn a_quote_that_is_cut_says_so() {
    let home = home("- Never push to `main`.\n");
    let long = "and then I looked at the whole history of it again ".repeat(6);
    home.says("s1", &format!("Never push to `main`, I told you before, {long}."));
    home.says("s1", "ok");
    home.run(&["tick", "--partition", "memory-weaver"]);
    let pieces = home.json(&["why", "L1", "--json"]);
    let longest = pieces["fragments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|piece| piece["quote"].as_str().unwrap().chars().count())
        .max();
    if longest.is_some_and(|longest| longest > 160) {
        has(&home.run(&["why", "L1"]).out, &["…\""]);
    }
}

#[test]
fn what_is_wanted_of_a_number_of_days_is_said() {
    let desk = Desk::new();
    desk.write("CLAUDE.md", "- Be kind.\n");
    for word in ["abc", "0", "-3"] {
        let said = desk.run(&["audit", "CLAUDE.md", &format!("--since={word}")]);
        assert_eq!(said.code, 2, "{said:?}");
        has(&said.err, &["a number of days, such as `--since 30`"]);
    }
}

#[test]
fn a_file_without_rules_is_told_what_a_rule_is() {
    let desk = Desk::new();
    desk.write("web/CLAUDE.md", "# Only a title\n");
    desk.write("sessions/s1.jsonl", &session("/web"));
    let said = desk.run(&["audit", "web/CLAUDE.md", "--transcripts", "sessions"]);
    assert_eq!(said.code, 0, "{said:?}");
    has(&said.out, &["no rules", "A rule is a line such as"]);
    assert!(!said.out.contains("0 rules"), "{said:?}");
}

#[test]
fn what_is_never_followed_is_not_missed_at_times_and_the_sections_add_up() {
    let desk = Desk::new();
    desk.write("web/CLAUDE.md", "- Use pnpm, not npm.\n- Never push to `main`.\n- Be kind.\n");
    desk.write("sessions/s1.jsonl", &session("/web"));
    let said = desk.run(&["audit", "web/CLAUDE.md", "--transcripts", "sessions"]);
    has(&said.out, &["1 never followed", "Judged (1)", "Waiting (1)", "Not testable (1)"]);
    has(&said.out, &["many misses weigh more"]);
    let counts: Value = serde_json::from_str(
        &desk.run(&["audit", "web/CLAUDE.md", "--transcripts", "sessions", "--json"]).out,
    )
    .unwrap();
    assert_eq!(counts["counts"]["missed"], 1, "{counts}");
}

#[test]
fn connect_says_what_it_changes() {
    let desk = Desk::new();
    let help = desk.run(&["connect", "--help"]).out;
    has(&help, &["settings.json", "CLAUDE.md"]);
    assert!(!help.contains("projects"), "{help}");
    has(&desk.run(&["import", "--help"]).out, &["~/.claude/projects"]);
    assert_eq!(desk.run(&["init"]).code, 0);
    let said = desk.run(&["connect", "claude"]);
    assert_eq!(said.code, 2, "{said:?}");
    has(&said.err, &["`subcortex connect claude --yes`"]);
}

#[test]
fn a_loop_is_told_where_it_was_looked_for_and_whether_anybody_runs_it() {
    let home = TestHome::new();
    let root = home.path("../web");
    std::fs::create_dir_all(root.join(".git")).unwrap();
    let root = root.canonicalize().unwrap();
    let run = |args: &[&str]| {
        let output = home.command(args).current_dir(&root).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    };
    run(&["loop", "scaffold", "look", "--pattern", "daily-scan"]);
    let said = run(&["loop", "check", "nope"]);
    has(&said, &[".loops/nope", "web/nope", "the loops here: look"]);
    let listed = run(&["loop", "list"]);
    has(&listed, &["LOOP", "NEXT", "never ran", "by hand only", "`loops:` in config/subcortex.yaml"]);
    let views: Value = serde_json::from_str(&run(&["loop", "list", "--json"])).unwrap();
    assert_eq!(views[0]["by_itself"], false, "{views}");
    home.write("config/subcortex.yaml", format!("loops: {{ roots: [{}] }}\n", root.display()));
    let listed = run(&["loop", "list"]);
    assert!(!listed.contains("by hand only"), "{listed}");
    has(&run(&["loop", "estimate", "look"]), &["20,000 tokens"]);
}

#[test]
fn a_check_shows_all_of_its_test_and_the_list_ends_with_a_sum() {
    let home = home(
        "# Rules\n\n- Run `make lint` before you\n  commit anything to the repository.\n- Use pnpm, not npm.\n- Be kind.\n- Be nice.\n- Be good.\n",
    );
    let one = home.run(&["check", "L3"]).out;
    has(
        &one,
        &[
            "commit anything to the repository.",
            "holds",
            "when",
            "a commit",
            "expect",
            "`make lint`",
            "before that",
            "otherwise",
        ],
    );
    let two = home.run(&["check", "L5"]).out;
    has(&two, &["never", "`npm`"]);
    let all = home.run(&["check"]).out;
    has(
        &all,
        &[
            "commit anything to the repository.",
            "no test",
            "2 of 5 rules can be tested; 3 have no test",
            "subcortex check L3",
        ],
    );
    let found = home.json(&["check", "--json"]);
    let reword = found[2]["reword"].as_str().unwrap();
    if found[3]["reword"] == found[2]["reword"] {
        let begin: String = reword.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
        assert_eq!(all.matches(&begin).count(), 1, "one hint is told once: {all}");
    }
    assert!(found[0]["unless"].is_array() && found[0]["near"].is_array(), "{found}");
}

#[test]
fn tasks_that_the_memory_posts_about_itself_are_one_line_in_words() {
    let home = home("- Be kind.\n- Be nice.\n- Be good.\n- Never push to `main`.\n");
    home.write("task.md", "Please look at the deploy notes of last week.\n");
    let task = home.path("task.md");
    assert_eq!(home.run(&["drop", "memory-weaver", task.to_str().unwrap()]).code, 0);
    for n in 0..3 {
        let body = format!(
            "[memory:untestable] memory/CLAUDE.md:L{n} cannot be tested: no reason. For your information: nothing.\n"
        );
        home.write(&format!("subconscious/memory-weaver/inbox/check-untestable-{n}.md"), body);
    }
    let said = home.run(&["inbox"]).out;
    has(
        &said,
        &[
            "the memory's own check: 3 lines that cannot be tested",
            "`subcortex check`",
            "task.md",
            "“Please look at the deploy notes",
        ],
    );
    assert!(!said.contains("check-untestable-"), "{said}");
    assert_eq!(home.json(&["inbox", "--json"]).as_array().unwrap().len(), 4);
}

#[test]
fn recall_tells_the_memory_first_and_no_bare_scores() {
    let home = home("## Project: /home/x/web\n\n- Never force push the release branch.\n");
    home.says("s1", "the release branch is broken, push the release branch again, release it");
    let said = home.run(&["recall", "release", "branch"]).out;
    assert!(said.starts_with("rule "), "{said}");
    has(&said, &["in /home/x/web", "turn "]);
    assert!(home.json(&["recall", "release", "--json"])[0]["score"].is_number());
}

#[test]
fn reasons_are_told_in_words_and_with_their_weight_only_when_asked_for() {
    let home = home("- Be kind.\n");
    home.write("config/subcortex.yaml", "broadcast:\n  mode: propose\n");
    home.says("s1", "From now on always write commit messages with a ticket number.");
    home.says("s1", "ok");
    home.run(&["tick", "--partition", "memory-weaver"]);
    let said = home.run(&["review"]).out;
    has(&said, &["speaks for it: "]);
    assert!(!said.contains("(+"), "{said}");
    has(&home.run(&["review", "--verbose"]).out, &["(+"]);
}

#[test]
fn workers_are_listed_in_the_same_order_each_time() {
    let home = TestHome::new();
    let names = |status: &Value| -> Vec<String> {
        status["partitions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let daemon = home.daemon();
    for _ in 0..3 {
        assert!(names(&home.json(&["status", "--json"])).is_sorted());
    }
    drop(daemon);
}
