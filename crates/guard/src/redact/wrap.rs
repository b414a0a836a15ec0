//! Secrets that a terminal, a mail program, a shell or a table has broken over lines.

use std::ops::Range;

use super::chars::{Class, skip_blanks};
use super::placeholder::is_placeholder;
use super::quote::Quote;
use super::random::{Makeup, looks_random};
use super::reach::Reach;
use super::span::Span;
use super::work;

/// A line of this width may have been broken because it was full, in bytes.
const FULL_LINE_MIN_BYTES: usize = 60;
/// How far back the beginning of a line is looked for, in bytes.
const LINE_MAX_BYTES: usize = 512;
/// How many lines a secret may go on over.
const LINES_MAX: usize = 64;
/// A run that needs fewer characters than this is not put together from two lines.
const JOINED_MIN_BYTES: usize = 16;
/// The part before the break is at least this long, in bytes.
const FIRST_PART_MIN_BYTES: usize = 4;
/// The same where both parts together have to look drawn.
const BROKEN_MIN_BYTES: usize = 2;
/// How much of the first half shows of which digits it is made, in bytes.
const SAME_BYTES: usize = 12;
/// A part that is shorter tells nothing by itself, in bytes.
const TELLING_MIN_BYTES: usize = 12;
/// A shorter end of hexadecimal digits tells nothing either, in bytes.
const HEX_REST_MIN_BYTES: usize = 7;
/// How many literals a secret may consist of, and how long each is, in bytes.
const LITERALS_MAX: usize = 16;
const LITERAL_MAX_BYTES: usize = 192;
/// How many blanks a cell may have, in bytes.
const CELL_MAX_BYTES: usize = 120;
/// How many cells of a row may be empty before the one in which a secret goes on.
const COLUMNS_MAX: usize = 8;
/// What cells of a table are parted by.
pub(super) const BORDERS: &[&str] = &["|", "│", "┃", "║"];

/// With what programs join two literals; at last with nothing.
const SIGNS: &[&str] = &["+", "..", ".", "&", "||", "\\", "<>", ""];
/// What may stand before each line of a text: the sign of a diff, of a quotation, of a comment, the left side of a box.
const MARKS: &[&str] = &["+", "> ", "# ", "│ ", "┃ ", "║ "];

/// What tokens are made of.
const TOKEN: Class = Class::BEARER.or(Class::COLON).or(Class::DOLLAR).or(Class::PERCENT).or(Class::COMMA);

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    /// With a line break.
    Plain,
    /// With a backslash before it: the shell joins the lines.
    Continued,
    /// With the border of a table, and the next line begins with one.
    Row,
    /// With a quote, and a program joins it with the next text in quotes.
    Literal,
}

/// Where a run of `min` to `max` characters of a class ends. It goes on over a line break if it was too short
/// without, or if the line was full, as long as what follows looks drawn as well.
pub(super) fn run_end(bytes: &[u8], start: usize, class: Class, min: usize, max: usize) -> Option<usize> {
    let mut end = class.run_end(bytes, start, max);
    let mut len = end - start;
    for _ in 0..LINES_MAX {
        let Some((next, kind)) = next_part(bytes, end).filter(|_| len < max) else { break };
        let next_end = class.run_end(bytes, next, max - len);
        let part = &bytes[next..next_end];
        let goes_on = if len < min {
            let joined = [&bytes[start..end], part].concat();
            min >= JOINED_MIN_BYTES && len >= BROKEN_MIN_BYTES && looks_random(&joined)
        } else {
            let is_broken = match kind {
                Break::Plain => is_full_line(bytes, end) || is_rest_alone(bytes, start..end, next..next_end),
                Break::Continued => true,
                Break::Row => is_full_cell(bytes, end),
                Break::Literal => is_same_sort(&bytes[start..end], part),
            };
            let is_rest =
                kind == Break::Continued || end - start > len || is_hex_rest(&bytes[start..end], part);
            is_broken && if part.len() < TELLING_MIN_BYTES { is_rest } else { looks_random(part) }
        };
        // A line that was broken because it was full goes on with other words.
        let is_among_words = || {
            let is_sure = looks_random(part) || is_hex_rest(&bytes[start..end], part);
            is_sure
                && len + part.len() >= min
                && matches!(bytes.get(next_end), Some(b' ' | b'"' | b'\''))
                && is_same_sort(&bytes[start..end], part)
        };
        let ends = match kind {
            Break::Row => ends_cell(bytes, next_end),
            Break::Literal => {
                matches!(bytes.get(next_end), None | Some(b'"' | b'\'' | b'\\' | b'-' | b'.' | b'_'))
            }
            Break::Plain | Break::Continued => ends_line(bytes, next_end),
        };
        if part.is_empty() || !goes_on || !(ends || is_among_words()) {
            break;
        }
        (end, len) = (next_end, len + part.len());
    }
    (len >= min).then_some(end)
}

