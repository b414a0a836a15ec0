//! Records and the log on a real file system.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use subcortex_cadence::settle::{Mode, Outcome};
use subcortex_runs::{
    Ended, Evidence, LOG_FILE, Limits, MAX_BODIES_BYTES, MAX_BODY_BYTES, MAX_LOG_BYTES, RunMode, RunRecord,
    TaskRecord, append_log, find, list, load, prune, settle, write,
};
use subcortex_store::{CrashDisk, Disk, Fault, FaultKind, FaultyDisk, RealDisk, Then};

struct Runs(tempfile::TempDir);

impl Runs {
    fn new() -> Runs {
        Runs(tempfile::tempdir().expect("a temporary folder"))
    }

    fn holding(ids: &[&str]) -> Runs {
        let runs = Runs::new();
        ids.iter().for_each(|id| runs.write(&run(id)));
        runs
    }

    fn dir(&self) -> &Path {
        self.0.path()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir().join(path)
    }

    fn write(&self, record: &RunRecord) {
        write(&RealDisk, self.dir(), record).unwrap();
    }

    fn listed(&self, limit: usize) -> Vec<String> {
        list(&RealDisk, self.dir(), limit).unwrap().into_iter().map(|record| record.run_id).collect()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.at(LOG_FILE)).unwrap()
    }
}

/// A run with one finished task.
fn run(id: &str) -> RunRecord {
    let mut task = TaskRecord::new("prune.md", "00ff", "[memory:prune] Remove it.");
    (task.result, task.acked) = (Some("UPDATED: 1 line".into()), true);
    RunRecord {
        run_id: id.into(),
        partition: "memory-weaver".into(),
        mode: RunMode::As(Mode::Directed),
        engine: "builtin".into(),
        tick: 412,
        started_at: Some("2026-11-14T08:37:00Z".parse().unwrap()),
        ended_at: Some("2026-11-14T08:51:42.711Z".parse().unwrap()),
        outcome: Ended::As(Outcome::Terminal),
        result: Some("UPDATED: 1 line".into()),
        subagents: vec!["intuition-updater".into()],
        tasks: vec![task],
        acked: vec!["prune.md".into()],
        changed: vec!["memory/CLAUDE.md".into()],
        evidence: vec![Evidence { line: "memory/CLAUDE.md:L3".into(), new: 1, prior: 2, total: 3 }],
        scan: Some(json!({"advanced": true})),
        tokens: Some(1_200),
        cost_usd: Some(0.01),
        output: "thinking\nUPDATED: 1 line\n".into(),
        ..RunRecord::default()
    }
}

#[test]
fn a_record_is_read_back_as_it_was_written() {
    let runs = Runs::new();
    let record = run("20261114T083700-17");
    runs.write(&record);
    assert!(runs.at("2026-11-14/20261114T083700-17.json").is_file());
    assert_eq!(find(&RealDisk, runs.dir(), "20261114T083700-17").unwrap(), Some(record));
}

#[test]
fn scripts_see_exactly_the_fields_they_rely_on() {
    let summary = serde_json::to_value(run("20261114T083700-17").summary()).unwrap();
    assert_eq!(
        summary,
        json!({
            "run_id": "20261114T083700-17", "partition": "memory-weaver", "mode": "directed", "outcome": "terminal",
            "result": "UPDATED: 1 line", "subagents": ["intuition-updater"],
            "tasks": [{"name": "prune.md", "result": "UPDATED: 1 line", "acked": true, "reason": null}],
            "acked": ["prune.md"], "pending": [], "changed": ["memory/CLAUDE.md"],
            "evidence": [{"line": "memory/CLAUDE.md:L3", "new": 1, "prior": 2, "total": 3}],
            "scan": {"advanced": true},
        })
    );
    let empty = RunRecord::default();
    let empty = serde_json::to_value(empty.summary()).unwrap();
    assert_eq!((&empty["scan"], &empty["result"]), (&Value::Null, &Value::Null), "fields are never left out");
}

