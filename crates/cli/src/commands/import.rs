//! `subcortex import`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use subcortex_audit::Project;
use subcortex_guard::escape_for_display;
use subcortex_import::{Holds, Options, Problem, Sources, Summary, import, skipped};
use subcortex_known_agents::{AGENTS, Agent, transcript};
use subcortex_memory::Proposal;

use super::{World, mended};
use crate::args::{Import, ImportFrom};
use crate::bar::Bar;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print, print_json};
use crate::words::count;

/// How many files that could not be read are named.
const MAX_NAMED_PROBLEMS: usize = 10;

pub(crate) fn run(world: &World<'_>, args: &Import) -> Result<ExitCode, Failure> {
    if world.surroundings.is_own_run {
        return Err(Failure::refused(
            "nothing is imported from inside a run: what a worker hands over is no evidence; import it by hand",
        ));
    }
    if !args.paths.is_empty() {
        // A file anywhere may be one that the agent wrote; the agents' own folders are read in any case.
        world.expect_a_person(
            "imports sessions from elsewhere",
            "without a path the agents' own folders are read; a person imports others in a terminal of their own",
        )?;
    }
    let project = args.project.as_deref().map(|dir| project_of(world, dir)).transpose()?;
    let places = places(world, args)?;
    let mut total = Summary::default();
    for (agent, paths) in &places {
        let summary = import_of(world, agent, paths, project.as_ref())?;
        if places.len() > 1 && !args.json {
            print(&format!("{}: {}", agent.title, in_short(&summary)))?;
        }
        total.add(summary);
    }
    if total.is_all_unreadable() {
        return Err(unreadable(&total.problems));
    }
    if !total.problems.is_empty() {
        note(&escape_lines(&named(&total.problems)));
    }
    if args.json {
        print_json(&total)?
    } else {
        world.looks().print(&shown(&total, places.len() > 1))?;
        if total.events > 0 {
            world.looks().print(&what_comes_next(world)?)?;
        }
    }
    Ok(ExitCode::Done)
}

/// Whose sessions are read, and where they are.
fn places(world: &World<'_>, args: &Import) -> Result<Vec<(&'static Agent, Vec<PathBuf>)>, Failure> {
    match args.agent {
        ImportFrom::Agent(agent) if args.paths.is_empty() => Ok(vec![(agent, usual_places(world, agent)?)]),
        ImportFrom::Agent(agent) => Ok(vec![(agent, args.paths.clone())]),
        ImportFrom::Auto if args.paths.is_empty() => found_places(world),
        ImportFrom::Auto => Err(Failure::refused(
            "`auto` looks where the agents keep their sessions, so it takes no path\n\
             name the agent whose files these are, such as `subcortex import claude PATH`",
        )),
    }
}

/// Every agent whose sessions are where they usually are.
fn found_places(world: &World<'_>) -> Result<Vec<(&'static Agent, Vec<PathBuf>)>, Failure> {
    let mut looked_in = Vec::new();
    let mut found = Vec::new();
    for agent in AGENTS {
        let places = usual_places(world, agent)?;
        let there: Vec<PathBuf> = places.iter().filter(|place| place.is_dir()).cloned().collect();
        looked_in.extend(places.iter().map(|place| format!("{}: {}", agent.title, place.display())));
        if !there.is_empty() {
            found.push((*agent, there));
        }
    }
    if found.is_empty() {
        return Err(Failure::refused(format!(
            "no sessions of an agent were found; looked in\n{}\n\
             if yours are elsewhere, name the agent and the folder, such as `subcortex import claude PATH`",
            looked_in.join("\n")
        )));
    }
    Ok(found)
}

fn import_of(
    world: &World<'_>,
    agent: &'static Agent,
    paths: &[PathBuf],
    project: Option<&Project>,
) -> Result<Summary, Failure> {
    let sources = Sources::find(&*world.disk, &[agent], paths);
    if sources.files.is_empty() && !sources.problems.is_empty() {
        // A mistyped path makes no home.
        return Err(unreadable(&sources.problems));
    }
    let mut spine = world.spine()?;
    let holds = |cwd: &str| project.is_none_or(|project| project.holds(cwd));
    let only: Option<&Holds<'_>> = if project.is_some() { Some(&holds) } else { None };
    let options = Options { agent, own_dirs: own_dirs(world), only, clock: &Timestamp::now };
    let mut bar = Bar::new();
    let imported = import(&mut spine, &*world.disk, sources, &options, &mut |progress| bar.show(progress));
    bar.clear();
    mended::tell(&mut spine);
    Ok(imported?)
}

