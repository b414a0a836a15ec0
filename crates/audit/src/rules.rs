//! The rules of any rules file, as checks.
//!
//! One rule a line, as people write them in `CLAUDE.md`, `AGENTS.md` or `.cursorrules`. A rule that was wrapped over
//! several lines counts as one, under the number of its first. A YAML header, headings, code blocks, tables, comments and
//! imports are no rules.

use subcortex_checks::line::Line;
use subcortex_checks::{Board, Check, compile_memory};

/// A line without an end of a sentence is taken to go on in the next one only from this length on: shorter ones are
/// rather a list without marks.
const MIN_WRAPPED_CHARS: usize = 50;

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// As it stands in the file; a wrapped one in one line.
    pub text: String,
    /// The headings that it stands under, outermost first.
    pub headings: Vec<String>,
    /// How it is understood.
    pub check: Check,
}

impl Rule {
    /// Whether it says to do something, rather than to describe what is.
    pub fn instructs(&self) -> bool {
        let line = Line::parse(&self.text, &self.headings);
        self.check.testable || line.directives.iter().any(|one| one.negative || !one.verb.is_empty())
    }
}

/// The rules of a file.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// In the order of the file.
    pub rules: Vec<Rule>,
    /// What `@path` lines take in from elsewhere.
    pub imports: Vec<String>,
}

impl Rules {
    /// Reads a rules file.
    pub fn parse(text: &str) -> Self {
        let joined = joined(text.strip_prefix('\u{feff}').unwrap_or(text));
        let mut headings = Headings::of(&joined).into_iter().peekable();
        let mut current: Vec<(usize, String)> = Vec::new();
        let mut rules = Vec::new();
        for (line, text, check) in compile_memory(&joined) {
            while let Some((_, level, heading)) = headings.next_if(|(at, _, _)| *at < line) {
                current.retain(|(other, _)| *other < level);
                current.push((level, heading));
            }
            let headings = current.iter().map(|(_, heading)| heading.clone()).collect();
            rules.push(Rule { line, text: text.trim().to_owned(), headings, check });
        }
        Self { rules, imports: imports(&joined) }
    }

    /// The checks, ready to be held against turns.
    pub fn board(&self) -> Board {
        Board::new(self.rules.iter().map(|rule| (rule.line, rule.check.clone())))
    }
}

/// The kinds of lines that a rule neither is nor goes on in.
fn is_structure(trimmed: &str) -> bool {
    trimmed.is_empty()
        || trimmed.starts_with(['|', '@', '>', '#'])
        || trimmed.starts_with("```")
        || trimmed.starts_with("~~~")
        || trimmed.starts_with("<!--")
        || trimmed.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '))
}

/// Whether a line begins an item of a list.
fn is_item(trimmed: &str) -> bool {
    let digits = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < trimmed.len()
        && digits.strip_prefix(['.', ')']).is_some_and(|rest| rest.starts_with(' '));
    numbered || ["- ", "* ", "+ ", "• "].iter().any(|mark| trimmed.starts_with(mark))
}

/// The file with wrapped rules in one line each and without its header, its lines under their old numbers.
fn joined(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    // The line that the next one may go on, and whether that is an item of a list.
    let mut open: Option<(usize, bool)> = None;
    let mut fence: Option<&str> = None;
    let header_lines = header_lines(text);
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if at < header_lines {
            lines.push(String::new());
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            fence = if fence == Some(mark) { None } else { fence.or(Some(mark)) };
            open = None;
        } else if fence.is_some() || is_structure(trimmed) {
            open = None;
        } else if let Some((first, is_in_item)) = open
            && !is_item(trimmed)
            && let Some(before) = lines.get_mut(first)
            && goes_on(before, line, is_in_item)
        {
            before.push(' ');
            before.push_str(trimmed);
            lines.push(String::new());
            continue;
        } else {
            open = Some((at, is_item(trimmed)));
        }
        lines.push(line.to_owned());
    }
    lines.join("\n")
}