#[test]
fn fields_of_a_later_version_survive() {
    let runs = Runs::new();
    std::fs::create_dir(runs.at("2026-11-14")).unwrap();
    let file = runs.at("2026-11-14/20261114T083700-17.json");
    let later = json!({"run_id": "20261114T083700-17", "outcome": "dreamt", "mood": {"x": [1]}, "tasks": [{"name": "a", "hue": 7}]});
    std::fs::write(&file, later.to_string()).unwrap();
    let record = find(&RealDisk, runs.dir(), "20261114T083700-17").unwrap().unwrap();
    assert_eq!(record.outcome, Ended::Unknown("dreamt".into()));
    runs.write(&record);
    let back: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert_eq!((&back["mood"], &back["tasks"][0]["hue"]), (&json!({"x": [1]}), &json!(7)));
}

#[test]
fn secrets_do_not_reach_the_disk() {
    const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    let runs = Runs::new();
    let mut record = run("20261114T083700-17");
    record.tasks[0].body = format!("push with {SECRET}");
    record.set_output(SECRET);
    record.result = Some(format!("UPDATED: {SECRET}"));
    settle(&RealDisk, runs.dir(), &record, &record.tasks).unwrap();
    let open = std::fs::read_to_string(runs.at(OPEN)).unwrap();
    runs.write(&record);
    append_log(&RealDisk, runs.dir(), &record).unwrap();
    let written =
        std::fs::read_to_string(runs.at("2026-11-14/20261114T083700-17.json")).unwrap() + &runs.log() + &open;
    assert!(!written.contains(SECRET) && written.contains("push with [REDACTED"), "{written}");
}

#[test]
fn runs_are_listed_newest_first_across_days_and_within_a_second() {
    let ids = ["20261113T120000-8", "20261114T083700-9", "20261114T083700-10", "20261114T070000-99"];
    let runs = Runs::holding(&ids);
    std::fs::create_dir(runs.at("not-a-day")).unwrap();
    std::fs::write(runs.at("2026-11-14/.20261114T083700-9.json.1.2.tmp"), "{").unwrap();
    let newest = ["20261114T083700-10", "20261114T083700-9", "20261114T070000-99", "20261113T120000-8"];
    assert_eq!(runs.listed(10), newest);
    assert_eq!(runs.listed(3), newest[..3]);
    assert_eq!(runs.listed(0), Vec::<String>::new());
    assert_eq!(Runs::new().listed(10), Vec::<String>::new());
}

#[test]
fn a_list_brings_no_bodies_and_a_broken_record_hides_no_other() {
    let runs = Runs::holding(&["20261114T083700-1", "20261114T083700-2"]);
    std::fs::write(runs.at("2026-11-14/20261114T083700-2.json"), "{\"run_id\":").unwrap();
    let listed = list(&RealDisk, runs.dir(), 10).unwrap();
    assert_eq!((listed[0].run_id.as_str(), &listed[0].outcome), ("20261114T083700-2", &Ended::Unreadable));
    assert!(listed[0].reason.as_ref().unwrap().contains("cannot be read"));
    assert_eq!((listed[1].tasks[0].body.as_str(), listed[1].output.as_str()), ("", ""));
    assert!(find(&RealDisk, runs.dir(), "20261114T083700-2").is_err(), "whoever asks for it is told why not");
}

#[test]
fn a_run_is_found_by_its_name_its_beginning_or_its_number_if_that_is_clear() {
    let runs = Runs::holding(&["20261114T083700-1", "20261114T083700-12", "20261115T083700-13"]);
    let found = |id: &str| find(&RealDisk, runs.dir(), id).unwrap().map(|record| record.run_id);
    assert_eq!(
        found("20261114T083700-1").as_deref(),
        Some("20261114T083700-1"),
        "a whole name beats a beginning"
    );
    assert_eq!(found("20261115").as_deref(), Some("20261115T083700-13"));
    assert_eq!(found("13").as_deref(), Some("20261115T083700-13"));
    for unclear in ["20261114", "2", "x", "", "../2026-11-14/20261114T083700-1"] {
        assert_eq!(found(unclear), None, "{unclear}");
    }
}

