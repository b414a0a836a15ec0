//! `docs/FIRST_MINUTES.md` is a recording of a terminal: this test plays it, and fails when anything that people see has
//! changed. `SUBCORTEX_RECORD=1 cargo test -p subcortex-cli --test end_to_end first_minutes` records it anew.

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::binary;
use crate::terminal::{converse, terminal};

const RECORDING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/FIRST_MINUTES.md");

const RULES: &str = "# Web\n\n- Use `npm`, not `pnpm`.\n- Never push to `main`.\n- Run `make lint` before you commit.\n- Be kind.\n";

/// Somebody with a project and a few sessions of Claude Code in it.
struct Person {
    dir: tempfile::TempDir,
    /// Names that were made while the recording is played, in the order in which they were seen.
    names: RefCell<Vec<String>>,
}

impl Person {
    fn new() -> Self {
        let person = Self { dir: tempfile::tempdir().unwrap(), names: RefCell::default() };
        std::fs::create_dir(person.home().join("web")).unwrap();
        std::fs::write(person.home().join("web/CLAUDE.md"), RULES).unwrap();
        person.session(
            "3f2a9c01-5d7e",
            "2025-03-03",
            &[
                "> add the date picker",
                "$ npm install date-picker",
                "$ make lint",
                "$ git commit -am 'date picker'",
            ],
        );
        person.session(
            "8b71e0d4-12aa",
            "2025-03-05",
            &[
                "> add charts",
                "$ npm install charts",
                "> No, from now on always use pnpm, not npm.",
                "$ pnpm add charts",
                "$ git commit -am charts",
                "> From now on, always write the release notes in German.",
                "$ git status",
            ],
        );
        person.session(
            "c5d0f7e2-9b43",
            "2025-03-08",
            &[
                "> the header looks wrong on a phone",
                "$ npm install header-fix",
                "> I told you: always use pnpm, not npm.",
                "$ pnpm add header-fix",
                "$ git push origin main",
                "> thanks",
            ],
        );
        person
    }

    fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    /// A session of prompts (`> `) and commands of the agent (`$ `).
    fn session(&self, id: &str, day: &str, turns: &[&str]) {
        let cwd = self.home().join("web");
        let folder = cwd.to_str().unwrap().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let folder = self.home().join(".claude/projects").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let mut lines = String::new();
        let mut n = 0;
        let mut record = |kind: &str, message: Value| {
            n += 1;
            let record = json!({"type": kind, "uuid": format!("{id}-{n}"), "sessionId": id,
                "timestamp": format!("{day}T10:{n:02}:00.000Z"), "cwd": cwd, "gitBranch": "main", "isSidechain": false,
                "userType": "external", "promptSource": "typed", "message": message});
            lines.push_str(&format!("{record}\n"));
        };
        for (at, turn) in turns.iter().enumerate() {
            let (kind, words) = turn.split_at(2);
            if kind == "> " {
                record("user", json!({"role": "user", "content": words}));
                continue;
            }
            let call = format!("toolu_{id}_{at}");
            let used = json!({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": words}});
            record("assistant", json!({"id": call, "role": "assistant", "content": [used]}));
            let told =
                json!({"type": "tool_result", "tool_use_id": call, "content": "ok", "is_error": false});
            record("user", json!({"role": "user", "content": [told]}));
        }
        std::fs::write(folder.join(format!("{id}.jsonl")), lines).unwrap();
    }

    fn surround(&self, command: &mut Command) {
        command.env("HOME", self.home()).env("NO_COLOR", "1").current_dir(self.home().join("web"));
    }

    /// What a command prints, as a person sees it.
    fn run(&self, line: &str) -> String {
        let path = format!("{}:/usr/bin:/bin", std::path::Path::new(binary()).parent().unwrap().display());
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{line} 2>&1")]).env_clear().env("PATH", path).env("TZ", "UTC");
        self.surround(&mut command);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        self.told(&String::from_utf8(output.stdout).unwrap())
    }

    /// The same with answers that are typed.
    fn answers(&self, line: &str, answers: &[&str]) -> Option<String> {
        let mut command = terminal("recording of the first minutes", line)?;
        self.surround(&mut command);
        Some(self.told(&converse(command, answers)))
    }

    /// Without what is another each time.
    fn told(&self, text: &str) -> String {
        let text = text.replace(self.home().to_str().unwrap(), "~");
        let mut text: String = text.lines().map(|line| format!("{}\n", steady_line(line))).collect();
        for (prefix, digits) in [("edit_", 12), ("prop_", 6), ("evt_", 36)] {
            text = self.steady_names(&text, prefix, digits);
        }
        text
    }

    /// Names get those of one recording: the first that is seen is always called the same.
    fn steady_names(&self, text: &str, prefix: &str, digits: usize) -> String {
        let mut parts = text.split(prefix);
        let mut steady = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == '-');
            let name = &part[..part.len() - rest.len()];
            steady.push_str(prefix);
            match name.get(..digits) {
                Some(name) => {
                    let mut names = self.names.borrow_mut();
                    let name = format!("{prefix}{name}");
                    let at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                        names.push(name);
                        names.len() - 1
                    });
                    let number = (at as u32 + 1).wrapping_mul(0x9e37_79b1);
                    steady.push_str(&format!("{number:08x}").repeat(5)[..digits]);
                }
                None => steady.push_str(name),
            }
            steady.push_str(rest);
        }
        steady
    }
}

