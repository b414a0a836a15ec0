//! Cutting texts without breaking a character.

/// The first bytes of a text, at most so many.
pub(crate) fn front(text: &str, max_bytes: usize) -> &str {
    let mut end = max_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The first characters of a text, with a mark if there are more.
pub(crate) fn shortened(text: &str, max_chars: usize) -> String {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_breaks_a_character() {
        assert_eq!((front("aü", 2), front("aü", 3), front("aü", 9), front("ü", 1)), ("a", "aü", "aü", ""));
        assert_eq!((shortened("äöü", 2), shortened("äöü", 3)), ("äö…".to_owned(), "äöü".to_owned()));
    }
}
