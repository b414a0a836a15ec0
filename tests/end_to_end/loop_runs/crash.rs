//! A killed daemon: whatever it left, the next start accounts for.

use super::{L1, L2, Scene};

#[test]
fn the_next_start_accounts_for_every_worktree_and_branch_of_a_killed_daemon() {
    let scene = Scene::new();
    scene.set("fix", L2, "echo two >> src/a.txt\nsleep 600\necho 'UPDATED: x'");
    scene.set("look", L1, "sleep 600");
    scene.settings("");
    let daemon = scene.home.daemon();
    daemon.wait_for("loop holds");
    daemon.wait_for("loop holds");
    while !scene.home.path("var/loops/worktrees").read_dir().is_ok_and(|mut dir| dir.next().is_some()) {
        std::thread::yield_now();
    }
    daemon.signal("KILL");
    assert!(!daemon.end().success());
    assert_eq!(scene.log("fix"), "");

    for name in ["fix", "look"] {
        scene.set(name, L1, "echo 'NO-OP: x'");
    }
    let daemon = scene.home.daemon();
    // Whoever asks for a run gets it after everything is accounted for.
    scene.ends("look", 0, "quiet");
    drop(daemon);
    for name in ["fix", "look"] {
        let log = scene.log(name);
        assert!(log.lines().next().unwrap().contains("run#1  action=work  -  outcome=interrupted"), "{log}");
    }
    scene.is_tidy();
    assert_eq!(scene.branches(), [""; 0]);
}

#[test]
fn a_branch_that_passed_its_gates_just_before_the_kill_is_kept_and_told_of() {
    let scene = Scene::new();
    scene.set("fix", L2, "echo two >> src/a.txt\necho 'UPDATED: x'");
    scene.ends("fix", 0, "offered");
    // As if the daemon had died between the branch and everything that follows.
    let memory = std::fs::read_dir(scene.home.path("var/loops")).unwrap().map(|entry| entry.unwrap().path());
    let memory = memory.filter(|path| path.extension().is_some_and(|kind| kind == "json")).last().unwrap();
    let worktree = scene.home.path("var/loops/worktrees/left");
    scene.git(&["worktree", "add", "--quiet", "--detach", worktree.to_str().unwrap()]);
    let mut json: serde_json::Value = serde_json::from_slice(&std::fs::read(&memory).unwrap()).unwrap();
    json["held"] = serde_json::json!({"run_id": "20260101T000000-fix-1", "run": 1, "since": "2026-01-01T00:00:00Z",
        "worktree": worktree, "branch": "loop/fix/1"});
    std::fs::write(&memory, json.to_string()).unwrap();
    std::fs::remove_file(scene.path(".loops/fix/run-log.md")).unwrap();
    scene.set("look", L1, "echo 'NO-OP: x'");
    scene.ends("look", 0, "quiet");
    assert!(scene.log("fix").contains("run#1  action=change  -  outcome=offered"), "{}", scene.log("fix"));
    assert_eq!(scene.branches(), ["loop/fix/1"]);
    scene.is_tidy();
}
