//! Pieces that are put into a text, and taken out again.

use serde::{Deserialize, Serialize};

/// A piece that goes into a text at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Insertion {
    /// Where, in the text as it was.
    pub(crate) at: usize,
    pub(crate) text: String,
}

/// A piece that stands in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// Where, in the text as it is.
    pub(crate) at: usize,
    pub(crate) text: String,
}

/// A text with the pieces in it, and where each of them stands now.
pub(crate) fn insert(text: &str, mut insertions: Vec<Insertion>) -> (String, Vec<Piece>) {
    insertions.sort_by_key(|insertion| insertion.at);
    let mut out = String::with_capacity(text.len());
    let mut pieces = Vec::new();
    let mut copied = 0;
    for Insertion { at, text: piece } in insertions {
        out.push_str(text.get(copied..at).unwrap_or_default());
        copied = at;
        pieces.push(Piece { at: out.len(), text: piece.clone() });
        out.push_str(&piece);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    (out, pieces)
}

/// Takes the pieces out of a text that nobody has changed; `None` if one of them does not stand there.
pub(crate) fn take_out(text: &str, pieces: &[Piece]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for Piece { at, text: piece } in pieces {
        out.push_str(text.get(copied..*at)?);
        copied = at + piece.len();
        if text.get(*at..copied)? != piece {
            return None;
        }
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}

/// Takes the pieces out of a text that was changed around them; `None` unless each stands in it exactly once.
pub(crate) fn take_out_anywhere(text: &str, pieces: &[Piece]) -> Option<String> {
    let mut found: Vec<Piece> = Vec::new();
    for Piece { text: piece, .. } in pieces {
        let mut places = text.match_indices(piece.as_str());
        let (at, _) = places.next().filter(|_| piece.trim().len() > 1)?;
        if places.next().is_some() {
            return None;
        }
        found.push(Piece { at, text: piece.clone() });
    }
    found.sort_by_key(|piece| piece.at);
    take_out(text, &found)
}

/// Takes places out of a text; they must not overlap.
pub(crate) fn cut(text: &str, mut places: Vec<(usize, usize)>) -> String {
    places.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, end) in places {
        out.push_str(text.get(copied..start).unwrap_or_default());
        copied = end;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}
