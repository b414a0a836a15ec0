//! A model's checks are tried on turns of the project. What is surprising in their verdicts is shown to it once, with the answers that could
//! not be used, and the better reading is kept.
//!
//! A verdict is surprising when nothing stands there that the rule names, when the rules' own reading says the opposite, or when the check says
//! the same each time. Of two checks the one is better that is trusted, and then the one that surprises less.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use subcortex_checks::facts::{ActKind, Facts};
use subcortex_checks::{Bearing, Board, Check, Past, Tried, judge_next, names_something};
use subcortex_model::Turn;

use super::Returned;
use super::page::Rule;
use crate::quoted;

/// How many verdicts are shown in all, and …
const MAX_SHOWN: usize = 12;
/// … of one rule.
const MAX_SHOWN_A_RULE: usize = 2;
/// How many answers that could not be used are shown, and …
const MAX_RETURNED: usize = 12;
/// … how much of each, in characters.
const MAX_RETURNED_CHARS: usize = 4_000;
/// How much of a turn is shown, in characters.
const MAX_TURN_CHARS: usize = 900;
/// How much of one deed is shown, in characters.
const MAX_DEED_CHARS: usize = 160;
/// From how many verdicts on it is odd that all of them are the same.
const LEAST_ONE_WAY: usize = 4;

/// Tools whose use is a command, a change or a reading as well.
const SHOWN_OTHERWISE: [&str; 8] =
    ["Bash", "Edit", "MultiEdit", "NotebookEdit", "Write", "Read", "apply_patch", "exec_command"];

/// What a check said of the turns that it was tried on.
#[derive(Debug, Default)]
pub(super) struct Record {
    tried: Tried,
    /// By the place of the turn.
    said: BTreeMap<usize, Said>,
}

#[derive(Debug)]
struct Said {
    bearing: Bearing,
    quote: String,
    why: String,
}

/// A verdict that looks wrong.
#[derive(Debug)]
pub(super) struct Surprise {
    turn: usize,
    reasons: Vec<&'static str>,
}

/// Tries checks on turns, each behind the one before it in its session: by rule, what each said.
pub(super) fn tried<'c>(
    checks: impl IntoIterator<Item = (usize, &'c Check)>,
    turns: &[Turn],
) -> BTreeMap<usize, Record> {
    let checks: BTreeMap<usize, &Check> = checks.into_iter().collect();
    let board = Board::new(checks.iter().map(|(number, check)| (*number, (*check).clone())));
    let mut records: BTreeMap<usize, Record> =
        checks.keys().map(|number| (*number, Record::default())).collect();
    let (mut before, mut past): (Option<&Turn>, Past) = (None, Past::start());
    for (at, turn) in turns.iter().enumerate() {
        if before.is_some_and(|before| before.session_key != turn.session_key) {
            (before, past) = (None, Past::start());
        }
        records.values_mut().for_each(|record| record.tried.turns += 1);
        for verdict in judge_next(turn, before, &mut past, &board) {
            // What a person says about a line is no word of its check.
            if verdict.stance.is_some() || verdict.trajectory == Bearing::Neutral {
                continue;
            }
            if let (Some(record), Some(check)) = (records.get_mut(&verdict.line), checks.get(&verdict.line)) {
                record.tried.add(check, verdict.trajectory, &verdict.quote);
                let said = Said { bearing: verdict.trajectory, quote: verdict.quote, why: verdict.why };
                record.said.insert(at, said);
            }
        }
        before = Some(turn);
    }
    records
}

impl Record {
    /// What is surprising in it, the most surprising first; `rules` is what the rules' own reading said.
    pub(super) fn surprises(&self, check: &Check, rules: Option<&Self>) -> Vec<Surprise> {
        let mut bearings = self.said.values().map(|said| said.bearing);
        let first = bearings.next();
        let one_way = self.said.len() >= LEAST_ONE_WAY && bearings.all(|bearing| Some(bearing) == first);
        // That a ban is only ever broken is its nature.
        let one_way = one_way && !check.expect.is_empty();
        let mut found: Vec<Surprise> = Vec::new();
        for (turn, said) in &self.said {
            let other = rules.and_then(|rules| rules.said.get(turn));
            let reasons = [
                (!names_something(check, &said.quote), "nothing stands there that the rule names"),
                (
                    other.is_some_and(|other| other.bearing != said.bearing),
                    "read without a model it is the opposite",
                ),
                (one_way, "the check says the same in every turn"),
            ];
            let reasons: Vec<&str> =
                reasons.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect();
            if !reasons.is_empty() {
                found.push(Surprise { turn: *turn, reasons });
            }
        }
        found.sort_by_key(|surprise| std::cmp::Reverse(surprise.reasons.len()));
        found
    }

    /// How good a check looks by it: whether it is trusted, and how little it surprises.
    pub(super) fn rank(&self, check: &Check, rules: Option<&Self>) -> (bool, std::cmp::Reverse<usize>) {
        let surprises = self.surprises(check, rules).len();
        (self.tried.trust(check).is_trusted(), std::cmp::Reverse(surprises))
    }

    /// Why a check is not trusted by it.
    pub(super) fn doubt(&self, check: &Check) -> Option<String> {
        self.tried.trust(check).doubt().map(str::to_owned)
    }
}

