//! A person's sentence as a line of the memory: restated so that it stands alone, and recognised when it comes again.

mod ask;
mod key;
mod order;
mod place;
mod polish;
mod restate;
mod shape;
mod unasked;

pub use ask::{is_worth_asking, without_quotation, worded_before, worded_to_ask, worded_to_ask_again};
pub use key::{rule_key, same_rule, words_key};
pub use order::{is_meant, is_own_statement, is_plain_order, is_reported};
pub use place::is_of_one_project;
pub use polish::is_polish_of;
pub use restate::restate_as_rule;
pub use unasked::{is_order_for_good, is_understood, may_enter_unasked, reads_as_rule};
