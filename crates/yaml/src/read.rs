//! From text to a value and back, within limits.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fault::Fault;
use crate::found::Place;
use crate::scalar::{Scalar, Tag};
use crate::tree::{Content, Node};
use crate::{Problem, build, explain, structure};

/// The longest text that is read, in bytes.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// How deep lists and mappings may stand in each other.
pub const MAX_DEPTH_LEVELS: usize = 64;
/// How many values a text may hold: keys, values, lists and mappings together.
pub const MAX_VALUES: usize = 20_000;
/// The longest text in which aliases (`*name`) are read, in bytes. An alias repeats what its anchor holds,
/// so memory grows to this times [`MAX_REPEATED_PARTS`] at most: 4 MiB.
pub const MAX_TEXT_WITH_ALIASES_BYTES: usize = 16 * 1024;
/// How many parts (a value, or the beginning or end of a list or mapping) all aliases of a text together
/// may repeat.
pub const MAX_REPEATED_PARTS: usize = 256;

/// Reads one YAML document. An empty text is an empty document: fine for a type whose keys may all be
/// missing.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    let document = Document::parse(text)?;
    T::deserialize(document.root()).map_err(|fault| document.explain(fault))
}

/// Reads one YAML document as [`from_str`] does, and says on which line the value of each key at its top stands, counted from 1.
pub fn from_str_with_lines<T: DeserializeOwned>(text: &str) -> Result<(T, BTreeMap<String, usize>), Problem> {
    let document = Document::parse(text)?;
    let value = T::deserialize(document.root()).map_err(|fault| document.explain(fault))?;
    let entries: &[_] = match &document.root().content {
        Content::Mapping(entries) => entries,
        Content::Scalar(_) | Content::List(_) => &[],
    };
    let lines = entries.iter().filter_map(|(key, value)| Some((key.text()?.to_string(), value.place.line)));
    Ok((value, lines.collect()))
}

/// Writes a value as one YAML document. What `from_str` reads back is equal.
pub fn to_string<T: Serialize>(value: &T) -> Result<String, Problem> {
    serde_yaml::to_string(value)
        .map_err(|error| Problem::new("this cannot be written as YAML").because(error.to_string()))
}

/// A text and the tree in it.
pub(crate) struct Document<'t> {
    text: &'t str,
    root: Option<Node<'t>>,
}

impl<'t> Document<'t> {
    pub(crate) fn parse(text: &'t str) -> Result<Document<'t>, Problem> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(structure::too_long(text.len()));
        }
        if let Some(line) = text_after_the_end(text) {
            return Err(structure::second_document().on(line, 1));
        }
        Ok(Document { text, root: build::tree(text)? })
    }

    pub(crate) fn root(&self) -> &Node<'t> {
        const NOTHING: &Node<'_> = &Node {
            place: Place::BEGINNING,
            content: Content::Scalar(Scalar {
                text: std::borrow::Cow::Borrowed(""),
                is_plain: true,
                tag: Tag::None,
            }),
        };
        self.root.as_ref().unwrap_or(NOTHING)
    }

    fn explain(&self, fault: Fault) -> Problem {
        match &self.root {
            Some(root) => explain::problem(self.text, fault.at(root.place)),
            None => structure::empty(),
        }
    }
}

/// The line of whatever follows the end mark `...`, which the library would leave unread if it is not YAML.
fn text_after_the_end(text: &str) -> Option<usize> {
    let mut lines = text.lines().zip(1..).skip_while(|(line, _)| line.trim_end() != "...").skip(1);
    lines.find(|(line, _)| !line.trim().is_empty() && !line.trim_start().starts_with('#')).map(|(_, at)| at)
}
