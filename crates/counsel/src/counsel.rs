//! Asking a model: how often, what counts as an answer, and what is told of it.
//!
//! A model serves in four places, and in each code decides what its answer may do:
//!
//! | as | asked about | where the answer is held against the rules |
//! |---|---|---|
//! | compiler | every line | [`crate::compiler`] |
//! | judge | a turn that a check leaves open, and a miss | the weaver's `scanner/doubt` |
//! | listener | what a person may want for good | the weaver's `scanner/listener` |
//! | wordsmith | the words of an edit that is made anyway | the weaver's `updater/wordsmith` |
//!
//! What is shown has its secrets taken out, wherever it comes from. An answer is one JSON object of the form that was asked for. Everything else is refused, and then all is as if nobody
//! had been asked.

use serde::Serialize;
use serde::de::DeserializeOwned;
use subcortex_guard::{Redactor, counted};
use subcortex_mind::{AskNow, FailureKind, Question, Reply};

/// The longest answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// After how many questions without an answer no more are asked in this pass.
const MAX_FAILURES: u64 = 3;
/// How many refusals a report names; the rest is counted.
const MAX_NAMED_REFUSALS: usize = 20;

/// What was asked of a model in a run, and what came of it. It names lines and reasons, never what the memory says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Consulted {
    /// Questions.
    pub questions: u64,
    /// Questions that got no answer.
    pub failures: u64,
    /// Lines that were compiled.
    pub compiled: u64,
    /// Turns that were judged.
    pub judged: u64,
    /// Wishes that were heard.
    pub heard: u64,
    /// Edits that got other words.
    pub worded: u64,
    /// Answers that had no effect: about what, and why.
    pub refused: Vec<String>,
}

impl Consulted {
    /// Whether nobody was asked.
    pub fn is_empty(&self) -> bool {
        self.questions == 0
    }

    /// Adds what another pass asked.
    pub fn add(&mut self, other: &Self) {
        self.questions += other.questions;
        self.failures += other.failures;
        self.compiled += other.compiled;
        self.judged += other.judged;
        self.heard += other.heard;
        self.worded += other.worded;
        self.refused.extend(other.refused.iter().cloned());
    }

    /// Notes an answer that had no effect.
    pub fn refuse(&mut self, about: &str, why: &str) {
        self.refused.push(format!("{about}: {why}"));
    }

    /// The lines of a report that tell of it; none when nobody was asked.
    pub fn notes(&self) -> Vec<String> {
        if self.is_empty() {
            return Vec::new();
        }
        let refused = self.refused.len() as u64;
        let came_of_it = [
            (self.compiled, "line compiled", "lines compiled"),
            (self.judged, "turn judged", "turns judged"),
            (self.heard, "wish heard", "wishes heard"),
            (self.worded, "edit worded", "edits worded"),
            (refused, "answer refused", "answers refused"),
            (self.failures, "without an answer", "without an answer"),
        ];
        let mut told = vec![counted(self.questions, "question", "questions")];
        let some = came_of_it.into_iter().filter(|(count, ..)| *count > 0);
        told.extend(some.map(|(count, one, many)| counted(count, one, many)));
        let mut notes = vec![format!("model: {}", told.join(", "))];
        let named = self.refused.iter().take(MAX_NAMED_REFUSALS);
        notes.extend(named.map(|refused| format!("model refused: {refused}")));
        notes
    }
}

/// One pass of questions.
#[derive(Debug)]
pub struct Counsel<'a> {
    mind: Option<&'a dyn AskNow>,
    left: usize,
    last_failure: Option<String>,
    /// What came of it so far.
    pub consulted: Consulted,
}

/// What came of a question.
#[derive(Debug)]
pub enum Answer<T> {
    /// An answer of the right form, to be held against the rules.
    Given(T),
    /// Something else, and why it is none.
    Refused(&'static str),
    /// Nothing: it may be asked again another time.
    Silence,
}

impl<'a> Counsel<'a> {
    /// A pass of at most so many questions.
    pub fn new(mind: Option<&'a dyn AskNow>, max_questions: usize) -> Self {
        Self { mind, left: max_questions, last_failure: None, consulted: Consulted::default() }
    }

    /// Whether there is anybody to ask.
    pub fn has_mind(&self) -> bool {
        self.mind.is_some()
    }

    /// Whether another question may be asked.
    pub fn is_open(&self) -> bool {
        self.mind.is_some() && self.left > 0
    }

    /// Why a question had no answer, if one had none.
    pub fn last_failure(&self) -> Option<&str> {
        self.last_failure.as_deref()
    }

