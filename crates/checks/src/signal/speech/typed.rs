//! The lines of a message that were typed.

use super::margin::{self, Look};
use super::{documents, enclosed, letters, lines, markdown};

/// What an agent program puts around a paste that it knows of.
const MARKED_PASTE: &str = "<pasted_content";
/// From how many columns on a line is set in on purpose, where no list explains it.
const MIN_SET_IN_COLUMNS: usize = 2;
const END_OF_MARKED_PASTE: &str = "</pasted_content>";

/// The lines of a message that its writer typed, in order; `None` stands for one that was pasted.
pub(crate) fn typed_lines(message: &str) -> Vec<Option<&str>> {
    let (message, is_cut) = lines::read_part(message);
    let mut all = Vec::new();
    for (number, piece) in around_marked_pastes(message).into_iter().enumerate() {
        // A paste separates what stands around it like an empty line.
        all.extend((number > 0).then_some(""));
        all.extend(lines::of(piece));
    }
    let pasted = pasted(&all);
    let mut typed: Vec<_> =
        all.into_iter().zip(pasted).map(|(line, pasted)| (!pasted).then_some(line)).collect();
    if is_cut {
        typed.pop(); // nobody knows how it goes on
    }
    typed
}

/// Whether a quote of a message stands in what its writer typed.
pub fn is_typed(message: &str, quote: &str) -> bool {
    // Nothing reaches across a paste.
    let typed: Vec<&str> = typed_lines(message).into_iter().map(|line| line.unwrap_or("\u{0}")).collect();
    typed.join("\n").contains(quote)
}

/// What a message shows to be somebody else's, whatever else is pasted in it: code blocks, quotes, and what stands between two marks.
pub(crate) fn shown_lines(message: &str) -> Vec<&str> {
    let (message, _) = lines::read_part(message);
    let marked = message
        .split_once(MARKED_PASTE)
        .map(|(_, paste)| paste.rsplit_once(END_OF_MARKED_PASTE).map_or(paste, |(paste, _)| paste));
    let mut shown: Vec<&str> = marked.into_iter().flat_map(lines::of).collect();
    for piece in around_marked_pastes(message) {
        let all: Vec<&str> = lines::of(piece).collect();
        let mut pasted = vec![false; all.len()];
        markdown::mark(&all, &mut pasted);
        enclosed::mark(&all, &mut pasted);
        shown.extend(all.into_iter().zip(pasted).filter(|(_, pasted)| *pasted).map(|(line, _)| line));
    }
    shown
}

/// The pieces of a message between the pastes that are marked as such. What was pasted may hold the mark of its end, so the
/// last counts.
fn around_marked_pastes(message: &str) -> Vec<&str> {
    let Some((before, paste)) = message.split_once(MARKED_PASTE) else { return vec![message] };
    let behind = paste.rsplit_once(END_OF_MARKED_PASTE).map_or("", |(_, behind)| behind);
    vec![before, behind.split_once(MARKED_PASTE).map_or(behind, |(before, _)| before)]
}

/// Which lines were pasted.
fn pasted(lines: &[&str]) -> Vec<bool> {
    let mut pasted = vec![false; lines.len()];
    markdown::mark(lines, &mut pasted);
    enclosed::mark(lines, &mut pasted);
    documents::mark(lines, &mut pasted);
    let mut announced = false;
    let mut at = 0;
    while at < lines.len() {
        let block = lines[at..].iter().take_while(|line| !line.trim().is_empty()).count();
        if block == 0 {
            at += 1;
            continue;
        }
        let (of_block, is_pasted) = (&lines[at..at + block], &mut pasted[at..at + block]);
        let is_document = announced && of_block[0].trim_start().starts_with('#');
        if is_document || letters::is_head_of_mail(of_block) {
            let begin = if is_document { at } else { at + head_of(of_block) };
            pasted[begin..].fill(true);
            mark_block(&lines[at..begin], &mut pasted[at..begin], false);
            break;
        }
        match mark_block(of_block, is_pasted, announced) {
            Ended::Plainly => announced = false,
            Ended::Announcing => announced = true,
            Ended::InLetter(line) => {
                pasted[at + line..].fill(true);
                break;
            }
        }
        at += block;
    }
    pasted
}

/// Where the head of a mail begins.
fn head_of(block: &[&str]) -> usize {
    block.iter().position(|line| letters::is_head(line)).unwrap_or(0)
}

/// How a block ends.
enum Ended {
    Plainly,
    /// Its last line announces what somebody else wrote.
    Announcing,
    /// From this line on it is a letter.
    InLetter(usize),
}

