//! A text as the tree that a merge works on: headings with what stands below them, items with what is nested in them, and blocks that
//! nobody takes apart (a code block, a table, an item with the lines that it goes on in).

use std::collections::HashMap;
use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As sections and blocks.
    Markdown,
    /// Every line stands for itself.
    Lines,
}

impl Form {
    pub(crate) fn of(path: &str) -> Self {
        if path.ends_with(".md") { Self::Markdown } else { Self::Lines }
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A heading; the number is 1 for the highest.
    Heading(usize),
    /// An item of a list, or a line of a file that is a list.
    Item,
    /// A sentence of a paragraph.
    Line,
    /// Any other block. What is put right below it could become a part of it.
    Block,
}

impl Kind {
    /// Where it has to stand among those with the same parent: whatever follows a heading would belong to it.
    pub(crate) fn rank(self) -> usize {
        match self {
            Self::Item | Self::Line | Self::Block => 0,
            Self::Heading(level) => 7_usize.saturating_sub(level),
        }
    }

    pub(crate) fn is_like(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

/// The words of a node, by which it is known among those that stand in the same place.
pub(crate) type Words = String;

/// What stands above a node in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Above {
    pub(crate) kind: Kind,
    pub(crate) words: Words,
}

/// Where a node stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place<'a> {
    pub(crate) above: Option<Above>,
    /// The empty lines between the two.
    pub(crate) gap: &'a str,
}

/// One heading, item or block.
#[derive(Debug, Clone)]
pub(crate) struct Node<'a> {
    pub(crate) kind: Kind,
    /// Where it stood, in one text or in both.
    pub(crate) places: Vec<Place<'a>>,
    /// Its own lines.
    pub(crate) text: &'a str,
    /// The same without what nobody sees: blanks and line ends behind the words.
    pub(crate) words: Words,
    pub(crate) below: Vec<Node<'a>>,
}

impl Node<'_> {
    /// The end of a code block or a comment that has none: in its own text it reaches to the last line.
    pub(crate) fn end_that_lacks(&self) -> Option<String> {
        if self.kind != Kind::Block {
            return None;
        }
        let text = self.words.trim_start();
        let mark = text.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let fence: String = text.chars().take_while(|letter| Some(*letter) == mark).collect();
        if fence.len() >= "```".len() {
            let last = text.lines().skip(1).last().map(str::trim);
            let is_closed =
                last.is_some_and(|last| last.starts_with(&fence) && last.chars().all(|c| Some(c) == mark));
            return (!is_closed).then_some(fence);
        }
        (text.starts_with("<!--") && !text.contains("-->")).then(|| "-->".to_owned())
    }
}

/// A text, read.
#[derive(Debug, Default)]
pub(crate) struct Outline<'a> {
    pub(crate) nodes: Vec<Node<'a>>,
    /// Empty lines at its end.
    pub(crate) end: &'a str,
}

/// A node by its lines, before it has found its place.
#[derive(Debug)]
struct Piece {
    lines: Range<usize>,
    kind: Kind,
    /// How deep it is nested in items.
    depth: usize,
}

impl<'a> Outline<'a> {
    pub(crate) fn of(form: Form, text: &'a str) -> Self {
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut pieces = match form {
            Form::Markdown => blocks(text, &starts, &lines),
            Form::Lines => Vec::new(),
        };
        add_single_lines(&mut pieces, &lines, form);
        let at = |line: usize| starts.get(line).copied().unwrap_or(text.len()).min(text.len());
        let slice = |lines: Range<usize>| text.get(at(lines.start)..at(lines.end)).unwrap_or("");
        let mut tree = Tree::default();
        let (mut line, mut last) = (0, None);
        for Piece { lines, kind, depth } in pieces {
            let own = slice(lines.clone());
            let words = words_of(own);
            let above = last.replace(Above { kind, words: words.clone() });
            let places = vec![Place { above, gap: slice(line..lines.start) }];
            line = lines.end;
            tree.add(Node { kind, places, text: own, words, below: Vec::new() }, depth);
        }
        Self { nodes: tree.into_nodes(), end: slice(line..lines.len()) }
    }
}

fn words_of(text: &str) -> Words {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Nodes that are still open, outermost first.
#[derive(Debug, Default)]
struct Tree<'a> {
    roots: Vec<Node<'a>>,
    /// Each with its rank: what comes with the same or a lower one ends it.
    open: Vec<(usize, Node<'a>)>,
}

/// Items stand below all headings.
const ITEMS_FROM: usize = 10;

impl<'a> Tree<'a> {
    fn add(&mut self, node: Node<'a>, depth: usize) {
        let rank = match node.kind {
            Kind::Heading(level) => level,
            Kind::Item | Kind::Line | Kind::Block => ITEMS_FROM + depth,
        };
        self.close(rank);
        self.open.push((rank, node));
    }

    fn close(&mut self, rank: usize) {
        while self.open.last().is_some_and(|(open, _)| *open >= rank) {
            let Some((_, node)) = self.open.pop() else { break };
            match self.open.last_mut() {
                Some((_, parent)) => parent.below.push(node),
                None => self.roots.push(node),
            }
        }
    }

    fn into_nodes(mut self) -> Vec<Node<'a>> {
        self.close(0);
        self.roots
    }
}

