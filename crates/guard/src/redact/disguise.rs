//! Characters that are written in another way, or are there and not seen: `\u0041`, `%41`, `&#65;`, colours, zero width, UTF-16.

use std::ops::Range;
use std::sync::OnceLock;

use super::chars::Class;
use super::names::STEMS;
use super::view::View;
use super::work;

/// The longest terminal sequence, in bytes. Titles and links may be long.
const SEQUENCE_MAX_BYTES: usize = 256;
/// How many backslashes may stand before an escape: six levels of nesting.
const ESCAPES_MAX: usize = 63;
const ESCAPE: u8 = 0x1B;
/// What word processors and web pages put around signs.
const NO_BREAK_SPACE: &str = "\u{a0}";
/// Every second byte of UTF-16 that was read as something else.
const NUL: u8 = 0;
/// The longest entity of HTML that is read, in bytes.
const ENTITY_MAX_BYTES: usize = 20;
/// How far the wide letters stand behind those of ASCII.
const FULL_WIDTH_OFFSET: u32 = 0xFEE0;

/// Entities that stand for something that tokens are made of, or for nothing that is seen.
const ENTITIES: &[(&str, char)] = &[
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("period", '.'),
    ("equals", '='),
    ("plus", '+'),
    ("sol", '/'),
    ("colon", ':'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("ZeroWidthSpace", '\u{200b}'),
    ("NoBreak", '\u{2060}'),
];

/// What a part of a text stands for.
enum Shown {
    Nothing,
    Byte(u8),
    /// A letter of a name, in another script than ours.
    Letter(char),
}

/// The lines in which anything is disguised, and their neighbours, with everything decoded.
pub(super) fn undisguised(bytes: &[u8]) -> Option<View> {
    let mut parts = lines_around(bytes, memchr::memchr3_iter(ESCAPE, b'\\', b'%', bytes));
    parts.extend(lines_around(bytes, memchr::memchr2_iter(b'&', NUL, bytes)));
    if !bytes.is_ascii() {
        // Their second bytes are rarer than their first ones, which every arrow has.
        let seconds = memchr::memchr3_iter(0x80, 0x81, 0xAD, bytes).filter_map(|at| at.checked_sub(1));
        parts.extend(lines_around(bytes, seconds));
        parts.extend(lines_around(bytes, memchr::memchr3_iter(0xCD, 0xEF, 0xF3, bytes)));
        for blank in ["\u{180e}", "\u{3164}", NO_BREAK_SPACE] {
            parts.extend(lines_around(bytes, memchr::memmem::find_iter(bytes, blank)));
        }
    }
    parts.sort_unstable_by_key(|part| part.start);
    let mut view = View::default();
    let mut decoded_until = 0;
    for part in &parts {
        decode(bytes, part.start.max(decoded_until)..part.end, &mut view);
        decoded_until = decoded_until.max(part.end);
    }
    (!parts.is_empty()).then_some(view)
}

/// The lines of those marks that are a disguise, each with the line before and the line behind it.
fn lines_around(bytes: &[u8], marks: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let line_end =
        |at: usize| memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |offset| at + offset + 1);
    // Up to here marks stand on a line that is known to be disguised.
    let mut known_until = 0;
    for at in marks {
        if at < known_until || !is_disguise(bytes, at) {
            continue;
        }
        let from = parts.last().map_or(0, |part| part.end);
        let start = memchr::memrchr_iter(b'\n', &bytes[from.min(at)..at])
            .nth(1)
            .map_or(from.min(at), |offset| from + offset + 1);
        known_until = line_end(at);
        let end = line_end(known_until);
        work::note(end - start);
        match parts.last_mut().filter(|part| part.end >= start) {
            Some(last) => last.end = end,
            None => parts.push(start..end),
        }
    }
    parts
}

fn decode(bytes: &[u8], part: Range<usize>, view: &mut View) {
    let (mut at, mut kept_from) = (part.start, part.start);
    work::note(part.len());
    while at < part.end {
        let found = if may_be_disguise(bytes, at) { disguise_at(bytes, at) } else { None };
        let Some((len, shown)) = found else {
            at += 1;
            continue;
        };
        view.keep(bytes, kept_from..at);
        match shown {
            Shown::Nothing => {}
            Shown::Byte(byte) => view.put(&[byte], at..at + len),
            Shown::Letter(letter) => {
                view.put(letter.encode_utf8(&mut [0; 4]).as_bytes(), at..at + len);
            }
        }
        at += len;
        kept_from = at;
    }
    view.keep(bytes, kept_from..part.end.max(kept_from));
}

fn is_disguise(bytes: &[u8], at: usize) -> bool {
    may_be_disguise(bytes, at) && disguise_at(bytes, at).is_some()
}

