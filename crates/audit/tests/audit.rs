//! Small sessions of both agents on a real file system, and what the report says of them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Value, json};
use subcortex_audit::{Found, Options, Place, Project, Report, Rules, Standing, Style, audit, page, table};
use subcortex_known_agents::{AGENTS, CLAUDE, CODEX};
use subcortex_store::RealDisk;
use subcortex_testkit::FakeHome;

const RULES: &str = "# Rules\n\n- Use `pnpm`, not `npm`.\n- Never push to `main`.\n- Run `make docs` after changing `docs/**`.\n- Be kind.\n";
const PNPM: usize = 3;
const PUSH: usize = 4;

/// A folder that stands for somebody's home.
struct Scene(FakeHome);

impl Scene {
    fn new() -> Self {
        Self(FakeHome::new())
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path(below)
    }

    fn write(&self, below: &str, content: impl AsRef<[u8]>) {
        self.0.write(below, content);
    }

    /// The report on sessions below a folder.
    fn report(&self, below: &str) -> Report {
        self.report_of(Found::below(&RealDisk, AGENTS, &self.path(below)), None)
    }

    fn report_of(&self, found: Found, since_days: Option<u32>) -> Report {
        let options = Options {
            disk: &RealDisk,
            agents: AGENTS,
            own_dirs: vec![PathBuf::from("/own")],
            since_days,
            // Late enough that no file counts as still being written.
            now: Timestamp::now() + jiff::SignedDuration::from_hours(2),
            threads: 2,
            roles: None,
        };
        audit(Rules::parse(RULES), found, &options, &mut |_| {})
    }
}

/// The counts of one rule: followed, missed, unclear.
fn counts(report: &Report, line: usize) -> (u64, u64, u64) {
    let outcome = report.rules.iter().find(|outcome| outcome.rule.line == line).unwrap();
    (outcome.turns.followed, outcome.turns.missed, outcome.turns.unclear)
}

/// A session of Claude Code, made of prompts (`> words`) and commands of the agent.
struct Claude {
    session: String,
    cwd: String,
    lines: Vec<String>,
}

impl Claude {
    fn new(session: &str, cwd: &str) -> Self {
        Self { session: session.into(), cwd: cwd.into(), lines: Vec::new() }
    }

    fn record(&mut self, kind: &str, message: Value) {
        let n = self.lines.len();
        let record = json!({"type": kind, "uuid": format!("{}-{n}", self.session), "sessionId": self.session,
            "timestamp": format!("2026-03-01T10:{:02}:{:02}.000Z", n / 60, n % 60), "cwd": self.cwd, "gitBranch": "main",
            "isSidechain": false, "userType": "external", "message": message});
        self.lines.push(record.to_string());
    }

    fn says(mut self, words: &str) -> Self {
        self.record("user", json!({"role": "user", "content": words}));
        self
    }

