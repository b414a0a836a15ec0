//! Secrets that a server or an installer gives out in its own words: `A temporary password is generated for root@localhost: …`,
//! `Your new API key is …`, `It will not be shown again: …`.
//!
//! The words before say that one was made, so what stands last on the line, or alone below it, is taken whole, with every sign it has.

use std::ops::Range;

use super::chars::{Class, contains, skip_blanks};
use super::placeholder::is_placeholder;
use super::quote::Quote;
use super::random::Makeup;
use super::span::{Rank, Span};
use super::work;
use super::wrap::BORDERS;

/// What says that a password was made, or given to somebody: anchors.
pub(super) const PASSWORDS: &[&str] = &[
    "temporary password",
    "generated password",
    "random password",
    "initial password",
    "new password",
    "default password",
    "one-time password",
    "following password",
    "admin password",
    "root password",
    "superuser password",
    "password is generated",
    "password was generated",
    "password has been generated",
    "password generated",
    "password set to",
    "password reset to",
    "password changed to",
    "password has been set to",
    "password has been reset to",
    "password has been changed to",
    "password for the ",
    "password for user",
    "password for the [elastic] user successfully reset.\nnew value",
    "with password",
    "and password",
    "your password",
    "key content",
];
/// The same of keys and tokens.
pub(super) const KEYS: &[&str] = &[
    "your api key",
    "new api key",
    "api key created",
    "api key generated",
    "your api token",
    "new api token",
    "your access token",
    "new access token",
    "access token created",
    "access token generated",
    "your personal access token",
    "new personal access token",
    "your secret key",
    "new secret key",
    "your client secret",
    "new client secret",
    "your recovery key",
    "bootstrap token",
    "your token is",
    "unseal key ",
    "will not be shown again",
    "will not be displayed again",
    "only be shown once",
    "able to see it again",
    MASTER_KEY,
];
/// The file of a key of Rails. A transcript shows what it holds below its name.
const MASTER_KEY: &str = "master.key";
/// What links the words to the secret.
const LINKS: &[&str] = &[":", "=", " is", " is now", "->", "→", "=>"];
/// How far behind the words it may stand, in bytes, and how long it is.
const LINE_MAX_BYTES: usize = 200;
const SECRET_MAX_BYTES: usize = 160;
const PASSWORD_MIN_BYTES: usize = 6;
const KEY_MIN_BYTES: usize = 12;
/// How many lines may stand empty before it.
const EMPTY_LINES_MAX: usize = 2;

/// The secret behind the words at `hit`.
pub(super) fn find(bytes: &[u8], hit: &Range<usize>) -> Option<Span> {
    let end = line_end(bytes, hit.end)?;
    let line = hit.end..hit.end + unframed(&bytes[hit.end..end]).len();
    let (before, word) = last_word(bytes, line.clone());
    let is_linked = |text: &[u8]| LINKS.iter().any(|link| text.ends_with(link.as_bytes()));
    let value = if ends_open(bytes, hit, line.clone()) {
        alone_below(bytes, end)?
    } else {
        // `with password …` needs no link; `password for user bob` is about bob.
        let is_next = bytes[before.clone()].is_empty() && !bytes[hit.start..hit.end].ends_with(b"user");
        (is_next || is_linked(&bytes[before])).then_some(word)?
    };
    let value = bared(bytes, value);
    let is_password = bytes[hit.clone()].to_ascii_lowercase();
    let (is_password, rule) = match !KEYS.iter().any(|key| key.as_bytes() == is_password) {
        true => (true, "password"),
        false => (false, "secret"),
    };
    is_secret(&bytes[value.clone()], is_password).then_some(Span {
        start: value.start,
        end: value.end,
        rule,
        rank: Rank::Placed,
    })
}

/// Whether the secret may stand on one of the next lines, whatever stands before them.
pub(super) fn goes_on_below(bytes: &[u8], hit: &Range<usize>) -> bool {
    line_end(bytes, hit.end).is_some_and(|end| ends_open(bytes, hit, hit.end..end))
}