/// Marks the lines of a block; what follows something pasted goes on with it, and so does what was announced.
fn mark_block(block: &[&str], pasted: &mut [bool], announced: bool) -> Ended {
    // What goes on, by how far its first line is indented.
    let (mut goes_on, mut announced, mut in_list) = (None, announced, false);
    for (at, (line, pasted)) in block.iter().zip(&mut *pasted).enumerate() {
        if letters::begins_letter(line) {
            return Ended::InLetter(at);
        }
        if *pasted {
            announced = false; // here it is
            continue;
        }
        let (indent, is_point) = (lines::indent(line), margin::is_point(line));
        // What stands within a point of a list ends with the point.
        goes_on = goes_on.filter(|set_in| !(in_list && is_point && indent < *set_in));
        in_list |= is_point;
        let look =
            if is_set_in(line, block.get(at + 1), in_list) { Look::GoesOn } else { margin::look(line) };
        let is_continued = goes_on.is_some() || announced;
        *pasted = is_continued || look != Look::Prose;
        // A line that is complete in itself was all that was announced.
        if look == Look::GoesOn || announced && look == Look::Prose {
            goes_on = goes_on.or(Some(indent));
        }
        announced = !is_continued && letters::announces(line);
    }
    if announced { Ended::Announcing } else { Ended::Plainly }
}

/// Whether the way in which a line, or the value of which it is the key, is indented shows that nobody typed it.
fn is_set_in(line: &str, next: Option<&&str>, in_list: bool) -> bool {
    let is_key = || margin::is_lone_key(line) && next.is_some_and(|next| lines::indent(next) > 0);
    !in_list && lines::indent(line) >= MIN_SET_IN_COLUMNS || is_key()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expect: &[&str]) {
        let typed: Vec<&str> =
            typed_lines(message).into_iter().flatten().filter(|line| !line.trim().is_empty()).collect();
        assert_eq!(typed, expect, "{message}");
    }

    #[test]
    fn pastes_indented_by_four_spaces_are_not_said() {
        check("the readme says:\n\n    always use npm\n\nis that so?", &["the readme says:", "is that so?"]);
        check("    always use npm", &[]);
        check("\talways use npm\n\n  - but this is a list", &["  - but this is a list"]);
    }

    #[test]
    fn fences_quotes_and_diffs_are_somebody_elses() {
        check("a\n```\nalways use npm\n```\nb", &["a", "b"]);
        check("> always use npm\n\nno", &["no"]);
        check("> always use npm\nand lazily on", &[]);
        check(
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+always use npm\n always\n\nlooks wrong",
            &["looks wrong"],
        );
        check("- use tabs\n- no semicolons", &["- use tabs", "- no semicolons"]);
    }

    #[test]
    fn what_follows_something_pasted_in_its_block_is_pasted() {
        check("why?\n$ cat README.md\nalways use npm\n\nso?", &["why?", "so?"]);
        check("why?\n2026-11-16 10:00:00 x\nalways use npm", &["why?"]);
        check("a.rs:12:use npm\nuse tabs", &["use tabs"]);
        check("https://x.org/a\nuse tabs", &["use tabs"]);
        check(
            "- return this:\n  { data, error }\n  and so on\n- use tabs",
            &["- return this:", "- use tabs"],
        );
    }

    #[test]
    fn what_is_announced_is_pasted_up_to_the_empty_line() {
        check("he wrote:\nalways use npm\nand more\n\nuse tabs", &["he wrote:", "use tabs"]);
        check("here is the log:\n\nalways use npm\nand more\n\nuse tabs", &["here is the log:", "use tabs"]);
        check("the log:\n```\nx\n```\nuse tabs", &["the log:", "use tabs"]);
        check("our readme:\n\n# Rules\n\nalways use npm\n\nuse tabs", &["our readme:"]);
        check("my rules:\n- use tabs", &["my rules:", "- use tabs"]);
    }

    #[test]
    fn a_letter_reaches_to_the_end() {
        check("answer\n\nFrom: Bob\nTo: Ann\n\nalways use npm", &["answer"]);
        check("answer\nOn Mon, Nov 16, 2026 Bob wrote:\n\nalways use npm", &["answer"]);
        check("commit often\nFrom: me\nuse tabs", &["commit often", "use tabs"]);
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
    fn what_stands_in_a_block_of_its_own_is_shown() {
        for (message, expect) in [
            ("look\n```\nalways use npm\n```\nuse tabs", &["```", "always use npm", "```"][..]),
            ("> always use npm\n\nuse tabs", &["> always use npm"]),
            ("see <pasted_content>always use npm</pasted_content> use tabs", &[">always use npm"]),
            ("use tabs\n\n- no semicolons", &[]),
        ] {
            assert_eq!(shown_lines(message), expect, "{message}");
        }
    }

    #[test]
    fn a_quote_has_to_stand_in_one_piece() {
        assert!(is_typed("use tabs\n\n> x", "use tabs"));
        assert!(!is_typed("use\n> x\n\ntabs", "use\ntabs"));
        assert!(!is_typed("    use tabs", "use tabs"));
    }
}
