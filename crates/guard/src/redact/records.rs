//! Logs of containers, `{"log":"…\n","stream":…}`: the text that stands in their records, put together again.

use std::ops::Range;

use super::disguise;
use super::quote::Quote;
use super::view::View;
use super::work;

/// How such a record begins: an anchor.
pub(super) const ANCHOR: &str = "{\"log\":";
const BEGINNINGS: &[&[u8]] = &[b"{\"log\":\"", b"{\"log\": \""];
/// A lone record is read as any text.
const RECORDS_MIN: usize = 2;

/// What the records say that stand one below the other from `at` on, and where they end.
pub(super) fn text_at(bytes: &[u8], at: usize) -> Option<(View, usize)> {
    let begins_line = at == 0 || bytes[at - 1] == b'\n';
    begins_line.then_some(())?;
    let lines = lines_from(bytes, at);
    let end = lines.last().filter(|_| lines.len() >= RECORDS_MIN)?.end;
    Some((disguise::unescaped_parts(bytes, lines), end))
}

/// The texts of the records from `at` on.
fn lines_from(bytes: &[u8], mut at: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    while let Some(beginning) = BEGINNINGS.iter().find(|beginning| bytes[at..].starts_with(beginning)) {
        let start = at + beginning.len();
        let line_end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |offset| start + offset);
        let quote = Quote::Plain { mark: b'"', escapes: 0, times: 1 };
        let Some(end) = quote.end_before(bytes, start, line_end) else { break };
        work::note(line_end - at);
        lines.push(start..end);
        at = (line_end + 1).min(bytes.len());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_one_below_the_other_are_one_text() {
        let log = |text: &str| format!("{{\"log\":\"{text}\",\"stream\":\"stdout\"}}\n");
        let text = format!("{}{}y\n{}", log("a \\\"b\\\"\\n"), log("c\\n"), log("d"));
        let (view, end) = text_at(text.as_bytes(), 0).unwrap();
        assert_eq!(view.bytes(), b"a \"b\"\nc\n");
        assert!(text_at(text.as_bytes(), text.find("y\n").unwrap() + 2).is_none() && end < text.len());
    }
}
