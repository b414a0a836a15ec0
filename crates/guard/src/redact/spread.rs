//! Secrets that are spread over the strings of a value: a file as an array of its lines, an edit for each line, a command
//! as an array of its arguments. They are put together, and what is found is hidden in each of the strings.

use std::collections::BTreeMap;

use super::armour::is_drawn;
use super::chars::{Class, contains};
use super::reach::Reach;
use super::span::{Rank, Span};
use super::tree::{Content, Finding, Place, Tree};
use super::{command, scan, work};

/// A string that is nothing but a line of a private key has at least this many characters.
const KEY_LINE_MIN_BYTES: usize = 40;
/// What may stand before it: the sign of a diff, a line number.
const MARGIN_MAX_BYTES: usize = 16;
/// How many arguments are looked through for the name of a program.
const COMMANDS_MAX: usize = 8;

/// Secrets that no string of the tree shows by itself.
pub(super) fn find(tree: &Tree<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for node in &tree.nodes {
        match &node.content {
            Content::Array(items) => find_in_array(tree, items, &mut findings),
            Content::Object(fields) => find_in_object(tree, fields, &mut findings),
            Content::Text(_) | Content::True | Content::Other => {}
        }
    }
    if has_broken_key(tree) {
        find_key_lines(tree, &mut findings);
    }
    findings
}

fn find_in_array(tree: &Tree<'_>, items: &[usize], findings: &mut Vec<Finding>) {
    let texts: Vec<(usize, &str)> = tree.texts(items).collect();
    find_in_lines(&texts, findings);
    if texts.len() == items.len() {
        find_command(&texts, findings);
    }
    for column in columns(tree, items) {
        find_in_lines(&column, findings);
    }
}

/// The fields that the objects of an array have in common, each as the lines of a text.
fn columns<'t>(tree: &'t Tree<'_>, items: &[usize]) -> Vec<Vec<(usize, &'t str)>> {
    let mut columns: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
    for item in items {
        if let Content::Object(fields) = &tree.nodes[*item].content {
            tree.texts(fields)
                .for_each(|(field, text)| columns.entry(tree.key(field)).or_default().push((field, text)));
        }
    }
    columns.into_values().collect()
}

/// An object whose keys are numbers is a list, in the order of the numbers.
fn find_in_object(tree: &Tree<'_>, fields: &[usize], findings: &mut Vec<Finding>) {
    let mut texts = Vec::new();
    for (field, text) in tree.texts(fields) {
        let Ok(number) = tree.key(field).parse::<u64>() else { return };
        texts.push((number, field, text));
    }
    texts.sort_unstable_by_key(|(number, _, _)| *number);
    let lines: Vec<(usize, &str)> = texts.into_iter().map(|(_, field, text)| (field, text)).collect();
    find_in_lines(&lines, findings);
}

/// Strings one after the other, with something between them.
struct Joined {
    text: String,
    /// Where each string begins and ends in the text, in order.
    parts: Vec<(usize, usize, usize)>,
}

impl Joined {
    fn of(texts: &[(usize, &str)], between: char) -> Self {
        let mut joined = Self { text: String::new(), parts: Vec::with_capacity(texts.len()) };
        for (node, text) in texts {
            // A line may have brought its end along.
            let is_line = between == '\n' && joined.text.ends_with('\n');
            if !joined.parts.is_empty() && !is_line {
                joined.text.push(between);
            }
            let start = joined.text.len();
            joined.text.push_str(text);
            joined.parts.push((start, joined.text.len(), *node));
        }
        joined
    }

    /// The parts of a finding in each of the strings.
    fn add(&self, span: Span, findings: &mut Vec<Finding>) {
        let first = self.parts.partition_point(|(_, end, _)| *end <= span.start);
        for (start, end, node) in self.parts[first..].iter().take_while(|(start, _, _)| *start < span.end) {
            let (from, to) = (span.start.max(*start), span.end.min(*end));
            if from < to {
                let span = Span { start: from - start, end: to - start, ..span };
                findings.push(Finding { place: Place::Text(*node), span });
            }
        }
    }
}

fn find_in_lines(texts: &[(usize, &str)], findings: &mut Vec<Finding>) {
    if texts.len() < 2 {
        return;
    }
    let joined = Joined::of(texts, '\n');
    work::note(joined.text.len());
    scan::find_in_plain(&joined.text).into_iter().for_each(|span| joined.add(span, findings));
}

/// `["mysql", "-uroot", "-p…"]`
fn find_command(texts: &[(usize, &str)], findings: &mut Vec<Finding>) {
    let is_command = |text: &str| command::is_name(program(text));
    let Some(at) = texts.iter().take(COMMANDS_MAX).position(|(_, text)| is_command(text)) else { return };
    let mut words: Vec<(usize, &str)> = texts[at..].to_vec();
    words[0].1 = program(words[0].1);
    let name_len = words[0].1.len();
    let joined = Joined::of(&words, ' ');
    let mut spans = Vec::new();
    command::find(joined.text.as_bytes(), 0..name_len, &mut Reach::default(), &mut spans);
    spans.into_iter().for_each(|span| joined.add(span, findings));
}

/// The name of a program, without its directory.
fn program(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

/// Whether a string holds one end of a private key and not the other.
fn has_broken_key(tree: &Tree<'_>) -> bool {
    let is_broken = |text: &str| {
        let text = text.as_bytes();
        contains(text, b"PRIVATE KEY") && contains(text, b"-----BEGIN") != contains(text, b"-----END")
    };
    tree.nodes.iter().any(|node| {
        let text = match &node.content {
            Content::Text(text) => is_broken(text),
            Content::Object(_) | Content::Array(_) | Content::True | Content::Other => false,
        };
        text || node.key.as_deref().is_some_and(is_broken)
    })
}

/// Every string that is a line of a key, wherever it stands: keys of an object have no order.
fn find_key_lines(tree: &Tree<'_>, findings: &mut Vec<Finding>) {
    for (index, node) in tree.nodes.iter().enumerate() {
        if let Content::Text(text) = &node.content {
            findings.extend(key_line(text).map(|span| Finding { place: Place::Text(index), span }));
        }
        let key = node.key.as_deref().and_then(key_line);
        findings.extend(key.map(|span| Finding { place: Place::Key(index), span }));
    }
}

fn key_line(text: &str) -> Option<Span> {
    let bytes = text.trim_end().as_bytes();
    let start = Class::BASE64.or(Class::EQUALS).run_start(bytes, bytes.len(), bytes.len());
    let word = &bytes[start..];
    (start <= MARGIN_MAX_BYTES && word.len() >= KEY_LINE_MIN_BYTES && is_drawn(word)).then_some(Span {
        start,
        end: bytes.len(),
        rule: "private-key",
        rank: Rank::Formed,
    })
}