/// Whether what follows on a line of its own is the other half of a token: as long as a token's half, drawn, and no hash
/// unless the first half is made of the same digits.
fn is_rest_alone(bytes: &[u8], first: Range<usize>, rest: Range<usize>) -> bool {
    let text = &bytes[rest.clone()];
    let stands_alone = matches!(bytes.get(rest.end), None | Some(b'\n' | b'\r' | b'"' | b'\'' | b'.'))
        || bytes[rest.end..].starts_with(b"\\n");
    stands_alone && text.len() >= JOINED_MIN_BYTES && is_same_sort(&bytes[first], text) && looks_random(text)
}

/// Whether both halves of a token may be of the same digits: a hash is none of another token.
fn is_same_sort(first: &[u8], rest: &[u8]) -> bool {
    let end_of_first = &first[first.len().saturating_sub(SAME_BYTES)..];
    !Class::HEX.has_all(rest) || Class::HEX.has_all(end_of_first)
}

/// Whether a short end is of the hexadecimal digits that stand before it.
fn is_hex_rest(first: &[u8], rest: &[u8]) -> bool {
    let digits = rest.iter().filter(|byte| byte.is_ascii_digit()).count();
    let end_of_first = &first[first.len().saturating_sub(SAME_BYTES)..];
    (HEX_REST_MIN_BYTES..TELLING_MIN_BYTES).contains(&rest.len())
        && (2..rest.len()).contains(&digits)
        && Class::HEX.has_all(rest)
        && Class::HEX.has_all(end_of_first)
}

/// Whether a secret that has been read up to `at` may go on behind a margin on the next line: what follows ends
/// its line, and looks drawn.
pub(super) fn is_broken_off(bytes: &[u8], at: usize, tokens: &mut Reach) -> bool {
    let end = tokens.end(bytes, at, LINE_MAX_BYTES, |at| !TOKEN.has(bytes[at]));
    if next_line(bytes, end).is_none() {
        return false;
    }
    let start = TOKEN.run_start(bytes, at, FULL_LINE_MIN_BYTES);
    let part = &bytes[start..end];
    let has = |is: fn(&u8) -> bool| part.iter().any(is);
    let looks_drawn = has(u8::is_ascii_digit) || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase));
    part.len() >= FIRST_PART_MIN_BYTES
        && looks_drawn
        && (end - at < JOINED_MIN_BYTES || looks_random(&bytes[at..end]))
}

/// Whether a secret was read over a line break; what looked like its next line may have been a margin.
pub(super) fn is_over_lines(bytes: &[u8], secret: &Range<usize>) -> bool {
    let text = &bytes[secret.clone()];
    text.contains(&b'\n') || text.contains(&b'\\')
}

/// Where a text may go on that stops at `at`: on the next line, in the next row, in the next literal.
fn next_part(bytes: &[u8], at: usize) -> Option<(usize, Break)> {
    next_line(bytes, at)
        .or_else(|| next_row(bytes, at).map(|next| (next, Break::Row)))
        .or_else(|| next_literal(bytes, at).map(|next| (next, Break::Literal)))
}

/// A secret that was found in a literal, with the literals that a program joins with it.
pub(super) fn with_literals(bytes: &[u8], span: Span) -> Span {
    let mut end = span.end;
    for _ in 0..LITERALS_MAX {
        let Some(next) = next_literal(bytes, end) else { break };
        let window = &bytes[next..bytes.len().min(next + LITERAL_MAX_BYTES)];
        work::note(window.len());
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`\\".contains(byte);
        let part = &window[..window.iter().position(ends).unwrap_or(0)];
        let behind = next + part.len();
        let is_closed = Quote::at(bytes, behind) == Quote::at(bytes, end);
        // Something joins them if more than quotes and blanks stand between them.
        let is_joined =
            bytes[end..next].iter().any(|byte| !byte.is_ascii_whitespace() && !b"\"'`\\".contains(byte));
        if part.is_empty() || !is_closed || !is_part_of_secret(part, is_joined) {
            break;
        }
        end = behind;
    }
    Span { end, ..span }
}

/// Whether a literal can be a piece of a secret: no parameter of an address, no placeholder; and drawn, where nothing joins it.
fn is_part_of_secret(part: &[u8], is_joined: bool) -> bool {
    let makeup = Makeup::of(part);
    let is_mixed = (makeup.digits > 0 && makeup.letters() > 0) || makeup.is_jumbled() || makeup.is_random();
    !part.iter().any(|byte| b"&?={}<>$(),;".contains(byte))
        && makeup.letters() + makeup.digits > 0
        && !is_placeholder(part)
        && (is_joined || is_mixed)
}

