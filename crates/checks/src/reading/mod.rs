//! Reading: how a line becomes a check without a model.
//!
//! A rules file ([`RulesFile`]) holds rules; a rule's text is taken apart into clauses (`sentence`) and those into norms (`grammar`).
//! What people commonly write is looked up in the rulebook (`rulebook`); what is left is lowered by its grammar and its code terms
//! (`lower`). The words themselves are data (`words`). A reading that does not honour all that the line names is none.

mod bag;
mod confined;
mod cues;
mod expand;
mod exported;
mod grammar;
mod hint;
mod looks;
mod lower;
mod manifests;
mod norm;
mod occasion;
mod opening;
mod project;
mod read;
mod rulebook;
mod rules_file;
mod sentence;
mod side;
mod spared;
mod statement;
mod words;

pub(crate) use read::LONGEST_RULE_BYTES;
pub(crate) use side::words_and_side;
pub(crate) use words::code_globs;
pub(crate) use words::files_named;
pub(crate) use words::words;

pub use exported::exported;
pub use project::{Project, Target};
pub use read::{Reading, compile, compile_memory, read, read_in};
pub use rulebook::{Entry, Examples, entries, spelled_out};
pub use rules_file::{MAX_RULES_BYTES, Rule, RulesFile};
pub use side::instructs;
