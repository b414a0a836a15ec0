//! Two people's changes of one text, brought together heading by heading and block by block.
//!
//! A line is known by its words *and* by the headings that it stands under, so that no rule comes to hold where nobody said it. What
//! one side changed is changed; what one side removed and the other left alone is gone; what was added on either side is
//! there, under the heading where its side has it. A heading that one side removed stays as long as the other changed or
//! added something below it. A line that both sides changed stands in both versions, one below the other, and is named in
//! [`Merged::both_changed`], so that a person can decide. A change wins over a removal. Whose side is called ours does not matter for the text.

use std::collections::{BTreeMap, HashMap, HashSet};

use subcortex_diff::{Change, between};

use crate::outline::{Above, Form, Key, Kind, Node, Outline, Place, keys_of};

/// The text that came of both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Merged {
    /// All of it.
    pub text: String,
    /// Lines that both sides changed: ours, and theirs.
    pub both_changed: Vec<(String, String)>,
}

/// Brings two texts together that began as the same one.
pub(crate) fn merge(form: Form, base: &str, ours: &str, theirs: &str) -> Merged {
    let [base, ours, theirs] = [base, ours, theirs].map(|text| Outline::of(form, text));
    let mut both_changed = Vec::new();
    let nodes = together(&base.nodes, &ours.nodes, &theirs.nodes, &mut both_changed);
    let mut page = Page::default();
    page.push_all(&nodes);
    page.text.push_str(pick(Some(base.end), ours.end, theirs.end));
    Merged { text: page.text, both_changed }
}

/// What only one side changed is as that side has it. Where both did, neither is worth more.
fn pick<'a>(base: Option<&'a str>, ours: &'a str, theirs: &'a str) -> &'a str {
    match base {
        Some(base) if base == ours => theirs,
        Some(base) if base == theirs => ours,
        Some(_) | None => ours.max(theirs),
    }
}

/// What one side did with the nodes that stand below one parent.
struct Side<'n, 'a> {
    nodes: &'n [Node<'a>],
    keys: Vec<Key>,
    places: HashMap<Key, usize>,
    /// By the nodes of the text that both began with: what was put in their place.
    replaced: HashMap<usize, usize>,
    /// What was put before each of those nodes; they are here as well when they were moved there.
    added: BTreeMap<usize, Vec<usize>>,
    /// Which of those nodes stand elsewhere now.
    moved: HashSet<usize>,
}

