//! JSON that stands in a text, whole or cut off, also in the spelling of Python: read as a `tree`, so that what a name,
//! a command or a key is spread over is put together as it is in a value.
//!
//! Reading goes on where it failed, so every byte is read once on each level of nesting.

use std::borrow::Cow;
use std::ops::Range;

use super::chars::{Class, escapes_before};
use super::span::{Span, between_quotes};
use super::tree::{Content, Finding, Place, Tree};
use super::view::View;
use super::{disguise, members, spread, work};

/// How deep JSON may stand in the strings of JSON.
const DEPTH_MAX: usize = 3;
/// The longest string that is read, in bytes.
const STRING_MAX_BYTES: usize = 256 * 1024;
/// Fewer strings have nothing to say to each other.
const STRINGS_MIN: usize = 2;

/// Secrets in the JSON of a text that its single strings do not show.
pub(super) fn find(bytes: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    find_in(bytes, DEPTH_MAX, &mut spans);
    spans
}

fn find_in(bytes: &[u8], depth: usize, spans: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(offset) = memchr::memchr2(b'{', b'[', &bytes[from..]) {
        let start = from + offset;
        let mut reader = Reader::new(bytes, start);
        reader.read();
        from = reader.at.max(start + 1);
        if reader.strings.len() >= STRINGS_MIN {
            judge(bytes, start, &reader, spans);
        }
        if depth > 0 {
            reader.strings.iter().for_each(|string| find_inside(bytes, string, depth - 1, spans));
        }
    }
}

fn judge(bytes: &[u8], start: usize, reader: &Reader<'_>, spans: &mut Vec<Span>) {
    let name = members::name_before(bytes, start);
    let mut findings = members::find(&reader.tree, name, members::Origin::Printed);
    findings.extend(spread::find(&reader.tree));
    spans.extend(findings.into_iter().filter_map(|finding| reader.span_in_text(finding)));
}

/// JSON in a string of JSON.
fn find_inside(bytes: &[u8], string: &Text, depth: usize, spans: &mut Vec<Span>) {
    let Some(view) = &string.view else { return };
    if memchr::memchr2(b'{', b'[', view.bytes()).is_none() {
        return;
    }
    let mut inner = Vec::new();
    find_in(view.bytes(), depth, &mut inner);
    spans.extend(inner.into_iter().flat_map(|span| between_quotes(bytes, view.span_in_text(span))));
}

/// A string, and where it stands.
struct Text {
    place: Place,
    /// Between its quotes.
    range: Range<usize>,
    /// Its escapes taken away, if it has any.
    view: Option<View>,
}

/// An object or an array that is still open.
struct Open<'a> {
    node: usize,
    is_object: bool,
    children: Vec<usize>,
    /// The key of the next value, and where it stands.
    key: Option<(Cow<'a, str>, Range<usize>, Option<View>)>,
    /// Whether the colon behind the key was met. Without it this is no object: `{"a", "b"}`.
    is_joined: bool,
}

