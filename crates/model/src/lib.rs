//! The words everything agrees on: events and their source kinds, turns, ids.
//!
//! This crate only describes. It opens no file, reads no clock and knows no terminal.

mod event;
mod source;
mod turn;
mod via;

pub use event::{
    CONTESTS_FIELD, DISOWNED_PROMPT_FIELD, Dedup, Draft, Event, EventId, HOOK_FIELD, ORDERS_CUT,
    REPEATS_FIELD, SHOWN_FIELD, TRANSCRIPT_FIELD, UNTIMED_FIELD, WAS_QUEUED_FIELD, event_type,
};
pub use source::{Gate, Source, SourceKind};
pub use turn::{Turn, begins_turn, command};
pub use via::{Standing, Via};
