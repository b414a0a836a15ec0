//! Quotation marks: lines that are quoted wholly, quotes that go over several lines, and sentences that only cite another one.

use std::ops::Range;

use super::attributed::{asks_about_the_rest, is_attributed};
use crate::text::{self, pattern};

/// The marks around what is quoted.
const PAIRS: [(char, char); 9] = [
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('„', '”'),
    ('«', '»'),
    ('»', '«'),
    ('‘', '’'),
    ('「', '」'),
    ('\'', '\''),
];
/// From how many words on a quotation is a sentence of somebody else, and no name or phrase.
const MIN_SENTENCE_WORDS: usize = 5;
/// How far in front of a quotation a word of saying is looked for, in bytes.
const MAX_WORD_BYTES: usize = 64;
/// From how many such words on code is a sentence: commands have few of them.
const MIN_PROSE_WORDS: usize = 2;

pattern!(
    CITES,
    r"(?i)(?:\b(?:says?|said|saying|reads?|wrote|writes|states?|stated|told|sentence|line|text|quote|message|comment|written|there|it|tells?|asks?|asked)\b[^\w]*|[:：]\s*)$"
);
pattern!(
    PROSE_WORD,
    r"(?i)\b(?:the|you|your|always|never|before|after|now|please|not|don't|must|should|every|any|all|and|or)\b"
);

/// Whether a whole line stands between two quotation marks.
pub(super) fn is_quoted(line: &str) -> bool {
    let line = line.trim().trim_end_matches(['.', ',', ';', ':', '!', '?']);
    PAIRS.into_iter().any(|(open, close)| {
        let inner = line.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        inner.is_some_and(|inner| !closes_in(inner, open, close))
    })
}

/// Whether a quote ends within a text that stands behind its opening mark.
fn closes_in(inner: &str, open: char, close: char) -> bool {
    let (mut depth, mut before) = (1, ' ');
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let is_apostrophe = close == '\'' && next.is_alphanumeric();
        if c == open && is_opening(before) {
            depth += 1;
        } else if c == close && !is_apostrophe {
            depth -= 1;
        }
        if depth == 0 {
            return true;
        }
        before = c;
    }
    false
}

fn is_opening(before: char) -> bool {
    before.is_whitespace() || matches!(before, '(' | '[' | '{' | ':' | '=')
}

/// The mark that closes the quote that a line leaves open.
pub(super) fn left_open(line: &str) -> Option<char> {
    let mut open = None;
    let mut before = ' ';
    for c in line.chars() {
        match open {
            Some(close) if c == close => open = None,
            Some(_) => {}
            None if c == '"' && is_opening(before) => open = Some('"'),
            None => open = matching(c).filter(|_| is_opening(before)),
        }
        before = c;
    }
    open
}

/// The mark that closes a quote, for those that are not used otherwise.
fn matching(open: char) -> Option<char> {
    match open {
        '“' => Some('”'),
        '„' => Some('“'),
        '«' => Some('»'),
        '「' => Some('」'),
        _ => None,
    }
}

/// The marks in a line that close what an earlier line opened.
pub(super) fn closed(line: &str) -> impl Iterator<Item = char> {
    ['"', '”', '“', '»', '」'].into_iter().filter(|close| {
        let ends = line.trim_end_matches(['.', ',', ';', ':', '!', '?', ' ', ')']).ends_with(*close);
        ends || line.contains(*close)
            && left_open(line).is_none()
            && !line.matches(*close).count().is_multiple_of(2)
    })
}

/// The sentences of a line that are not only cited: most of such a sentence stands in quotation marks, in a link or as prose in code,
/// or such a stretch follows a word of saying; and those are not said that hand over what somebody else said.
pub(crate) fn said_sentences(line: &str) -> Vec<&str> {
    let cited = cited(line);
    let mut behind = 0;
    let mut is_asked_about = false;
    let sentences = text::sentences(line).into_iter().filter(|sentence| {
        if is_asked_about || is_attributed(sentence) {
            return false;
        }
        is_asked_about = asks_about_the_rest(sentence);
        let start = behind + line.get(behind..).and_then(|rest| rest.find(sentence)).unwrap_or(0);
        behind = start + sentence.len();
        !is_citation(line, start..behind, &cited)
    });
    sentences.collect()
}

