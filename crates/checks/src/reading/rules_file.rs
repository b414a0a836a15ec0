//! A rules file (`CLAUDE.md`, `AGENTS.md`, `.cursorrules`, the broadcast): Markdown, read by a real parser.
//!
//! A heading is the context of the rules below it, a wrapped line belongs to its rule, a nested item to its parent, a code block to the
//! rule above it. A YAML header, tables, comments, rulers and imports (`@path`) are no rules.

use std::borrow::Cow;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::cues;

/// A line of a paragraph without an end of a sentence goes on in the next one only from this length on: shorter ones are rather a list
/// without marks.
const MIN_WRAPPED_CHARS: usize = 50;

/// One rule as it stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The line that it begins in, counted from 1.
    pub line: usize,
    /// How many lines it takes.
    pub lines: usize,
    /// Its first line as written, list mark included.
    pub first_line: String,
    /// All of it in one line, list mark included.
    pub written: String,
    /// Its words in one line, without the list mark.
    pub text: String,
    /// The headings that it stands under, outermost first.
    pub headings: Vec<String>,
    /// The items that it is nested in, outermost first.
    pub parents: Vec<String>,
    /// The code block that follows it.
    pub code: Option<String>,
}

impl Rule {
    /// What it stands in: headings, then the items that it is nested in.
    pub fn context(&self) -> Vec<String> {
        self.headings.iter().chain(&self.parents).cloned().collect()
    }

    /// The project that its section names.
    pub fn project(&self) -> Option<String> {
        cues::project(&self.context())
    }
}

/// The largest memory that is read and compiled, in bytes. A rule takes the better part of a millisecond, so that this much takes about
/// a second; agents load 25 kB of it.
pub const MAX_RULES_BYTES: u64 = 128 * 1024;

/// The rules of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RulesFile {
    /// In the order of the file.
    pub rules: Vec<Rule>,
    /// What `@path` lines take in from elsewhere.
    pub imports: Vec<String>,
}

impl RulesFile {
    /// Reads a rules file.
    pub fn parse(text: &str) -> Self {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut reader = Reader::new(text);
        let options = Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let body = only_line_feeds(text.get(start..).unwrap_or(""));
        for (event, range) in Parser::new_ext(&body, options).into_offset_iter() {
            reader.take(&event, start + range.start, start + range.end);
        }
        reader.flush();
        reader.found
    }
}

/// A carriage return alone ends a line for Markdown and for nobody else here: read both ways, every rule of such a file would be the whole file.
/// It counts as a blank, in the same place.
fn only_line_feeds(text: &str) -> Cow<'_, str> {
    let mut bytes = text.as_bytes().iter().enumerate();
    let is_alone = |at: usize| text.as_bytes().get(at + 1) != Some(&b'\n');
    if !bytes.any(|(at, byte)| *byte == b'\r' && is_alone(at)) {
        return Cow::Borrowed(text);
    }
    let read = |(at, character)| if character == '\r' && is_alone(at) { ' ' } else { character };
    Cow::Owned(text.char_indices().map(read).collect())
}

