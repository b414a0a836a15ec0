//! What a model is asked, and what it answers.
//!
//! This crate knows no network and no process. Whoever needs a model is handed a [`Mind`], or an [`AskNow`] where it waits
//! on a thread of its own; `llm` has one behind HTTP, `headless` has one behind an agent's command line, and [`Scripted`]
//! answers from a list in tests.
//!
//! A reply is text from outside. [`json::first_object`] finds the object in it that was asked for; what that object may
//! cause is decided by whoever asked.

pub mod json;
mod page;
mod question;
mod scripted;

pub use page::{Fetch, Fetched, Fetching};
pub use question::{AskNow, Asking, Failure, FailureKind, Mind, Question, Reply, Said, Speaker, Usage};
pub use scripted::Scripted;
