//! Tables whose head names a secret: CSV, `psql`, boxes, Markdown. The head says what stands in a column.

use std::ops::Range;

use super::assignment::judged;
use super::chars::{Class, contains, has_at, has_before, position};
use super::chosen::are_words;
use super::header::is_cookie;
use super::judge::{Join, is_word_as_password};
use super::names::{Kind, SecretName, read_name};
use super::placeholder::Words;
use super::random::{Makeup, is_complex};
use super::span::{Rank, Span};
use super::vocabulary::{USER_WORDS, USERS};
use super::work;

/// The longest head of a table, in bytes.
const HEAD_MAX_BYTES: usize = 512;
/// The longest row, in bytes.
const ROW_MAX_BYTES: usize = 4 * 1024;
/// The longest name of a column, in bytes.
const NAME_MAX_BYTES: usize = 40;
/// A secret without any sign is at least this long, in bytes.
const CELL_MIN_BYTES: usize = 8;
/// What was drawn is at least this long, in bytes.
const DRAWN_MIN_BYTES: usize = 20;
/// What cells are parted by; the last stands for two blanks or more.
const SEPARATORS: &[&str] = &["│", "┃", "║", "|", ",", ";", "\t", LOGIN, BLANKS];
const BLANKS: &str = "  ";
/// `user:password`
const LOGIN: &str = ":";
/// Between these a cell may be quoted, and then hold them.
const QUOTING: &[&str] = &[",", ";", "\t"];
/// How many cells a line of a cookie jar has, and which of them are the name and the value.
const JAR_CELLS: usize = 7;
const JAR_NAME: usize = 5;
const JAR_VALUE: usize = 6;
/// What two cells of such a line are: anchors.
pub(super) const JAR_FLAGS: &[&str] = &["\ttrue\t", "\tfalse\t"];

/// A column that holds secrets.
struct Column {
    index: usize,
    name: SecretName,
    /// Whether another column names users: then this one holds their passwords, and not what there is to say about passwords.
    is_beside_user: bool,
}

/// A table that was looked at.
pub(super) struct Looked {
    /// Where it ends.
    pub(super) end: usize,
    /// Whether it may be one whose lines something stands before, or whose line ends are written out.
    pub(super) is_behind_margin: bool,
}

/// Whether the name around a stem fills a cell: nothing but a border stands beside it.
pub(super) fn is_cell(bytes: &[u8], stem: &Range<usize>) -> bool {
    let Range { start, end } = name_around(bytes, stem);
    let is_edge = |byte: &u8| matches!(byte, b' ' | b'"' | b'`' | b'*');
    let before = bytes[..start].iter().rev().take(NAME_MAX_BYTES).find(|byte| !is_edge(byte));
    let behind = bytes[end..].iter().take(NAME_MAX_BYTES).find(|byte| !is_edge(byte));
    let is_border =
        |byte: &u8| matches!(byte, b',' | b';' | b'|' | b'\t' | b'\n' | b'\r' | b'\\') || !byte.is_ascii();
    let begins = before.is_none_or(is_border)
        || has_before(bytes, start, BLANKS.as_bytes())
        || has_before(bytes, start, LOGIN.as_bytes());
    let is_of_page = has_before(bytes, start, b">") && has_at(bytes, end, b"</t");
    is_of_page || (begins && (behind.is_some_and(is_border) || has_at(bytes, end, BLANKS.as_bytes())))
}

/// Looks at the table of whose head a stem is part.
pub(super) fn find(bytes: &[u8], stem: &Range<usize>, spans: &mut Vec<Span>) -> Looked {
    let name = name_around(bytes, stem);
    match read_name(&bytes[name.clone()]) {
        Some(secret) if has_at(bytes, name.end, b"</t") => {
            Looked { end: find_in_page(bytes, name.end, secret, spans), is_behind_margin: false }
        }
        _ => find_in_lines(bytes, stem.start, spans),
    }
}

