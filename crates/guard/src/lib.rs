//! What protects the program from what it reads: redaction of secrets, safe names, safe display, texts as a reader sees them. And how a
//! number of things is told.
//!
//! Nothing here opens a file, reads a clock or keeps state.

mod counted;
mod decoded;
mod display;
mod letters;
mod name;
pub mod redact;

pub use counted::counted;
pub use decoded::is_encoded;
pub use display::{escape_for_display, shown_path};
pub use letters::{folded, has_look_alikes};
pub use name::{NameProblem, check_basename};
pub use redact::{Asked, RUN_TOKEN_PREFIX, Redactor};
