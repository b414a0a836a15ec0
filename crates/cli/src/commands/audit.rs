//! `subcortex audit`: a rules file held against the sessions of its project. No daemon, no home; nothing is written but
//! the page.

use std::num::NonZero;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use subcortex_audit::{Found, GENERATOR, Options, Place, Project, Report, Rules, Style, audit, page, table};
use subcortex_counsel::project::{look_at, roles};
use subcortex_guard::escape_for_display;
use subcortex_known_agents::{AGENTS, Agent};
use subcortex_store::{Disk, EntryKind, OpenMode, RealDisk, durable};

use super::import::{escape_lines, named};
use super::rules_file::read_rules;
use crate::args::Audit;
use crate::bar::Bar;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::output::{note, print_json};
use crate::surroundings::Surroundings;

/// How far into a file the mark of our pages stands.
const MARK_BYTES: usize = 4096;

pub(crate) fn run(
    surroundings: &Surroundings,
    home: Option<&Path>,
    args: &Audit,
) -> Result<ExitCode, Failure> {
    let disk = RealDisk;
    let sheet = Sheet::read(&disk, surroundings, &args.file)?;
    let target = args.html.as_deref().map(|path| absolute(surroundings, path)).transpose()?;
    if let Some(target) = &target {
        refuse_unless_ours_or_missing(&disk, target)?;
    }
    let now = Timestamp::now();
    let report = judged(&disk, surroundings, home, args, &sheet, now)?;
    if let Some(target) = &target {
        durable::replace(&disk, target, page(&report, &sheet.name, now).as_bytes())?;
    }
    answer(surroundings, args, &report, &sheet.name)
}

/// Looks for the sessions and judges them.
fn judged(
    disk: &dyn Disk,
    surroundings: &Surroundings,
    home_flag: Option<&Path>,
    args: &Audit,
    sheet: &Sheet,
    now: Timestamp,
) -> Result<Report, Failure> {
    let places = places(surroundings);
    let home = surroundings.home(home_flag).ok();
    let mut user_dirs: Vec<PathBuf> = places.iter().map(|place| place.config_dir.clone()).collect();
    user_dirs.extend(home.as_ref().and_then(|home| Some(home.broadcast().parent()?.to_owned())));
    let project = Project::of(disk, &sheet.path, &user_dirs);
    let options = Options {
        disk,
        agents: AGENTS,
        own_dirs: home.map(|home| own_dirs(home.root(), &project)).unwrap_or_default(),
        since_days: args.since,
        now,
        threads: std::thread::available_parallelism().map_or(1, NonZero::get),
        roles: project.folder().and_then(|folder| roles(&[look_at(disk, folder)])),
    };
    let found = match &args.transcripts {
        Some(path) => Found::below(disk, options.agents, path),
        None => Found::of_project(disk, &places, &project),
    };
    let mut rules = sheet.rules.clone();
    if let Some(engine) = &args.engine {
        super::audit_engine::compile(
            surroundings,
            home_flag,
            engine,
            &project,
            &found,
            &options,
            &mut rules,
        )?;
    }
    let judge = |found: Found| {
        let mut bar = Bar::new();
        let report = audit(rules.clone(), found, &options, &mut |progress| bar.show(progress));
        bar.clear();
        report
    };
    let looked =
        Looked { project: &project, places: found.looked_in.clone(), given: args.transcripts.as_deref() };
    let mut report = judge(found);
    if report.looked_at.turns == 0
        && args.transcripts.is_none()
        && let Some(around) = project.repository_around(disk)
    {
        report = judge(Found::of_project(disk, &places, &around));
        if let (true, Some(folder)) = (report.looked_at.turns > 0, around.folder()) {
            let folder = folder.to_string_lossy();
            note(&format!(
                "note: no session was started in the folder of the rules; these are all of {}",
                shown(&folder)
            ));
        }
    }
    let problems = named(&report.summary.problems);
    if report.looked_at.turns == 0 {
        if let Some(days) = args.since {
            let whenever = Options { since_days: None, ..options };
            let found = match &args.transcripts {
                Some(path) => Found::below(disk, whenever.agents, path),
                None => Found::of_project(disk, &places, &project),
            };
            let older = audit(rules, found, &whenever, &mut |_| {});
            if let Some(last) = older.looked_at.last {
                return Err(only_older(days, &older, last, now));
            }
        }
        return Err(looked.nothing(args.since, &problems));
    }
    if !problems.is_empty() {
        note(&escape_lines(&problems));
    }
    Ok(report)
}