/// Tells nearly all backslashes, percent signs and characters of other scripts from a disguise, by two bytes.
#[inline]
fn may_be_disguise(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1).copied().unwrap_or_default();
    match bytes[at] {
        ESCAPE | NUL => true,
        b'\\' => matches!(next, b'u' | b'x' | b'e' | b'0' | b'1' | b'\\' | b'_' | b'-'),
        b'%' => next.is_ascii_hexdigit(),
        b'&' => next == b'#' || next.is_ascii_alphabetic(),
        0xC2 => matches!(next, 0xA0 | 0xAD),
        0xCD => next == 0x8F,
        0xE1 => next == 0xA0,
        0xE2 => matches!(next, 0x80 | 0x81),
        0xE3 => next == 0x85,
        0xEF => matches!(next, 0xB8 | 0xBB | 0xBC | 0xBD),
        0xF3 => next == 0xA0,
        _ => false,
    }
}

/// How long the disguise is that begins at `at`, and what it stands for.
fn disguise_at(bytes: &[u8], at: usize) -> Option<(usize, Shown)> {
    match bytes[at] {
        NUL => Some((1, Shown::Nothing)),
        ESCAPE => Some((sequence_len(bytes, at + 1)? + 1, Shown::Nothing)),
        b'\\' => written_out(bytes, at),
        b'%' => percent(bytes, at),
        b'&' => entity(bytes, at),
        0xC2.. => character_at(bytes, at),
        _ => None,
    }
}

/// The length of a terminal sequence, without the escape that it begins with.
fn sequence_len(bytes: &[u8], at: usize) -> Option<usize> {
    let window = bytes.get(at..bytes.len().min(at + SEQUENCE_MAX_BYTES))?;
    work::note(8);
    match window.first()? {
        b'[' => {
            let end = window[1..].iter().position(|byte| !(b' '..=b'?').contains(byte))?;
            Some(1 + end + 1)
        }
        // Ends with a bell, or with an escape that begins the next sequence.
        b']' => {
            let end = memchr::memchr2(0x07, ESCAPE, window)?;
            Some(end + usize::from(window[end] == 0x07))
        }
        b'(' | b')' => Some(2),
        b'=' | b'>' | b'7' | b'8' | b'\\' => Some(1),
        _ => None,
    }
}

/// `\u0041`, `\u{41}`, `\x41`, and the escape of a colour: `\e[`, `\033[`.
fn written_out(bytes: &[u8], at: usize) -> Option<(usize, Shown)> {
    // The first backslash of a row speaks for all of them.
    if at > 0 && bytes[at - 1] == b'\\' {
        return None;
    }
    let escapes = bytes[at..].iter().take(ESCAPES_MAX).take_while(|byte| **byte == b'\\').count();
    let rest = bytes.get(at + escapes..)?;
    work::note(escapes);
    let (len, code) = match rest {
        [b'u', b'{', digits @ ..] => {
            let len = Class::HEX.run_end(digits, 0, 6);
            (digits.get(len) == Some(&b'}')).then_some(())?;
            (len + 3, hex(&digits[..len])?)
        }
        [b'u', digits @ ..] => (5, hex(digits.get(..4)?)?),
        [b'x', digits @ ..] => (3, hex(digits.get(..2)?)?),
        [b'0', b'3', b'3', b'[', ..] => (3, u32::from(ESCAPE)),
        [b'e', b'[', ..] => (1, u32::from(ESCAPE)),
        [b'0' | b'1', ..] => (3, octal(bytes, at, escapes)?),
        // JSON in JSON. The rules know one level of escapes, and so many settings are not recognised in two.
        [byte @ (b'n' | b'r' | b't' | b'"'), ..] if escapes > 1 => {
            return escaped_byte(*byte).map(|shown| (escapes + 1, Shown::Byte(shown)));
        }
        // Markdown takes these for emphasis and lists. Only within a word: elsewhere they are LaTeX or a pattern.
        [byte @ (b'_' | b'-'), behind @ ..] => {
            let is_of_word = |byte: Option<&u8>| byte.is_some_and(|byte| Class::URL64.has(*byte));
            let is_inside = is_of_word(bytes[..at].last())
                && behind.first().is_some_and(|next| *next == b'\\' || Class::URL64.has(*next));
            return is_inside.then_some((escapes + 1, Shown::Byte(*byte)));
        }
        _ => return None,
    };
    let end = at + escapes + len;
    if code == u32::from(ESCAPE) {
        // What follows may be written out as well, and is seen when this has been decoded.
        let next = bytes.get(end).filter(|byte| **byte != b'\\');
        return Some(match next.and_then(|_| sequence_len(bytes, end)) {
            Some(len) => (end + len - at, Shown::Nothing),
            None => (end - at, Shown::Byte(ESCAPE)),
        });
    }
    if code == u32::from(NUL) || char::from_u32(code).is_some_and(is_zero_width) {
        return Some((end - at, Shown::Nothing));
    }
    let shown = readable(code).map(Shown::Byte).or_else(|| letter_of_name(code).map(Shown::Letter));
    shown.map(|shown| (end - at, shown))
}

