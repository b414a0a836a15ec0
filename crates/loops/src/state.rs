//! `STATE.md`: what a loop knows, rewritten by each run and edited by people.
//!
//! ```markdown
//! # ci-watch — STATE
//! _Updated: 2026-11-16T09:37:00Z · run #12 · readiness 95/100_
//!
//! ## Priority   (act on these next)
//! - [P1] the parser test fails since 4e1f
//!
//! ## Watch     (not yet actionable)
//! - the cache grows
//!
//! ## Noise      (seen + dismissed this run)
//! - a warning of the linker
//!
//! ---
//! _Source: command, run 20261116T093700-l1 · config: loop.config.yaml_
//! ```
//!
//! - An item is a line that begins with `- `; lines that are set in below it belong to it. It is known by its words:
//!   the same words in another section are the same item, moved.
//! - Whatever else a person writes (a note in a section, a section of their own, words below the line) is kept where it
//!   stands. Only the first two lines and the last are ours.
//! - A file that was edited during a run is merged ([`LoopState::merge`]): a person's edit is never lost.

mod merge;
mod parse;

use std::fmt::{self, Write as _};

use jiff::Timestamp;

/// The name of the state in a loop's folder.
pub const FILE: &str = "STATE.md";
/// The longest state that is read, in bytes.
pub const MAX_STATE_BYTES: u64 = 1024 * 1024;
/// The most items that a run may put into a section.
pub const MAX_ITEMS: usize = 200;
/// The longest item of a run, in characters.
const MAX_ITEM_CHARS: usize = 500;
/// What an item begins with that waits for a person. No run works on it.
pub const ESCALATED: &str = "ESCALATED";

/// The three sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SectionName {
    /// To be acted on next, the first item first.
    Priority,
    /// Not yet to be acted on.
    Watch,
    /// Seen and dismissed by the last run.
    Noise,
}

impl SectionName {
    /// In the order of the file.
    pub const ALL: [SectionName; 3] = [SectionName::Priority, SectionName::Watch, SectionName::Noise];

    /// The whole heading.
    fn heading(self) -> &'static str {
        match self {
            SectionName::Priority => "## Priority   (act on these next)",
            SectionName::Watch => "## Watch     (not yet actionable)",
            SectionName::Noise => "## Noise      (seen + dismissed this run)",
        }
    }

    /// The word by which a heading is recognised, however it goes on.
    fn word(self) -> &'static str {
        match self {
            SectionName::Priority => "Priority",
            SectionName::Watch => "Watch",
            SectionName::Noise => "Noise",
        }
    }
}

/// One thing that a loop knows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The number of `[P1]`.
    pub urgency: Option<u8>,
    /// Its words, on one line.
    pub text: String,
    /// Lines of a person's below it.
    pub more: Vec<String>,
}

impl Item {
    /// An item of a run: its words on one line, `[P1]` in front understood, bounded.
    pub fn new(words: &str) -> Item {
        let plain: String =
            words.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let line: String = words.join(" ").chars().take(MAX_ITEM_CHARS).collect();
        parse::item(line.trim_start_matches("- "))
    }

    /// Whether the words are the same.
    pub fn is(&self, other: &Item) -> bool {
        self.text == other.text
    }

    /// Whether it waits for a person.
    pub fn is_escalated(&self) -> bool {
        self.text.starts_with(ESCALATED)
    }
}

impl fmt::Display for Item {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.urgency {
            Some(urgency) => write!(out, "[P{urgency}] {}", self.text),
            None => out.write_str(&self.text),
        }
    }
}

/// A line of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Item(Item),
    /// A person's words that are no item.
    Note(String),
}

/// What a loop knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoopState {
    /// The number of the last run that wrote it.
    pub run: u64,
    /// What the last run said about its readiness.
    pub readiness: Option<u32>,
    /// A person's words before the sections.
    preface: Vec<String>,
    sections: [Vec<Entry>; 3],
    /// Sections of a person's own.
    own: Vec<String>,
    /// A person's words below the line.
    tail: Vec<String>,
}

/// What the two lines of ours say.
#[derive(Debug, Clone)]
pub struct Stamp<'a> {
    /// The loop's name.
    pub name: &'a str,
    /// When it was written.
    pub at: Timestamp,
    /// What did the work: engine and run.
    pub source: &'a str,
}

impl LoopState {
    /// Reads a state; any text is one.
    pub fn parse(text: &str) -> LoopState {
        parse::state(text)
    }

    /// The items of a section.
    pub fn items(&self, section: SectionName) -> impl Iterator<Item = &Item> {
        self.entries(section).iter().filter_map(|entry| match entry {
            Entry::Item(item) => Some(item),
            Entry::Note(_) => None,
        })
    }

    /// The item that a run works on: the first of Priority that does not wait for a person.
    pub fn next_item(&self) -> Option<&Item> {
        self.items(SectionName::Priority).find(|item| !item.is_escalated())
    }

    /// Replaces the items of a section; notes stay.
    pub fn set(&mut self, section: SectionName, items: Vec<Item>) {
        let entries = self.entries_mut(section);
        let mut unique: Vec<Entry> = Vec::new();
        for item in items.into_iter().filter(|item| !item.text.is_empty()).take(MAX_ITEMS) {
            if !unique.iter().any(|entry| matches!(entry, Entry::Item(known) if known.is(&item))) {
                unique.push(Entry::Item(item));
            }
        }
        unique.extend(entries.drain(..).filter(|entry| matches!(entry, Entry::Note(_))));
        *entries = unique;
    }

