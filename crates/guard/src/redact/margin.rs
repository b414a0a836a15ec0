//! What stands before each line of a listing: numbers, names of files, time stamps, authors, the marks of a diff,
//! of a quotation or of a comment.
//!
//! Programs show files in more ways than can be listed, but they show every line in the same way. So a margin is
//! what a line has in common with its neighbour, where any number stands for any other and any hash for any other.

use std::ops::Range;

use super::chars::Class;
use super::view::View;
use super::work;

/// The longest margin, in bytes.
const MARGIN_MAX_BYTES: usize = 256;
/// The longest text in parentheses within a margin, in bytes: author and time of a line.
const PARENTHESIS_MAX_BYTES: usize = 160;
/// How much of a neighbour is compared, in bytes.
const NEIGHBOUR_MAX_BYTES: usize = 2 * MARGIN_MAX_BYTES;
/// Hexadecimal digits of this length or more are the hash of a commit.
const HASH_MIN_BYTES: usize = 7;
/// How far before something the beginning of its line may be, for what stands between to be a margin, in bytes.
const PREFIX_MAX_BYTES: usize = 128;
/// How far a listing is followed upwards, in bytes.
const UPWARDS_MAX_BYTES: usize = 16 * 1024;

/// One part of a margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    /// Any blanks, or none. Also the mark of a commit that has no parent.
    Blank,
    /// One blank, or none: what follows is the indentation of the line itself.
    LastBlank,
    /// Any number.
    Number,
    /// Any hash.
    Hash,
    /// Anything in parentheses.
    Parenthesis,
    /// This byte.
    Same(u8),
}

impl Token {
    /// Where the token ends that begins at `at`.
    fn end(self, line: &[u8], at: usize) -> Option<usize> {
        let run = |class: Class, min: usize| {
            let end = class.run_end(line, at, MARGIN_MAX_BYTES);
            (end - at >= min).then_some(end)
        };
        match self {
            Self::Blank => Some(at + line[at..].iter().take_while(|byte| is_blank(**byte)).count()),
            Self::LastBlank => Some(at + usize::from(line.get(at).is_some_and(|byte| is_blank(*byte)))),
            Self::Number => run(Class::DIGIT, 1),
            Self::Hash => run(Class::LOWER_HEX, HASH_MIN_BYTES),
            Self::Parenthesis => {
                let window = &line[at..line.len().min(at + PARENTHESIS_MAX_BYTES)];
                (window.first() == Some(&b'('))
                    .then(|| memchr::memchr(b')', window).map(|end| at + end + 1))?
            }
            // `grep` writes one behind the number of a line that was found, and the other behind its neighbours.
            Self::Same(b':' | b'-') => matches!(line.get(at), Some(b':' | b'-')).then_some(at + 1),
            Self::Same(byte) => (line.get(at) == Some(&byte)).then_some(at + 1),
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'^')
}

/// A margin, and where it ends in the line that it was read from.
#[derive(Debug, PartialEq, Eq)]
struct Margin {
    tokens: Vec<Token>,
    end: usize,
}

impl Margin {
    fn of(head: &[u8], found: &[(Token, usize)]) -> Self {
        // The first line may have lost its blanks, or its neighbours may have some.
        let mut tokens = vec![Token::Blank];
        tokens.extend(found.iter().map(|(token, _)| *token));
        let mut end = found.last().map_or(0, |(_, end)| *end);
        if let [before @ .., (Token::Blank, _)] = found {
            tokens.pop();
            tokens.push(Token::LastBlank);
            let before_end = before.last().map_or(0, |(_, end)| *end);
            end = Token::LastBlank.end(head, before_end).unwrap_or(end);
        }
        Self { tokens, end }
    }
}

/// In which direction a listing is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Down,
    Up,
    Both,
}

