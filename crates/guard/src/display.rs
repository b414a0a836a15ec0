//! Text from outside, made safe for a terminal, a log line or a message.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// The text with every character escaped that a terminal or a log could obey instead of showing: control
/// characters (line ends and ESC among them), line and paragraph separators, and the characters that turn
/// the direction of writing around or cannot be seen. Borrowed if there are none.
///
/// Escapes look like those of Rust: `\n`, `\u{1b}`. A backslash stays as it is, so the result is for
/// reading, not for decoding.
///
/// ```
/// use subcortex_guard::escape_for_display;
/// assert_eq!(escape_for_display("a\u{1b}[2Jb"), "a\\u{1b}[2Jb");
/// assert_eq!(escape_for_display("naïve 日本"), "naïve 日本");
/// ```
pub fn escape_for_display(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_unsafe) else { return Cow::Borrowed(text) };
    let mut safe = String::with_capacity(text.len() + 16);
    safe.push_str(&text[..first]);
    for character in text[first..].chars() {
        match character {
            '\n' => safe.push_str("\\n"),
            '\r' => safe.push_str("\\r"),
            '\t' => safe.push_str("\\t"),
            hidden if is_unsafe(hidden) => {
                // Writing to a string cannot fail.
                let _ = write!(safe, "\\u{{{:x}}}", u32::from(hidden));
            }
            plain => safe.push(plain),
        }
    }
    Cow::Owned(safe)
}

/// A path for a message, to stand between backticks: a file name can hold anything but `/` and NUL.
pub fn shown_path(path: &Path) -> String {
    escape_for_display(&path.to_string_lossy()).replace('`', "\\u{60}")
}

fn is_unsafe(character: char) -> bool {
    character.is_control() || is_separator(character) || is_direction(character) || is_invisible(character)
}

/// Separators that some programs take for the end of a line.
fn is_separator(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}')
}

/// Characters that change the direction of writing, so that a text reads differently from what it is.
pub(crate) fn is_direction(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Characters that nobody sees: a byte order mark, and the tags in which text can be smuggled.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(character, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(escape_for_display(text), expect);
    }

    #[test]
    fn control_characters_are_spelled_out() {
        check("a\nb\r\tc", "a\\nb\\r\\tc");
        check("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}");
        check("\u{9b}31m", "\\u{9b}31m");
        check("\0", "\\u{0}");
        check("\u{7f}", "\\u{7f}");
    }

    #[test]
    fn characters_that_turn_or_hide_text_are_spelled_out() {
        check("a\u{202e}b", "a\\u{202e}b");
        check("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}");
        check("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c");
        check("\u{feff}a\u{e0041}", "\\u{feff}a\\u{e0041}");
    }

    #[test]
    fn ordinary_text_is_not_copied() {
        assert!(matches!(escape_for_display("plain text, 日本語, é, 🦀"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn nothing_unsafe_is_left_and_twice_is_once(text in any::<String>()) {
            let safe = escape_for_display(&text).into_owned();
            prop_assert!(!safe.chars().any(is_unsafe));
            prop_assert_eq!(escape_for_display(&safe), safe.as_str());
        }
    }
}
