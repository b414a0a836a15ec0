//! Which lines of a message were pasted, as far as its own structure shows: code blocks, quotes, diffs, marked pastes.

/// From how many columns on a line is an indented code block.
const CODE_INDENT_COLUMNS: usize = 4;
/// How many columns a tab takes at least when it begins a line.
const TAB_COLUMNS: usize = 4;
/// The shortest fence of a code block.
const MIN_FENCE_CHARS: usize = 3;
/// What an agent program puts around a paste that it knows of.
const PASTE_OPENS: &str = "<pasted_content";
const PASTE_CLOSES: &str = "</pasted_content>";
/// How the lines in front of the hunks of a diff begin.
const DIFF_HEADS: [&str; 5] = ["diff --git ", "--- a/", "+++ b/", "@@ -", "Index: "];
/// How the other lines of a diff begin.
const DIFF_LINES: [&str; 8] = ["+", "-", " ", "@@", "\\", "index ", "new file", "deleted file"];

/// The lines of a message that its writer typed, in order; `None` stands for one that was pasted.
pub(crate) fn typed_lines(message: &str) -> impl Iterator<Item = Option<&str>> {
    let (before, behind) = around_marked_paste(message);
    let mut block = Block::default();
    let mut typed = move |line| (!block.takes(line)).then_some(line);
    let before: Vec<Option<&str>> = before.lines().map(&mut typed).collect();
    let gap = behind.is_some().then_some(None);
    let behind: Vec<Option<&str>> = behind.unwrap_or_default().lines().map(&mut typed).collect();
    before.into_iter().chain(gap).chain(behind)
}

/// Whether a quote of a message stands in what its writer typed.
pub fn is_typed(message: &str, quote: &str) -> bool {
    // Nothing reaches across a paste.
    let typed: Vec<&str> = typed_lines(message).map(|line| line.unwrap_or("\u{0}")).collect();
    typed.join("\n").contains(quote)
}

/// A message without the pastes that are marked as such. What was pasted may hold the mark of its end, so the last counts.
fn around_marked_paste(message: &str) -> (&str, Option<&str>) {
    let Some((before, paste)) = message.split_once(PASTE_OPENS) else { return (message, None) };
    (before, Some(paste.rsplit_once(PASTE_CLOSES).map_or("", |(_, behind)| behind)))
}

/// The block that the lines of a message are in.
#[derive(Debug, Default)]
struct Block {
    /// The character and the length of the fence that opened a code block.
    fence: Option<(char, usize)>,
    in_diff: bool,
}

impl Block {
    /// Whether a line is part of something pasted.
    fn takes(&mut self, line: &str) -> bool {
        let bare = line.trim_start();
        if let Some((mark, length)) = self.fence {
            let closes = fence_of(bare)
                .is_some_and(|(other, long, rest)| other == mark && long >= length && rest.trim().is_empty());
            if closes {
                self.fence = None;
            }
            return true;
        }
        if let Some((mark, length, _)) = fence_of(bare) {
            self.fence = Some((mark, length));
            return true;
        }
        self.in_diff = DIFF_HEADS.iter().any(|head| line.starts_with(head))
            || self.in_diff && (line.is_empty() || DIFF_LINES.iter().any(|start| line.starts_with(start)));
        self.in_diff || bare.starts_with('>') || is_indented(line)
    }
}

/// The fence that a line begins with: its character, its length, and what follows.
fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let length = line.len() - rest.len();
    (length >= MIN_FENCE_CHARS).then_some((mark, length, rest))
}

fn is_indented(line: &str) -> bool {
    let indent = line.chars().take_while(|c| matches!(c, ' ' | '\t' | '\u{a0}' | '\u{3000}'));
    let columns: usize = indent.map(|c| if c == '\t' { TAB_COLUMNS } else { 1 }).sum();
    columns >= CODE_INDENT_COLUMNS && !line.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expect: &[&str]) {
        let typed: Vec<&str> =
            typed_lines(message).flatten().filter(|line| !line.trim().is_empty()).collect();
        assert_eq!(typed, expect, "{message}");
    }

    #[test]
    fn pastes_indented_by_four_spaces_are_not_said() {
        check("the readme says:\n\n    always use npm\n\nis that so?", &["the readme says:", "is that so?"]);
        check("    always use npm", &[]);
        check("\talways use npm\n  - but this is a list", &["  - but this is a list"]);
    }

    #[test]
    fn fences_end_only_with_their_own_kind() {
        check("a\n```\nalways use npm\n```\nb", &["a", "b"]);
        check("a\n~~~text\nalways use npm\n```\nstill\n~~~\nb", &["a", "b"]);
        check("a\n````\n```\nalways use npm\n```\nstill\n````\nb", &["a", "b"]);
        check("a\n```\nnever closed", &["a"]);
        check("a\n```\n``` not the end\nalways use npm\n```\nb", &["a", "b"]);
    }

    #[test]
    fn quotes_and_diffs_are_somebody_elses() {
        check("> always use npm\nno", &["no"]);
        check(
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+always use npm\n always\n\nlooks wrong",
            &["looks wrong"],
        );
        check("- use tabs\n- no semicolons", &["- use tabs", "- no semicolons"]);
    }

    #[test]
    fn a_marked_paste_ends_where_its_last_mark_is() {
        check(
            "see <pasted_content id=\"1\">x</pasted_content>\nalways use npm</pasted_content> use tabs",
            &["see ", " use tabs"],
        );
        check("see\n<pasted_content>\nalways use npm", &["see"]);
    }

    #[test]
    fn a_quote_has_to_stand_in_one_piece() {
        assert!(is_typed("use tabs\n> x", "use tabs"));
        assert!(!is_typed("use\n> x\ntabs", "use\ntabs"));
        assert!(!is_typed("    use tabs", "use tabs"));
    }
}
