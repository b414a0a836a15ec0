//! What a person can send: blocks of a few kinds, each with few fields.
//!
//! Programs find new kinds of blocks all the time, and a text beside one of them may be anything. So nobody asks what a block is that no
//! person made; a content is a person's only where everything in it is known.

use super::json::{Fields, Piece};
use super::raw::{self, Raw};

/// A kind of block that a person can send, and the fields that it may have besides its `type`.
pub(crate) type Kind = (&'static str, &'static [&'static str]);

/// Whether a content is a text, or blocks that a person can send.
pub(crate) fn is_a_persons(content: Raw<'_>, kinds: &[Kind]) -> bool {
    content.is_none() || raw::text(content).is_some() || is_list(content, |block| is_one_of(block, kinds))
}

fn is_list(content: Raw<'_>, is_right: impl Fn(Raw<'_>) -> bool) -> bool {
    let is_array = content.is_some_and(|content| content.get().starts_with('['));
    is_array && raw::array(content).into_iter().all(|block| is_right(Some(block)))
}

/// Whether a block is of one of these kinds. A field without a value says nothing.
pub(crate) fn is_one_of(block: Raw<'_>, kinds: &[Kind]) -> bool {
    let fields = raw::all_fields(block);
    let kind = fields.get("type").and_then(|kind| raw::text(*kind)).unwrap_or_default();
    let known = kinds.iter().find(|(name, _)| kind.eq_ignore_ascii_case(name));
    known.is_some_and(|(_, known)| {
        let mut filled = fields.iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name.as_str());
        filled.all(|name| name == "type" || known.contains(&name))
    })
}

/// Whether an object has a field that says something and that nobody knows: neither this reader, which looks at the fields of `T`, nor the list of
/// those that say nothing of who sent it. A number says nothing either.
pub(crate) fn has_unknown_fields<'a, T: Fields<'a>>(object: Raw<'a>, silent: &[&str]) -> bool {
    let mut looked_at = T::default();
    let mut fields = object.and_then(Piece::entries).into_iter().flatten();
    fields.any(|(name, value)| {
        let is_known =
            name.decoded().is_some_and(|name| looked_at.place(&name).is_some() || silent.contains(&&*name));
        !is_known && says_something(value)
    })
}

fn says_something(value: Piece<'_>) -> bool {
    match value.get().as_bytes().first() {
        Some(b'"') => raw::filled(Some(value)).is_some(),
        Some(b'{') => value.entries().is_some_and(|mut fields| fields.next().is_some()),
        Some(b'[') => value.elements().is_some_and(|mut elements| elements.next().is_some()),
        Some(b't') => true,
        _ => false,
    }
}
