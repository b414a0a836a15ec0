//! Rules put beside those that are there already. Not a byte of what is there changes, and what it says already is not said twice.
//!
//! - Rules of a project go below `## Project: <folder>`, to the end of that section if there is one, else of the file. Their
//!   own headings become smaller, so that they stay inside, and what looks as if it named another project no longer does: a file
//!   of one repository says nothing about others.
//! - Rules that hold everywhere go above the first such section.

use std::borrow::Cow;
use std::collections::HashSet;

use subcortex_checks::reading::RulesFile;

use crate::adopt::{is_fence, is_rule, number_of_rules};

/// The level of a project's heading, `##`.
const PROJECT_LEVEL: usize = 2;
/// What a project's heading begins with.
const PROJECT: &str = "Project:";
/// The smallest heading there is.
const MAX_LEVEL: usize = 6;

/// A text with rules put beside its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Beside {
    pub(crate) text: String,
    /// How many of the rules are new.
    pub(crate) rules: usize,
}

/// Puts rules beside those of `there`; `None` when all of them are there already.
pub(crate) fn beside(there: &str, rules: &str, project: Option<&str>) -> Option<Beside> {
    let there = if there.trim().is_empty() { "" } else { there };
    if there.is_empty() && project.is_none() {
        return Some(Beside { text: rules.to_owned(), rules: number_of_rules(rules) });
    }
    let beside = put_beside(there, rules, project)?;
    // Underlined headings, code that never ends, a fence that is none: what a reader of Markdown makes of the whole decides.
    if stays_inside(there, &beside.text, project) {
        return Some(beside);
    }
    put_beside(there, &one_below_the_other(rules), project)
}

/// Whether every rule that was there holds where it held, and every other one in this project.
fn stays_inside(there: &str, whole: &str, project: Option<&str>) -> bool {
    let scopes = |text: &str| -> Vec<(String, Option<String>)> {
        let rules = RulesFile::parse(text).rules.into_iter();
        rules.map(|rule| (rule.project(), rule.first_line)).map(|(project, line)| (line, project)).collect()
    };
    let mut before = scopes(there).into_iter().peekable();
    for rule in scopes(whole) {
        if before.next_if(|first| *first == rule).is_none() && rule.1.as_deref() != project {
            return false;
        }
    }
    before.next().is_none()
}

/// The rules alone, without the headings, code and tables that they stand among.
fn one_below_the_other(rules: &str) -> String {
    RulesFile::parse(rules).rules.iter().map(|rule| format!("- {}\n", rule.text)).collect()
}

fn put_beside(there: &str, rules: &str, project: Option<&str>) -> Option<Beside> {
    let lines = sections(there);
    let holds = |section: &Option<String>| section.is_none() || section.as_deref() == project;
    let said: HashSet<&str> =
        lines.iter().filter(|line| holds(&line.project)).map(|line| line.text.trim()).collect();
    let (new, count) = new_lines(rules, &said, project.is_some());
    if count == 0 {
        return None;
    }
    let is_own = |line: &PlacedLine<'_>| line.project.as_deref() == project;
    let last_own = lines.iter().rposition(is_own);
    let (at, heading) = match (project, last_own) {
        // Behind the last line that says something: blank lines at its end stay its end.
        (_, Some(last)) => {
            let said =
                lines.iter().take(last + 1).rposition(|line| is_own(line) && !line.text.trim().is_empty());
            (said.map_or(0, |said| said + 1), String::new())
        }
        (Some(project), None) => (lines.len(), format!("## Project: {project}\n\n")),
        (None, None) => (0, String::new()),
    };
    let joined =
        |lines: &[PlacedLine<'_>]| lines.iter().flat_map(|line| [line.text, "\n"]).collect::<String>();
    let (before, after) = lines.split_at(at);
    let mut text = joined(before);
    let begins_a_part = !heading.is_empty() || new.starts_with('#');
    if begins_a_part && !text.is_empty() && !text.ends_with("\n\n") {
        text.push('\n');
    }
    text.push_str(&heading);
    text.push_str(&new);
    let after = joined(after);
    if !after.is_empty() && !after.starts_with('\n') {
        text.push('\n');
    }
    text.push_str(&after);
    let rules = number_of_rules(&text).saturating_sub(number_of_rules(there));
    Some(Beside { text, rules })
}

/// A line, and the project whose section it stands in.
struct PlacedLine<'a> {
    text: &'a str,
    project: Option<String>,
}

fn sections(text: &str) -> Vec<PlacedLine<'_>> {
    let (mut in_code, mut project, mut found) = (false, None, Vec::new());
    for line in text.lines() {
        in_code ^= is_fence(line);
        if let Some((level, title)) = heading(line).filter(|_| !in_code)
            && level <= PROJECT_LEVEL
        {
            let named = title.strip_prefix("Project:").or_else(|| title.strip_prefix("project:"));
            project = named.map(|name| name.trim().trim_matches('`').to_owned());
        }
        found.push(PlacedLine { text: line, project: project.clone() });
    }
    found
}

/// The level and the words of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.chars().take_while(|c| *c == '#').count();
    let title = line.get(level..)?.strip_prefix(' ')?;
    (level > 0).then_some((level, title.trim()))
}

/// A line that does not begin like the heading of a project, whatever marks stand in front.
fn without_project(line: &str) -> Cow<'_, str> {
    let mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || "#-*+>.)[]".contains(c);
    let words = line.trim_start_matches(mark);
    let words = words.strip_prefix(['x', 'X']).and_then(|words| words.strip_prefix("] ")).unwrap_or(words);
    match words.get(..PROJECT.len()) {
        Some(word) if word.eq_ignore_ascii_case(PROJECT) => Cow::Owned(line.replacen(':', "", 1)),
        _ => Cow::Borrowed(line),
    }
}

