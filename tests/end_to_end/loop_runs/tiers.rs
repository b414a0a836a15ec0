//! A loop of each tier over several cadences: its three files, its branches, its worktrees.

use super::{L1, L2, Scene};

#[test]
fn l1_looks_for_several_runs_and_items_move_between_the_sections_of_its_state() {
    let scene = Scene::new();
    let script = r#"cat > "$TMPDIR/prompt"
case $(grep -c run# "$SUBCORTEX_LOOP_DIR/run-log.md" 2>/dev/null || :) in
1) echo '{"status":"UPDATED","action":"triage","item":"one","outcome":"moved","priority":["two"],"watch":["one"],"noise":["three"],"tokens":40}' ;;
2) echo "UPDATED: $SUBCORTEX_TASK" ;;
3) echo 'NO-OP: nothing new' ;;
*) echo '{"status":"UPDATED","item":"links","priority":["[P1] one","two"],"tokens":30}' ;;
esac"#;
    scene.set("look", L1, script);
    for (run, word) in [(1, "done"), (2, "done"), (3, "done"), (4, "quiet")] {
        assert_eq!(scene.ends("look", 0, word), "", "run {run}");
    }
    let lines: Vec<String> =
        scene.log("look").lines().map(|line| line.split_once("  ").unwrap().1.to_owned()).collect();
    assert_eq!(
        lines,
        [
            "run#1  action=report  links  outcome=done  tokens=30",
            "run#2  action=triage  one  outcome=moved  tokens=40",
            "run#3  action=report  two  outcome=done  tokens=0",
            "run#4  action=none  -  outcome=quiet  tokens=0",
        ]
    );
    let state = scene.state("look");
    let (head, rest) = state.split_once("\n_Updated: ").unwrap();
    let (_, rest) = rest.split_once(" · run #4 · readiness 100/100_\n\n").unwrap();
    let (sections, source) = rest.split_once("---\n_Source: command, run ").unwrap();
    assert_eq!(head, "# look — STATE");
    assert_eq!(
        sections,
        "## Priority   (act on these next)\n\n## Watch     (not yet actionable)\n- one\n\n## Noise      (seen + dismissed this run)\n\n"
    );
    assert!(source.ends_with(" · config: loop.config.yaml_\n"), "{source}");
    scene.is_tidy();
    // The tokens that a program reports are in its record and in the account.
    let runs = scene.home.json(&["runs", "--json"]);
    let second = runs.as_array().unwrap().iter().find(|run| run["result"] == "UPDATED: one").unwrap();
    let record = scene.home.json(&["runs", "show", second["run_id"].as_str().unwrap(), "--json"]);
    assert_eq!((&record["tokens"], &record["partition"]), (&40.into(), &"loop:repo/look".into()), "{record}");
    let listed = scene.loops(&["list", "--json"]).out;
    assert!(listed.contains("\"tokens_today\": 70"), "{listed}");
}

#[test]
fn l1_can_write_nothing_but_its_state_whatever_it_tries() {
    let scene = Scene::new();
    let before = scene.git(&["rev-parse", "HEAD"]);
    let script = r#"for file in README.md src/new .loops/look/loop.config.yaml .loops/look/run-log.md .loops/look/PAUSED .git/config "$SUBCORTEX_HOME/memory/CLAUDE.md"; do
  (echo hacked >> "$file") 2>/dev/null && echo "wrote $file"
done
git commit --allow-empty -m hacked 2>/dev/null && echo committed
rm README.md 2>/dev/null && echo removed
echo '- [P1] written by the engine' > "$TMPDIR/x"
sed '/^## Priority/r '"$TMPDIR/x" "$SUBCORTEX_LOOP_STATE" > "$TMPDIR/state" && cat "$TMPDIR/state" > "$SUBCORTEX_LOOP_STATE"
echo 'UPDATED: tried everything'"#;
    scene.set("look", L1, &script.replace("set -eu", ""));
    std::fs::write(scene.path(".loops/look/work.sh"), script).unwrap();
    scene.ends("look", 0, "done");
    let runs = scene.home.json(&["runs", "--json"]);
    let record = scene.home.json(&["runs", "show", runs[0]["run_id"].as_str().unwrap(), "--json"]);
    assert_eq!(record["output"].as_str().unwrap().trim(), "UPDATED: tried everything", "{record}");
    assert_eq!(scene.read("README.md"), "read me\n");
    assert_eq!(
        (scene.git(&["rev-parse", "HEAD"]), scene.git(&["status", "--porcelain"])),
        (before, "?? .loops/".into())
    );
    assert!(scene.state("look").contains("- [P1] written by the engine\n"), "its state is its own");
}

