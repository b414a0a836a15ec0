//! Foreign text, made fit for where it goes.

use subcortex_guard::{Redactor, escape_for_display};

/// The longest character, in bytes.
const CHAR_MAX_BYTES: usize = 4;

/// The first characters of a text.
pub(crate) fn first_chars(text: &str, max_chars: usize) -> &str {
    text.char_indices().nth(max_chars).map_or(text, |(end, _)| &text[..end])
}

/// The first bytes of a text, whole characters only.
fn first_bytes(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// The last whole lines of a text that fit.
pub(crate) fn last_lines(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let tail = &text[text.ceil_char_boundary(text.len() - max_bytes)..];
    tail.find('\n').map_or(tail, |end| &tail[end + 1..])
}

/// Without secrets, on one line, with nothing in it that a terminal would obey.
pub(crate) fn one_line(text: &str, max_chars: usize) -> String {
    let start = Redactor::new().front(text.trim(), max_chars.saturating_mul(CHAR_MAX_BYTES));
    first_chars(&escape_for_display(&start), max_chars).to_owned()
}

/// Without secrets, with nothing in it that a terminal would obey; lines stay lines. Says so when it is cut.
pub(crate) fn many_lines(text: &str, max_bytes: usize) -> String {
    let safe = escape_lines(&Redactor::new().front(text, max_bytes));
    let shown = first_bytes(&safe, max_bytes);
    if shown.len() == safe.len() && text.len() <= max_bytes {
        return safe;
    }
    format!("{shown}\n[cut here: it has {} bytes]", text.len())
}

/// As [`escape_for_display`], but line ends and tabs are text.
pub(crate) fn escape_lines(text: &str) -> String {
    let safe_line = |line: &str| line.split('\t').map(escape_for_display).collect::<Vec<_>>().join("\t");
    text.lines().map(safe_line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_clean_before_it_is_cut() {
        assert_eq!(one_line(" a\nb\u{1b}[2J ", 100), "a\\nb\\u{1b}[2J");
        assert_eq!(one_line("PASSWORD=hunter2 and more", 18), "PASSWORD=[REDACTED");
        assert_eq!(one_line(&"ü".repeat(500_000), 300), "ü".repeat(300));
    }

    #[test]
    fn lines_stay_lines_and_a_cut_is_said() {
        assert_eq!(many_lines("a\tb\r\nc\u{202e}d\n", 100), "a\tb\nc\\u{202e}d");
        assert_eq!(many_lines("abcdef", 3), "abc\n[cut here: it has 6 bytes]");
        let long = many_lines(&"x".repeat(10_000_000), 10);
        assert_eq!(long, "xxxxxxxxxx\n[cut here: it has 10000000 bytes]");
        let secret = format!("{}ghp_0123456789abcdefghijABCDEFGHIJ456789", "x ".repeat(100));
        assert!((200..240).all(|max_bytes| !many_lines(&secret, max_bytes).contains("0123")));
    }

    #[test]
    fn the_newest_lines_are_kept_whole() {
        assert_eq!(last_lines("one\ntwo\nthree", 9), "three");
        assert_eq!(last_lines("one\ntwo", 100), "one\ntwo");
        assert_eq!(last_lines("üüü", 3), "ü");
    }
}
