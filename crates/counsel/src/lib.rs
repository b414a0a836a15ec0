//! Asking a model about rules.
//!
//! [`Counsel`] is one pass of questions: how many, what counts as an answer, what is told of it. [`compiler`] has rules compiled to
//! checks, and [`project`] knows what a repository says of its own commands. Nothing is written here: what was asked is remembered by whoever asks.

pub mod compiler;
mod counsel;
pub mod project;

pub use counsel::{Answer, Consulted, Counsel, quoted};