#[test]
fn l2_leaves_a_passing_change_on_a_branch_and_nothing_else() {
    let scene = Scene::new();
    scene.set("fix", L2, "echo two >> src/a.txt\necho new > src/b.txt\necho 'UPDATED: two more'");
    let (code, ran) = scene.run("fix");
    assert_eq!((code, ran["branch"].as_str()), (0, Some("loop/fix/1")), "{ran}");
    assert_eq!(scene.git(&["show", "loop/fix/1:src/a.txt"]), "one\ntwo");
    assert_eq!(scene.git(&["diff", "--name-only", "main", "loop/fix/1"]), "src/a.txt\nsrc/b.txt");
    assert_eq!(
        scene.git(&["log", "-1", "--format=%an|%ae|%s", "loop/fix/1"]),
        "subcortex loop fix|loop@subcortex.invalid|loop fix: UPDATED: two more"
    );
    assert_eq!(scene.git(&["rev-parse", "loop/fix/1^"]), scene.git(&["rev-parse", "main"]));
    assert_eq!(scene.git(&["status", "--porcelain"]), "?? .loops/", "an untracked .loops is nobody's change");
    assert!(scene.log("fix").contains("run#1  action=change  -  outcome=offered  tokens=0"));
    scene.is_tidy();
    // The same change again needs no second branch; another one does.
    scene.ends("fix", 0, "offered");
    assert_eq!(scene.branches(), ["loop/fix/1"]);
    scene.set("fix", L2, "echo three >> src/a.txt\necho 'UPDATED: three'");
    scene.ends("fix", 0, "offered");
    assert_eq!(scene.branches(), ["loop/fix/1", "loop/fix/3"]);
    // A run that changes nothing is quiet.
    scene.set("fix", L2, "echo 'UPDATED: I say so'");
    scene.ends("fix", 0, "quiet");
    assert!(scene.log("fix").trim_end().ends_with("run#4  action=none  -  outcome=quiet  tokens=0"));
    scene.is_tidy();
}

#[test]
fn l3_runs_only_where_its_config_says_what_isolates_it() {
    let scene = Scene::new();
    let l3 = L2.replace("tier: L2", "tier: L3").replace("acceptEdits", "bypassPermissions");
    let script = "echo hacked >> \"$SUBCORTEX_LOOP_DIR/loop.config.yaml\" 2>/dev/null || :\necho two >> src/a.txt\necho 'UPDATED: two'";
    scene.set("act", &l3, script);
    let why = scene.ends("act", 2, "refused");
    assert!(why.contains("isolat"), "{why}");
    scene.set(
        "act",
        &l3.replace("land_via: pull request", "land_via: pull request out of its sandbox"),
        script,
    );
    scene.ends("act", 0, "offered");
    assert!(!scene.read(".loops/act/loop.config.yaml").contains("hacked"));
    assert_eq!(scene.branches(), ["loop/act/2"]);
    scene.is_tidy();
}

#[test]
fn the_daemon_runs_loops_at_their_cadence_and_by_their_log_it_knows_when() {
    let scene = Scene::new();
    scene.set("look", L1, "echo 'NO-OP: all is well'");
    scene.set("fix", L2, "echo $SUBCORTEX_RUN_ID >> src/a.txt\necho 'UPDATED: one more'");
    scene.settings("");
    let daemon = scene.home.daemon();
    for cadence in 1..=3 {
        daemon.wait_for_all(&["loop run ended", "loop:repo/"]);
        daemon.wait_for_all(&["loop run ended", "loop:repo/"]);
        for name in ["look", "fix"] {
            let log = scene.log(name);
            assert_eq!(log.lines().count(), cadence, "{log}");
            if cadence == 3 {
                continue;
            }
            // Twenty minutes pass.
            let last = log.lines().last().unwrap();
            let (at, rest) = last.split_once("  ").unwrap();
            let earlier = at.parse::<jiff::Timestamp>().unwrap() - jiff::SignedDuration::from_mins(21);
            let lines: Vec<&str> = log.lines().take(cadence - 1).collect();
            let old: String = lines.iter().map(|line| format!("{line}\n")).collect();
            scene.write(&format!(".loops/{name}/run-log.md"), &format!("{old}{earlier:.0}  {rest}\n"));
        }
    }
    assert_eq!(scene.branches().len(), 3);
    let status = scene.home.json(&["status", "--json"]);
    let names: Vec<&str> =
        status["loops"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["fix", "look"]);
    // Also through the daemon one runs now, whatever its cadence.
    scene.ends("look", 0, "quiet");
    daemon.signal("TERM");
    assert!(daemon.end().success());
    scene.is_tidy();
}
