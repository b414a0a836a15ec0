//! Values that stand where a secret would stand, and are none: references, templates, type names, labels.

use super::chars::{Class, contains, has_at};
use super::random::{Makeup, is_uuid};
use super::vocabulary::{REFERENCES, SECRET_WORDS, VOCABULARY};

/// From which length on letters alone can be told from words, and how long the pieces are between capitals on average, in bytes.
const PATCHWORK_MIN_BYTES: usize = 12;
const PATCH_MAX_BYTES: usize = 4;

/// Whether a value is a reference, a template, a gap or a label, whatever name it stands under.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let seen = Seen::of(value);
    value.is_empty()
        || (seen.has(b'[') && contains(value, b"[REDACTED"))
        || is_one_character(value)
        || is_masked(value, seen)
        || is_template(value, seen)
        || is_reference(value)
        || is_vocabulary(value)
        || (seen.has(b'|') && is_list_of_rules(value))
}

/// Which characters a value holds. Asked first, since it is asked of nearly every value and nearly always says no.
#[derive(Debug, Clone, Copy)]
struct Seen {
    ascii: u128,
    others: bool,
}

impl Seen {
    fn of(value: &[u8]) -> Self {
        let mut seen = Self { ascii: 0, others: false };
        for byte in value {
            seen.ascii |= u128::from(byte.is_ascii()) << (byte & 127);
            seen.others |= !byte.is_ascii();
        }
        seen
    }

    fn has(self, byte: u8) -> bool {
        self.ascii >> (byte & 127) & 1 == 1
    }
}

/// `xxxx`, `****`, `....`: one character, again and again.
fn is_one_character(value: &[u8]) -> bool {
    value.len() >= 2 && value.iter().all(|byte| *byte == value[0])
}

