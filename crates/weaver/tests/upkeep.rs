//! What the memory's own check finds, and what becomes of it.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, dead_code)]

mod support;

use serde_json::json;
use subcortex_weaver::{Directed, Finding, direct, inspect, reflect};
use support::World;

fn kinds(world: &World) -> Vec<String> {
    let kind = |finding: Finding| finding.marker.trim_start_matches("memory:").to_owned();
    let mut kinds: Vec<String> = inspect(&world.shop).unwrap().into_iter().map(kind).collect();
    kinds.retain(|kind| kind != "untestable");
    kinds
}

fn topic(world: &World, name: &str, text: &str) {
    std::fs::create_dir_all(world.shop.folder.topics()).unwrap();
    std::fs::write(world.shop.folder.topics().join(name), text).unwrap();
}

/// What came of the task about the first finding of a kind.
fn handled(world: &World, kind: &str) -> Result<String, String> {
    let found = inspect(&world.shop).unwrap();
    let finding = found.iter().find(|finding| finding.marker == format!("memory:{kind}")).unwrap();
    match direct(&world.shop, "check.md", &finding.task(), &|| false).unwrap() {
        Directed::Done(woven) => Ok(woven.result),
        Directed::Unclear(why) | Directed::Waits(why) => Err(why),
    }
}

#[test]
fn each_thing_that_is_wrong_is_found_and_nothing_else() {
    let world = World::with("- Use pnpm, not npm.\n");
    assert!(kinds(&world).is_empty());
    let long = "x".repeat(190);
    world.rules(&format!(
        "- Use pnpm, not npm (see [[topic-pnpm]]).\n- Run `{long} y` before each commit.\n- Before a deploy, read [[topic-deploys]].\n"
    ));
    topic(&world, "deploys.md", "# Deploys\n\nAlso [[topic-nowhere]].\n");
    topic(&world, "stray.md", "# Stray\n");
    topic(&world, "long.md", &"long\n".repeat(10_000));
    let mut found = kinds(&world);
    found.sort();
    assert_eq!(found, ["broken-pointer", "broken-pointer", "dossier-size", "line-size", "orphan"]);
    let again: Vec<Finding> = inspect(&world.shop).unwrap();
    assert_eq!(again, inspect(&world.shop).unwrap(), "the same each time");
}

#[test]
fn a_pointer_beside_a_line_is_taken_out_and_one_that_the_line_needs_waits_for_a_person() {
    let world = World::with("- Use pnpm, not npm (see [[topic-pnpm]]).\n");
    let result = handled(&world, "broken-pointer").unwrap();
    assert!(result.starts_with("UPDATED: 1 pointer that led nowhere taken out"), "{result}");
    assert_eq!(world.file("memory/CLAUDE.md"), "- Use pnpm, not npm.\n");
    assert!(kinds(&world).is_empty());

    world.rules("- Before a deploy, read [[topic-deploys]].\n");
    let why = handled(&world, "broken-pointer").unwrap_err();
    assert!(why.contains("write memory/topics/deploys.md, or reword the line"), "{why}");
    assert_eq!(world.file("memory/CLAUDE.md"), "- Before a deploy, read [[topic-deploys]].\n");
    topic(&world, "deploys.md", "# Deploys\n");
    let task = "The pointer [[topic-deploys]] leads nowhere: make the dossier.";
    assert!(matches!(direct(&world.shop, "t.md", task, &|| false).unwrap(), Directed::Done(_)));
}

#[test]
fn what_tells_something_is_acked_and_what_waits_for_a_person_stays() {
    let world = World::with("- Use pnpm, not npm.\n");
    topic(&world, "stray.md", "# Stray\n");
    assert_eq!(handled(&world, "orphan").unwrap(), "NO-OP: noted; nothing is to be done here");
    let task = "[memory:both-changed] memory/CLAUDE.md:L1 and memory/CLAUDE.md:L2 are two versions of one line.\n\nWanted: a person \
                takes one of them out. This task goes away by itself then.\n";
    let Directed::Waits(why) = direct(&world.shop, "t.md", task, &|| false).unwrap() else { panic!("done") };
    assert!(why.starts_with("it waits for a person: memory/CLAUDE.md:L1"), "{why}");
}

#[test]
fn a_ledger_that_speaks_of_other_lines_and_a_changed_fragment_are_mended() {
    let mut world = World::with("- Use pnpm, not npm.\n");
    world.person("s1", "Install the packages.");
    world.ran("s1", "npm install");
    world.event("claude", "agent.session_end", "s1", json!({}));
    world.minutes_pass(11);
    reflect(&world.shop, &|| false).unwrap();
    assert!(kinds(&world).is_empty(), "{:?}", kinds(&world));
    world.rules("- Keep functions small.\n- Use pnpm, not npm.\n");
    assert_eq!(kinds(&world), ["ledger"]);
    handled(&world, "ledger").unwrap();
    assert!(kinds(&world).is_empty());

    let (path, text) =
        world.memory().into_iter().find(|(path, _)| path.contains("fragments/")).expect("a fragment");
    let full = world.shop.folder.root().join(path.trim_start_matches("memory/"));
    std::fs::write(&full, format!("{text}\n")).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    std::fs::File::options().append(true).open(&full).unwrap().set_modified(later).unwrap();
    assert_eq!(kinds(&world), ["fragment-changed"]);
    handled(&world, "fragment-changed").unwrap();
}

/// A line whose dossier nobody opened was not recalled; one whose dossier was opened failed otherwise, and only what was
/// done makes it followed.
#[test]
fn a_miss_whose_dossier_existed_and_was_not_opened_is_a_recall_miss() {
    let causes = |opened: bool, followed: bool| -> Vec<String> {
        let mut world = World::with("- Use pnpm, not npm; see [[topic-packages]].\n");
        topic(&world, "packages.md", "# Packages\n");
        world.person("s1", "Install what the web app needs.");
        if opened {
            let path = world.shop.folder.topics().join("packages.md");
            let input = json!({ "tool_name": "Read", "input": { "file_path": path } });
            world.event("claude", "agent.tool_use", "s1", input);
        }
        world.ran("s1", if followed { "pnpm install" } else { "npm install" });
        world.event("claude", "agent.session_end", "s1", json!({}));
        world.minutes_pass(11);
        reflect(&world.shop, &|| false).unwrap();
        let fragments = world.memory().into_iter().filter(|(path, _)| path.contains("fragments/"));
        let front = |text: &str, key: &str| {
            let found = text.lines().find_map(|line| line.strip_prefix(key).map(str::trim));
            found.unwrap_or("-").to_owned()
        };
        let texts: Vec<String> = fragments.map(|(_, text)| text).collect();
        assert!(texts.iter().all(|text| text.contains("Pointers:\n- [[topic-packages]]")), "{texts:?}");
        texts
            .iter()
            .map(|text| format!("{} {}", front(text, "trajectory:"), front(text, "root_cause:")))
            .collect()
    };
    assert_eq!(causes(false, false), ["WEAKENING recall-miss"]);
    assert_eq!(causes(true, false), ["WEAKENING -"]);
    assert_eq!(causes(true, true), ["STRENGTHENING -"]);
    assert_eq!(causes(false, true), ["STRENGTHENING -"]);
}
