//! `subcortex init` and `subcortex adopt`.

use std::fmt::Write as _;
use std::path::Path;

use subcortex_home::{adopt as adopt_rules, init};

use super::World;
use crate::args::Init;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print};

pub(crate) fn run(world: &World<'_>, args: &Init) -> Result<ExitCode, Failure> {
    let done = init(&*world.disk, &world.home)?;
    subcortex_home::began(&*world.disk, &world.home, jiff::Timestamp::now());
    let home = world.home.root().display();
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ok = match done.made.len() {
        0 => writeln!(text, "{home} has everything"),
        made => writeln!(text, "{home}: {made} missing entries made"),
    };
    for (path, difference) in &done.differs {
        note(&format!(
            "{} differs from the one that ships, and stays as it is:\n{difference}",
            path.display()
        ));
    }
    print(&text)?;
    match &args.from {
        Some(file) => adopt(world, file),
        None => Ok(ExitCode::Done),
    }
}

pub(crate) fn adopt(world: &World<'_>, file: &Path) -> Result<ExitCode, Failure> {
    init(&*world.disk, &world.home)?;
    let adopted = adopt_rules(&*world.disk, &world.home, file)?;
    for kept in &adopted.kept_imports {
        note(&format!("an import stays as it is: {kept}"));
    }
    let broadcast = world.home.broadcast();
    let rules = adopted.rules;
    print(&if adopted.was_there {
        format!("{} already holds these {rules} rules\n", broadcast.display())
    } else {
        format!("{rules} rules of {} are now in {}\n", file.display(), broadcast.display())
    })?;
    Ok(ExitCode::Done)
}
