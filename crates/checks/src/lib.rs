//! A memory line is a test.
//!
//! [`compile`] turns one line of a memory file into a [`Check`]: when it has an occasion, what shows that it was followed,
//! what shows that it was not. [`judge`] holds checks against turns. [`hear`] finds corrections, preferences and standing
//! instructions in what people say, and [`restate_as_rule`] makes a line of them. Nothing here opens a file, reads a clock or calls a model.

mod clash;
mod code;
pub mod facts;
mod grounds;
mod hash;
mod judge;
mod language;
#[cfg(test)]
mod made_up;
mod orders;
pub mod reading;
mod rule;
mod signal;
mod text;
mod trust;

pub use clash::{bans_its_program, clash};
pub use grounds::{Grounds, expression_for};
pub use hash::line_hash;
pub use judge::{
    Activation, Bearing, Board, Judged, Past, Ready, RootCause, Verdict, judge, judge_after, judge_and_hear,
    judge_next, orders_work,
};
pub use language::{
    About, Added, All, Any, Anywhere, BranchedAs, By, Check, CommandEnd, Committed, Condition, Cues, Earlier,
    Echoed, Entire, Expect, Expression, Form, Glob, Matcher, Mixed, Name, Order, Path, Pushed, Ran, Read,
    Refused, Role, Roles, Said, Scope, Since, Stars, Unit, Unmet, Used, Wildcard, Without, Wrote, globs,
    in_words,
};
pub use reading::{compile, compile_memory};
pub use rule::{
    is_meant, is_of_one_project, is_order_for_good, is_own_statement, is_plain_order, is_polish_of,
    is_reported, is_understood, is_worth_asking, may_enter_unasked, reads_as_rule, restate_as_rule, rule_key,
    same_rule, without_quotation, worded_before, worded_to_ask, worded_to_ask_again, words_key,
};
pub use signal::{
    ASKED, Besides, ENTERS, Kind, Nearness, Others, Reason, Signal, Sought, Stance, Weighed, best_wish, hear,
    is_typed, line_meant, line_side, says_already, speech, stands_alone, stood_alone_in, stood_in,
    subjects_in, weigh, whole_sentences, words_of_others, words_repeated,
};
pub use trust::{Tried, Trust, names_something, try_on};