fn name_around(bytes: &[u8], stem: &Range<usize>) -> Range<usize> {
    let name = Class::WORD.or(Class::DASH);
    name.run_start(bytes, stem.start, NAME_MAX_BYTES)..name.run_end(bytes, stem.end, NAME_MAX_BYTES)
}

/// The table whose head is the line around `at`, or what of that line is behind the name of a field (`"content":"`, `body=`).
fn find_in_lines(bytes: &[u8], at: usize, spans: &mut Vec<Span>) -> Looked {
    let head = line(bytes, at.saturating_sub(HEAD_MAX_BYTES), at, HEAD_MAX_BYTES);
    let field = memchr::memrchr2(b'"', b'=', &bytes[head.start..at]).map(|offset| head.start + offset);
    let behind_field =
        field.map(|end| end + 1..head.end).filter(|rest| bytes[rest.clone()].iter().all(is_of_head));
    let Some((separator, count, columns)) =
        [Some(head.clone()), behind_field].iter().flatten().find_map(|head| {
            SEPARATORS.iter().find_map(|separator| {
                let cells = cells(bytes, head.clone(), separator);
                let columns = columns(bytes, &cells, separator)?;
                Some((*separator, cells.len(), columns))
            })
        })
    else {
        return Looked { end: head.end, is_behind_margin: names_columns(bytes, head, at) };
    };
    let end = rows(bytes, head.end, separator, count, &columns, spans);
    Looked { end, is_behind_margin: end == head.end && names_columns(bytes, head, at) }
}

/// What names of columns, and the borders between them, are written with.
fn is_of_head(byte: &u8) -> bool {
    Class::URL64.has(*byte) || b" \t*,;|:".contains(byte) || !byte.is_ascii()
}

/// Whether a line ends in nothing but names with borders between them, of which `at` is in one.
fn names_columns(bytes: &[u8], line: Range<usize>, at: usize) -> bool {
    let front = bytes[line.start..at].iter().rev().take_while(|byte| is_of_head(byte)).count();
    let back = bytes[at..line.end].iter().take_while(|byte| is_of_head(byte)).count();
    work::note(front + back);
    let end = at + back;
    let ends_line = end == line.end
        || has_at(bytes, end, b"\r")
        || has_at(bytes, end, b"\\n")
        || has_at(bytes, end, b"\\\\");
    let is_border = |byte: &u8| b"\t,;|:".contains(byte) || !byte.is_ascii();
    let cells = bytes[at - front..end].split(is_border);
    let names = cells.filter(|cell| cell.iter().any(u8::is_ascii_alphabetic));
    ends_line && end < bytes.len() && names.take(2).count() == 2 && {
        let name = Class::URL64.run_start(bytes, at, NAME_MAX_BYTES)
            ..Class::URL64.run_end(bytes, at, NAME_MAX_BYTES);
        read_name(&bytes[name]).is_some_and(is_of_column)
    }
}

fn is_of_column(name: SecretName) -> bool {
    matches!(name.kind, Kind::Password | Kind::Secret | Kind::Token)
}

/// Looks at the rows that a database copies; their columns are named in the statement before them.
pub(super) fn find_below(bytes: &[u8], names: Range<usize>, spans: &mut Vec<Span>) -> usize {
    let cells = cells(bytes, names.clone(), ",");
    let Some(columns) = columns(bytes, &cells, ",") else { return names.end };
    let statement = line(bytes, names.end, names.end, HEAD_MAX_BYTES);
    rows(bytes, statement.end, "\t", cells.len(), &columns, spans)
}

/// Looks at the rows behind a head, and says where they end.
fn rows(
    bytes: &[u8],
    head_end: usize,
    separator: &str,
    count: usize,
    columns: &[Column],
    spans: &mut Vec<Span>,
) -> usize {
    let mut end = head_end;
    while end + 1 < bytes.len() {
        let row = line(bytes, end + 1, end + 1, ROW_MAX_BYTES);
        let text = &bytes[row.clone()];
        work::note(text.len());
        let cells = cells(bytes, row.clone(), separator);
        if cells.len() != count && !is_ruler(text) || text.is_empty() {
            break;
        }
        end = row.end;
        for column in columns {
            spans.extend(cells.get(column.index).and_then(|cell| secret(bytes, cell.clone(), column)));
        }
    }
    end
}

