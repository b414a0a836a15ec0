//! Decides whether what stands under a telling name is a secret, or only talk about one.

use std::ops::RangeInclusive;

use super::chars::{Class, contains};
use super::names::{CREDENTIAL, Kind, PASSPHRASE, SECRET, SecretName};
use super::placeholder::{
    Words, is_absolute_path, is_identifier_path, is_in_vocabulary, is_name_of_secret, is_number_literal,
    is_path_to_secret, is_placeholder, is_plain_data, is_wordy,
};
use super::random::{Makeup, is_complex, is_uuid};
use super::vocabulary::{SECRET_WORDS, SENTENCE_WORDS, TECHNICAL, WORD_ENDINGS};

/// A password that consists of words is at least this long, where nothing else tells it, in bytes.
pub(super) const WORD_PASSWORD_MIN_BYTES: usize = 10;

/// Shorter words between brackets and signs may have been drawn, in bytes.
const PROGRAM_WORD_MIN_BYTES: usize = 5;

/// The longest scheme of an address, in bytes.
const SCHEME_MAX_BYTES: usize = 24;
/// Fewer bytes than this may be a part of a password, and how long each is when it is written out.
const LISTED_BYTES_MIN: usize = 4;
const ESCAPED_BYTE_LEN: usize = b"\\x9b".len();

/// How many words a phrase has, and how long each may be, in bytes.
const PHRASE_WORDS: RangeInclusive<usize> = 4..=10;
const PHRASE_WORD_MAX_BYTES: usize = 9;

/// How a name and its value are joined: the more a place is made for secrets, the less a value has to prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    /// `"name": "value"`
    Json,
    /// `name = "value"` in a program
    Assign,
    /// `NAME=value` in a shell or an `.env` file
    Env,
    /// `?name=value&…`
    Query,
    /// `name: value` or `name = value` up to the end of the line
    Line,
    /// `name=value` among other things
    Pair,
    /// `f(name=value)`, `{name: value}`: most likely another name
    Argument,
    /// `--name value`
    Flag,
    /// `name("value")`, `("name", "value")`, `name || "value"`, `name == "value"`
    Loose,
    /// `<name>value</name>`
    Element,
    /// `the name is value`
    Prose,
}

/// A value under a telling name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    pub(super) name: SecretName,
    pub(super) value: &'a [u8],
    pub(super) join: Join,
    pub(super) is_quoted: bool,
}

