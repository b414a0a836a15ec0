//! Lists of words, written as text so that they can be read.

/// The longest word that is looked for, in bytes.
const WORD_MAX_BYTES: usize = 46;

/// Words in small letters with blanks between them.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordList(pub(super) &'static str);

impl WordList {
    /// The words.
    pub(super) fn words(self) -> impl Iterator<Item = &'static [u8]> {
        self.0.as_bytes().split(|byte| *byte == b' ')
    }

    /// Whether a word is in the list, ignoring case. Asked often, so it looks for the word with the blanks
    /// around it instead of going through the list.
    pub(super) fn has(self, word: &[u8]) -> bool {
        let mut needle = [b' '; WORD_MAX_BYTES + 2];
        let Some(place) =
            needle.get_mut(1..=word.len()).filter(|_| (1..=WORD_MAX_BYTES).contains(&word.len()))
        else {
            return false;
        };
        place.copy_from_slice(word);
        place.make_ascii_lowercase();
        let list = self.0.as_bytes();
        let needle = &needle[..word.len() + 2];
        let (first, last) = (&needle[1..], &needle[..needle.len() - 1]);
        super::chars::contains(list, needle)
            || list.starts_with(first)
            || list.ends_with(last)
            || *list == needle[1..needle.len() - 1]
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
        assert!(list.has(b"one"));
        assert!(list.has(b"two"));
        assert!(list.has(b"THREE"));
        assert!(!list.has(b"thr"));
        assert!(!list.has(b""));
        assert!(!list.has(&[b'x'; 100]));
        assert!(WordList("one").has(b"ONE"));
        assert!(list.any_in(b"twofold"));
    }
}
