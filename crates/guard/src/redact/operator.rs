//! What stands between a name and its value.

use super::chars::{Class, has_at, has_before, skip_blanks};
use super::quote::Quote;
use super::vocabulary::WRAPPERS;
use super::wrap::BORDERS;

/// How many blanks may stand around an operator: settings are aligned in columns.
const BLANKS_MAX: usize = 40;
/// How far before a name the border of its cell may stand, in bytes.
const CELL_MAX_BYTES: usize = 24;
/// How far a type may go on before the `=` that follows it, in bytes.
const TYPE_MAX_BYTES: usize = 64;
/// How far the attributes of an element may go, in bytes.
const ATTRIBUTES_MAX_BYTES: usize = 200;
/// How long the name of a function that wraps a value may be, in bytes.
const WRAPPER_MAX_BYTES: usize = 48;
/// The longest text in brackets that is looked at, in bytes.
const BRACKET_MAX_BYTES: usize = 256;
/// How many blanks a form may encode before a value.
const FORM_BLANKS_MAX: usize = 4;
/// How long what belongs to a declaration may be behind its name, in bytes.
const DECLARED_MAX_BYTES: usize = 32;

const CDATA: &[u8] = b"<![CDATA[";
/// What the names of anchors and types are made of in YAML.
const NODE_NAME: Class = Class::WORD.or(Class::DASH).or(Class::DOT);

/// A sign that joins a name with what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Colon,
    Equals,
    /// `=>`
    Arrow,
    /// `==`, `!=`, `||`, `??`
    Loose,
    /// `,`
    Comma,
    /// `|` between the cells of a table
    Cell,
    /// `(`
    Call,
    /// `>` of an element
    Element,
    /// Nothing but blanks.
    Blank,
}

/// The operator after a name, and where what follows it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Joined {
    pub(super) operator: Operator,
    /// Behind the operator and the blanks.
    pub(super) value_at: usize,
    /// Whether there are blanks around the operator.
    pub(super) is_spaced: bool,
    /// Whether the name is quoted by itself.
    pub(super) name_is_quoted: bool,
}

const SPELLINGS: &[(&str, Option<Operator>)] = &[
    ("===", Some(Operator::Loose)),
    ("!==", Some(Operator::Loose)),
    ("||=", Some(Operator::Equals)),
    ("??=", Some(Operator::Equals)),
    ("://", None),
    ("%3D", Some(Operator::Equals)),
    ("%3A", Some(Operator::Colon)),
    ("\\u003d", Some(Operator::Equals)),
    ("==", Some(Operator::Loose)),
    ("!=", Some(Operator::Loose)),
    ("||", Some(Operator::Loose)),
    ("??", Some(Operator::Loose)),
    ("=>", Some(Operator::Arrow)),
    (":=", Some(Operator::Equals)),
    ("?=", Some(Operator::Equals)),
    ("+=", Some(Operator::Equals)),
    ("?:", Some(Operator::Colon)),
    ("!:", Some(Operator::Colon)),
    ("=~", None),
    // LDIF writes two colons before base64.
    (":: ", Some(Operator::Colon)),
    ("::", None),
    ("<<-", Some(Operator::Equals)),
    ("<-", Some(Operator::Equals)),
    ("=", Some(Operator::Equals)),
    (":", Some(Operator::Colon)),
    ("：", Some(Operator::Colon)),
    // `密码是 …`, `パスワードは …`, `비밀번호는 …`
    ("是", Some(Operator::Colon)),
    ("为", Some(Operator::Colon)),
    ("為", Some(Operator::Colon)),
    ("は", Some(Operator::Colon)),
    ("는", Some(Operator::Colon)),
    ("은", Some(Operator::Colon)),
];

