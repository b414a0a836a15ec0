//! Loops: scheduled work that lives in somebody's repository, in `.loops/<name>/`.
//!
//! A loop's folder holds three files: `loop.config.yaml`, which a person owns ([`config`]), `STATE.md`, which each run
//! rewrites, and `run-log.md`, to which each run appends one line ([`run_log`]). This crate makes such a folder
//! ([`scaffold`]), says whether its config is fit to run ([`check`]), whether it would run here ([`doctor`]) and what running it would cost ([`estimate`]).
//! It does not run loops.

pub mod cadence;
pub mod check;
pub mod config;
pub mod doctor;
pub mod estimate;
pub mod pattern;
mod place;
mod placeholder;
pub mod run_log;
pub mod scaffold;
mod scope;

pub use place::{FOLDER, LoopPlace, PlaceError};
