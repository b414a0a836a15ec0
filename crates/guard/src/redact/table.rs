//! Tables whose head names a secret: CSV, `psql`, boxes, Markdown. The head says what stands in a column.

use std::ops::Range;

use super::assignment::judged;
use super::chars::Class;
use super::judge::Join;
use super::names::{Kind, SecretName, read_name};
use super::random::Makeup;
use super::span::Span;
use super::work;

/// The longest head of a table, in bytes.
const HEAD_MAX_BYTES: usize = 512;
/// The longest row, in bytes.
const ROW_MAX_BYTES: usize = 4 * 1024;
/// The longest name of a column, in bytes.
const NAME_MAX_BYTES: usize = 40;
/// A secret without any sign is at least this long, in bytes.
const CELL_MIN_BYTES: usize = 8;
/// What cells are parted by.
const SEPARATORS: &[&str] = &["│", "┃", "║", "|", ",", ";", "\t"];

/// A column that holds secrets.
struct Column {
    index: usize,
    name: SecretName,
}

/// Whether the name around a stem fills a cell: nothing but a border stands beside it.
pub(super) fn is_cell(bytes: &[u8], stem: &Range<usize>) -> bool {
    let name = Class::WORD.or(Class::DASH);
    let (start, end) =
        (name.run_start(bytes, stem.start, NAME_MAX_BYTES), name.run_end(bytes, stem.end, NAME_MAX_BYTES));
    let is_edge = |byte: &u8| matches!(byte, b' ' | b'"' | b'`');
    let before = bytes[..start].iter().rev().take(NAME_MAX_BYTES).find(|byte| !is_edge(byte));
    let behind = bytes[end..].iter().take(NAME_MAX_BYTES).find(|byte| !is_edge(byte));
    let is_border =
        |byte: &u8| matches!(byte, b',' | b';' | b'|' | b'\t' | b'\n' | b'\r') || !byte.is_ascii();
    before.is_none_or(is_border) && behind.is_some_and(is_border)
}

/// Looks at the table whose head is the line around `at`, and says where it ends.
pub(super) fn find(bytes: &[u8], at: usize, spans: &mut Vec<Span>) -> usize {
    let head = line(bytes, at.saturating_sub(HEAD_MAX_BYTES), at, HEAD_MAX_BYTES);
    let Some((separator, count, columns)) = SEPARATORS.iter().find_map(|separator| {
        let cells = cells(bytes, head.clone(), separator);
        let columns = columns(bytes, &cells)?;
        Some((*separator, cells.len(), columns))
    }) else {
        return head.end;
    };
    let mut end = head.end;
    while end + 1 < bytes.len() {
        let row = line(bytes, end + 1, end + 1, ROW_MAX_BYTES);
        let text = &bytes[row.clone()];
        work::note(text.len());
        let cells = cells(bytes, row.clone(), separator);
        if cells.len() != count && !is_ruler(text) || text.is_empty() {
            break;
        }
        end = row.end;
        for column in &columns {
            let cell = cells.get(column.index).cloned().filter(|cell| is_chosen(&bytes[cell.clone()]));
            spans.extend(
                cell.and_then(|cell| judged(bytes, cell, column.name, Join::Line, /*is_quoted*/ true)),
            );
        }
    }
    end
}

fn line(bytes: &[u8], from: usize, at: usize, max: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |offset| from + offset + 1);
    let limit = bytes.len().min(at + max);
    let end = memchr::memchr(b'\n', &bytes[at..limit]).map_or(limit, |offset| at + offset);
    work::note(end - start);
    start..end
}

/// The cells of a line, without the blanks and quotes around them.
fn cells(bytes: &[u8], line: Range<usize>, separator: &str) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let mut start = line.start;
    let ends = memchr::memmem::find_iter(&bytes[line.clone()], separator).map(|offset| line.start + offset);
    for end in ends.chain([line.end]) {
        cells.push(trimmed(bytes, start..end.max(start)));
        start = (end + separator.len()).min(line.end);
    }
    cells
}

fn trimmed(bytes: &[u8], cell: Range<usize>) -> Range<usize> {
    let is_edge = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`');
    let text = &bytes[cell.clone()];
    let front = text.iter().take_while(|byte| is_edge(byte)).count();
    let back = text[front..].iter().rev().take_while(|byte| is_edge(byte)).count();
    cell.start + front..cell.end - back
}

/// The columns for secrets, if every cell of a head is a name.
fn columns(bytes: &[u8], cells: &[Range<usize>]) -> Option<Vec<Column>> {
    let is_name = |cell: &Range<usize>| {
        let text = &bytes[cell.clone()];
        text.len() <= NAME_MAX_BYTES
            && text.iter().all(|byte| Class::WORD.or(Class::DASH).has(*byte) || *byte == b' ')
    };
    let names = cells.iter().filter(|cell| !cell.is_empty()).count();
    (names >= 2 && cells.iter().all(is_name)).then_some(())?;
    let columns = cells.iter().enumerate().filter_map(|(index, cell)| {
        let name = read_name(&bytes[cell.clone()])?;
        matches!(name.kind, Kind::Password | Kind::Secret | Kind::Token).then_some(Column { index, name })
    });
    let columns: Vec<Column> = columns.collect();
    (!columns.is_empty()).then_some(columns)
}

/// The line between the head and the rows.
fn is_ruler(line: &[u8]) -> bool {
    line.iter().all(|byte| b"-+=|: ".contains(byte) || !byte.is_ascii())
}

/// Whether a cell was chosen to be hard to guess: in a table a name or a number is none.
fn is_chosen(cell: &[u8]) -> bool {
    let makeup = Makeup::of(cell);
    let is_mixed = makeup.digits > 0 && makeup.upper > 0 && makeup.lower > 0 && makeup.joints == 0;
    makeup.is_chosen() || (makeup.len >= CELL_MIN_BYTES && is_mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        let mut spans = Vec::new();
        find(text.as_bytes(), text.find("pass").unwrap(), &mut spans);
        super::super::span::replaced(text, spans)
    }

    #[test]
    fn what_stands_below_the_name_of_a_secret_goes() {
        assert_eq!(
            hidden("user,password\nbob,hun!ter2x\nal,\n\nx,hun!ter2x"),
            "user,password\nbob,[REDACTED:password]\nal,\n\nx,hun!ter2x"
        );
        assert_eq!(hidden("id;password;x\n1;\"hun!ter2x\";y"), "id;password;x\n1;\"[REDACTED:password]\";y");
        assert_eq!(
            hidden(" name | password \n------+-----\n bob  | hun!ter2x\n(1 row)"),
            " name | password \n------+-----\n bob  | [REDACTED:password]\n(1 row)"
        );
        assert_eq!(
            hidden("│ name │ password │\n├──────┼──────┤\n│ bob │ hun!ter2x │"),
            "│ name │ password │\n├──────┼──────┤\n│ bob │ [REDACTED:password] │"
        );
    }

    #[test]
    fn words_and_numbers_below_it_stay() {
        for text in [
            "| password | type |\n|---|---|\n| required | string |",
            "user, password, host\nbob, getPassword(), localhost8080",
            "def connect(user, password,\n            host2Name!, x1)",
            "password,2024-01-01,x\nabc,12345678,y",
        ] {
            assert_eq!(hidden(text), text);
        }
    }
}
