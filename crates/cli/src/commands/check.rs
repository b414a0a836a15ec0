//! `subcortex check`: how each line of the memory is understood as a test.

use serde::Serialize;
use subcortex_checks::reading::exported;
use subcortex_checks::{Condition, Expect, Scope, Tried};
use subcortex_memory::{Broadcast, Line, LineCheck, LineHash, MadeBy, MemoryFolder};
use subcortex_weaver::{CompiledBroadcast, TrustState};

use super::World;
use super::check_sheet;
use super::rules_file::read_rules;
use crate::args::Check as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print_foreign, print_json};

/// The names of the fields are relied upon by scripts.
#[derive(Debug, Serialize)]
struct Document<'a> {
    line: usize,
    text: &'a str,
    hash: &'a LineHash,
    testable: bool,
    trusted: bool,
    confidence: f64,
    trigger: &'a [Condition],
    maybe: &'a [Condition],
    expect: &'a [Expect],
    near: &'a [Condition],
    forbid: &'a [Condition],
    unless: &'a [Condition],
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
        Some(file) => CompiledBroadcast::by_rules(Broadcast::parse(read_rules(&*world.disk, file)?)),
        None => broadcast(world)?,
    };
    let trust = match &args.file {
        Some(_) => TrustState::default(),
        None => TrustState::read(&*world.disk, &MemoryFolder::at(world.home.memory()))?,
    };
    let shown = wanted(&broadcast, args.line.as_deref())?;
    if args.export {
        return export(&shown);
    }
    if args.json {
        print_json(&shown.iter().map(|line| understood(*line, &trust)).collect::<Vec<_>>())?;
    } else {
        let looks = world.looks();
        let words = match (&*shown, &args.line) {
            ([only], Some(_)) => check_sheet::one(*only, &trust, &looks),
            (all, _) => check_sheet::all(all, &trust, args.file.as_deref(), &looks),
        };
        looks.show(&words)?;
    }
    Ok(ExitCode::Done)
}

/// Prints how a line is understood as an entry of the rulebook.
fn export(shown: &[Understood<'_>]) -> Result<ExitCode, Failure> {
    for (line, known) in shown {
        if !known.check.testable {
            return Err(Failure::refused(format!(
                "L{} has no test that could be exported: {}\nwrite one in memory/checks/{}.yaml (docs/CHECKS.md says how), or reword the line",
                line.number, known.check.why, line.hash
            )));
        }
        print_foreign(&exported(&line.text, &known.check).map_err(Failure::failed)?)?;
    }
    Ok(ExitCode::Done)
}

/// What `--json` prints of the home's broadcast.
pub(crate) fn document(world: &World<'_>, line: Option<&str>) -> Result<serde_json::Value, Failure> {
    let broadcast = broadcast(world)?;
    let trust = TrustState::read(&*world.disk, &MemoryFolder::at(world.home.memory()))?;
    let shown = wanted(&broadcast, line)?;
    Ok(serde_json::to_value(shown.iter().map(|line| understood(*line, &trust)).collect::<Vec<_>>())?)
}

/// A line with how it is understood.
pub(super) type Understood<'b> = (&'b Line, &'b LineCheck);

/// The lines, or the one that is named.
fn wanted<'b>(broadcast: &'b CompiledBroadcast, line: Option<&str>) -> Result<Vec<Understood<'b>>, Failure> {
    let wanted = line.map(line_number).transpose()?;
    let is_wanted = |(line, _): &Understood<'_>| wanted.is_none_or(|wanted| line.number == wanted);
    let shown: Vec<Understood<'_>> = broadcast.lines().filter(is_wanted).collect();
    if let (Some(wanted), true) = (wanted, shown.is_empty()) {
        return Err(Failure::refused(format!(
            "line {wanted} is no rule; `subcortex check` without it lists those that are\nthe rules: {}",
            lines_in_words(&broadcast.broadcast)
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
fn broadcast(world: &World<'_>) -> Result<CompiledBroadcast, Failure> {
    world.expect_home()?;
    let folder = MemoryFolder::at(world.home.memory());
    let (compiled, taken_over) = CompiledBroadcast::read(&*world.disk, &folder)?;
    if compiled.broadcast.text.is_none() {
        return Err(Failure::refused(
            "there is no memory/CLAUDE.md yet\ntake over one that you have with `subcortex adopt FILE`, or look at it with --file",
        ));
    }
    for (path, why) in &taken_over.problems {
        note(&format!("{path} is not used: {why}"));
    }
    Ok(compiled)
}

/// `L12` or `12`.
pub(crate) fn line_number(word: &str) -> Result<usize, Failure> {
    let digits = word.strip_prefix(['L', 'l']).unwrap_or(word);
    digits.parse().map_err(|_| Failure::refused(format!("`{word}` names no line; write it like L12")))
}

/// How sure the verdicts of a check are that was not tried yet.
const UNTRIED: f64 = 0.5;

fn understood<'a>((line, known): Understood<'a>, trust: &TrustState) -> Document<'a> {
    let check = &known.check;
    let doubt = trust.of(line, known).doubt().map(str::to_owned);
    let confidence = match (check.testable && doubt.is_none(), known.by) {
        (false, _) => 0.0,
        (true, MadeBy::Person) => 1.0,
        (true, MadeBy::Rules | MadeBy::Model) => trust.tried(line, known).map_or(UNTRIED, Tried::confidence),
    };
    Document {
        line: line.number,
        text: &line.text,
        hash: &line.hash,
        testable: check.testable,
        trusted: check.testable && doubt.is_none(),
        confidence,
        trigger: &check.trigger,
        maybe: &check.maybe,
        expect: &check.expect,
        near: &check.near,
        forbid: &check.forbid,
        unless: &check.unless,
        scope: &check.scope,
        by: known.by,
        why: &check.why,
        not_trusted: doubt,
        reword: check.reword.as_deref(),
    }
}