/// `" + "`, `" "`: where the next literal begins, if one ends at `at` and a program joins the two.
fn next_literal(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = Quote::at(bytes, at).filter(|quote| matches!(quote, Quote::Plain { times: 1, .. }))?;
    let behind = at + quote.open_len();
    let skip_space = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take(CELL_MAX_BYTES).take_while(|byte| byte.is_ascii_whitespace()).count()
    };
    let sign = skip_space(behind);
    let len = SIGNS.iter().find(|sign_text| bytes[sign..].starts_with(sign_text.as_bytes()))?.len();
    let next = skip_space(sign + len);
    // What has no sign between it stands beside it, or is indented below.
    let is_list = len == 0 && (next == behind || bytes[next - 1] == b'\n');
    (!is_list && Quote::at(bytes, next) == Some(quote)).then(|| next + quote.open_len())
}

/// Where the text of the next line begins, if a line ends at `at`. A break may be written out as `\n`.
fn next_line(bytes: &[u8], at: usize) -> Option<(usize, Break)> {
    let (len, kind) = match bytes.get(at..)? {
        [b'\n', ..] => (1, Break::Plain),
        [b'\r', b'\n', ..] => (2, Break::Plain),
        [b'\\', b'\n', ..] => (2, Break::Continued),
        [b'\\', b'\r', b'\n', ..] => (3, Break::Continued),
        [b'\\', b'n', ..] => (2, Break::Plain),
        [b'\\', b'\\', b'\\', b'n', ..] => (4, Break::Continued),
        _ => return None,
    };
    let at = skip_blanks(bytes, at + len, 16);
    let mark = MARKS.iter().find(|mark| bytes[at..].starts_with(mark.as_bytes()));
    Some((mark.map_or(at, |mark| skip_blanks(bytes, at + mark.len(), 16)), kind))
}

/// Where the text of the next row begins, if the last cell of a row of a table ends at `at`. Cells before it are empty.
fn next_row(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = behind_border(bytes, at)?;
    let len = match bytes.get(at..)? {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] | [b'\\', b'n', ..] => 2,
        _ => return None,
    };
    at = behind_border(bytes, at + len)?;
    for _ in 0..COLUMNS_MAX {
        match behind_border(bytes, at) {
            Some(next) => at = next,
            None => return Some(at),
        }
    }
    None
}

/// Passes over the border of a cell and the blanks around it.
fn behind_border(bytes: &[u8], at: usize) -> Option<usize> {
    let at = skip_blanks(bytes, at, CELL_MAX_BYTES);
    let border = BORDERS.iter().find(|border| bytes[at..].starts_with(border.as_bytes()))?;
    Some(skip_blanks(bytes, at + border.len(), CELL_MAX_BYTES))
}

fn ends_cell(bytes: &[u8], at: usize) -> bool {
    behind_border(bytes, at).is_some()
}

/// Whether the text that ends at `end` fills its cell.
fn is_full_cell(bytes: &[u8], end: usize) -> bool {
    skip_blanks(bytes, end, 2) - end < 2
}

/// Whether the words of a line end at `at`: no blank and another word follow.
fn ends_line(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| {
        !matches!(byte, b' ' | b'\t' | b'=' | b':' | b'(') && !byte.is_ascii_alphanumeric() && byte.is_ascii()
    })
}

/// Whether the line that ends at `end` is as wide as lines get before they are broken.
fn is_full_line(bytes: &[u8], end: usize) -> bool {
    let window = &bytes[end.saturating_sub(LINE_MAX_BYTES)..end];
    let start = memchr::memrchr(b'\n', window).map_or(0, |at| at + 1);
    let start = memchr::memmem::rfind(&window[start..], b"\\n").map_or(start, |at| start + at + 2);
    window.len() - start >= FULL_LINE_MIN_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: &str = "Zx8Qw3Er7Ty1Ui5Op9As2";

    fn check(text: &str, min: usize, expect: Option<usize>) {
        assert_eq!(run_end(text.as_bytes(), 0, Class::ALNUM, min, usize::MAX), expect, "{text}");
    }

    #[test]
    fn a_run_that_is_too_short_goes_on_on_the_next_line() {
        check(&format!("{PART}\n{PART}\n"), 30, Some(43));
        check(&format!("{PART}\\n{PART}\\n"), 30, Some(44));
        check(&format!("{PART}\n  {PART}"), 30, Some(45));
        check(&format!("{PART}\nand so on"), 30, None);
    }

    #[test]
    fn a_token_goes_on_on_a_line_that_holds_nothing_but_its_other_half() {
        check(&format!("{PART}\n{PART}\n"), 10, Some(43));
        check(&format!("{PART}\n9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\n"), 10, Some(21));
        check("9f86d081884c7d65\n9a2feaa0c55ad015a3bf4f1b\n", 10, Some(41));
    }

    #[test]
    fn a_full_line_goes_on_and_a_short_one_does_not() {
        let full = PART.repeat(3);
        check(&format!("{full}\n{PART}\nend of it"), 30, Some(85));
        check(&format!("{PART}\nand so on\n"), 10, Some(21));
        check(&format!("{PART}\n{PART} and so on\n"), 10, Some(21));
        check(&format!("{PART}\\\n{PART}\n"), 10, Some(44));
        check(&format!("{full}\nThe next sentence."), 30, Some(63));
    }
}