struct Reader<'t> {
    text: &'t str,
    /// Where each line begins.
    starts: Vec<usize>,
    headings: Vec<(HeadingLevel, String)>,
    /// The items that are open: the text of each, once it is known.
    items: Vec<String>,
    /// The text that is being read, from and to.
    open: Option<(usize, usize)>,
    /// Inside of something whose text is no rule.
    skipped: usize,
    heading: Option<(HeadingLevel, usize)>,
    in_code: bool,
    found: RulesFile,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self {
            text,
            starts,
            headings: Vec::new(),
            items: Vec::new(),
            open: None,
            skipped: 0,
            heading: None,
            in_code: false,
            found: RulesFile::default(),
        }
    }

    fn take(&mut self, event: &Event<'_>, start: usize, end: usize) {
        match event {
            Event::Start(tag) => self.begin(tag, start),
            Event::End(tag) => self.end(tag, end),
            Event::Text(words) if self.in_code => self.add_code(words),
            Event::Text(_)
            | Event::Code(_)
            | Event::InlineHtml(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_) => self.extend(start, end),
            Event::SoftBreak | Event::HardBreak | Event::Html(_) | Event::Rule => {}
        }
    }

    fn begin(&mut self, tag: &Tag<'_>, start: usize) {
        match tag {
            Tag::Heading { level, .. } => {
                self.flush();
                self.heading = Some((*level, start));
            }
            Tag::Item => {
                self.flush();
                self.items.push(String::new());
            }
            Tag::Paragraph | Tag::List(_) | Tag::BlockQuote(_) => self.flush(),
            Tag::CodeBlock(_) => {
                self.flush();
                self.in_code = true;
            }
            Tag::Table(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) | Tag::FootnoteDefinition(_) => {
                self.flush();
                self.skipped += 1;
            }
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::TableHead
            | Tag::TableRow
            | Tag::TableCell
            | Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Superscript
            | Tag::Subscript
            | Tag::Link { .. }
            | Tag::Image { .. } => {}
        }
    }

    fn end(&mut self, tag: &TagEnd, end: usize) {
        match tag {
            TagEnd::Heading(_) => {
                if let Some((level, start)) = self.heading.take() {
                    let words = self.text.get(start..end).unwrap_or("").trim();
                    let words = words.lines().next().unwrap_or("").trim_matches(['#', ' ']).to_owned();
                    self.headings.retain(|(other, _)| *other < level);
                    self.headings.push((level, words));
                }
                self.open = None;
            }
            TagEnd::Item => {
                self.flush();
                self.items.pop();
            }
            TagEnd::Paragraph => self.flush(),
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::Table | TagEnd::HtmlBlock | TagEnd::MetadataBlock(_) | TagEnd::FootnoteDefinition => {
                self.skipped = self.skipped.saturating_sub(1);
                self.open = None;
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link | TagEnd::Image | TagEnd::Strikethrough => {
                // The closing marks belong to the text.
                if let Some((from, _)) = self.open {
                    self.open = Some((from, end));
                }
            }
            TagEnd::BlockQuote(_)
            | TagEnd::List(_)
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::TableHead
            | TagEnd::TableRow
            | TagEnd::TableCell
            | TagEnd::Superscript
            | TagEnd::Subscript => {}
        }
    }

    fn extend(&mut self, start: usize, end: usize) {
        if self.skipped == 0 && self.heading.is_none() {
            self.open = Some(self.open.map_or((start, end), |(from, to)| (from.min(start), to.max(end))));
        }
    }

    fn add_code(&mut self, words: &str) {
        if let Some(rule) = self.found.rules.last_mut() {
            rule.code.get_or_insert_default().push_str(words);
        }
    }

    /// What was read so far is a rule, or several.
    fn flush(&mut self) {
        let Some((start, end)) = self.open.take() else { return };
        let first = self.line_of(start);
        let last = self.line_of(end.saturating_sub(1).max(start));
        let lines: Vec<&str> =
            (first..=last).map(|line| self.line(line).trim_end_matches(['\r', '\n'])).collect();
        let is_item = !self.items.is_empty();
        let mut from = 0;
        for at in 1..=lines.len() {
            let goes_on = at < lines.len()
                && joins(is_item, lines.get(at - 1).unwrap_or(&""), lines.get(at).unwrap_or(&""));
            if !goes_on {
                self.add(first + from, lines.get(from..at).unwrap_or(&[]));
                from = at;
            }
        }
    }

    fn add(&mut self, line: usize, lines: &[&str]) {
        let Some(first_line) = lines.first() else { return };
        let first_line = first_line.trim_start_matches('\u{feff}');
        let words: Vec<&str> = lines.iter().map(|line| line.trim_start_matches('\u{feff}').trim()).collect();
        let written = words.join(" ");
        let text = without_mark(&written).to_owned();
        if let Some(import) = text.strip_prefix('@') {
            let is_path = !import.is_empty() && !import.contains(' ');
            self.found.imports.extend(is_path.then(|| import.to_owned()));
            return;
        }
        // A row of a table that stands right below a rule.
        let is_row = text.starts_with('|') && text.len() > 1 && text.ends_with('|');
        if text.is_empty() || is_row || text.chars().all(|c| !c.is_alphanumeric()) {
            return;
        }
        let parents: Vec<String> =
            self.items.iter().rev().skip(1).rev().filter(|item| !item.is_empty()).cloned().collect();
        if let Some(item) = self.items.last_mut().filter(|item| item.is_empty()) {
            item.clone_from(&text);
        }
        self.found.rules.push(Rule {
            line: line + 1,
            lines: lines.len(),
            first_line: first_line.to_owned(),
            written,
            text,
            headings: self.headings.iter().map(|(_, words)| words.clone()).collect(),
            parents,
            code: None,
        });
    }

    fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    fn line(&self, number: usize) -> &'t str {
        let start = self.starts.get(number).copied().unwrap_or(self.text.len());
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or("")
    }
}