/// A letter that names for passwords have in other languages, or the arrow behind them.
fn letter_of_name(code: u32) -> Option<char> {
    static LETTERS: OnceLock<Vec<char>> = OnceLock::new();
    let letters = LETTERS.get_or_init(|| {
        let of_names = STEMS.iter().flat_map(|stem| stem.chars()).filter(|letter| !letter.is_ascii());
        let mut letters: Vec<char> = of_names.chain(['→']).collect();
        letters.sort_unstable();
        letters
    });
    let letter = char::from_u32(code)?;
    letters.binary_search(&letter).is_ok().then_some(letter)
}

/// `\055` among others of its kind: a lone one is something else.
fn octal(bytes: &[u8], at: usize, escapes: usize) -> Option<u32> {
    let len = escapes + 3;
    let code_at = |at: usize| {
        let (marks, digits) = bytes.get(at..at + len)?.split_at(escapes);
        let is_octal = digits.iter().all(|digit| matches!(digit, b'0'..=b'7'));
        let is_one = is_octal && marks.iter().all(|mark| *mark == b'\\');
        is_one.then(|| digits.iter().fold(0, |code, digit| code * 8 + u32::from(digit - b'0')))
    };
    let is_among = at.checked_sub(len).and_then(code_at).is_some() || code_at(at + len).is_some();
    code_at(at).filter(|_| is_among)
}

/// What a character stands for behind a backslash.
fn escaped_byte(byte: u8) -> Option<u8> {
    match byte {
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        b't' => Some(b'\t'),
        b'"' | b'\\' | b'/' => Some(byte),
        _ => None,
    }
}

/// `%41`, `%2541`, `%252541`.
fn percent(bytes: &[u8], at: usize) -> Option<(usize, Shown)> {
    let mut digits_at = at + 1;
    while bytes[digits_at..].starts_with(b"25") && bytes.get(digits_at + 2).is_some_and(u8::is_ascii_hexdigit)
    {
        digits_at += 2;
    }
    let digits = bytes.get(digits_at..digits_at + 2)?;
    let byte = readable(hex(digits)?)?;
    work::note(digits_at - at);
    // `%2d` and `%5f` are also what `printf` takes: those stand alone, an encoded text goes on.
    let may_be_format = digits.iter().any(u8::is_ascii_lowercase);
    let goes_on = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'%');
    let is_inside = at > 0 && goes_on(bytes.get(at - 1)) && goes_on(bytes.get(digits_at + 2));
    (!may_be_format || is_inside).then_some((digits_at + 2 - at, Shown::Byte(byte)))
}

fn hex(digits: &[u8]) -> Option<u32> {
    Class::HEX.has_all(digits).then_some(())?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Characters that nobody would have to write out.
fn readable(code: u32) -> Option<u8> {
    let byte = u8::try_from(code).ok()?;
    matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t').then_some(byte)
}

/// `&#95;`, `&#x5f;`, `&lowbar;`: only characters that nobody would have to write so in HTML.
fn entity(bytes: &[u8], at: usize) -> Option<(usize, Shown)> {
    let window = &bytes[at + 1..bytes.len().min(at + ENTITY_MAX_BYTES)];
    work::note(window.len());
    let body = &window[..memchr::memchr(b';', window)?];
    let len = body.len() + 2;
    let code = match body {
        [b'#', b'x' | b'X', digits @ ..] => hex(digits)?,
        [b'#', digits @ ..] => std::str::from_utf8(digits).ok()?.parse().ok()?,
        name => u32::from(ENTITIES.iter().find(|(known, _)| known.as_bytes() == name)?.1),
    };
    if char::from_u32(code).is_some_and(is_zero_width) {
        return Some((len, Shown::Nothing));
    }
    let is_meant = |byte: &u8| Class::BEARER.or(Class::COLON).has(*byte) || b"\n\r ,<>\"".contains(byte);
    Some((len, Shown::Byte(readable(code).filter(is_meant)?)))
}

/// A character of no width, or a letter as wide as those of Chinese.
fn character_at(bytes: &[u8], at: usize) -> Option<(usize, Shown)> {
    let window = &bytes[at..bytes.len().min(at + 4)];
    let character = window.utf8_chunks().next()?.valid().chars().next()?;
    let shown = match character {
        _ if is_zero_width(character) => Shown::Nothing,
        _ if is_blank(character) => Shown::Byte(b' '),
        _ => Shown::Byte(narrow(character)?),
    };
    Some((character.len_utf8(), shown))
}

/// A blank of another width than ours, or one at which no line is broken.
fn is_blank(character: char) -> bool {
    matches!(character, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}')
}

/// `Ａ` as `A`. Punctuation stays: sentences are full of it.
fn narrow(character: char) -> Option<u8> {
    let code = u32::from(character).checked_sub(FULL_WIDTH_OFFSET)?;
    readable(code).filter(|byte| Class::URL64.has(*byte))
}

fn is_zero_width(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e01ef}'
    )
}

