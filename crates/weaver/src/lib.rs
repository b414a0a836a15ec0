//! memory-weaver: reads what happened, and lets each line of the broadcast earn its place.
//!
//! Three workers, each with its own files, and a coordinator that sends them out:
//!
//! | worker | reads | writes |
//! |---|---|---|
//! | [`scanner`] | the spine, the broadcast | fragments, checks, its position |
//! | [`crystallizer`] | fragments, the journal | the ledger, dossiers |
//! | [`updater`] | the [`Tally`] behind the ledger, the journal | the broadcast, the journal, proposals |
//!
//! What a line means stands in `checks`, and every decision here is a function of files. Where there is a model, it is
//! asked in four narrow places (see [`Consulted`]); it never counts, never decides what is edited, and whatever it answers
//! beyond what the rules allow has no effect.

mod compiled;
mod compiler;
mod coordinator;
pub mod crystallizer;
pub mod explain;
mod inspect;
pub mod patterns;
mod projects;
mod quiet;
mod recent;
pub mod scanner;
mod shop;
mod stood;
mod tally;
mod trust;
pub mod updater;
mod worded;

pub use compiled::CompiledBroadcast;
pub use coordinator::{
    Directed, Held, LineEvidence, Mapped, NOTHING_NEW, Woven, direct, held_changes, map_again, reflect,
    totals,
};
pub use inspect::{Finding, inspect};
pub use quiet::{expect_broadcast, miss_broadcast, note_broadcast};
pub use shop::{Settings, WeaveError, Workshop};
pub use subcortex_config::BroadcastMode;
pub use subcortex_counsel::Consulted;
use tally::meaning_of;
pub use tally::{ByCheck, Candidate, LineTally, Sample, Tally};
pub use trust::{Counted, Doubts, TrustState, counted};
