#![allow(clippy::disallowed_methods)] // Somebody else's hands on our files.

use subcortex_memory::{SignalKind, Trajectory};

use super::{World, about, said};
use crate::crystallizer::tally;

const RULES: &str = "- Use pnpm, not npm.\n";

fn world_with(count: usize) -> World {
    let world = World::new(RULES);
    let hash = world.line_hash(0);
    let fragments: Vec<_> = (0..count)
        .map(|event| match event % 3 {
            0 => said(event, event, SignalKind::Correction, "please squash commits in `git.toml`"),
            1 => about(event, event, (1, &hash), Trajectory::Weakening),
            _ => about(event, event, (1, &hash), Trajectory::Strengthening),
        })
        .collect();
    world.add(&fragments);
    world
}

#[test]
fn only_what_is_new_is_folded() {
    let world = world_with(200);
    assert_eq!(world.run().folded, 200);
    world.add(&[said(500, 1, SignalKind::Topic, "deploys are slow")]);
    let (read, _) = tally(&world.shop, &|| false).unwrap();
    let done = world.run();
    assert_eq!(done.folded, 1);
    assert_eq!(done.tally, read);
    assert_eq!(world.run().folded, 0);
}

#[test]
fn losing_the_index_in_part_or_whole_changes_no_byte() {
    let (lossy, calm) = (world_with(70), world_with(70));
    for world in [&lossy, &calm] {
        world.run();
    }
    let index = lossy.path("var/index/fragments");
    let mut next = 0;
    for file in ["totals.json", "2026-01-01.names", "2026-01-02.names"] {
        for broken in [None, Some(""), Some("{\"version\":0,\"digest\":\"\"}\n{}")] {
            match broken {
                None => std::fs::remove_file(index.join(file)).unwrap(),
                Some(text) => std::fs::write(index.join(file), text).unwrap(),
            }
            // A day is looked at when something happens there; these two do, on both days.
            next += 60 * 28;
            for (world, lost) in [(&lossy, true), (&calm, false)] {
                world.add(&[
                    said(next, 1, SignalKind::Topic, "slow"),
                    said(next + 60, 1, SignalKind::Topic, "slow"),
                ]);
                assert_eq!(world.run().folded > 2, lost, "{file} {broken:?}");
            }
            assert_eq!(lossy.product(), calm.product(), "{file} {broken:?}");
        }
    }
    std::fs::remove_dir_all(lossy.path("var/index")).unwrap();
    assert!(lossy.run().changed.is_empty());
    assert_eq!(lossy.product(), calm.product());
}

#[test]
fn a_fragment_that_vanished_is_forgotten() {
    let world = world_with(10);
    world.run();
    let day = world.path("memory/fragments/2026-01-01");
    let product = world.product();
    world.add(&[said(70, 70, SignalKind::StandingInstruction, "always use spaces")]);
    world.run();
    assert_ne!(world.product(), product);
    std::fs::remove_dir_all(world.path("memory/fragments/2026-01-02")).unwrap();
    world.run();
    assert_eq!(world.product(), product);
    let weakening = std::fs::read_dir(&day).unwrap().map(|entry| entry.unwrap().path());
    let weakening =
        weakening.into_iter().find(|path| path.to_str().unwrap().contains("-weakening-")).unwrap();
    std::fs::remove_file(weakening).unwrap();
    assert_eq!(world.run().tally.lines[&world.line_hash(0)].weakening, 2);
}

#[test]
fn what_is_no_fragment_is_reported_once_and_read_again_when_it_changes() {
    let world = world_with(3);
    let good = about(900, 1, (1, &world.line_hash(0)), Trajectory::Neutral).to_text();
    world.write("memory/fragments/2026-01-01/by-hand.md", &good.replace("origin: agent\n", ""));
    let done = world.run();
    assert_eq!((done.folded, done.rejected_count), (3, 1));
    assert_eq!(done.rejected[0].path, "memory/fragments/2026-01-01/by-hand.md");
    assert_eq!(done.rejected[0].why.to_string(), "`origin` is missing");
    let again = world.run();
    assert_eq!((again.rejected.len(), again.rejected_count), (0, 1));
    world.write("memory/fragments/2026-01-01/by-hand.md", &good);
    let mended = world.run();
    assert_eq!(
        (mended.folded, mended.rejected_count, mended.tally.lines[&world.line_hash(0)].neutral),
        (1, 0, 1)
    );

    world.write("memory/fragments/2026-01-01/other.md", "nothing");
    assert_eq!(world.run().rejected_count, 1);
    std::fs::remove_file(world.path("memory/fragments/2026-01-01/other.md")).unwrap();
    let done = world.run();
    assert_eq!((done.folded, done.rejected_count), (0, 0), "what never counted can go without a new start");
}

#[test]
fn a_file_that_comes_within_the_same_tick_of_the_clock_is_not_overlooked() {
    let mut world = world_with(1);
    let day = world.path("memory/fragments/2026-01-01");
    let at = std::fs::metadata(&day).unwrap().modified().unwrap();
    world.shop.now = jiff::Timestamp::try_from(at).unwrap();
    assert_eq!(world.run().folded, 1);
    world.add(&[said(30, 1, SignalKind::Topic, "deploys are slow")]);
    std::fs::File::open(&day).unwrap().set_modified(at).unwrap();
    assert_eq!(world.run().folded, 1);
}
