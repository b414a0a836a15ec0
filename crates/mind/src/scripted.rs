//! A mind that answers from a list: for tests, here and in other crates.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use crate::{AskNow, Asking, Failure, FailureKind, Mind, Question, Reply, Usage};

/// What each answer is said to have taken.
const USAGE: Usage = Usage { input: 100, output: 20, cache_read: 0, cache_write: 0 };

/// A stand-in for a model: it gives its answers in order and keeps the questions.
#[derive(Debug, Default)]
pub struct Scripted {
    answers: Mutex<VecDeque<Result<String, Failure>>>,
    asked: Mutex<Vec<Question>>,
}

impl Scripted {
    /// A mind that will say these things.
    pub fn saying<T: Into<String>>(answers: impl IntoIterator<Item = T>) -> Self {
        Self::answering(answers.into_iter().map(|answer| Ok(answer.into())))
    }

    /// A mind that will answer or fail like this.
    pub fn answering(answers: impl IntoIterator<Item = Result<String, Failure>>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), asked: Mutex::default() }
    }

    /// The questions so far.
    pub fn asked(&self) -> Vec<Question> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Scripted {
    fn next(&self, question: &Question) -> Result<Reply, Failure> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(question.clone());
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let answer =
            next.unwrap_or_else(|| Err(Failure::new(FailureKind::Unreachable, "the script is over")));
        answer.map(|text| Reply { text, model: "scripted".into(), usage: USAGE, ..Reply::default() })
    }
}

impl Mind for Scripted {
    fn model(&self) -> &'static str {
        "scripted"
    }

    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(std::future::ready(self.next(question)))
    }
}

impl AskNow for Scripted {
    fn model(&self) -> &'static str {
        "scripted"
    }

    fn ask_now(&self, question: &Question) -> Result<Reply, Failure> {
        self.next(question)
    }
}
