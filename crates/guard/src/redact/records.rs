//! Logs of containers, `{"log":"…\n","stream":…}`: the text that stands in their records, put together again.

use std::ops::Range;

use super::disguise;
use super::quote::Quote;
use super::view::View;
use super::work;

/// How such a record begins.
const BEGINNINGS: &[&[u8]] = &[b"{\"log\":\"", b"{\"log\": \""];
/// A lone record is read as any text.
const RECORDS_MIN: usize = 2;

/// What the records that stand one below the other say.
pub(super) fn texts(bytes: &[u8]) -> Vec<View> {
    let mut views = Vec::new();
    let mut until = 0;
    for at in memchr::memmem::find_iter(bytes, b"{\"log\":") {
        if at >= until {
            let lines = lines_from(bytes, at);
            until = lines.last().map_or(at + 1, |line| line.end);
            if lines.len() >= RECORDS_MIN {
                views.push(disguise::unescaped_parts(bytes, lines));
            }
        }
    }
    views
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
        let text = format!("x\n{}{}y\n{}", log("a \\\"b\\\"\\n"), log("c\\n"), log("d"));
        let shown: Vec<String> = texts(text.as_bytes())
            .iter()
            .map(|view| String::from_utf8_lossy(view.bytes()).into_owned())
            .collect();
        assert_eq!(shown, ["a \"b\"\nc\n"]);
    }
}
