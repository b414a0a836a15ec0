//! Secrets that look like names, where settings and flags are: `db.password=correcthorse_battery`, `--token winter_harbor_42`.
//!
//! A program calls its variables so too. What tells the two apart is the place, and that no word of the value speaks about secrets:
//! the more a place is one of settings only, the more a value may look like a name.
//!
//! Left alone, because both readings are as likely: `password = user_input` (most languages assign so), words with dashes behind a colon
//! (`password: case-sensitive`, and objects of Kubernetes are called so), a short word, a token that is nothing but a word.

use std::ops::Range;

use super::chars::{Class, contains, skip_blanks};
use super::extent::ends_line;
use super::judge::{Join, is_word_as_password};
use super::name_at::NameAt;
use super::names::{Kind, SECRET, SecretName};
use super::operator::{Joined, Operator};
use super::placeholder::{Words, is_in_vocabulary, is_placeholder, trim_digits};
use super::random::{Makeup, is_complex};
use super::vocabulary::{SECRET_WORDS, TECHNICAL, WORD_ENDINGS};
use super::work;

/// Words that are a secret have at least so many bytes together: with a number, and without one.
const NUMBERED_MIN_BYTES: usize = 8;
const WORDS_MIN_BYTES: usize = 11;
const LETTERS_MIN: usize = 6;
/// A shorter word is an abbreviation, as names have them, in bytes.
const WORD_MIN_BYTES: usize = 3;
/// A shorter word may end in any way, in bytes.
const ENDING_MIN_BYTES: usize = 6;
/// How far back the end of the line before is looked for, in bytes.
const LINE_MAX_BYTES: usize = 160;
/// Owners of fields, in programs.
const OBJECTS: &[&str] = &["self.", "this.", "cls."];

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// `NAME=value`
    Env,
    /// `--name value`
    Flag,
    /// `dotted.name=value`
    Property,
    /// `name=value`
    Pair,
    /// `name: value` to the end of the line
    Colon,
}

impl Place {
    fn of(bytes: &[u8], name: NameAt, joined: Joined, join: Join, value: &Range<usize>) -> Option<Self> {
        let ends_pair =
            bytes.get(value.end).is_none_or(|byte| byte.is_ascii_whitespace() || b"\"\\".contains(byte));
        match join {
            Join::Env => Some(Self::Env),
            Join::Flag => Some(Self::Flag),
            Join::Pair if ends_pair && bytes[name.start..name.end].contains(&b'.') => Some(Self::Property),
            Join::Pair if ends_pair => Some(Self::Pair),
            Join::Line if joined.operator == Operator::Colon && ends_line(bytes, value.end) => {
                Some(Self::Colon)
            }
            Join::Json
            | Join::Assign
            | Join::Query
            | Join::Line
            | Join::Pair
            | Join::Argument
            | Join::Loose
            | Join::Element
            | Join::Prose => None,
        }
    }
}

/// Whether what stands behind a name was chosen as a secret, although it could be the name of something.
pub(super) fn is_chosen(
    bytes: &[u8],
    name: NameAt,
    secret: SecretName,
    joined: Joined,
    join: Join,
    value: &Range<usize>,
) -> bool {
    let Some(place) = Place::of(bytes, name, joined, join, value) else { return false };
    let text = &bytes[value.clone()];
    if secret.kind == Kind::Password && place != Place::Env && is_word_as_password(text) {
        return true;
    }
    // The dash before `-password = …` is the mark of a diff.
    if place == Place::Flag && joined.operator == Operator::Equals && joined.is_spaced {
        return false;
    }
    let makeup = Makeup::of(text);
    let has_digits = makeup.digits > 0;
    let is_snake = text.contains(&b'_') && !text.contains(&b'-') && (makeup.upper == 0 || makeup.lower == 0);
    let is_mixed = makeup.joints == 0 && is_complex(text);
    let is_careful = matches!(secret.kind, Kind::Secret | Kind::Token) && is_careful(text, &makeup);
    if is_careful || makeup.is_jumbled() {
        return !is_of_program(bytes, name);
    }
    let is_place = match (secret.kind, place) {
        (Kind::Password, Place::Flag) => is_snake || ends_flag(bytes, value.end),
        (Kind::Password, Place::Property) => true,
        (Kind::Password, Place::Pair | Place::Colon) => is_snake,
        (Kind::Secret | Kind::Token, Place::Flag) => {
            has_digits && (is_snake || is_mixed || ends_flag(bytes, value.end))
        }
        (Kind::Token, Place::Env) if secret.rule == SECRET => has_digits || is_snake,
        (Kind::Token, Place::Env) => has_digits,
        (Kind::Secret, Place::Property) => true,
        (Kind::Token, Place::Property) => has_digits || secret.rule == SECRET,
        (Kind::Secret, Place::Pair | Place::Colon) => has_digits && (is_snake || is_mixed),
        (Kind::Token, Place::Pair | Place::Colon) => {
            is_mixed || (secret.rule == SECRET && has_digits && is_snake)
        }
        _ => false,
    };
    is_place && are_words(text, &makeup) && !is_of_program(bytes, name)
}