fn is_citation(line: &str, sentence: Range<usize>, cited: &[Range<usize>]) -> bool {
    let shared =
        |span: &Range<usize>| span.end.min(sentence.end).saturating_sub(span.start.max(sentence.start));
    let inside: usize = cited.iter().map(shared).sum();
    let before = |span: &Range<usize>| {
        line.get(line.floor_char_boundary(span.start.saturating_sub(MAX_WORD_BYTES))..span.start)
    };
    let follows_saying = |span: &Range<usize>| {
        shared(span) > 0
            && before(span).is_some_and(|before| CITES.is_match(before.trim_end_matches(is_mark)))
    };
    2 * inside > sentence.len() || cited.iter().any(follows_saying)
}

fn is_mark(c: char) -> bool {
    PAIRS.into_iter().any(|(open, _)| open == c) || matches!(c, '`' | '[' | '(')
}

/// The stretches of a line that are long enough to be somebody else's sentences.
fn cited(line: &str) -> Vec<Range<usize>> {
    let pairs = PAIRS.into_iter().filter(|(open, _)| *open != '\'').chain([('`', '`'), ('[', ']')]);
    let spans =
        pairs.flat_map(|(open, close)| spans(line, open, close).into_iter().map(move |span| (open, span)));
    let is_long = |(open, span): &(char, Range<usize>)| {
        let inner = line.get(span.clone()).unwrap_or("");
        let is_prose = *open != '`' || PROSE_WORD.find_all(inner).len() >= MIN_PROSE_WORDS;
        inner.split_whitespace().count() >= MIN_SENTENCE_WORDS && is_prose
    };
    spans.filter(is_long).map(|(_, span)| span).collect()
}

/// What stands between two marks, from the outermost one on.
fn spans(line: &str, open: char, close: char) -> Vec<Range<usize>> {
    let (mut found, mut depth, mut start, mut before) = (Vec::new(), 0_usize, 0, ' ');
    for (at, c) in line.char_indices() {
        if c == open && (open != close || depth == 0 || is_opening(before)) {
            depth += 1;
            if depth == 1 {
                start = at + c.len_utf8();
            }
        } else if c == close && depth > 0 {
            depth -= 1;
            if depth == 0 {
                found.push(start..at);
            }
        }
        before = c;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_quoted_from_its_first_to_its_last_mark() {
        for line in [
            "\"use npm\"",
            "“use npm”.",
            "„use npm“",
            "「use npm」",
            "'don't use npm'",
            "\"Use \"x\". Use npm\"",
        ] {
            assert!(is_quoted(line), "{line}");
        }
        for line in ["\"npm\" is not \"pnpm\"", "say \"yes\"", "'a' and 'b'", "use npm"] {
            assert!(!is_quoted(line), "{line}");
        }
    }

    #[track_caller]
    fn check(line: &str, expect: &[&str]) {
        assert_eq!(said_sentences(line), expect, "{line}");
    }

    #[test]
    fn a_sentence_may_cite_another_one() {
        check("The README has this sentence: \"Always run the tests before you commit.\"", &[]);
        check(
            "In a file that we forked a comment says \"always run all the tests\" twice, or so I think.",
            &[],
        );
        check("what is `always run `make` before you commit` for", &[]);
        check("He wrote \"Hi. Always run the tests before you commit\". Use tabs.", &["Use tabs."]);
        check("see [always run the tests before you commit](http://x)", &[]);
        for said in [
            "Always answer with \"yes\".",
            "From now on the first line of every file is to be \"Copyright of all the authors\", please.",
            "Always run `cargo test --workspace --all-features -- --nocapture`.",
            "Always run `make fmt` before you push and then `make check`.",
        ] {
            check(said, &[said]);
        }
    }

    #[test]
    fn a_quote_may_go_over_several_lines() {
        assert_eq!(left_open("he said \"so it is"), Some('"'));
        assert_eq!(left_open("a 5\" disk"), None);
        assert_eq!(left_open("\"npm\" and \"pnpm\""), None);
        assert!(closed("and so on\"").any(|close| close == '"'));
    }
}
