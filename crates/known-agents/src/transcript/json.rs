//! A JSON text, gone through once: its syntax is checked, and where its objects, arrays and longer strings end is noted, so that a
//! record can be taken apart level by level without reading it again. Nothing is decoded before somebody asks for it.
//!
//! It takes what `serde_json` takes. To check a text costs both the same, but `serde_json::value::RawValue` reads each level anew: to take
//! the records of real sessions apart down to the fourth level takes it 31 instructions a byte, and here 12.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// Strings from this length on are noted. A shorter one is found as quickly as its note.
const LONG_STRING_BYTES: usize = 32;
/// In how many words of eight bytes a mark is looked for by hand.
const NEAR_WORDS: usize = 2;
/// About how many bytes there are to one note.
const BYTES_A_NOTE: usize = 64;
/// How deep a text goes, mostly.
const USUAL_DEPTH: usize = 8;
/// Room for more notes is not kept for the next text.
const MAX_KEPT_NOTES: usize = 16 * 1024;

/// Where an object, an array or a long string ends.
#[derive(Debug, Clone, Copy)]
struct Note {
    start: u32,
    end: u32,
    /// The first note behind it.
    next: u32,
}

/// Room for the notes on one text after the other.
#[derive(Debug, Default)]
pub(crate) struct Room(Vec<Note>);

/// A JSON text that was checked.
#[derive(Debug)]
pub(crate) struct Json<'a> {
    text: &'a str,
    /// In the order in which they begin.
    notes: Vec<Note>,
}

/// A value in a JSON text, undecoded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    json: &'a Json<'a>,
    start: u32,
    end: u32,
    /// Its own note if it has one, or else the first behind it.
    note: u32,
    /// Whether it is a string that surely has no escapes.
    is_plain: bool,
}

static YES: Json<'static> = Json { text: "true", notes: Vec::new() };

/// The fields of an object that are looked at.
pub(crate) trait Fields<'a>: Default {
    /// Where the value of a field goes; nothing for a field that nobody looks at.
    fn place(&mut self, key: &str) -> Option<&mut Option<Piece<'a>>>;
}

