//! Finds the lines of a memory file that are rules.

use crate::language::Check;

/// The rules of a memory file: line number (from 1), the line as written, its check. Headings, blank lines, code blocks, tables,
/// comments, imports and rules of thumb lines (`---`) are no rules.
pub fn memory_by_families(text: &str) -> Vec<(usize, String, Check)> {
    let mut found = Vec::new();
    let mut headings: Vec<(usize, String)> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut comment = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let opens = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if let Some(mark) = opens {
            fence = if fence == Some(mark) { None } else { fence.or(Some(mark)) };
            continue;
        }
        if trimmed.starts_with("<!--") {
            comment = !trimmed.contains("-->");
            continue;
        }
        if comment {
            comment = !trimmed.contains("-->");
            continue;
        }
        if fence.is_some()
            || trimmed.is_empty()
            || trimmed.starts_with('|')
            || trimmed.starts_with('@')
            || trimmed.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '))
        {
            continue;
        }
        let level = trimmed.chars().take_while(|c| *c == '#').count();
        if level > 0 && trimmed.get(level..).is_some_and(|rest| rest.starts_with(' ')) {
            headings.retain(|(other, _)| *other < level);
            headings.push((level, trimmed.get(level..).unwrap_or("").trim().to_owned()));
            continue;
        }
        let path: Vec<String> = headings.iter().map(|(_, heading)| heading.clone()).collect();
        found.push((at + 1, line.to_owned(), super::by_families(line, &path)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rules_become_checks() {
        let memory = "# Title\r\n\r\n@priority.md\n<!-- a\nb -->\n- Use pnpm, not npm.\n```sh\n- not a rule\n```\n| a | b |\n---\n## Project: web\n- Never push to `main`.\n";
        let rules = memory_by_families(memory);
        assert_eq!(rules.iter().map(|(line, _, _)| *line).collect::<Vec<_>>(), [6, 13]);
        assert_eq!(rules[0].2.scope.project, None);
        assert_eq!(rules[1].2.scope.project.as_deref(), Some("web"));
    }
}