/// Looks for an operator behind the name `start..end`.
pub(super) fn operator_after(bytes: &[u8], start: usize, end: usize) -> Option<Joined> {
    let own_quote = Quote::before(bytes, start).and_then(|quote| quote.closes_at(bytes, end));
    let name_is_quoted = own_quote.is_some();
    let mut at = end + own_quote.unwrap_or(0);
    let is_subscript =
        name_is_quoted || has_before(bytes, start, b"env[") || is_printed_key(bytes, start, at);
    if is_subscript && bytes.get(at) == Some(&b']') {
        at += 1;
    }
    at = skip_declared(bytes, skip_emphasis(bytes, at));
    let sign_at = skip_complex_key(bytes, start, at).unwrap_or_else(|| skip_blanks(bytes, at, BLANKS_MAX));
    let (operator, sign_len) = match bytes.get(sign_at) {
        Some(b'>') if opens_element(bytes, start) => (Operator::Element, 1),
        Some(byte) if sign_at > at && byte.is_ascii_alphabetic() && opens_element(bytes, start) => {
            (Operator::Element, attributes_len(bytes, sign_at)?)
        }
        _ if border_len(bytes, sign_at) > 0
            && !has_at(bytes, sign_at, b"||")
            && begins_cell(bytes, start) =>
        {
            (Operator::Cell, border_len(bytes, sign_at))
        }
        Some(b'{' | b'}') if sign_at == at && macro_body(bytes, start, at).is_some() => {
            (Operator::Equals, macro_body(bytes, start, at)?)
        }
        Some(b',') if name_is_quoted || bytes.get(sign_at + 1) == Some(&b' ') => (Operator::Comma, 1),
        _ => sign(bytes, sign_at, sign_at > at)?,
    };
    let behind = skip_emphasis(bytes, sign_at + sign_len);
    let behind = if bytes.get(sign_at) == Some(&b'%') { skip_form_blanks(bytes, behind) } else { behind };
    let value_at = skip_to_value(bytes, behind, operator);
    let is_spaced = sign_at > at || value_at > behind;
    Some(Joined { operator, value_at, is_spaced, name_is_quoted })
}

fn sign(bytes: &[u8], at: usize, after_blank: bool) -> Option<(Operator, usize)> {
    if let Some((text, operator)) = SPELLINGS.iter().find(|(text, _)| has_at(bytes, at, text.as_bytes())) {
        return operator.map(|operator| (operator, text.len()));
    }
    match bytes.get(at)? {
        b'(' if !after_blank => Some((Operator::Call, 1)),
        b'{' if !after_blank && Quote::at(bytes, at + 1).is_some() => Some((Operator::Call, 1)),
        _ if after_blank => Some((Operator::Blank, 0)),
        _ => None,
    }
}

/// `name[] = "…"`, `name[64] = "…"`, `Name { get; set; } = "…"`: the position behind what belongs to the declaration.
fn skip_declared(bytes: &[u8], at: usize) -> usize {
    let (open, close) = match bytes.get(at..).unwrap_or_default() {
        [b'[', ..] => (at, b']'),
        [b' ', b'{', b' ', b'g', ..] => (at + 1, b'}'),
        _ => return at,
    };
    let window = &bytes[open..bytes.len().min(open + DECLARED_MAX_BYTES)];
    let Some(len) = memchr::memchr2(close, b'\n', window).filter(|len| window[*len] == close) else {
        return at;
    };
    let sign = skip_blanks(bytes, open + len + 1, BLANKS_MAX);
    let value = skip_blanks(bytes, sign + 1, BLANKS_MAX);
    let is_text = bytes.get(sign) == Some(&b'=') && Quote::at(bytes, value).is_some();
    if is_text { open + len + 1 } else { at }
}

/// `\newcommand{\name}{…}`, `\def\name{…}`: how long the sign before the body of a macro of TeX is.
fn macro_body(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let command = start - bytes[..start].iter().rev().take(8).take_while(|byte| **byte == b'\\').count();
    let is_defined = has_at(bytes, end, b"}{") && has_before(bytes, command, b"{");
    match command < start {
        true if is_defined => Some(2),
        true if has_at(bytes, end, b"{") && has_before(bytes, command, b"def") => Some(1),
        _ => None,
    }
}

/// `? name` and `: value` on the next line, as YAML may write it: the position of the colon.
fn skip_complex_key(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    has_before(bytes, start, b"? ").then_some(())?;
    let line = end + usize::from(bytes.get(end) == Some(&b'\r'));
    let colon = skip_blanks(bytes, line + 1, BLANKS_MAX);
    (bytes.get(line) == Some(&b'\n') && has_at(bytes, colon, b": ")).then_some(colon)
}

