//! Documents that a message holds, told by what only documents have: front matter, the heading of a rules file, trailers of a commit, the
//! line of a generator, a copyright, the questions of a form, the line of a site that says who wrote when.

use crate::text::pattern;

/// The most lines of a front matter.
const MAX_FRONT_LINES: usize = 30;
/// The longest name of who commented, in characters.
const MAX_WRITER_CHARS: usize = 80;
/// The line around a front matter.
const FENCE: &str = "---";

pattern!(KEY, r"^[A-Za-z_][\w.-]*:(?:\s|$)");
// From here on everything is the document.
pattern!(
    BEGINS,
    r"(?ix)^(?:
        \#{1,3}\s+(?:claude|agents?|gemini|skill|copilot|cursor|readme|contributing|conventions?)(?:\.local)?\.mdc?\s*$
        | this\sfile\sprovides\sguidance\sto\s
        | \#{2,4}\s+(?:describe\s(?:the|your)\s|(?:steps\s)?to\sreproduce|expected\sbehaviou?r|actual\sbehaviou?r|current\sbehaviou?r|acceptance\scriteria|describe\sthe|additional\scontext|is\syour\sfeature|what\shappened|environment\s*$)
        | (?:created|last\smodified|last\supdated|edited)\sby\s.{1,80}\b(?:on|at)\s.*\d
        | \W{0,3}(?:\(c\)\s)?copyright\s(?:\(c\)|©|\d{4})
        | \W{0,3}spdx-license-identifier:
    )"
);
// The same, behind the name of a writer. What stands before it is counted afterwards: an expression that counts takes megabytes.
pattern!(
    COMMENTED,
    r"(?i)\bcommented\s(?:on\s\w{3}\s\d|(?:\d+|an?)\s(?:second|minute|hour|day|week|month|year)s?\sago)"
);
// Everything up to here is the document.
pattern!(
    ENDS,
    r"(?i)^(?:(?:co-authored|signed-off|reviewed|acked|tested|reported|suggested|approved|helped)-by:\s|(?:change-id|fixes|closes|refs):\s\S+\s*$|🤖 generated with\b|generated (?:with|by) \[)"
);

/// Marks the lines of documents.
pub(super) fn mark(lines: &[&str], pasted: &mut [bool]) {
    let begins =
        lines.iter().map(|line| line.trim()).position(|line| BEGINS.is_match(line) || is_comment(line));
    if let Some(at) = begins.into_iter().chain(front_matter(lines)).min() {
        pasted[at..].fill(true);
    }
    if let Some(at) = lines.iter().rposition(|line| ENDS.is_match(line.trim())) {
        pasted[..=at].fill(true);
    }
}

/// Whether a line of a site says who commented when.
fn is_comment(line: &str) -> bool {
    let before = COMMENTED.find(line).and_then(|found| line.get(..found.start()));
    before.is_some_and(|before| before.chars().count() <= MAX_WRITER_CHARS)
}

/// Where a front matter begins: keys between two lines of dashes.
fn front_matter(lines: &[&str]) -> Option<usize> {
    (0..lines.len()).find(|at| {
        let is_apart = *at == 0 || lines.get(at - 1).is_some_and(|line| !KEY.is_match(line));
        let mut behind = lines.iter().skip(at + 1).take(MAX_FRONT_LINES);
        let keys = behind.by_ref().take_while(|line| line.trim() != FENCE);
        let keys: Vec<&&str> = keys.collect();
        let is_closed = lines.get(at + 1 + keys.len()).is_some_and(|line| line.trim() == FENCE);
        let is_key =
            |line: &&&str| KEY.is_match(line) || line.starts_with([' ', '-', '#']) || line.is_empty();
        is_apart
            && lines[*at].trim() == FENCE
            && is_closed
            && !keys.is_empty()
            && keys.first().is_some_and(|line| KEY.is_match(line))
            && keys.iter().all(is_key)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::speech::marked;

    #[track_caller]
    fn check(text: &str, expect: &[usize]) {
        assert_eq!(marked(text, mark), expect, "{text}");
    }

    #[test]
    fn documents_are_told_by_what_only_they_have() {
        check("see\n---\nname: x\ndescription: y\n---\n\n# X\nuse npm", &[1, 2, 3, 4, 5, 6, 7]);
        check("look\n# AGENTS.md\n\n- use npm", &[1, 2, 3]);
        check("fix: x\n\nuse npm\n\nCo-Authored-By: Bob <b@x>\n\nuse tabs", &[0, 1, 2, 3, 4]);
        check("bob commented 2 hours ago\nuse npm", &[0, 1]);
        check("use tabs\n---\nuse npm\n---\nuse spaces", &[]);
        check("# Rules\n\nuse tabs\n\nthe copyright is ours", &[]);
    }
}