/// The lines of a listing from the `line` of `at` on, without their margin, and which part of the text they are.
/// `None` if the line has none in common with its neighbour. Nothing before `from` is looked at.
pub(super) fn without_margin(
    bytes: &[u8],
    at: usize,
    line: Range<usize>,
    from: usize,
    direction: Direction,
) -> Option<(View, Range<usize>)> {
    let head_start = at.saturating_sub(MARGIN_MAX_BYTES).max(line.start);
    let head = &bytes[head_start..at];
    let below = || common_margin(head, beginning(bytes, line_around(bytes, line.end + 1, line.end + 1)));
    let above = || {
        let end = line.start.checked_sub(1).filter(|end| *end >= from)?;
        common_margin(head, beginning(bytes, line_around(bytes, end, from)))
    };
    let margin = match direction {
        Direction::Down => below(),
        Direction::Up => above(),
        Direction::Both => below().or_else(above),
    }?;
    let first = head_start + margin.end..line.end;
    let mut lines = match direction {
        Direction::Down => Vec::new(),
        Direction::Up | Direction::Both => lines_above(bytes, &margin, line.start, from),
    };
    lines.push(first);
    if direction != Direction::Up {
        lines_below(bytes, &margin, line.end + 1, &mut lines);
    }
    let part = lines.first()?.start..lines.last()?.end;
    let mut view = View::default();
    for line in lines {
        view.keep(bytes, line.start..(line.end + 1).min(bytes.len()));
    }
    Some((view, part))
}

/// Whether nothing but a margin stands before `at` on its line: the signs of a diff, also of several (`+-`), a number, the marks of
/// a quotation, the name of a file as `grep` writes it before a line (`run.sh-7-`). A line may begin behind a quote, or behind a line
/// end that is written out.
pub(super) fn ends_at(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(PREFIX_MAX_BYTES);
    work::note(at - from);
    let window = &bytes[from..at];
    let start = match memchr::memrchr(b'\n', window) {
        Some(end) => end + 1,
        None if from == 0 => 0,
        None => match memchr::memrchr(b'"', window) {
            Some(quote) => quote + 1,
            None => return false,
        },
    };
    let line = &window[start..];
    let line = &line[memchr::memrchr(b'"', line).map_or(0, |quote| quote + 1)..];
    let written_end = memchr::memmem::rfind(line, b"\\n").map_or(line, |end| &line[end + 2..]);
    is_prefix(line) || is_prefix(written_end)
}

/// Whether a text is all that a program puts before a line.
fn is_prefix(text: &[u8]) -> bool {
    let is_mark = |byte: &u8| b" \t+->|#*/:.".contains(byte) || byte.is_ascii_digit() || !byte.is_ascii();
    let is_of_path = |byte: &u8| Class::URL64.has(*byte) || b"./\\:".contains(byte);
    // `L12: `
    let marks =
        text.strip_prefix(b"L").filter(|rest| rest.first().is_some_and(u8::is_ascii_digit)).unwrap_or(text);
    marks.iter().all(is_mark)
        || matches!(text.last(), Some(b'-' | b':'))
            && text.iter().all(is_of_path)
            && text.iter().any(|byte| b"./\\".contains(byte))
}

fn beginning(bytes: &[u8], line: Range<usize>) -> &[u8] {
    &bytes[line.start..line.end.min(line.start + NEIGHBOUR_MAX_BYTES)]
}

/// The line of `at`, without its end; its beginning is looked for from `from` on.
pub(super) fn line_around(bytes: &[u8], at: usize, from: usize) -> Range<usize> {
    let at = at.min(bytes.len());
    let from = from.min(at);
    let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |offset| from + offset + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |offset| at + offset);
    work::note(end - start);
    start..end
}

fn lines_below(bytes: &[u8], margin: &Margin, mut start: usize, lines: &mut Vec<Range<usize>>) {
    while start < bytes.len() {
        let line = line_around(bytes, start, start);
        let Some(kept) = behind_margin(bytes, margin, line.clone()) else { break };
        lines.push(kept);
        start = line.end + 1;
    }
}