/// How long the attributes of an element are, with the `>` behind them.
fn attributes_len(bytes: &[u8], at: usize) -> Option<usize> {
    let window = &bytes[at..bytes.len().min(at + ATTRIBUTES_MAX_BYTES)];
    let end = window.iter().position(|byte| matches!(byte, b'<' | b'>' | b'\n'))?;
    (window[end] == b'>' && end > 0 && window[end - 1] != b'/').then_some(end + 1)
}

/// `**name:** value`: the marks of bold text in Markdown.
fn skip_emphasis(bytes: &[u8], at: usize) -> usize {
    let marks = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b'*').count();
    if (1..=3).contains(&marks) { at + marks } else { at }
}

/// How long the border between two cells is that stands at `at`.
fn border_len(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    BORDERS.iter().find(|border| rest.starts_with(border.as_bytes())).map_or(0, |border| border.len())
}

/// `| name |`: a cell of a table; also the first one of a line, as `psql` writes records.
fn begins_cell(bytes: &[u8], name_start: usize) -> bool {
    let before = &bytes[name_start.saturating_sub(CELL_MAX_BYTES)..name_start];
    let is_edge = |byte: &u8| matches!(byte, b' ' | b'\t' | b'`' | b'*');
    let without_edge = |part: &[u8]| part.len() - part.iter().rev().take_while(|byte| is_edge(byte)).count();
    let has_border = |len: usize| BORDERS.iter().any(|border| before[..len].ends_with(border.as_bytes()));
    let len = without_edge(before);
    let begins_line = match before[..len].last() {
        None => name_start < CELL_MAX_BYTES,
        Some(byte) => *byte == b'\n',
    };
    // `| DB password |`
    let owner = Class::WORD.run_start(before, len, CELL_MAX_BYTES);
    has_border(len) || begins_line || has_border(without_edge(&before[..owner]))
}

/// `<name>` or `<prefix:name>`.
fn opens_element(bytes: &[u8], name_start: usize) -> bool {
    let tag_start = Class::WORD.or(Class::COLON).run_start(bytes, name_start, 24);
    tag_start > 0 && bytes[tag_start - 1] == b'<'
}

/// Passes over blanks as forms encode them: `password%3A+%22…`.
fn skip_form_blanks(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..FORM_BLANKS_MAX {
        at += match bytes.get(at..).unwrap_or_default() {
            [b'+', ..] => 1,
            [b'%', b'2', b'0', ..] => 3,
            _ => return at,
        };
    }
    at
}

/// Skips blanks, a continued line, and a line break where a quoted value stands on the next line.
fn skip_to_value(bytes: &[u8], at: usize, operator: Operator) -> usize {
    let mut at = skip_blanks(bytes, at, BLANKS_MAX);
    for continuation in [&b"\\\n"[..], b"\\\r\n"] {
        if has_at(bytes, at, continuation) {
            at = skip_blanks(bytes, at + continuation.len(), BLANKS_MAX);
        }
    }
    let next_line = match bytes.get(at..) {
        Some([b'\n', ..]) => at + 1,
        Some([b'\r', b'\n', ..]) => at + 2,
        _ => return at,
    };
    let indented = skip_blanks(bytes, next_line, BLANKS_MAX);
    if operator == Operator::Arrow
        && let Some(text_at) = skip_dumped_type(bytes, indented)
    {
        return text_at;
    }
    let may_break = matches!(
        operator,
        Operator::Colon | Operator::Equals | Operator::Arrow | Operator::Call | Operator::Comma
    );
    if may_break && indented > next_line && Quote::at(bytes, indented).is_some() { indented } else { at }
}

/// `[name] => value`, as `print_r` of PHP shows arrays.
fn is_printed_key(bytes: &[u8], start: usize, end: usize) -> bool {
    has_before(bytes, start, b"[") && has_at(bytes, end, b"] => ")
}

/// `string(16) "…"` on the line behind a name, as `var_dump` of PHP shows arrays: the position of the text.
fn skip_dumped_type(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = at + b"string(".len();
    let end = Class::DIGIT.run_end(bytes, digits, TYPE_MAX_BYTES);
    (has_at(bytes, at, b"string(") && end > digits && has_at(bytes, end, b") \"")).then_some(end + 2)
}

