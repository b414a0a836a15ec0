//! Which lines of a message were pasted, as far as its own structure shows: code blocks, quotes, diffs, found lines, mails,
//! commits, marked pastes.

/// From how many columns on a line is an indented code block.
const CODE_INDENT_COLUMNS: usize = 4;
/// How many columns a tab takes at least when it begins a line.
const TAB_COLUMNS: usize = 4;
/// The shortest fence of a code block.
const MIN_FENCE_CHARS: usize = 3;
/// What opens and closes a quote of several lines.
const DOCSTRING: &str = "\"\"\"";
/// What an agent program puts around a paste that it knows of.
const MARKED_PASTE: &str = "pasted_content";
/// Elements that hold what somebody else wrote, where one begins a line.
const QUOTING: [&str; 3] = ["blockquote", "document", "pre"];
/// The marks around a line that is wholly quoted.
const QUOTES: [(char, char); 3] = [('"', '"'), ('“', '”'), ('«', '»')];
/// The fewest digits of a commit's name.
const MIN_COMMIT_DIGITS: usize = 7;
/// How the lines in front of the hunks of a diff begin.
const DIFF_HEADS: [&str; 5] = ["diff --git ", "--- a/", "+++ b/", "@@ -", "Index: "];
/// How the other lines of a diff begin.
const DIFF_LINES: [&str; 8] = ["+", "-", " ", "@@", "\\", "index ", "new file", "deleted file"];

/// The lines of a message that its writer typed, in order; `None` stands for one that was pasted.
pub(crate) fn typed_lines(message: &str) -> impl Iterator<Item = Option<&str>> {
    let mut block = Block::default();
    let mut found = Vec::new();
    for (number, piece) in around_marked_pastes(message).into_iter().enumerate() {
        found.extend((number > 0).then_some(None));
        found.extend(lines(piece).map(|line| (!block.takes(line)).then_some(line)));
    }
    found.into_iter()
}

/// The lines of a text, whichever way they end.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('\r'))
}

/// Whether a quote of a message stands in what its writer typed.
pub fn is_typed(message: &str, quote: &str) -> bool {
    // Nothing reaches across a paste.
    let typed: Vec<&str> = typed_lines(message).map(|line| line.unwrap_or("\u{0}")).collect();
    typed.join("\n").contains(quote)
}

/// The pieces of a message between the pastes that are marked as such. What was pasted may hold the mark of its end, so the
/// last counts.
fn around_marked_pastes(message: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), message);
    while let Some((at, name)) = first_mark(rest) {
        pieces.push(&rest[..at]);
        let paste = &rest[at..];
        rest = paste.rsplit_once(&format!("</{name}>")).map_or("", |(_, behind)| behind);
    }
    pieces.push(rest);
    pieces
}

/// Where the first marked paste begins, and what the mark is called.
fn first_mark(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices('<').find_map(|(at, _)| {
        let tag = &text[at + 1..];
        if tag.starts_with(MARKED_PASTE) {
            return Some((at, MARKED_PASTE));
        }
        let is_named = |name: &&str| {
            tag.strip_prefix(*name).is_some_and(|rest| rest.starts_with(['>', ' ', '\n', '\t']))
        };
        let indent = text[..at].trim_end_matches([' ', '\t']);
        let begins_line = indent.is_empty() || indent.ends_with(['\n', '\r']);
        QUOTING.into_iter().find(is_named).filter(|_| begins_line).map(|name| (at, name))
    })
}

/// The block that the lines of a message are in.
#[derive(Debug, Default)]
struct Block {
    /// The character and the length of the fence that opened a code block.
    fence: Option<(char, usize)>,
    in_diff: bool,
    /// Behind the head of a mail or of a commit. Where its text ends, nothing shows.
    in_letter: bool,
}

impl Block {
    /// Whether a line is part of something pasted.
    fn takes(&mut self, line: &str) -> bool {
        let bare = line.trim_start();
        if let Some((mark, length)) = self.fence {
            let closes = fence_of(bare)
                .is_some_and(|(other, long, rest)| other == mark && long >= length && rest.trim().is_empty());
            if closes || mark == '"' && bare.trim_end().ends_with(DOCSTRING) {
                self.fence = None;
            }
            return true;
        }
        if let Some((mark, length, rest)) = fence_of(bare) {
            let is_one_line = mark == '"' && (rest.contains(DOCSTRING) || length >= 2 * MIN_FENCE_CHARS);
            self.fence = (!is_one_line).then_some((mark, length));
            return true;
        }
        self.in_letter |= is_letter_head(bare);
        self.in_diff = DIFF_HEADS.iter().any(|head| line.starts_with(head))
            || self.in_diff && (line.is_empty() || DIFF_LINES.iter().any(|start| line.starts_with(start)));
        self.in_diff
            || self.in_letter
            || is_quote(bare)
            || is_indented(line)
            || is_quoted(bare.trim_end())
            || is_found_in_file(bare)
    }
}

/// Whether a line is a quote, also as a point of a list.
fn is_quote(line: &str) -> bool {
    let point = ["- ", "* "].iter().find_map(|mark| line.strip_prefix(mark));
    point.unwrap_or(line).trim_start().starts_with('>')
}

/// Whether a whole line stands between two quotation marks.
fn is_quoted(line: &str) -> bool {
    let line = line.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    QUOTES.into_iter().any(|(open, close)| {
        let inner = line.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        inner.is_some_and(|inner| !inner.contains([open, close]))
    })
}

/// Whether a search printed a line: `src/a.rs:12:` and what stands there.
fn is_found_in_file(line: &str) -> bool {
    let mut parts = line.splitn(3, ':');
    let (Some(path), Some(number), Some(_)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let is_path = path.contains(['.', '/']) && !path.contains(char::is_whitespace);
    is_path && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a line is in the head of a mail or of a commit.
fn is_letter_head(line: &str) -> bool {
    let is_commit = line.strip_prefix("commit ").is_some_and(|name| {
        let name = name.split(' ').next().unwrap_or_default();
        name.len() >= MIN_COMMIT_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let is_from = ["From: ", "Author: "].iter().any(|head| line.starts_with(head)) && line.contains('@');
    is_commit || is_from
}

/// The fence that a line begins with: its character, its length, and what follows.
fn fence_of(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~' | '"'))?;
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
