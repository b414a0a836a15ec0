//! From text to tree, within limits.
//!
//! What stands first in the text is reported. Only a key that is there twice waits for the end: a line that
//! is indented wrongly often reads like one, and then the text is not YAML at all.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{Event, Options, Parser, ScalarStyle, ScanError, Span, Tag as LibraryTag};

use crate::found::{Kind, Place};
use crate::scalar::{Scalar, Tag};
use crate::tree::{Content, Node};
use crate::{MAX_DEPTH_LEVELS, MAX_REPEATED_PARTS, MAX_TEXT_WITH_ALIASES_BYTES, MAX_VALUES};
use crate::{Problem, structure, syntax};

/// A key by which values of one mapping would take other values in.
const MERGE_KEY: &str = "<<";

/// Reads the only document of a text; `None` if there is nothing in it.
pub(crate) fn tree(text: &str) -> Result<Option<Node<'_>>, Problem> {
    let mut builder = Builder { text_bytes: text.len(), ..Builder::default() };
    let mut options = Options::default();
    options.emit_comments = false;
    options.emit_unresolved_aliases = true;
    options.flow_nesting_limit = MAX_DEPTH_LEVELS;
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| not_yaml(&error))?;
        builder.take(event, &span)?;
    }
    match builder.duplicate {
        Some(problem) => Err(problem),
        None => Ok(builder.root),
    }
}

fn not_yaml(error: &ScanError) -> Problem {
    syntax::explain(error).on(error.marker().line(), error.marker().col() + 1)
}

#[derive(Default)]
struct Builder<'t> {
    text_bytes: usize,
    root: Option<Node<'t>>,
    /// Lists and mappings that are not closed yet, the innermost last.
    open: Vec<Open<'t>>,
    anchors: HashMap<usize, Anchored<'t>>,
    values: usize,
    repeated_parts: usize,
    documents: usize,
    /// The first key that is there twice.
    duplicate: Option<Problem>,
}

/// A value that an alias may repeat.
struct Anchored<'t> {
    node: Node<'t>,
    /// How many parts it has: values, and beginnings and ends of lists and mappings.
    parts: usize,
}

/// A list or mapping that is being read.
struct Open<'t> {
    place: Place,
    anchor: usize,
    parts: usize,
    content: OpenContent<'t>,
}

enum OpenContent<'t> {
    List(Vec<Node<'t>>),
    Mapping { entries: Vec<(Node<'t>, Node<'t>)>, key: Option<Node<'t>>, lines: HashMap<Cow<'t, str>, usize> },
}