    /// Asks one question.
    pub fn ask<T: DeserializeOwned>(&mut self, question: &Question) -> Answer<T> {
        let Some(mind) = self.mind.filter(|_| self.left > 0) else { return Answer::Silence };
        self.left -= 1;
        self.consulted.questions += 1;
        match mind.ask_now(&redacted(question)) {
            Ok(reply) => match read(&reply) {
                Ok(answer) => Answer::Given(answer),
                Err(why) => Answer::Refused(why),
            },
            Err(failure) if failure.kind == FailureKind::Garbage => {
                Answer::Refused("what was answered is no answer")
            }
            Err(failure) => {
                self.consulted.failures += 1;
                self.last_failure = Some(failure.message);
                if !may_be_this_question(failure.kind) || self.consulted.failures >= MAX_FAILURES {
                    self.left = 0;
                }
                Answer::Silence
            }
        }
    }
}

/// Whether a failure may lie in the one question, so that the next one is worth asking.
fn may_be_this_question(kind: FailureKind) -> bool {
    match kind {
        FailureKind::TimedOut | FailureKind::Garbage => true,
        FailureKind::Unauthorized
        | FailureKind::Refused
        | FailureKind::Busy
        | FailureKind::Unreachable
        | FailureKind::OverBudget
        | FailureKind::Cancelled => false,
    }
}

/// The answer, if it is one object of the form that was asked for and nothing else; a code fence around it does not count.
fn read<T: DeserializeOwned>(reply: &Reply) -> Result<T, &'static str> {
    if reply.is_cut {
        return Err("the answer was cut short");
    }
    if reply.text.len() > MAX_ANSWER_BYTES {
        return Err("the answer is too long");
    }
    let text = reply.text.trim();
    let fenced = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let text = fenced.map_or(text, |inside| inside.strip_prefix("json").unwrap_or(inside).trim());
    if !text.starts_with('{') {
        return Err("the answer is no JSON object");
    }
    serde_json::from_str(text).map_err(|_| "the answer does not have the form that was asked for")
}

/// The question without secrets: a person may have written one into the memory by hand.
fn redacted(question: &Question) -> Question {
    let redactor = Redactor::new();
    let mut question = question.clone();
    for said in &mut question.said {
        said.text = redactor.text(&said.text).into_owned();
    }
    question
}

/// A text as it stands in a question: one JSON string, so that nothing in it can look like a part of the question.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use subcortex_mind::{Failure, Scripted};

    use super::*;

    type Form = BTreeMap<String, u8>;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let reply = Reply { text: text.into(), ..Reply::default() };
        let said = match read::<Form>(&reply) {
            Ok(form) => format!("{form:?}"),
            Err(why) => why.to_owned(),
        };
        assert_eq!(said, expect, "{:?}", text.get(..text.len().min(60)));
    }

    #[test]
    fn one_object_is_an_answer_and_nothing_else_is() {
        check(" {\"a\": 1}\n", "{\"a\": 1}");
        check("```json\n{\"a\": 1}\n```", "{\"a\": 1}");
        for text in ["", "yes", "[]", "null", "Sure! {\"a\": 1}", "```\nyes\n```", "`{\"a\": 1}`"] {
            check(text, "the answer is no JSON object");
        }
        for text in
            ["{", "{\"a\": 1} {\"a\": 2}", "{\"a\": 1}\ndone", "{\"a\": \"x\"}", &"{\"a\":".repeat(1_000)]
        {
            check(text, "the answer does not have the form that was asked for");
        }
        check(&format!("{{\"a\": 1{}}}", " ".repeat(MAX_ANSWER_BYTES)), "the answer is too long");
        let cut = Reply { text: "{\"a\": 1}".into(), is_cut: true, ..Reply::default() };
        assert_eq!(read::<Form>(&cut), Err("the answer was cut short"));
    }

    #[test]
    fn a_pass_ends_with_its_number_or_when_nobody_answers() {
        let failing = |kind| Scripted::answering((0..9).map(move |_| Err(Failure::new(kind, "no"))));
        let question = Question::new("compile", "", "?");
        for (mind, asked) in [
            (Scripted::saying(["{}"; 9]), 5),
            (failing(FailureKind::Unreachable), 1),
            (failing(FailureKind::OverBudget), 1),
            (failing(FailureKind::TimedOut), 3),
            (failing(FailureKind::Garbage), 5),
        ] {
            let mut counsel = Counsel::new(Some(&mind), 5);
            while counsel.is_open() {
                counsel.ask::<Form>(&question);
            }
            assert_eq!(mind.asked().len(), asked);
            assert_eq!(counsel.consulted.questions, asked as u64);
        }
    }
}
