//! Junk in the place of every file of the memory that a remote, a crash or a person can leave there: work goes on, and it is said.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, dead_code)]

mod support;

use std::path::Path;

use subcortex_weaver::reflect;
use support::World;

const RULES: &str = "- Use pnpm, not npm.\n";

type Put = fn(&Path);

/// What may stand there, and how it gets there.
const JUNK: [(&str, Put); 6] = [
    ("no text", |path| std::fs::write(path, b"\xff\xfe\x00junk\n").unwrap()),
    ("half a line", |path| std::fs::write(path, "{\"id\":\"edit_1\",\"ts\":\n").unwrap()),
    ("other data", |path| std::fs::write(path, "[1, \"x\", {}]\n").unwrap()),
    ("nothing", |path| std::fs::write(path, "").unwrap()),
    ("a folder", |path| std::fs::create_dir(path).unwrap()),
    ("a link", |path| std::os::unix::fs::symlink("/etc/hostname", path).unwrap()),
];

/// A home that has lived for a while: whose files all exist.
fn lived() -> World {
    let mut world = World::with(RULES);
    world.person("s1", "From now on, always run `make lint` before you commit.");
    reflect(&world.shop, &|| false).unwrap();
    world.minutes_pass(600);
    world
}

/// What is there, but for the memory itself, and what else may be.
fn files(world: &World) -> Vec<String> {
    let there = world.home.texts("memory").into_iter().map(|(name, _)| name);
    let more = [
        "journal.pending.json",
        "state/asking.json",
        "state/intuition-updater.json",
        "proposals/prop_1.yaml",
    ];
    let more = more.iter().map(|name| format!("memory/{name}"));
    there.filter(|name| !name.ends_with("CLAUDE.md")).chain(more).collect()
}

#[test]
fn junk_in_the_place_of_all_files_stops_nothing_and_is_said() {
    for (name, put) in JUNK {
        let mut world = lived();
        let files = files(&world);
        for file in &files {
            // Only a person puts a folder or a link in the place of the journal, and nothing can make it anew.
            if file.ends_with("journal.jsonl") && ["a folder", "a link"].contains(&name) {
                continue;
            }
            let path = world.home.path(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            drop(std::fs::remove_file(&path));
            put(&path);
        }
        world.person("s2", "From now on, always run `make otter` before you push.");
        let woven = reflect(&world.shop, &|| false).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(world.file("memory/CLAUDE.md").contains("otter"), "{name}:\n{}", woven.report);
        // What code makes of the rest is simply made anew, and a fragment that is counted is not read again.
        let is_made_anew =
            |file: &str| ["effectiveness", "topics", "fragments"].iter().any(|folder| file.contains(folder));
        let is_empty = |file: &str| name == "nothing" && file.ends_with("journal.jsonl");
        let unsaid = |file: &&String| {
            let notes = woven.report.lines().filter(|line| !line.starts_with("changed:"));
            !notes.into_iter().any(|line| line.contains(file.as_str()))
        };
        let unsaid: Vec<&String> =
            files.iter().filter(|file| !is_made_anew(file) && !is_empty(file)).filter(unsaid).collect();
        assert!(name.starts_with("a ") || unsaid.is_empty(), "{name}: {unsaid:?}\n{}", woven.report);
    }
}
