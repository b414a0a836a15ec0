//! Tells a unit that was only ever written by this program from one that a person edited.
//!
//! The first line of a unit is `# seal: <16 hex digits>`, a hash of everything after it. So a unit of an earlier
//! version can be renewed without asking, and one that was edited is left alone. It is no protection against
//! anybody: whoever edits the file breaks the seal, and that is all it is for.

const PREFIX: &str = "# seal: ";
const DIGITS: usize = 16;

/// Puts the seal before a text.
pub(crate) fn sealed(body: &str) -> String {
    format!("{PREFIX}{}\n{body}", digits(body))
}

/// Whether the text is as it was when it was sealed.
pub(crate) fn is_intact(text: &str) -> bool {
    let parts = text.strip_prefix(PREFIX).and_then(|rest| rest.split_once('\n'));
    parts.is_some_and(|(seal, body)| seal == digits(body))
}

fn digits(body: &str) -> String {
    blake3::hash(body.as_bytes()).to_hex().chars().take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_breaks_with_any_edit() {
        let text = sealed("[Unit]\nDescription=x\n");
        assert!(is_intact(&text));
        for (at, _) in text.char_indices() {
            let mut edited = text.clone();
            edited.remove(at);
            assert!(!is_intact(&edited), "without the character at {at}");
        }
        assert!(!is_intact(&format!("{text}\n")));
        assert!(!is_intact("[Unit]\nDescription=x\n"));
        assert!(!is_intact(""));
    }
}
