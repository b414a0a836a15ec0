//! What of a message the person really typed as an instruction: without pasted code, logs, quotes and plans.

use super::speech::{said_sentences, typed_lines, typed_part};
use crate::text::pattern;

/// Longest message that is read as speech; what is longer is a paste or a document, of which the first lines are speech.
const LONGEST_SPEECH_CHARS: usize = 1_500;
const SPEECH_LINES_OF_A_PASTE: usize = 3;
/// Longest sentence that is read, in bytes: nobody types a wish that is longer, and reading one takes more than its length.
const LONGEST_SENTENCE_BYTES: usize = 1_500;
/// A sentence with a link is speech when it holds more words than this.
const WORDS_AROUND_A_LINK: usize = 4;

pattern!(
    HANDOFF,
    r"(?i)^\s*(?:implement the following plan|here is the plan|# plan\b|this session is being continued|continue from where|caveat:|your task is to|you are (?:an?|the) )"
);
/// The sentences of a message that count as speech; empty for a hand-over of text that an agent wrote.
pub(crate) fn speech(message: &str) -> Vec<&str> {
    if HANDOFF.is_match(message) {
        return Vec::new();
    }
    let long = message.chars().count() > LONGEST_SPEECH_CHARS;
    let mut found = Vec::new();
    for (at, line) in typed_lines(message).into_iter().enumerate() {
        let Some(line) = line else { continue };
        if long && at >= SPEECH_LINES_OF_A_PASTE {
            break;
        }
        found.extend(said_sentences(typed_part(line)).into_iter().filter(|sentence| {
            sentence.len() <= LONGEST_SENTENCE_BYTES
                && (!sentence.contains("://") || sentence.split_whitespace().count() > WORDS_AROUND_A_LINK)
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_without_an_end_is_not_read() {
        let endless = "no, don't, never, always, ".repeat(4_700);
        assert_eq!(speech(&endless), Vec::<&str>::new());
        assert_eq!(speech("Always run the tests."), ["Always run the tests."]);
    }
}
