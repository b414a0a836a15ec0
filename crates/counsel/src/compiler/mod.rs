//! The compiler: every rule is shown to a model once, and what it answers is a check in the whole language.
//!
//! Rules are asked about in batches, with their headings, their neighbours, the rules' own reading and what is known of the
//! project. An answer counts when it can be read, can match, honours what the rule names, is not wider than the rule, and its own
//! examples come out as it says. Then it is tried on turns of the project. What was refused, and verdicts that surprise, are shown to the
//! model once.
//! [`key`] names all that an answer rests on: as long as it stays the same nobody needs to ask again.

mod form;
mod honour;
mod knowledge;
mod page;
mod review;
mod trial;

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use subcortex_checks::Check;
use subcortex_model::Turn;

pub use knowledge::Knowledge;
pub use page::{Page, Rule, estimate_tokens, key};

use crate::{Answer, Counsel};

/// How many rules are asked about in one question.
pub const MAX_RULES_A_QUESTION: usize = 30;
/// The longest rule that is asked about, in characters.
pub const MAX_RULE_CHARS: usize = 2_000;

/// What came of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Compiled {
    /// A check.
    Tested(Box<Check>),
    /// The model says that nothing could show it, and why.
    Untestable(String),
    /// What was answered cannot be used, and why.
    Refused(String),
}

/// Has rules of a page compiled, in as few questions as can be: by the number of the rule, what came of it. Rules of which nobody
/// said anything are not in it: they may be asked about another time.
pub fn compile(
    counsel: &mut Counsel<'_>,
    page: &Page<'_>,
    wanted: &[usize],
    turns: &[Turn],
    cancelled: &dyn Fn() -> bool,
) -> BTreeMap<usize, Compiled> {
    let mut found = BTreeMap::new();
    let mut returned = BTreeMap::new();
    for batch in wanted.chunks(MAX_RULES_A_QUESTION) {
        if !counsel.is_open() || cancelled() {
            break;
        }
        let answers: Map<String, Value> = match counsel.ask(&page.question(batch)) {
            Answer::Given(answers) => answers,
            Answer::Refused(why) => {
                found.extend(batch.iter().map(|number| (*number, Compiled::Refused(why.to_owned()))));
                continue;
            }
            Answer::Silence => continue,
        };
        for rule in page.rules.iter().filter(|rule| batch.contains(&rule.number)) {
            let answer = answers.get(&rule.number.to_string());
            let compiled = answer.map_or_else(
                || Compiled::Refused("the answer says nothing of it".into()),
                |answer| compiled(rule, answer),
            );
            if let (Compiled::Refused(why), Some(answer)) = (&compiled, answer) {
                returned.insert(rule.number, Returned { answer: answer.to_string(), why: why.clone() });
            }
            found.insert(rule.number, compiled);
        }
    }
    if !cancelled() {
        review(counsel, page, turns, &returned, &mut found);
    }
    found
}

/// An answer that cannot be used as it is.
#[derive(Debug)]
struct Returned {
    answer: String,
    why: String,
}

/// Tries what was compiled on turns of the project, shows the model once what is surprising and what was refused, and keeps the better
/// reading of each rule.
fn review(
    counsel: &mut Counsel<'_>,
    page: &Page<'_>,
    turns: &[Turn],
    returned: &BTreeMap<usize, Returned>,
    found: &mut BTreeMap<usize, Compiled>,
) {
    let tested = |found: &BTreeMap<usize, Compiled>| -> BTreeMap<usize, Check> {
        let tested = found.iter().filter_map(|(number, compiled)| match compiled {
            Compiled::Tested(check) => Some((*number, (**check).clone())),
            Compiled::Untestable(_) | Compiled::Refused(_) => None,
        });
        tested.collect()
    };
    let first = tested(found);
    let readable = page.rules.iter().filter(|rule| rule.known.testable && found.contains_key(&rule.number));
    let by_rules = review::tried(readable.map(|rule| (rule.number, &rule.known)), turns);
    let by_model = review::tried(first.iter().map(|(number, check)| (*number, check)), turns);
    let odd = review::odd(page.rules, &first, &by_model, &by_rules);
    if let Some((text, numbers)) = review::question_text(page.rules, &odd, returned, turns)
        && counsel.is_open()
        && let Answer::Given(answers) = counsel.ask::<Map<String, Value>>(&page::again(text, numbers.len()))
    {
        for rule in page.rules.iter().filter(|rule| numbers.contains(&rule.number)) {
            let Some(answer) = answers.get(&rule.number.to_string()) else { continue };
            let number = rule.number;
            match compiled(rule, answer) {
                Compiled::Tested(second) => {
                    let retried = review::tried([(number, &*second)], turns);
                    let rules = by_rules.get(&number);
                    let rank = |records: &BTreeMap<usize, review::Record>, check: &Check| {
                        records.get(&number).map(|record| record.rank(check, rules))
                    };
                    let was = first.get(&number).and_then(|check| rank(&by_model, check));
                    if rank(&retried, &second) >= was {
                        found.insert(number, Compiled::Tested(second));
                    }
                }
                withdrawn @ Compiled::Untestable(_) => {
                    found.insert(number, withdrawn);
                }
                Compiled::Refused(_) => {}
            }
        }
    }
    // A check that is not trusted on these turns gives way to the rules' own, if that one is.
    let last = tested(found);
    let tried_last = review::tried(last.iter().map(|(number, check)| (*number, check)), turns);
    for rule in page.rules.iter().filter(|rule| rule.known.testable) {
        let doubt = last.get(&rule.number).and_then(|check| tried_last.get(&rule.number)?.doubt(check));
        let known_holds =
            by_rules.get(&rule.number).is_some_and(|record| record.doubt(&rule.known).is_none());
        if let (Some(doubt), true) = (doubt, known_holds) {
            let why = format!("tried on the project's turns it is not trusted: {doubt}");
            found.insert(rule.number, Compiled::Refused(why));
        }
    }
}

/// What an answer about one rule comes to.
fn compiled(rule: &Rule, answer: &Value) -> Compiled {
    if let Some(why) = answer.get("untestable") {
        return Compiled::Untestable(why.as_str().unwrap_or("nothing could show it").to_owned());
    }
    let checked = form::read(answer, &rule.known).and_then(|(mut check, examples)| {
        honour::narrow(&rule.text, &mut check);
        honour::honours(&rule.text, &check)?;
        trial::passes(&check, &examples)?;
        Ok(check)
    });
    match checked {
        Ok(check) => Compiled::Tested(Box::new(check)),
        Err(why) => Compiled::Refused(why),
    }
}
