//! What is to be replaced, and the replacing.

use std::ops::Range;

use super::chars::{Class, escapes_before};

/// The length of `\u0041`.
const UNICODE_ESCAPE_BYTES: usize = 6;

/// Shorter words stand between the strings of JSON: `false`, `null`.
const WORD_MIN_BYTES: usize = 8;

/// How a label begins.
const LABEL_BEGINS: &str = "[REDACTED:";
/// What the name of a rule is made of, and its greatest length, in bytes.
const RULE_NAME: Class = Class::LOWER_ALNUM.or(Class::DASH);
const RULE_NAME_MAX_BYTES: usize = 48;

/// How much a label says. When findings overlap, the more telling label is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Found because of the name it stands under.
    Named,
    /// Found because of where it stands (a header, an address, a command).
    Placed,
    /// Found because of its own form.
    Formed,
}

/// A part of a text that must not be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: &'static str,
    pub(super) rank: Rank,
}

impl Span {
    /// A secret that was recognised by its form.
    pub(super) fn formed(range: Range<usize>, rule: &'static str) -> Self {
        Self { start: range.start, end: range.end, rule, rank: Rank::Formed }
    }
}

/// Joins spans that overlap, so that a doubt about where a secret ends is settled by hiding more.
fn joined(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let mut joined: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match joined.last_mut() {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if span.rank > last.rank {
                    (last.rule, last.rank) = (span.rule, span.rank);
                }
            }
            _ => joined.push(span),
        }
    }
    joined
}

/// The parts of a span between the quotes of the text around it. What was found in a decoded text may stand across the
/// end of a string, which was no end there; the quotes stay, so that JSON stays JSON.
pub(super) fn between_quotes(bytes: &[u8], span: Span) -> impl Iterator<Item = Span> {
    let text = &bytes[span.start..span.end];
    let quotes = memchr::memchr_iter(b'"', text).map(move |at| span.start + at);
    let quotes = quotes.filter(|at| escapes_before(bytes, *at).is_multiple_of(2));
    let mut starts: Vec<usize> = quotes.flat_map(|at| [at, at + 1]).collect();
    let is_whole = starts.is_empty();
    starts.insert(0, span.start);
    starts.push(span.end);
    let parts: Vec<Span> = starts
        .chunks_exact(2)
        .map(|ends| Span { start: ends[0], end: ends[1], ..span })
        .filter(|part| is_whole || holds_word(&bytes[part.start..part.end]))
        .collect();
    parts.into_iter()
}

/// Whether a part is more than what stands between the strings of JSON.
fn holds_word(part: &[u8]) -> bool {
    part.split(|byte| !Class::ANY64.has(*byte))
        .any(|word| word.len() >= WORD_MIN_BYTES && word.iter().any(u8::is_ascii_alphabetic))
}

/// The labels that stand in a text already.
fn labels(text: &[u8]) -> Vec<Range<usize>> {
    let beginnings = memchr::memmem::find_iter(text, LABEL_BEGINS);
    beginnings
        .filter_map(|start| {
            let end = RULE_NAME.run_end(text, start + LABEL_BEGINS.len(), RULE_NAME_MAX_BYTES);
            (text.get(end) == Some(&b']')).then_some(start..end + 1)
        })
        .collect()
}

/// A span that does not begin or end within a label; of one that lies within a label nothing is left.
fn beside_labels(span: Span, labels: &[Range<usize>]) -> Span {
    let ending_behind = |at: usize| labels.get(labels.partition_point(|label| label.end <= at));
    let cuts_begin = |label: &&Range<usize>| {
        label.start < span.start || (label.start == span.start && span.end < label.end)
    };
    let start = ending_behind(span.start).filter(cuts_begin).map_or(span.start, |label| label.end);
    let end = ending_behind(span.end).filter(|label| label.start < span.end);
    let end = end.map_or(span.end, |label| label.start).max(start);
    Span { start, end, ..span }
}

/// Leaves escapes whole that a span would cut in two, so that JSON stays JSON.
fn whole_escapes(bytes: &[u8], span: Range<usize>) -> Range<usize> {
    let start = (1..=UNICODE_ESCAPE_BYTES)
        .filter_map(|back| escape_end(bytes, span.start.checked_sub(back)?))
        .find(|&end| end > span.start)
        .unwrap_or(span.start);
    let is_cut = span.end > start && escapes_before(bytes, span.end) % 2 == 1;
    start..span.end.max(start) - usize::from(is_cut)
}

/// Where the escape ends that begins at `at`: `\n`, `\"`, `\u0041`.
fn escape_end(bytes: &[u8], at: usize) -> Option<usize> {
    let is_escape = bytes.get(at) == Some(&b'\\') && escapes_before(bytes, at).is_multiple_of(2);
    let digits = bytes.get(at + 2..at + UNICODE_ESCAPE_BYTES).unwrap_or_default();
    let is_unicode =
        bytes.get(at + 1) == Some(&b'u') && !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    is_escape.then_some(at + if is_unicode { UNICODE_ESCAPE_BYTES } else { 2 })
}

