//! Rules compiled by a model, for an audit. What it answered is kept by whoever calls, under a key that changes with what the answer
//! rests on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use subcortex_checks::Check;
use subcortex_counsel::Counsel;
use subcortex_counsel::compiler::{self, Compiled, Knowledge, Page};
use subcortex_model::Turn;

use crate::rules::Rules;

/// What came of asking about one rule, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kept {
    /// A check.
    Check(Box<Check>),
    /// Nothing could show it, the model says.
    Untestable(String),
    /// The answer could not be used, and why.
    Refused(String),
}

/// Which rules have to be asked about.
#[derive(Debug)]
pub struct Asking<'a> {
    shown: Vec<compiler::Rule>,
    project: &'a Knowledge,
    /// By line, what the answer rests on.
    keys: BTreeMap<usize, String>,
    open: Vec<usize>,
}

impl<'a> Asking<'a> {
    /// Takes over what is known already, and finds out what is left to ask.
    pub fn new(rules: &mut Rules, project: &'a Knowledge, known: &dyn Fn(&str) -> Option<Kept>) -> Self {
        let shown: Vec<compiler::Rule> = rules
            .rules
            .iter()
            .map(|rule| compiler::Rule {
                number: rule.line,
                text: rule.words.clone(),
                context: rule.context.clone(),
                code: rule.code.clone(),
                known: rule.check.clone(),
            })
            .collect();
        let page = Page { rules: &shown, project };
        let keys: BTreeMap<usize, String> =
            shown.iter().enumerate().map(|(at, rule)| (rule.number, compiler::key(&page, at))).collect();
        let mut open = Vec::new();
        for rule in &mut rules.rules {
            match keys.get(&rule.line).and_then(|key| known(key)) {
                Some(kept) => rule.take(kept),
                None if rule.words.chars().count() <= compiler::MAX_RULE_CHARS => open.push(rule.line),
                None => {}
            }
        }
        Self { shown, project, keys, open }
    }

    /// How many rules are to be asked about.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// About how many tokens that takes: to ask, and to answer at most.
    pub fn tokens(&self) -> (usize, usize) {
        compiler::estimate_tokens(&self.page(), &self.open)
    }

    /// Asks, and tries the answers on turns of the project. What is to be kept, by its key.
    pub fn ask(&self, rules: &mut Rules, counsel: &mut Counsel<'_>, turns: &[Turn]) -> Vec<(String, Kept)> {
        let mut answers = Vec::new();
        for (line, compiled) in compiler::compile(counsel, &self.page(), &self.open, turns, &|| false) {
            let kept = match compiled {
                Compiled::Tested(check) => Kept::Check(check),
                Compiled::Untestable(why) => Kept::Untestable(why),
                Compiled::Refused(why) => Kept::Refused(why),
            };
            if let Some(rule) = rules.rules.iter_mut().find(|rule| rule.line == line) {
                rule.take(kept.clone());
            }
            answers.extend(self.keys.get(&line).map(|key| (key.clone(), kept)));
        }
        answers
    }

    fn page(&self) -> Page<'_> {
        Page { rules: &self.shown, project: self.project }
    }
}

impl crate::Rule {
    /// The model's check counts before the rules' own; where it has none, the rules' own stays.
    fn take(&mut self, kept: Kept) {
        if let Kept::Check(check) = kept {
            self.check = *check;
        }
    }
}
