//! What a tool answers that was asked for a secret: the file of a key, or a command that prints one. There the call says
//! what the words are, which by themselves could be anything.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use serde_json::Value;

use super::armour::is_drawn;
use super::chars::{Class, contains};
use super::command::is_surely_secret;
use super::placeholder::{is_placeholder, is_plain_data};
use super::prints::{self, Prints, is_secret_file};
use super::random::Makeup;
use super::redactor::Redactor;
use super::span::{Rank, Span, replaced};

/// Fields of a call that say what is read or run.
const FIELDS: &[&str] =
    &["file_path", "path", "file", "filename", "absolute_path", "command", "cmd", "script", "commandLine"];
/// How much of such a field is looked at, in bytes.
const FIELD_MAX_BYTES: usize = 4 * 1024;
/// Endings and beginnings of the names of files that hold a private key.
const ENDINGS: &[&str] = &[".key", ".pem", ".p8", ".pk8", ".ppk", ".priv", "_key"];
const BEGINNINGS: &[&str] = &["id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "identity"];
/// Parts of the names of files that hold what everybody may see.
const PUBLIC: &[&str] = &["cert", "chain", ".pub", "public", "csr", "dhparam", "ca.pem", "ca-", "bundle"];
/// A word of a key's file is at least this long, and a printed secret, in characters.
const KEY_MIN_CHARS: usize = 40;
const PRINTED_MIN_CHARS: usize = 20;
/// What is surely the secret that was asked for is at least this long.
const TOLD_MIN_CHARS: usize = 4;
/// A printed number of hexadecimal digits is a secret from this length on.
const HEX_MIN_CHARS: usize = 32;

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The file of a private key.
    KeyFile,
    /// What a command prints that may hold a secret.
    Printed,
    /// What a command prints that prints a secret, and something else.
    Among,
    /// A secret and nothing else.
    Only,
}

impl Redactor {
    /// Whether a call of a tool asks for a secret.
    pub fn asked_by(&self, input: &Value) -> Option<Asked> {
        let mut texts = Vec::new();
        for (field, value) in input.as_object().into_iter().flatten() {
            if FIELDS.contains(&field.as_str()) {
                collect(value, &mut texts);
            }
        }
        let texts =
            || texts.iter().map(|text| text.get(..text.floor_char_boundary(FIELD_MAX_BYTES)).unwrap_or(text));
        let is_file = |text: &&str| !text.contains(char::is_whitespace) && is_secret_file(text);
        let prints = texts().filter_map(prints::of).max();
        match prints.max(texts().find(is_file).map(|_| Prints::Only)) {
            Some(Prints::Only) => return Some(Asked::Only),
            Some(Prints::Among) => return Some(Asked::Among),
            Some(Prints::Some) => return Some(Asked::Printed),
            None => {}
        }
        texts().any(names_key_file).then_some(Asked::KeyFile)
    }

    /// As [`Redactor::text`], for the answer to a call that asked for a secret.
    pub fn answer<'a>(&self, text: &'a str, asked: Asked) -> Cow<'a, str> {
        let is_public = |kind: &str| contains(text.as_bytes(), kind.as_bytes());
        if is_public("BEGIN CERTIFICATE") || is_public("PUBLIC KEY") {
            return self.text(text);
        }
        let clean = self.text(text);
        let mut spans = drawn_words(clean.as_bytes(), asked);
        if matches!(asked, Asked::Only | Asked::Among) {
            spans.extend(told_words(clean.as_bytes(), asked));
        }
        if spans.is_empty() { clean } else { Cow::Owned(replaced(&clean, spans)) }
    }
}

/// Words that are the secret that was asked for: the only one of a line, where nothing else is printed, and what looks like one beside others.
fn told_words(bytes: &[u8], asked: Asked) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut line_start = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let mut words = words_of(line);
        if let [only] = &words[..]
            && asked == Asked::Only
        {
            let word = &line[only.clone()];
            let is_told = word.len() >= TOLD_MIN_CHARS && !is_placeholder(word) && !is_plain_data(word);
            words.retain(|_| is_told);
        } else {
            words.retain(|word| is_surely_secret(&line[word.clone()]));
        }
        spans.extend(words.into_iter().map(|word| span(line_start + word.start..line_start + word.end)));
        line_start += line.len();
    }
    spans
}

