//! The lines of a message, whichever way they end and whatever stands invisibly in front of them.

/// The most of a message that is read, in bytes. Nobody types as much: what follows was pasted.
pub(super) const MAX_READ_BYTES: usize = 64 * 1024;
/// How many columns a tab takes at least when it begins a line.
const TAB_COLUMNS: usize = 4;

/// The lines of a text. Marks that nobody sees are no part of the beginning of a line.
pub(super) fn of(text: &str) -> impl Iterator<Item = &str> {
    let lines =
        text.lines().flat_map(|line| line.split(['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']));
    lines.map(|line| line.trim_start_matches(is_invisible))
}

/// The part of a message that is read, and whether something is left out.
pub(super) fn read_part(message: &str) -> (&str, bool) {
    let message = without_note_mark(message);
    let end = message.floor_char_boundary(MAX_READ_BYTES);
    (&message[..end], end < message.len())
}

/// `# always use tabs` is how people tell an agent what to keep; a line of its own heads no document.
fn without_note_mark(message: &str) -> &str {
    let behind = message.trim_start().strip_prefix('#').filter(|behind| !behind.starts_with('#'));
    behind.filter(|behind| of(behind.trim()).nth(1).is_none()).unwrap_or(message)
}

/// How many columns a line is indented by.
pub(super) fn indent(line: &str) -> usize {
    let blanks = line.chars().take_while(|c| matches!(c, ' ' | '\t' | '\u{a0}' | '\u{3000}'));
    blanks.map(|c| if c == '\t' { TAB_COLUMNS } else { 1 }).sum()
}

/// What stands behind the marks of list points that a line begins with, and whether there are any.
pub(super) fn behind_list_marks(line: &str) -> (&str, bool) {
    let (mut rest, mut is_point) = (line.trim_start(), false);
    while let Some(behind) = behind_one_mark(rest) {
        (rest, is_point) = (behind.trim_start(), true);
    }
    (rest, is_point)
}

fn behind_one_mark(line: &str) -> Option<&str> {
    const MARKS: [&str; 10] = ["- ", "* ", "– ", "— ", "-> ", "=> ", "[ ] ", "[x] ", "[X] ", "[] "];
    /// `1.`, `12)`, `a)`.
    const MAX_NUMBER_CHARS: usize = 2;
    let marked = MARKS.iter().find_map(|mark| line.strip_prefix(mark));
    marked.or_else(|| {
        let (number, rest) = line.split_once(['.', ')'])?;
        let is_number = number.bytes().all(|b| b.is_ascii_digit()) && number.len() <= MAX_NUMBER_CHARS;
        let is_letter = number.len() == 1 && number.bytes().all(|b| b.is_ascii_lowercase());
        (!number.is_empty() && (is_number || is_letter)).then_some(())?;
        rest.strip_prefix(' ')
    })
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_many_ways() {
        let found: Vec<&str> = of("a\r\nb\rc\u{2028}d\u{b}e\n\u{feff}f").collect();
        assert_eq!(found, ["a", "b", "c", "d", "e", "f"]);
    }

    #[test]
    fn points_of_lists_have_marks() {
        for (line, expect) in [
            ("- use tabs", ("use tabs", true)),
            ("  2. use tabs", ("use tabs", true)),
            ("- [ ] use tabs", ("use tabs", true)),
            ("- - > x", ("> x", true)),
            ("-x", ("-x", false)),
            ("I. use tabs", ("I. use tabs", false)),
            ("2026. use tabs", ("2026. use tabs", false)),
        ] {
            assert_eq!(behind_list_marks(line), expect, "{line}");
        }
    }
}