/// `<Password><Value>…`: the position behind an element that only wraps the value.
pub(super) fn skip_element(bytes: &[u8], at: usize) -> usize {
    let start =
        at + bytes[at..].iter().take(BLANKS_MAX).take_while(|byte| byte.is_ascii_whitespace()).count();
    let end = Class::LETTER.run_end(bytes, start + 1, TYPE_MAX_BYTES);
    let is_element = bytes.get(start) == Some(&b'<') && end > start + 1 && bytes.get(end) == Some(&b'>');
    match is_element {
        true => end + 1,
        false if has_at(bytes, start, CDATA) => start + CDATA.len(),
        false => at,
    }
}

/// `&anchor` and `!!type` of YAML: the position behind them.
pub(super) fn skip_node_properties(bytes: &[u8], at: usize) -> usize {
    let mut next = at;
    for _ in 0..2 {
        let sign = match bytes.get(next..).unwrap_or_default() {
            [b'&', ..] => 1,
            [b'!', b'!', ..] => 2,
            _ => return next,
        };
        let end = NODE_NAME.run_end(bytes, next + sign, TYPE_MAX_BYTES);
        let behind = skip_blanks(bytes, end, BLANKS_MAX);
        if end == next + sign || behind == end {
            return at;
        }
        next = behind;
    }
    next
}

/// Passes over what a program writes before the value itself: a type (`: &str =`), the prefix of a string
/// literal (`b"`, `r#"`), a function around it (`String::from("`).
pub(super) fn skip_program_text(bytes: &[u8], at: usize, operator: Operator) -> (usize, bool) {
    let mut at = at;
    if operator == Operator::Colon {
        at = skip_type(bytes, at).unwrap_or(at);
    }
    if matches!(operator, Operator::Equals | Operator::Colon) {
        at = skip_bracket(bytes, at).unwrap_or(at);
    }
    if let Some(quoted) = skip_literal_prefix(bytes, at) {
        return (quoted, false);
    }
    match skip_wrapper(bytes, at) {
        Some(quoted) => (quoted, true),
        None => (at, false),
    }
}

/// `("…")`, also over lines: the position of the literal. Two texts with a comma between them are no value.
fn skip_bracket(bytes: &[u8], at: usize) -> Option<usize> {
    (bytes.get(at) == Some(&b'(')).then_some(())?;
    let literal = skip_line_breaks(bytes, at + 1);
    let quoted = skip_literal_prefix(bytes, literal).unwrap_or(literal);
    let quote = Quote::at(bytes, quoted)?;
    let start = quoted + quote.open_len();
    let end = quote.end_before(bytes, start, start + BRACKET_MAX_BYTES)?;
    let behind = skip_line_breaks(bytes, end + quote.closes_at(bytes, end)?);
    (bytes.get(behind) != Some(&b',')).then_some(literal)
}

/// Skips blanks and line breaks, also those that are written out.
fn skip_line_breaks(bytes: &[u8], mut at: usize) -> usize {
    let limit = bytes.len().min(at + 2 * BLANKS_MAX);
    while at < limit {
        at += match &bytes[at..] {
            [byte, ..] if byte.is_ascii_whitespace() => 1,
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            _ => break,
        };
    }
    at
}

/// `password: &'static str = "…"`: the position behind the `=`.
fn skip_type(bytes: &[u8], at: usize) -> Option<usize> {
    if Quote::at(bytes, at).is_some() && bytes[at] != b'\'' {
        return None;
    }
    let window = &bytes[at..bytes.len().min(at + TYPE_MAX_BYTES)];
    let sign = window.iter().position(|byte| matches!(byte, b'=' | b'\n' | b'"' | b'(' | b';'))?;
    let is_type = window[..sign]
        .iter()
        .all(|byte| Class::WORD.or(Class::COLON).or(Class::DOT).has(*byte) || b" <>&'[]|?,".contains(byte));
    let stands_alone =
        window[sign] == b'=' && sign > 0 && window[sign - 1] == b' ' && window.get(sign + 1) == Some(&b' ');
    (is_type && stands_alone).then(|| skip_blanks(bytes, at + sign + 1, BLANKS_MAX))
}

