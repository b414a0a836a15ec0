//! A task that returns and converges: similar requests in several sessions, each with less effort than the one before.

use std::collections::{BTreeMap, BTreeSet};

use subcortex_checks::{Board, Kind, hear};
use subcortex_model::{Turn, event_type};

use super::lesson::one_line;
use super::node::{Node, NodeKind, slug_of};

/// In how many sessions a task has to return.
const MIN_SESSIONS: usize = 3;
/// How many telling words two requests have in common at least.
const MIN_SHARED_WORDS: usize = 3;
/// How much of the words of both they share at least, in percent.
const MIN_SHARED_PERCENT: usize = 60;
/// How much effort the last time may take of the first, in percent.
const MAX_LAST_PERCENT: usize = 70;
/// How many commands all times have in common at least.
const MIN_STEPS: usize = 2;
/// The longest request that can be the same task again, in words: longer ones are one of a kind.
const MAX_REQUEST_WORDS: usize = 40;

/// One time that a task was asked for.
struct Time<'a> {
    turn: &'a Turn,
    words: BTreeSet<String>,
    commands: Vec<String>,
    effort: usize,
}

/// Tasks that returned and converged.
pub(super) fn find(sessions: &BTreeMap<&str, Vec<&Turn>>) -> Vec<Node> {
    let mut groups: Vec<Vec<Time<'_>>> = Vec::new();
    let mut times: Vec<Time<'_>> = sessions.values().flat_map(|turns| accepted(turns)).collect();
    times.sort_by_key(|time| time.turn.message().map(|message| message.ts));
    for time in times {
        let fits = |group: &&mut Vec<Time<'_>>| {
            group.iter().all(|other| is_alike(other, &time) && other.turn.cwd() == time.turn.cwd())
        };
        match groups.iter_mut().find(fits) {
            Some(group) if group.iter().any(|other| other.turn.session_key == time.turn.session_key) => {}
            Some(group) => group.push(time),
            None => groups.push(vec![time]),
        }
    }
    groups.iter().filter_map(|group| groove(group)).collect()
}

/// Turns that did something and were not corrected by what the person said next; the last of a session is not known to be.
fn accepted<'a>(turns: &'a [&'a Turn]) -> impl Iterator<Item = Time<'a>> {
    turns.windows(2).filter_map(|pair| {
        let [turn, next] = pair else { return None };
        let said = hear(next.message()?.text()?, None, Some(turn), &Board::new([]));
        if said.is_some_and(|signal| signal.kind == Kind::Correction) {
            return None;
        }
        let words = words_of(turn.message()?.text()?)?;
        let commands = commands_of(turn);
        let effort =
            turn.events.iter().filter(|event| event.event_type == event_type::AGENT_TOOL_USE).count();
        (commands.len() >= MIN_STEPS).then_some(Time { turn, words, commands, effort })
    })
}

fn words_of(text: &str) -> Option<BTreeSet<String>> {
    let all: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    if all.iter().filter(|word| !word.is_empty()).count() > MAX_REQUEST_WORDS {
        return None;
    }
    let telling: BTreeSet<String> = all.into_iter().filter(|word| word.len() > 3).collect();
    (telling.len() >= MIN_SHARED_WORDS).then_some(telling)
}

/// The programs that were run, each with its first argument, without what only looks.
fn commands_of(turn: &Turn) -> Vec<String> {
    const LOOKS: &[&str] = &[
        "ls", "cat", "cd", "pwd", "echo", "grep", "rg", "find", "head", "tail", "sed", "which", "wc", "sleep",
    ];
    let mut commands = Vec::new();
    for event in turn.events.iter().filter(|event| event.event_type == event_type::AGENT_TOOL_USE) {
        let command = event.payload.get("input").and_then(|input| input.get("command")?.as_str());
        let Some(first) = command.and_then(|command| command.split("&&").last()) else { continue };
        let words: Vec<&str> = first.split_whitespace().take(2).collect();
        let plain = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || "-_./:".contains(c));
        let Some(program) = words.first().filter(|word| plain(word) && !LOOKS.contains(word)) else {
            continue;
        };
        let step = match words.get(1).filter(|word| plain(word) && !word.starts_with('-')) {
            Some(argument) => format!("{program} {argument}"),
            None => (*program).to_owned(),
        };
        if !commands.contains(&step) {
            commands.push(step);
        }
    }
    commands
}

fn is_alike(one: &Time<'_>, other: &Time<'_>) -> bool {
    let shared = one.words.intersection(&other.words).count();
    let all = one.words.union(&other.words).count();
    shared >= MIN_SHARED_WORDS && shared * 100 >= all * MIN_SHARED_PERCENT
}

fn groove(times: &[Time<'_>]) -> Option<Node> {
    let (first, last) = (times.first()?, times.last()?);
    let converges = times.windows(2).all(|pair| matches!(pair, [one, next] if next.effort <= one.effort));
    if times.len() < MIN_SESSIONS || !converges || last.effort * 100 > first.effort * MAX_LAST_PERCENT {
        return None;
    }
    let steps: Vec<String> = last
        .commands
        .iter()
        .filter(|step| times.iter().all(|time| time.commands.contains(step)))
        .cloned()
        .collect();
    if steps.len() < MIN_STEPS {
        return None;
    }
    let mut shared = first.words.clone();
    times.iter().for_each(|time| shared.retain(|word| time.words.contains(word)));
    let words: Vec<&str> = shared.iter().map(String::as_str).collect();
    let key = format!("{} {}", last.turn.cwd().unwrap_or_default(), words.join(" "));
    let occurrence =
        |time: &Time<'_>| Some(format!("{} {}", time.turn.session_key, time.turn.message()?.id.as_str()));
    Some(Node {
        kind: NodeKind::Groove,
        slug: slug_of(NodeKind::Groove, &words.join(" "), &key),
        condition: format!("when somebody asks: {}", one_line(last.turn.message()?.text()?)),
        procedure: steps,
        why: format!("{} calls the first time, {} the last", first.effort, last.effort),
        occurrences: times.iter().filter_map(occurrence).collect(),
        contradicted_by: None,
    })
}