/// `sk-****1234`, `abc…`, `xxxx-xxxx`, `••••`: somebody has hidden the secret already.
fn is_masked(value: &[u8], seen: Seen) -> bool {
    let marks = value.iter().filter(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.')).count();
    let joints = value.iter().filter(|byte| matches!(byte, b'-' | b'_' | b' ')).count();
    (seen.has(b'*') && contains(value, b"***"))
        || (seen.others && (contains(value, "…".as_bytes()) || contains(value, "••".as_bytes())))
        || (seen.has(b'x') && contains(value, b"xxxxxx"))
        || (seen.has(b'X') && contains(value, b"XXXXXX"))
        || value.ends_with(b"...")
        || marks + joints == value.len()
}

/// `${VAR}`, `$VAR`, `{{ x }}`, `{x}`, `<x>`, `%s`, `%VAR%`, `[x]`, `__X__`, `@X@`, `$(cmd)`.
fn is_template(value: &[u8], seen: Seen) -> bool {
    let wrapped = |open: &[u8], close: &[u8]| {
        value.len() > open.len() + close.len() && value.starts_with(open) && value.ends_with(close)
    };
    let holds = [&b"${"[..], b"{{", b"#{", b"$(", b"<%", b"%(", b"%{", b"$env:", b"$ENV", b"{}"];
    holds.iter().any(|mark| seen.has(mark[0]) && contains(value, mark))
        || holds_format(value)
        || wrapped(b"<", b">")
        || wrapped(b"{", b"}")
        || wrapped(b"[", b"]")
        || wrapped(b"__", b"__")
        || wrapped(b"(", b")")
        || wrapped(b"%", b"%")
        || wrapped(b"@", b"@")
        || is_shell_variable(value)
        || is_format(value)
        || names_one(value, b'{', b'}')
        || names_one(value, b'<', b'>')
}

/// `%s:%s`, `user-%d`. A percent sign in the middle of a password is none.
fn holds_format(value: &[u8]) -> bool {
    memchr::memchr_iter(b'%', value).any(|at| {
        matches!(value.get(at + 1), Some(b's' | b'd'))
            && !value.get(at + 2).is_some_and(u8::is_ascii_alphanumeric)
    })
}

/// A word between these two somewhere in the value: `user-{id}`, `Bearer <token>`.
fn names_one(value: &[u8], open: u8, close: u8) -> bool {
    let Some(start) = value.iter().position(|byte| *byte == open) else { return false };
    let inner = Class::WORD.or(Class::DASH).or(Class::DOT).run_end(value, start + 1, 64);
    value.get(inner) == Some(&close)
}

/// `$VAR`, but not `$2b$12$…`, which is a password hash.
fn is_shell_variable(value: &[u8]) -> bool {
    let [b'$', rest @ ..] = value else { return false };
    rest.first().is_none_or(|byte| *byte == b'_' || byte.is_ascii_alphabetic()) && Class::WORD.has_all(rest)
}

/// `%s`, `%-10d`, `%v`.
fn is_format(value: &[u8]) -> bool {
    value.len() <= 6
        && value.first() == Some(&b'%')
        && value.last().is_some_and(u8::is_ascii_alphabetic)
        && value[1..].iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-#.".contains(byte))
}

/// A file, an address, an entry of a secret store, the name of a variable.
fn is_reference(value: &[u8]) -> bool {
    REFERENCES.words().any(|start| has_at(value, 0, start))
        || is_variable_name(value.strip_suffix(b"=").unwrap_or(value))
}

/// `DB_PASSWORD`: the name of an environment variable.
fn is_variable_name(value: &[u8]) -> bool {
    Class::UPPER_ALNUM.or(Class::UNDERSCORE).has_all(value)
        && value.contains(&b'_')
        && value.split(|byte| *byte == b'_').all(|word| {
            word.is_empty()
                || word.len() <= 3
                || word.iter().filter(|byte| byte.is_ascii_digit()).count() <= 1
        })
}

/// Nothing but words that one uses to speak *about* secrets: `your-api-key`, `Enter password`.
fn is_vocabulary(value: &[u8]) -> bool {
    if value.len() > 80 {
        return false;
    }
    let mut words = 0;
    for word in Words::of(value) {
        words += 1;
        let bare = trim_digits(word);
        if !bare.is_empty() && !is_in_vocabulary(bare) {
            return false;
        }
        // `password1` is a label, `password1234` is what people really choose.
        if word.len() - bare.len() > 2 {
            return false;
        }
    }
    words > 0 && !value.iter().any(|byte| b"!@#$%^&*+=~".contains(byte))
}

/// `required|string|min:8`: what a form asks of a value.
fn is_list_of_rules(value: &[u8]) -> bool {
    let rules = || {
        value
            .split(|byte| *byte == b'|')
            .map(|rule| rule.split(|byte| *byte == b':').next().unwrap_or_default())
    };
    rules().all(|rule| !rule.is_empty() && Class::LOWER.or(Class::UNDERSCORE).has_all(rule))
        && rules().any(is_in_vocabulary)
}

/// Whether a word is one that one uses to speak about secrets.
pub(super) fn is_in_vocabulary(word: &[u8]) -> bool {
    VOCABULARY.iter().any(|list| list.has(word))
}

/// A word without the number behind it.
pub(super) fn trim_digits(word: &[u8]) -> &[u8] {
    let end = word.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    &word[..end]
}

/// Whether a value is a version, a date, a number or a path: made of digits, but not to hide anything.
pub(super) fn is_plain_data(value: &[u8]) -> bool {
    let makeup = Makeup::of(value);
    let is_number = makeup.letters() == 0 && makeup.others <= 1 && (makeup.joints > 0 || makeup.digits < 6);
    let is_time = makeup.letters() <= 2 && makeup.digits >= 6 && makeup.joints >= 2;
    is_number || is_time || is_number_literal(value) || (is_path(value) && !makeup.is_random())
}

/// `0x8004_u32`: a number in a program. A longer one is a key.
pub(super) fn is_number_literal(value: &[u8]) -> bool {
    let digits = Class::HEX.or(Class::UNDERSCORE).run_end(value, 2, 24);
    let suffix = value.get(digits..).unwrap_or_default();
    has_at(value, 0, b"0x")
        && digits < 24
        && (suffix.is_empty()
            || matches!(suffix.len(), 1..=5) && b"uil".contains(&suffix[0].to_ascii_lowercase()))
}

/// Words joined by slashes, or a file name with a short ending.
fn is_path(value: &[u8]) -> bool {
    let slashes = value.iter().filter(|byte| **byte == b'/').count();
    let ending = value.iter().rposition(|byte| *byte == b'.').map(|dot| &value[dot + 1..]);
    let has_ending = ending.is_some_and(|end| (2..=5).contains(&end.len()) && Class::LOWER.has_all(end));
    slashes >= 2 || (slashes >= 1 && has_ending) || (has_ending && Class::URL64.has_all(trim_ending(value)))
}

fn trim_ending(value: &[u8]) -> &[u8] {
    let dot = value.iter().rposition(|byte| *byte == b'.').unwrap_or(value.len());
    &value[..dot]
}

/// `challengePassword`, `db-token-name`: a name for a secret, not the secret.
pub(super) fn is_name_of_secret(value: &[u8]) -> bool {
    let is_telling = |word: &[u8]| SECRET_WORDS.has(word);
    is_wordy(value) && Words::of(value).count() >= 2 && Words::of(value).any(is_telling)
}

/// `aws_db_instance.db1.password`: a path to the secret of something.
pub(super) fn is_path_to_secret(value: &[u8]) -> bool {
    let last = value.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    last.len() < value.len() && is_identifier_path(value) && is_in_vocabulary(last)
}

/// Whether a value is an absolute path: `PWD` is a directory.
pub(super) fn is_absolute_path(value: &[u8]) -> bool {
    let steps = || value.split(|byte| *byte == b'/').skip(1);
    value.starts_with(b"/")
        && steps().count() >= 2
        && steps().all(|step| step.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'.'))
        && !Makeup::of(value).is_random()
}

