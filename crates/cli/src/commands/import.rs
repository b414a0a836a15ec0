//! `subcortex import`.

use std::fmt::Write as _;
use std::path::PathBuf;

use jiff::Timestamp;
use subcortex_guard::escape_for_display;
use subcortex_import::{Options, Problem, Sources, Summary, import};
use subcortex_known_agents::Agent;
use subcortex_memory::Proposal;

use super::World;
use crate::args::Import;
use crate::bar::Bar;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print, print_json};

/// How many files that could not be read are named.
const MAX_NAMED_PROBLEMS: usize = 10;

pub(crate) fn run(world: &World<'_>, args: Import) -> Result<ExitCode, Failure> {
    if world.surroundings.is_own_run {
        return Err(Failure::refused(
            "nothing is imported from inside a run: what a worker hands over is no evidence; import it by hand",
        ));
    }
    let agent = args.agent.0;
    let paths = if args.paths.is_empty() { usual_places(world, agent)? } else { args.paths };
    let sources = Sources::find(&*world.disk, &[agent], &paths);
    if sources.files.is_empty() && !sources.problems.is_empty() {
        // A mistyped path makes no home.
        return Err(unreadable(&sources.problems));
    }
    let mut spine = world.spine()?;
    let options = Options { agent, own_dirs: own_dirs(world), clock: &Timestamp::now };
    let mut bar = Bar::new();
    let imported = import(&mut spine, &*world.disk, sources, &options, &mut |progress| bar.show(progress));
    bar.clear();
    for aside in spine.take_set_aside() {
        note(&format!(
            "note: {} was no index and is {} now; another one has been made ({})",
            aside.path.display(),
            aside.kept.display(),
            aside.reason
        ));
    }
    for repair in spine.take_repairs() {
        note(&format!(
            "note: the end of {} was torn and has been repaired: {}",
            repair.file.display(),
            repair.reason
        ));
    }
    let summary = imported?;
    if summary.is_all_unreadable() {
        return Err(unreadable(&summary.problems));
    }
    if !summary.problems.is_empty() {
        note(&escape_lines(&named(&summary.problems)));
    }
    if args.json {
        print_json(&summary)?
    } else {
        print(&shown(&summary))?;
        if summary.events > 0 {
            print(&what_comes_next(world)?)?;
        }
    }
    Ok(ExitCode::Done)
}

/// History edits nothing: what may last in it is asked about.
fn what_comes_next(world: &World<'_>) -> Result<String, Failure> {
    let shop = world.workshop()?;
    let waiting = Proposal::read_all(&*shop.disk, &shop.folder)?.waiting.len();
    Ok(format!(
        "memory-weaver reads them at its next turn (now: subcortex tick --partition memory-weaver)\n\
         what people said before this home existed changes no rule; it waits in: subcortex review ({waiting} now)\n"
    ))
}

/// Where the agent keeps its session files.
fn usual_places(world: &World<'_>, agent: &Agent) -> Result<Vec<PathBuf>, Failure> {
    let config_dir = world.surroundings.config_dir(agent).ok_or_else(|| {
        Failure::refused("no path is given and $HOME is not set; name the files or folders to import")
    })?;
    let folders = agent.session_folders(&config_dir).into_iter().enumerate();
    // The first is where new sessions come; of the others it is no news that they are not there.
    Ok(folders.filter(|(nth, folder)| *nth == 0 || folder.is_dir()).map(|(_, folder)| folder).collect())
}

/// The home under the name it was given and under its real one, since a session may be recorded with either.
fn own_dirs(world: &World<'_>) -> Vec<PathBuf> {
    let mut dirs = vec![world.home.root().to_owned()];
    dirs.extend(world.home.root().canonicalize().ok().filter(|real| real != world.home.root()));
    dirs
}

fn unreadable(problems: &[Problem]) -> Failure {
    Failure::refused(format!(
        "nothing could be read, so nothing was imported\n{}\ngive files, or folders with files that end in .jsonl or .jsonl.zst",
        named(problems)
    ))
}

/// What could not be read, a line each.
pub(crate) fn named(problems: &[Problem]) -> String {
    let mut lines: Vec<String> = problems
        .iter()
        .take(MAX_NAMED_PROBLEMS)
        .map(|problem| format!("{}: {}", problem.path.display(), problem.message))
        .collect();
    if let Some(more) = problems.len().checked_sub(MAX_NAMED_PROBLEMS).filter(|more| *more > 0) {
        lines.push(format!("… and {more} more"));
    }
    lines.join("\n")
}

/// Names of files come from others and must not steer the terminal.
pub(crate) fn escape_lines(text: &str) -> String {
    text.lines().map(|line| format!("note: {}", escape_for_display(line))).collect::<Vec<_>>().join("\n")
}

fn shown(summary: &Summary) -> String {
    let Summary { files, records, events, skipped, duplicates, problems: _ } = summary;
    let mut text = format!(
        "{files} files with {records} records: {events} new events, {duplicates} that were there already\n"
    );
    if !skipped.is_empty() {
        text.push_str("left out:\n");
    }
    for (reason, n) in skipped {
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "{n:>10}  {reason}");
    }
    text
}
