//! The part of a text that shows why it was found.

use crate::words::Words;

/// How long it is, in characters.
const MAX_CHARS: usize = 300;
/// How much of it stands before the first word that was looked for, in characters.
const BEFORE_CHARS: usize = 60;

/// The part with the most of these words that are different; the front of the first when none has any.
pub(crate) fn snippet(parts: &[String], question: &[String], words: &mut Words) -> String {
    let mut best: (usize, String) = (0, String::new());
    for part in parts.iter().filter(|part| !part.trim().is_empty()) {
        let pieces: Vec<&str> = part.split_whitespace().collect();
        let (count, first) = where_found(&pieces, question, words);
        if best.1.is_empty() || count > best.0 {
            best = (count, window(&pieces, first));
        }
    }
    best.1
}

/// How many of the words are there, and which piece is the first that has one.
fn where_found(pieces: &[&str], question: &[String], words: &mut Words) -> (usize, usize) {
    let (mut seen, mut first) = (vec![false; question.len()], None);
    for (place, piece) in pieces.iter().enumerate() {
        words.each(piece, |word| {
            if let Some(mark) =
                question.iter().position(|wanted| wanted == word).and_then(|at| seen.get_mut(at))
            {
                *mark = true;
                first.get_or_insert(place);
            }
        });
    }
    (seen.iter().filter(|seen| **seen).count(), first.unwrap_or(0))
}

fn window(pieces: &[&str], first: usize) -> String {
    let (mut from, mut before) = (first, 0);
    while let Some(piece) = from.checked_sub(1).and_then(|earlier| pieces.get(earlier)) {
        before += piece.chars().count() + 1;
        if before > BEFORE_CHARS {
            break;
        }
        from -= 1;
    }
    let shown = pieces.get(from..).unwrap_or_default().join(" ");
    let cut: String = shown.chars().take(MAX_CHARS).collect();
    let (front, end) = (if from > 0 { "… " } else { "" }, if cut.len() < shown.len() { "…" } else { "" });
    format!("{front}{cut}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_was_looked_for_is_shown() {
        let long = format!("{} then run the migration by hand {}", "a ".repeat(200), "z ".repeat(400));
        let question = ["migrat".to_owned()];
        let shown = snippet(&["hello".into(), long], &question, &mut Words::default());
        assert!(shown.starts_with("… a a") && shown.contains("run the migration by hand z"), "{shown}");
        assert!(shown.ends_with('…') && shown.chars().count() < MAX_CHARS + 10, "{shown}");
    }

    #[test]
    fn without_any_of_the_words_the_front_is_shown() {
        let parts = [String::new(), "one\n\ntwo".into()];
        assert_eq!(snippet(&parts, &["three".into()], &mut Words::default()), "one two");
        assert_eq!(snippet(&[], &[], &mut Words::default()), "");
    }
}
