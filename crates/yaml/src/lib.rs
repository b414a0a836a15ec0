//! YAML that people write: typed, bounded, and with messages that say what to do.
//!
//! This crate is the only one that knows the YAML library. It reads one document into a type of the
//! caller's and turns every failure into a [`Problem`]: where, what, why, and how to put it right.
//! It leaves files to others; callers name the file when they show a problem ([`Problem::at`]).
//!
//! A text is parsed once, into a tree of values with their places (`build`, `tree`). Types are read from
//! the tree (`reader`), never from the parser.
//!
//! How text is understood, beyond YAML 1.2:
//! - A `String` takes a scalar as it is written: `no`, `on`, `y`, `017` and `1_000` stay text. A `bool` is
//!   `true` or `false` and nothing else.
//! - An integer may have underscores between digits and may be quoted; a leading zero is refused.
//! - A section without content (`cadence:`) is an empty one if its type allows all keys to be missing.
//! - Refused: a key twice in one mapping, tags other than YAML's own, merge keys (`<<`), a second document.
//! - A type's own check says why it refuses a value with a [`Refusal`]; the position is added here.
//!
//! Limits, so that no text takes long or grows in memory: [`MAX_TEXT_BYTES`], [`MAX_DEPTH_LEVELS`],
//! [`MAX_VALUES`], and for aliases [`MAX_TEXT_WITH_ALIASES_BYTES`] and [`MAX_REPEATED_PARTS`].

mod build;
mod explain;
mod fault;
mod found;
pub mod frontmatter;
mod meant;
mod nearest;
pub mod number;
mod problem;
mod read;
mod reader;
mod refusal;
mod scalar;
mod structure;
mod syntax;
mod tree;
mod value;

pub use nearest::nearest;
pub use problem::Problem;
pub use read::{
    MAX_DEPTH_LEVELS, MAX_REPEATED_PARTS, MAX_TEXT_BYTES, MAX_TEXT_WITH_ALIASES_BYTES, MAX_VALUES, from_str,
    from_str_with_lines, to_string,
};
pub use refusal::Refusal;
