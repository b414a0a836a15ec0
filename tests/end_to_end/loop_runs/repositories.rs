//! Repositories in all the states that people leave them in, and files that change under a run.

use super::{L1, L2, Scene, git_in};

const CHANGES: &str = "echo two >> src/a.txt\necho 'UPDATED: two'";

#[track_caller]
fn waits(scene: &Scene, part: &str) {
    scene.set("fix", L2, CHANGES);
    let before = scene.git(&["status", "--porcelain=v2", "--branch"]);
    let why = scene.ends("fix", 3, "deferred");
    assert!(why.contains(part), "{why}");
    assert_eq!(scene.git(&["status", "--porcelain=v2", "--branch"]), before, "nothing was touched");
    assert!(scene.log("fix").contains("outcome=deferred"), "{}", scene.log("fix"));
    scene.is_tidy();
    // Who only looks can look at anything.
    scene.set("look", L1, "echo 'NO-OP: fine'");
    scene.ends("look", 0, "quiet");
}

#[test]
fn a_change_waits_while_the_repository_is_in_the_middle_of_something() {
    let scene = Scene::new();
    scene.git(&["checkout", "--quiet", "-b", "topic"]);
    scene.write("src/a.txt", "topic\n");
    scene.commit("topic");
    scene.git(&["checkout", "--quiet", "main"]);
    scene.write("src/a.txt", "main\n");
    scene.commit("main");
    let rebase = std::process::Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@b", "rebase", "topic"])
        .current_dir(scene.path(""))
        .output()
        .unwrap();
    assert!(!rebase.status.success(), "the rebase stops at a conflict");
    waits(&scene, "in the middle of a rebase");
}

#[test]
fn a_change_waits_for_a_branch_and_for_a_commit() {
    let scene = Scene::new();
    scene.git(&["checkout", "--quiet", "--detach"]);
    waits(&scene, "HEAD is detached");
    waits(&Scene::empty(), "no commit yet");
    let no_git = Scene::new();
    std::fs::rename(no_git.path(".git"), no_git.path("../gone")).unwrap();
    no_git.set("fix", L2, CHANGES);
    assert!(no_git.ends("fix", 2, "refused").contains("not a git repository"));
}

#[test]
fn what_is_not_committed_is_left_alone_and_not_seen() {
    let scene = Scene::new();
    scene.write("src/a.txt", "dirty\n");
    scene.write("untracked", "x\n");
    scene.git(&["add", "src/a.txt"]);
    scene.set("fix", L2, CHANGES);
    let before = scene.git(&["status", "--porcelain"]);
    scene.ends("fix", 0, "offered");
    assert_eq!(scene.git(&["status", "--porcelain"]), before);
    assert_eq!(scene.git(&["show", "loop/fix/1:src/a.txt"]), "one\ntwo");
    let runs = scene.home.json(&["runs", "--json"]);
    let record = scene.home.json(&["runs", "show", runs[0]["run_id"].as_str().unwrap(), "--json"]);
    assert!(record["reason"].as_str().unwrap().contains("not committed"), "{record}");
}

#[test]
fn submodules_hostile_branches_and_hostile_names_do_no_harm() {
    let scene = Scene::new();
    let other = scene.path("../other");
    std::fs::create_dir_all(&other).unwrap();
    git_in(&other, &["init", "--quiet"]);
    git_in(&other, &["commit", "--quiet", "--allow-empty", "-m", "x"]);
    scene.git(&["submodule", "--quiet", "add", other.to_str().unwrap(), "src/module"]);
    scene.write("src/odd \"name\"\n$(touch pwned)", "x\n");
    scene.write("src/-rf", "x\n");
    scene.commit("odd");
    scene.git(&["checkout", "--quiet", "-b", "odd;$(touch${IFS}pwned)"]);
    scene.set("fix", L2, "echo y > 'src/odd \"name\"\n$(touch pwned)'\necho y > src/-rf\necho z > 'src/new\n`id`'\necho 'UPDATED: odd'");
    scene.ends("fix", 0, "offered");
    assert_eq!(scene.git(&["diff", "--name-only", "-z", "HEAD", "loop/fix/1"]).split('\0').count(), 4);
    assert!(!scene.path("pwned").exists());
    // What would change the submodule is not in the scope of anybody.
    scene.set("fix", L2, "rmdir src/module\necho 'UPDATED: gone'");
    scene.ends("fix", 1, "scope");
    scene.is_tidy();
}

#[test]
fn a_state_that_a_person_edits_in_mid_run_is_merged_and_never_lost() {
    let scene = Scene::new();
    scene.write(".loops/look/STATE.md", "## Priority\n- one\n- two\n");
    let edit = format!(
        "printf '## Priority\\n- mine\\n- one\\n- two\\ncall Bob\\n## Watch\\n- also mine\\n' > {}\n",
        "\"$SUBCORTEX_LOOP_STATE\""
    );
    scene.set(
        "look",
        L1,
        &format!("{edit}echo '{{\"status\":\"UPDATED\",\"priority\":[\"two\",\"three\"]}}'"),
    );
    scene.ends("look", 0, "done");
    let state = scene.state("look");
    let lines: Vec<&str> =
        state.lines().filter(|line| line.starts_with("- ") || line.contains("Bob")).collect();
    assert_eq!(lines, ["- mine", "- two", "- three", "call Bob", "- also mine"], "{state}");
}

#[test]
fn a_torn_line_of_the_log_stays_one_line_and_a_damaged_state_stays_readable() {
    let scene = Scene::new();
    scene.write(
        ".loops/look/run-log.md",
        "2026-01-01T00:00:00Z  run#7  action=none  -  outcome=quiet  tokens=0\n2026-01-02T00:0",
    );
    std::fs::create_dir_all(scene.path(".loops/look")).unwrap();
    std::fs::write(scene.path(".loops/look/STATE.md"), b"\xff\xfe words\n## Priority\n- keep \xff this\n")
        .unwrap();
    scene.set("look", L1, "echo 'NO-OP: x'");
    scene.ends("look", 0, "quiet");
    let log = scene.log("look");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!((lines.len(), lines[1]), (3, "2026-01-02T00:0"));
    assert!(lines[2].contains("run#8  action=none"), "{log}");
    assert!(scene.state("look").contains("this\n"), "{}", scene.state("look"));
}

#[test]
fn an_engine_that_says_nothing_known_fails_or_leaves_processes_is_told_of() {
    let scene = Scene::new();
    scene.set("look", L1, "echo all good");
    scene.ends("look", 1, "invalid");
    scene.set("look", L1, "echo it broke >&2; exit 3");
    assert_eq!(scene.ends("look", 1, "failed"), "exit code 3: it broke");
    scene.config("look", &format!("{L1}{}command: [./not-there]\n", super::COMMON));
    scene.ends("look", 2, "refused");
    let state = scene.state("look");
    assert_eq!(state.matches("RUN STOPPED").count(), 1, "only the last one: {state}");
}