/// `Tr0ub4dor&3`: capitals, small letters, digits and a sign that no program writes between them.
fn is_careful(text: &[u8], makeup: &Makeup) -> bool {
    makeup.is_chosen()
        && makeup.upper > 0
        && makeup.lower > 0
        && text.first().is_some_and(u8::is_ascii_alphanumeric)
        && !text.iter().any(|byte| b"(){}[]<>|\\=,;?\"'`".contains(byte))
        && !is_placeholder(text)
}

/// Whether a value consists of words with or without numbers, none of which is one that speaks about secrets.
pub(super) fn are_words(text: &[u8], makeup: &Makeup) -> bool {
    let min = if makeup.digits > 0 { NUMBERED_MIN_BYTES } else { WORDS_MIN_BYTES };
    let ends_as_remark = |word: &[u8]| {
        word.len() >= ENDING_MIN_BYTES && WORD_ENDINGS.words().any(|ending| word.ends_with(ending))
    };
    let is_word = |word: &[u8]| {
        let bare = trim_digits(word);
        let is_of_names =
            is_in_vocabulary(bare) || TECHNICAL.has(bare) || holds_secret_word(&bare.to_ascii_lowercase());
        bare.is_empty() || (bare.len() >= WORD_MIN_BYTES && !is_of_names && !ends_as_remark(bare))
    };
    makeup.len >= min
        && makeup.letters() >= LETTERS_MIN
        && Class::URL64.has_all(text)
        && text.first().is_some_and(u8::is_ascii_alphabetic)
        && !is_placeholder(text)
        && Words::of(text).all(is_word)
}

/// Whether a word is made of one that a name for a secret has. Short ones stand in other words by chance: `monkey`.
fn holds_secret_word(word: &[u8]) -> bool {
    SECRET_WORDS.has(word)
        || SECRET_WORDS.words().any(|known| known.len() > WORD_MIN_BYTES && contains(word, known))
}

/// Whether nothing but more flags, or another command, follows on the line.
fn ends_flag(bytes: &[u8], end: usize) -> bool {
    let next = skip_blanks(bytes, end, 40);
    ends_line(bytes, end) || (next > end && bytes.get(next).is_some_and(|byte| b"-|&>;".contains(byte)))
}

/// Whether the name is a field of an object, or an argument below others: the line before goes on.
fn is_of_program(bytes: &[u8], name: NameAt) -> bool {
    let text = &bytes[name.start..name.end];
    // The name of a file may stand before it, as `grep` writes it.
    let is_object = |object: &&str| {
        memchr::memmem::rfind(text, object.as_bytes())
            .is_some_and(|at| at == 0 || !Class::WORD.has(text[at - 1]))
    };
    if OBJECTS.iter().any(is_object) {
        return true;
    }
    let before = &bytes[name.start.saturating_sub(LINE_MAX_BYTES)..name.start];
    work::note(before.len());
    let line_end = memchr::memmem::rfind(before, b"\\n").max(memchr::memrchr(b'\n', before));
    // The line may end with a frame.
    let is_edge = |byte: &&u8| byte.is_ascii_whitespace() || **byte == b'|' || !byte.is_ascii();
    let last = line_end.and_then(|end| before[..end].iter().rev().find(|byte| !is_edge(byte)));
    last.is_some_and(|byte| b",({[".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::super::redactor::Redactor;

    #[track_caller]
    fn check(expect: bool, lines: &[&str]) {
        for line in lines {
            assert_eq!(Redactor::new().text(line) != *line, expect, "{line}");
        }
    }

    #[test]
    fn what_could_be_a_name_goes_where_settings_and_flags_are() {
        check(
            true,
            &[
                "db.password=correcthorse_battery",
                "spring.datasource.password=blueLagoonSeven\nserver.port=80",
                "password=correcthorse_battery",
                "password: qXvTbWmZkRpL",
                "mysql --password kQzWxPvJtRmB -u app",
                "token: hGtRwQzXkVbNmP",
                "  password: correcthorse_battery",
                "tool --password correcthorse_battery -v",
                "tool --password blue-lagoon-seven | cat",
                "tool push --token winter_harbor_42",
                "export TOKEN=winter_harbor_42",
                "secret: winter_harbor_42",
                "api_key: S3cr3tSauce",
                "app.secret=hunter2abc",
                "  token: Tr0ub4dor&3",
                "jwt.secret=correct_horse_battery",
            ],
        );
    }

    #[test]
    fn names_of_programs_and_remarks_stay() {
        check(
            false,
            &[
                "password = user_supplied",
                "-password = other_choice",
                "self.password=other_choice",
                "form.py-12-self.password=other_choice",
                "connect(\n    host=host,\n    password=other_choice\n)",
                "const user = {\n  name: name,\n  password: other_choice\n}",
                "password: case-sensitive",
                "password: hashed_password",
                "secret: regcred-prod-2",
                "token: parse_error_42",
                "the --password command-line option",
                "password=your_password_here",
                "password: write_only",
            ],
        );
    }
}
