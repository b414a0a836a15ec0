//! New loops: what they hold, and that they are whole or not there.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)]

use std::collections::BTreeSet;
use std::path::Path;

use jiff::tz::TimeZone;
use subcortex_loops::check::{Bar, Severity, Subject, check};
use subcortex_loops::config::LoopConfig;
use subcortex_loops::pattern::{self, PATTERNS};
use subcortex_loops::scaffold::{ScaffoldError, files, scaffold};
use subcortex_store::{Fault, FaultKind, FaultyDisk, RealDisk, Then};

/// Puts a value where each placeholder stands.
fn filled(config: &str) -> String {
    let mut parts = config.split("<fill in ");
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        text.push_str("lib/x");
        text.push_str(part.split_once('>').unwrap().1);
    }
    text
}

#[test]
fn each_pattern_is_ready_strictly_once_its_placeholders_are_filled_and_not_before() {
    let root = tempfile::tempdir().unwrap();
    for pattern in PATTERNS {
        let [config, _] = files("mine", &pattern);
        // The comment at the top speaks of placeholders, too.
        let written = config.content.replace("<fill in …>", "placeholder");
        for (text, is_ready) in [(filled(&written), true), (written.clone(), false)] {
            let config = LoopConfig::parse(&text).unwrap();
            let zone = &TimeZone::UTC;
            let report = check(&Subject {
                config: &config,
                dir_name: "mine",
                root: root.path(),
                disk: &RealDisk,
                zone,
            });
            assert_eq!(report.is_ready(Bar { min_score: 70, strict: true }), is_ready, "{text}{report:?}");
            assert_eq!(report.of(Severity::Warning).count(), 0, "{}: {report:?}", pattern.name);
        }
    }
}

#[test]
fn there_are_thirteen_patterns_and_custom_each_with_words_of_its_own() {
    assert_eq!(pattern::names().collect::<BTreeSet<_>>().len(), 14);
    let readmes: BTreeSet<String> =
        PATTERNS.iter().map(|pattern| files("mine", pattern)[1].content.clone()).collect();
    assert_eq!(readmes.len(), 14);
    assert_eq!(PATTERNS.iter().map(|pattern| pattern.goal).collect::<BTreeSet<_>>().len(), 14);
}

#[test]
fn a_populated_folder_a_file_and_a_bad_name_are_refused_and_an_empty_folder_is_taken() {
    let root = tempfile::tempdir().unwrap();
    let files = files("mine", &PATTERNS[0]);
    let dir = root.path().join("deep/.loops/mine");
    scaffold(&RealDisk, &dir, &files).unwrap();
    assert_eq!(names(dir.parent().unwrap()), ["mine"]);
    std::fs::write(dir.join("README.md"), "my own").unwrap();
    assert!(matches!(scaffold(&RealDisk, &dir, &files), Err(ScaffoldError::Populated(_))));
    assert_eq!(std::fs::read_to_string(dir.join("README.md")).unwrap(), "my own");

    let empty = root.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    scaffold(&RealDisk, &empty, &files).unwrap();
    assert_eq!(names(&empty), ["README.md", "loop.config.yaml"]);

    let file = root.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(matches!(scaffold(&RealDisk, &file, &files), Err(ScaffoldError::Populated(_))));
    for name in ["..", "-x", ".hidden", "a b", "x\n"] {
        let bad = scaffold(&RealDisk, &root.path().join(name), &files);
        assert!(matches!(bad, Err(ScaffoldError::BadName(_))), "{name}: {bad:?}");
    }
}

#[test]
fn a_link_or_a_folder_of_somebody_in_the_way_of_a_new_loop_keeps_what_it_holds() {
    let root = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("thesis.txt"), "mine").unwrap();
    let loops = root.path().join(".loops");
    std::fs::create_dir_all(loops.join(".own.scaffold")).unwrap();
    std::fs::write(loops.join(".own.scaffold/thesis.txt"), "mine").unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), loops.join(".evil.scaffold")).unwrap();
    for name in ["own", "evil"] {
        let made = scaffold(&RealDisk, &loops.join(name), &files(name, &PATTERNS[0]));
        assert!(matches!(made, Err(ScaffoldError::Populated(_))), "{made:?}");
        assert_eq!(names(&loops.join(format!(".{name}.scaffold"))), ["thesis.txt"]);
        assert!(!loops.join(name).exists());
    }
}

#[test]
fn whichever_call_fails_the_loop_is_whole_or_missing_and_a_second_try_makes_it() {
    let files = files("mine", &PATTERNS[0]);
    let lasting = |kind| Then::ALL.map(|then| (kind, then));
    for (kind, then) in FaultKind::ALL.into_iter().flat_map(lasting) {
        for at_call in 1.. {
            let root = tempfile::tempdir().unwrap();
            let dir = root.path().join(".loops/mine");
            let disk = FaultyDisk::new(RealDisk, Fault { at_call, kind, then });
            let made = scaffold(&disk, &dir, &files);
            let found = if dir.exists() { names(&dir) } else { Vec::new() };
            assert!(
                found.is_empty() || found == ["README.md", "loop.config.yaml"],
                "{kind:?} at call {at_call}: {found:?}"
            );
            if made.is_ok() && !disk.was_reached() {
                break;
            }
            if found.is_empty() {
                scaffold(&RealDisk, &dir, &files).unwrap();
            }
            assert_eq!(names(&dir), ["README.md", "loop.config.yaml"], "{kind:?} at call {at_call}");
            let mut beside = names(&root.path().join(".loops"));
            // Beside a loop that was made, a lock that could not be removed may stay; it is nobody's.
            beside.retain(|name| found.is_empty() || name != ".mine.scaffold.lock");
            assert_eq!(beside, ["mine"], "{kind:?} at call {at_call}");
        }
    }
}

#[test]
fn of_many_who_make_one_loop_exactly_one_does_and_it_is_whole() {
    for _ in 0..20 {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(".loops/mine");
        let makers: Vec<_> = PATTERNS.iter().map(|pattern| files("mine", pattern)).collect();
        let made: Vec<bool> = std::thread::scope(|scope| {
            let dir = &dir;
            let mut running = Vec::new();
            for files in &makers {
                running.push(scope.spawn(move || scaffold(&RealDisk, dir, files).is_ok()));
            }
            running.into_iter().map(|maker| maker.join().unwrap()).collect()
        });
        assert_eq!(made.iter().filter(|made| **made).count(), 1);
        let winner = &makers[made.iter().position(|made| *made).unwrap()];
        for file in winner {
            assert_eq!(std::fs::read_to_string(dir.join(file.name)).unwrap(), file.content);
        }
        assert_eq!(names(&root.path().join(".loops")), ["mine"]);
    }
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