#[test]
fn a_whole_name_never_leads_to_another_run() {
    let mut by_hand = run("by-hand");
    by_hand.run_id = "by-hand".into();
    let runs = Runs::holding(&["20261114T083700-12"]);
    runs.write(&by_hand);
    let loaded = |id: &str| load(&RealDisk, runs.dir(), id).unwrap().map(|record| record.run_id);
    assert_eq!(loaded("20261114T083700-12").as_deref(), Some("20261114T083700-12"));
    assert_eq!(loaded("by-hand").as_deref(), Some("by-hand"));
    for other in ["20261114T083700-1", "20261114T0", "by", "20261114T/../2026-11-14/20261114T083700-12", ""] {
        assert_eq!(loaded(other), None, "{other}");
    }
}

/// A task that is finished.
fn done(name: &str, body: &str) -> TaskRecord {
    let result = Some(format!("UPDATED: {name}"));
    TaskRecord { result, acked: true, ..TaskRecord::new(name, "00ff", body) }
}

const OPEN: &str = "2026-11-14/20261114T083700-17.open.jsonl";

#[test]
fn a_run_that_goes_on_is_read_with_the_tasks_that_are_settled() {
    let runs = Runs::new();
    let mut record = RunRecord { ended_at: None, outcome: Ended::NotYet, ..run("20261114T083700-17") };
    for name in ["a.md", "b.md"] {
        settle(&RealDisk, runs.dir(), &record, &[done(name, "x")]).unwrap();
    }
    record.tasks = vec![done("a.md", "x"), done("b.md", "x")];
    assert_eq!(load(&RealDisk, runs.dir(), "20261114T083700-17").unwrap(), Some(record.clone()));
    assert_eq!(find(&RealDisk, runs.dir(), "17").unwrap(), Some(record.clone()));
    assert_eq!(runs.listed(10), ["20261114T083700-17"]);

    (record.ended_at, record.outcome) = (record.started_at, Ended::As(Outcome::Terminal));
    let left_by_a_power_cut = std::fs::read(runs.at(OPEN)).unwrap();
    runs.write(&record);
    assert!(!runs.at(OPEN).exists());
    std::fs::write(runs.at(OPEN), left_by_a_power_cut).unwrap();
    assert_eq!(load(&RealDisk, runs.dir(), "20261114T083700-17").unwrap(), Some(record));
    assert_eq!(runs.listed(10), ["20261114T083700-17"]);
    prune(&RealDisk, runs.dir(), "2027-11-14T12:00:00Z".parse().unwrap(), Limits::default()).unwrap();
    assert_eq!(runs.listed(10), Vec::<String>::new());
}

#[test]
fn what_a_crash_left_of_a_line_does_not_count_and_the_next_line_does() {
    let runs = Runs::new();
    let record = RunRecord { tasks: Vec::new(), ..run("20261114T083700-17") };
    settle(&RealDisk, runs.dir(), &record, &[done("a.md", "x")]).unwrap();
    let settled = std::fs::read(runs.at(OPEN)).unwrap();
    let names = || {
        let found = load(&RealDisk, runs.dir(), "20261114T083700-17").unwrap().unwrap();
        found.tasks.into_iter().map(|task| task.name).collect::<Vec<_>>()
    };
    for torn in [&br#"{"name":"b.md","acked":tr"#[..], b"\0\0\0\n", b"\n", br#"{"name":"b.md"}"#] {
        std::fs::write(runs.at(OPEN), [&settled, torn].concat()).unwrap();
        assert_eq!(names(), ["a.md"], "{torn:?}");
        settle(&RealDisk, runs.dir(), &record, &[done("c.md", "x")]).unwrap();
        assert!(names().contains(&"c.md".to_owned()), "{torn:?}");
    }
}