/// Names the fields of an object that are looked at, with their keys. One that is absent or null is `None`.
macro_rules! fields {
    ($(#[$about:meta])* $seen:vis struct $name:ident {
        $($(#[$note:meta])* $field:ident: $key:literal),* $(,)?
    }) => {
        $(#[$about])*
        #[derive(Debug, Default)]
        $seen struct $name<'a> {
            $($(#[$note])* pub(super) $field: $crate::transcript::raw::Raw<'a>),*
        }

        impl<'a> $crate::transcript::json::Fields<'a> for $name<'a> {
            fn place(&mut self, key: &str) -> Option<&mut $crate::transcript::raw::Raw<'a>> {
                match key {
                    $($key => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }
    };
}
pub(crate) use fields;

impl<'a> Json<'a> {
    /// Checks a text; `None` if it is no JSON.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        Self::parse_in(text, Room::default())
    }

    /// The same, with the room that [`Json::into_room`] gives back.
    pub(crate) fn parse_in(text: &'a str, room: Room) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        let bytes = text.as_bytes();
        let has_controls = bytes.iter().fold(false, |found, byte| found | (*byte < b' '));
        let mut notes = room.0;
        notes.clear();
        notes.reserve(bytes.len() / BYTES_A_NOTE);
        let mut check = Check { bytes, at: 0, has_controls, notes, open: Vec::with_capacity(USUAL_DEPTH) };
        check.value()?;
        Some(Self { text, notes: check.notes })
    }

    /// The room that its notes took.
    pub(crate) fn into_room(self) -> Room {
        if self.notes.capacity() > MAX_KEPT_NOTES { Room::default() } else { Room(self.notes) }
    }

    /// All of it.
    pub(crate) fn root(&'a self) -> Piece<'a> {
        let text = self.text.trim_end_matches(is_space);
        let start = text.len() - text.trim_start_matches(is_space).len();
        Piece { json: self, start: start as u32, end: text.len() as u32, note: 0, is_plain: false }
    }
}

impl<'a> Piece<'a> {
    /// `true`.
    pub(crate) fn yes() -> Self {
        Self { json: &YES, start: 0, end: YES.text.len() as u32, note: 0, is_plain: false }
    }

    /// As it stands in the file.
    pub(crate) fn get(self) -> &'a str {
        self.json.text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Its fields; `None` if it is no object, or has one of the fields twice.
    pub(crate) fn object<T: Fields<'a>>(self) -> Option<T> {
        let mut found = T::default();
        let mut nulls: Vec<Cow<'a, str>> = Vec::new();
        let mut walk = self.walk(b'{')?;
        while let Some(key) = walk.next() {
            let (key, value) = (key.decoded()?, walk.next()?);
            let Some(place) = found.place(&key) else { continue };
            if place.is_some() || nulls.contains(&key) {
                return None;
            }
            if value.is_null() {
                nulls.push(key);
            } else {
                *place = Some(value);
            }
        }
        Some(found)
    }

    /// Keys and values, if it is an object.
    pub(crate) fn entries(self) -> Option<impl Iterator<Item = (Piece<'a>, Piece<'a>)>> {
        let mut walk = self.walk(b'{')?;
        Some(std::iter::from_fn(move || Some((walk.next()?, walk.next()?))))
    }

    /// Its elements, if it is an array.
    pub(crate) fn elements(self) -> Option<impl Iterator<Item = Piece<'a>>> {
        let mut walk = self.walk(b'[')?;
        Some(std::iter::from_fn(move || walk.next()))
    }

    fn walk(self, opening: u8) -> Option<Walk<'a>> {
        let is_it = self.json.text.as_bytes().get(self.start as usize) == Some(&opening);
        is_it.then(|| Walk {
            json: self.json,
            at: self.start as usize + 1,
            end: self.end as usize - 1,
            note: self.note + 1,
        })
    }

    pub(super) fn is_null(self) -> bool {
        self.json.text.as_bytes().get(self.start as usize..self.end as usize) == Some(b"null")
    }

    /// The text of a key. As for `serde_json`, half of a surrogate pair is none.
    pub(super) fn decoded(self) -> Option<Cow<'a, str>> {
        match self.without_escapes()? {
            Ok(inner) => Some(Cow::Borrowed(inner)),
            Err(_) => serde_json::from_str(self.get()).ok().map(Cow::Owned),
        }
    }

    /// What stands between the quotes of a string; as an error if it has escapes.
    pub(super) fn without_escapes(self) -> Option<Result<&'a str, &'a str>> {
        let inner = self.inside_quotes()?;
        let is_plain = self.is_plain || memchr(b'\\', inner.as_bytes()).is_none();
        Some(if is_plain { Ok(inner) } else { Err(inner) })
    }

    /// What stands between the quotes of a string, undecoded.
    pub(crate) fn inside_quotes(self) -> Option<&'a str> {
        let is_string = self.json.text.as_bytes().get(self.start as usize) == Some(&b'"');
        is_string.then(|| self.json.text.get(self.start as usize + 1..self.end as usize - 1)).flatten()
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// Goes from part to part of an object or an array that was checked.
struct Walk<'a> {
    json: &'a Json<'a>,
    at: usize,
    end: usize,
    /// The first note behind `at`.
    note: u32,
}

impl<'a> Walk<'a> {
    fn next(&mut self) -> Option<Piece<'a>> {
        let bytes = self.json.text.as_bytes().get(..self.end)?;
        let between = |byte: &u8| matches!(byte, b',' | b':' | b' ' | b'\t' | b'\n' | b'\r');
        self.at += bytes.get(self.at..)?.iter().position(|byte| !between(byte))?;
        let (start, note, mut is_plain) = (self.at, self.note, false);
        let noted = self.json.notes.get(note as usize).filter(|note| note.start as usize == start);
        if let Some(noted) = noted {
            self.at = noted.end as usize;
            self.note = noted.next;
        } else if bytes[start] == b'"' {
            (self.at, is_plain) = end_of_string(bytes, start)?;
        } else {
            let is_end = |byte: &u8| between(byte) || matches!(byte, b'}' | b']');
            let rest = bytes.get(start..)?;
            self.at += rest.iter().position(is_end).unwrap_or(rest.len());
        }
        Some(Piece { json: self.json, start: start as u32, end: self.at as u32, note, is_plain })
    }
}

/// Where a string ends that begins here, and whether it has no escapes; `None` if it does not end, or has an escape that there is not.
fn end_of_string(bytes: &[u8], start: usize) -> Option<(usize, bool)> {
    let mut at = next_mark(bytes, start + 1)?;
    let is_plain = bytes[at] == b'"';
    while bytes[at] != b'"' {
        let escape = match bytes.get(at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' if bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return None,
        };
        at = next_mark(bytes, at + escape)?;
    }
    Some((at + 1, is_plain))
}

