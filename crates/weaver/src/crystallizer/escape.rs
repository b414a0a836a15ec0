//! Other people's words inside our Markdown.
//!
//! The words stand on one line, behind something of ours, between quotation marks. They can neither begin a heading, a
//! list or a frontmatter, nor open a comment, a tag, a code span or a pointer.

use subcortex_guard::escape_for_display;

/// How much of a quote is shown, in characters.
pub(super) const MAX_QUOTE_CHARS: usize = 160;
/// How much of a line of the broadcast is shown, in characters.
const MAX_LINE_CHARS: usize = 500;

/// A piece of evidence, short and between quotation marks.
pub(super) fn quote(text: &str) -> String {
    format!("\"{}\"", shortened(text, MAX_QUOTE_CHARS))
}

/// A line of the broadcast, between quotation marks.
pub(super) fn line(text: &str) -> String {
    format!("\"{}\"", shortened(text, MAX_LINE_CHARS))
}

/// Words without quotation marks, for a title behind `# `.
pub(super) fn title(text: &str) -> String {
    shortened(text, MAX_QUOTE_CHARS)
}

/// The path of a fragment: a file name can hold anything, too.
pub(super) fn path(path: &str) -> String {
    shortened(path, MAX_LINE_CHARS)
}

fn shortened(text: &str, max_chars: usize) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let kept: String = words.chars().take(max_chars).collect();
    let cut = if kept.len() < words.len() { "…" } else { "" };
    let mut safe = String::with_capacity(kept.len() + 8);
    for character in escape_for_display(&kept).chars() {
        match character {
            '<' => safe.push_str("&lt;"),
            '`' | '[' | ']' => safe.extend(['\\', character]),
            plain => safe.push(plain),
        }
    }
    safe + cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_words_stay_on_their_line_and_open_nothing() {
        let hostile = "---\n# Heading\r\n<!-- hidden `code [[topic-x]] \u{1b}[2J\u{2028}end";
        assert_eq!(
            quote(hostile),
            "\"--- # Heading &lt;!-- hidden \\`code \\[\\[topic-x\\]\\] \\u{1b}\\[2J end\""
        );
        assert_eq!(quote(&"ä".repeat(200)), format!("\"{}…\"", "ä".repeat(160)));
    }

    proptest::proptest! {
        #[test]
        fn any_words_are_one_line_without_markup(text in "\\PC*|[<`\\[#\n\r-]*") {
            let safe = quote(&text);
            proptest::prop_assert!(!safe.contains(['\n', '\r', '<']));
            proptest::prop_assert!(!safe.contains("[["));
        }
    }
}
