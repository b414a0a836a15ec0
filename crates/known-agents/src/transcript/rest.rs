//! What a line says that none of its drafts tells: in records of a type, and in fields of a name, that nobody knows.
//!
//! Whoever passes on what stood there is not its author, and a list of the places where others' words may stand is out of date with the
//! next version of an agent. So all strings of a line are looked at, and what no draft holds is told as shown.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use subcortex_guard::folded;
use subcortex_model::{Draft, ORDERS_CUT, REPEATS_FIELD, Standing, Via, event_type};

use super::bound::{self, MAX_RESULT_BYTES};
use super::draft::{Common, Payload, content_id};
use super::json::Piece;
use super::raw;
use super::shown::{is_telling, texts_of};

/// What becomes of the strings of a line that no draft of it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rest {
    /// They are left out: for who judges what was done, and not whose words something is.
    Left,
    /// What may be an order for good is told as shown.
    #[default]
    Orders,
    /// All of them are told, at whatever length: for who looks for something.
    All,
}

impl Rest {
    /// Whether a line may leave something to tell: a look that costs little and never misses anything.
    pub(crate) fn may_be_in(self, line: &[u8]) -> bool {
        match self {
            Self::Left => false,
            Self::Orders => bound::may_hold_orders(line),
            Self::All => true,
        }
    }
}

/// How many texts of a file are remembered, so that each is told once.
const MAX_KNOWN: usize = 16 * 1024;

/// The rest of the lines of one file.
#[derive(Debug, Default)]
pub(crate) struct Remainder {
    /// What was told of a session, or what a person said there: who repeats a person is not told for it.
    known: HashSet<u64>,
}

/// A line, and what was made of it.
pub(crate) struct Line<'a> {
    pub(crate) strings: Vec<Cow<'a, str>>,
    /// Also those that are kept back.
    pub(crate) drafts: Vec<&'a Draft>,
    /// Whether it may repeat what a person said.
    pub(crate) may_repeat: bool,
}

impl Remainder {
    /// The event that tells what no draft of the line does.
    pub(crate) fn told(&mut self, rest: Rest, common: &mut Common, line: &Line<'_>) -> Option<Draft> {
        self.heard(&common.session, &line.drafts);
        let told = line.drafts.iter().filter(|draft| draft.event_type != event_type::PROMPT_DISOWNED);
        let told: Vec<Cow<'_, str>> =
            told.flat_map(|draft| draft.payload.values().flat_map(texts_of)).map(folded).collect();
        let mut is_new = |text: &str| {
            let key = self.key(&common.session, text);
            let is_new = !self.known.contains(&key) && !told.iter().any(|told| told.contains(text));
            if is_new && self.known.len() < MAX_KNOWN {
                self.known.insert(key);
            }
            is_new
        };
        let mut texts = String::new();
        for text in line.strings.iter().filter(|text| is_telling(text)) {
            match rest {
                Rest::Left => return None,
                Rest::Orders => texts.push_str(&bound::orders_of(text, &mut is_new)),
                Rest::All if is_new(&folded(text)) => texts.extend([&**text, "\n"]),
                Rest::All => {}
            }
            if rest == Rest::Orders && texts.len() > MAX_RESULT_BYTES {
                texts.push_str(ORDERS_CUT);
                break;
            }
        }
        is_telling(&texts).then(|| draft(common, &texts, line.may_repeat))
    }

    /// Remembers what a person said.
    fn heard(&mut self, session: &str, drafts: &[&Draft]) {
        let is_persons = |draft: &&&Draft| {
            draft.event_type == event_type::CHANNEL_MESSAGE
                && Via::of(&draft.payload).standing() != Standing::Nobodys
        };
        for draft in drafts.iter().filter(is_persons) {
            let text = draft.payload.get("text").and_then(|text| text.as_str()).unwrap_or_default();
            let mut keys = vec![self.key(session, &folded(text))];
            bound::orders_of(text, &mut |order| {
                keys.push(self.key(session, order));
                false
            });
            self.known.extend(keys);
        }
    }

    fn key(&self, session: &str, text: &str) -> u64 {
        BuildHasherDefault::<DefaultHasher>::default().hash_one((session, text.trim()))
    }
}

/// What a line says that is no record any more: cut, torn, or two in one. Nobody knows whose it was, and whoever sends it later may pass it on.
pub(crate) fn of_broken(line: &[u8], mut common: Common) -> Option<Draft> {
    let text = bound::orders(&raw::decoded(&raw::line(line)));
    common.source_id = content_id(&common.origin, &[&raw::line(line)]);
    is_telling(&text).then(|| draft(&mut common, &text, /*may_repeat*/ true))
}

fn draft(common: &mut Common, text: &str, may_repeat: bool) -> Draft {
    let payload = Payload::new().with("text", text).with_flag(REPEATS_FIELD, may_repeat);
    let mut draft = common.aside(event_type::AGENT_SHOWN, payload);
    // Some records have no id, and too little else to be told apart by.
    let name = blake3::hash(text.as_bytes()).to_hex();
    draft.source_id = Some(format!("{}#rest-{}", common.source_id, &name[..8]));
    draft
}

/// The strings of a value that may leave something to tell, also the names of its fields, however deep they stand.
pub(crate) fn strings_in(whole: Piece<'_>, rest: Rest) -> Vec<Cow<'_, str>> {
    let (mut open, mut found) = (vec![whole], Vec::new());
    while let Some(piece) = open.pop() {
        match piece.get().as_bytes() {
            [b'"', inner @ ..] if rest.may_be_in(inner) => found.extend(raw::text(Some(piece))),
            [b'{', ..] => {
                open.extend(piece.entries().into_iter().flatten().flat_map(|(key, value)| [key, value]));
            }
            [b'[', ..] => open.extend(piece.elements().into_iter().flatten()),
            _ => {}
        }
    }
    found.reverse();
    found
}
