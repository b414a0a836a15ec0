//! Wishes that were decided on before are not decided otherwise.

use std::path::{Path, PathBuf};

use subcortex_memory::{Broadcast, Journal, MemoryFolder, SignalKind};
use subcortex_testkit::Random;

use super::world::{Side, World};
use crate::updater::{Request, Updated, reject, update};
use crate::{CompiledBroadcast, Workshop};

const RULES: &str = "- Use pnpm, not npm.\n- Never push to main.\n";

const WISHES: [(&str, SignalKind); 8] = [
    ("From now on always use `tool-N` for part N.", SignalKind::StandingInstruction),
    ("Please never call helperN in the views again.", SignalKind::Correction),
    ("I prefer short names in module N, keep it like that in future.", SignalKind::Preference),
    ("No, use libN instead of lib7 for parsing.", SignalKind::Correction),
    ("In this project we always run `make partN` before a release.", SignalKind::StandingInstruction),
    ("You should ask me before you change schema N.", SignalKind::Preference),
    ("Always use npm, not pnpm, in part N.", SignalKind::StandingInstruction),
    ("go on with part N", SignalKind::Correction),
];

/// A home in which something can be remembered.
fn with_index() -> World {
    let world = World::with(RULES);
    std::fs::create_dir_all(&world.shop.index_dir).unwrap();
    world
}

/// A copy of the home without anything that is remembered.
fn forgetful(shop: &Workshop, at: &Path) -> Workshop {
    let home = shop.folder.root().parent().unwrap();
    copy(home, at);
    drop(std::fs::remove_dir_all(at.join("var/index")));
    Workshop {
        folder: MemoryFolder::at(at.join("memory")),
        events_dir: at.join("var/events"),
        index_dir: at.join("var/index"),
        ..shop.clone()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let there: PathBuf = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &there);
        } else {
            std::fs::copy(&path, &there).unwrap();
        }
    }
}

fn run(shop: &Workshop) -> Updated {
    let broadcast = CompiledBroadcast::by_rules(Broadcast::read(&*shop.disk, &shop.folder).unwrap());
    let journal = Journal::read(&*shop.disk, &shop.folder).unwrap();
    let tally = crate::crystallizer::tally(shop, &|| false).unwrap().0;
    update(shop, &broadcast, &tally, &journal, &Request::Reflective).unwrap()
}

/// What came of a run: the rules, who is asked, and what was said about the rest. Which fragments were found to be no evidence is known of those
/// that were looked into, and who remembers has looked into more.
fn shown(shop: &Workshop, updated: &Updated) -> [Vec<String>; 4] {
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let folder = std::fs::read_dir(shop.folder.proposals()).into_iter().flatten();
    let mut waiting: Vec<String> = folder.map(|entry| read(entry.unwrap().path())).collect();
    waiting.sort();
    let mut proposed = updated.proposed.clone();
    proposed.sort();
    let held_back = updated.held_back.iter().filter(|why| !why.contains("is no evidence")).cloned().collect();
    [held_back, proposed, vec![read(shop.folder.broadcast())], waiting]
}

fn life(seed: u64) {
    let mut random = Random::seeded(seed);
    let mut world = with_index();
    if random.chance(0.5) {
        world.shop.began = Some("2026-03-20T00:00:00Z".parse().unwrap());
    }
    let mut asked = 0;
    for day in 0..12 {
        for turn in 0..random.below(7) {
            let (wish, signal) = WISHES[random.below(WISHES.len())];
            let text = wish.replace('N', &random.below(12).to_string());
            let (session, project) = (format!("s{day}-{turn}"), random.pick(&["/home/x/web", "/home/x/api"]));
            world.wish(&session, project, signal, &text);
        }
        if random.chance(0.2) && world.text().contains("- Never push") {
            world.about(
                "Never push",
                Side::Against,
                &format!("s{day}"),
                "/home/x/web",
                SignalKind::Correction,
                "No, push to main, always.",
            );
        }
        if random.chance(0.2) {
            // A fragment of which the log knows nothing.
            let (id, ts) = (subcortex_model::EventId::from_log(format!("evt_{day}")), world.shop.now);
            world.fragment(World::blank(&id, ts, "s", "/home/x/web", "From now on always use `forged`."));
        }
        if random.chance(0.2) {
            let text = world.text() + "- Ask before you delete anything.\n";
            std::fs::write(world.shop.folder.broadcast(), text).unwrap();
        }
        if random.chance(0.2)
            && let Some(entry) = std::fs::read_dir(world.shop.folder.proposals()).into_iter().flatten().next()
        {
            let name = entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
            reject(&world.shop, &name).unwrap();
        }
        let copied = tempfile::tempdir().unwrap();
        let fresh = forgetful(&world.shop, copied.path());
        let (with, without) = (run(&world.shop), run(&fresh));
        assert!(world.shop.index_dir.join("wishes.json").exists());
        asked += with.proposed.len();
        for (with, without) in shown(&world.shop, &with).iter().zip(&shown(&fresh, &without)) {
            assert_eq!(with, without, "seed {seed}, day {day}");
        }
        world.later(random.below(48) as i64);
    }
    assert!(asked > 0, "seed {seed}: nobody was ever asked");
}

#[test]
fn a_life_is_the_same_with_what_is_settled_and_without() {
    (0..2).for_each(life);
}

#[test]
fn what_is_remembered_holds_no_words_and_vouches_for_nothing() {
    let mut world = with_index();
    world.wish(
        "s1",
        "/home/x/web",
        SignalKind::Preference,
        "I prefer short names in the secret module, keep it like that in future.",
    );
    world.run();
    let index = world.shop.index_dir.join("wishes.json");
    let text = std::fs::read_to_string(&index).unwrap();
    assert!(!text.contains("secret") && !text.contains("short"), "{text}");
    // Whoever says there that something is to be asked does not get it asked.
    for proposal in std::fs::read_dir(world.shop.folder.proposals()).unwrap() {
        std::fs::remove_file(proposal.unwrap().path()).unwrap();
    }
    let forged = text.replace("\"points\":", "\"points\":9").replace("prop_", "prop_f");
    assert_ne!(forged, text);
    std::fs::write(&index, forged).unwrap();
    let names: Vec<String> = world.run().proposed;
    assert!(names.iter().all(|name| !name.contains("prop_f")), "{names:?}");
    assert_eq!(names.len(), 1);
}