/// A run's name begins with its moment; a time without a date is of today; what was drawn over was not meant to stay.
fn steady_line(line: &str) -> String {
    let line = line.rsplit("\x1b[K").next().unwrap_or(line).trim_start_matches('\r');
    let words: Vec<String> = line
        .split(' ')
        .scan("", |before, word| {
            let is_day = before.len() == 10 && before.starts_with("2025-");
            *before = word;
            let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            let is_clock = word
                .split_once(':')
                .is_some_and(|(h, m)| h.len() == 2 && m.len() == 2 && digits(h) && digits(m));
            let is_run = word.len() > 15 && word.get(..8).is_some_and(digits) && word.get(8..9) == Some("T");
            Some(match (is_clock && !is_day, is_run) {
                (true, _) => "10:20".to_owned(),
                (_, true) => "20261117T102000-1".to_owned(),
                (false, false) => word.to_owned(),
            })
        })
        .collect();
    words.join(" ").trim_end().to_owned()
}

#[test]
fn the_first_minutes_are_as_recorded() {
    let person = Person::new();
    let mut page = String::from(
        "# The first ten minutes\n\nA recording, played by a test (`tests/end_to_end/first_minutes.rs`) in a small project with three \
         sessions of Claude Code. `~/web/CLAUDE.md` has four rules.\n",
    );
    let mut say = |heading: &str, lines: &[(&str, String)]| {
        page.push_str(&format!("\n## {heading}\n\n```text\n"));
        let shown =
            lines.iter().map(|(line, said)| format!("~/web $ {line}\n{}", said.trim_start_matches('\n')));
        page.push_str(shown.collect::<Vec<_>>().join("\n").trim_end());
        page.push_str("\n```\n");
    };
    let run = |line: &'static str| (line, person.run(line));
    say("Which of my rules are followed?", &[run("subcortex audit CLAUDE.md")]);
    say("A home, with these rules as its memory", &[run("subcortex init --from CLAUDE.md")]);
    say(
        "What I said before",
        &[run("subcortex import auto"), run("subcortex tick --partition memory-weaver")],
    );
    let Some(review) = person.answers("subcortex review", &["a", "l", "q"]) else { return };
    say("What is to become of it", &[("subcortex review", review)]);
    say("Why does a line say this?", &[run("subcortex why L5")]);
    let add = "subcortex rule add 'Write the changelog in English.' --project .";
    say("A rule by hand", &[run(add), run("subcortex rule list")]);
    let edits: Value = serde_json::from_str(&{
        let mut command = Command::new(binary());
        person.surround(command.env_clear().args(["history", "--json"]));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    })
    .unwrap();
    let last = edits.as_array().unwrap().last().unwrap()["id"].as_str().unwrap().to_owned();
    let history = person.run("subcortex history");
    let line = format!("subcortex revert {}", &last[.."edit_".len() + 12]);
    let reverted = person.run(&line);
    say("And back", &[("subcortex history", history), (person.told(&line).trim(), reverted)]);
    say("From now on by itself", &[run("subcortex status")]);

    if std::env::var_os("SUBCORTEX_RECORD").is_some() {
        std::fs::write(RECORDING, &page).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(RECORDING).unwrap();
    let differs = page.lines().zip(recorded.lines()).find(|(now, then)| now != then);
    assert!(
        page == recorded,
        "docs/FIRST_MINUTES.md shows something else than people see: {differs:#?}\nrecord it anew with SUBCORTEX_RECORD=1"
    );
}
