//! Lists of words, written as text so that they can be read.

/// Words in small letters with blanks between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordList(pub(super) &'static str);

impl WordList {
    /// The words.
    pub(super) fn words(self) -> impl Iterator<Item = &'static [u8]> {
        self.0.as_bytes().split(|byte| *byte == b' ')
    }

    /// Whether a word is in the list, ignoring case.
    pub(super) fn has(self, word: &[u8]) -> bool {
        self.words().any(|known| known.eq_ignore_ascii_case(word))
    }

    /// Whether a word of the list stands in the text, which is in small letters.
    pub(super) fn any_in(self, text: &[u8]) -> bool {
        self.words().any(|known| super::chars::contains(text, known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_whole_and_in_any_case() {
        let list = WordList("one two three");
        assert!(list.has(b"two"));
        assert!(list.has(b"THREE"));
        assert!(!list.has(b"thr"));
        assert!(!list.has(b""));
        assert!(list.any_in(b"twofold"));
    }
}