/// Which part of a text is kept when it is cut: the one before the mark or the one behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Front,
    Tail,
}

/// A place in a text, which moves when something before it is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) at: usize,
    pub(super) side: Side,
}

/// The text with each span replaced by its label.
pub(super) fn replaced(text: &str, spans: Vec<Span>) -> String {
    replaced_with_mark(text, spans, &mut Mark { at: 0, side: Side::Front })
}

/// As [`replaced`]. A mark within a span goes to that end of the label at which nothing of it is kept.
pub(super) fn replaced_with_mark(text: &str, spans: Vec<Span>, mark: &mut Mark) -> String {
    let source_at = mark.at;
    let mut out = String::with_capacity(text.len());
    let mut kept_until = 0;
    let labels = labels(text.as_bytes());
    let mut spans: Vec<Span> = spans.into_iter().map(|span| beside_labels(span, &labels)).collect();
    spans.retain(|span| span.start < span.end);
    for span in joined(spans) {
        let whole = whole_escapes(text.as_bytes(), span.start..span.end);
        let start = text.floor_char_boundary(whole.start).max(kept_until);
        let end = text.ceil_char_boundary(whole.end).max(start);
        if (kept_until..=start).contains(&source_at) {
            mark.at = out.len() + (source_at - kept_until);
        }
        out.push_str(&text[kept_until..start]);
        let label_start = out.len();
        out.push_str(LABEL_BEGINS);
        out.push_str(span.rule);
        out.push(']');
        if (start + 1..end).contains(&source_at) {
            mark.at = if mark.side == Side::Front { label_start } else { out.len() };
        }
        kept_until = end;
    }
    if source_at >= kept_until {
        mark.at = out.len() + (source_at - kept_until);
    }
    out.push_str(&text[kept_until..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, end: usize, rule: &'static str, rank: Rank) -> Span {
        Span { start, end, rule, rank }
    }

    #[test]
    fn overlapping_spans_are_joined_under_the_more_telling_label() {
        let spans = vec![
            span(4, 8, "form", Rank::Formed),
            span(2, 6, "name", Rank::Named),
            span(9, 10, "other", Rank::Placed),
        ];
        assert_eq!(replaced("0123456789abc", spans), "01[REDACTED:form]8[REDACTED:other]abc");
    }

    #[test]
    fn spans_that_only_touch_stay_two() {
        let spans = vec![span(0, 2, "a", Rank::Named), span(2, 4, "b", Rank::Named)];
        assert_eq!(replaced("0123", spans), "[REDACTED:a][REDACTED:b]");
    }

    #[test]
    fn a_span_never_cuts_an_escape() {
        assert_eq!(replaced("a\\nbcd", vec![span(2, 5, "x", Rank::Named)]), "a\\n[REDACTED:x]d");
        assert_eq!(replaced("abc\\\"d", vec![span(1, 4, "x", Rank::Named)]), "a[REDACTED:x]\\\"d");
        assert_eq!(replaced("a\\u0041bcd", vec![span(4, 9, "x", Rank::Named)]), "a\\u0041[REDACTED:x]d");
    }

    #[test]
    fn a_span_is_split_at_the_quotes_around_it() {
        let text = br#"{"a":"abcdefgh","b":1,"c":"ijkl\"mnop"}"#;
        let parts: Vec<_> = between_quotes(text, span(6, text.len(), "x", Rank::Named))
            .map(|part| std::str::from_utf8(&text[part.start..part.end]).unwrap())
            .collect();
        assert_eq!(parts, ["abcdefgh"]);
        assert_eq!(between_quotes(text, span(6, 14, "x", Rank::Named)).count(), 1);
    }

    #[test]
    fn a_label_is_never_taken_apart() {
        let text = "ab [REDACTED:x] cd";
        for (start, end, expect) in [
            (0, 2, "[REDACTED:new] [REDACTED:x] cd"),
            (0, 8, "[REDACTED:new][REDACTED:x] cd"),
            (3, 13, text),
            (5, 9, text),
            (14, 15, text),
            (14, 18, "ab [REDACTED:x][REDACTED:new]"),
            (3, 18, "ab [REDACTED:new]"),
            (0, 18, "[REDACTED:new]"),
        ] {
            assert_eq!(replaced(text, vec![span(start, end, "new", Rank::Named)]), expect);
        }
    }

    #[test]
    fn a_span_never_cuts_a_character() {
        assert_eq!(replaced("aéb", vec![span(2, 3, "x", Rank::Named)]), "a[REDACTED:x]b");
    }
}
