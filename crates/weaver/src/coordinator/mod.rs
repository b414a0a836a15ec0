//! The coordinator: decides by data dependency which worker is sent out, and what the run came to.
//!
//! | mode | what is there | who is sent out |
//! |---|---|---|
//! | reflective | no new external events | nobody |
//! | reflective | new events, or work that an earlier run left and whose time has come | scanner, crystallizer, updater |
//! | directed | a wish to scan | scanner; crystallizer if fragments were written; updater if the ledger asks |
//! | directed | a wish to edit the broadcast | updater; before it scanner and crystallizer, if the ledger is missing or stale |
//! | directed | dossiers or pointers | crystallizer |
//! | directed | several of these, or new external events beside it | scanner, crystallizer, updater |
//! | directed | nothing but the program's own traces | nobody: they are no evidence |
//! | directed | nothing that anybody understands | nobody: the task stays, with the reason |
//!
//! Counts in the report come from the files. A worker whose count does not fit the disk makes the run fail.

mod job;
mod mapping;
mod packet;
mod report;
mod sent_out;
pub(crate) mod unfinished;

pub use mapping::{Mapped, map_again};
pub use sent_out::{Directed, LineEvidence, NOTHING_NEW, Woven, direct, reflect, totals};
pub use unfinished::{Held, held_changes};
