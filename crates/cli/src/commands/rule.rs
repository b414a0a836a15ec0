//! `subcortex rule`: rules by hand. Each is an edit like all others: in the journal, with a way back, and never over what
//! somebody else writes at the same moment.

use std::path::Path;

use serde::Serialize;
use subcortex_audit::Ink;
use subcortex_daemon::Decision;
use subcortex_guard::escape_for_display;
use subcortex_memory::{Broadcast, Line, LineCheck, LineHash, MemoryFolder};
use subcortex_weaver::updater::{BESIDE, holds_for};
use subcortex_weaver::{CompiledBroadcast, expect_broadcast, miss_broadcast};

use super::World;
use super::check::line_number;
use super::history::{decide, made};
use crate::args::{Rule, RuleCommand};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::output::{note, print, print_json};

/// The names of the fields are relied upon by scripts.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    line: usize,
    text: &'a str,
    hash: &'a LineHash,
    project: Option<&'a str>,
    testable: bool,
}

pub(crate) fn run(world: &World<'_>, args: &Rule) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    match &args.command {
        RuleCommand::List { project, json } => list(world, project.as_deref(), *json),
        RuleCommand::Add { text, project, json } => {
            expect_a_person(world)?;
            let project = project.as_deref().map(|dir| project_of(world, dir)).transpose()?;
            change(world, Decision::AddRule { text: text.clone(), project }, "added", *json)
        }
        RuleCommand::Edit { line, text, project, json } => {
            expect_a_person(world)?;
            let line = wanted(world, line, project.as_deref())?;
            change(world, Decision::EditRule { line, text: text.clone() }, "changed", *json)
        }
        RuleCommand::Remove { line, project, json } => {
            expect_a_person(world)?;
            let line = wanted(world, line, project.as_deref())?;
            change(world, Decision::RemoveRule { line }, "removed", *json)
        }
    }
}

fn expect_a_person(world: &World<'_>) -> Result<(), Failure> {
    world.expect_a_person(
        "changes rules by hand",
        "an agent hands over what a person asked for with `subcortex remember --session S --quote TEXT RULE`; \
         a person uses a shell of their own",
    )
}

fn change(world: &World<'_>, decision: Decision, verb: &str, json: bool) -> Result<ExitCode, Failure> {
    let value = decide(world, decision)?;
    if json {
        print_json(&value)?;
    } else {
        let looks = world.looks();
        looks.print(&format!("{verb}\n{}", made(&value, &looks)))?;
        if let Some(other) = beside(&value) {
            note(&format!(
                "note: {other} says much the same; to have it said once: subcortex rule remove {other}"
            ));
        }
    }
    Ok(ExitCode::Done)
}

/// The line that says what a new wording says.
fn beside(value: &serde_json::Value) -> Option<&str> {
    Some(value.pointer("/edit/changes/0/why")?.as_str()?.split_once(BESIDE)?.1)
}

/// A project by its folder, as sessions name it.
fn project_of(world: &World<'_>, dir: &Path) -> Result<String, Failure> {
    let full = match &world.surroundings.current_dir {
        Some(here) => here.join(dir),
        None => dir.to_owned(),
    };
    let full = full.canonicalize().map_err(|error| {
        Failure::refused(format!(
            "{}: {error}\n--project takes the folder of the project, such as `--project .`",
            dir.display()
        ))
    })?;
    if !full.is_dir() {
        return Err(Failure::refused(format!(
            "{} is no folder\n--project takes the folder of the project, such as `--project .`",
            dir.display()
        )));
    }
    match full.into_os_string().into_string() {
        Ok(name) => Ok(name),
        Err(_) => Err(Failure::refused("the name of that folder is not UTF-8, so no rule can name it")),
    }
}

/// The line that is meant, by its number.
fn wanted(world: &World<'_>, word: &str, dir: Option<&Path>) -> Result<LineHash, Failure> {
    let number = line_number(word)?;
    expect_broadcast(&world.workshop()?)?; // an editor may have it away
    let broadcast = Broadcast::read(&*world.disk, &MemoryFolder::at(world.home.memory()))?;
    let line = broadcast.by_number(number).ok_or_else(|| {
        let there = match (broadcast.lines.first(), broadcast.lines.last()) {
            (Some(first), Some(last)) => {
                format!("rules stand in lines L{} to L{}", first.number, last.number)
            }
            _ => "there is no rule yet".to_owned(),
        };
        Failure::refused(format!("line {number} is no rule; {there}\n`subcortex rule list` lists them"))
    })?;
    if let Some(dir) = dir {
        let project = project_of(world, dir)?;
        if !line.project.as_deref().is_some_and(|section| holds_for(section, &project)) {
            let holds =
                line.project.as_deref().map_or("everywhere".to_owned(), |section| format!("in {section}"));
            return Err(Failure::refused(format!(
                "L{number} applies {}, not only in {project}\n`subcortex rule list --project {project}` lists the rules that apply there",
                escape_for_display(&holds)
            )));
        }
    }
    Ok(line.hash.clone())
}

fn list(world: &World<'_>, dir: Option<&Path>, json: bool) -> Result<ExitCode, Failure> {
    let project = dir.map(|dir| project_of(world, dir)).transpose()?;
    let (compiled, _) = CompiledBroadcast::read(&*world.disk, &MemoryFolder::at(world.home.memory()))?;
    let holds = |(line, _): &(&Line, &LineCheck)| match (&project, line.project.as_deref()) {
        (Some(project), Some(section)) => holds_for(section, project),
        (Some(_), None) | (None, _) => true,
    };
    let lines: Vec<(&Line, &LineCheck)> = compiled.lines().filter(holds).collect();
    if json {
        let listed = lines.iter().map(|(line, known)| Listed {
            line: line.number,
            text: &line.text,
            hash: &line.hash,
            project: line.project.as_deref(),
            testable: known.check.testable,
        });
        print_json(&listed.collect::<Vec<_>>())?;
    } else if lines.is_empty() {
        miss_broadcast(&world.workshop()?)?;
        print("no rules yet\nadd one with: subcortex rule add \"…\"\n")?;
    } else {
        let looks = world.looks();
        looks.show(&in_words(&lines, &looks))?;
    }
    Ok(ExitCode::Done)
}

/// The rules below where they hold.
fn in_words(lines: &[(&Line, &LineCheck)], looks: &Looks) -> String {
    let mut text = String::new();
    let mut section: Option<Option<&str>> = None;
    for (line, _) in lines {
        let project = line.project.as_deref();
        if section != Some(project) {
            section = Some(project);
            let heading = project.map_or("everywhere".to_owned(), |project| format!("in {project}"));
            text.push_str(&format!("{}\n", looks.bold(&escape_for_display(&heading))));
        }
        let number = looks.ink(Ink::Cyan, &format!("{:<5}", format!("L{}", line.number)));
        text.push_str(&format!("  {number} {}\n", escape_for_display(line.text.trim())));
    }
    text
}