impl<'t> Builder<'t> {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the library's list is open; the rest carries no values"
    )]
    fn take(&mut self, event: Event<'t>, span: &Span) -> Result<(), Problem> {
        match event {
            Event::DocumentStart(..) => self.documents += 1,
            Event::Scalar(text, style, anchor, tag) => {
                let kind = if span.is_empty() { Kind::Nothing } else { Kind::Scalar };
                let place = Place::new(span, kind);
                self.count(place)?;
                let tag = known_tag(tag.as_deref(), Tag::None, place)?;
                let is_plain = style == ScalarStyle::Plain;
                let content = Content::Scalar(Scalar { text, is_plain, tag });
                self.finish(Node { place, content }, 1, anchor)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                let place = Place::new(span, Kind::List);
                known_tag(tag.as_deref(), Tag::List, place)?;
                self.open(place, anchor, OpenContent::List(Vec::new()))?;
            }
            Event::MappingStart(_, anchor, tag) => {
                let place = Place::new(span, Kind::Mapping);
                known_tag(tag.as_deref(), Tag::Mapping, place)?;
                let content = OpenContent::Mapping { entries: Vec::new(), key: None, lines: HashMap::new() };
                self.open(place, anchor, content)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close()?,
            Event::Alias(anchor) => self.repeat(anchor, Place::new(span, Kind::Nothing))?,
            Event::UnresolvedAlias(_) => {
                return Err(structure::unknown_anchor().at_place(Place::new(span, Kind::Nothing)));
            }
            _ => {}
        }
        Ok(())
    }

    /// One more value; over the limit, or in a second document, it is the last.
    fn count(&mut self, place: Place) -> Result<(), Problem> {
        self.values += 1;
        let problem = match (self.documents, self.values) {
            (2.., _) => structure::second_document(),
            (_, values) if values > MAX_VALUES => structure::too_many_values(),
            _ => return Ok(()),
        };
        Err(problem.at_place(place))
    }

    fn open(&mut self, place: Place, anchor: usize, content: OpenContent<'t>) -> Result<(), Problem> {
        self.count(place)?;
        if self.open.len() == MAX_DEPTH_LEVELS {
            return Err(syntax::too_deep().at_place(place));
        }
        // Beginning and end are a part each.
        self.open.push(Open { place, anchor, parts: 2, content });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Problem> {
        let Some(Open { place, anchor, parts, content }) = self.open.pop() else { return Ok(()) };
        let content = match content {
            OpenContent::List(items) => Content::List(items.into()),
            OpenContent::Mapping { entries, .. } => Content::Mapping(entries.into()),
        };
        self.finish(Node { place, content }, parts, anchor)
    }

    /// Puts what an alias refers to in its place.
    fn repeat(&mut self, anchor: usize, place: Place) -> Result<(), Problem> {
        self.count(place)?;
        if self.text_bytes > MAX_TEXT_WITH_ALIASES_BYTES {
            return Err(structure::alias_in_a_long_text().at_place(place));
        }
        let Some(Anchored { node, parts }) = self.anchors.get(&anchor) else {
            // The value with this anchor is still open.
            return Err(structure::alias_of_itself().at_place(place));
        };
        let (node, parts) = (node.clone(), *parts);
        self.repeated_parts += parts;
        if self.repeated_parts > MAX_REPEATED_PARTS {
            return Err(structure::too_many_aliases().at_place(place));
        }
        let place = node.place.used_at(place);
        self.finish(Node { place, ..node }, parts, 0)
    }

    /// Puts a whole value where it belongs.
    fn finish(&mut self, node: Node<'t>, parts: usize, anchor: usize) -> Result<(), Problem> {
        if anchor != 0 {
            self.anchors.insert(anchor, Anchored { node: node.clone(), parts });
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.parts += parts;
        match &mut open.content {
            OpenContent::List(items) => items.push(node),
            OpenContent::Mapping { entries, key, lines } => match key.take() {
                Some(key) => entries.push((key, node)),
                None => {
                    let second = second_of_its_name(&node, lines)?;
                    *key = Some(node);
                    self.duplicate = self.duplicate.take().or(second);
                }
            },
        }
        Ok(())
    }
}

fn known_tag(tag: Option<&LibraryTag>, kind: Tag, place: Place) -> Result<Tag, Problem> {
    Tag::from_library(tag).filter(|tag| tag.fits(kind)).ok_or_else(|| {
        let name = tag.map(LibraryTag::original).unwrap_or_default();
        structure::unknown_tag(&name).at_place(place)
    })
}

/// Whether a key is in its mapping already. `lines` says on which line each one stands.
fn second_of_its_name<'t>(
    key: &Node<'t>,
    lines: &mut HashMap<Cow<'t, str>, usize>,
) -> Result<Option<Problem>, Problem> {
    let Content::Scalar(Scalar { text, is_plain, .. }) = &key.content else { return Ok(None) };
    if text == MERGE_KEY && *is_plain {
        return Err(structure::merge_key().at_place(key.place));
    }
    let first_line = lines.insert(text.clone(), key.place.line);
    Ok(first_line
        .map(|line| structure::duplicate_key(text, key.place.line.saturating_sub(line)).at_place(key.place)))
}