    /// Takes an item out, wherever it is.
    pub fn remove(&mut self, item: &Item) {
        for entries in &mut self.sections {
            entries.retain(|entry| !matches!(entry, Entry::Item(known) if known.is(item)));
        }
    }

    /// Puts an item before all others of a section; one that is elsewhere moves.
    pub fn put_on_top(&mut self, section: SectionName, item: Item) {
        self.remove(&item);
        self.entries_mut(section).insert(0, Entry::Item(item));
    }

    /// Puts an item behind all others of a section; one that is elsewhere moves.
    pub fn put_last(&mut self, section: SectionName, item: Item) {
        self.remove(&item);
        self.entries_mut(section).push(Entry::Item(item));
    }

    /// The whole file.
    pub fn render(&self, stamp: &Stamp<'_>) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ok = self.write(&mut out, stamp);
        out
    }

    fn write(&self, out: &mut String, stamp: &Stamp<'_>) -> fmt::Result {
        writeln!(out, "# {} — STATE", stamp.name)?;
        let readiness = self.readiness.unwrap_or(0);
        writeln!(out, "_Updated: {:.0} · run #{} · readiness {readiness}/100_\n", stamp.at, self.run)?;
        if !self.preface.is_empty() {
            writeln!(out, "{}\n", self.preface.join("\n"))?;
        }
        out.push_str(&self.body());
        writeln!(out, "---")?;
        for line in &self.tail {
            writeln!(out, "{line}")?;
        }
        writeln!(out, "_Source: {} · config: loop.config.yaml_", stamp.source)
    }

    /// The sections, as a prompt shows them: what only changes when the items do.
    pub fn body(&self) -> String {
        let mut out = String::new();
        for section in SectionName::ALL {
            let _ok = writeln!(out, "{}", section.heading());
            for entry in self.entries(section) {
                let _ok = match entry {
                    Entry::Item(item) => writeln!(out, "- {item}"),
                    Entry::Note(line) => writeln!(out, "{line}"),
                };
                if let Entry::Item(Item { more, .. }) = entry {
                    more.iter().for_each(|line| out.push_str(&format!("{line}\n")));
                }
            }
            out.push('\n');
        }
        if !self.own.is_empty() {
            let _ok = writeln!(out, "{}\n", self.own.join("\n"));
        }
        out
    }

    fn entries(&self, section: SectionName) -> &[Entry] {
        let [priority, watch, noise] = &self.sections;
        match section {
            SectionName::Priority => priority,
            SectionName::Watch => watch,
            SectionName::Noise => noise,
        }
    }

    fn entries_mut(&mut self, section: SectionName) -> &mut Vec<Entry> {
        let [priority, watch, noise] = &mut self.sections;
        match section {
            SectionName::Priority => priority,
            SectionName::Watch => watch,
            SectionName::Noise => noise,
        }
    }

    /// The section that an item is in.
    fn home_of(&self, item: &Item) -> Option<SectionName> {
        SectionName::ALL.into_iter().find(|section| self.items(*section).any(|known| known.is(item)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# look — STATE\n_Updated: 2026-11-16T09:37:00Z · run #12 · readiness 95/100_\n\n\
        ## Priority   (act on these next)\n- [P1] one\n  said by Ada\n- two\n\n## Watch     (not yet actionable)\n\
        Ada: look at this on Friday\n- three\n\n## Noise      (seen + dismissed this run)\n\n---\n\
        _Source: command · config: loop.config.yaml_\n";

    fn stamp() -> Stamp<'static> {
        Stamp { name: "look", at: "2026-11-16T09:37:00Z".parse().unwrap(), source: "command" }
    }

    #[test]
    fn what_is_written_is_read_again_byte_for_byte() {
        let state = LoopState::parse(TEXT);
        assert_eq!((state.run, state.readiness), (12, Some(95)));
        assert_eq!(state.next_item().unwrap().to_string(), "[P1] one");
        assert_eq!(state.render(&stamp()), TEXT);
    }

    #[test]
    fn a_text_of_any_kind_is_kept_where_it_stands() {
        let odd = "hello\r\n## Priority\n* star\n## Mine\nwords\n---\nbelow\n";
        let state = LoopState::parse(odd);
        let text = state.render(&stamp());
        for part in ["hello", "* star", "## Mine\nwords", "---\nbelow"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(LoopState::parse(&text).render(&stamp()), text);
    }

    #[test]
    fn an_item_of_a_run_is_one_bounded_line_and_stands_in_one_section() {
        let item = Item::new("- [P2] a\n## Priority\u{7} b");
        assert_eq!(item.to_string(), "[P2] a ## Priority b");
        assert_eq!(Item::new(&"x".repeat(10_000)).text.len(), MAX_ITEM_CHARS);
        let mut state = LoopState::parse(TEXT);
        state.put_on_top(SectionName::Priority, Item::new("three"));
        assert_eq!(state.next_item().unwrap().text, "three");
        assert_eq!(state.items(SectionName::Watch).count(), 0);
    }

    #[test]
    fn what_waits_for_a_person_is_not_worked_on() {
        let mut state = LoopState::parse(TEXT);
        state.put_on_top(SectionName::Priority, Item::new("[P1] ESCALATED force push"));
        assert_eq!(state.next_item().unwrap().text, "one");
    }
}
