//! The rules of any rules file, as checks: `CLAUDE.md`, `AGENTS.md`, `.cursorrules`.

use subcortex_checks::reading::{RulesFile, instructs};
use subcortex_checks::{Board, Check, compile};

/// One rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// As it stands in the file; a wrapped one in one line.
    pub text: String,
    /// The headings that it stands under, outermost first.
    pub headings: Vec<String>,
    /// Headings and the items that it is nested in, outermost first.
    pub context: Vec<String>,
    /// Its words, without the list mark.
    pub words: String,
    /// The code block that follows it.
    pub code: Option<String>,
    /// How it is understood.
    pub check: Check,
}

impl Rule {
    /// Whether it says to do something, rather than to describe what is.
    pub fn instructs(&self) -> bool {
        self.check.testable || instructs(&self.words, &self.context)
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
        let file = RulesFile::parse(text);
        let rules = file.rules.into_iter().map(|rule| Rule {
            line: rule.line,
            check: compile(&rule.text, &rule.context()),
            context: rule.context(),
            words: rule.text,
            code: rule.code,
            text: rule.written,
            headings: rule.headings,
        });
        Self { rules: rules.collect(), imports: file.imports }
    }

    /// The checks, ready to be held against turns.
    pub fn board(&self) -> Board {
        let words = self.rules.iter().map(|rule| (rule.line, rule.words.as_str()));
        Board::new(self.rules.iter().map(|rule| (rule.line, rule.check.clone()))).with_words(words)
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
