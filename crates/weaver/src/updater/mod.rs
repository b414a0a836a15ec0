//! intuition-updater: one coherent edit of the broadcast a run, by rule.
//!
//! | step | where |
//! |---|---|
//! | an edit that a dead run left half done is finished or dropped | `commit` |
//! | what the evidence asks for | `plan`, `lines` (what stands), `claim` (what a task says against it), `signals` (what is new), `spent` (what had its effect) |
//! | the words of it | `wording`, `stance`, `gates`; where there is a model, `wordsmith` |
//! | whether a person really said so, on the spine, and nobody else before | `verify`, `lookup`, `session_file` |
//! | the text | `draft`, `page` |
//! | compare-and-swap, journal | `commit` |
//!
//! A person's side of it: [`revert`], [`accept`], [`reject`], [`write_by_hand`], [`forget`], [`unseen_edits`], [`probation`]. An agent's: [`remember`].
//!
//! Files: `memory/CLAUDE.md`, `memory/journal.jsonl`, `memory/journal.pending.json` (only while an edit is being made),
//! `memory/proposals/`, `memory/state/intuition-updater.json`; `forget` also removes fragments and writes
//! `memory/state/forgotten.json`.

mod asked;
mod asking;
mod by_hand;
mod claim;
mod commit;
mod decide;
mod draft;
mod forget;
pub(crate) mod gates;
mod known;
mod likeness;
mod lineage;
mod lines;
mod lookup;
mod page;
mod plan;
mod pointers;
mod probation;
mod proposals;
mod remember;
mod room;
mod session_file;
mod settled;
mod signals;
mod spent;
mod stance;
mod state;
mod undo;
mod update;
mod verify;
mod wording;
mod wordsmith;

#[cfg(test)]
mod tests;

pub(crate) use asking::take_answers;
pub use by_hand::{BESIDE, ByHand, write_by_hand};
pub(crate) use claim::Claim;
pub(crate) use commit::recover;
pub use decide::{DecisionError, Refused, accept, accept_worded, reject, revert, revert_part};
pub use forget::{Forgetting, Forgot, forget, forget_again};
pub use known::holds_for;
pub(crate) use plan::Request;
pub(crate) use pointers::take_out;
pub use probation::{Trial, Verdict, probation};
pub use remember::{Handover, Remembered, remember};
pub use room::MAX_ASKED;
pub(crate) use room::look_again_at;
pub(crate) use stance::{Meaning, contradicts};
pub use state::{mark_seen, unseen_edits};
pub use update::ASKS_FOR_AN_EDIT;
pub(crate) use update::{Met, Updated, update};
