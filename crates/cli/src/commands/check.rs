//! `subcortex check`: how each line of the memory is understood as a test.

use std::fmt::Write as _;

use serde::Serialize;
use subcortex_audit::Ink;
use subcortex_checks::{Condition, Expect, Scope, Tried};
use subcortex_guard::escape_for_display;
use subcortex_memory::{Broadcast, Line, LineHash, MadeBy, MemoryFolder, check_files};
use subcortex_weaver::TrustState;

use super::World;
use crate::args::Check as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::output::{note, print_json};

/// The names of the fields are relied upon by scripts.
#[derive(Debug, Serialize)]
struct Understood<'a> {
    line: usize,
    text: &'a str,
    hash: &'a LineHash,
    testable: bool,
    trusted: bool,
    confidence: f64,
    trigger: &'a [Condition],
    expect: &'a [Expect],
    forbid: &'a [Condition],
    scope: &'a Scope,
    by: MadeBy,
    why: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_trusted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reword: Option<&'a str>,
}

pub(crate) fn run(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    let broadcast = match &args.file {
        Some(file) => Broadcast::parse(
            std::fs::read_to_string(file)
                .map_err(|error| Failure::refused(format!("cannot read {}: {error}", file.display())))?,
        ),
        None => broadcast(world)?,
    };
    let trust = match &args.file {
        Some(_) => TrustState::default(),
        None => TrustState::read(&*world.disk, &MemoryFolder::at(world.home.memory()))?,
    };
    let shown = wanted(&broadcast, args.line.as_deref())?;
    if args.json {
        print_json(&shown.iter().map(|line| understood(line, &trust)).collect::<Vec<_>>())?;
    } else {
        let looks = world.looks();
        looks.show(&shown.iter().map(|line| in_words(line, &trust, &looks)).collect::<String>())?;
    }
    Ok(ExitCode::Done)
}

/// What `--json` prints of the home's broadcast.
pub(crate) fn document(world: &World<'_>, line: Option<&str>) -> Result<serde_json::Value, Failure> {
    let broadcast = broadcast(world)?;
    let trust = TrustState::read(&*world.disk, &MemoryFolder::at(world.home.memory()))?;
    let shown = wanted(&broadcast, line)?;
    Ok(serde_json::to_value(shown.iter().map(|line| understood(line, &trust)).collect::<Vec<_>>())?)
}

/// The lines, or the one that is named.
fn wanted<'b>(broadcast: &'b Broadcast, line: Option<&str>) -> Result<Vec<&'b Line>, Failure> {
    let wanted = line.map(line_number).transpose()?;
    let is_wanted = |line: &&Line| wanted.is_none_or(|wanted| line.number == wanted);
    let shown: Vec<&Line> = broadcast.lines.iter().filter(is_wanted).collect();
    if let (Some(wanted), true) = (wanted, shown.is_empty()) {
        return Err(Failure::refused(format!(
            "line {wanted} is no rule; `subcortex check` lists those that are\nthe rules: {}",
            lines_in_words(broadcast)
        )));
    }
    Ok(shown)
}

/// Where the rules stand.
fn lines_in_words(broadcast: &Broadcast) -> String {
    match (broadcast.lines.first(), broadcast.lines.last()) {
        (Some(first), Some(last)) => format!("L{} to L{}", first.number, last.number),
        _ => "none yet".to_owned(),
    }
}

/// The home's broadcast, with what people said about how its lines are to be understood.
fn broadcast(world: &World<'_>) -> Result<Broadcast, Failure> {
    world.expect_home()?;
    let folder = MemoryFolder::at(world.home.memory());
    let mut broadcast = Broadcast::read(&*world.disk, &folder)?;
    if broadcast.text.is_none() {
        return Err(Failure::refused(
            "there is no memory/CLAUDE.md yet\ntake over one that you have with `subcortex adopt FILE`, or look at it with --file",
        ));
    }
    let taken_over = check_files::take_over(&*world.disk, &folder, &mut broadcast)?;
    for (path, why) in &taken_over.problems {
        note(&format!("{path} is not used: {why}"));
    }
    Ok(broadcast)
}

/// `L12` or `12`.
pub(crate) fn line_number(word: &str) -> Result<usize, Failure> {
    let digits = word.strip_prefix(['L', 'l']).unwrap_or(word);
    digits.parse().map_err(|_| Failure::refused(format!("`{word}` names no line; write it like L12")))
}

/// How sure the verdicts of a check are that was not tried yet.
const UNTRIED: f64 = 0.5;

fn understood<'a>(line: &'a Line, trust: &TrustState) -> Understood<'a> {
    let check = &line.check;
    let doubt = trust.of(line).doubt().map(str::to_owned);
    let confidence = match (check.testable && doubt.is_none(), line.by) {
        (false, _) => 0.0,
        (true, MadeBy::Person) => 1.0,
        (true, MadeBy::Rules | MadeBy::Model) => trust.tried(line).map_or(UNTRIED, Tried::confidence),
    };
    Understood {
        line: line.number,
        text: &line.text,
        hash: &line.hash,
        testable: check.testable,
        trusted: check.testable && doubt.is_none(),
        confidence,
        trigger: &check.trigger,
        expect: &check.expect,
        forbid: &check.forbid,
        scope: &check.scope,
        by: line.by,
        why: &check.why,
        not_trusted: doubt,
        reword: check.reword.as_deref(),
    }
}

fn in_words(line: &Line, trust: &TrustState, looks: &Looks) -> String {
    let check = &line.check;
    let trust = trust.of(line);
    let mark = match (check.testable, trust.is_trusted()) {
        (true, true) => looks.ink(Ink::Green, "test"),
        (true, false) => looks.ink(Ink::Yellow, "not trusted"),
        (false, _) => "    ".to_owned(),
    };
    let number = looks.bold(&format!("{:<5}", format!("L{}", line.number)));
    let mut words = format!("{number} {mark}  {}\n", escape_for_display(&line.text));
    let by = match line.by {
        MadeBy::Person => " (your own check)",
        MadeBy::Model => " (as a model reads it)",
        MadeBy::Rules => "",
    };
    // Writing to a String cannot fail.
    let why = format!("{}{by}", escape_for_display(&check.why));
    let _ok = writeln!(words, "             {}", looks.dim(&why));
    if let Some(doubt) = trust.doubt() {
        let _ok = writeln!(words, "             ! {}", escape_for_display(doubt));
    }
    if let Some(reword) = &check.reword {
        let _ok = writeln!(words, "             → {}", escape_for_display(reword));
    }
    words
}
