//! The compiler: every rule is shown to a model once, and what it answers is a check in the whole language.
//!
//! Rules are asked about in batches, with their headings, their neighbours, the rules' own reading and what is known of the
//! project. An answer counts when it can be read, can match, honours what the rule names, is not wider than the rule, and its own
//! examples come out as it says. [`key`] names all that an answer rests on: as long as it stays the same nobody needs to ask again.

mod form;
mod honour;
mod knowledge;
mod page;
mod trial;

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use subcortex_checks::Check;

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
    cancelled: &dyn Fn() -> bool,
) -> BTreeMap<usize, Compiled> {
    let mut found = BTreeMap::new();
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
            found.insert(rule.number, compiled);
        }
    }
    found
}

/// What an answer about one rule comes to.
fn compiled(rule: &Rule, answer: &Value) -> Compiled {
    if let Some(why) = answer.get("untestable") {
        return Compiled::Untestable(why.as_str().unwrap_or("nothing could show it").to_owned());
    }
    let checked = form::read(answer, &rule.known).and_then(|(check, examples)| {
        honour::honours(&rule.text, &check)?;
        trial::passes(&check, &examples)?;
        Ok(check)
    });
    match checked {
        Ok(check) => Compiled::Tested(Box::new(check)),
        Err(why) => Compiled::Refused(why),
    }
}
