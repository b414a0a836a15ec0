//! `subcortex adopt`: the rules of a project's own file become part of the memory.

use std::path::{Path, PathBuf};

use subcortex_audit::Project;
use subcortex_home::{Adopted, Place, adopt as adopt_rules, init};
use subcortex_known_agents::AGENTS;
use subcortex_weaver::{expect_broadcast, note_broadcast};

use super::World;
use super::rules_file::{expect_adoptable, is_rules_name};
use crate::args::Adopt;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print_foreign};
use crate::words::count;

pub(crate) fn run(world: &World<'_>, args: &Adopt) -> Result<ExitCode, Failure> {
    adopt_rules_of(world, &args.file)
}

/// Takes over the rules of a file, and says what became of them.
pub(crate) fn adopt_rules_of(world: &World<'_>, file: &Path) -> Result<ExitCode, Failure> {
    expect_a_person(world, file)?;
    expect_adoptable(file)?;
    init(&*world.disk, &world.home)?;
    let adopted = adopt(world, file)?;
    let broadcast = world.home.broadcast();
    let (file, broadcast) = (file.display(), broadcast.display());
    let rules = count(adopted.rules, "rule");
    let are = if adopted.rules == 1 { "is" } else { "are" };
    print_foreign(&world.looks().fit(&match (&adopted.place, adopted.was_there) {
        (_, true) => format!("{broadcast} already holds what {file} says ({rules})\n"),
        (Place::Everything, false) => format!(
            "{rules} of {file} {are} now in {broadcast}, and hold in every project\n\
             to keep rules to one project, put `## Project: FOLDER` above them\n"
        ),
        (Place::Everywhere, false) => {
            format!("{rules} of {file} {are} now in {broadcast}, beside yours, and hold in every project\n")
        }
        (Place::Project(folder), false) => format!(
            "{rules} of {file} {are} now in {broadcast}, below `## Project: {folder}`; what stands there holds there only\n"
        ),
    }))?;
    Ok(ExitCode::Done)
}

/// The rules with which a new home begins; what to say about them.
pub(crate) fn adopt_first(world: &World<'_>, file: &Path) -> Result<String, Failure> {
    let adopted = adopt(world, file)?;
    let holds = if adopted.rules == 1 { "it holds" } else { "they hold" };
    let place = match &adopted.place {
        Place::Project(folder) => {
            format!("in {folder} only (to have them everywhere, take their heading out)")
        }
        Place::Everything | Place::Everywhere => "in every project".to_owned(),
    };
    Ok(format!("your rules: {} of {}; {holds} {place}", adopted.rules, file.display()))
}

/// Whatever stands in a file becomes a line at once.
pub(crate) fn expect_a_person(world: &World<'_>, file: &Path) -> Result<(), Failure> {
    world.expect_a_person(
        "takes rules of a file over",
        &format!("a person runs `subcortex adopt {}` in a terminal of their own", file.display()),
    )
}

fn adopt(world: &World<'_>, file: &Path) -> Result<Adopted, Failure> {
    let shop = world.workshop()?;
    expect_broadcast(&shop)?; // an editor may have it away
    let adopted = adopt_rules(&*world.disk, &world.home, file, project_of(world, file).as_deref())?;
    note_broadcast(&shop)?;
    for kept in &adopted.kept_imports {
        note(&format!("an import stays as it is: {kept}"));
    }
    if adopted.hides_secrets {
        note(&format!(
            "{} holds what looks like a secret; [REDACTED:…] was written in its place",
            file.display()
        ));
    }
    Ok(adopted)
}

/// The folder whose rules these are; nothing when they are those of a person, for everywhere: from an agent's own folder or the
/// person's, or in a file that no agent knows by its name, outside of any repository.
fn project_of(world: &World<'_>, file: &Path) -> Option<PathBuf> {
    let user_dirs: Vec<PathBuf> =
        AGENTS.iter().filter_map(|agent| world.surroundings.config_dir(agent)).collect();
    let real = std::fs::canonicalize(file).ok()?;
    // Where the same project also lies (its worktrees) is no business of the memory.
    let folder = match Project::of(&*world.disk, &real, &user_dirs) {
        Project::Everywhere => return None,
        Project::Folders(folders) => folders.into_iter().next()?,
    };
    let is_in_repository = || folder.ancestors().any(|above| above.join(".git").exists());
    let user_home = world.surroundings.user_home.as_ref().and_then(|home| std::fs::canonicalize(home).ok());
    let is_user_home = user_home.is_some_and(|home| home == folder);
    (!is_user_home && (is_rules_name(file) || is_in_repository())).then_some(folder)
}