#[test]
fn results_are_kept_where_there_is_no_room_for_bodies() {
    let runs = Runs::new();
    let mut record = RunRecord { tasks: Vec::new(), ..run("20261114T083700-17") };
    let tasks = MAX_BODIES_BYTES / MAX_BODY_BYTES + 2;
    for number in 0..tasks {
        let task = done(&format!("{number:02}.md"), &"x".repeat(MAX_BODY_BYTES));
        settle(&RealDisk, runs.dir(), &record, std::slice::from_ref(&task)).unwrap();
        record.add_task(task);
    }
    let settled = load(&RealDisk, runs.dir(), "20261114T083700-17").unwrap().unwrap();
    for record in [settled, record] {
        assert!(record.tasks.len() == tasks && record.tasks.iter().all(TaskRecord::is_finished));
        assert!(!record.tasks[0].body_cut && record.tasks[tasks - 1].body_cut);
        assert!(record.tasks.iter().map(|task| task.body.len()).sum::<usize>() <= MAX_BODIES_BYTES);
    }
}

#[test]
fn only_a_terminal_result_of_this_very_task_that_was_acked_counts_as_finished() {
    let runs = Runs::new();
    let check = |name: &str, hash: &str, expect: bool, change: &dyn Fn(&mut RunRecord)| {
        let mut record = run("20261114T083700-1");
        change(&mut record);
        runs.write(&record);
        let record = load(&RealDisk, runs.dir(), &record.run_id).unwrap().unwrap();
        assert_eq!(record.task(name, hash).is_some_and(TaskRecord::is_finished), expect, "{record:?}");
    };
    check("prune.md", "00ff", true, &|_| {});
    check("prune.md", "00ff", true, &|record| record.tasks[0].body = "00ff".into());
    check("prune.md", "00ff", false, &|record| record.tasks[0].key = "other body".into());
    check("prune.md", "other body", true, &|record| record.tasks[0].key = "other body".into());
    check("prune.md", "00ff", false, &|record| record.tasks[0].name = "other.md".into());
    check("prune.md", "00ff", false, &|record| record.tasks[0].result = Some("PARTIAL_UPDATE: half".into()));
    check("prune.md", "00ff", false, &|record| record.tasks[0].result = None);
    // Paused before it was committed.
    check("prune.md", "00ff", false, &|record| record.tasks[0].acked = false);
}

#[test]
fn records_beyond_the_limits_go_the_oldest_first() {
    let ids = [
        "20260815T000000-1",
        "20260816T000000-2",
        "20261113T000000-3",
        "20261114T000000-4",
        "20261114T000000-5",
    ];
    let now = "2026-11-14T12:00:00Z".parse().unwrap();
    let check = |limits: Limits, kept: &[&str]| {
        let runs = Runs::holding(&ids);
        let removed = prune(&RealDisk, runs.dir(), now, limits).unwrap();
        assert_eq!(runs.listed(10), kept);
        assert_eq!(removed, ids.len() - kept.len());
        assert_eq!(prune(&RealDisk, runs.dir(), now, limits).unwrap(), 0);
    };
    check(
        Limits::default(),
        &["20261114T000000-5", "20261114T000000-4", "20261113T000000-3", "20260816T000000-2"],
    );
    check(Limits { max_records: 1, ..Limits::default() }, &["20261114T000000-5"]);
    check(Limits { max_age_days: 0, max_records: 10 }, &["20261114T000000-5", "20261114T000000-4"]);
}

