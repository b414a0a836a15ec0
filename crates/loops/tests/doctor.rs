//! A loop and its surroundings in, what would keep it from running out.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)]

use subcortex_loops::LoopPlace;
use subcortex_loops::config::LoopConfig;
use subcortex_loops::doctor::{Around, Health, examine};
use subcortex_store::RealDisk;

const FINE: &str = "tier: L2\nengine: claude\nverify: CI=1 make test\nguard: test -f x\nkill_switch: .loops/PAUSED\nbudget_tokens: 20000\n";

/// What is not fine, broken things with `!`, in a repository in which only `make`, `git` and `claude` can be found.
fn found(config: &str, is_repository: bool) -> Vec<String> {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join(".loops/x")).unwrap();
    if is_repository {
        std::fs::create_dir(root.path().join(".git")).unwrap();
    }
    let place = LoopPlace { dir: root.path().join(".loops/x"), root: root.path().to_owned() };
    let find_program = |name: &str| match name {
        "make" | "git" | "claude" => Ok(format!("/bin/{name}")),
        other => Err(format!("{other} is not there")),
    };
    let around = Around {
        place: &place,
        disk: &RealDisk,
        find_program: &find_program,
        agents: &[("claude", "claude".to_owned()), ("codex", "codex".to_owned())],
        has_endpoint: false,
        tokens_per_run: Some(200_000),
    };
    let seen = examine(&LoopConfig::parse(config).unwrap(), &around);
    let marked = |health| if health == Health::Broken { "!" } else { "" };
    let bad = seen.iter().filter(|seen| seen.health != Health::Fine);
    bad.map(|seen| format!("{}{}", seen.about, marked(seen.health))).collect()
}

#[test]
fn a_loop_that_has_everything_is_fine() {
    assert_eq!(found(FINE, true), [""; 0]);
    assert_eq!(found("tier: L1\nengine: claude\nkill_switch: a-label\nbudget_tokens: 1\n", false), [""; 0]);
}

#[test]
fn each_thing_that_is_missing_is_named() {
    for (from, to, expect) in [
        ("engine: claude", "engine: codex", "engine!"),
        ("engine: claude", "engine: api", "engine!"),
        ("engine: claude", "engine: gpt", "engine!"),
        ("engine: claude\n", "", "engine!"),
        ("engine: claude", "engine: command", "engine!"),
        ("engine: claude", "engine: command\ncommand: [nothing]", "engine!"),
        ("make test", "ninja", "verify!"),
        ("make test", "\"$RUNNER all\"", "verify"),
        ("make test", "\"<fill in the tests>\"", "verify!"),
        ("test -f x", "./guard.sh", "guard!"),
        (".loops/PAUSED", "not/there/PAUSED", "kill_switch!"),
        ("20000", "200001", "budget!"),
        ("20000", "100001", "budget"),
        ("budget_tokens: 20000", "", "budget"),
    ] {
        assert_eq!(found(&FINE.replace(from, to), true), [expect], "{to}");
    }
    assert_eq!(found(FINE, false), ["git!"]);
    assert_eq!(found(&FINE.replace("claude", "command\ncommand: [make, -j2]"), true), [""; 0]);
}
