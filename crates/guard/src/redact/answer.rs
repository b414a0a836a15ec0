//! What a tool answers that was asked for a secret: the file of a key, or a command that prints one. There the call says
//! what the words are, which by themselves could be anything.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde_json::Value;

use super::armour::is_drawn;
use super::chars::{Class, contains};
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
/// Commands that print a secret, or make one.
const PRINTERS: &[&str] = &[
    "wg genkey",
    "wg genpsk",
    "openssl rand",
    "gh auth token",
    "auth print-access-token",
    "auth print-identity-token",
    "op read ",
    "pass show ",
    "find-generic-password",
    "vault kv get",
    "vault read",
    "get-secret-value",
    "get-login-password",
    "keyvault secret show",
    "secrets versions access",
    "bw get ",
    "pwgen",
    "export-secret",
    "get secret",
    "solana/id.json",
];
/// Every call is searched for all of them, so what a search prepares is prepared once.
static FINDERS: LazyLock<Vec<Finder<'static>>> = LazyLock::new(|| PRINTERS.iter().map(Finder::new).collect());
/// A word of a key's file is at least this long, and a printed secret, in characters.
const KEY_MIN_CHARS: usize = 40;
const PRINTED_MIN_CHARS: usize = 20;
/// A printed number of hexadecimal digits is a secret from this length on.
const HEX_MIN_CHARS: usize = 32;

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The file of a private key.
    KeyFile,
    /// What a command prints that is there to print secrets.
    Printed,
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
        let prints = |text: &str| FINDERS.iter().any(|finder| finder.find(text.as_bytes()).is_some());
        if texts().any(prints) {
            return Some(Asked::Printed);
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
        let spans = drawn_words(clean.as_bytes(), asked);
        if spans.is_empty() { clean } else { Cow::Owned(replaced(&clean, spans)) }
    }
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => texts.extend(items.iter().filter_map(Value::as_str)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {}
    }
}

/// Whether a path or a command names a file that holds a private key.
fn names_key_file(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace() || "'\"`=;|()<>,&".contains(c));
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
        Asked::Printed => {
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
        assert_eq!(asked(json!({"command": "wg genkey | tee private"})), Some(Asked::Printed));
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
