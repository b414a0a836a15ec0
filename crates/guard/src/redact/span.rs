//! What is to be replaced, and the replacing.

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

/// The text with each span replaced by its label.
pub(super) fn replaced(text: &str, spans: Vec<Span>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut kept_until = 0;
    for span in joined(spans) {
        let start = text.floor_char_boundary(span.start).max(kept_until);
        let end = text.ceil_char_boundary(span.end);
        out.push_str(&text[kept_until..start]);
        out.push_str("[REDACTED:");
        out.push_str(span.rule);
        out.push(']');
        kept_until = end;
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
    fn a_span_never_cuts_a_character() {
        assert_eq!(replaced("aéb", vec![span(2, 3, "x", Rank::Named)]), "a[REDACTED:x]b");
    }
}