/// Reads one value.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    tree: Tree<'a>,
    strings: Vec<Text>,
    open: Vec<Open<'a>>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, tree: Tree::default(), strings: Vec::new(), open: Vec::new() }
    }

    /// Reads until the value ends, or is no JSON any more.
    fn read(&mut self) {
        let start = self.at;
        while let Some(&byte) = self.bytes.get(self.at) {
            let goes_on = match byte {
                b'{' | b'[' => self.begin(byte == b'{'),
                b'}' | b']' => self.end(),
                b'"' | b'\'' => self.string(byte),
                b',' | b' ' | b'\n' | b'\r' | b'\t' => true,
                b':' => self.colon(),
                _ => self.literal(),
            };
            if !goes_on || self.open.is_empty() {
                break;
            }
            self.at = self.at.max(start) + usize::from(!matches!(byte, b'"' | b'\''));
        }
        while !self.open.is_empty() {
            self.end();
        }
        work::note(self.at - start);
    }

    fn begin(&mut self, is_object: bool) -> bool {
        let Some(node) = self.add(Content::Other) else { return false };
        self.open.push(Open { node, is_object, children: Vec::new(), key: None, is_joined: false });
        true
    }

    fn colon(&mut self) -> bool {
        let Some(open) = self.open.last_mut() else { return false };
        open.is_joined = open.key.is_some();
        open.is_joined
    }

    fn end(&mut self) -> bool {
        let Some(open) = self.open.pop() else { return false };
        let content =
            if open.is_object { Content::Object(open.children) } else { Content::Array(open.children) };
        self.tree.nodes[open.node].content = content;
        true
    }

    /// Adds a value to what is open. In an object it needs a key.
    fn add(&mut self, content: Content<'a>) -> Option<usize> {
        let Some(open) = self.open.last_mut() else { return Some(self.tree.add(None, content)) };
        if open.is_object && !open.is_joined {
            return None;
        }
        open.is_joined = false;
        let key = open.key.take();
        let node = self.tree.nodes.len();
        open.children.push(node);
        let name = key.map(|(name, range, view)| {
            self.strings.push(Text { place: Place::Key(node), range, view });
            name
        });
        Some(self.tree.add(name, content))
    }

    /// A key or a text.
    fn string(&mut self, quote: u8) -> bool {
        let start = self.at + 1;
        let Some(end) = string_end(self.bytes, start, quote) else {
            self.at = line_end(self.bytes, start);
            return false;
        };
        self.at = end + 1;
        let (text, view) = decoded(self.bytes, start..end);
        let Some(open) = self.open.last_mut() else { return false };
        if open.is_object && open.key.is_none() {
            open.key = Some((text, start..end, view));
            return true;
        }
        match self.add(Content::Text(text)) {
            Some(node) => self.strings.push(Text { place: Place::Text(node), range: start..end, view }),
            None => return false,
        }
        true
    }

    /// `12`, `true`, `None`.
    fn literal(&mut self) -> bool {
        let end = Class::URL64.or(Class::DOT).or(Class::PLUS_SLASH).run_end(self.bytes, self.at, 40);
        let is_true = self.bytes[self.at..end].eq_ignore_ascii_case(b"true");
        let content = if is_true { Content::True } else { Content::Other };
        if end == self.at || self.add(content).is_none() {
            return false;
        }
        self.at = end - 1;
        true
    }

    fn span_in_text(&self, finding: Finding) -> Option<Span> {
        let index =
            self.strings.binary_search_by_key(&order(finding.place), |text| order(text.place)).ok()?;
        let string = &self.strings[index];
        let span = finding.span;
        Some(match &string.view {
            Some(view) => view.span_in_text(span),
            None => {
                Span { start: string.range.start + span.start, end: string.range.start + span.end, ..span }
            }
        })
    }
}

/// A key stands before its value.
fn order(place: Place) -> (usize, bool) {
    match place {
        Place::Key(node) => (node, false),
        Place::Text(node) => (node, true),
    }
}

fn string_end(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    let limit = bytes.len().min(start + STRING_MAX_BYTES);
    let end = memchr::memchr2_iter(quote, b'\n', &bytes[start..limit])
        .map(|offset| start + offset)
        .find(|&at| bytes[at] == b'\n' || escapes_before(bytes, at).min(at - start).is_multiple_of(2))?;
    (bytes[end] == quote).then_some(end)
}

fn line_end(bytes: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |offset| start + offset)
}

/// A string without its escapes.
fn decoded(bytes: &[u8], range: Range<usize>) -> (Cow<'_, str>, Option<View>) {
    let view =
        memchr::memchr(b'\\', &bytes[range.clone()]).map(|_| disguise::unescaped(bytes, range.clone()));
    let text = match &view {
        Some(view) => Cow::Owned(String::from_utf8_lossy(view.bytes()).into_owned()),
        None => String::from_utf8_lossy(&bytes[range]),
    };
    (text, view)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        super::super::span::replaced(text, find(text.as_bytes()))
    }

    #[test]
    fn what_belongs_together_is_put_together() {
        let argv = r#"run(["mysql", '-uroot', "-phunter2x"]) and ["mysql","-phunter3x""#;
        let expect = r#"run(["mysql", '-uroot', "-p[REDACTED:command-password]"]) and ["mysql","-p[REDACTED:command-password]""#;
        assert_eq!(hidden(argv), expect);
        let nested = r#"{"body": "{\"env\": [[\"DB_PASSWORD\", \"hunter2x\"]]}"}"#;
        assert_eq!(hidden(nested), r#"{"body": "{\"env\": [[\"DB_PASSWORD\", \"[REDACTED:password]\"]]}"}"#);
    }

    #[test]
    fn what_is_no_json_is_left_alone() {
        for text in [
            "{ a: [1, 2], b: x }",
            "[",
            "{\"",
            "[\"a",
            "{\"a\": }",
            "['it', 's]",
            "[[[[",
            "}{][",
            "{'password', 'hunter2x'}",
        ] {
            assert_eq!(hidden(text), text);
        }
    }
}
