//! How a text is laid out, so that what is added looks as if its person had written it.

use crate::jsonc::{Node, trivia_end};

/// The line ends of a text.
pub(crate) fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The white space at the beginning of the line that a place is in.
pub(crate) fn indent_at(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(line..at).unwrap_or_default();
    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..blank).unwrap_or_default()
}

/// One step of indentation: what the first member of the outermost object has.
pub(crate) fn indent_unit<'a>(text: &'a str, root: Option<&Node>) -> &'a str {
    let first = root.and_then(|root| root.members()?.first());
    let unit = first.map_or("", |member| indent_at(text, member.start));
    if unit.is_empty() { "  " } else { unit }
}

/// Where something new goes into a container, and what stands around it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    /// The comma behind the last entry, if it needs one and a comment follows it: its place.
    pub(crate) comma_at: Option<usize>,
    /// The place of the new entry.
    pub(crate) at: usize,
    /// What goes before the first new entry.
    pub(crate) before: String,
    /// What goes between two new entries.
    pub(crate) between: String,
    /// What goes behind the last.
    pub(crate) after: String,
    /// The indentation of the new entries; `None` where all stands on one line.
    pub(crate) indent: Option<String>,
}

/// Finds the place for a new entry at the end of a container whose entries begin and end at these places.
pub(crate) fn slot(text: &str, unit: &str, container: &Node, entries: &[(usize, usize)]) -> Slot {
    match (entries.first(), entries.last()) {
        (Some(first), Some(last)) => slot_behind(text, container, first.0, last.1),
        _ => slot_in_empty(text, unit, container),
    }
}

fn slot_behind(text: &str, container: &Node, first_start: usize, last_end: usize) -> Slot {
    let eol = line_end(text);
    let opening = text.get(container.start..first_start).unwrap_or_default();
    let comma = trivia_end(text, last_end);
    let has_comma = text.get(comma..).is_some_and(|rest| rest.starts_with(','));
    let behind = if has_comma { comma + 1 } else { last_end };
    let remark_end = same_line_end(text, behind);
    // Behind a comment that lasts to the end of its line, only the next line will do.
    let needs_line = text.get(behind..remark_end).is_some_and(|remark| remark.contains("//"));
    let has_lines = opening.contains('\n') || needs_line;
    let indent = has_lines.then(|| indent_at(text, first_start).to_owned());
    let separator = indent.as_ref().map_or_else(|| " ".to_owned(), |indent| format!("{eol}{indent}"));
    let between = format!(",{separator}");
    if has_comma {
        return Slot {
            comma_at: None,
            at: remark_end,
            before: separator,
            between,
            after: ",".to_owned(),
            indent,
        };
    }
    if remark_end == behind {
        return Slot {
            comma_at: None,
            at: behind,
            before: between.clone(),
            between,
            after: String::new(),
            indent,
        };
    }
    Slot { comma_at: Some(behind), at: remark_end, before: separator, between, after: String::new(), indent }
}

/// The end of a comment that follows on the same line; the place itself if there is none.
fn same_line_end(text: &str, at: usize) -> usize {
    let end = trivia_end(text, at);
    let trivia = text.get(at..end).unwrap_or_default();
    let line = trivia.split('\n').next().unwrap_or_default().trim_end();
    if line.trim_start().starts_with('/') { at + line.len() } else { at }
}

fn slot_in_empty(text: &str, unit: &str, container: &Node) -> Slot {
    let eol = line_end(text);
    let closing = indent_at(text, container.start).to_owned();
    let indent = format!("{closing}{unit}");
    let inner = text.get(container.start + 1..container.end - 1).unwrap_or_default();
    let after = if inner.contains('\n') { String::new() } else { format!("{eol}{closing}") };
    Slot {
        comma_at: None,
        at: container.start + 1,
        before: format!("{eol}{indent}"),
        between: format!(",{eol}{indent}"),
        after,
        indent: Some(indent),
    }
}
