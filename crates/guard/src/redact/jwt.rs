//! JSON web tokens: base64 parts with dots between them, the first of which begins with `{"`.

use std::ops::Range;

use super::chars::{Class, has_before, word_begins};
use super::margin;
use super::wrap;

/// The longest part that is followed, in bytes.
const PART_MAX_BYTES: usize = 16 * 1024;

/// Looks whether a token begins at the `eyJ` that was found.
pub(super) fn find(bytes: &[u8], anchor: Range<usize>) -> Option<Range<usize>> {
    let start = anchor.start;
    // Not behind a slash: a head holds none, and addresses have tokens in their paths.
    // `_eyJ…_`: what Markdown emphasises.
    let is_emphasis = has_before(bytes, start, b"_")
        && (start == 1 || matches!(bytes[start - 2], b' ' | b'\n' | b'(' | b'*' | b'_'));
    let goes_on = start > 0
        && matches!(bytes[start - 1], b'-' | b'_' | b'+')
        && !is_emphasis
        && !margin::ends_at(bytes, start);
    if bytes[anchor] != *b"eyJ" || goes_on || !word_begins(bytes, start) {
        return None;
    }
    // Without padding in it: a head then holds no other beginning of a token, and nothing is read twice.
    let head_end = wrap::run_end(bytes, start, Class::URL64, 0, PART_MAX_BYTES).unwrap_or(start);
    let head_end = Class::EQUALS.run_end(bytes, head_end, 2);
    if head_end - start < 12 || bytes.get(head_end) != Some(&b'.') {
        return None;
    }
    let mut end = head_end;
    let mut parts = 1;
    while parts < 5 && bytes.get(end) == Some(&b'.') {
        let next = part_end(bytes, end + 1);
        // An encrypted token may have one empty part; two dots at the end of a sentence are no parts.
        if next == end + 1 && bytes.get(next) != Some(&b'.') {
            break;
        }
        (end, parts) = (next, parts + 1);
    }
    let body = &bytes[head_end + 1..end.max(head_end + 1)];
    let is_signed = parts >= 3 && body.len() >= 16;
    let is_cut = parts == 2 && body.starts_with(b"eyJ") && body.len() >= 12;
    (is_signed || is_cut).then_some(start..end)
}

fn part_end(bytes: &[u8], start: usize) -> usize {
    wrap::run_end(bytes, start, Class::URL64.or(Class::EQUALS), 0, PART_MAX_BYTES).unwrap_or(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let at = text.find("eyJ").unwrap();
        assert_eq!(find(text.as_bytes(), at..at + 3).map(|range| &text[range]), expect, "{text}");
    }

    #[test]
    fn a_token_needs_its_parts() {
        check(
            "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl, y",
            Some("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"),
        );
        check("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0. y", Some("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0"));
        check(
            "x eyJhbGciOiJkaXIifQ..aXZpdml2aXY.Y2lwaGVy.dGFn y",
            Some("eyJhbGciOiJkaXIifQ..aXZpdml2aXY.Y2lwaGVy.dGFn"),
        );
        check("x eyJhbGciOiJIUzI1NiJ9 y", None);
        check("x eyJhbGciOiJIUzI1NiJ9... y", None);
        check("xeyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", None);
    }
}
