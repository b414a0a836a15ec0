//! Two reports of one message that differ in words.
//!
//! A hook tells of a message first, and anybody can call a hook: whoever takes the name of a message in front of its record would have the
//! record dropped as a second report. So a record with other words is kept, under a name of its own and as a message that nobody vouches for,
//! and says which message it contests.
//!
//! A second hook with other words is dropped: what is typed while the agent works carries the name of the running prompt, and its record has a
//! name of its own.

use serde_json::{Map, Value};
use subcortex_model::{CONTESTS_FIELD, Dedup, HOOK_FIELD, Standing, Via, event_type};

use crate::dedup::Stored;
use crate::record::Stamped;

/// How many digits of a hash tell contesting messages apart.
const HASH_DIGITS: usize = 16;

/// Whether an event may be a person's and says something else than the stored message that anybody may have told: by a hook, or as a
/// program. Two records that differ are a copy that the agent program wrote otherwise.
pub(crate) fn contests(event: &Stamped, stored: &Stored) -> bool {
    let Stored::Here(Some(first)) = stored else { return false };
    let is_by_hook = event.payload().contains_key(HOOK_FIELD);
    let is_heard = Via::of(event.payload()).standing() != Standing::Nobodys;
    let texts = words(event.event_type(), event.payload()).zip(first.text());
    let can_be_forged = first.payload.contains_key(HOOK_FIELD) || first.standing() == Standing::Nobodys;
    !is_by_hook && is_heard && can_be_forged && texts.is_some_and(|(text, before)| !is_same(text, before))
}

/// The event as one that contests the stored one of this name.
pub(crate) fn contesting(event: Stamped, name: String) -> Stamped {
    let mut payload = event.payload().clone();
    let text = words(event.event_type(), &payload).unwrap_or_default();
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let source_id = format!("{name}#contested-{}", &hash[..HASH_DIGITS]);
    let via = Via::of(&payload).doubted();
    payload.extend(via.word().map(|word| (Via::FIELD.to_owned(), word.into())));
    payload.insert(CONTESTS_FIELD.to_owned(), name.into());
    event.renamed(Dedup { source_id, key: None }, payload)
}

/// What a message says.
fn words<'p>(kind: &str, payload: &'p Map<String, Value>) -> Option<&'p str> {
    payload.get("text").and_then(Value::as_str).filter(|_| kind == event_type::CHANNEL_MESSAGE)
}

/// Whether two texts say the same, but for the space between their words.
fn is_same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}
