//! Text in lines of so many cells, broken between words.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a colour begins on a terminal.
const ESCAPE: char = '\u{1b}';
/// A first column is not wider, in cells.
const MAX_COLUMN_CELLS: usize = 24;
/// At least so many cells stay for words behind an indent; a deeper one is ignored.
const MIN_WORDS_CELLS: usize = 24;

/// The beginning of a text that fits into so many cells.
pub fn cut(text: &str, cells: usize) -> String {
    if text.width() <= cells {
        return text.to_owned();
    }
    let (mut used, mut end) = (0, 0);
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used + 1 > cells {
            break;
        }
        end = at + c.len_utf8();
    }
    format!("{}…", text[..end].trim_end())
}

/// A text in lines of so many cells; what does not fit into `max_lines` is cut.
pub fn wrapped(text: &str, cells: usize, max_lines: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let needs_break = !line.is_empty() && line.width() + 1 + word.width() > cells;
        if needs_break {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // A word that is longer than a line.
        while line.width() > cells && lines.len() < max_lines {
            let mut head = cut(&line, cells + 1);
            head.pop();
            line = line[head.len()..].to_owned();
            lines.push(head);
        }
    }
    lines.push(line);
    if lines.len() > max_lines {
        let rest = lines.split_off(max_lines.saturating_sub(1)).join(" ");
        lines.push(cut(&rest, cells));
    }
    lines
}

/// A text whose lines fit: what is too long goes on below, where the words of its line began. Colours take no room, a word that is
/// longer than a line stays whole (it may be a link), and a line that fits stays as it is.
pub fn folded(text: &str, cells: usize) -> String {
    text.split_inclusive('\n').map(|line| folded_line(line, cells)).collect()
}

fn folded_line(line: &str, cells: usize) -> String {
    if shown_cells(line.trim_end_matches('\n')) <= cells {
        return line.to_owned();
    }
    let indent = indent_of(line);
    let indent = if indent + MIN_WORDS_CELLS > cells { 0 } else { indent };
    let (mut text, mut used, mut has_words) = (String::new(), 0, false);
    let mut gap = String::new();
    for part in line.split_inclusive(' ') {
        let word = part.trim_end_matches([' ', '\n']);
        if !word.is_empty() {
            let needed = shown_cells(word);
            if has_words && used + gap.len() + needed > cells {
                text.push('\n');
                text.push_str(&" ".repeat(indent));
                used = indent;
            } else {
                text.push_str(&gap);
                used += gap.len();
            }
            text.push_str(word);
            used += needed;
            has_words |= used > indent;
            gap.clear();
        }
        gap.extend(part.chars().filter(|c| *c == ' '));
    }
    text + if line.ends_with('\n') { "\n" } else { "" }
}

/// Where the words of a line begin: behind its first column (two spaces end it) or mark, else where the line does.
fn indent_of(line: &str) -> usize {
    let plain = uncoloured(line);
    let start = plain.len() - plain.trim_start().len();
    let rest = plain.trim_start();
    if let Some(words) = rest.strip_prefix("→ ").or_else(|| rest.strip_prefix("- ")) {
        return start + 2 + (words.len() - words.trim_start().len());
    }
    if let Some(words) = rest.strip_prefix("error: ") {
        return start + rest.len() - words.len();
    }
    let (label, words) = rest.split_at(rest.find("  ").unwrap_or(rest.len()));
    if words.is_empty() || label.width() > MAX_COLUMN_CELLS {
        return start;
    }
    start + label.width() + (words.len() - words.trim_start().len())
}

/// How many cells a text takes that may have colours in it.
fn shown_cells(text: &str) -> usize {
    if text.contains(ESCAPE) { uncoloured(text).width() } else { text.width() }
}

fn uncoloured(text: &str) -> String {
    let mut parts = text.split(ESCAPE);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_wrapped(text: &str, cells: usize, max_lines: usize, expect: &[&str]) {
        let lines = wrapped(text, cells, max_lines);
        assert_eq!(lines, expect);
        assert!(lines.iter().all(|line| line.width() <= cells), "{lines:?}");
    }

    #[test]
    fn words_are_wrapped_and_what_is_too_much_is_cut() {
        check_wrapped("one two three", 8, 9, &["one two", "three"]);
        check_wrapped("one two three four", 8, 2, &["one two", "three f…"]);
        check_wrapped("abcdefghijkl mn", 5, 9, &["abcde", "fghij", "kl mn"]);
        check_wrapped("日本語日本語", 5, 9, &["日本", "語日", "本語"]);
        check_wrapped("", 5, 1, &[""]);
        check_wrapped(&"x".repeat(1000), 10, 1, &["xxxxxxxxx…"]);
    }

    #[test]
    fn what_is_cut_fits() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "long…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("x", 0), "…");
    }

    #[test]
    fn a_line_that_is_too_long_goes_on_where_its_words_began() {
        for (text, expect) in [
            ("short\n", "short\n"),
            (
                "memory     an edit waits until tomorrow, since one was made\n",
                "memory     an edit waits until tomorrow,\n           since one was made\n",
            ),
            (
                "      → look at the settings and write a model into them\n",
                "      → look at the settings and write a\n        model into them\n",
            ),
            (
                "a plain sentence that is longer than one line is\n",
                "a plain sentence that is longer than one\nline is\n",
            ),
            (
                "https://example.org/a/very/long/link/that/stays/whole",
                "https://example.org/a/very/long/link/that/stays/whole",
            ),
        ] {
            assert_eq!(folded(text, 40), expect);
        }
        let red = "\u{1b}[31ma plain sentence in red\u{1b}[0m and more of it\n";
        assert_eq!(folded(red, 40), red, "colours take no room");
    }
}