/// What became of a node on one side.
enum Fate<'n, 'a> {
    Kept(&'n Node<'a>),
    Replaced(&'n Key, &'n Node<'a>),
    Removed,
}

impl<'n, 'a> Side<'n, 'a> {
    fn of(base: &[Node<'a>], base_keys: &[Key], nodes: &'n [Node<'a>]) -> Self {
        let keys = keys_of(nodes);
        let places: HashMap<Key, usize> = keys.iter().cloned().zip(0..).collect();
        let in_base: HashSet<&Key> = base_keys.iter().collect();
        let mut side = Self {
            nodes,
            places,
            replaced: HashMap::new(),
            added: BTreeMap::new(),
            moved: HashSet::new(),
            keys: Vec::new(),
        };
        let mut numbers = HashMap::new();
        let (before, after) = (numbered(base_keys, &mut numbers), numbered(&keys, &mut numbers));
        let mut gone = Vec::new();
        for stretch in between(&before, &after).stretches {
            match stretch.change {
                Change::Kept => gone.clear(),
                Change::Removed => {
                    let (moved, removed): (Vec<usize>, Vec<usize>) =
                        stretch.before.partition(|at| side.places.contains_key(&base_keys[*at]));
                    side.moved.extend(moved);
                    gone = removed;
                }
                Change::Added => {
                    // What was put where something was removed is that, changed, as far as it goes. Another heading is
                    // another place.
                    let mut gone = std::mem::take(&mut gone).into_iter().filter(|at| !is_heading(&base[*at]));
                    for at in stretch.after {
                        let is_new = !in_base.contains(&keys[at]) && !is_heading(&nodes[at]);
                        match is_new.then(|| gone.next()).flatten() {
                            Some(old) => drop(side.replaced.insert(old, at)),
                            None => side.added.entry(stretch.before.start).or_default().push(at),
                        }
                    }
                }
            }
        }
        side.keys = keys;
        side
    }

    fn fate(&'n self, at: usize, key: &Key) -> Fate<'n, 'a> {
        match (self.get(key), self.replaced.get(&at)) {
            (Some(node), _) => Fate::Kept(node),
            (None, Some(new)) => Fate::Replaced(&self.keys[*new], &self.nodes[*new]),
            (None, None) => Fate::Removed,
        }
    }

    fn get(&self, key: &Key) -> Option<&'n Node<'a>> {
        self.places.get(key).map(|at| &self.nodes[*at])
    }

    /// What was put before a node, in order.
    fn run(&self, at: usize) -> Vec<&Key> {
        self.added.get(&at).into_iter().flatten().map(|at| &self.keys[*at]).collect()
    }
}

fn is_heading(node: &Node<'_>) -> bool {
    matches!(node.kind, Kind::Heading(_))
}

/// Keys as lines of a text, to be compared.
fn numbered<'k>(keys: &'k [Key], numbers: &mut HashMap<&'k Key, usize>) -> String {
    let mut text = String::new();
    for key in keys {
        let next = numbers.len();
        text.push_str(&format!("{}\n", numbers.entry(key).or_insert(next)));
    }
    text
}

type Both = Vec<(String, String)>;

/// The nodes below one parent.
fn together<'a>(base: &[Node<'a>], ours: &[Node<'a>], theirs: &[Node<'a>], both: &mut Both) -> Vec<Node<'a>> {
    let base_keys = keys_of(base);
    let level = Level {
        places: base_keys.iter().zip(0..).collect(),
        base,
        ours: Side::of(base, &base_keys, ours),
        theirs: Side::of(base, &base_keys, theirs),
    };
    let mut done: HashSet<Key> = HashSet::new();
    let mut found = Vec::new();
    for at in 0..=base.len() {
        let (ours, theirs) = (level.ours.run(at), level.theirs.run(at));
        let (first, second) = if ours <= theirs { (ours, theirs) } else { (theirs, ours) };
        let is_moved = level.ours.moved.contains(&at) || level.theirs.moved.contains(&at);
        let here = base_keys.get(at).filter(|_| !is_moved);
        for key in first.into_iter().chain(second).chain(here) {
            if done.contains(key) {
                continue;
            }
            let nodes = level.nodes(key, both).into_iter();
            found.extend(nodes.filter_map(|(key, node)| done.insert(key).then_some(node)));
        }
    }
    found.sort_by_key(|node| node.kind.rank());
    found
}

struct Level<'n, 'a> {
    base: &'n [Node<'a>],
    places: HashMap<&'n Key, usize>,
    ours: Side<'n, 'a>,
    theirs: Side<'n, 'a>,
}

impl<'a> Level<'_, 'a> {
    /// What is to stand where a node stands.
    fn nodes(&self, key: &Key, both: &mut Both) -> Vec<(Key, Node<'a>)> {
        let Some(at) = self.places.get(key).copied() else {
            return self.added(key, both).map(|node| (key.clone(), node)).into_iter().collect();
        };
        let base = &self.base[at];
        let mut found = Vec::new();
        match (self.ours.fate(at, key), self.theirs.fate(at, key)) {
            (Fate::Kept(ours), Fate::Kept(theirs)) => {
                found.push((key.clone(), one_of(Some(base), ours, theirs, both)));
            }
            (Fate::Replaced(our_key, ours), Fate::Replaced(their_key, theirs)) => {
                if our_key != their_key {
                    both.push(first_difference(ours, theirs));
                }
                let keys = if our_key <= their_key { [our_key, their_key] } else { [their_key, our_key] };
                found.extend(keys.iter().filter_map(|key| Some(((*key).clone(), self.added(key, both)?))));
            }
            (Fate::Kept(kept), Fate::Replaced(new_key, new))
            | (Fate::Replaced(new_key, new), Fate::Kept(kept)) => match self.on_both(new_key) {
                // The other side has what it was changed to elsewhere.
                Some((ours, theirs)) => {
                    found.extend(rest_of(base, kept, both).map(|rest| (key.clone(), rest)));
                    found.push((new_key.clone(), one_of(None, ours, theirs, both)));
                }
                None => found.push((new_key.clone(), changed(base, kept, new, both))),
            },
            (Fate::Replaced(key, new), Fate::Removed) | (Fate::Removed, Fate::Replaced(key, new)) => {
                found.push((key.clone(), self.added(key, both).unwrap_or_else(|| new.clone())));
            }
            (Fate::Kept(kept), Fate::Removed) | (Fate::Removed, Fate::Kept(kept)) => {
                found.extend(rest_of(base, kept, both).map(|rest| (key.clone(), rest)));
            }
            (Fate::Removed, Fate::Removed) => {}
        }
        found
    }

    /// A node that the text did not have that both began with.
    fn added(&self, key: &Key, both: &mut Both) -> Option<Node<'a>> {
        match self.on_both(key) {
            Some((ours, theirs)) => Some(one_of(None, ours, theirs, both)),
            None => self.ours.get(key).or_else(|| self.theirs.get(key)).cloned(),
        }
    }

    fn on_both(&self, key: &Key) -> Option<(&Node<'a>, &Node<'a>)> {
        self.ours.get(key).zip(self.theirs.get(key))
    }
}