impl Candidate<'_> {
    /// Whether the value is a secret.
    pub(super) fn is_secret(&self) -> bool {
        if self.name.kind == Kind::Phrase {
            return is_seed_phrase(self.value);
        }
        if is_placeholder(self.value) || !self.could_be_a_value() || is_name_of_secret(self.value) {
            return false;
        }
        let makeup = Makeup::of(self.value);
        match self.name.kind {
            Kind::Password => {
                !is_absolute_path(self.value) && !is_login_address(self.value) && self.is_password(&makeup)
            }
            Kind::Secret => self.is_certain_secret(&makeup),
            // Keys of tests are written so; those of settings have names that tell more.
            Kind::Token if self.name.rule == SECRET && is_listed_bytes(self.value) => false,
            // `secret = "…"` in settings: what stands in quotes there was chosen, like a password.
            Kind::Token if self.name.rule == SECRET && self.is_quoted && self.join == Join::Assign => {
                self.is_token(&makeup) || self.is_certain_secret(&makeup)
            }
            Kind::Token => self.is_token(&makeup),
            Kind::Key => self.is_key(&makeup),
            Kind::Signature => self.join == Join::Query && makeup.len >= 16 && makeup.digits > 0,
            Kind::Authorization | Kind::Cookie | Kind::Phrase => false,
        }
    }

    /// Sorts out sentences and pieces of programs.
    fn could_be_a_value(&self) -> bool {
        let value = self.value;
        if value.iter().any(|byte| byte.is_ascii_whitespace()) {
            let is_announced = self.name.rule == PASSPHRASE && self.is_quoted && is_words(value);
            let is_spaced = self.is_quoted && (is_spaced_password(value) || is_app_password(value));
            return self.name.kind == Kind::Password && (is_announced || is_spaced || is_pass_phrase(value));
        }
        // `Buffer.from(password, "base64")`
        let is_option = self.join == Join::Loose && is_technical(value);
        if (self.is_quoted && self.join != Join::Prose && !is_option) || self.join == Join::Env {
            return true;
        }
        let is_code = (value.iter().any(|byte| b"(){}[]<>|\\".contains(byte)) || contains(value, b"::"))
            && !is_strewn(value);
        let first = value.first().copied().unwrap_or_default();
        let begins_code =
            b"&*!@|.,;:=?^~#".contains(&first) || (b"+-/".contains(&first) && !Makeup::of(value).is_random());
        !is_code
            && !begins_code
            && !is_technical(value)
            && !is_number_literal(value)
            && !is_path_to_secret(value)
    }

    fn is_password(&self, makeup: &Makeup) -> bool {
        let value = self.value;
        match self.join {
            _ if is_app_password(value) || is_pass_phrase(value) => true,
            Join::Env | Join::Json | Join::Query | Join::Element => makeup.len >= 3 && !is_label(value),
            Join::Assign | Join::Flag if self.is_quoted => {
                makeup.len >= 4 && !is_label(value) && !is_dotted_name(value)
            }
            Join::Argument => {
                makeup.is_random()
                    || (makeup.others > 0 && makeup.len >= 6 && !is_identifier_path(value))
                    || (makeup.joints > 0 && is_complex(value) && !value.contains(&b'_'))
            }
            Join::Line | Join::Pair | Join::Flag | Join::Assign => is_password_like(value, makeup, 5),
            Join::Prose => is_password_like(value, makeup, 6) && !is_plain_data(value),
            Join::Loose => {
                let is_name =
                    makeup.joints > 0 && makeup.others == 0 && !makeup.is_random() && !is_complex(value);
                is_password_like(value, makeup, 6) && !is_plain_data(value) && !is_name
            }
        }
    }

    fn is_certain_secret(&self, makeup: &Makeup) -> bool {
        let value = self.value;
        if is_uuid(value) {
            return self.join != Join::Argument;
        }
        if is_plain_data(value) {
            return false;
        }
        let is_loose = matches!(self.join, Join::Loose | Join::Prose | Join::Argument);
        if makeup.is_scrambled() && !is_loose {
            return true;
        }
        match self.join {
            Join::Json | Join::Env => makeup.len >= 4 && !is_label(value) && !is_dotted_name(value),
            Join::Query | Join::Element => makeup.len >= 6 && !is_wordy(value),
            Join::Assign | Join::Flag if self.is_quoted => {
                makeup.len >= 6 && (!is_wordy(value) || (makeup.len >= 20 && makeup.joints == 0))
            }
            Join::Argument => makeup.is_random() && makeup.len >= 16,
            Join::Line | Join::Pair | Join::Flag if makeup.len >= 28 && makeup.joints == 0 => true,
            Join::Line | Join::Pair | Join::Flag | Join::Assign => {
                makeup.len >= 8 && is_password_like(value, makeup, 8) && !is_short_name(value, makeup)
            }
            Join::Loose | Join::Prose => makeup.len >= 12 && makeup.is_random(),
        }
    }

    fn is_token(&self, makeup: &Makeup) -> bool {
        let value = self.value;
        if is_uuid(value) {
            return !matches!(self.join, Join::Argument | Join::Loose | Join::Prose);
        }
        if self.name.rule == CREDENTIAL && is_user_and_password(value) {
            return true;
        }
        if self.is_chosen_token(makeup) || (self.is_place() && is_strewn(value)) {
            return true;
        }
        if is_plain_data(value) || is_wordy(value) || !is_token_text(value) {
            return false;
        }
        match self.join {
            Join::Json | Join::Env | Join::Query | Join::Assign | Join::Flag | Join::Element => {
                (makeup.len >= 8
                    && makeup.digits >= 2
                    && makeup.letters() >= 2
                    && !is_short_name(value, makeup))
                    || (makeup.len >= 16 && makeup.is_random())
            }
            Join::Line | Join::Pair => makeup.len >= 10 && makeup.is_random(),
            Join::Argument | Join::Loose | Join::Prose => makeup.len >= 16 && makeup.is_random(),
        }
    }

    /// Whether settings and flags are here.
    fn is_place(&self) -> bool {
        matches!(self.join, Join::Json | Join::Env | Join::Flag | Join::Line | Join::Pair)
            || (self.join == Join::Assign && self.is_quoted)
    }

    /// A secret that a person chose, where settings and flags are.
    fn is_chosen_token(&self, makeup: &Makeup) -> bool {
        self.is_place()
            && !matches!(self.join, Join::Line | Join::Pair)
            && makeup.is_chosen()
            && makeup.upper > 0
            && makeup.lower > 0
            && !self.value.iter().any(|byte| b"(){}[]<>|\\=,;\"'`".contains(byte))
    }

    fn is_key(&self, makeup: &Makeup) -> bool {
        let is_hash = Class::HEX.has_all(self.value);
        let place = matches!(
            self.join,
            Join::Json | Join::Env | Join::Query | Join::Assign | Join::Line | Join::Pair
        );
        place
            && is_token_text(self.value)
            && makeup.len >= 20
            && makeup.is_random()
            && !is_hash
            && !is_uuid(self.value)
            && !is_plain_data(self.value)
    }
}

