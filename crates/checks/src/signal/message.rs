//! What of a message the person really typed as an instruction: without pasted code, logs, quotes and plans.

use std::collections::HashSet;
use std::ops::Range;

use super::speech::{goes_on, said_sentences, typed_lines, typed_part};
use crate::text::pattern;

/// Longest message that is read as speech; what is longer is a paste or a document, of which the first lines are speech.
const LONGEST_SPEECH_CHARS: usize = 1_500;
const SPEECH_LINES_OF_A_PASTE: usize = 3;
/// The most lines that people type above and below a paste. Where more is left of a long message, it is a document.
const MAX_LINES_AROUND_A_PASTE: usize = 6;
/// Longest sentence that is read, in bytes: nobody types a wish that is longer, and reading one takes more than its length.
const LONGEST_SENTENCE_BYTES: usize = 1_500;
/// How many sentences of a message are read.
const MAX_SENTENCES: usize = 200;
/// A sentence with a link is speech when it holds more words than this.
const WORDS_AROUND_A_LINK: usize = 4;

pattern!(
    HANDOFF,
    r"(?i)^\s*(?:implement the following plan|here is the plan|# plan\b|this session is being continued|continue from where|caveat:|your task is to|you are (?:an?|the) )"
);
/// The sentences of a message that count as speech; empty for a hand-over of text that an agent wrote.
pub fn speech(message: &str) -> Vec<&str> {
    if HANDOFF.is_match(message) {
        return Vec::new();
    }
    let mut known = HashSet::new();
    let read = whole_of_lines(&spoken_lines(message)).into_iter().filter(|sentence| {
        sentence.len() <= LONGEST_SENTENCE_BYTES
            && (!sentence.contains("://") || sentence.split_whitespace().count() > WORDS_AROUND_A_LINK)
    });
    // Who says the same twice says it once.
    read.filter(|sentence| known.insert(*sentence)).take(MAX_SENTENCES).collect()
}

/// The sentences of lines, without those that are broken over two: no half of one is what was said.
fn whole_of_lines<'m>(lines: &[&'m str]) -> Vec<&'m str> {
    let (mut sentences, mut before, mut of_before) = (Vec::new(), "", 0);
    for line in lines {
        let mut of_line = said_sentences(typed_part(line));
        if goes_on(before, line) {
            sentences.truncate(sentences.len() - usize::from(of_before > 0));
            of_line.drain(..of_line.len().min(1));
        }
        (before, of_before) = (line, of_line.len());
        sentences.append(&mut of_line);
    }
    sentences
}

/// The whole sentences of a message that a quote is a part of. What somebody leaves out of a sentence can turn it round: "always push to
/// main" stands in "never always push to main". `None` where a part of the quote is no speech.
pub fn whole_sentences<'m>(message: &'m str, quote: &str) -> Option<&'m str> {
    let start_of = |part: &str| part.as_ptr().addr().saturating_sub(message.as_ptr().addr());
    let spans = speech(message).into_iter().map(|said| start_of(said)..start_of(said) + said.len());
    let spans: Vec<Range<usize>> = spans.collect();
    let mut found = message.match_indices(quote).map(|(at, quote)| at..at + quote.len());
    found.find_map(|quoted| {
        let mut touched = spans.iter().filter(|span| span.start < quoted.end && quoted.start < span.end);
        let first = touched.next()?;
        let (mut end, mut said) = (first.end, is_blank(message, quoted.start..first.start));
        for span in touched {
            said &= is_blank(message, end..span.start);
            end = span.end;
        }
        said &= is_blank(message, end..quoted.end);
        message.get(first.start.min(quoted.start)..end.max(quoted.end)).map(str::trim).filter(|_| said)
    })
}

/// Whether nothing is said between two places.
fn is_blank(message: &str, between: Range<usize>) -> bool {
    between.is_empty() || !message.get(between).is_some_and(|text| text.contains(char::is_alphanumeric))
}