/// Whether `line` is the rest of `before`, which was too long for its line.
fn goes_on(before: &str, line: &str, is_in_item: bool) -> bool {
    if is_in_item && line.starts_with([' ', '\t']) {
        return true;
    }
    let ended = before.trim_end().ends_with(['.', ':', ';', '!', '?']);
    let starts_inside =
        line.trim_start().starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit() || c == '`');
    !ended && starts_inside && before.trim().chars().count() >= MIN_WRAPPED_CHARS
}

/// How many lines a YAML header takes, its marks included.
fn header_lines(text: &str) -> usize {
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return 0;
    }
    lines.position(|line| line.trim_end() == "---").map_or(0, |at| at + 2)
}

fn imports(text: &str) -> Vec<String> {
    let paths = text.lines().filter_map(|line| line.trim().strip_prefix('@'));
    paths.filter(|path| !path.is_empty() && !path.contains(' ')).map(str::to_owned).collect()
}

/// The headings of a file: line number, level, words.
struct Headings;

impl Headings {
    fn of(text: &str) -> Vec<(usize, usize, String)> {
        let mut found = Vec::new();
        let mut fence: Option<&str> = None;
        for (at, line) in text.lines().enumerate() {
            let trimmed = line.trim();
            if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
                fence = if fence == Some(mark) { None } else { fence.or(Some(mark)) };
            }
            let words = trimmed.trim_start_matches('#');
            let level = trimmed.len() - words.len();
            if fence.is_none() && level > 0 && words.starts_with(' ') {
                found.push((at + 1, level, words.trim().to_owned()));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &[(usize, &str)]) {
        let found = Rules::parse(text);
        let found: Vec<(usize, &str)> = found.rules.iter().map(|rule| (rule.line, &*rule.text)).collect();
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn each_line_is_a_rule_and_structure_is_none() {
        check("# T\r\n\r\n- Use pnpm.\r\n- Never push.\r\n", &[(3, "- Use pnpm."), (4, "- Never push.")]);
        check("Use tabs.\nNever use any.\n", &[(1, "Use tabs."), (2, "Never use any.")]);
        check("", &[]);
        check("\u{feff}# Title\n\n```\n- no\n```\n", &[]);
    }

    #[test]
    fn a_wrapped_rule_is_one_rule_under_its_first_number() {
        check(
            "- Run the tests\n  before each commit\n  and each push.\n- Use tabs.\n",
            &[(1, "- Run the tests before each commit and each push."), (4, "- Use tabs.")],
        );
        check(
            "1. Always run the whole test suite with `cargo test`\nbefore you commit.\n\nUse tabs.",
            &[
                (1, "1. Always run the whole test suite with `cargo test` before you commit."),
                (4, "Use tabs."),
            ],
        );
        check("short words\nand more\n", &[(1, "short words"), (2, "and more")]);
        check("- item\n  - inner item\n", &[(1, "- item"), (2, "- inner item")]);
        check("- item\n  ```sh\n  npm test\n  npm run\n  ```\n", &[(1, "- item")]);
    }

    #[test]
    fn the_header_of_a_cursor_rule_is_no_rule() {
        check("---\ndescription: x\nalwaysApply: true\n---\n- Use tabs.\n", &[(5, "- Use tabs.")]);
        check("---\n- Use tabs.\n", &[(2, "- Use tabs.")]);
    }

    #[test]
    fn rules_know_their_headings_and_files_what_they_take_in() {
        let rules = Rules::parse("# A\n## B\n- Use tabs.\n## C\n- Never push.\n@AGENTS.md\n@ not\n");
        let headings: Vec<String> = rules.rules.iter().map(|rule| rule.headings.join("/")).collect();
        assert_eq!(headings, ["A/B", "A/C"]);
        assert_eq!(rules.imports, ["AGENTS.md"]);
    }

    #[test]
    fn a_description_is_told_from_an_instruction() {
        let rules = Rules::parse("- The web client is written in React.\n- Keep functions short.\n");
        let instructs: Vec<bool> = rules.rules.iter().map(Rule::instructs).collect();
        assert_eq!(instructs, [false, true]);
    }
}
