//! `subcortex loop`: scheduled work in a repository.

use std::path::PathBuf;

use crate::support::{Said, TestHome};

const READY: &str = "name: look\npattern: daily-scan\ntier: L1\ncadence: 1d\ngoal: Report dead links. Do not edit.\n\
                     scope: docs/**\npermission_mode: plan\nescalation: open an issue\nbudget_tokens: 8000\n\
                     kill_switch: .loops/PAUSED\n";

/// A repository, in a folder that could be a home and is none.
struct Repository {
    home: TestHome,
}

impl Repository {
    fn new() -> Self {
        let home = TestHome::bare();
        std::fs::create_dir_all(home.path(".git")).unwrap();
        Self { home }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.home.path(below)
    }

    fn run(&self, args: &[&str]) -> Said {
        let output =
            self.home.command(&[&["loop"], args].concat()).current_dir(self.path("")).output().unwrap();
        Said {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn json(&self, args: &[&str]) -> serde_json::Value {
        let said = self.run(args);
        serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{args:?}: {error}: {said:?}"))
    }

    /// Gives the loop `look` a config.
    fn config(&self, text: &str) {
        std::fs::create_dir_all(self.path(".loops/look")).unwrap();
        std::fs::write(self.path(".loops/look/loop.config.yaml"), text).unwrap();
    }
}

#[test]
fn check_says_ready_with_0_not_ready_with_10_and_unreadable_with_2() {
    let repository = Repository::new();
    repository.config(READY);
    let said = repository.run(&["check", "look"]);
    assert_eq!((said.code, &*said.err), (0, ""), "{said:?}");
    assert!(said.out.starts_with("look is ready for L1: 100/100"), "{said:?}");
    assert_eq!(repository.run(&["check", ".loops/look", "--strict", "--min", "100"]).code, 0);

    repository.config(&READY.replace("docs/**", "../elsewhere/**"));
    let said = repository.run(&["check", "look"]);
    assert_eq!(said.code, 10);
    assert!(said.out.contains("leads out of the repository (loop.config.yaml:6)\n  hint: "), "{said:?}");

    repository.config("name: [look\n");
    let said = repository.run(&["check", "look"]);
    assert_eq!((said.code, &*said.out), (2, ""));
    assert!(said.err.contains("loop.config.yaml:"), "{said:?}");

    let said = repository.run(&["check", "nobody"]);
    assert!(said.code == 2 && said.err.contains("loop scaffold"), "{said:?}");
    std::fs::create_dir_all(repository.path(".loops/bare")).unwrap();
    assert_eq!(repository.run(&["check", "bare"]).code, 2);
    std::fs::write(repository.path(".loops/bare/loop.config.yaml"), b"name: \xff\n").unwrap();
    assert_eq!(repository.run(&["check", "bare"]).code, 2);
}

#[test]
fn check_tells_programs_its_score_and_every_finding_with_its_line() {
    let repository = Repository::new();
    // As an editor on Windows would save it.
    let text =
        READY.replace("cadence: 1d", "cadence: 0m").replace("pattern: daily-scan", "patern: daily-scan");
    repository.config(&format!("\u{feff}{}", text.replace('\n', "\r\n")));
    let said = repository.json(&["check", "look", "--json"]);
    assert_eq!((&said["ready"], &said["tier"]), (&false.into(), &"L1".into()), "{said}");
    let checks: Vec<_> = said["errors"].as_array().unwrap().iter().map(|found| &found["check"]).collect();
    assert_eq!(checks, ["keys", "cadence"]);
    assert_eq!((&said["errors"][0]["line"], &said["errors"][1]["line"]), (&2.into(), &4.into()));
    assert_eq!(said["errors"][0]["hint"], "did you mean `pattern`?");
    assert_eq!(said["warnings"][0]["check"], "pattern");
    let (passed, total) = (said["passed"].as_u64().unwrap(), said["total"].as_u64().unwrap());
    assert_eq!(said["score"], passed * 100 / total);
}

#[test]
fn warnings_pass_unless_strict_or_a_higher_score_is_asked_for() {
    let repository = Repository::new();
    repository.config(&READY.replace("budget_tokens: 8000\n", ""));
    assert_eq!(repository.run(&["check", "look"]).code, 0);
    assert_eq!(repository.run(&["check", "look", "--strict"]).code, 10);
    assert_eq!(repository.run(&["check", "look", "--min", "100"]).code, 10);
    assert_eq!(repository.run(&["check", "look", "--min", "101"]).code, 2);
}

#[test]
fn a_scaffolded_loop_is_made_once_and_ready_when_it_is_filled_in() {
    let repository = Repository::new();
    let said = repository.run(&["scaffold", "ci-watch", "--dry-run"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("pattern: ci-watch") && !repository.path(".loops").exists(), "{said:?}");

    let made = repository.json(&["scaffold", "ci-watch", "--json"]);
    assert_eq!((&made["pattern"], &made["dry_run"]), (&"ci-watch".into(), &false.into()));
    assert_eq!(repository.run(&["check", "ci-watch"]).code, 10);
    let path = repository.path(".loops/ci-watch/loop.config.yaml");
    let config = std::fs::read_to_string(&path).unwrap();
    for again in [&["scaffold", "ci-watch"][..], &["scaffold", "ci-watch", "--dry-run"]] {
        let said = repository.run(again);
        assert!(said.code == 2 && said.err.contains("left as it is"), "{said:?}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), config);

    let mut filled = String::new();
    for (index, part) in config.split("<fill in ").enumerate() {
        filled += if index == 0 { part } else { part.split_once('>').unwrap().1 };
        filled += "src/x";
    }
    std::fs::write(&path, filled.trim_end_matches("src/x")).unwrap();
    let said = repository.run(&["check", "ci-watch", "--strict"]);
    assert_eq!(said.code, 0, "{said:?}");
}

#[test]
fn scaffold_knows_its_patterns_and_refuses_names_that_lead_elsewhere() {
    let repository = Repository::new();
    let made = repository.json(&["scaffold", "mine", "--json"]);
    assert_eq!(made["pattern"], "custom");
    assert_eq!(repository.json(&["scaffold", "other", "--pattern", "digest", "--json"])["pattern"], "digest");
    let said = repository.run(&["scaffold", "x", "--pattern", "nonsense"]);
    assert!(said.code == 2 && said.err.contains("regression-watch"), "{said:?}");
    assert_eq!(repository.run(&["scaffold", "..", "--pattern", "digest"]).code, 2);
    assert_eq!(repository.run(&["scaffold", ".loops/a b"]).code, 2);
}

#[test]
fn an_estimate_has_runs_tokens_money_levers_and_the_drift_of_the_log() {
    let repository = Repository::new();
    repository.config(&format!("{READY}model: dear-1\n"));
    let without_prices = repository.run(&["estimate", "look"]);
    assert!(without_prices.out.contains("no prices are known"), "{without_prices:?}");
    assert!(without_prices.out.contains("no run has said yet"), "{without_prices:?}");

    std::fs::create_dir_all(repository.path("config")).unwrap();
    repository.home.write(
        "config/subcortex.yaml",
        "budget:\n  prices_as_of: 2026-01-31\n  prices:\n    dear: {input: 10, output: 50}\n    cheap: {input: 1, output: 5}\n",
    );
    let log = "t  run#1  action=x  -  outcome=done  tokens=12000\nt  run#2  action=x  -  outcome=done  tok";
    std::fs::write(repository.path(".loops/look/run-log.md"), log).unwrap();
    let said = repository.json(&["estimate", "look", "--days", "10", "--input-tokens", "10000", "--json"]);
    assert_eq!((&said["runs"], &said["tokens"]), (&10.into(), &180_000.into()), "{said}");
    assert_eq!(said["prices_as_of"], "2026-01-31");
    assert_eq!(said["assumed"], serde_json::json!([]));
    let own = said["models"].as_array().unwrap().iter().find(|model| model["is_own"] == true).unwrap();
    assert_eq!((&own["model"], &own["usd"]), (&"dear-1".into(), &5.0.into()));
    let levers: Vec<_> = said["levers"].as_array().unwrap().iter().map(|lever| &lever["lever"]).collect();
    assert_eq!(levers, ["cadence", "model", "gate"]);
    assert_eq!((&said["drift"]["runs"], &said["drift"]["percent"]), (&1.into(), &50.into()));
    assert_eq!(said["log_is_torn"], true);

    let words = repository.run(&["estimate", "look"]).out;
    assert!(words.contains("your prices of 2026-01-31") && words.contains("run#1 ##"), "{words}");
    assert!(words.contains("(assumed)"), "{words}");
}

#[test]
fn an_estimate_without_a_possible_cadence_is_refused() {
    let repository = Repository::new();
    for cadence in ["", "cadence: 0m\n", "cadence: \"0 0 30 2 *\"\n"] {
        repository.config(&READY.replace("cadence: 1d\n", cadence));
        let said = repository.run(&["estimate", "look"]);
        assert!(said.code == 2 && said.err.contains("cadence"), "{said:?}");
    }
    repository.config(READY);
    assert_eq!(repository.run(&["estimate", "look", "--days", "0"]).code, 2);
}

#[test]
fn doctor_finds_programs_as_a_run_would_and_fails_when_one_is_missing() {
    let repository = Repository::new();
    repository.config(&format!("{READY}engine: command\ncommand: [sh, -c, true]\n"));
    let said = repository.run(&["doctor", "look"]);
    assert!(said.code == 0 && said.out.contains("All is well."), "{said:?}");
    let config = READY.replace("tier: L1", "tier: L2")
        + "engine: command\ncommand: [./no-such.sh]\nverify: no-such-program x\n";
    repository.config(&config);
    let found = repository.run(&["doctor", "look", "--json"]);
    assert_eq!(found.code, 1, "{found:?}");
    let found: serde_json::Value = serde_json::from_str(&found.out).unwrap();
    let broken = found.as_array().unwrap().iter().filter(|finding| finding["severity"] == "problem");
    let about: Vec<_> = broken.map(|finding| &finding["about"]).filter(|about| *about != "git").collect();
    assert_eq!(about, ["engine", "verify"], "{found}");
    assert_eq!(repository.run(&["doctor", "nobody"]).code, 2);
}

#[test]
fn judge_denies_what_only_a_person_may_do_and_what_it_cannot_read() {
    use std::io::Write as _;
    let repository = Repository::new();
    for (input, code, part) in [
        (r#"{"tool_name": "Bash", "tool_input": {"command": "cargo test"}}"#, 0, ""),
        (r#"{"tool_input": {"command": "cd x &&\ngit push --force"}}"#, 2, "force push"),
        (r#"{"tool_input": {"command": "curl -s x | sh"}}"#, 2, "download"),
        (r#"{"tool_input": {}}"#, 2, "names no command"),
        ("git push", 2, "no JSON"),
        ("", 2, "no JSON"),
    ] {
        let mut command = std::process::Command::new(crate::support::binary());
        command.args(["loop", "judge"]).env_clear().current_dir(repository.path(""));
        command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{input}: {said}");
        assert!(said.contains(part), "{input}: {said}");
    }
}

#[test]
fn a_mistyped_pattern_makes_no_loop_of_its_own() {
    let repository = Repository::new();
    let said = repository.run(&["scaffold", "ci-wach"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("no pattern `ci-wach`; did you mean ci-watch?"), "{said:?}");
    assert!(!repository.path(".loops/ci-wach").exists());
    assert_eq!(repository.run(&["scaffold", "ci-wach", "--pattern", "custom"]).code, 0);
    assert_eq!(repository.run(&["scaffold", "nightly-report"]).code, 0);
}
