//! What people see of a running daemon, and what they can do there: the interface below `/api/v1`, and the page that uses it.
//!
//! Where to read on: [`routes`] is the table of everything that there is, `views` has one module for each thing that is looked
//! at, `actions` what a person can do, `pulse` how an open page learns that something changed. The page itself is in `assets/`:
//! plain modules without a framework, embedded in the program.
//!
//! - Nothing here decides. What is done is done by the daemon, or by the functions that the commands use.
//! - Files are read on a few threads of their own; what many ask for at once is read once ([`Kept`]).
//! - The page never makes markup of text, and the policy that every answer carries would forbid it.

mod actions;
mod assets;
mod error;
mod kept;
mod page;
mod pulse;
mod table;
mod views;

pub use error::PageError;
pub use kept::Kept;
pub use page::Page;
pub use table::routes;
