//! Loops at work: who runs when ([`LoopKeeper`]), one run from its start to its end ([`LoopRunner`]), and what is known of
//! all of them (`survey`).
//!
//! A run: kill switches, config, contention → `STATE.md` read → (from L2 on) a worktree of its own → the engine, behind a
//! fence of the kernel → the diff held against the scope and against what only a person may do → `verify`, `guard` → a
//! commit on a branch → `STATE.md`, `run-log.md`, a record in `var/runs` → the worktree is removed.
//!
//! What is decided stands in `subcortex_loops`; here it is carried out. What a run holds is noted in `var/loops`
//! ([`LoopMemory`]) before it is taken, so that the next start accounts for whatever a killed daemon left ([`recover`]).

mod commit;
mod engines;
mod gates;
mod git;
mod half_made;
mod keeper;
mod limits;
mod memory;
mod names;
mod recover;
mod repository;
mod run;
mod settle;
mod survey;
mod switches;
mod worktree;

pub use commit::Journal;
pub use keeper::{Answered, LoopKeeper};
pub use limits::RunLimits;
pub use memory::{Hold, LoopMemory};
pub use names::LoopNames;
pub use recover::recover;
pub use run::{LoopRunner, Ran};
pub use survey::{LoopView, Surveyor};
