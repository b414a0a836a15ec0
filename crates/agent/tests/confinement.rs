//! Where paths from a model lead: never out of the write root.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests write files and stop at the first surprise"
)]

mod support;

use std::os::unix::fs::symlink;

use proptest::prelude::*;
use serde_json::json;
use support::{FOREIGN, World};

/// Runs a future to its end.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// One call of `read_file` or `write_file` with what it takes.
fn call(tool: &str, path: &str) -> String {
    let args =
        if tool == "read_file" { json!({"path": path}) } else { json!({"path": path, "content": "mine"}) };
    json!({"tool": tool, "args": args}).to_string()
}

/// What the notes say about one call with a path.
fn note_of(world: &World, tool: &str, path: &str) -> String {
    let answer = call(tool, path);
    let before = world.surroundings();
    let (_, state, told) = block_on(world.converse([answer, "no".into()]));
    assert_eq!(world.surroundings(), before, "{tool} {path:?}");
    assert!(!told.contains(FOREIGN), "{tool} {path:?} gave what is not the worker's");
    state.notes.lines().next().unwrap().to_owned()
}

#[track_caller]
fn check(world: &World, tool: &str, path: &str, expect: &str) {
    assert_eq!(
        support::without_args(&note_of(world, tool, path)).trim_end(),
        format!("[TOOL ERROR] {tool}: {expect}")
    );
}

#[test]
fn refusals_say_why_and_what_to_do() {
    let world = World::with_traps();
    let up = |path| {
        format!("`{path}` contains `..`, and a path may only lead down: name the file from the root on")
    };
    let folder = |path| format!("`{path}` names a folder: name a file below it");
    let link = |path| format!("`{path}` is a symbolic link, and a folder is needed there: use another path");
    for tool in ["read_file", "write_file"] {
        check(&world, tool, "", "the path is empty: name a file");
        check(&world, tool, "../CLAUDE.md", &up("../CLAUDE.md"));
        check(&world, tool, "deep/../known.md", &up("deep/../known.md"));
        check(&world, tool, "..", &up(".."));
        for path in [".", "./", "deep/", "./."] {
            check(&world, tool, path, &folder(path));
        }
        check(&world, tool, "up/CLAUDE.md", &link("up"));
        check(&world, tool, "here/known.md", &link("here"));
        check(&world, tool, "deep/other/CLAUDE.md", &link("deep/other"));
        check(&world, tool, "round/a", &link("round"));
        let needed = "and a regular file is needed there: use another path";
        check(&world, tool, "prompt.md", &format!("`prompt.md` is a symbolic link, {needed}"));
        check(&world, tool, "pause", &format!("`pause` is a symbolic link, {needed}"));
        check(&world, tool, "fifo", &format!("`fifo` is a FIFO, socket or device, {needed}"));
        check(&world, tool, "socket", &format!("`socket` is a FIFO, socket or device, {needed}"));
        check(&world, tool, "deep", &format!("`deep` is a folder, {needed}"));
        check(
            &world,
            tool,
            "known.md/a",
            "`known.md` is a file, and a folder is needed there: use another path",
        );
        check(&world, tool, "a\0b", "the name `a\\u{0}b` contains a NUL character (U+0000); remove it");
        check(&world, tool, "a\nb", "the name `a\\nb` contains a control character (U+000A); remove it");
        check(
            &world,
            tool,
            "a/".repeat(17).trim_end_matches('/'),
            "the path has 33 bytes and 17 names, and at most 1024 and 16 are taken: use a shorter one",
        );
    }
    let root = world.root().to_str().unwrap().to_owned();
    let outside = |verb| format!("is outside of the folders that you may {verb} below: see What You May Do");
    assert!(note_of(&world, "read_file", "/etc/passwd").ends_with(&outside("read")));
    assert!(note_of(&world, "write_file", "/etc/passwd").ends_with(&outside("write")));
    assert!(note_of(&world, "write_file", &format!("{root}-beside/a.md")).ends_with(&outside("write")));
    assert!(note_of(&world, "write_file", &root).contains("names a folder"));
    let guide = world.identity.home.join("shared/guide.md");
    assert!(note_of(&world, "write_file", guide.to_str().unwrap()).ends_with(&outside("write")));
    check(&world, "read_file", "nothing.md", "`nothing.md` does not exist: check the path");
    let hidden = "contains a name that begins with a dot, and hidden files are not written: use another name";
    for path in [".env", "a/.git/config", ".claude/agents/x.md"] {
        check(&world, "write_file", path, &format!("`{path}` {hidden}"));
    }
}