/// Where the next quote or backslash stands from a place on.
#[inline]
pub(super) fn next_mark(bytes: &[u8], mut at: usize) -> Option<usize> {
    const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
    const BACKSLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);
    // Four of five are as near as this, and a search for one that may be far takes long to begin.
    for _ in 0..NEAR_WORDS {
        let Some(word) = bytes.get(at..)?.first_chunk() else { break };
        let word = u64::from_le_bytes(*word);
        // Only above the first mark can there be bits that are none.
        let marks = zero_bytes(word ^ QUOTES) | zero_bytes(word ^ BACKSLASHES);
        if marks != 0 {
            return Some(at + marks.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    Some(at + memchr2(b'"', b'\\', bytes.get(at..)?)?)
}

/// The highest bit of the first byte that is zero, and of no byte before it.
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(u64::from_ne_bytes([0x01; 8])) & !word & u64::from_ne_bytes([0x80; 8])
}

/// The first and only time that a text is read from beginning to end.
struct Check<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether a byte stands in it that a string must not hold. White space is such a byte.
    has_controls: bool,
    notes: Vec<Note>,
    /// Objects and arrays that have not ended: their notes.
    open: Vec<u32>,
}

impl Check<'_> {
    fn value(&mut self) -> Option<()> {
        loop {
            match self.next_byte()? {
                b'"' => self.string()?,
                opening @ (b'{' | b'[') => {
                    let note = self.note(self.at, self.at)?;
                    self.open.push(note);
                    self.at += 1;
                    // The closing bracket of each stands two places behind the opening one.
                    if self.next_byte()? == opening + 2 {
                        self.close()?;
                    } else {
                        if opening == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                b'n' => self.word(b"null")?,
                _ => self.number()?,
            }
            if self.ends_or_goes_on()? {
                return Some(());
            }
        }
    }

    /// What follows a value: whether that is the end of everything. Otherwise the next value is next.
    fn ends_or_goes_on(&mut self) -> Option<bool> {
        loop {
            self.skip_space();
            let Some(open) = self.open.last().and_then(|open| self.notes.get(*open as usize)) else {
                return (self.at == self.bytes.len()).then_some(true);
            };
            let is_object = self.bytes.get(open.start as usize) == Some(&b'{');
            match (self.bytes.get(self.at)?, is_object) {
                (b',', is_object) => {
                    self.at += 1;
                    if is_object {
                        self.key()?;
                    }
                    return Some(false);
                }
                (b'}', true) | (b']', false) => self.close()?,
                _ => return None,
            }
        }
    }

    fn close(&mut self) -> Option<()> {
        self.at += 1;
        let next = self.notes.len() as u32;
        let note = self.notes.get_mut(self.open.pop()? as usize)?;
        (note.end, note.next) = (self.at as u32, next);
        Some(())
    }

    fn note(&mut self, start: usize, end: usize) -> Option<u32> {
        let number = u32::try_from(self.notes.len()).ok()?;
        self.notes.push(Note { start: start as u32, end: end as u32, next: number + 1 });
        Some(number)
    }

    fn key(&mut self) -> Option<()> {
        if self.next_byte()? != b'"' {
            return None;
        }
        self.string()?;
        if self.next_byte()? != b':' {
            return None;
        }
        self.at += 1;
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let (start, (end, _)) = (self.at, end_of_string(self.bytes, self.at)?);
        if self.has_controls && self.bytes[start..end].iter().any(|byte| *byte < b' ') {
            return None;
        }
        if end - start >= LONG_STRING_BYTES {
            self.note(start, end)?;
        }
        self.at = end;
        Some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.bytes.get(self.at..)?.starts_with(word).then(|| self.at += word.len())
    }

    fn number(&mut self) -> Option<()> {
        self.at += usize::from(self.bytes.get(self.at) == Some(&b'-'));
        match self.bytes.get(self.at)? {
            b'0' => self.at += 1,
            b'1'..=b'9' => self.digits()?,
            _ => return None,
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        // `01` is no number.
        (!self.bytes.get(self.at).is_some_and(u8::is_ascii_digit)).then_some(())
    }

    fn digits(&mut self) -> Option<()> {
        let digits = self.bytes.get(self.at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        (digits > 0).then_some(())
    }

    fn next_byte(&mut self) -> Option<u8> {
        self.skip_space();
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;

    fields! {
        struct Two {
            first: "first",
            second: "second",
        }
    }

    fn two(json: &str) -> Option<(Option<String>, Option<String>)> {
        let json = Json::parse(json)?;
        let two: Two<'_> = json.root().object()?;
        let text = |piece: Option<Piece<'_>>| piece.map(|piece| piece.get().to_owned());
        Some((text(two.first), text(two.second)))
    }

    #[test]
    fn fields_are_found_whatever_stands_between_them() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(two(r#"{"first":1,"second":"x"}"#), Some((some("1"), some("\"x\""))));
        assert_eq!(
            two(" {\n \"other\" : [ {\"first\":3} , \"]\" ] ,\t\"second\": { \"a\":\"}\\\"\" } } "),
            Some((None, some("{ \"a\":\"}\\\"\" }")))
        );
        assert_eq!(two(r#"{"fir\u0073t":[],"second":null}"#), Some((some("[]"), None)));
        assert_eq!(two(r#"{}"#), Some((None, None)));
        assert_eq!(two(r#"[1]"#), None);
    }

    #[test]
    fn a_field_that_stands_there_twice_is_refused_as_by_serde() {
        for twice in [
            r#"{"first":1,"first":2}"#,
            r#"{"first":null,"first":2}"#,
            r#"{"first":2,"first":null}"#,
            r#"{"first":null,"first":null}"#,
        ] {
            assert_eq!(two(twice), None, "{twice}");
        }
        assert!(two(r#"{"other":1,"other":2}"#).is_some());
    }

    /// All values below one, with how deep they stand, as the notes tell them.
    fn walked(piece: Piece<'_>, depth: usize, into: &mut Vec<(usize, String)>) {
        into.push((depth, piece.get().to_owned()));
        for element in piece.elements().into_iter().flatten() {
            walked(element, depth + 1, into);
        }
        for (key, value) in piece.entries().into_iter().flatten() {
            into.push((depth, key.get().to_owned()));
            walked(value, depth + 1, into);
        }
    }

    /// The same as `serde_json` tells them.
    fn walked_by_serde(raw: &RawValue, depth: usize, into: &mut Vec<(usize, String)>) {
        into.push((depth, raw.get().to_owned()));
        if raw.get().starts_with('[') {
            let elements: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap();
            elements.into_iter().for_each(|element| walked_by_serde(element, depth + 1, into));
        } else if raw.get().starts_with('{') {
            let flat = raw.get();
            let keys: Vec<(String, &RawValue)> = entries_by_serde(flat);
            for (key, value) in keys {
                into.push((depth, key));
                walked_by_serde(value, depth + 1, into);
            }
        }
    }

    fn entries_by_serde(json: &str) -> Vec<(String, &RawValue)> {
        struct Entries;
        impl<'de> serde::de::Visitor<'de> for Entries {
            type Value = Vec<(String, &'de RawValue)>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    entries.push((key.get().to_owned(), value));
                }
                Ok(entries)
            }
        }
        use serde::Deserializer;
        serde_json::Deserializer::from_str(json).deserialize_map(Entries).unwrap()
    }

    fn check_against_serde(text: &str) {
        let by_serde = serde_json::from_str::<&RawValue>(text).ok();
        let json = Json::parse(text);
        assert_eq!(json.is_some(), by_serde.is_some(), "{text}");
        if let (Some(json), Some(raw)) = (json, by_serde) {
            let (mut found, mut expect) = (Vec::new(), Vec::new());
            walked(json.root(), 0, &mut found);
            walked_by_serde(raw, 0, &mut expect);
            assert_eq!(found, expect, "{text}");
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "\\PC{0,60}".prop_map(Value::from),
            "[\\\\\"\n\t {}\\[\\],:ux0]{0,60}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec(("[a-z\\\\\"]{0,40}", inner), 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_serde_writes_is_taken_apart_as_serde_does(value in any_value(), pretty in any::<bool>()) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            check_against_serde(&text);
        }

        #[test]
        fn what_serde_refuses_is_refused(
            value in any_value(),
            at in any::<prop::sample::Index>(),
            with in "[\\\\\"\n\u{1} {}\\[\\],:utfn0-9.eE+-]{0,2}",
            removed in 0_usize..3,
        ) {
            let text: Vec<char> = value.to_string().chars().collect();
            let at = at.index(text.len() + 1);
            let behind = (at + removed).min(text.len());
            let broken: String =
                text[..at].iter().copied().chain(with.chars()).chain(text[behind..].iter().copied()).collect();
            check_against_serde(&broken);
        }
    }

    #[test]
    fn odd_texts_are_judged_as_by_serde() {
        for text in [
            "",
            " ",
            "1",
            "-",
            "-0",
            "01",
            "1.",
            "1.5e",
            "1e+5",
            "tru",
            "true ",
            "truex",
            "nul",
            "[",
            "[1,]",
            "[,1]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\" :1}",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\\ud800\"",
            "\"a\nb\"",
            "[}",
            "{]",
            "{}{}",
            "[1 2]",
            "[[[[]]]]",
            "{\"a\":{\"b\":[{}]}}",
            "\u{feff}{}",
            "\"open",
        ] {
            check_against_serde(text);
        }
    }
}