/// `b"`, `br#"`, `f'`, `@"`: the position of the quote.
pub(super) fn skip_literal_prefix(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..bytes.len().min(at + 8))?;
    let mark = rest.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'\\'))?;
    Quote::at(bytes, at + mark)?;
    let is_prefix = mark <= 5
        && rest[..mark].iter().all(|byte| b"bBrRuUfFlLN@$&#*".contains(byte))
        && rest[..mark].iter().filter(|byte| byte.is_ascii_alphabetic()).count() <= 2;
    (is_prefix && mark > 0).then_some(at + mark)
}

/// `String::from("`, `new SecureString("`: the position of the quote.
fn skip_wrapper(bytes: &[u8], at: usize) -> Option<usize> {
    let start = if has_at(bytes, at, b"new ") { at + 4 } else { at };
    let name = Class::WORD.or(Class::COLON).or(Class::DOT);
    let end = name.run_end(bytes, start, WRAPPER_MAX_BYTES);
    let end = if bytes.get(end) == Some(&b'!') { end + 1 } else { end };
    if end == start || bytes.get(end) != Some(&b'(') || !is_wrapper(&bytes[start..end]) {
        return None;
    }
    let inner = skip_blanks(bytes, end + 1, 8);
    let inner = skip_literal_prefix(bytes, inner).unwrap_or(inner);
    Quote::at(bytes, inner).map(|_| inner)
}

/// A function that makes a value of a text, and does not look one up or change one.
fn is_wrapper(path: &[u8]) -> bool {
    let last = path.rsplit(|byte| matches!(byte, b'.' | b':')).next().unwrap_or_default();
    last.first().is_some_and(u8::is_ascii_uppercase) || WRAPPERS.has(last.strip_suffix(b"!").unwrap_or(last))
}

/// Whether a name is a parameter of an address: behind `?` or `&`, in any spelling.
pub(super) fn is_query_name(bytes: &[u8], name_start: usize) -> bool {
    ["?", "&", "&amp;", "%26", "%3F", "\\u0026", "#"]
        .iter()
        .any(|sign| has_before(bytes, name_start, sign.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(Operator, &str)>) {
        let start = text.find("name").unwrap();
        let found = operator_after(text.as_bytes(), start, start + 4);
        assert_eq!(found.map(|joined| (joined.operator, &text[joined.value_at..])), expect, "{text}");
    }

    #[test]
    fn operators_are_found_in_many_languages() {
        check("name=x", Some((Operator::Equals, "x")));
        check("name := x", Some((Operator::Equals, "x")));
        check("\"name\": \"x\"", Some((Operator::Colon, "\"x\"")));
        check("'name' => 'x'", Some((Operator::Arrow, "'x'")));
        check("[\"name\"] = \"x\"", Some((Operator::Equals, "\"x\"")));
        check("\\\"name\\\":\\\"x\\\"", Some((Operator::Colon, "\\\"x\\\"")));
        check("<name>x</name>", Some((Operator::Element, "x</name>")));
        check("name%3Dx", Some((Operator::Equals, "x")));
        check("name%3A+%22x%22", Some((Operator::Colon, "%22x%22")));
        check("\"name\", \"x\"", Some((Operator::Comma, "\"x\"")));
        check("name(\"x\")", Some((Operator::Call, "\"x\")")));
        check("name is x", Some((Operator::Blank, "is x")));
        check("\"name\":\n    \"x\"", Some((Operator::Colon, "\"x\"")));
        check("name \\\n  x", Some((Operator::Blank, "x")));
        check("**name:** x", Some((Operator::Colon, "x")));
        check("**name**: x", Some((Operator::Colon, "x")));
        check("| name | x |", Some((Operator::Cell, "x |")));
    }

    #[test]
    fn what_is_no_operator_is_left_alone() {
        for text in ["name.x = 1", "name::x", "name://x", "name,x", "name)", "name", "name =~ x"] {
            check(text, None);
        }
    }

    #[test]
    fn program_text_before_the_value_is_passed_over() {
        for text in [
            "&str = \"x\"",
            "Option<&'static str> = Some(\"x\")",
            "String::from(\"x\")",
            "b\"x\"",
            "r#\"x\"#",
            "new Secret(\"x\")",
            "(\"x\")",
            "(\n    b\"x\"\n)",
        ] {
            let (at, _) = skip_program_text(text.as_bytes(), 0, Operator::Colon);
            assert!(text[at..].starts_with("\"x\""), "{text} {at}");
        }
    }
}