/// The project of a folder: itself, what is below it, and its other worktrees.
fn project_of(world: &World<'_>, dir: &Path) -> Result<Project, Failure> {
    let here = world.surroundings.current_dir.clone().unwrap_or_default();
    let full = here.join(dir);
    if !full.is_dir() {
        return Err(Failure::refused(format!(
            "{} is no folder\n--project takes the folder of the project, such as `--project .`",
            dir.display()
        )));
    }
    // A project is known by a file in it.
    Ok(Project::of(&*world.disk, &full.join("CLAUDE.md"), &[]))
}

/// History edits nothing: what may last in it is asked about.
fn what_comes_next(world: &World<'_>) -> Result<String, Failure> {
    let shop = world.workshop()?;
    let waiting = Proposal::read_all(&*shop.disk, &shop.folder)?.waiting.len();
    Ok(format!(
        "next: subcortex tick --partition memory-weaver   reads them now; a running daemon does so by itself\n\
         what you said before this home existed changes no rule; it waits for your yes in: subcortex review ({waiting} now)\n"
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

/// What came of it, in a line.
fn in_short(summary: &Summary) -> String {
    let Summary { files, records, events, duplicates, .. } = summary;
    let n = |n: &u64, one: &str| count(usize::try_from(*n).unwrap_or(usize::MAX), one);
    let known = match duplicates {
        0 => String::new(),
        known => format!(", {known} that were there already"),
    };
    format!("{} with {}: {}{known}\n", n(files, "file"), n(records, "record"), n(events, "new event"))
}

fn shown(summary: &Summary, is_sum: bool) -> String {
    let mut text = if is_sum { format!("together: {}", in_short(summary)) } else { in_short(summary) };
    if !summary.skipped.is_empty() {
        text.push_str(
            "left out, whole or in part (one record can give several events, so these do not add up to the records):\n",
        );
    }
    for (reason, n) in &summary.skipped {
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "{n:>10}  {reason:<17} {}", meaning_of(reason));
    }
    text
}

/// Why something gave no event, in words.
fn meaning_of(reason: &str) -> &'static str {
    match reason {
        transcript::skipped::BROKEN => "lines that are no JSON",
        transcript::skipped::TOO_LONG => "lines that are too long",
        transcript::skipped::NUL_BYTES => "lines of nothing but NUL bytes",
        transcript::skipped::BOOKKEEPING => "records that say nothing about the conversation",
        transcript::skipped::UNKNOWN_TYPE => "records of a type that this version does not know",
        transcript::skipped::UNKNOWN_FORMAT => "lines of files that no known agent wrote",
        transcript::skipped::NO_SESSION => "records that belong to no session",
        transcript::skipped::OWN_RUN => "subcortex's own runs, which are no evidence",
        transcript::skipped::SIDECHAIN_PROMPT => "what an agent told its subagent",
        transcript::skipped::META => "what the agent program marks as not yours",
        transcript::skipped::OTHER_ORIGIN => "prompts from a notification or a scheduler",
        transcript::skipped::WRAPPER => "output of the agent program itself",
        transcript::skipped::IMAGE_ONLY => "pictures without words",
        transcript::skipped::EMPTY => "messages without content",
        transcript::skipped::NO_CONTENT => "thinking and pictures, which are not kept",
        transcript::skipped::QUEUE => "messages in the queue; they count when they are delivered",
        transcript::skipped::REPEATED => "words that another record reported already",
        skipped::FILE_GONE => "files or folders that are not there",
        skipped::FILE_UNREADABLE => "files or folders that cannot be read",
        skipped::FILE_SHRANK => "files that became shorter meanwhile",
        skipped::FILE_DAMAGED => "compressed files that are damaged",
        skipped::FILE_LINK => "links, which are not followed",
        skipped::FILE_OF_OTHERS => "files that the agent or its tools wrote",
        skipped::OTHER_PROJECT => "files of other projects",
        skipped::UNFINISHED => "last lines that are still being written",
        skipped::WAITING => "words that wait for their delivery",
        skipped::REFUSED => "events that are too large",
        _ => "",
    }
}
