//! entity-crystallizer: evidence is folded into the ledger and into dossiers.
//!
//! | file | what |
//! |---|---|
//! | `memory/effectiveness/CLAUDE-md-effectiveness.md` | the ledger: how each line fares |
//! | `memory/entities/<slug>.md`, `memory/topics/<slug>.md` | dossiers: what people say of things and subjects |
//! | `var/index/fragments/` | what has been folded already, and which dossiers need no second look; can be deleted |
//!
//! No model, no clock, no chance: the same fragments, broadcast and journal give the same bytes, in whatever order and
//! portions they came.

mod candidates;
mod dossier;
mod dossier_files;
mod escape;
mod fold;
mod guidance;
mod index;
mod ledger;
mod ledger_read;
mod pages;
mod run;
mod things;
mod wanted;

#[cfg(test)]
mod tests;

pub use dossier::is_as_made;
pub(crate) use dossier_files::{forget_lines, forget_pages};
pub use index::SETTLED_AFTER_NS;
pub(crate) use index::{Gathered, fold_anew, gather};
pub use ledger_read::{Ledger, Section, SectionState, Standing};
pub(crate) use pages::Pages;
pub(crate) use run::crystallize_from;
pub use run::{Crystallized, crystallize, tally};
pub(crate) use things::{is_file, things_in};