/// Looks at the rows of a page below the cell `<th>name</th>` at `at`, and says where they end.
fn find_in_page(bytes: &[u8], at: usize, name: SecretName, spans: &mut Vec<Span>) -> usize {
    let from = at.saturating_sub(HEAD_MAX_BYTES);
    work::note(at - from);
    let Some(head) = memchr::memmem::rfind(&bytes[from..at], b"<tr").map(|offset| from + offset) else {
        return at;
    };
    let Some(index) = page_cells(&bytes[head..at]).count().checked_sub(1) else { return at };
    let column = Column { index, name, is_beside_user: false };
    let mut end = at;
    loop {
        let window = &bytes[end..bytes.len().min(end + ROW_MAX_BYTES)];
        let Some(row) = position(window, b"<tr") else { return end };
        let row_end = position(&window[row..], b"</tr").map_or(window.len(), |len| row + len);
        work::note(row_end);
        if contains(&window[..row], b"</table") {
            return end;
        }
        if let Some(cell) = page_cells(&window[row..row_end]).nth(index) {
            let start = end + row + cell;
            let inner = &bytes[start..end + row_end];
            let len = memchr::memchr(b'<', inner).unwrap_or(inner.len());
            spans.extend(secret(bytes, trimmed(bytes, start..start + len), &column));
        }
        end += row_end;
    }
}

/// Where the cells of a row begin, behind their tags.
fn page_cells(row: &[u8]) -> impl Iterator<Item = usize> {
    let is_cell = |at: &usize| matches!(row.get(at + 2), Some(b'h' | b'd')) && !has_at(row, *at, b"<thead");
    let tags = memchr::memmem::find_iter(row, b"<t").filter(is_cell);
    tags.filter_map(|at| Some(at + 1 + memchr::memchr(b'>', &row[at..])?))
}

/// What a cell below a telling name hides.
fn secret(bytes: &[u8], cell: Range<usize>, column: &Column) -> Option<Span> {
    let text = &bytes[cell.clone()];
    let makeup = Makeup::of(text);
    let is_drawn = makeup.len >= DRAWN_MIN_BYTES && makeup.is_random();
    if is_chosen(&makeup) || is_drawn {
        return judged(bytes, cell, column.name, Join::Line, /*is_quoted*/ true);
    }
    // A password may be simple, but is no name and no version, unless it is somebody's.
    let is_simple = column.name.kind == Kind::Password
        && (makeup.joints == 0 || makeup.is_random() || is_complex(text) || column.is_beside_user);
    let simple =
        is_simple.then(|| judged(bytes, cell.clone(), column.name, Join::Prose, /*is_quoted*/ false));
    // Somebody's password may be nothing but words. With a dash between them they are a remark.
    let is_word = || is_word_as_password(text) || !text.contains(&b'-') && are_words(text, &makeup);
    let is_somebodys = || column.name.kind == Kind::Password && column.is_beside_user && is_word();
    simple.flatten().or_else(|| {
        let Range { start, end } = cell;
        is_somebodys().then_some(Span { start, end, rule: column.name.rule, rank: Rank::Named })
    })
}