/// The blocks of a Markdown text, in order. What the parser says nothing of (definitions of links) is not among them.
fn blocks(text: &str, starts: &[usize], lines: &[&str]) -> Vec<Piece> {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let (body, header) = (text.get(mark..).unwrap_or(""), header_lines(lines));
    let line_of = |offset: usize| starts.partition_point(|start| *start <= offset).saturating_sub(1);
    let span = |range: &Range<usize>| {
        let written = body.get(range.clone()).unwrap_or("").trim_end().len();
        line_of(mark + range.start)..line_of(mark + range.start + written.saturating_sub(1)) + 1
    };
    let mut pieces: Vec<Piece> = Vec::new();
    // How deep the parser is in things, and in things that are taken as a whole.
    let (mut items, mut whole) = (0_usize, 0_usize);
    let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    for (event, range) in Parser::new_ext(body, options).into_offset_iter() {
        let lines_of = span(&range);
        match event {
            Event::Start(Tag::Item) if whole == 0 => {
                // Its parent ends where it begins.
                if let Some(parent) = pieces.last_mut().filter(|parent| parent.lines.end > lines_of.start) {
                    parent.lines.end = lines_of.start;
                }
                pieces.push(Piece { lines: lines_of, kind: Kind::Item, depth: items });
                items += 1;
            }
            Event::End(TagEnd::Item) if whole == 0 => {
                items -= 1;
            }
            Event::Start(Tag::List(_)) | Event::End(TagEnd::List(_)) if whole == 0 => {}
            Event::Start(tag) => {
                if whole == 0 && items == 0 {
                    if let Tag::Heading { level, .. } = tag {
                        let kind = Kind::Heading(number(level));
                        pieces.push(Piece { lines: lines_of, kind, depth: 0 });
                    } else if tag == Tag::Paragraph {
                        pieces.extend(sentences(lines_of, lines));
                    } else if lines_of != header {
                        // A header of settings is merged setting by setting.
                        pieces.push(Piece { lines: lines_of, kind: Kind::Block, depth: 0 });
                    }
                }
                whole += 1;
            }
            Event::End(_) => whole -= 1,
            Event::Rule if whole == 0 && items == 0 => {
                pieces.push(Piece { lines: lines_of, kind: Kind::Block, depth: 0 });
            }
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::SoftBreak
            | Event::HardBreak
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    joined(pieces, lines)
}

/// Two blocks on one line, such as an item in an item (`- - x`), are one. Empty lines at the end belong to nobody.
fn joined(pieces: Vec<Piece>, lines: &[&str]) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for piece in pieces {
        match all.last_mut() {
            Some(last) if piece.lines.start < last.lines.end || last.lines.is_empty() => {
                last.lines.end = last.lines.end.max(piece.lines.end);
            }
            _ => all.push(piece),
        }
    }
    let is_empty = |line: usize| lines.get(line).is_none_or(|line| line.trim().is_empty());
    for piece in &mut all {
        while !piece.lines.is_empty() && is_empty(piece.lines.end - 1) {
            piece.lines.end -= 1;
        }
    }
    all
}

fn header_lines(lines: &[&str]) -> Range<usize> {
    let is_fence = |line: &&str| line.trim_end() == "---";
    let end = lines.iter().skip(1).position(is_fence).map_or(0, |at| at + 2);
    if lines.first().is_some_and(is_fence) { 0..end } else { 0..0 }
}

fn number(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// A paragraph as its sentences, as far as they begin on lines of their own: rules without list marks stand so.
fn sentences(of: Range<usize>, lines: &[&str]) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    for at in of {
        let goes_on = found.last().is_some_and(|last| {
            let before = lines.get(last.lines.end - 1).unwrap_or(&"").trim_end();
            let line = lines.get(at).unwrap_or(&"").trim_start();
            !before.ends_with(['.', ':', ';', '!', '?'])
                && line.starts_with(|letter: char| !letter.is_uppercase() && letter != '@')
        });
        match found.last_mut() {
            Some(last) if goes_on => last.lines.end = at + 1,
            _ => found.push(Piece { lines: at..at + 1, kind: Kind::Line, depth: 0 }),
        }
    }
    found
}

/// Adds each line that says something and is in no piece yet.
fn add_single_lines(pieces: &mut Vec<Piece>, lines: &[&str], form: Form) {
    let mut is_taken = vec![false; lines.len()];
    for line in pieces.iter().flat_map(|piece| piece.lines.clone()) {
        if let Some(taken) = is_taken.get_mut(line) {
            *taken = true;
        }
    }
    let header = if form == Form::Markdown { header_lines(lines) } else { 0..0 };
    for (at, line) in lines.iter().enumerate() {
        if !is_taken[at] && !line.trim().is_empty() {
            let kind = if form == Form::Lines || header.contains(&at) { Kind::Item } else { Kind::Line };
            pieces.push(Piece { lines: at..at + 1, kind, depth: 0 });
        }
    }
    pieces.sort_by_key(|piece| piece.lines.start);
}

/// By what a node is known among those with the same parent: its words, and which of several equal ones it is.
pub(crate) type Key = (Words, usize);

pub(crate) fn keys_of(nodes: &[Node<'_>]) -> Vec<Key> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    let mut keys = Vec::with_capacity(nodes.len());
    for Node { words, .. } in nodes {
        let times = times.entry(words).or_default();
        *times += 1;
        keys.push((words.clone(), *times));
    }
    keys
}
