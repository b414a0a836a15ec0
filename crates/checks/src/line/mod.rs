//! Takes a memory line apart as people word them: conditions, directives with and without a negation, exceptions, code terms.

mod code;
mod parse;
mod restate;
mod verbs;

pub(crate) use code::is_program;
pub use code::{Code, CodeKind};
pub use parse::{Directive, Line, Relation, When};
pub(crate) use parse::{base_of_gerund, contains_phrase};
pub(crate) use restate::base_of_participle;
pub(crate) use verbs::{is_edit_verb, is_imperative as is_order_word, is_run_verb};
