//! A killed daemon: whatever it left, the next start accounts for.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{L1, L2, Scene};
use crate::support::{NthCall, TestHome, binary, has_program, side_by_side};

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

/// Calls that change files. Only the program's own thread is followed, which is where it writes.
const CHANGES: &str = "openat,write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,link,linkat";

/// Runs the loop `fix` as the daemon does, under `strace`.
fn run_under_strace(scene: &Scene, options: &[&str]) -> Output {
    let mut command = Command::new("strace");
    command.args(["-qq", "-y"]).args(options).arg(binary()).arg("--home").arg(scene.home.path(""));
    command.args(["loop", "run", "fix", "--json"]).env_clear().env("PATH", "/usr/bin:/bin");
    command.current_dir(scene.path("")).output().unwrap()
}

fn with_a_change_to_offer() -> Scene {
    let scene = Scene::in_home(TestHome::in_memory());
    scene.set("fix", L2, "echo two >> src/a.txt\necho 'UPDATED: x'");
    scene
}

/// The next start has to account for whatever is there, and the loop goes on.
fn check_accounted_for(scene: &Scene, when: &str) {
    scene.set("look", L1, "echo 'NO-OP: x'");
    scene.ends("look", 0, "quiet");
    scene.is_tidy();
    let log = scene.log("fix");
    assert!(log.matches("run#1 ").count() <= 1, "{when}: {log}");
    assert_eq!(scene.branches().len(), log.matches("outcome=offered").count(), "{when}: {log}");
    for entry in std::fs::read_dir(scene.home.path("var/loops")).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_file() {
            let text = std::fs::read_to_string(&entry).unwrap();
            let name = entry.file_name().unwrap().to_string_lossy().into_owned();
            assert!(name.ends_with(".json") && !text.contains("\"held\""), "{when}: {name}: {text}");
        }
    }
    let own = std::fs::read_dir(scene.path(".loops/fix")).unwrap();
    let mut own: Vec<String> = own.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    own.retain(|name| !["STATE.md", "run-log.md", "loop.config.yaml", "work.sh"].contains(&name.as_str()));
    let state = scene.state("fix");
    assert!(state.is_empty() || state.contains("## Priority"), "{when}: {state}");
    // The same files are on a branch by now, or will be.
    scene.ends("fix", 0, "offered");
    assert_eq!(scene.branches().len(), 1, "{when}");
    own.retain(|name| scene.path(&format!(".loops/fix/{name}")).exists());
    assert_eq!(own, [""; 0], "{when}: left beside its files");
    scene.is_tidy();
}

#[test]
fn a_kill_or_a_full_disk_at_every_write_of_a_run_leaves_nothing_that_the_next_start_does_not_account_for() {
    if !has_program("a kill at every write of a loop", "strace") {
        return;
    }
    let scene = with_a_change_to_offer();
    let log = scene.home.path("../strace.log");
    let trace = format!("trace={CHANGES}");
    let whole = run_under_strace(&scene, &["-o", log.to_str().unwrap(), "-e", &trace]);
    assert!(whole.status.success(), "{whole:?}");
    let calls = std::fs::read_to_string(log).unwrap();
    let is_the_runs = |call: &&str| {
        ["var/loops", "STATE.md", "run-log.md", "var/runs"].iter().any(|place| call.contains(place))
            && !call.contains("O_RDONLY")
    };
    let calls = NthCall::all_in(&calls);
    let points: Vec<&NthCall> =
        calls.iter().filter(|(_, line)| is_the_runs(line)).map(|(call, _)| call).collect();
    let kills = points.iter().map(|call| call.kill());
    let faults = points.iter().step_by(3).map(|call| call.fail("ENOSPC"));
    let all: Vec<String> = kills.chain(faults).collect();
    let died = AtomicUsize::new(0);
    side_by_side(&all, |fault| {
        let scene = with_a_change_to_offer();
        let ended = run_under_strace(&scene, &["-o", "/dev/null", "-e", fault]);
        died.fetch_add(usize::from(!ended.status.success()), Ordering::Relaxed);
        check_accounted_for(&scene, fault);
    });
    let died = died.into_inner();
    println!("{} points of {} calls, {} trials, {died} died", points.len(), calls.len(), all.len());
    assert!(died >= points.len(), "every kill kills, and only {died} did");
    assert!(points.len() > 20, "only {} of {}", points.len(), calls.len());
}
