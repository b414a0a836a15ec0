//! Kubernetes secrets: everything under `data:` and `stringData:` of an object of that kind.

use std::ops::Range;

use super::chars::{Class, has_before, position, skip_blanks};
use super::placeholder::is_placeholder;
use super::quote::Quote;
use super::span::{Rank, Span};
use super::work;
use super::wrap::BORDERS;

/// How far from `kind: Secret` its data may stand, in bytes.
const DISTANCE_MAX_BYTES: usize = 8 * 1024;

/// A field that only secrets have: an anchor as well.
const STRING_DATA: &[u8] = b"stringData:";
/// Where the data begins.
const FIELDS: &[&str] = &["data:", "stringData:", "\"data\":", "\"stringData\":"];

/// Looks around the `kind: Secret` at `anchor`, on both sides: `kubectl` prints the data first.
/// `read_until` is where the data ended that was read last: several anchors may stand around the same data.
pub(super) fn find(bytes: &[u8], anchor: Range<usize>, read_until: &mut usize, spans: &mut Vec<Span>) {
    if bytes.get(anchor.end).is_some_and(|byte| Class::WORD.has(*byte)) {
        return; // `SecretProviderClass` and the like
    }
    if has_before(bytes, anchor.end, STRING_DATA) {
        if anchor.start >= *read_until {
            *read_until = find_data(bytes, anchor.end, bytes.len(), spans);
        }
        return;
    }
    let before = document_start(bytes, anchor.start)..anchor.start;
    let after = anchor.end..document_end(bytes, anchor.end);
    for side in [before, after] {
        for field in FIELDS {
            work::note(side.len());
            let mut found = memchr::memmem::find_iter(&bytes[side.clone()], field.as_bytes())
                .map(|offset| side.start + offset);
            // Not `metadata:`, and not the inside of `"data":`.
            let field_at =
                found.find(|&at| at == 0 || !(Class::WORD.has(bytes[at - 1]) || bytes[at - 1] == b'"'));
            if let Some(at) = field_at.filter(|at| at >= read_until) {
                *read_until = find_data(bytes, at + field.len(), bytes.len(), spans);
            }
        }
    }
}

fn document_start(bytes: &[u8], at: usize) -> usize {
    let start = at.saturating_sub(DISTANCE_MAX_BYTES);
    memchr::memmem::rfind(&bytes[start..at], b"\n---").map_or(start, |offset| start + offset)
}

fn document_end(bytes: &[u8], at: usize) -> usize {
    let limit = bytes.len().min(at + DISTANCE_MAX_BYTES);
    memchr::memmem::find(&bytes[at..limit], b"\n---").map_or(limit, |offset| at + offset)
}

/// The entries behind `data:`, in braces or as indented lines, and where they end.
fn find_data(bytes: &[u8], at: usize, limit: usize, spans: &mut Vec<Span>) -> usize {
    let open = skip_blanks(bytes, at, 8);
    if bytes.get(open) == Some(&b'{') {
        let end = memchr::memchr(b'}', &bytes[open..limit]).map_or(limit, |offset| open + offset);
        let mut entry = open + 1;
        while entry < end {
            let entry_end = memchr::memchr(b',', &bytes[entry..end]).map_or(end, |offset| entry + offset);
            work::note(entry_end - entry);
            add_value(bytes, entry, entry_end - entry, spans);
            entry = entry_end + 1;
        }
        return end;
    }
    let mut line = match memchr::memchr(b'\n', &bytes[at..limit]) {
        Some(offset) => at + offset + 1,
        None => return limit,
    };
    while line < limit && matches!(bytes[line], b' ' | b'\t') {
        let end = memchr::memchr(b'\n', &bytes[line..limit]).map_or(limit, |offset| line + offset);
        work::note(end - line);
        add_value(bytes, line, end - line, spans);
        line = end + 1;
    }
    line
}

/// `name: value`: the value is secret.
fn add_value(bytes: &[u8], start: usize, len: usize, spans: &mut Vec<Span>) {
    let entry = &bytes[start..start + len];
    let Some(colon) = memchr::memchr(b':', entry) else { return };
    let mut at = skip_blanks(bytes, start + colon + 1, 8);
    let mut end = start + len;
    if let Some(quote) = Quote::at(bytes, at) {
        at += quote.open_len();
        end = quote.end(bytes, at).unwrap_or(end).min(end.max(at));
    }
    // The text around the lines, or the right side of a box, may end here.
    let value = &bytes[at.min(end)..end];
    let value = &value[..value.iter().position(|byte| b"\"'`\\".contains(byte)).unwrap_or(value.len())];
    let border = BORDERS.iter().find_map(|border| position(value, border.as_bytes()));
    let value = value[..border.unwrap_or(value.len())].trim_ascii_end();
    let is_text = value.iter().all(|byte| !byte.is_ascii_whitespace() && !b"\"'`{}|\\".contains(byte));
    let is_secret = value.len() >= 4 && is_text && !is_placeholder(value);
    if is_secret {
        spans.push(Span { start: at, end: at + value.len(), rule: "kubernetes-secret", rank: Rank::Named });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        let mut spans = Vec::new();
        let at = text.find("Secret").unwrap();
        find(text.as_bytes(), at..at + 6, &mut 0, &mut spans);
        let found: Vec<_> = spans.iter().map(|span| &text[span.start..span.end]).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn all_data_of_a_secret_is_found_on_both_sides() {
        check(
            "kind: Secret\nmetadata:\n  name: x\ndata:\n  user: YWRtaW4=\n  conf: c29tZXRoaW5n\ntype: Opaque\n",
            &["YWRtaW4=", "c29tZXRoaW5n"],
        );
        check("apiVersion: v1\ndata:\n  user: YWRtaW4=\nkind: Secret\n", &["YWRtaW4="]);
        check(
            "{\"kind\":\"Secret\",\"data\":{\"user\":\"YWRtaW4=\",\"conf\":\"c29tZQ==\"},\"type\":\"Opaque\"}",
            &["YWRtaW4=", "c29tZQ=="],
        );
    }

    #[test]
    fn data_of_other_documents_stays() {
        check("kind: Secret\nmetadata:\n  name: x\n---\nkind: ConfigMap\ndata:\n  user: YWRtaW4=\n", &[]);
    }
}