/// `bob:hunter2`
pub(super) fn is_user_and_password(value: &[u8]) -> bool {
    // `NEO4J_AUTH=neo4j/…`
    let sign = if value.starts_with(b"neo4j/") { b'/' } else { b':' };
    let Some(colon) = value.iter().position(|byte| *byte == sign) else { return false };
    let (user, password) = (&value[..colon], &value[colon + 1..]);
    let makeup = Makeup::of(password);
    (is_wordy(user) || sign == b'/')
        && user.len() >= 2
        && is_password_like(password, &makeup, 6)
        && !is_plain_data(password)
}

/// The characters that tokens are made of. Patterns and pieces of programs have others.
fn is_token_text(value: &[u8]) -> bool {
    value
        .iter()
        .all(|byte| Class::BEARER.or(Class::COLON).has(*byte) || matches!(byte, b'|' | b'$' | b'!' | b','))
}

/// Letters mixed with digits or signs, or a long number.
fn is_password_like(value: &[u8], makeup: &Makeup, min_len: usize) -> bool {
    if makeup.len < min_len || is_wordy(value) {
        return false;
    }
    if makeup.letters() == 0 {
        return makeup.digits >= 6 && makeup.joints == 0;
    }
    // Letters of other scripts make a word, not a password.
    makeup.digits > 0 || value.iter().any(|byte| byte.is_ascii_punctuation() && !b"-_./:".contains(byte))
}

/// `correcthorse`: small letters and nothing else, which are no word that speaks about passwords.
pub(super) fn is_word_as_password(value: &[u8]) -> bool {
    value.len() >= WORD_PASSWORD_MIN_BYTES
        && Class::LOWER.has_all(value)
        && !is_placeholder(value)
        && !WORD_ENDINGS.words().any(|ending| value.ends_with(ending))
        && !SECRET_WORDS.any_in(value)
}

/// `gpt-4o`, `us-east-1`, `tok2`, `v1.2`: a name that happens to hold a digit.
fn is_short_name(value: &[u8], makeup: &Makeup) -> bool {
    !makeup.is_random()
        && !is_complex(value)
        && makeup.others == 0
        && (makeup.joints > 0 || makeup.digits <= 2)
        && value.iter().any(u8::is_ascii_alphabetic)
}

/// A single word as it stands on a form: `Passwort`, `Contraseña`, `密码`.
fn is_label(value: &[u8]) -> bool {
    let Some((first, rest)) = value.split_first() else { return true };
    let is_title =
        first.is_ascii_uppercase() && rest.iter().all(|byte| byte.is_ascii_lowercase() || !byte.is_ascii());
    is_title || !value.iter().any(u8::is_ascii_alphanumeric)
}

/// `user.password.label`: a key of a table of translations or of settings.
fn is_dotted_name(value: &[u8]) -> bool {
    value.contains(&b'.') && is_wordy(value) && !value.contains(&b'/')
}

/// `redis://user:…@host`: the rule for addresses knows which part of it is the secret.
fn is_login_address(value: &[u8]) -> bool {
    let scheme_end =
        Class::LOWER_ALNUM.or(Class::DASH).or(Class::PLUS_SLASH).run_end(value, 0, SCHEME_MAX_BYTES);
    scheme_end > 1 && value[scheme_end..].starts_with(b"://") && value.contains(&b'@')
}

/// `\x9b\xe4…`: bytes that are written out, most of them.
fn is_listed_bytes(value: &[u8]) -> bool {
    let count = memchr::memmem::find_iter(value, b"\\x").count();
    count >= LISTED_BYTES_MIN && count * ESCAPED_BYTE_LEN * 2 >= value.len()
}

/// Three small words or more, and nothing else.
fn is_words(value: &[u8]) -> bool {
    let words = value.split(|byte| *byte == b' ');
    words.clone().count() >= 3
        && words.into_iter().all(|word| word.len() >= 2 && word.iter().all(u8::is_ascii_lowercase))
}

/// `correct horse battery staple`: four words or more that make no sentence. Fewer of them, or a sentence as a password, cannot be
/// told from talk about passwords.
pub(super) fn is_pass_phrase(value: &[u8]) -> bool {
    let words = || value.split(|byte| *byte == b' ');
    let is_drawn = |word: &[u8]| {
        (3..=PHRASE_WORD_MAX_BYTES).contains(&word.len())
            && Class::LOWER.has_all(word)
            && !SENTENCE_WORDS.has(word)
            && !is_in_vocabulary(word)
    };
    value.contains(&b' ') && PHRASE_WORDS.contains(&words().count()) && words().all(is_drawn)
}

