//! What is searched, as documents.

mod broadcast;
mod dossiers;
mod fragments;
mod turns;

pub(crate) use broadcast::broadcast;
pub(crate) use dossiers::Dossiers;
pub(crate) use fragments::{fragments, stamps};
pub(crate) use turns::{TurnReader, path_of_day};

/// As much of the front of a text as fits into so many bytes.
pub(crate) fn front(text: &str, max_bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(max_bytes)).unwrap_or(text)
}
