//! Configs in, findings and a verdict out.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)]

use jiff::tz::TimeZone;
use subcortex_loops::check::{
    Bar, DEFAULT_MIN_SCORE, MAX_FINDINGS_OF_A_RULE, Report, Severity, Subject, check,
};
use subcortex_loops::config::LoopConfig;
use subcortex_store::RealDisk;

const BAR: Bar = Bar { min_score: DEFAULT_MIN_SCORE, strict: false };
const STRICT: Bar = Bar { min_score: DEFAULT_MIN_SCORE, strict: true };
const L1: &str = "name: look\npattern: daily-scan\ntier: L1\ncadence: 1d\ngoal: Report dead links. Do not edit.\n\
                  scope: docs/**\npermission_mode: plan\nescalation: open an issue\nbudget_tokens: 8000\n\
                  kill_switch: .loops/PAUSED\n";
const L2: &str = "name: look\npattern: ci-watch\ntier: L2\ncadence: 10m\ngoal: Fix the build. Never edit tests.\n\
                  scope: [src/**]\npermission_mode: acceptEdits\nescalation: open an issue\nbudget_tokens: 8000\n\
                  kill_switch: .loops/PAUSED\nverify: make test\nguard: make lint\nworktree: true\nland_via: pull request\n";

fn report(config: &str) -> Report {
    let root = tempfile::tempdir().unwrap();
    let config = LoopConfig::parse(config).unwrap();
    check(&Subject {
        config: &config,
        dir_name: "look",
        root: root.path(),
        disk: &RealDisk,
        zone: &TimeZone::UTC,
    })
}

/// The rules that found something, errors with `!`.
fn found(config: &str) -> Vec<String> {
    let mark = |severity| if severity == Severity::Error { "!" } else { "" };
    report(config).findings.iter().map(|found| format!("{}{}", found.check, mark(found.severity))).collect()
}