    fn runs(mut self, command: &str) -> Self {
        let id = format!("toolu_{}_{}", self.session, self.lines.len());
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
        self.record("assistant", json!({"id": id, "role": "assistant", "content": [call]}));
        let answer = json!({"type": "tool_result", "tool_use_id": id, "content": "ok", "is_error": false});
        self.record("user", json!({"role": "user", "content": [answer]}));
        self
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// A rollout of Codex in which the agent runs one command.
fn rollout(session: &str, cwd: &str, prompt: &str, command: &str) -> String {
    let line = |second: u64, kind: &str, payload: Value| {
        json!({"timestamp": format!("2026-03-02T10:00:{second:02}.000Z"), "type": kind, "payload": payload})
            .to_string()
    };
    [
        line(
            0,
            "session_meta",
            json!({"id": session, "cwd": cwd, "originator": "codex_cli_rs", "source": "cli"}),
        ),
        line(1, "turn_context", json!({"cwd": cwd, "model": "m"})),
        line(2, "event_msg", json!({"type": "user_message", "message": prompt})),
        line(
            3,
            "response_item",
            json!({"type": "function_call", "name": "shell", "call_id": format!("call_{session}"),
            "arguments": json!({"command": ["bash", "-lc", command]}).to_string()}),
        ),
        line(
            4,
            "response_item",
            json!({"type": "function_call_output", "call_id": format!("call_{session}"), "output": "ok"}),
        ),
        line(5, "event_msg", json!({"type": "agent_message", "message": "done"})),
    ]
    .join("\n")
}

fn two_turns() -> Claude {
    Claude::new("s1", "/p/web")
        .says("install it")
        .runs("npm install left-pad")
        .says("and the other one")
        .runs("pnpm add right-pad")
}

#[test]
fn turns_of_both_agents_are_judged_also_compressed_ones() {
    let scene = Scene::new();
    scene.write("t/one.jsonl", two_turns().text());
    scene.write("t/deep/two.jsonl", rollout("s2", "/p/web", "install", "npm install x"));
    let packed = zstd::encode_all(rollout("s3", "/p/web", "install", "pnpm add x").as_bytes(), 1).unwrap();
    scene.write("t/three.jsonl.zst", packed);
    scene.write("t/notes.txt", "no session");
    let report = scene.report("t");
    assert_eq!(counts(&report, PNPM), (2, 2, 0));
    assert_eq!(report.looked_at.turns, 4);
    assert_eq!(report.looked_at.sessions, [("claude".to_owned(), 1), ("codex".to_owned(), 2)].into());
    assert_eq!(report.summary.files, 3);
    let standings: Vec<Standing> = report.rules.iter().map(|outcome| outcome.standing()).collect();
    assert_eq!(standings, [Standing::Missed, Standing::Waiting, Standing::Waiting, Standing::Untestable]);
    let quotes: Vec<&str> = report.rules[0].quotes.iter().map(|quote| &*quote.quote).collect();
    assert!(quotes.contains(&"npm install left-pad"), "{quotes:?}");
    assert!(report.rules[0].quotes.is_sorted_by(|a, b| a.ts >= b.ts), "newest first");
}

#[test]
fn only_sessions_of_the_project_count_where_they_are_looked_for() {
    let scene = Scene::new();
    let project = scene.path("web");
    std::fs::create_dir_all(&project).unwrap();
    let project = project.canonicalize().unwrap();
    let web = project.to_str().unwrap();
    let folder = |cwd: &str| cwd.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let session = |id: &str, cwd: &str| Claude::new(id, cwd).says("install").runs("npm install x").text();
    let at = |id: &str, cwd: &str| {
        scene.write(&format!("claude/projects/{}/{id}.jsonl", folder(cwd)), session(id, cwd))
    };
    at("a", web);
    at("b", &format!("{web}/apps/api"));
    at("c", &format!("{web}-two"));
    at("d", "/elsewhere");
    scene.write("codex/sessions/2026/03/02/rollout-e.jsonl", rollout("e", web, "install", "npm install x"));
    scene.write(
        "codex/sessions/2026/03/02/rollout-f.jsonl",
        rollout("f", "/elsewhere", "install", "npm install x"),
    );
    let places = [
        Place { agent: &CLAUDE, config_dir: scene.path("claude") },
        Place { agent: &CODEX, config_dir: scene.path("codex") },
    ];
    let of = |project: &Project| scene.report_of(Found::of_project(&RealDisk, &places, project), None);
    let ours = of(&Project::of(&RealDisk, &project.join("CLAUDE.md"), &[]));
    assert_eq!(ours.looked_at.sessions, [("claude".to_owned(), 2), ("codex".to_owned(), 1)].into());
    assert_eq!(counts(&ours, PNPM), (0, 3, 0));
    assert_eq!(ours.summary.files, 3);
    assert_eq!(of(&Project::Everywhere).sessions(), 6);
}

#[test]
fn a_session_that_was_copied_counts_once() {
    let scene = Scene::new();
    let session = two_turns();
    scene.write("t/one.jsonl", session.text());
    scene.write("t/copy.jsonl", session.text());
    let resumed = session.text().replace(r#""sessionId":"s1""#, r#""sessionId":"s9""#);
    let more = Claude::new("s9", "/p/web").says("go on").runs("npm run x").text().replace("T10:", "T11:");
    scene.write("t/resumed.jsonl", resumed + &more);
    let report = scene.report("t");
    assert_eq!(counts(&report, PNPM), (1, 2, 0));
}

#[test]
fn a_secret_in_a_rule_is_neither_on_the_page_nor_in_the_answer_for_programs() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let rules = format!("- Always run `deploy --token {token}` before you commit.\n- Be `{token}`.\n");
    let scene = Scene::new();
    let options = Options {
        disk: &RealDisk,
        agents: AGENTS,
        own_dirs: Vec::new(),
        since_days: None,
        now: Timestamp::now(),
        threads: 1,
        roles: None,
    };
    let found = Found::below(&RealDisk, AGENTS, &scene.path("."));
    let report = audit(Rules::parse(&rules), found, &options, &mut |_| {});
    let answer = serde_json::to_string(&report.for_programs("x")).unwrap();
    let html = page(&report, "x", Timestamp::UNIX_EPOCH);
    for shown in [answer, html] {
        assert!(!shown.contains(&token) && shown.contains("[REDACTED:github-token]"), "{shown}");
    }
}

#[test]
fn only_recent_turns_count_when_days_are_given() {
    let scene = Scene::new();
    let now = Timestamp::now().to_string();
    let old = Claude::new("s1", "/p/web").says("install").runs("npm install x").text();
    let new = Claude::new("s1", "/p/web").says("again").runs("pnpm add x").text();
    let mut lines = new.replace("2026-03-01T10:00", &now[..16]);
    lines.insert_str(0, &old.replace("2026-03-01", "2020-03-01"));
    scene.write("t/one.jsonl", lines);
    let found = || Found::below(&RealDisk, AGENTS, &scene.path("t"));
    assert_eq!(counts(&scene.report_of(found(), None), PNPM), (1, 1, 0));
    let recent = scene.report_of(found(), Some(7));
    assert_eq!(counts(&recent, PNPM), (1, 0, 0));
    assert_eq!(recent.looked_at.turns, 1);
}

#[test]
fn broken_lines_unknown_records_and_other_files_do_not_stop_it() {
    let scene = Scene::new();
    let mut text =
        String::from("\u{feff}\n\0\0{\"type\":\"zebra\",\"sessionId\":\"s1\",\"uuid\":\"z\"}\r\n{broken\r\n");
    text.push_str(&two_turns().text().replace('\n', "\r\n"));
    text.push_str("{\"type\":\"user\",\"mess");
    scene.write("t/one.jsonl", text);
    scene.write("t/empty.jsonl", "");
    scene.write("t/log.jsonl", "{\"some\":\"log\"}\n".repeat(400));
    scene.write("t/bad.jsonl.zst", "not zstd");
    let report = scene.report("t");
    assert_eq!(counts(&report, PNPM), (1, 1, 0));
    assert_eq!(report.summary.skipped["broken"], 2);
    assert_eq!(report.summary.skipped["unknown_type"], 1);
    assert_eq!(report.summary.skipped["unknown_format"], 400);
    assert_eq!(report.summary.problems.len(), 1, "{:?}", report.summary.problems);
}

#[test]
fn what_people_say_to_last_and_no_rule_covers_is_told_once() {
    let scene = Scene::new();
    let wish = "From now on, always write the release notes in German.";
    let session = |id: &str| Claude::new(id, "/p/web").says("start").runs("ls").says(wish).runs("ls");
    scene.write("t/one.jsonl", session("s1").text());
    scene.write("t/two.jsonl", session("s2").says("From now on, never push to main!").runs("ls").text());
    scene.write(
        "t/own.jsonl",
        Claude::new("s3", "/own/x").says("always sing when you build").runs("ls").text(),
    );
    let report = scene.report("t");
    let said: Vec<(&str, u64)> = report.said.iter().map(|said| (&*said.quote, said.times)).collect();
    assert_eq!(said, [(wish, 2)]);
}

#[test]
fn a_rule_that_a_person_calls_wrong_stands_first_and_is_not_merely_missed() {
    let scene = Scene::new();
    let session = Claude::new("s1", "/p/web")
        .says("install it")
        .runs("pnpm add left-pad")
        .says("No, from now on use npm, not pnpm.")
        .runs("npm install left-pad");
    scene.write("t/one.jsonl", session.text());
    let report = scene.report("t");
    let rule = report.rules.iter().find(|outcome| outcome.rule.line == PNPM).unwrap();
    assert_eq!((rule.turns.contradicted, rule.standing()), (1, Standing::Contradicted), "{:?}", rule.turns);
    let text = table(&report, "CLAUDE.md", Style { width: 100, colour: false });
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[1].starts_with("4 rules:  1 contradicted by you  0 missed"), "{text}");
    assert!(lines[3].starts_with("Contradicted by you"), "{text}");
    assert!(text.contains("contradicted 2026-03-01 s1  No, from now on use npm, not pnpm."), "{text}");
    let html = page(&report, "CLAUDE.md", Timestamp::UNIX_EPOCH);
    assert!(html.contains("<b>1</b> <span>Contradicted by you</span>"), "{html}");
    let answer = serde_json::to_value(report.for_programs("x")).unwrap();
    assert_eq!(answer["counts"]["contradicted"], 1);
}

#[test]
fn instructions_that_a_program_may_have_written_are_left_out_and_counted() {
    let scene = Scene::new();
    let wish = "From now on, always write the release notes in German.";
    let session = Claude::new("s1", "/p/web").says("start").runs("ls").says(wish).runs("ls").text();
    let headless =
        session.replace(r#""userType":"external""#, r#""userType":"external","promptSource":"sdk""#);
    scene.write("t/one.jsonl", &headless);
    scene.write("t/copy.jsonl", &headless);
    let report = scene.report("t");
    assert_eq!((report.said.len(), report.looked_at.headless), (0, 1));
    let words = "left out: 1 lasting instruction of headless sessions (sdk)";
    assert!(table(&report, "x", Style { width: 120, colour: false }).contains(words));
    assert!(page(&report, "x", Timestamp::UNIX_EPOCH).contains(words));
}

#[test]
fn hostile_text_stays_text_and_secrets_are_replaced() {
    let scene = Scene::new();
    let hostile = "npm install '<script>alert(1)</script>' \u{1b}[2J\u{202e} && API_KEY=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 npm i";
    scene.write(
        "t/<b>.jsonl",
        Claude::new("<i>s</i>\u{1b}[31m", "/p/web").says("install").runs(hostile).text(),
    );
    let report = scene.report("t");
    assert_eq!(report.rules[0].turns.missed, 1);
    let html = page(&report, "<u>name\"", Timestamp::UNIX_EPOCH);
    for raw in [
        "<script",
        "<i>s",
        "<u>",
        "\u{1b}",
        "\u{202e}",
        "abcdefghijklmnopqrstuvwxyz",
        "http-equiv=\"refresh\"",
        "src=",
        "url(",
    ] {
        assert!(!html.contains(raw), "{raw}");
    }
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(html.contains("Content-Security-Policy\" content=\"default-src 'none'"));
    for colour in [false, true] {
        let text = table(&report, "name\u{7}", Style { width: 80, colour });
        assert!(!text.contains("\u{1b}[2J") && !text.contains('\u{202e}') && !text.contains('\u{7}'));
        assert!(!text.contains("abcdefghijklmnopqrstuvwxyz"), "{text}");
        assert_eq!(text.contains('\u{1b}'), colour);
    }
}

#[test]
fn the_table_fits_the_terminal() {
    let scene = Scene::new();
    let long = format!("npm install {}", "日本語-package ".repeat(40));
    scene.write("t/one.jsonl", two_turns().says("more").runs(&long).text());
    let report = scene.report("t");
    for width in [20, 40, 72, 200] {
        let text = table(&report, "some/rather/long/path/to/a/CLAUDE.md", Style { width, colour: false });
        let widest = text.lines().map(unicode_width::UnicodeWidthStr::width).max().unwrap();
        assert!(widest <= width.clamp(40, 120), "{widest} of {width}:\n{text}");
    }
}

#[test]
fn the_answer_for_programs_has_just_the_fields_that_scripts_know() {
    let scene = Scene::new();
    scene.write("t/one.jsonl", two_turns().runs("git push origin main").text());
    let report = scene.report("t");
    let answer = serde_json::to_value(report.for_programs("CLAUDE.md")).unwrap();
    assert_eq!(
        (&answer["file"], &answer["sessions"], &answer["turns"]),
        (&json!("CLAUDE.md"), &json!(1), &json!(2))
    );
    let counts = json!({"rules": 4, "contradicted": 0, "missed": 2, "followed": 0, "unclear": 0, "waiting": 1,
        "not_trusted": 0, "not_testable": 1});
    assert_eq!(answer["counts"], counts);
    assert_eq!((&answer["said"], &answer["headless_instructions"]), (&json!([]), &json!(0)));
    let rules = answer["rules"].as_array().unwrap();
    assert_eq!(rules.len(), 4);
    for rule in rules {
        let mut keys: Vec<&str> = rule.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        let wanted = [
            "contradicted",
            "followed",
            "line",
            "missed",
            "quotes",
            "reword",
            "state",
            "testable",
            "text",
            "unclear",
            "waiting",
        ];
        assert_eq!(keys, wanted);
    }
    assert_eq!(rules[0]["text"], "- Use `pnpm`, not `npm`.");
    assert_eq!((&rules[0]["followed"], &rules[0]["missed"]), (&json!(1), &json!(1)));
    let push = rules.iter().find(|rule| rule["line"] == PUSH).unwrap();
    assert_eq!((&push["missed"], &push["testable"]), (&json!(1), &json!(true)));
    let quote = &push["quotes"][0];
    assert_eq!((&quote["verdict"], &quote["trajectory"]), (&json!("missed"), &json!("WEAKENING")));
    assert_eq!(quote["session"], "s1");
    assert_eq!(quote["ts"], "2026-03-01T10:00:06Z");
    assert!(quote["event"].as_str().unwrap().starts_with("s1/"), "{quote}");
    assert_eq!(quote["quote"], "git push origin main");
}

#[test]
fn a_file_of_five_thousand_lines_is_no_trouble() {
    let scene = Scene::new();
    scene.write("t/one.jsonl", two_turns().text());
    let part = |n: usize| {
        format!(
            "## Part {n}\r\n\r\n- Run `tool-{n}` before each commit.\r\n```sh\r\n{}```\r\n",
            "ls\r\n".repeat(20)
        )
    };
    let rules: String = (0..200).map(part).collect();
    assert_eq!(rules.lines().count(), 5_000);
    let options = Options {
        disk: &RealDisk,
        agents: AGENTS,
        own_dirs: Vec::new(),
        since_days: None,
        now: Timestamp::now(),
        threads: 2,
        roles: None,
    };
    let found = Found::below(&RealDisk, AGENTS, &scene.path("t"));
    let report = audit(Rules::parse(&rules), found, &options, &mut |_| {});
    assert_eq!(report.rules.len(), 200);
    assert_eq!(report.rules.last().unwrap().rule.line, 4_978);
    assert!(table(&report, "x", Style { width: 80, colour: false }).lines().count() < 200);
    let _page = page(&report, "x", Timestamp::now());
}

#[test]
fn nothing_is_written() {
    let scene = Scene::new();
    scene.write("t/one.jsonl", two_turns().text());
    let entries = || -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut open = vec![scene.path("")];
        while let Some(dir) = open.pop() {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path.clone());
                }
                found.push(path);
            }
        }
        found.sort();
        found
    };
    let before = entries();
    scene.report("t");
    assert_eq!(entries(), before);
    assert!(before.iter().any(|path| path.ends_with(Path::new("one.jsonl"))));
}