/// A rule whose check surprises.
pub(super) struct Odd<'r> {
    rule: &'r Rule,
    check: &'r Check,
    record: &'r Record,
    surprises: Vec<Surprise>,
}

/// The rules whose checks surprise most.
pub(super) fn odd<'r>(
    rules: &'r [Rule],
    checks: &'r BTreeMap<usize, Check>,
    models: &'r BTreeMap<usize, Record>,
    known: &BTreeMap<usize, Record>,
) -> Vec<Odd<'r>> {
    let mut found: Vec<Odd<'_>> = Vec::new();
    for rule in rules {
        let (Some(check), Some(record)) = (checks.get(&rule.number), models.get(&rule.number)) else {
            continue;
        };
        let mut surprises = record.surprises(check, known.get(&rule.number));
        if !surprises.is_empty() {
            surprises.truncate(MAX_SHOWN_A_RULE);
            found.push(Odd { rule, check, record, surprises });
        }
    }
    let most = |odd: &Odd<'_>| odd.surprises.iter().map(|surprise| surprise.reasons.len()).max();
    found.sort_by_key(|odd| std::cmp::Reverse(most(odd)));
    found.truncate(MAX_SHOWN / MAX_SHOWN_A_RULE);
    found
}

/// What is shown once more, and of which rules. Nothing when nothing surprises and all could be used.
pub(super) fn question_text(
    rules: &[Rule],
    odd: &[Odd<'_>],
    returned: &BTreeMap<usize, Returned>,
    turns: &[Turn],
) -> Option<(String, Vec<usize>)> {
    let refused = rules.iter().filter_map(|rule| Some((rule, returned.get(&rule.number)?)));
    let refused: Vec<(&Rule, &Returned)> = refused.take(MAX_RETURNED).collect();
    let mut numbers: Vec<usize> =
        odd.iter().map(|odd| odd.rule.number).chain(refused.iter().map(|(rule, _)| rule.number)).collect();
    if numbers.is_empty() {
        return None;
    }
    numbers.sort_unstable();
    let mut text = String::from(
        "You made these rules into checks before. Answer as before, with a CHECK for each of them: corrected where it was wrong, \
         the same where it was right, untestable where no check could be right.\n",
    );
    // Writing to a String cannot fail.
    if !odd.is_empty() {
        text.push_str(
            "These were tried on real turns of the project, and the verdicts that are shown may be wrong; where they are right, keep \
             the check:\n",
        );
    }
    for Odd { rule, check, record, surprises } in odd {
        name(&mut text, rule);
        let _ok = writeln!(text, "  your check: {}", check.to_json_text());
        for surprise in surprises {
            let (Some(said), Some(turn)) = (record.said.get(&surprise.turn), turns.get(surprise.turn)) else {
                continue;
            };
            let verdict = if said.bearing == Bearing::Weakening { "missed" } else { "followed" };
            let _ok = writeln!(
                text,
                "  it says {verdict} ({}; quote {}; {}) of this turn: {}",
                quoted(&said.why),
                quoted(&said.quote),
                surprise.reasons.join("; "),
                quoted(&in_short(turn))
            );
        }
    }
    if !refused.is_empty() {
        text.push_str("These could not be used:\n");
    }
    for (rule, Returned { answer, why }) in refused {
        name(&mut text, rule);
        let answer: String = answer.chars().take(MAX_RETURNED_CHARS).collect();
        let _ok = writeln!(text, "  your check: {answer}");
        let _ok = writeln!(text, "  why not: {}", quoted(why));
    }
    let list: Vec<String> = numbers.iter().map(usize::to_string).collect();
    let _ok = writeln!(text, "Answer for: {}", list.join(", "));
    Some((text, numbers))
}

fn name(text: &mut String, rule: &Rule) {
    let context: Vec<String> = rule.context.iter().map(|heading| quoted(heading)).collect();
    let under = if context.is_empty() { String::new() } else { format!(" (under {})", context.join(" > ")) };
    let _ok = writeln!(text, "{}{under}: {}", rule.number, quoted(&rule.text));
}

/// A turn in the steps of the examples, as much as fits.
fn in_short(turn: &Turn) -> String {
    let facts = Facts::of(turn);
    let mut steps: Vec<String> = turn
        .message()
        .and_then(|message| message.text())
        .map(|text| format!("> {text}"))
        .into_iter()
        .collect();
    for act in &facts.acts {
        let mark = if act.failed { '!' } else { '$' };
        steps.push(match &act.kind {
            ActKind::Ran(simple) => format!("{mark} {}", simple.words.join(" ")),
            ActKind::Wrote(written) => format!("~ {}\n{}", written.path, written.added),
            ActKind::Read(path) => format!("? {path}"),
            ActKind::Used(used) if !SHOWN_OTHERWISE.contains(&&*used.tool) => format!("@ {}", used.tool),
            ActKind::Used(_) | ActKind::Committed(_) | ActKind::Pushed(_) | ActKind::Branched(_) => continue,
        });
    }
    let mut text = String::new();
    for step in steps {
        let step: String = step.chars().take(MAX_DEED_CHARS).collect();
        if text.chars().count() + step.chars().count() > MAX_TURN_CHARS {
            text.push_str("\n…");
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&step);
    }
    text
}