/// The lines that a person typed, as far as they are speech.
fn spoken_lines(message: &str) -> Vec<&str> {
    let lines = typed_lines(message);
    let count = lines.iter().flatten().filter(|line| !line.trim().is_empty()).count();
    let chars: usize = lines.iter().flatten().map(|line| line.chars().count()).sum();
    let is_long = message.chars().count() > LONGEST_SPEECH_CHARS;
    let is_document = is_long && (chars > LONGEST_SPEECH_CHARS || count > MAX_LINES_AROUND_A_PASTE);
    let read = if is_document { SPEECH_LINES_OF_A_PASTE } else { lines.len() };
    // Nothing goes on behind a paste.
    lines.into_iter().take(read).map(|line| line.unwrap_or_default()).collect()
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

    #[test]
    fn one_line_behind_a_mark_for_notes_is_said_and_a_heading_is_not() {
        assert_eq!(speech("# always use tabs"), ["always use tabs"]);
        assert_eq!(speech("#never push to main\n"), ["never push to main"]);
        assert_eq!(speech("# Always use tabs\n\nIn all files."), ["In all files."]);
        assert_eq!(speech("## Always use tabs"), Vec::<&str>::new());
    }

    #[test]
    fn words_below_a_long_paste_are_heard_and_those_in_a_document_are_not() {
        let paste = format!("look\n```\n{}```\nAlways run the tests.", "npm ERR! x\n".repeat(200));
        assert_eq!(speech(&paste), ["look", "Always run the tests."]);
        let document =
            format!("look\n\n{}Always run the tests.", "There is much to say here.\n\n".repeat(100));
        assert_eq!(speech(&document), ["look", "There is much to say here."]);
    }

    #[test]
    fn who_says_the_same_twice_says_it_once() {
        let message = format!("Look at item 3. {}", "Always use foo. ".repeat(900));
        assert_eq!(speech(&message), ["Look at item 3.", "Always use foo."]);
    }

    #[test]
    fn no_half_of_a_sentence_is_said() {
        let none: [&str; 0] = [];
        assert_eq!(speech("I do not want you to\nalways use npm."), none);
        assert_eq!(
            speech("ok. I'd be fired if I told you\nfrom now on, always push. Use tabs."),
            ["ok.", "Use tabs."]
        );
        assert_eq!(speech("We would never, not even\nin a hurry, say\nalways push."), none);
        assert_eq!(
            speech("Translate this sentence to French\n\nFrom now on, always push."),
            ["Translate this sentence to French"]
        );
        assert_eq!(
            speech("add this to the docs\n\nAlways use bun.\n\nthen commit"),
            ["add this to the docs", "then commit"]
        );
        assert_eq!(
            speech("add this to your rules\n\nAlways use bun."),
            ["add this to your rules", "Always use bun."]
        );
        assert_eq!(
            speech("fix the login test\nalways use pnpm\ndon't touch main\nuse tabs"),
            ["fix the login test", "always use pnpm", "don't touch main", "use tabs"]
        );
    }

    #[test]
    fn a_quote_is_widened_to_whole_sentences() {
        for (message, quote, whole) in [
            (
                "Please don't always use force push.",
                "always use force push",
                Some("Please don't always use force push."),
            ),
            ("hm. Use pnpm, not npm. thanks", "Use pnpm, not npm.", Some("Use pnpm, not npm.")),
            ("hm. Use pnpm. Never npm. ok", "pnpm. Never", Some("Use pnpm. Never npm.")),
            ("No tabs, ever. No tabs", "No tabs", Some("No tabs, ever.")),
            ("> always use npm\n\nno", "always use npm", None),
            ("look\n```\nalways use npm\n```\nno", "always use npm", None),
            ("use tabs", "use spaces", None),
        ] {
            assert_eq!(whole_sentences(message, quote), whole, "{message} / {quote}");
        }
    }

    #[test]
    fn of_a_huge_message_only_a_part_is_read() {
        for form in [
            "> ",
            "- a\n",
            "<a> x\n",
            "```\n",
            "\"a b c d e\" ",
            "[a](",
            "always use tabs\n",
            "Always run x. ",
        ] {
            let message = form.repeat(1_000_000 / form.len());
            let read: usize = typed_lines(&message).into_iter().flatten().map(str::len).sum();
            assert!(read <= 64 * 1024, "{form}: {read}");
            assert!(speech(&message).len() <= MAX_SENTENCES, "{form}");
        }
    }
}
