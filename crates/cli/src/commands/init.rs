//! `subcortex init`.

use std::fmt::Write as _;

use subcortex_home::init;

use super::adopt::adopt_first;
use super::rules_file::expect_adoptable;
use super::trouble::quoted;
use super::{World, adopt};
use crate::args::Init;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print_foreign};
use crate::words::count;

/// How many parts that were missing are named.
const NAMED_PARTS: usize = 8;

pub(crate) fn run(world: &World<'_>, args: &Init) -> Result<ExitCode, Failure> {
    if let Some(file) = &args.from {
        adopt::expect_a_person(world, file)?;
        // A mistake in the name of the rules file makes no home: the next try is still the first.
        expect_adoptable(file)?;
    }
    let was_there = world.home.is_there();
    let done = init(&*world.disk, &world.home)?;
    subcortex_home::began(&*world.disk, &world.home, jiff::Timestamp::now());
    for (path, difference) in &done.differs {
        note(&format!(
            "{} differs from the one that ships, and stays as it is:\n{difference}",
            path.display()
        ));
    }
    let home = world.home.root().display();
    if was_there {
        let made: Vec<String> = done.made.iter().map(|path| path.display().to_string()).collect();
        print_foreign(&match made.len() {
            0 => format!("{home} has everything\n"),
            parts => {
                let named = made.get(..parts.min(NAMED_PARTS)).unwrap_or_default().join(", ");
                let more = if parts > NAMED_PARTS { ", …" } else { "" };
                format!("{home}: {} made: {named}{more}\n", count(parts, "missing part"))
            }
        })?;
        return match &args.from {
            Some(file) => adopt::adopt_rules_of(world, file),
            None => Ok(ExitCode::Done),
        };
    }
    let rules = args.from.as_deref().map(|file| adopt_first(world, file)).transpose()?;
    print_foreign(&world.looks().fit(&what_was_made(world, rules.as_deref())))?;
    world.looks().print(&next_steps(world))?;
    Ok(ExitCode::Done)
}

fn what_was_made(world: &World<'_>, rules: Option<&str>) -> String {
    let rules = rules.unwrap_or("no rules yet; `subcortex adopt FILE` takes over those of a project");
    let mut text = format!("{} is a new home:\n", world.home.root().display());
    for (path, what) in [
        ("memory/CLAUDE.md", rules),
        ("config/subcortex.yaml", "the settings, each with an explanation"),
        ("subconscious/", "the workers, one folder each, with their waiting tasks"),
        ("var/", "what happened: the event log, the runs, the daemon's log"),
    ] {
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "  {path:<22} {what}");
    }
    text
}

fn next_steps(world: &World<'_>) -> String {
    let root = world.home.root();
    let is_found = world.surroundings.subcortex_home.as_deref() == Some(root)
        || world.surroundings.usual_home().is_some_and(|usual| usual.root() == root);
    let mut text = "\nNext:\n".to_owned();
    if !is_found {
        text.push_str(&format!(
            "  export SUBCORTEX_HOME={}   # because it is not in the default place\n",
            quoted(&root.display().to_string())
        ));
    }
    text.push_str(
        "  1. subcortex connect claude   # your agent reports what it does to this home (or: codex)\n  \
           2. subcortex run              # the daemon, in a terminal of its own (or: subcortex service install --user)\n  \
           3. subcortex status           # what it does, what is stuck, and how to fix it\n",
    );
    text
}