#[test]
fn without_a_root_nothing_is_reached() {
    let mut world = World::new();
    let known = world.root().join("known.md");
    world.identity.writes.clear();
    let before = world.identity.clone();
    for tool in ["read_file", "write_file"] {
        let verb = if tool == "read_file" { "read" } else { "write" };
        let answer = call(tool, "known.md");
        let absolute = call(tool, known.to_str().unwrap());
        let mind = subcortex_mind::Scripted::saying([answer, absolute]);
        let mut state = subcortex_scratchpad::State::default();
        block_on(world.run(&mind, &mut state));
        let notes: Vec<&str> = state.notes.lines().collect();
        assert_eq!(
            support::without_args(notes[0]).trim_end(),
            format!("[TOOL ERROR] {tool}: there is no folder below which you may {verb}")
        );
        assert!(notes[1].contains("is outside of the folders"), "{notes:?}");
    }
    assert_eq!(world.identity, before);
    assert_eq!(std::fs::read_to_string(known).unwrap(), "what is known");
}

#[test]
fn a_root_that_is_relative_or_empty_opens_nothing() {
    let mut world = World::new();
    world.identity.reads = vec!["".into(), "home".into()];
    let note = note_of(&world, "read_file", world.top().join("outside/passwd").to_str().unwrap());
    assert!(note.contains("is outside of the folders"), "{note}");
}

#[test]
fn a_root_may_be_reached_through_a_link() {
    let mut world = World::new();
    let elsewhere = world.top().join("linked");
    symlink(world.root(), &elsewhere).unwrap();
    world.identity.writes = vec![elsewhere];
    let answer = json!({"tool": "write_file", "args": {"path": "a.md", "content": "mine"}}).to_string();
    let (_, state) = block_on(world.hear([answer]));
    assert_eq!(support::without_args(&state.notes), "[TOOL] write_file: wrote 4 bytes to a.md\n");
    assert_eq!(std::fs::read_to_string(world.root().join("a.md")).unwrap(), "mine");
}

#[test]
fn a_hard_link_is_cut_by_writing_and_the_other_file_stays() {
    let world = World::new();
    let other = world.identity.folder.join("CLAUDE.md");
    std::fs::hard_link(&other, world.root().join("twin.md")).unwrap();
    let answer = json!({"tool": "write_file", "args": {"path": "twin.md", "content": "mine"}}).to_string();
    block_on(world.hear([answer]));
    assert_eq!(std::fs::read_to_string(other).unwrap(), FOREIGN);
    assert_eq!(std::fs::read_to_string(world.root().join("twin.md")).unwrap(), "mine");
}

/// Pieces from which paths are put together: names, traps, and ways to spell "up".
fn any_piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "..",
        "..",
        "..",
        ".",
        "",
        "a",
        "deep",
        "out",
        "memory",
        "up",
        "here",
        "slash",
        "round",
        "other",
        "pause",
        "prompt.md",
        "fifo",
        "files",
        "weaver",
        "subconscious",
        "home",
        "outside",
        "passwd",
        "CLAUDE.md",
        "PAUSED",
        "inbox",
        "scratchpad",
        "active.yaml",
        ".claude",
        "known.md",
        "%2e%2e",
        "..%2f",
        "...",
        ".. ",
        " ..",
        "..\u{0}",
        "\u{ff0e}\u{ff0e}",
        "..\\..",
        "~",
        "$HOME",
        "tidy.md",
        "mine.md",
        "agents",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => any::<String>(), 1 => "[a-c./]{0,6}"]
}

/// `TOP` and `ROOT` stand for the folders of a world.
fn any_path() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec!["", "/", "//", "TOP/", "ROOT/", "ROOT"]);
    (start, prop::collection::vec(any_piece(), 0..6))
        .prop_map(|(start, pieces)| start.to_owned() + &pieces.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    /// Many calls in one world: what an earlier call made is there for the later ones.
    #[test]
    fn no_sequence_of_paths_leads_out_of_the_write_root(
        calls in prop::collection::vec((any::<bool>(), any_path()), 50),
    ) {
        let mut world = World::with_traps();
        world.identity.max_steps = 50;
        let (top, root) = (world.top().to_str().unwrap(), world.root().to_str().unwrap());
        let answers: Vec<String> = calls.iter().map(|(reads, path)| {
            let tool = if *reads { "read_file" } else { "write_file" };
            let path = path.replacen("TOP", top, 1).replacen("ROOT", root, 1);
            call(tool, &path)
        }).collect();
        let before = world.surroundings();
        let (_, state, told) = block_on(world.converse(answers));
        prop_assert_eq!(world.surroundings(), before);
        prop_assert!(!told.contains(FOREIGN));
        prop_assert_eq!(state.notes.lines().count(), 50);
    }
}
