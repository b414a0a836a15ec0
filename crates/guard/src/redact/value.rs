//! Redaction of JSON values, where names and values need not be guessed.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::members::{self, Origin};
use super::redactor::Redactor;
use super::span::{Rank, Span, replaced};
use super::spread;
use super::tree::{Content, Place, Tree};

/// Which node of the tree is which child of an object or an array, and what was found in each of them.
struct Plan {
    children: Vec<Vec<usize>>,
    keys: HashMap<usize, Vec<Span>>,
    texts: HashMap<usize, Vec<Span>>,
}

/// Redacts a value. Nesting costs no stack.
pub(super) fn redact(redactor: Redactor, value: &mut Value) {
    let mut plan = Plan::of(value);
    let mut open: Vec<(usize, &mut Value)> = vec![(0, value)];
    while let Some((node, value)) = open.pop() {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => {
                redact_string(redactor, text, plan.texts.remove(&node).unwrap_or_default());
            }
            Value::Array(items) => open.extend(plan.children[node].iter().copied().zip(items)),
            Value::Object(map) => {
                let nodes = plan.redact_keys(redactor, node, map);
                open.extend(nodes.into_iter().zip(map.values_mut()));
            }
        }
    }
}

/// Redacts the fields of an object.
pub(super) fn redact_map(redactor: Redactor, map: &mut Map<String, Value>) {
    let mut value = Value::Object(std::mem::take(map));
    redact(redactor, &mut value);
    if let Value::Object(clean) = value {
        *map = clean;
    }
}

impl Plan {
    /// Looks at the value as a whole.
    fn of(value: &Value) -> Self {
        let tree = Tree::of(value);
        let mut plan = Self { children: Vec::new(), keys: HashMap::new(), texts: HashMap::new() };
        let mut findings = members::find(&tree, None, Origin::Value);
        findings.extend(spread::find(&tree));
        for finding in findings {
            match finding.place {
                Place::Key(node) => plan.keys.entry(node).or_default().push(finding.span),
                Place::Text(node) => plan.texts.entry(node).or_default().push(finding.span),
            }
        }
        plan.children = tree.nodes.into_iter().map(|node| children_of(node.content)).collect();
        plan
    }

    /// A secret may be a key as well. Two keys that become equal are kept apart. Returns the nodes of the values, in
    /// their new order.
    fn redact_keys(&self, redactor: Redactor, node: usize, map: &mut Map<String, Value>) -> Vec<usize> {
        let children = &self.children[node];
        let is_clean =
            |(key, child): (&String, &usize)| !self.keys.contains_key(child) && *redactor.text(key) == **key;
        if map.keys().zip(children).all(is_clean) {
            return children.clone();
        }
        // How often each was met, so that the next free number is not looked for from the beginning.
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut nodes: HashMap<String, usize> = HashMap::new();
        for ((key, value), child) in std::mem::take(map).into_iter().zip(children) {
            let key = match self.keys.get(child) {
                Some(spans) => replaced(&key, spans.clone()),
                None => key,
            };
            let clean = redactor.text(&key).into_owned();
            let count = counts.entry(clean.clone()).or_insert(0);
            let unique = loop {
                *count += 1;
                let name = if *count == 1 { clean.clone() } else { format!("{clean} {count}") };
                if !map.contains_key(&name) {
                    break name;
                }
            };
            nodes.insert(unique.clone(), *child);
            map.insert(unique, value);
        }
        map.keys().filter_map(|key| nodes.get(key).copied()).collect()
    }
}

fn children_of(content: Content<'_>) -> Vec<usize> {
    match content {
        Content::Object(children) | Content::Array(children) => children,
        Content::Text(_) | Content::True | Content::Other => Vec::new(),
    }
}

fn redact_string(redactor: Redactor, text: &mut String, spans: Vec<Span>) {
    let is_whole = |span: &Span| (span.start, span.end) == (0, text.len()) && span.rank == Rank::Named;
    if let Some(span) = spans.iter().copied().find(is_whole) {
        // The form of the whole value, if it has one, says more than the name.
        let whole = redactor.text(text);
        let is_one_label = whole.starts_with("[REDACTED:") && whole.find(']') == Some(whole.len() - 1);
        *text = if is_one_label { whole.into_owned() } else { replaced(text, vec![span]) };
        return;
    }
    if !spans.is_empty() {
        *text = replaced(text, spans);
    }
    if let std::borrow::Cow::Owned(clean) = redactor.text(text) {
        *text = clean;
    }
}