fn answer(
    surroundings: &Surroundings,
    args: &Audit,
    report: &Report,
    name: &str,
) -> Result<ExitCode, Failure> {
    if args.json {
        print_json(&report.for_programs(name))?;
    } else {
        let looks = Looks::of(surroundings);
        looks.show(&table(report, name, Style { width: looks.width, colour: looks.colour }))?;
        if looks.is_terminal && args.html.is_none() {
            note("\nnote: with --html FILE you get all of it as a page, with more quotes");
        }
    }
    if let Some(target) = &args.html {
        note(&format!("note: the page is {}", escape_for_display(&target.to_string_lossy())));
    }
    Ok(ExitCode::Done)
}

/// The rules file.
struct Sheet {
    /// What it is called.
    name: String,
    /// Where it is, by the name that was given: the project is the folder around that.
    path: PathBuf,
    rules: Rules,
}

impl Sheet {
    /// Reads a rules file. One that only takes in another, as `CLAUDE.md` often does with `AGENTS.md`, stands for it.
    fn read(disk: &dyn Disk, surroundings: &Surroundings, file: &Path) -> Result<Self, Failure> {
        let path = absolute(surroundings, file)?;
        let rules = Rules::parse(&read_rules(disk, &path)?);
        let taken_in: Vec<PathBuf> = imports(surroundings, &path, &rules);
        let name = file.to_string_lossy().into_owned();
        if let ([only], true) = (&*taken_in, rules.rules.is_empty()) {
            let rules = Rules::parse(&read_rules(disk, only)?);
            let only = only.to_string_lossy();
            note(&format!("note: {} only takes in {}; that was audited", shown(&name), shown(&only)));
            return Ok(Self { name: only.into_owned(), path, rules });
        }
        for other in taken_in {
            let other = other.to_string_lossy();
            note(&format!(
                "note: {} takes in {}, which is a file to audit by itself",
                shown(&name),
                shown(&other)
            ));
        }
        Ok(Self { name, path, rules })
    }
}

fn shown(text: &str) -> String {
    escape_for_display(text).into_owned()
}

/// The files that the rules take in with `@path`, as far as they exist.
fn imports(surroundings: &Surroundings, path: &Path, rules: &Rules) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(path);
    let of_import = |import: &String| match (import.strip_prefix("~/"), &surroundings.user_home) {
        (Some(below), Some(home)) => home.join(below),
        _ => folder.join(import),
    };
    rules.imports.iter().map(of_import).filter(|path| path.is_file()).collect()
}

fn absolute(surroundings: &Surroundings, path: &Path) -> Result<PathBuf, Failure> {
    if path.is_absolute() {
        return Ok(path.to_owned());
    }
    let here = surroundings.current_dir.as_deref().ok_or_else(|| {
        Failure::refused("cannot determine the current folder; give an absolute path to the file")
    })?;
    Ok(here.join(path))
}

/// Where the agents keep their files.
fn places(surroundings: &Surroundings) -> Vec<Place> {
    let of_agent = |agent: &&'static Agent| {
        let named = surroundings.config_dirs.get(agent.name).cloned();
        let usual = surroundings.user_home.as_ref().map(|home| home.join(agent.config_dir.usual));
        let mut dirs: Vec<PathBuf> = named.into_iter().chain(usual).collect();
        dirs.dedup();
        dirs.into_iter().map(|config_dir| Place { agent, config_dir }).collect::<Vec<_>>()
    };
    AGENTS.iter().flat_map(of_agent).collect()
}

