//! Takes a memory line apart as people word them: conditions, directives with and without a negation, exceptions, code terms.

mod clauses;
mod code;
mod conditions;
mod directives;
mod mask;
mod model;
mod parse;
mod restate;
mod verbs;

pub(crate) use clauses::without_asides;
pub use code::{Code, CodeKind};
pub(crate) use code::{
    bare_command, is_bare_code, is_ending, is_english_word, is_program, kind_of, wrapper_of,
};
pub(crate) use model::contains_phrase;
pub use model::{Directive, ParsedLine, Relation, When};
pub(crate) use restate::base_of_participle;
pub(crate) use verbs::{base_of_gerund, is_imperative as is_order_word};