/// The lines that are not said yet, with their headings, and how many rules that are.
fn new_lines(rules: &str, said: &HashSet<&str>, smaller: bool) -> (String, usize) {
    let (mut in_code, mut kept, mut count) = (false, Vec::new(), 0);
    for line in rules.lines() {
        let fence = is_fence(line);
        let line = &*if smaller && !in_code { without_project(line) } else { Cow::Borrowed(line) };
        if !in_code && !fence {
            if let Some((level, title)) = heading(line) {
                let level = if smaller { (level + PROJECT_LEVEL).min(MAX_LEVEL) } else { level };
                kept.push((Some(level), format!("{} {title}", "#".repeat(level))));
                continue;
            }
            if is_rule(line) {
                if said.contains(line.trim()) {
                    continue;
                }
                count += 1;
            }
        }
        in_code ^= fence;
        kept.push((None, line.to_owned()));
    }
    // From below: a heading stays if something stands below it before the next one of its size.
    let mut has_content = [false; MAX_LEVEL + 1];
    let mut lines: Vec<String> = Vec::new();
    for (level, line) in kept.into_iter().rev() {
        match level {
            Some(level) => {
                if has_content.get(level).copied().unwrap_or(true) {
                    lines.push(line);
                }
                has_content.iter_mut().skip(level).for_each(|content| *content = false);
            }
            None if line.trim().is_empty() => {
                if lines.last().is_some_and(|below| !below.is_empty()) {
                    lines.push(String::new());
                }
            }
            None => {
                lines.push(line);
                has_content = [true; MAX_LEVEL + 1];
            }
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.reverse();
    let mut text = lines.join("\n");
    text.truncate(text.trim_end().len());
    text.push('\n');
    (text, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(there: &str, rules: &str, project: Option<&str>, expect: &str) {
        let found = beside(there, rules, project).expect("something is new");
        assert_eq!(found.text, expect);
        assert_eq!(beside(expect, rules, project), None, "a second time changes nothing");
    }

    #[test]
    fn a_second_project_gets_a_section_of_its_own() {
        check(
            "- use pnpm\n",
            "# Web\n\n- use vite\n## Tests\n- run vitest\n",
            Some("/p/web"),
            "- use pnpm\n\n## Project: /p/web\n\n### Web\n\n- use vite\n#### Tests\n- run vitest\n",
        );
    }

    #[test]
    fn what_holds_already_is_not_said_twice_and_its_heading_is_left_out() {
        check(
            "- use pnpm\n",
            "## Tools\n- use pnpm\n## Tests\n- run vitest\n",
            Some("/p/web"),
            "- use pnpm\n\n## Project: /p/web\n\n#### Tests\n- run vitest\n",
        );
        assert_eq!(beside("- use pnpm\n", "- use pnpm\n", Some("/p/web")), None);
        let other = "## Project: /p/api\n- use pnpm\n";
        assert!(
            beside(other, "- use pnpm\n", Some("/p/web")).is_some(),
            "another project's rule is not this one's"
        );
    }

    #[test]
    fn a_section_that_is_there_grows_at_its_end() {
        check(
            "- a\n## Project: /p/web\n- b\n\n## Project: /p/api\n- c\n",
            "- b\n- d\n",
            Some("/p/web"),
            "- a\n## Project: /p/web\n- b\n- d\n\n## Project: /p/api\n- c\n",
        );
    }

    #[test]
    fn rules_for_everywhere_stay_out_of_the_projects() {
        check("- a\n\n## Project: /p/api\n- c\n", "- d\n", None, "- a\n- d\n\n## Project: /p/api\n- c\n");
        check("## Project: /p/api\n- c\n", "- d\n", None, "- d\n\n## Project: /p/api\n- c\n");
    }

    #[test]
    fn a_file_of_one_project_says_nothing_about_others_whatever_it_looks_like() {
        let hostile = [
            "## Project: /home/*\n- evil\n",
            "Project: *\n---\n\n- evil\n",
            "Title\n===\n\n- evil\n",
            "- project: *\n  - evil\n",
            "1. [x] Project: *\n   - evil\n",
            "    ```\n# Project: *\n- evil\n",
            "~~~\n```\n~~~\n# Top\n- evil\n",
            "> # Project: *\n> - evil\n",
            "```sh\n- evil\n",
        ];
        for rules in hostile {
            for there in
                ["- alpha\n", "- alpha\n\n## Project: /p/web\n- beta\n\n## Project: /p/api\n- gamma\n"]
            {
                let whole =
                    beside(there, rules, Some("/p/web")).map_or_else(|| there.into(), |both| both.text);
                let scope = |text: &str, rule: &str| -> Vec<Option<String>> {
                    let rules = RulesFile::parse(text).rules.into_iter();
                    rules.filter(|one| one.text.contains(rule)).map(|one| one.project()).collect()
                };
                assert!(
                    scope(&whole, "evil").iter().all(|project| project.as_deref() == Some("/p/web")),
                    "{rules:?}: {whole}"
                );
                for rule in ["alpha", "beta", "gamma"] {
                    assert_eq!(scope(&whole, rule), scope(there, rule), "{rules:?}: {whole}");
                }
            }
        }
    }

    #[test]
    fn code_stays_as_it_is() {
        let code = "- build\n```sh\n# a comment\n- x\n```\n";
        check("- x\n", code, Some("/p"), &format!("- x\n\n## Project: /p\n\n{code}"));
    }
}
