//! What can be counted, as Prometheus' own tool reads it; and the log as the journal of systemd reads it.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{TestHome, has_program};

/// How long a run may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What the tool says of a text: nothing when it has nothing to say.
fn promtool(text: &str) -> String {
    let mut tool = Command::new("promtool");
    tool.args(["check", "metrics"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut tool = tool.spawn().unwrap();
    tool.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let said = tool.wait_with_output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr))
}

/// The value of a sample.
fn value(text: &str, sample: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(sample)?.trim().parse().ok())
}

#[test]
fn the_metrics_of_a_home_with_and_without_a_daemon_are_what_promtool_wants() {
    let home = TestHome::new();
    home.write("memory/CLAUDE.md", "- Use pnpm, never npm.\n- Be nice.\n");
    let quiet = home.run(&["metrics"]);
    assert_eq!(quiet.code, 0, "{quiet:?}");
    assert_eq!(value(&quiet.out, "subcortex_up "), Some(0.0));
    assert_eq!(value(&quiet.out, "subcortex_lines{state=\"tested\"}"), Some(1.0), "{}", quiet.out);
    assert_eq!(value(&quiet.out, "subcortex_lines{state=\"not_testable\"}"), Some(1.0));

    home.says("s1", "hello there");
    let daemon = home.daemon();
    home.write("subconscious/memory-weaver/inbox/a \"task\".md", "scan the log");
    let until = Instant::now() + PATIENCE;
    let text = loop {
        let text = home.run(&["metrics"]).out;
        if text.contains("subcortex_runs_total{partition=\"memory-weaver\"") {
            break text;
        }
        assert!(Instant::now() < until, "no run was counted: {text}");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(value(&text, "subcortex_up "), Some(1.0));
    assert!(value(&text, "subcortex_spine_bytes ").unwrap() > 100.0, "{text}");
    assert!(value(&text, "subcortex_ticks_total ").unwrap() >= 1.0, "{text}");
    for name in [
        "subcortex_tick_lag_seconds",
        "subcortex_inbox_tasks",
        "subcortex_held_tasks",
        "subcortex_tokens_today",
    ] {
        assert!(text.contains(&format!("# TYPE {name} ")), "{name}: {text}");
    }
    assert!(text.contains("subcortex_line_follow_rate_bucket{le=\"+Inf\"}"), "{text}");
    drop(daemon);
    let test = "the_metrics_of_a_home_with_and_without_a_daemon_are_what_promtool_wants";
    if !has_program(test, "promtool") {
        return;
    }
    assert_eq!(promtool(&quiet.out), "");
    assert_eq!(promtool(&text), "");
    assert_ne!(promtool("subcortex_up{ 1\n"), "", "the tool would say if it were wrong");
}

/// The lines of a daemon's standard error, which lead to a stream that `$JOURNAL_STREAM` names, or does not.
fn stderr_lines(names_it: bool) -> Vec<String> {
    let home = TestHome::new();
    let path = home.path("stderr");
    let stream = File::create(&path).unwrap();
    let facts = stream.metadata().unwrap();
    let inode = if names_it { facts.ino() } else { facts.ino() + 1 };
    home.write("config/subcortex.yaml", "log: { level: debug }\n");
    let mut daemon = home
        .command(&["run"])
        .env("JOURNAL_STREAM", format!("{}:{inode}", facts.dev()))
        .stderr(stream)
        .spawn()
        .unwrap();
    let until = Instant::now() + PATIENCE;
    let text = loop {
        let text = std::fs::read_to_string(&path).unwrap();
        if text.contains("daemon started") {
            break text;
        }
        assert!(Instant::now() < until, "it did not start: {text}");
        std::thread::sleep(Duration::from_millis(20));
    };
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let log = std::fs::read_to_string(home.path("var/log/daemon.log")).unwrap();
    assert!(log.lines().all(|line| line.starts_with("20")), "the file has the time: {log}");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_journal_is_told_how_much_each_line_matters() {
    let journal = stderr_lines(true);
    let started = journal.iter().find(|line| line.contains("daemon started")).unwrap();
    assert!(started.starts_with("<6>INFO  daemon started"), "{started}");
    assert!(journal.iter().all(|line| line.starts_with('<')), "{journal:?}");
    let terminal = stderr_lines(false);
    assert!(terminal.iter().all(|line| line.starts_with("20")), "{terminal:?}");
}
