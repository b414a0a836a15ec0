//! Several loops: priority, contention, silence.

use super::{L1, L2, Scene};

#[test]
fn of_two_loops_on_one_worktree_the_lower_waits_for_its_next_cadence() {
    let scene = Scene::new();
    let shared = L2.replace("worktree: true", "worktree: ../common-tree");
    let together = "test ! -e src/held\necho x > src/held\nsleep 3\nrm src/held\necho \"$SUBCORTEX_PARTITION\" >> src/a.txt\necho 'UPDATED: x'";
    scene.set("low", &shared.replace("ci-watch", "freshness"), together);
    scene.set("high", &shared, together);
    scene.settings("");
    let daemon = scene.home.daemon();
    daemon.wait_for_all(&["loop holds", "loop:repo/high", "common-tree"]);
    daemon.wait_for_all(&["loop run ended", "loop:repo/high", "outcome=offered"]);
    let log = scene.log("low");
    assert!(log.contains("action=none  ") && log.contains("outcome=deferred  tokens=0"), "{log}");
    assert!(log.contains(".loops/high"), "it says who holds it: {log}");
    assert_eq!(scene.branches(), ["loop/high/1"]);
    let low = scene.loops(&["list", "low", "--json"]).out;
    assert!(low.contains("\"last_outcome\": \"deferred\""), "{low}");
    assert!(!scene.path("../common-tree").exists());
}

#[test]
fn a_worktree_where_something_is_already_is_left_alone() {
    let scene = Scene::new();
    scene.write("../common-tree/mine", "x");
    scene.set("fix", &L2.replace("worktree: true", "worktree: ../common-tree"), "echo 'UPDATED: x'");
    let why = scene.ends("fix", 3, "deferred");
    assert!(why.contains("common-tree") && scene.path("../common-tree/mine").exists(), "{why}");
}

#[test]
fn a_loop_that_is_silent_for_twice_its_cadence_is_down_and_one_that_fell_shows_it() {
    let scene = Scene::new();
    scene.settings("");
    scene.set("look", L1, "echo 'NO-OP: x'");
    scene.ends("look", 0, "quiet");
    let log = scene.log("look");
    scene.write(".loops/look/run-log.md", &log.replace(&log[..10], "2026-01-01"));
    let status = scene.home.json(&["status", "--json"]);
    assert_eq!(status["loops"][0]["state"], "down", "{status}");
    let words = scene.home.run(&["status"]).out;
    assert!(words.contains("silent for more than twice its cadence (10m)"), "{words}");

    let config = scene.read(".loops/look/loop.config.yaml");
    scene.write(".loops/look/loop.config.yaml", &config.replace("pattern: daily-scan\n", ""));
    scene.ends("look", 0, "quiet");
    let words = scene.home.run(&["status"]).out;
    assert!(words.contains("100->9"), "{words}");
    assert!(scene.state("look").contains("readiness 9"), "{}", scene.state("look"));
}

#[test]
fn ten_branches_that_nobody_lands_are_enough() {
    let scene = Scene::new();
    for number in 1..=10 {
        scene.git(&[
            "branch",
            &format!("loop/fix/{number}"),
            &scene.git(&["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", &number.to_string()]),
        ]);
    }
    scene.set("fix", L2, "echo 'UPDATED: x'");
    let why = scene.ends("fix", 3, "deferred");
    assert!(why.contains("10 branches loop/fix/* wait to be landed"), "{why}");
}