/// One level of JSON's escapes taken away from a part of a text.
pub(super) fn unescaped(bytes: &[u8], part: Range<usize>) -> View {
    unescaped_parts(bytes, std::iter::once(part))
}

/// The same of several parts, put together.
pub(super) fn unescaped_parts(bytes: &[u8], parts: impl IntoIterator<Item = Range<usize>>) -> View {
    let mut view = View::default();
    parts.into_iter().for_each(|part| unescape(bytes, part, &mut view));
    view
}

fn unescape(bytes: &[u8], part: Range<usize>, view: &mut View) {
    let mut at = part.start;
    work::note(part.len());
    while at < part.end {
        let plain_end = memchr::memchr(b'\\', &bytes[at..part.end]).map_or(part.end, |offset| at + offset);
        if plain_end > at {
            view.keep(bytes, at..plain_end);
            at = plain_end;
            continue;
        }
        match bytes[at + 1..part.end].first().copied().and_then(escaped_byte) {
            Some(byte) => {
                view.put(&[byte], at..at + 2);
                at += 2;
            }
            None => {
                view.keep(bytes, at..at + 1);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        let view = undisguised(text.as_bytes());
        let shown = view.map(|view| String::from_utf8(view.bytes().to_vec()).unwrap());
        assert_eq!(shown.as_deref().unwrap_or(text), expect, "{text}");
    }

    #[test]
    fn what_is_written_in_another_way_is_read() {
        check("a\\u0041b", "aAb");
        check("a\\\\u0041b\\u{42}c\\x43", "aAbBcC");
        check("a\\\\nb\\\\\\\"c\\nd", "a\nb\"c\\nd");
        check("\\055\\101\\012x", "-A\nx");
        check("a&#10;b&#xD;", "a\nb\r");
        check("a%41%2Fb%2541%25252B", "aA/bA+");
        check("x%2fy%2dz", "x/y-z");
        check("ab\\_cd\\\\-ef", "ab_cd-ef");
        check("a&#95;b&#x5F;c&lowbar;d&shy;e", "a_b_c_de");
        check("ｇｈｐ＿ａ１", "ghp_a1");
        check("a\u{a0}=\u{202f}b", "a = b");
        check("&lt;a&gt;b&lt;/a>&quot;", "<a>b</a>\"");
        check("contrase\\u00f1a: \\\\u5bc6", "contraseña: 密");
    }

    #[test]
    fn what_is_not_seen_is_left_out() {
        check("a\u{1b}[1;31mb\u{1b}[0mc\u{1b}[K", "abc");
        check("a\u{1b}]8;;http://x\u{7}b", "ab");
        check("a\\u001b[31mb\\x1b[0mc\\033[0md\\e[1me", "abcde");
        check("a\u{200b}b\u{2060}c\u{feff}d\u{ad}e", "abcde");
        check("a\\u200bb", "ab");
        check("a\0b\\u0000c\\x00", "abc");
        check("a\u{fe0f}b\u{34f}c\u{180e}d\u{e0061}e\u{3164}f", "abcdef");
    }

    #[test]
    fn formats_and_other_escapes_stay() {
        for text in [
            "\\_x",
            "s/(a)/\\101/",
            "a \\- b",
            "[\\w\\-]",
            "a&b;c",
            "a &amp; b",
            "&#8212;",
            "密码：无，",
            "%2d of %5f",
            "100% 41",
            "a\\nb",
            "caf\\u00e9",
            "\\d{2}",
            "50%",
            "→ é — 日本",
            "\\",
            "%",
            "%2",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn one_level_of_escapes_is_taken_away() {
        let text = b"{\"a\":\"x\\n\\ty\\\\n\\\"\\q\"}";
        assert_eq!(unescaped(text, 0..text.len()).bytes(), b"{\"a\":\"x\n\ty\\n\"\\q\"}");
    }
}
