//! The pages of patterns: `topics/lesson-*.md`, `topics/groove-*.md`, and `topics/patterns.md`, which links to all of them.
//!
//! ```text
//! ---
//! kind: lesson
//! made: 5f2c…                 digest of the page without this line: a page that a person changed is theirs
//! occurrences: ["s1 evt_1"]   session and event; as many as there are is how often it happened
//! contradicted_by: evt_9      only when a person spoke against it later
//! ---
//! # Use pnpm, not npm.
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Deserialize;
use subcortex_guard::Redactor;
use subcortex_memory::MemoryFolder;
use subcortex_store::durable::{self, ReadError, WriteError};
use subcortex_yaml::frontmatter;

use super::Tracked;
use crate::{WeaveError, Workshop};

const INDEX: &str = "patterns.md";
const MADE: &str = "made: ";
/// The longest page that is read, in bytes.
const MAX_BYTES: u64 = 256 * 1024;
/// The most occurrences that a page lists.
const MAX_OCCURRENCES: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    Lesson,
    Groove,
}

impl NodeKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Lesson => "lesson",
            Self::Groove => "groove",
        }
    }
}

/// One pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) slug: String,
    pub(super) condition: String,
    pub(super) procedure: Vec<String>,
    /// A person's words, or how the effort shrank.
    pub(super) why: String,
    pub(super) occurrences: BTreeSet<String>,
    pub(super) contradicted_by: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Front {
    made: String,
    kind: String,
    condition: String,
    why: String,
    procedure: Vec<String>,
    occurrences: Vec<String>,
    contradicted_by: Option<String>,
}

impl Node {
    /// More of the same.
    pub(super) fn add(&mut self, other: &Node) -> bool {
        let before = self.occurrences.len();
        let room = MAX_OCCURRENCES.saturating_sub(before);
        let new: Vec<String> = other.occurrences.difference(&self.occurrences).take(room).cloned().collect();
        self.occurrences.extend(new);
        self.occurrences.len() > before
    }

    fn title(&self) -> String {
        match self.kind {
            NodeKind::Lesson => self.procedure.join(" "),
            NodeKind::Groove => self.condition.clone(),
        }
    }

    fn render(&self) -> String {
        let mut front = format!(
            "kind: {}\ncondition: {}\nprocedure: {}\nwhy: {}\noccurrences: {}\n",
            self.kind.as_str(),
            json(self.condition.as_str()),
            json(self.procedure.clone()),
            json(self.why.as_str()),
            json(self.occurrences.iter().cloned().collect::<Vec<_>>()),
        );
        if let Some(event) = &self.contradicted_by {
            let _ok = writeln!(front, "contradicted_by: {}", json(event.as_str()));
        }
        let sessions: BTreeSet<&str> =
            self.occurrences.iter().filter_map(|one| one.split(' ').next()).collect();
        let mut rest = format!("---\n# {}\n\n", plain(&self.title()));
        if self.contradicted_by.is_some() {
            rest.push_str("**Contradicted**: a person spoke against this later. Do not rely on it.\n\n");
        }
        let steps: String = self.procedure.iter().map(|step| format!("- {}\n", plain(step))).collect();
        let _ok = write!(
            rest,
            "## Condition\n\n{}\n\n## Procedure\n\n{steps}\n## Occurrences\n\n{} in {} sessions\n\n## Why\n\n> {}\n\n## Links\n\n- [[patterns]]\n",
            plain(&self.condition),
            self.occurrences.len(),
            sessions.len(),
            plain(&self.why),
        );
        let text = Redactor::new().text(&format!("---\n{front}{rest}")).into_owned();
        text.replacen("---\n", &format!("---\n{MADE}{}\n", digest(&text)), 1)
    }

    /// A page of ours that nobody changed.
    fn parse(slug: &str, text: &str) -> Option<Self> {
        let (front, _) = frontmatter::parse::<Front>(text).ok()?;
        let front = front?;
        let without = text.replacen(&format!("{MADE}{}\n", front.made), "", 1);
        let kind = match front.kind.as_str() {
            "lesson" => NodeKind::Lesson,
            "groove" => NodeKind::Groove,
            _ => return None,
        };
        (digest(&without) == front.made).then(|| Self {
            kind,
            slug: slug.to_owned(),
            condition: front.condition,
            procedure: front.procedure,
            why: front.why,
            occurrences: front.occurrences.into_iter().collect(),
            contradicted_by: front.contradicted_by,
        })
    }
}

/// YAML understands JSON.
fn json(value: impl Into<serde_json::Value>) -> String {
    value.into().to_string()
}

/// Text that can neither begin a heading nor a link nor a page of its own.
fn plain(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.trim_start_matches(['#', '>', '-', '*', '+', ' ', '@', '|', '<', '=']);
    text.replace("[[", "[ [").replace("](", "] (").replace('<', "&lt;")
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().get(..32).unwrap_or_default().to_owned()
}