/// Sessions of subcortex itself are no evidence. Where the project is the home, or in it, only the workers' folders are
/// left out.
fn own_dirs(home: &Path, project: &Project) -> Vec<PathBuf> {
    let is_inside = match project {
        Project::Everywhere => false,
        Project::Folders(folders) => folders.iter().any(|folder| folder.starts_with(home)),
    };
    let own = if is_inside { home.join("subconscious") } else { home.to_owned() };
    let mut dirs = vec![own.clone()];
    dirs.extend(own.canonicalize().ok().filter(|real| *real != own));
    dirs
}

/// There are sessions, and all of them are older than was asked for.
fn only_older(days: u32, older: &Report, last: Timestamp, now: Timestamp) -> Failure {
    let ago_days = now.duration_since(last).as_hours() / 24;
    Failure::failed(format!(
        "no session is of the last {}: {}, and the newest was {} ago\n\
         take more days, such as --since {}, or leave --since out",
        days_in_words(i64::from(days)),
        match older.sessions() {
            1 => "there is 1 session".to_owned(),
            n => format!("there are {n} sessions"),
        },
        days_in_words(ago_days),
        ago_days + 1,
    ))
}

fn days_in_words(days: i64) -> String {
    if days == 1 { "1 day".to_owned() } else { format!("{days} days") }
}

/// Where sessions were looked for.
struct Looked<'a> {
    project: &'a Project,
    places: Vec<PathBuf>,
    given: Option<&'a Path>,
}

impl Looked<'_> {
    /// There was nothing to judge: says where it was looked for and what to do.
    fn nothing(&self, since_days: Option<u32>, problems: &str) -> Failure {
        let recent = since_days.map(|days| format!(" of the last {}", days_in_words(i64::from(days))));
        let recent = recent.unwrap_or_default();
        let problems = if problems.is_empty() { String::new() } else { format!("\n{problems}") };
        if let Some(given) = self.given {
            return Failure::refused(format!(
                "no session{recent} was found in {}{problems}\n\
                 it should hold files that end in .jsonl or .jsonl.zst, as {} write them",
                given.display(),
                AGENTS.iter().map(|agent| agent.title).collect::<Vec<_>>().join(" or ")
            ));
        }
        let folder = self.project.folder();
        let whose = folder.map(|folder| format!(" in {}", folder.display())).unwrap_or_default();
        let places: Vec<String> = self.places.iter().map(|place| place.display().to_string()).collect();
        let looked = match places.is_empty() {
            true => "$HOME is not set, so nobody knows where the agents keep them".to_owned(),
            false => format!("looked in {}", places.join(", ")),
        };
        Failure::failed(format!(
            "no session{recent} of an agent{whose} was found{problems}\n{looked}\n\
             Claude Code deletes sessions after 30 days; if yours are elsewhere, name the folder with --transcripts DIR"
        ))
    }
}

/// A page replaces an older page, and an empty file; a mistyped name costs nobody a file of theirs.
fn refuse_unless_ours_or_missing(disk: &dyn Disk, target: &Path) -> Result<(), Failure> {
    let refused = |why: &str| {
        Failure::refused(format!("{} {why}\ngive --html a file that does not exist yet", target.display()))
    };
    let unreadable = |error: std::io::Error| refused(&format!("cannot be looked at: {error}"));
    let stat = match disk.stat(target) {
        Ok(stat) => stat,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let has_folder = target.parent().is_some_and(Path::is_dir);
            return if has_folder { Ok(()) } else { Err(refused("has no folder to be in")) };
        }
        Err(error) => return Err(unreadable(error)),
    };
    match stat.kind {
        EntryKind::File if stat.len == 0 => return Ok(()),
        EntryKind::File => {}
        EntryKind::Directory => return Err(refused("is a folder")),
        EntryKind::Symlink | EntryKind::Other => return Err(refused("is not a regular file")),
    }
    let mut start = vec![0; MARK_BYTES];
    let read =
        disk.open(target, OpenMode::Read).and_then(|file| file.read_at(&mut start, 0)).map_err(unreadable)?;
    let is_ours = String::from_utf8_lossy(start.get(..read).unwrap_or_default()).contains(GENERATOR);
    if is_ours { Ok(()) } else { Err(refused("is not a page of an audit, and is left as it is")) }
}