/// Whether a line belongs to the one before it. An import (`@path`) stands alone.
fn joins(is_item: bool, before: &str, line: &str) -> bool {
    let is_row = |line: &str| line.trim_start().starts_with('|');
    !line.starts_with('@')
        && !before.starts_with('@')
        && !is_row(line)
        && !is_row(before)
        && (is_item || goes_on(before, line))
}

/// Whether a line of a paragraph is the rest of the one before it, which was too long for its line.
fn goes_on(before: &str, line: &str) -> bool {
    let ended = before.trim_end().ends_with(['.', ':', ';', '!', '?']);
    let starts_inside =
        line.trim_start().starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit() || c == '`');
    !ended && starts_inside && before.trim().chars().count() >= MIN_WRAPPED_CHARS
}

crate::text::pattern!(LIST_MARK, r"^\s*(?:(?:[-*+•]\s+|\d+[.)]\s+|>\s+)(?:\[[ xX]\]\s+)?)+");

/// The words behind a list mark.
pub(crate) fn without_mark(line: &str) -> &str {
    line.get(LIST_MARK.find(line).map_or(0, |found| found.end())..).unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rules_file_is_read_as_people_see_it() {
        let text = "---\nname: x\n---\n# Title\n\n@priority.md\n\n<!-- a\nb -->\n- Use pnpm, not\n  npm.\n\n```sh\n- not a rule\n```\n\n\
            | a | b |\n|---|---|\n| c | d |\n\n---\n## Project: web\n1. Tests:\n   - [ ] **Run** `make test`\n     before commits\n   - never skip\nPlain words\nstand alone.\n";
        let file = RulesFile::parse(text);
        let seen: Vec<(usize, &str)> =
            file.rules.iter().map(|rule| (rule.line, rule.text.as_str())).collect();
        assert_eq!(
            seen,
            [
                (10, "Use pnpm, not npm."),
                (23, "Tests:"),
                (24, "**Run** `make test` before commits"),
                (26, "never skip Plain words stand alone."),
            ]
        );
        assert_eq!(file.imports, ["priority.md"]);
        assert_eq!(file.rules[0].code.as_deref(), Some("- not a rule\n"));
        assert_eq!(file.rules[0].headings, ["Title"]);
        assert_eq!(file.rules[2].headings, ["Title", "Project: web"]);
        assert_eq!(file.rules[2].parents, ["Tests:"]);
    }

    #[test]
    fn a_table_right_below_a_rule_is_no_part_of_it() {
        let text = "1. Always lint before commit\n| task | command |\n|---|---|\n| lint | `make lint` |\n2. Use tabs\n";
        let rules: Vec<String> = RulesFile::parse(text).rules.into_iter().map(|rule| rule.text).collect();
        assert_eq!(rules, ["Always lint before commit", "Use tabs"]);
    }

    #[test]
    fn a_carriage_return_alone_ends_no_line_so_no_rule_is_the_whole_file_again_and_again() {
        let rules = |count: usize| RulesFile::parse(&"- use pnpm\r".repeat(count)).rules;
        let bytes = |count: usize| rules(count).iter().map(|rule| rule.written.len()).sum::<usize>();
        assert!(bytes(2_000) <= 2 * bytes(1_000) + 16, "{} {}", bytes(1_000), bytes(2_000));
        assert_eq!(RulesFile::parse("- a b\r\n- c d\r\n").rules.len(), 2);
    }

    #[test]
    fn lines_of_a_paragraph_are_rules_of_their_own_unless_one_was_too_long() {
        let text = "Use tabs.\r\nNever push.\r\nKeep the public interface of the library stable and document\r\nwhat changes.\r\n";
        let lines: Vec<usize> = RulesFile::parse(text).rules.iter().map(|rule| rule.line).collect();
        assert_eq!(lines, [1, 2, 3]);
    }
}