#[test]
fn the_log_has_a_heading_and_one_readable_line_a_run() {
    let runs = Runs::new();
    append_log(&RealDisk, runs.dir(), &run("20261114T083700-17")).unwrap();
    let timed_out = RunRecord {
        run_id: "20261114T090000-18".into(),
        outcome: Ended::As(Outcome::Timeout),
        result: None,
        reason: Some("not finished at the deadline".into()),
        acked: Vec::new(),
        pending: vec!["prune.md".into()],
        took_ms: Some(60_002),
        ..run("")
    };
    append_log(&RealDisk, runs.dir(), &timed_out).unwrap();
    append_log(&RealDisk, runs.dir(), &timed_out).unwrap(); // Asked for again after a crash.
    assert_eq!(
        runs.log(),
        "# Runs\n\nThe newest is the last line. `subcortex runs show ID` shows a whole record.\n\n\
         - 2026-11-14T08:51:42Z 20261114T083700-17 memory-weaver terminal, acked 1, kept 0, took 14m 42s: UPDATED: 1 line\n\
         - 2026-11-14T08:51:42Z 20261114T090000-18 memory-weaver timeout, acked 0, kept 1, took 1m 00s: not finished at the deadline\n"
    );
}

#[test]
fn a_torn_last_line_of_the_log_gets_its_end_and_its_run_gets_a_whole_line() {
    let runs = Runs::new();
    std::fs::write(runs.at(LOG_FILE), "- 2026-11-14T08:51:42Z 20261114T083700-17 memo").unwrap();
    append_log(&RealDisk, runs.dir(), &run("20261114T083700-17")).unwrap();
    let log = runs.log();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], "- 2026-11-14T08:51:42Z 20261114T083700-17 memo");
    assert!(lines[1].ends_with("took 14m 42s: UPDATED: 1 line") && lines.len() == 2, "{log}");
}

#[test]
fn a_log_that_gets_too_long_keeps_its_newer_half() {
    let runs = Runs::new();
    let filler: String =
        (0..).map(|n| format!("- line {n:07}\n")).take(MAX_LOG_BYTES as usize / 15).collect();
    std::fs::write(runs.at(LOG_FILE), &filler).unwrap();
    append_log(&RealDisk, runs.dir(), &run("20261114T083700-17")).unwrap();
    let log = runs.log();
    assert!(log.len() < MAX_LOG_BYTES as usize * 6 / 10, "{}", log.len());
    let lines: Vec<&str> = log.lines().skip(4).collect();
    assert!(lines[0].len() == 14 && lines[0].starts_with("- line "), "{}", lines[0]);
    assert_eq!(lines[lines.len() - 2], filler.lines().last().unwrap());
    assert!(lines.last().unwrap().contains("20261114T083700-17"));
}

#[test]
fn the_log_is_never_without_its_earlier_lines_whichever_call_fails() {
    let dir = Path::new("/home/x/runs");
    for kind in FaultKind::ALL {
        for at_call in 1.. {
            let below = CrashDisk::new(dir);
            append_log(&below, dir, &run("20261114T083700-1")).unwrap();
            below.sync_dir(dir).unwrap();
            let disk = FaultyDisk::new(below.clone(), Fault { at_call, kind, then: Then::Once });
            let appended = append_log(&disk, dir, &run("20261114T083700-2"));
            for seed in 0..10 {
                let after = below.power_cut(seed);
                append_log(&after, dir, &run("20261114T083700-2")).unwrap();
                let log = subcortex_store::durable::read(&after, &dir.join(LOG_FILE), 1 << 20).unwrap();
                let log = String::from_utf8_lossy(&log).into_owned();
                let first = log.lines().find(|line| line.contains(" 20261114T083700-1 "));
                assert!(first.is_some_and(|line| line.ends_with("UPDATED: 1 line")), "{appended:?} {log}");
                assert!(log.contains(" 20261114T083700-2 ") && log.ends_with('\n'), "{appended:?} {log}");
            }
            if !disk.was_reached() {
                break;
            }
        }
    }
}
