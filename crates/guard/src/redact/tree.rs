//! A structured value as rules see it, be it JSON itself or JSON that was printed in a text.

use std::borrow::Cow;

use serde_json::Value;

use super::span::Span;

/// A value with all its parts. The first node is the whole.
#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

/// One part of a value.
#[derive(Debug)]
pub(super) struct Node<'a> {
    /// Under which key it stands, in an object.
    pub(super) key: Option<Cow<'a, str>>,
    pub(super) content: Content<'a>,
}

/// What a part is. Children are the numbers of their nodes.
#[derive(Debug)]
pub(super) enum Content<'a> {
    Object(Vec<usize>),
    Array(Vec<usize>),
    Text(Cow<'a, str>),
    /// `true`
    True,
    /// Numbers, `false`, nothing.
    Other,
}

/// Where a secret was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the key of this node.
    Key(usize),
    /// In its text.
    Text(usize),
}

/// A secret in a text or a key of a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    pub(super) place: Place,
    pub(super) span: Span,
}

impl<'a> Tree<'a> {
    /// Reads a value. Nesting costs no stack.
    pub(super) fn of(value: &'a Value) -> Self {
        let mut tree = Self::default();
        let mut open = vec![(tree.add(None, Content::Other), value)];
        while let Some((at, value)) = open.pop() {
            let content = match value {
                Value::Bool(true) => Content::True,
                Value::Null | Value::Bool(false) | Value::Number(_) => Content::Other,
                Value::String(text) => Content::Text(Cow::Borrowed(text)),
                Value::Array(items) => {
                    let children = items.iter().map(|item| (tree.add(None, Content::Other), item));
                    let children: Vec<_> = children.collect();
                    open.extend_from_slice(&children);
                    Content::Array(children.into_iter().map(|(at, _)| at).collect())
                }
                Value::Object(map) => {
                    let named = map.iter().map(|(key, field)| {
                        (tree.add(Some(Cow::Borrowed(key.as_str())), Content::Other), field)
                    });
                    let children: Vec<_> = named.collect();
                    open.extend_from_slice(&children);
                    Content::Object(children.into_iter().map(|(at, _)| at).collect())
                }
            };
            tree.nodes[at].content = content;
        }
        tree
    }

    /// Adds a part, and says which number it has.
    pub(super) fn add(&mut self, key: Option<Cow<'a, str>>, content: Content<'a>) -> usize {
        self.nodes.push(Node { key, content });
        self.nodes.len() - 1
    }

    /// The text of a node, if it is one.
    pub(super) fn text(&self, node: usize) -> Option<&str> {
        match &self.nodes[node].content {
            Content::Text(text) => Some(text),
            Content::Object(_) | Content::Array(_) | Content::True | Content::Other => None,
        }
    }

    /// The key of a node, or nothing.
    pub(super) fn key(&self, node: usize) -> &str {
        self.nodes[node].key.as_deref().unwrap_or_default()
    }

    /// The texts among some nodes.
    pub(super) fn texts<'t>(&'t self, nodes: &'t [usize]) -> impl Iterator<Item = (usize, &'t str)> {
        nodes.iter().filter_map(|node| Some((*node, self.text(*node)?)))
    }

    /// The text under a key, among the children of an object.
    pub(super) fn field(&self, children: &[usize], key: &str) -> Option<&str> {
        children.iter().find(|child| self.key(**child) == key).and_then(|child| self.text(*child))
    }
}
