//! The kill switch, again and again: nothing stays alive, and nothing starts while it is set.
//!
//! How fast it is is measured by the benchmark.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::partitions::{drop_task, home, inbox, run_records, script};

const TRIALS: usize = 10;
/// The program, its child, and one that left its session and its parent.
const PROCESSES: usize = 3;

/// The processes that work in a directory.
fn alive_in(dir: &Path) -> Vec<PathBuf> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok).map(|entry| entry.path());
    processes.filter(|path| std::fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == dir)).collect()
}

#[test]
fn the_kill_switch_leaves_nothing_alive_and_lets_nothing_start_in_any_of_its_trials() {
    let home = home();
    script(
        &home,
        "worker",
        "cooldown_ticks: 0, max_duration_ms: 600000",
        "trap '' TERM\n(setsid sleep 600 &)\nsleep 600 & wait\nsleep 600",
    );
    let dir = home.path("subconscious/worker").canonicalize().unwrap();
    let daemon = home.daemon();
    drop_task(&home, "worker", "task.md", "x");
    for trial in 0..TRIALS {
        let until = Instant::now() + Duration::from_secs(60);
        while alive_in(&dir).len() < PROCESSES {
            assert!(Instant::now() < until, "no run came in trial {trial}");
            std::thread::yield_now();
        }
        home.write("PAUSED", "");
        let ended = daemon.wait_for("run ended");
        assert!(ended.contains("outcome=paused"), "{ended}");
        assert_eq!(alive_in(&dir), Vec::<PathBuf>::new(), "trial {trial}");
        // Whatever gives reason to start now does not.
        drop_task(&home, "worker", &format!("tempting-{trial}.md"), "x");
        assert_eq!(home.run(&["tick", "--partition", "worker"]).code, 5, "trial {trial}");
        daemon.wait_for(" tick ");
        assert_eq!(alive_in(&dir), Vec::<PathBuf>::new(), "trial {trial}");
        if trial + 1 < TRIALS {
            std::fs::remove_file(home.path("PAUSED")).unwrap();
        }
    }
    daemon.signal("TERM");
    assert!(daemon.end().success());
    assert_eq!(run_records(&home).len(), TRIALS, "one run a trial, and none while the switch was set");
    assert_eq!(inbox(&home, "worker").len(), TRIALS + 1, "no task is lost");
}
