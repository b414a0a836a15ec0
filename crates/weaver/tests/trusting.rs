//! Which verdicts count: those of checks that are trusted, and people's words always.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod support;

use subcortex_weaver::{counted, explain, reflect};
use support::World;

const LEDGER: &str = "memory/effectiveness/CLAUDE-md-effectiveness.md";
const LINE: &str = "- Before every commit, run `make lint`.\n";

impl World {
    /// So many turns that commit without the linter.
    fn commits(&mut self, turns: usize) {
        for _ in 0..turns {
            self.person("s1", "go on");
            self.wrote("s1", "src/a.rs", "fn a() {}");
            self.ran("s1", "git commit -am work");
        }
        self.person("s1", "thanks");
    }

    fn weave(&mut self) -> String {
        self.minutes_pass(30);
        reflect(&self.shop, &|| false).unwrap().report
    }
}

#[test]
fn what_a_check_said_before_it_lost_trust_is_set_aside_everywhere_and_the_ledger_says_why() {
    let mut world = World::with(LINE);
    world.commits(5);
    world.weave();
    let before = counted(&world.shop).unwrap();
    let line = before.compiled.broadcast.lines[0].clone();
    assert_eq!(before.tally.lines[&line.hash].weakening, 5, "{}", world.file(LEDGER));
    assert_eq!(before.doubts.of(&line.hash), None);
    world.commits(5);
    world.weave();
    world.person("s2", "hello");
    let report = world.weave();
    assert!(report.contains("not trusted: memory/CLAUDE.md:L1: it found"), "{report}");

    let after = counted(&world.shop).unwrap();
    assert!(after.doubts.of(&line.hash).unwrap().contains("never that the line was followed"));
    assert!(!after.tally.lines.contains_key(&line.hash), "{:?}", after.tally.lines);
    let ledger = world.file(LEDGER);
    assert!(!ledger.contains("## Line memory/CLAUDE.md:L1"), "{ledger}");
    assert!(ledger.contains("## Lines that are not trusted"), "{ledger}");
    assert!(ledger.contains("- memory/CLAUDE.md:L1: it finds misses, and hardly ever"), "{ledger}");
    assert!(ledger.contains("set aside: 10 verdicts"), "{ledger}");
    assert!(!ledger.contains("never triggered: L1"), "{ledger}");
    let why = explain::why_line(&world.shop, 1).unwrap().unwrap();
    assert_eq!((why.counts.total, why.fragments.len()), (0, 10));
    assert!(why.not_trusted.is_some());
    assert!(subcortex_weaver::totals(&world.shop).unwrap().is_empty());
}

#[test]
fn a_persons_words_count_whatever_the_check_is_worth() {
    let mut world = World::with(LINE);
    world.commits(10);
    world.weave();
    world.person("s3", "go on");
    world.wrote("s3", "src/a.rs", "fn a() {}");
    world.ran("s3", "git commit -am work");
    world.person("s3", "I told you to always run make lint before every commit!");
    world.weave();
    let now = counted(&world.shop).unwrap();
    let line = &now.compiled.broadcast.lines[0];
    assert!(now.doubts.of(&line.hash).is_some());
    let tally = &now.tally.lines[&line.hash];
    assert_eq!((tally.strengthening, tally.weakening), (0, 1));
    let ledger = world.file(LEDGER);
    assert!(ledger.contains("- Counts: 0 strengthening, 1 weakening, 0 neutral"), "{ledger}");
}

#[test]
fn words_that_open_a_turn_outweigh_that_it_follows_the_line() {
    let mut world = World::with(LINE);
    world.person("s1", "fix the parser");
    world.wrote("s1", "src/a.rs", "fn a() {}");
    world.ran("s1", "git commit -am work");
    world.person("s1", "you forgot make lint before the commit, run it and commit again");
    world.wrote("s1", "src/a.rs", "fn a() { b() }");
    world.ran("s1", "make lint");
    world.ran("s1", "git commit -am work");
    world.person("s1", "thanks");
    world.minutes_pass(30);
    let found = world.scan();
    assert!(!found.contains("STRENGTHENING"), "{found}");
    assert!(found.lines().any(|line| line.contains("WEAKENING") && line.contains(" person ")), "{found}");
}

#[test]
fn an_index_of_projects_that_is_deleted_or_broken_comes_back() {
    let project = tempfile::tempdir().unwrap();
    std::fs::write(project.path().join("mise.toml"), "[tasks.ok]\nrun = \"eslint .\"\n").unwrap();
    let mut world = World::with("- Before every commit, run the linter.\n");
    world.cwd = Some(project.path().to_str().unwrap().to_owned());
    let turn = |world: &mut World, session: &str| {
        world.person(session, "go on");
        world.wrote(session, "src/a.ts", "let a = 1");
        world.ran(session, "mise run ok");
        world.ran(session, "git commit -am work");
        world.person(session, "thanks");
        world.minutes_pass(30);
        world.scan()
    };
    // The first scan meets the directory in the log.
    assert!(turn(&mut world, "s1").contains("STRENGTHENING"), "the project says that it is the linter");
    let index = world.shop.index_dir.join("projects.json");
    let made = std::fs::read_to_string(&index).unwrap();
    assert!(made.contains("eslint"), "{made}");
    for (number, broken) in ["", "{", "{\"version\":9}"].into_iter().enumerate() {
        std::fs::write(&index, broken).unwrap();
        assert!(turn(&mut world, &format!("b{number}")).contains("STRENGTHENING"), "{broken}");
    }
    std::fs::remove_file(&index).unwrap();
    assert!(turn(&mut world, "c").contains("STRENGTHENING"));
    // What the project says is followed.
    std::fs::write(project.path().join("mise.toml"), "[tasks.ok]\nrun = \"echo nothing at all\"\n").unwrap();
    assert!(!turn(&mut world, "d").contains("STRENGTHENING"));
}
