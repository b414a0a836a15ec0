//! The disk in memory does what the real one does, as long as the power stays on.

use subcortex_testkit::Random;

use super::*;
use crate::real::RealDisk;

const SEEDS: u64 = 300;
const STEPS: usize = 40;
const NAMES: [&str; 7] = ["a", "b", "d", "d/a", "d/b", "e", "none/a"];
const MODES: [OpenMode; 4] = [OpenMode::Read, OpenMode::Append, OpenMode::ReadWrite, OpenMode::CreateNew];

/// One disk with the files that are open on it.
struct Side<'a> {
    disk: &'a dyn Disk,
    root: PathBuf,
    open: Vec<Box<dyn DiskFile>>,
}

/// One random step, the same on both sides, and what came of it.
fn step(side: &mut Side<'_>, dice: &mut Random) -> String {
    let path = side.root.join(NAMES[dice.below(NAMES.len())]);
    let other = side.root.join(NAMES[dice.below(NAMES.len())]);
    let (what, offset) = (dice.below(14), dice.below(12) as u64);
    let bytes = [b'a' + u8::try_from(dice.below(26)).unwrap(); 5];
    let chosen = dice.below(side.open.len().max(1));
    let file = side.open.get(chosen);
    match (what, file) {
        (0..=2, _) => match side.disk.open(&path, MODES[dice.below(MODES.len())]) {
            Ok(file) => {
                side.open.push(file);
                "open".to_owned()
            }
            Err(error) => say::<()>(Err(error)),
        },
        (3, _) => say(side.disk.make_dir(&path)),
        (4, _) => say(side.disk.rename(&path, &other)),
        (5, _) => say(side.disk.rename_new(&path, &other)),
        (6, _) => say(side.disk.remove(&path)),
        (7, _) => say(side.disk.list(&path)),
        (8, _) => say(side.disk.stat(&path).map(|stat| {
            let is_file = stat.kind == crate::EntryKind::File;
            (stat.kind, stat.mode, is_file.then_some(stat.len))
        })),
        (9, _) => say(side.disk.sync_dir(&path)),
        (10, Some(file)) => say(file.write(&bytes)),
        (11, Some(file)) => say(file.write_at(&bytes, offset)),
        (12, Some(file)) => say(file.truncate(offset)),
        (_, Some(file)) => {
            let mut buffer = [0; 64];
            let read = file.read_at(&mut buffer, offset).map(|count| buffer[..count].to_vec());
            format!("{} {} {}", say(read), say(file.len()), say(file.sync()))
        }
        (_, None) => "nothing is open".to_owned(),
    }
}

fn say<T: std::fmt::Debug>(outcome: io::Result<T>) -> String {
    match outcome {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{:?}", error.kind()),
    }
}

#[test]
fn random_calls_have_the_same_outcome_on_both_disks() {
    for seed in 0..SEEDS {
        let folder = tempfile::tempdir().unwrap();
        let simulated = disk();
        let mut real = Side { disk: &RealDisk, root: folder.path().to_owned(), open: Vec::new() };
        let mut model = Side { disk: &simulated, root: HOME.into(), open: Vec::new() };
        let (mut first, mut second) = (Random::seeded(seed), Random::seeded(seed));
        let mut story = Vec::new();
        for number in 0..STEPS {
            let (expect, found) = (step(&mut real, &mut first), step(&mut model, &mut second));
            story.push(format!("{number}: {expect}"));
            assert_eq!(found, expect, "seed {seed}\n{}", story.join("\n"));
        }
    }
}
