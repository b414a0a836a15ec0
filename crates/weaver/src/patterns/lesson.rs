//! One whole arc: wrong, corrected, accepted.

use std::collections::{BTreeMap, BTreeSet};

use subcortex_checks::{Bearing, Board, Kind, clash, compile, hear, judge, restate_as_rule, rule_key};
use subcortex_model::Turn;

use super::node::{Node, NodeKind, slug_of};

/// Arcs whose two sides are tested: the turn before goes against the rule, the turn that it opens keeps it, and what the
/// person says next is no correction.
pub(super) fn find(sessions: &BTreeMap<&str, Vec<&Turn>>) -> Vec<Node> {
    sessions.values().flat_map(|turns| turns.windows(3)).filter_map(lesson).collect()
}

fn lesson(arc: &[&Turn]) -> Option<Node> {
    let [wrong, corrected, after] = arc else { return None };
    let message = corrected.message()?;
    let (rule, quote) = corrected_rule(wrong, corrected)?;
    let check = compile(&rule, &[]);
    if !check.testable {
        return None;
    }
    let board = Board::new([(1, check)]);
    let seen = |turn: &Turn| -> BTreeSet<Bearing> {
        judge(turn, None, &board)
            .into_iter()
            .filter(|verdict| verdict.stance.is_none())
            .map(|verdict| verdict.trajectory)
            .collect()
    };
    let kept = seen(corrected);
    let is_arc = seen(wrong).contains(&Bearing::Weakening)
        && kept.contains(&Bearing::Strengthening)
        && !kept.contains(&Bearing::Weakening);
    if !is_arc || is_correction(corrected, after) {
        return None;
    }
    Some(Node {
        kind: NodeKind::Lesson,
        slug: slug_of(NodeKind::Lesson, &rule, &rule_key(&rule)),
        condition: format!("when the work is like this: {}", one_line(wrong.message()?.text()?)),
        procedure: vec![rule],
        why: quote,
        occurrences: BTreeSet::from([format!("{} {}", corrected.session_key, message.id.as_str())]),
        contradicted_by: None,
    })
}

/// The rule that a correction states, complete without its message.
fn corrected_rule(before: &Turn, turn: &Turn) -> Option<(String, String)> {
    let signal = hear(turn.message()?.text()?, None, Some(before), &Board::new([]))?;
    let rule = restate_as_rule(&signal.quote)?;
    let rule = rule.trim_start_matches(['-', '*', '+', ' ']).to_owned();
    Some((rule, signal.quote))
}

fn is_correction(before: &Turn, turn: &Turn) -> bool {
    let signal =
        turn.message().and_then(|message| hear(message.text()?, None, Some(before), &Board::new([])));
    signal.is_some_and(|signal| signal.kind == Kind::Correction)
}

/// Lessons that a person spoke against later: their slug, and the event.
pub(super) fn contradictions<'n>(
    sessions: &BTreeMap<&str, Vec<&Turn>>,
    known: impl Iterator<Item = &'n Node>,
) -> Vec<(String, String)> {
    let lessons: Vec<_> = known
        .filter(|node| node.kind == NodeKind::Lesson && node.contradicted_by.is_none())
        .filter_map(|node| Some((node, compile(node.procedure.first()?, &[]))))
        .collect();
    let mut found = Vec::new();
    for pair in sessions.values().flat_map(|turns| turns.windows(2)) {
        let [before, turn] = pair else { continue };
        let Some((rule, _)) = corrected_rule(before, turn) else { continue };
        let (wish, message) = (compile(&rule, &[]), turn.message());
        let against = lessons.iter().filter(|(_, check)| clash(&wish, check));
        found.extend(
            against.filter_map(|(node, _)| Some((node.slug.clone(), message?.id.as_str().to_owned()))),
        );
    }
    found
}

/// A request in at most a line.
pub(super) fn one_line(text: &str) -> String {
    const MAX_CHARS: usize = 120;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = words.chars().take(MAX_CHARS).collect();
    if short.len() < words.len() { format!("{short}…") } else { short }
}
