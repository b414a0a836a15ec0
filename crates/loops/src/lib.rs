//! Loops: scheduled work that lives in somebody's repository, in `.loops/<name>/`.
//!
//! A loop's folder holds three files: `loop.config.yaml`, which a person owns ([`config`]), `STATE.md`, which each run
//! rewrites ([`state`]), and `run-log.md`, to which each run appends one line ([`run_log`]). This crate makes such a folder
//! ([`scaffold`]), says whether its config is fit to run ([`check`]), whether it would run here ([`doctor`]) and what running it would cost ([`estimate`]).
//!
//! It does not run loops. But everything about runs that is a decision is made here, without a clock or a process: who is
//! next ([`schedule`]), what an engine is told ([`prompt`]) and answers ([`report`]), what its change may be ([`diff`],
//! [`escalation`]), and what the end of a run makes of the state ([`end`]).

pub mod cadence;
pub mod check;
pub mod config;
pub mod diff;
pub mod doctor;
pub mod end;
pub mod escalation;
pub mod estimate;
pub mod kill_switch;
pub mod pattern;
mod place;
mod placeholder;
pub mod prompt;
pub mod report;
pub mod run_log;
pub mod scaffold;
pub mod schedule;
mod scope;
pub mod state;

pub use place::{FOLDER, LoopPlace, PlaceError};
