//! Words from outside, made fit for a message.

use subcortex_guard::{Redactor, escape_for_display};

use crate::Key;

/// How much of what the other side says is shown, in characters.
const MAX_SHOWN_CHARS: usize = 300;
/// A key of fewer bytes is none, but what a local server is given because its client wants one: `x`. Words hold it by
/// chance.
const MIN_SECRET_BYTES: usize = 4;

/// The text without the key and other secrets, without characters that a terminal obeys, and not longer than a few lines.
pub(crate) fn shown(text: &str, key: Option<&Key>) -> String {
    // The key goes first and from the whole text: a shortened one could end in half of it.
    let mut text = text.to_owned();
    if let Some(key) = key.map(Key::reveal).filter(|key| key.len() >= MIN_SECRET_BYTES) {
        // Some servers write a slash in JSON with a backslash before it.
        for form in [key, &key.replace('/', "\\/")] {
            text = text.replace(form, "[REDACTED:key]");
        }
    }
    let text = Redactor::new().text(text.trim()).into_owned();
    let text = escape_for_display(&text);
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_the_key_nor_a_half_of_it_nor_control_characters_are_shown() {
        let key = Key::new("open-sesame".to_owned()).unwrap();
        let text = format!("{}open-sesame\u{1b}[2J", "x".repeat(MAX_SHOWN_CHARS - 5));
        let shown = shown(&text, Some(&key));
        assert!(!shown.contains("open"), "{shown}");
        assert!(shown.chars().count() <= MAX_SHOWN_CHARS + 1);
        let slashes = Key::new("open/sesame".to_owned()).unwrap();
        assert_eq!(super::shown("{\"open\\/sesame", Some(&slashes)), "{\"[REDACTED:key]");
        let placeholder = Key::new("x".to_owned()).unwrap();
        assert_eq!(super::shown("next", Some(&placeholder)), "next");
        assert_eq!(super::shown("a\u{1b}[2J\nb open-sesame", Some(&key)), "a\\u{1b}[2J\\nb [REDACTED:key]");
    }
}
