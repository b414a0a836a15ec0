//! Kill switches: before a run, and in the middle of one.

use std::time::{Duration, Instant};

use super::{COMMON, L1, L2, Scene};

#[test]
fn each_kill_switch_keeps_a_loop_from_running_and_leaves_no_trace() {
    let scene = Scene::new();
    scene.set("look", L1, "echo 'NO-OP: x'");
    let config = scene.read(".loops/look/loop.config.yaml").replace(".loops/PAUSED", "ops/STOP");
    scene.write(".loops/look/loop.config.yaml", &config);
    let home = scene.home.path("PAUSED");
    for switch in
        [scene.path(".loops/PAUSED"), scene.path(".loops/look/PAUSED"), scene.path("ops/STOP"), home]
    {
        std::fs::create_dir_all(switch.parent().unwrap()).unwrap();
        std::fs::write(&switch, "").unwrap();
        let why = scene.ends("look", 5, "paused");
        assert!(why.contains(switch.file_name().unwrap().to_str().unwrap()), "{why}");
        std::fs::remove_file(&switch).unwrap();
    }
    // Any doubt means paused.
    std::os::unix::fs::symlink("/nowhere", scene.path(".loops/PAUSED")).unwrap();
    scene.ends("look", 5, "paused");
    std::fs::remove_file(scene.path(".loops/PAUSED")).unwrap();
    assert_eq!(scene.log("look"), "");
    scene.ends("look", 0, "quiet");
}

#[test]
fn a_label_is_asked_for_and_no_answer_means_paused() {
    let scene = Scene::new();
    let tools = scene.path("../tools");
    std::fs::create_dir_all(&tools).unwrap();
    scene.set("look", L1, "echo 'NO-OP: x'");
    let config = scene.read(".loops/look/loop.config.yaml").replace(".loops/PAUSED", "'label:loop-pause'");
    scene.write(".loops/look/loop.config.yaml", &config);
    let run = |answer: Option<&str>| {
        let gh = tools.join("gh");
        if let Some(answer) = answer {
            std::fs::write(&gh, format!("#!/bin/sh\ntest \"$*\" = 'issue list --state open --limit 1 --json number --label loop-pause' || exit 9\n{answer}\n")).unwrap();
            std::fs::set_permissions(&gh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let path = format!("{}:/usr/bin:/bin", tools.display());
        scene.command(&["loop", "run", "look"]).env("PATH", path).output().unwrap().status.code()
    };
    assert_eq!(run(None), Some(5), "there is nobody to ask");
    assert_eq!(run(Some("exit 1")), Some(5));
    assert_eq!(run(Some("echo '[{\"number\":3}]'")), Some(5));
    assert_eq!(run(Some("echo '[]'")), Some(0));
}

#[test]
fn a_switch_ends_a_run_that_is_under_way_and_nothing_of_it_counts() {
    let scene = Scene::new();
    scene.set("fix", L2, "echo two >> src/a.txt\nsleep 600\necho 'UPDATED: two'");
    scene.settings("");
    let daemon = scene.home.daemon();
    daemon.wait_for_all(&["loop holds", "loop/fix/1"]);
    let held = scene.loops(&["list"]).out;
    assert!(held.contains("running") && held.contains("holds worktree "), "{held}");
    let set = Instant::now();
    scene.write(".loops/fix/PAUSED", "");
    daemon.wait_for_all(&["loop run ended", "outcome=paused"]);
    // Generous: a second is meant, and other tests run beside this one.
    assert!(set.elapsed() < Duration::from_secs(20));
    assert_eq!(scene.branches(), [""; 0]);
    assert!(scene.log("fix").contains("outcome=paused"));
    scene.is_tidy();
    let status = scene.home.json(&["status", "--json"]);
    assert!(status["loops"][0]["name"] == "fix", "{status}");
}

#[test]
fn a_daemon_that_stops_ends_runs_and_gives_back_what_they_hold() {
    let scene = Scene::new();
    scene.config("fix", &format!("{L2}{COMMON}command: [sleep, '600']\n"));
    scene.settings("");
    let daemon = scene.home.daemon();
    daemon.wait_for_all(&["loop holds", "loop/fix/1"]);
    daemon.signal("TERM");
    assert!(daemon.end().success());
    scene.is_tidy();
    assert!(scene.log("fix").contains("outcome=interrupted"), "{}", scene.log("fix"));
}