/// Where the words of a line stand, without quotes.
fn words_of(line: &[u8]) -> Vec<Range<usize>> {
    let is_gap = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`');
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(start) = line[at..].iter().position(|byte| !is_gap(byte)).map(|gap| at + gap) {
        let end = line[start..].iter().position(is_gap).map_or(line.len(), |len| start + len);
        words.push(start..end);
        at = end;
    }
    words
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => texts.extend(items.iter().filter_map(Value::as_str)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
    }
}

/// Whether a text holds what the name of a key's file ends or begins with. Hardly any does, and one search for all of them says so.
fn may_name_key_file(text: &str) -> bool {
    static NAMES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let names = ENDINGS.iter().chain(BEGINNINGS);
        AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(names).ok()
    });
    NAMES.as_ref().is_none_or(|names| names.is_match(text))
}

/// Whether a path or a command names a file that holds a private key.
fn names_key_file(text: &str) -> bool {
    if !may_name_key_file(text) {
        return false;
    }
    let is_border =
        |c: char| matches!(c, '\'' | '"' | '`' | '=' | ';' | '|' | '(' | ')' | '<' | '>' | ',' | '&');
    let words = text.split(|c: char| c.is_whitespace() || is_border(c));
    words.filter_map(|word| word.rsplit(['/', '\\', ':']).next()).any(|name| {
        let is = |part: Option<&[u8]>, expected: &str| {
            part.is_some_and(|part| part.eq_ignore_ascii_case(expected.as_bytes()))
        };
        let bytes = name.as_bytes();
        let ends = |end: &str| is(bytes.len().checked_sub(end.len()).map(|at| &bytes[at..]), end);
        let is_key = bytes.len() > 4
            && (ENDINGS.iter().any(|end| ends(end))
                || BEGINNINGS.iter().any(|start| is(bytes.get(..start.len()), start)));
        is_key && {
            let name = name.to_ascii_lowercase();
            !PUBLIC.iter().any(|part| name.contains(part))
        }
    })
}

fn drawn_words(bytes: &[u8], asked: Asked) -> Vec<Span> {
    let class = Class::ANY64.or(Class::EQUALS);
    let mut spans = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let end = class.run_end(bytes, at, usize::MAX);
        if end > at && is_secret(&bytes[at..end], asked) {
            spans.push(span(at..end));
        }
        at = end.max(at + 1);
    }
    spans
}

fn is_secret(word: &[u8], asked: Asked) -> bool {
    match asked {
        Asked::KeyFile => word.len() >= KEY_MIN_CHARS && is_drawn(word),
        Asked::Printed | Asked::Among | Asked::Only => {
            let is_number = word.len() >= HEX_MIN_CHARS && Class::HEX.has_all(word);
            word.len() >= PRINTED_MIN_CHARS && (is_number || Makeup::of(word).is_random())
        }
    }
}

fn span(range: Range<usize>) -> Span {
    Span { start: range.start, end: range.end, rule: "secret", rank: Rank::Placed }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_says_whether_it_asks_for_a_secret() {
        let asked = |input: Value| Redactor::new().asked_by(&input);
        for input in [
            json!({"file_path": "/etc/ssl/private/server.key", "offset": 5, "limit": 3}),
            json!({"command": "sed -n 5,6p ~/.ssh/id_rsa"}),
            json!({"command": ["bash", "-lc", "grep -n x keys/app.pem"]}),
        ] {
            assert_eq!(asked(input), Some(Asked::KeyFile));
        }
        assert_eq!(asked(json!({"command": "wg genkey | tee private"})), Some(Asked::Only));
        assert_eq!(asked(json!({"file_path": "/run/secrets/db"})), Some(Asked::Only));
        assert_eq!(asked(json!({"command": "vault kv get secret/db"})), Some(Asked::Printed));
        for input in [
            json!({"file_path": "/src/keys.rs"}),
            json!({"file_path": "/etc/ssl/certs/cert.pem"}),
            json!({"command": "cat ~/.ssh/id_rsa.pub"}),
            json!({"content": "server.key", "file_path": "notes.md"}),
        ] {
            assert_eq!(asked(input), None);
        }
    }

    #[test]
    fn what_a_command_prints_whose_name_tells_goes_whatever_it_is() {
        let redactor = Redactor::new();
        let secrets = ["sunshine", "hunter2", "wLaq3;f=Ke#p", "aHVudGVyMg==", "123456"];
        for secret in secrets {
            for text in [format!("{secret}\n"), format!("\"{secret}\"\n"), format!("     1→{secret}\n")] {
                let clean = redactor.answer(&text, Asked::Only);
                assert!(!clean.contains(secret), "{clean}");
            }
        }
        let text = "README.md src\npw: hunter2\nTr0ub4dor&3\n";
        let clean = redactor.answer(text, Asked::Among);
        assert!(
            clean.contains("README.md src") && !clean.contains("hunter2") && !clean.contains("dor&3"),
            "{clean}"
        );
        for text in ["Error: Output \"db_password\" not found\n", "null\n", "", "(no output)\n"] {
            assert_eq!(redactor.answer(text, Asked::Only), text);
        }
    }

    #[test]
    fn one_line_of_a_key_goes_if_the_call_named_its_file() {
        let line = "q3J9xY1sT5uW8zA4bC6dE7fGhI0kLmN2oPqR9sTuVw3xYz5AbCd7EfGh1IjKl+/4";
        let redactor = Redactor::new();
        let text = format!("     5→{line}\n");
        assert_eq!(redactor.text(&text), text);
        assert_eq!(redactor.answer(&text, Asked::KeyFile), "     5→[REDACTED:secret]\n");
        let listing = "-rw------- 1 bob bob 1704 Jan  1 10:00 /etc/ssl/private/server.key\n";
        assert_eq!(redactor.answer(listing, Asked::KeyFile), listing);
    }
}