fn lines_above(bytes: &[u8], margin: &Margin, mut next_start: usize, from: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let from = from.max(next_start.saturating_sub(UPWARDS_MAX_BYTES));
    while next_start > from {
        let line = line_around(bytes, next_start - 1, from);
        let Some(kept) = behind_margin(bytes, margin, line.clone()) else {
            lines.extend(behind_quote(bytes, margin, line));
            break;
        };
        lines.push(kept);
        next_start = line.start;
    }
    lines.reverse();
    lines
}

/// The first line of a listing may stand behind the name of a field.
fn behind_quote(bytes: &[u8], margin: &Margin, line: Range<usize>) -> Option<Range<usize>> {
    let quote = memchr::memrchr(b'"', &bytes[line.clone()])?;
    behind_margin(bytes, margin, line.start + quote + 1..line.end)
}

/// The rest of a line that has the margin. A line with nothing behind it may have lost the end of its margin.
fn behind_margin(bytes: &[u8], margin: &Margin, line: Range<usize>) -> Option<Range<usize>> {
    let text = &bytes[line.clone()];
    let mut at = 0;
    for token in &margin.tokens {
        match token.end(text, at) {
            Some(end) => at = end,
            None if text[at..].trim_ascii().is_empty() && at > 0 => break,
            None => return None,
        }
    }
    Some(line.start + at..line.end)
}

/// What the text before something has in common with the beginning of a neighbour of its line.
fn common_margin(head: &[u8], neighbour: &[u8]) -> Option<Margin> {
    let tokens = tokens_of(head);
    let mut best: Option<(usize, (usize, bool))> = None;
    // The listing may begin in the middle of a line, behind the name of a field.
    for first in 0..tokens.len() {
        let count = common_tokens(&tokens[first..], neighbour);
        work::note(count + 1);
        let is_behind_quote = first > 0 && matches!(tokens[first - 1].0, Token::Same(b'"'));
        let rank = (count, is_behind_quote);
        if count > 0 && best.is_none_or(|(_, known)| rank > known) {
            best = Some((first, rank));
        }
    }
    let (first, (count, is_behind_quote)) = best?;
    let mut found = &tokens[first..first + count];
    // A quote begins what the line holds.
    while let [before @ .., (Token::Same(b'"' | b'\'' | b'`'), _)] = found {
        found = before;
    }
    let is_telling = found.iter().any(|(token, _)| *token != Token::Blank);
    let has_number = found.iter().any(|(token, _)| *token == Token::Number);
    let reaches_end = first + count == tokens.len();
    (is_telling && (first == 0 || is_behind_quote || reaches_end || has_number))
        .then(|| Margin::of(head, found))
}

/// How many tokens stand at the beginning of a line, words whole.
fn common_tokens(tokens: &[(Token, usize)], line: &[u8]) -> usize {
    let (mut at, mut count) = (Token::Blank.end(line, 0).unwrap_or(0), 0);
    let mut whole = 0;
    for (token, _) in tokens {
        let Some(end) = token.end(line, at) else { break };
        (at, count) = (end, count + 1);
        let is_letter = |token: Option<&(Token, usize)>| matches!(token, Some((Token::Same(byte), _)) if byte.is_ascii_alphabetic());
        let in_word = is_letter(Some(&(*token, 0)))
            && (is_letter(tokens.get(count)) || line.get(at).is_some_and(u8::is_ascii_alphabetic));
        // No character is taken away by half.
        let in_character = line.get(at).is_some_and(|byte| is_inside_character(*byte));
        if !in_word && !in_character {
            whole = count;
        }
    }
    whole
}

fn is_inside_character(byte: u8) -> bool {
    matches!(byte, 0x80..=0xBF)
}

