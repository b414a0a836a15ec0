//! What one value without brackets means.

use std::borrow::Cow;

use granit_parser::Tag as LibraryTag;

/// A single value, not yet taken for a text, a number or a word.
#[derive(Debug, Clone)]
pub(crate) struct Scalar<'t> {
    /// Without quotes and escapes.
    pub(crate) text: Cow<'t, str>,
    /// Whether it stands there without quotes.
    pub(crate) is_plain: bool,
    pub(crate) tag: Tag,
}

/// YAML's own tags (`!!int`), by which a text may say what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    None,
    Text,
    Null,
    Boolean,
    Whole,
    Number,
    List,
    Mapping,
}

impl Tag {
    /// Translates the library's tag; `None` if it is not one of YAML's own.
    pub(crate) fn from_library(tag: Option<&LibraryTag>) -> Option<Tag> {
        let Some(tag) = tag else { return Some(Tag::None) };
        match tag.core_suffix() {
            Some("str") => Some(Tag::Text),
            Some("null") => Some(Tag::Null),
            Some("bool") => Some(Tag::Boolean),
            Some("int") => Some(Tag::Whole),
            Some("float") => Some(Tag::Number),
            Some("seq") => Some(Tag::List),
            Some("map") => Some(Tag::Mapping),
            Some(_) | None => (tag.original() == "!").then_some(Tag::Text),
        }
    }

    /// Whether a list, a mapping or a single value may bear it.
    pub(crate) fn fits(self, other: Tag) -> bool {
        match self {
            Tag::None => true,
            Tag::Text | Tag::Null | Tag::Boolean | Tag::Whole | Tag::Number => other == Tag::None,
            Tag::List | Tag::Mapping => self == other,
        }
    }
}

/// What a value is by its looks, for a reader that takes anything.
pub(crate) enum Meaning {
    Null,
    Boolean(bool),
    Positive(u64),
    Negative(i64),
    Number(f64),
    Text,
}

impl Scalar<'_> {
    pub(crate) fn is_null(&self) -> bool {
        match self.tag {
            Tag::Null => true,
            Tag::None => self.is_plain && looks_null(&self.text),
            Tag::Text | Tag::Boolean | Tag::Whole | Tag::Number | Tag::List | Tag::Mapping => false,
        }
    }

    /// Whether the value may be read as what `tag` stands for.
    pub(crate) fn may_be(&self, tag: Tag) -> bool {
        self.tag == Tag::None || self.tag == tag
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        let word = trim(&self.text);
        if word.eq_ignore_ascii_case("true") {
            return Some(true);
        }
        word.eq_ignore_ascii_case("false").then_some(false)
    }

    /// A whole number: with underscores between digits, or in base 2, 8 or 16; without leading zeros.
    pub(crate) fn whole(&self) -> Option<i128> {
        let text = trim(&self.text);
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let prefix = digits.get(..2).map(str::to_ascii_lowercase);
        let (base, digits) = match prefix.as_deref() {
            Some("0x") => (16, &digits[2..]),
            Some("0o") => (8, &digits[2..]),
            Some("0b") => (2, &digits[2..]),
            Some(_) if digits.starts_with('0') => return None,
            Some(_) | None => (10, digits),
        };
        let separated = digits.split('_').all(|group| !group.is_empty());
        let plain = digits.replace('_', "");
        let is_number = separated && plain.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = i128::from_str_radix(&plain, base).ok().filter(|_| is_number)?;
        Some(if negative { -number } else { number })
    }

    /// A number, also one that is not finite (`.inf`) or too large (`1e999`).
    pub(crate) fn number(&self) -> Option<f64> {
        let text = trim(&self.text);
        match text.to_ascii_lowercase().as_str() {
            ".nan" | "+.nan" | "-.nan" => return Some(f64::NAN),
            ".inf" | "+.inf" => return Some(f64::INFINITY),
            "-.inf" => return Some(f64::NEG_INFINITY),
            _ => {}
        }
        // Rust also reads `inf` and `nan`, which are words.
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = unsigned.starts_with(|first: char| first == '.' || first.is_ascii_digit());
        text.parse().ok().filter(|_| is_number)
    }

    pub(crate) fn meaning(&self) -> Option<Meaning> {
        match self.tag {
            Tag::Boolean => return self.boolean().map(Meaning::Boolean),
            Tag::Whole => return self.whole().and_then(whole_meaning),
            Tag::Number => return self.number().map(Meaning::Number),
            Tag::Text => return Some(Meaning::Text),
            Tag::None | Tag::Null | Tag::List | Tag::Mapping => {}
        }
        if self.is_null() {
            return Some(Meaning::Null);
        }
        if !self.is_plain {
            return Some(Meaning::Text);
        }
        let boolean = self.boolean().map(Meaning::Boolean);
        let whole = || self.whole().and_then(whole_meaning);
        let number = || self.number().map(Meaning::Number);
        boolean.or_else(whole).or_else(number).or(Some(Meaning::Text))
    }
}

fn whole_meaning(number: i128) -> Option<Meaning> {
    match u64::try_from(number) {
        Ok(positive) => Some(Meaning::Positive(positive)),
        Err(_) => i64::try_from(number).ok().map(Meaning::Negative),
    }
}

fn looks_null(text: &str) -> bool {
    text.is_empty() || text == "~" || text.eq_ignore_ascii_case("null")
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}