/// A name of this rule alone: `lesson-use-pnpm-not-npm-1f3a9c`.
pub(super) fn slug_of(kind: NodeKind, words: &str, key: &str) -> String {
    const MAX_WORDS: usize = 6;
    let words: Vec<String> = words
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS)
        .map(str::to_lowercase)
        .collect();
    let digits = digest(key);
    format!("{}-{}-{}", kind.as_str(), words.join("-"), digits.get(..6).unwrap_or_default())
}

/// What stands there, and what is to.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    nodes: BTreeMap<String, Node>,
    /// Pages of these names are a person's.
    theirs: BTreeSet<String>,
    old_texts: BTreeMap<String, String>,
    made: BTreeSet<String>,
    changed: BTreeSet<String>,
}

impl Shelf {
    pub(super) fn read(shop: &Workshop) -> Result<Self, WeaveError> {
        let mut shelf = Self::default();
        let names = match shop.disk.list(&shop.folder.topics()) {
            Ok(names) => names,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => {
                return Err(subcortex_memory::Trouble::List { path: shop.folder.topics(), source }.into());
            }
        };
        for slug in names.iter().filter_map(|name| name.to_str()?.strip_suffix(".md")) {
            if !super::is_page(slug) {
                continue;
            }
            let text =
                durable::read_text(&*shop.disk, &page(&shop.folder, slug), MAX_BYTES).unwrap_or_default();
            match Node::parse(slug, &text) {
                Some(node) => {
                    shelf.nodes.insert(slug.to_owned(), node);
                    shelf.old_texts.insert(slug.to_owned(), text);
                }
                None => drop(shelf.theirs.insert(slug.to_owned())),
            }
        }
        Ok(shelf)
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.values()
    }

    pub(super) fn put(&mut self, node: Node, max_new: usize) {
        if self.theirs.contains(&node.slug) {
            return;
        }
        if let Some(known) = self.nodes.get_mut(&node.slug) {
            if known.add(&node) && !self.made.contains(&node.slug) {
                self.changed.insert(node.slug);
            }
        } else if self.made.len() < max_new {
            self.made.insert(node.slug.clone());
            self.nodes.insert(node.slug.clone(), node);
        }
    }

    pub(super) fn contradict(&mut self, (slug, event): &(String, String)) {
        if let Some(node) = self.nodes.get_mut(slug).filter(|node| node.contradicted_by.is_none()) {
            node.contradicted_by = Some(event.clone());
            self.changed.insert(slug.clone());
        }
    }

    /// Links first: a node that nothing leads to is not written.
    pub(super) fn write(&self, shop: &Workshop, tracked: &mut Tracked) -> Result<(), WeaveError> {
        if self.made.is_empty() && self.changed.is_empty() {
            return Ok(());
        }
        let dir = shop.folder.topics();
        durable::make_dirs(&*shop.disk, shop.folder.root(), "topics".as_ref())?;
        let index = dir.join(INDEX);
        let old = match durable::read_text(&*shop.disk, &index, MAX_BYTES) {
            Ok(text) => Some(text),
            Err(ReadError::Missing { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let new = self.index(old.as_deref().unwrap_or("# Patterns\n\nWhat was learned from doing it.\n\n"));
        if !left_to_us(durable::replace_if_unchanged(
            &*shop.disk,
            &index,
            old.as_deref().map(str::as_bytes),
            new.as_bytes(),
        ))? {
            tracked.unlinked += self.made.len();
            return Ok(());
        }
        for slug in self.made.iter().chain(&self.changed) {
            let Some(node) = self.nodes.get(slug) else { continue };
            let path = page(&shop.folder, slug);
            let old = self.old_texts.get(slug).map(String::as_bytes);
            if !left_to_us(durable::replace_if_unchanged(&*shop.disk, &path, old, node.render().as_bytes()))?
            {
                continue;
            }
            let list = if self.made.contains(slug) { &mut tracked.made } else { &mut tracked.changed };
            list.push(shop.folder.reference(&path));
        }
        Ok(())
    }

    /// The page of links, with a line for each node that has none yet. Whatever else stands there stays.
    fn index(&self, old: &str) -> String {
        let mut text = old.to_owned();
        for node in self.nodes.values().filter(|node| !old.contains(&format!("[[{}]]", node.slug))) {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            let _ok = writeln!(text, "- {}: [[{}]]", plain(&node.title()), node.slug);
        }
        text
    }
}

fn page(folder: &MemoryFolder, slug: &str) -> std::path::PathBuf {
    folder.topics().join(format!("{slug}.md"))
}

fn left_to_us(outcome: Result<(), WriteError>) -> Result<bool, WeaveError> {
    match outcome {
        Ok(()) => Ok(true),
        Err(WriteError::Conflict { .. } | WriteError::Busy { .. } | WriteError::LeftAlone { .. }) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}