/// Whether a value consists of words only: letters, in one case or in camel case, joined or not.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    let makeup = Makeup::of(value);
    makeup.digits == 0 && makeup.others == 0 && !makeup.is_random()
}

/// Whether these are letters alone, capitals and small ones, that make no words: `FevPUaKRIrOaLu`. Where only a secret can stand;
/// names in programs with many short words look so as well.
pub(super) fn is_patchwork(value: &[u8]) -> bool {
    let makeup = Makeup::of(value);
    makeup.letters() == value.len()
        && value.len() >= PATCHWORK_MIN_BYTES
        && makeup.upper >= 2
        && makeup.lower >= 2
        && Words::of(value).count() * PATCH_MAX_BYTES >= value.len()
}

/// Whether a bare value is a name in a program: `user.password`, `Self::TOKEN`, `tok2`.
pub(super) fn is_identifier_path(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or_default();
    if !(first.is_ascii_alphabetic() || first == b'_') || is_uuid(value) {
        return false;
    }
    let joined = Class::WORD.or(Class::DOT).or(Class::COLON);
    value.iter().all(|byte| joined.has(*byte) || matches!(byte, b'?' | b'!' | b'>' | b'-'))
        && !Makeup::of(value).is_random()
}

/// The words of a name or a label: split at everything that is no letter or digit, and in camel case.
#[derive(Debug, Clone)]
pub(super) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a [u8]) -> Self {
        Self { rest: text }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|byte| Class::ALNUM.has(*byte) || !byte.is_ascii())?;
        let text = &self.rest[start..];
        let end = (1..text.len()).find(|&at| ends_word(text, at)).unwrap_or(text.len());
        self.rest = &text[end..];
        Some(&text[..end])
    }
}

/// Whether a word ends before `at`: at a joint, at `aB`, and before the last capital of `ABc`.
fn ends_word(text: &[u8], at: usize) -> bool {
    let (left, here) = (text[at - 1], text[at]);
    if here.is_ascii() && !Class::ALNUM.has(here) {
        return true;
    }
    let next_is_lower = text.get(at + 1).is_some_and(u8::is_ascii_lowercase);
    here.is_ascii_uppercase()
        && (left.is_ascii_lowercase()
            || left.is_ascii_digit()
            || (left.is_ascii_uppercase() && next_is_lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_references_and_labels_are_placeholders() {
        for text in [
            "",
            "xxxx",
            "****",
            "<your-key>",
            "${VAR}",
            "$VAR",
            "$(pass show x)",
            "{{ token }}",
            "{token}",
            "changeme",
            "null",
            "string",
            "your-api-key-here",
            "YOUR_API_KEY",
            "DB_PASSWORD",
            "Enter your password",
            "%s",
            "%VAR%",
            "process.env.API_KEY",
            "secrets.TOKEN",
            "[REDACTED:jwt]",
            "abc[REDACTED:jwt]",
            "sk-****1234",
            "https://x.test/a",
            "/etc/ssl/key.pem",
            "password",
            "Password1",
            "sk-...",
            "op://vault/item",
            "Bearer <token>",
            "sha512-abc",
        ] {
            assert!(is_placeholder(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_people_choose_is_no_placeholder() {
        for text in [
            "hunter2",
            "password1234",
            "s3cr3t",
            "correct horse",
            "$2b$12$abcdef",
            "P@ssw0rd!",
            "letmein",
            "AKIAIOSFODNN7EXAMPLE",
        ] {
            assert!(!is_placeholder(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn names_are_split_into_words() {
        for (text, expect) in [
            ("APIKey", "API Key"),
            ("aws_secret-access.key", "aws secret access key"),
            ("clientSecretV2", "client Secret V2"),
            ("OAuth2Token", "O Auth2 Token"),
            ("PGPASSWORD", "PGPASSWORD"),
        ] {
            let words: Vec<_> = Words::of(text.as_bytes()).map(String::from_utf8_lossy).collect();
            assert_eq!(words.join(" "), expect);
        }
    }

    #[test]
    fn names_in_programs_are_told_from_values() {
        for text in ["user.password", "Self::TOKEN", "tok2", "self.next_token", "args.api_key?"] {
            assert!(is_identifier_path(text.as_bytes()), "{text}");
        }
        for text in ["p@ss", "9f86d081884c7d659a2feaa0c55ad015", "aB3dE5fG7hJ9kL1m"] {
            assert!(!is_identifier_path(text.as_bytes()), "{text}");
        }
    }
}