/// A config without a key.
fn without(config: &str, key: &str) -> String {
    config
        .lines()
        .filter(|line| !line.starts_with(&format!("{key}:")))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// A config with another value of a key.
fn with(config: &str, key: &str, value: &str) -> String {
    format!("{}{key}: {value}\n", without(config, key))
}

#[test]
fn a_whole_config_of_each_tier_is_ready_also_strictly() {
    let l3 = with(&with(L2, "tier", "L3"), "goal", "Fix it in its container. Never push.");
    for config in [L1, L2, &l3] {
        let report = report(config);
        assert_eq!((report.score(), &report.findings), (100, &Vec::new()), "{config}");
        assert!(report.is_ready(STRICT));
    }
}

#[test]
fn each_key_that_must_be_there_is_an_error_when_it_is_missing_or_a_placeholder() {
    for key in ["name", "tier", "goal", "scope", "escalation", "kill_switch"] {
        assert_eq!(found(&without(L1, key)), [format!("{key}!")], "without {key}");
        for value in ["TODO", "<your words>", "\"\""] {
            assert_eq!(found(&with(L1, key, value)), [format!("{key}!")], "{key}: {value}");
        }
        assert!(!report(&without(L1, key)).is_ready(BAR));
    }
}

#[test]
fn verify_guard_and_worktree_are_asked_for_from_l2_on() {
    for key in ["verify", "guard", "worktree"] {
        assert_eq!(found(&without(L2, key)), [format!("{key}!")]);
        assert_eq!(found(&with(L2, key, "<fill in something>")), [format!("{key}!")]);
        assert_eq!(found(&without(&with(&with(L2, "tier", "L1"), "permission_mode", "plan"), key)), [""; 0]);
    }
    assert_eq!(found(&with(L2, "worktree", "false")), ["worktree!"]);
}

#[test]
fn what_is_only_doubtful_is_a_warning_and_strict_does_not_let_it_pass() {
    for key in ["pattern", "cadence", "budget_tokens", "land_via"] {
        let config = without(L2, key);
        assert_eq!(found(&config), [key]);
        assert!(report(&config).is_ready(BAR) && !report(&config).is_ready(STRICT));
    }
    assert_eq!(found(&with(L1, "permission_mode", "bypassPermissions")), ["mode_fits_tier"]);
    assert_eq!(found(&with(L2, "permission_mode", "plan")), ["mode_fits_tier"]);
    assert_eq!(found(&without(L1, "permission_mode")), ["permission_mode"]);
    assert_eq!(found(&with(L1, "goal", "Report dead links.")), ["goal_limits"]);
    assert_eq!(found(&with(L2, "tier", "L3")), ["isolation"]);
    assert_eq!(found(&with(L1, "pattern", "nightly")), ["pattern"]);
}

#[test]
fn a_value_that_cannot_be_meant_is_an_error() {
    for (key, value) in [
        ("permission_mode", "yolo"),
        ("permission_mode", "[plan]"),
        ("tier", "L4"),
        ("tier", "l1"),
        ("scope", "\"*\""),
        ("scope", "\"**\""),
        ("scope", "."),
        ("scope", "./"),
        ("scope", "/"),
        ("scope", "[docs/**, ../other/**]"),
        ("cadence", "0m"),
        ("cadence", "\"0 0 30 2 *\""),
        ("budget_tokens", "lots"),
        ("budget_tokens", "0"),
        ("name", "\"../look\""),
    ] {
        assert!(found(&with(L1, key, value)).contains(&format!("{key}!")), "{key}: {value}");
    }
}

#[test]
fn a_name_that_is_not_the_folders_is_an_error() {
    assert_eq!(found(&with(L1, "name", "other")), ["name_of_folder!"]);
}

#[test]
fn an_unknown_key_is_an_error_with_its_line_and_the_key_that_was_meant() {
    let report = report(&format!("{L1}escalate: me\n"));
    let [finding] = &report.findings[..] else { panic!("{report:?}") };
    assert_eq!((finding.check, finding.line), ("keys", Some(11)));
    assert_eq!(finding.hint, "did you mean `escalation`?");
}

#[test]
fn nested_keys_are_named_as_such() {
    let nested: String = L1.lines().map(|line| format!("  {line}\n")).collect();
    let found = found(&format!("loop:\n{nested}"));
    assert!(found.contains(&"flat!".to_owned()) && found.contains(&"goal!".to_owned()), "{found:?}");
    assert!(self::found(&with(L1, "cadence", "{ every: 1d }")).contains(&"flat!".to_owned()));
}

#[test]
fn the_score_is_the_share_of_the_rules_that_apply_and_the_bar_can_be_moved() {
    let report = report(&without(&without(L1, "pattern"), "cadence"));
    assert_eq!(report.score() as usize, (report.total - 2) * 100 / report.total);
    assert!(report.is_ready(BAR));
    assert!(!report.is_ready(Bar { min_score: report.score() + 1, strict: false }));
    assert!(report.is_ready(Bar { min_score: report.score(), strict: false }));
}

#[test]
fn an_empty_config_names_everything_that_is_missing() {
    let report = report("{}");
    assert_eq!(report.of(Severity::Error).count(), 6, "{report:?}");
    assert!(report.score() < DEFAULT_MIN_SCORE);
}

#[test]
fn a_thousand_mistakes_are_read_once_and_told_in_part() {
    let unknown: String = (0..5_000).map(|n| format!("k{n}: x\n")).collect();
    let report = report(&format!("{L1}{unknown}"));
    let keys: Vec<_> = report.findings.iter().filter(|found| found.check == "keys").collect();
    assert_eq!(keys.len(), MAX_FINDINGS_OF_A_RULE + 1);
    assert_eq!(keys.last().unwrap().what, "and 4980 more of this kind");
    assert!(keys.iter().all(|found| found.line.is_some_and(|line| line > 10)), "{keys:?}");
    let globs = vec!["docs/**"; 10_000].join(", ");
    let report = self::report(&with(L1, "scope", &globs));
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    assert!(!report.is_ready(BAR));
}