/// A line of a cookie jar as browsers and `curl` keep it, and where it ends; `flag` is one of its cells.
pub(super) fn find_in_jar(bytes: &[u8], flag: &Range<usize>, read_until: &mut usize) -> Option<Span> {
    let line = line(bytes, flag.start.saturating_sub(HEAD_MAX_BYTES), flag.start, ROW_MAX_BYTES);
    *read_until = line.end;
    let cells = cells(bytes, line, "\t");
    let (name, value) = (cells.get(JAR_NAME)?.clone(), cells.get(JAR_VALUE)?.clone());
    let is_secret = cells.len() == JAR_CELLS && is_cookie(&bytes[name], &bytes[value.clone()]);
    is_secret.then_some(Span { start: value.start, end: value.end, rule: "cookie", rank: Rank::Placed })
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
    let line = if separator == BLANKS { trimmed(bytes, line) } else { line };
    let mut cells = Vec::new();
    let mut start = line.start;
    let mut quoted_until = quote_end(bytes, start..line.end, separator);
    let ends = memchr::memmem::find_iter(&bytes[line.clone()], separator).map(|offset| line.start + offset);
    for end in ends.chain([line.end]) {
        if end < quoted_until {
            continue;
        }
        // More blanks are one border.
        if separator != BLANKS || end > start {
            cells.push(trimmed(bytes, start.min(end)..end));
        }
        start = (end + separator.len()).min(line.end);
        quoted_until = quote_end(bytes, start..line.end, separator);
    }
    cells
}

/// Where the quotes around a cell close that begins here.
fn quote_end(bytes: &[u8], rest: Range<usize>, separator: &str) -> usize {
    let is_quoted = QUOTING.contains(&separator) && has_at(bytes, rest.start, b"\"");
    let mut at = rest.start + 1;
    while is_quoted && at < rest.end {
        let Some(close) = memchr::memchr(b'"', &bytes[at..rest.end]).map(|offset| at + offset) else { break };
        work::note(close - at);
        if !has_at(bytes, close + 1, b"\"") {
            return close;
        }
        at = close + 2;
    }
    rest.start
}

fn trimmed(bytes: &[u8], cell: Range<usize>) -> Range<usize> {
    let is_edge = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`');
    let text = &bytes[cell.clone()];
    let front = text.iter().take_while(|byte| is_edge(byte)).count();
    let back = text[front..].iter().rev().take_while(|byte| is_edge(byte)).count();
    cell.start + front..cell.end - back
}

/// The columns for secrets, if every cell of a head is a name.
fn columns(bytes: &[u8], cells: &[Range<usize>], separator: &str) -> Option<Vec<Column>> {
    let is_name = |cell: &Range<usize>| {
        let text = &bytes[cell.clone()];
        text.len() <= NAME_MAX_BYTES
            && text.iter().all(|byte| Class::WORD.or(Class::DASH).has(*byte) || b" *".contains(byte))
    };
    let names = cells.iter().filter(|cell| !cell.is_empty()).count();
    (names >= 2 && cells.iter().all(is_name)).then_some(())?;
    let is_login = || USER_WORDS.any_in(&bytes[cells[0].clone()].to_ascii_lowercase());
    (separator != LOGIN || (cells[0].end + 1 == cells[1].start && is_login())).then_some(())?;
    let names_user = |cell: &Range<usize>| Words::of(&bytes[cell.clone()]).any(|word| USERS.has(word));
    let is_beside_user = cells.iter().any(names_user);
    let columns = cells.iter().enumerate().filter_map(|(index, cell)| {
        let name = read_name(&bytes[cell.clone()])?;
        is_of_column(name).then_some(Column { index, name, is_beside_user })
    });
    let columns: Vec<Column> = columns.collect();
    (!columns.is_empty()).then_some(columns)
}

/// The line between the head and the rows.
fn is_ruler(line: &[u8]) -> bool {
    line.iter().all(|byte| b"-+=|: ".contains(byte) || !byte.is_ascii())
}

/// Whether a cell was chosen to be hard to guess: in a table a name or a number is none.
fn is_chosen(makeup: &Makeup) -> bool {
    let is_mixed = makeup.digits > 0 && makeup.upper > 0 && makeup.lower > 0 && makeup.joints == 0;
    makeup.is_chosen() || (makeup.len >= CELL_MIN_BYTES && is_mixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        let mut spans = Vec::new();
        let at = text.find("pass").unwrap();
        find(text.as_bytes(), &(at..at + 4), &mut spans);
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