/// Whether a line ends with a colon, or with the name of the file whose content follows.
fn ends_open(bytes: &[u8], hit: &Range<usize>, line: Range<usize>) -> bool {
    let rest = unframed(&bytes[line]);
    rest.ends_with(b":")
        || (rest.is_empty() && bytes[hit.clone()].eq_ignore_ascii_case(MASTER_KEY.as_bytes()))
}

/// A line without the border of a box at its end.
fn unframed(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_end();
    let inner = BORDERS.iter().find_map(|border| line.strip_suffix(border.as_bytes()));
    inner.map_or(line, <[u8]>::trim_ascii_end)
}

/// Where the line ends; `None` if it is too long to be a sentence.
fn line_end(bytes: &[u8], from: usize) -> Option<usize> {
    let limit = bytes.len().min(from + LINE_MAX_BYTES);
    work::note(limit - from);
    let end = match memchr::memchr2(b'\n', b'\r', &bytes[from..limit]) {
        Some(at) => from + at,
        None => (limit == bytes.len()).then_some(limit)?,
    };
    // The quote behind a word closes the text around the sentence.
    let closing = (from + 1..end).find(|&at| {
        Quote::at(bytes, at).is_some() && Class::ALNUM.has(bytes[at - 1]) && !Class::ALNUM.has(bytes[end - 1])
    });
    Some(closing.filter(|&at| !bytes[from..at].contains(&bytes[at])).unwrap_or(end))
}

/// The last word of a line, and what stands in front of it.
fn last_word(bytes: &[u8], line: Range<usize>) -> (Range<usize>, Range<usize>) {
    let text = &bytes[line.clone()];
    let end = text.trim_ascii_end().len();
    let start = text[..end].iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    let before = text[..start].trim_ascii_end().len();
    (line.start..line.start + before, line.start + start..line.start + end)
}

/// The only word of the next line that has any.
fn alone_below(bytes: &[u8], mut at: usize) -> Option<Range<usize>> {
    for _ in 0..=EMPTY_LINES_MAX {
        at += usize::from(bytes.get(at) == Some(&b'\r'));
        at += usize::from(bytes.get(at) == Some(&b'\n'));
        let start = skip_blanks(bytes, at, 16);
        let end = line_end(bytes, start)?;
        if start < end {
            let (before, word) = last_word(bytes, start..end);
            return before.is_empty().then_some(word);
        }
        at = end;
    }
    None
}

/// A word without the quotes around it and the full stop behind it.
fn bared(bytes: &[u8], mut word: Range<usize>) -> Range<usize> {
    if bytes[word.clone()].ends_with(b".") {
        word.end -= 1;
    }
    let text = &bytes[word.clone()];
    match text {
        [open @ (b'"' | b'\'' | b'`'), .., close] if open == close => word.start + 1..word.end - 1,
        _ => word,
    }
}

fn is_secret(word: &[u8], is_password: bool) -> bool {
    let makeup = Makeup::of(word);
    let is_path = word.starts_with(b"/") || word.starts_with(b"~") || contains(word, b"://");
    // Brackets are of code, and of what stands for something else.
    let is_code = word.iter().any(|byte| b"(){}<>[]".contains(byte));
    if word.len() > SECRET_MAX_BYTES || is_path || is_code || makeup.letters() < 2 || is_placeholder(word) {
        return false;
    }
    let is_mixed = makeup.digits > 0 || (makeup.others > 0 && makeup.upper > 0 && makeup.lower > 0);
    match is_password {
        true => word.len() >= PASSWORD_MIN_BYTES && (is_mixed || makeup.is_random() || makeup.is_jumbled()),
        false => {
            let is_number = word.len() >= KEY_MIN_BYTES && Class::HEX.has_all(word) && makeup.digits > 1;
            let is_drawn = makeup.is_random() || makeup.is_scrambled() || makeup.is_surely_secret();
            word.len() >= KEY_MIN_BYTES && (is_number || is_drawn)
        }
    }
}