/// A node that both sides have.
fn one_of<'a>(base: Option<&Node<'a>>, ours: &Node<'a>, theirs: &Node<'a>, both: &mut Both) -> Node<'a> {
    let (our_place, their_place) = (ours.places.first(), theirs.places.first());
    let places = match (our_place, their_place) {
        (Some(ours), Some(theirs)) if ours.above == theirs.above => {
            let base = base.and_then(|base| base.places.first()).map(|place| place.gap);
            vec![Place { above: ours.above.clone(), gap: pick(base, ours.gap, theirs.gap) }]
        }
        _ => our_place.into_iter().chain(their_place).cloned().collect(),
    };
    let below = base.map_or(&[][..], |base| &base.below);
    Node {
        kind: ours.kind,
        places,
        text: pick(base.map(|base| base.text), ours.text, theirs.text),
        words: ours.words.clone(),
        below: together(below, &ours.below, &theirs.below, both),
    }
}

/// A node that one side changed, with what the other did below it.
fn changed<'a>(base: &Node<'a>, kept: &Node<'a>, new: &Node<'a>, both: &mut Both) -> Node<'a> {
    Node { below: together(&base.below, &kept.below, &new.below, both), ..new.clone() }
}

/// What is left of a node that one side removed: it stays with what the other side changed or added below it.
fn rest_of<'a>(base: &Node<'a>, kept: &Node<'a>, both: &mut Both) -> Option<Node<'a>> {
    let below = together(&base.below, &kept.below, &[], both);
    (!below.is_empty()).then(|| Node { below, ..kept.clone() })
}

/// The lines in which two versions differ first.
fn first_difference(ours: &Node<'_>, theirs: &Node<'_>) -> (String, String) {
    let mut pairs = ours.words.lines().zip(theirs.words.lines());
    let (ours, theirs) = pairs.find(|(ours, theirs)| ours != theirs).unwrap_or((&ours.words, &theirs.words));
    (ours.to_owned(), theirs.to_owned())
}

/// The text as it is written down.
#[derive(Debug, Default)]
struct Page {
    text: String,
    last: Option<Above>,
    /// What would end the block that was written last, if nothing does: it must not take in what follows.
    open: Option<String>,
}

impl Page {
    fn push_all(&mut self, nodes: &[Node<'_>]) {
        for node in nodes {
            // The last line of a file may lack its end.
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            if let Some(end) = self.open.take() {
                self.text.push_str(&format!("{end}\n"));
            }
            self.text.push_str(gap(self.last.as_ref(), node));
            self.text.push_str(node.text);
            self.open = node.end_that_lacks();
            self.last = Some(Above { kind: node.kind, words: node.words.clone() });
            self.push_all(&node.below);
        }
    }
}

/// The empty lines above a node: as its person has them where it stands below the same one, or below one of that kind. Elsewhere
/// it must not become a part of what it stands below.
fn gap<'a>(last: Option<&Above>, node: &Node<'a>) -> &'a str {
    if let Some(place) = node.places.iter().find(|place| place.above.as_ref() == last) {
        return place.gap;
    }
    let Some(last) = last else { return "" };
    let widest = |places: &mut dyn Iterator<Item = &Place<'a>>| places.map(|place| place.gap).max();
    let is_alike =
        |place: &&Place<'a>| place.above.as_ref().is_some_and(|above| above.kind.is_like(last.kind));
    let alike = widest(&mut node.places.iter().filter(is_alike)).filter(|_| last.kind != Kind::Block);
    alike.unwrap_or_else(|| match (last.kind, node.kind) {
        (Kind::Item, Kind::Item) => "",
        _ => widest(&mut node.places.iter()).filter(|gap| !gap.is_empty()).unwrap_or("\n"),
    })
}

#[cfg(test)]
mod tests;
