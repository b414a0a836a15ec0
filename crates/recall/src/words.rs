//! A text as the words that it is found by.
//!
//! Words are lower case and stemmed (English, Snowball), so that "ran the tests" is found by "running test". A name
//! in code is found whole and by its parts: `getUserName` by "user", `pnpm-lock.yaml` by "pnpm". Scripts that put no
//! blanks between words are cut into pairs of characters.

use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

/// The longest word that is kept, in characters: what is longer is a key, a hash or a line of data.
const MAX_WORD_CHARS: usize = 48;
/// Words that say nothing about what a text is about.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from", "had", "has",
    "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on",
    "or", "our", "s", "she", "so", "t", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "to", "was", "we", "were", "what", "when", "which", "who", "why", "will", "with", "you", "your",
];

/// Cuts texts into words.
pub struct Words {
    stemmer: Stemmer,
    /// Stems that were worked out already: few words make up most of a text.
    known: HashMap<String, String>,
}

/// How many stems are remembered.
const MAX_KNOWN: usize = 50_000;

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Words")
    }
}

impl Default for Words {
    fn default() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), known: HashMap::new() }
    }
}

impl Words {
    /// Hands out each word of a text, in order, as it is kept in the index.
    pub fn each(&mut self, text: &str, mut take: impl FnMut(&str)) {
        for run in text.split(|letter: char| !letter.is_alphanumeric()).filter(|run| !run.is_empty()) {
            if run.chars().any(is_unspaced) {
                pairs(run, &mut take);
                continue;
            }
            let parts = parts(run);
            if parts.len() > 1 {
                self.one(run, &mut take);
            }
            parts.iter().for_each(|part| self.one(part, &mut take));
        }
    }

    /// How often each word stands in a text.
    pub fn counted(&mut self, text: &str, counts: &mut HashMap<String, u32>) {
        self.each(text, |word| match counts.get_mut(word) {
            Some(count) => *count = count.saturating_add(1),
            None => _ = counts.insert(word.to_owned(), 1),
        });
    }

    fn one(&mut self, word: &str, take: &mut impl FnMut(&str)) {
        if word.chars().count() > MAX_WORD_CHARS {
            return;
        }
        let word = word.to_lowercase();
        if STOP_WORDS.binary_search(&word.as_str()).is_ok() {
            return;
        }
        if let Some(stem) = self.known.get(&word) {
            return take(stem);
        }
        let stem = self.stemmer.stem(&word).into_owned();
        take(&stem);
        if self.known.len() < MAX_KNOWN {
            self.known.insert(word, stem);
        }
    }
}

/// The parts of a name in code, where a small letter meets a capital one: `getUserName`. One part is the word itself.
fn parts(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut was_small) = (0, false);
    for (at, letter) in run.char_indices() {
        if was_small && letter.is_uppercase() {
            parts.extend(run.get(from..at));
            from = at;
        }
        was_small = letter.is_lowercase();
    }
    parts.extend(run.get(from..));
    parts
}

/// Whether a letter belongs to a script that puts no blanks between words.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

fn pairs(run: &str, take: &mut impl FnMut(&str)) {
    let letters: Vec<char> = run.chars().collect();
    if let [alone] = letters.as_slice() {
        take(&alone.to_string());
    }
    letters.windows(2).for_each(|pair| take(&pair.iter().collect::<String>()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, words: &str) {
        let mut found = Vec::new();
        Words::default().each(text, |word| found.push(word.to_owned()));
        assert_eq!(found.join(" "), words, "{text}");
    }

    #[test]
    fn words_are_stemmed_and_empty_ones_left_out() {
        check("Running the tests, again!", "run test again");
        check("", "");
        check("the of and", "");
        check("ÉCOLE Straße", "école straße");
    }

    #[test]
    fn a_name_in_code_is_found_whole_and_by_its_parts() {
        check("getUserName", "getusernam get user name");
        check("pnpm-lock.yaml src/main.rs", "pnpm lock yaml src main rs");
        check("HTTP2", "http2");
    }

    #[test]
    fn scripts_without_blanks_are_cut_into_pairs() {
        check("記憶装置", "記憶 憶装 装置");
        check("本", "本");
    }

    #[test]
    fn a_line_of_data_is_no_word() {
        check(&"a".repeat(MAX_WORD_CHARS + 1), "");
    }

    #[test]
    fn the_stop_words_are_sorted_so_that_they_are_found() {
        assert!(STOP_WORDS.is_sorted());
    }
}
