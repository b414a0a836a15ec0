//! Names that stand apart from their values, in the same order: `INSERT INTO users (name, password) VALUES ('bob', '…')`,
//! `COPY users (name, password) FROM stdin`.

use std::ops::Range;

use super::assignment::judged;
use super::chars::{has_at, position, skip_blanks};
use super::judge::Join;
use super::names::{Kind, read_name};
use super::quote::Quote;
use super::span::Span;
use super::work;

/// How much of a statement is looked at, in bytes.
const STATEMENT_MAX_BYTES: usize = 4 * 1024;
/// How far behind `INSERT INTO` its names may begin, in bytes.
const TABLE_MAX_BYTES: usize = 96;
/// How many columns are counted.
const COLUMNS_MAX: usize = 64;

/// Looks at the statement behind `INSERT INTO`.
pub(super) fn find(bytes: &[u8], behind: usize, spans: &mut Vec<Span>) {
    let limit = bytes.len().min(behind + STATEMENT_MAX_BYTES);
    let table = &bytes[behind..limit.min(behind + TABLE_MAX_BYTES)];
    let Some(open) = memchr::memchr2(b'(', b';', table).map(|offset| behind + offset) else { return };
    let Some((names, end)) = list(bytes, open, limit) else { return };
    let is_secret = |name: &Range<usize>| {
        read_name(&bytes[name.clone()]).filter(|name| matches!(name.kind, Kind::Password | Kind::Secret))
    };
    let columns: Vec<_> =
        names.iter().enumerate().filter_map(|(at, name)| Some((at, is_secret(name)?))).collect();
    let Some(values) =
        position(&bytes[end..limit.min(end + TABLE_MAX_BYTES)].to_ascii_lowercase(), b"values")
            .filter(|_| !columns.is_empty())
    else {
        return;
    };
    let mut at = end + values + b"values".len();
    loop {
        at = at
            + bytes[at..limit].iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
        let Some((cells, end)) = list(bytes, at, limit) else { return };
        for (index, name) in &columns {
            let value = cells.get(*index).cloned().filter(|cell| has_quotes(bytes, cell));
            spans.extend(value.and_then(|value| judged(bytes, value, *name, Join::Json, /*is_quoted*/ true)));
        }
        at = end;
    }
}

/// `COPY users (name, password) FROM stdin;` and its rows: the columns are the head of a table.
pub(super) fn copied(bytes: &[u8], behind: usize) -> Option<Range<usize>> {
    let limit = bytes.len().min(behind + STATEMENT_MAX_BYTES);
    let table = &bytes[behind..limit.min(behind + TABLE_MAX_BYTES)];
    let open = behind + memchr::memchr3(b'(', b';', b'\n', table)?;
    let (_, end) = list(bytes, open, limit)?;
    let tail = &bytes[end..limit.min(end + TABLE_MAX_BYTES)];
    work::note(tail.len());
    has_at(tail, 0, b" from stdin").then_some(open + 1..end - 1)
}

fn has_quotes(bytes: &[u8], cell: &Range<usize>) -> bool {
    cell.start > 0 && matches!(bytes[cell.start - 1], b'\'' | b'"')
}

/// The parts of a list in parentheses without their quotes, and where it ends.
fn list(bytes: &[u8], open: usize, limit: usize) -> Option<(Vec<Range<usize>>, usize)> {
    has_at(bytes, open, b"(").then_some(())?;
    let mut parts = Vec::new();
    let mut at = skip_blanks(bytes, open + 1, 8);
    while parts.len() < COLUMNS_MAX {
        let part = match Quote::at(bytes, at) {
            Some(quote) => {
                let start = at + quote.open_len();
                let end = quote.end_before(bytes, start, limit)?;
                at = end + quote.closes_at(bytes, end)?;
                start..end
            }
            None => {
                let start = at;
                at += bytes
                    .get(at..limit)?
                    .iter()
                    .position(|byte| matches!(byte, b',' | b')' | b'(' | b'\''))?;
                start..start + bytes[start..at].trim_ascii_end().len()
            }
        };
        work::note(part.len() + 1);
        parts.push(part);
        at = skip_blanks(bytes, at, 8);
        match bytes.get(at)? {
            b')' => return Some((parts, at + 1)),
            b',' => at = skip_blanks(bytes, at + 1, 8),
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        let mut spans = Vec::new();
        find(text.as_bytes(), b"INSERT INTO ".len(), &mut spans);
        super::super::span::replaced(text, spans)
    }

    #[test]
    fn the_value_of_each_row_goes() {
        assert_eq!(
            hidden("INSERT INTO users (name, password) VALUES ('bob', 'toor'), ('al', 'a,b)c');"),
            "INSERT INTO users (name, password) VALUES ('bob', '[REDACTED:password]'), ('al', '[REDACTED:password]');"
        );
    }

    #[test]
    fn other_statements_stay() {
        for text in [
            "INSERT INTO users (name, mail) VALUES ('bob', 'toor');",
            "INSERT INTO users (name, password) VALUES (?, ?);",
            "INSERT INTO users (name, password) SELECT 'a', 'toor'",
            "INSERT INTO users VALUES ('bob', 'toor')",
        ] {
            assert_eq!(hidden(text), text);
        }
    }
}