/// The tokens of a text, and where each of them ends.
fn tokens_of(head: &[u8]) -> Vec<(Token, usize)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < head.len() {
        let hash_end = Class::LOWER_HEX.run_end(head, at, MARGIN_MAX_BYTES);
        let is_hash =
            hash_end - at >= HASH_MIN_BYTES && !head.get(hash_end).is_some_and(u8::is_ascii_alphanumeric);
        let begins_word = at == 0 || !head[at - 1].is_ascii_alphanumeric();
        let follows_hash = tokens.iter().any(|(token, _)| *token == Token::Hash);
        let token = match head[at] {
            _ if is_hash && begins_word => Token::Hash,
            byte if is_blank(byte) => Token::Blank,
            b'0'..=b'9' => Token::Number,
            b'(' if follows_hash && memchr::memchr(b')', &head[at..]).is_some() => Token::Parenthesis,
            byte => Token::Same(byte),
        };
        at = token.end(head, at).unwrap_or(at + 1).max(at + 1);
        tokens.push((token, at));
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of `text` from the one with `mark` on, without their margin.
    fn check(text: &str, mark: &str, expect: &str) {
        let at = text.find(mark).unwrap();
        let line = line_around(text.as_bytes(), at, 0);
        let found = without_margin(text.as_bytes(), at, line, 0, Direction::Down);
        let view = found.map(|(view, _)| String::from_utf8(view.bytes().to_vec()).unwrap());
        assert_eq!(view.as_deref().unwrap_or_default(), expect, "{text}");
    }

    #[test]
    fn every_way_to_show_lines_is_a_margin() {
        for (first, second) in [
            ("     9→", "    10→"),
            ("     9\t", "    10\t"),
            ("L9: ", "L10: "),
            ("9:", "10:"),
            ("9:", "10-"),
            ("keys/id_rsa:9:", "keys/id_rsa-10-"),
            ("> ", "> "),
            ("> > ", "> > "),
            ("# ", "# "),
            ("// ", "// "),
            (" * ", " * "),
            ("-", "-"),
            ("2024-05-06T07:08:59.123Z INFO app: ", "2024-05-06T07:09:00.004Z INFO app: "),
            ("May  6 07:08:59 host app[123]: ", "May  6 07:09:00 host app[123]: "),
            ("[   12.345678] ", "[   13.000001] "),
            (
                "^abcdef1 (Bob Smith 2024-05-06 07:08:09 +0200  9) ",
                "1234567 (Al 2023-01-02 03:04:05 +0200 10) ",
            ),
            ("   9 | ", "  10 | "),
            ("{\"text\": \"     9→", "    10→"),
        ] {
            let text = format!("{first}BEGIN\n{second}abc\n{second}def\nother");
            check(&text, "BEGIN", "BEGIN\nabc\ndef\n");
        }
    }

    #[test]
    fn an_empty_line_may_have_lost_the_end_of_its_margin() {
        check("# BEGIN\n# abc\n#\n# def\nx", "BEGIN", "BEGIN\nabc\n\ndef\n");
    }

    #[test]
    fn words_are_no_margin_by_half() {
        check("5→export KEY=tok\n6→exA9\n7→x", "tok", "export KEY=tok\nexA9\nx");
    }

    #[test]
    fn lines_without_anything_in_common_have_none() {
        check("BEGIN\nabc\n", "BEGIN", "");
        check("    BEGIN\n    abc\n", "BEGIN", "");
        check("x = BEGIN\nabc\n", "BEGIN", "");
    }

    #[test]
    fn a_listing_is_followed_upwards_too() {
        let text = "x\n1→abc\n2→def\n3→END\n4→x";
        let at = text.find("END").unwrap();
        let line = line_around(text.as_bytes(), at, 0);
        let (view, part) = without_margin(text.as_bytes(), at, line, 0, Direction::Up).unwrap();
        assert_eq!(view.bytes(), b"abc\ndef\nEND\n");
        assert_eq!(&text[part], "abc\n2→def\n3→END");
    }
}
