//! What a program takes when a setting has no value: `process.env.NAME || "…"`, `os.environ.get("NAME", "…")`,
//! `ENV.fetch("NAME") { "…" }`. `${NAME:-…}` of shells is read by `extent`.

use std::ops::Range;

use super::chars::{Class, contains, has_at, skip_blanks};
use super::extent::{ends_line, quoted_value};
use super::name_at::NameAt;
use super::operator::skip_literal_prefix;
use super::quote::Quote;
use super::vocabulary::{SETTING_READER_PARTS, SETTING_READERS};
use super::work;

/// The longest name of a function that reads a setting, with what it belongs to, in bytes.
const READER_MAX_BYTES: usize = 48;
/// How many blanks may stand between two signs.
const BLANKS_MAX: usize = 40;
/// What a value has in its name if it is a variable of the environment: `process.env.NAME`.
const ENVIRONMENT: &[u8] = b"env.";
/// Signs between a value that may be missing and what is taken then.
const SIGNS: &[&str] = &[
    "||",
    "??",
    "?:",
    "or ",
    "{ ",
    ".unwrap_or_else(|_| ",
    ".unwrap_or_else(|_|",
    ".unwrap_or(",
    ".orElse(",
    ".getOrElse(",
];

/// The same between any two values.
const ALTERNATIVES: &[&str] = &["|| ", "?? ", " or ", " else ", " : "];
/// How far a line is read, in bytes.
const LINE_MAX_BYTES: usize = 160;

/// The text in quotes that stands for a missing value of the setting `name`.
pub(super) fn find(bytes: &[u8], name: NameAt) -> Option<Range<usize>> {
    let at = match Quote::before(bytes, name.outer_start) {
        None => contains(&bytes[name.start..name.end], ENVIRONMENT).then_some(name.end)?,
        Some(quote) => {
            let open = name.outer_start.checked_sub(quote.open_len() + 1)?;
            let behind = name.end + quote.closes_at(bytes, name.end)?;
            match (bytes[open], bytes.get(behind)?) {
                (b'(', b',') if is_reader(bytes, open) => return argument(bytes, behind + 1),
                (b'(', b')') | (b'[', b']') if is_reader(bytes, open) => behind + 1,
                _ => return None,
            }
        }
    };
    let sign_at = skip_blanks(bytes, at, BLANKS_MAX);
    let sign = SIGNS.iter().find(|sign| has_at(bytes, sign_at, sign.as_bytes()))?;
    text(bytes, sign_at + sign.len())
}

/// `x || "…"`, `c ? x : "…"`, `x if c else "…"`: the text in quotes that a value without quotes, which begins at `at`, ends with.
pub(super) fn alternative(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let window = &bytes[at..bytes.len().min(at + LINE_MAX_BYTES)];
    let line = &window[..memchr::memchr(b'\n', window).unwrap_or(window.len())];
    work::note(line.len());
    let text_at = |sign: &str| {
        let sign_at = memchr::memmem::rfind(line, sign.as_bytes())?;
        (sign != " : " || line[..sign_at].contains(&b'?')).then_some(at + sign_at + sign.len())
    };
    let value_at = ALTERNATIVES.iter().find_map(|sign| text_at(sign))?;
    let quote = Quote::at(bytes, value_at)?;
    let value = quoted_value(bytes, value_at, quote)?;
    let behind = value.end + quote.closes_at(bytes, value.end)?;
    let closing = bytes[behind..].iter().take(3).take_while(|byte| b");,".contains(byte)).count();
    ends_line(bytes, behind + closing).then_some(value)
}

/// Whether what ends at `end` reads settings.
fn is_reader(bytes: &[u8], end: usize) -> bool {
    let start = Class::WORD.or(Class::DOT).or(Class::COLON).run_start(bytes, end, READER_MAX_BYTES);
    work::note(end - start);
    let reader = bytes[start..end].to_ascii_lowercase();
    let last = reader.rsplit(|byte| matches!(byte, b'.' | b':')).next().unwrap_or_default();
    SETTING_READERS.has(last) || SETTING_READER_PARTS.any_in(&reader)
}

/// The second argument, with or without its name.
fn argument(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let at = skip_blanks(bytes, at, BLANKS_MAX);
    if !has_at(bytes, at, b"default") {
        return text(bytes, at);
    }
    let sign = skip_blanks(bytes, Class::WORD.run_end(bytes, at, READER_MAX_BYTES), BLANKS_MAX);
    matches!(bytes.get(sign), Some(b'=' | b':')).then(|| text(bytes, sign + 1))?
}

fn text(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let at = skip_blanks(bytes, at, BLANKS_MAX);
    let at = skip_literal_prefix(bytes, at).unwrap_or(at);
    quoted_value(bytes, at, Quote::at(bytes, at)?)
}