/// A password with blanks in it; a sentence about passwords has only words.
fn is_spaced_password(value: &[u8]) -> bool {
    let words = || value.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_mixed = |word: &[u8]| {
        word.iter().any(u8::is_ascii_digit) && word.iter().any(|byte| byte.is_ascii_alphabetic())
            || word.iter().any(|byte| b"@#$%^&*+=~".contains(byte))
    };
    value.len() <= 64 && words().count() <= 5 && words().any(is_mixed)
}

/// `abcd efgh ijkl mnop`, `abcd-efgh-ijkl-mnop`: so Google and Apple give out passwords for programs.
fn is_app_password(value: &[u8]) -> bool {
    value.len() == 19
        && value.iter().enumerate().all(|(at, byte)| match at % 5 {
            4 => *byte == value[4] && matches!(byte, b' ' | b'-'),
            _ => byte.is_ascii_lowercase(),
        })
}

/// Twelve to twenty-four plain words, as wallets give them out.
fn is_seed_phrase(value: &[u8]) -> bool {
    let words = || value.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    let count = words().count();
    (12..=25).contains(&count)
        && value.iter().all(|byte| byte.is_ascii_lowercase() || b" \t\n,".contains(byte))
        && words().all(|word| (3..=8).contains(&word.len()))
}

/// `Xk7(mQ9vL2pR`: brackets in a password. The words between the brackets of a program are longer.
pub(super) fn is_strewn(value: &[u8]) -> bool {
    let is_of_program =
        |word: &[u8]| word.split(u8::is_ascii_digit).any(|letters| letters.len() >= PROGRAM_WORD_MIN_BYTES);
    Makeup::of(value).is_strewn() && !contains(value, b"::") && !Words::of(value).any(is_of_program)
}

/// Types and methods that end in digits: `u32`, `utf8`, `sha256`, `base64`.
fn is_technical(value: &[u8]) -> bool {
    let end = value.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    let stem = value[..end].strip_suffix(b"-").unwrap_or(&value[..end]);
    value.len() - end <= 5 && TECHNICAL.has(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: Kind, join: Join, quoted: bool, value: &str, expect: bool) {
        let name = SecretName { kind, rule: "test" };
        let candidate = Candidate { name, value: value.as_bytes(), join, is_quoted: quoted };
        assert_eq!(candidate.is_secret(), expect, "{kind:?} {join:?} {value}");
    }

    #[test]
    fn a_password_may_be_short_and_plain_where_passwords_are_kept() {
        check(Kind::Password, Join::Env, false, "hunter", true);
        check(Kind::Password, Join::Json, true, "hunter", true);
        check(Kind::Password, Join::Json, true, "Passwort", false);
        check(Kind::Password, Join::Json, true, "correct horse", false);
        check(Kind::Password, Join::Json, true, "p4ss w0rd", true);
        check(Kind::Password, Join::Line, false, "hunter2", true);
        check(Kind::Password, Join::Line, false, "hunter", false);
        check(Kind::Password, Join::Line, false, "getPassword()", false);
        check(Kind::Password, Join::Argument, false, "pw2", false);
        check(Kind::Password, Join::Line, false, "u32", false);
    }

    #[test]
    fn a_token_has_to_look_like_one() {
        check(Kind::Token, Join::Assign, true, "identifier", false);
        check(Kind::Token, Join::Assign, true, "access-token", false);
        check(Kind::Token, Join::Assign, true, "us-east-1", false);
        check(Kind::Token, Join::Assign, true, "9f86d081884c7d65", true);
        check(Kind::Token, Join::Json, true, "123e4567-e89b-12d3-a456-426614174000", true);
        check(Kind::Token, Join::Line, false, "self.next_token", false);
    }

    #[test]
    fn a_key_of_something_is_no_secret_unless_it_is_drawn() {
        check(Kind::Key, Join::Json, true, "users/42", false);
        check(Kind::Key, Join::Json, true, "9f86d081884c7d659a2feaa0c55ad015", false);
        check(Kind::Key, Join::Json, true, "aB3dE5fG7hJ9kL1mN2pQ", true);
    }

    #[test]
    fn twelve_words_are_a_seed_phrase() {
        let phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
        check(Kind::Phrase, Join::Json, true, phrase, true);
        check(Kind::Phrase, Join::Json, true, "the words of a wallet", false);
    }
}
