//! Sentences that were broken over two lines. A half of one can say the opposite of the whole: "I do not want you to / always use npm".

/// Words after which a sentence goes on. Not `on`, `so` and `that`, which end lines of people who type one thought a line.
const OPEN: [&str; 62] = [
    "to",
    "than",
    "say",
    "says",
    "said",
    "saying",
    "tell",
    "tells",
    "telling",
    "be",
    "is",
    "are",
    "was",
    "about",
    "with",
    "for",
    "of",
    "at",
    "by",
    "from",
    "into",
    "the",
    "a",
    "an",
    "my",
    "our",
    "your",
    "their",
    "and",
    "or",
    "but",
    "if",
    "when",
    "whenever",
    "while",
    "unless",
    "until",
    "because",
    "since",
    "as",
    "not",
    "never",
    "should",
    "must",
    "would",
    "might",
    "shall",
    "you",
    "we",
    "they",
    "people",
    "everybody",
    "i",
    "he",
    "she",
    "who",
    "which",
    "ever",
    "called",
    "named",
    "whether",
    "where",
];
/// From this length on a line was broken because it was full, in characters.
const FULL_LINE_MIN_CHARS: usize = 50;
/// Words by which a line denies something. Where it begins with one, it is an order of its own.
const DENIES: [&str; 9] = ["not", "no", "never", "cannot", "nobody", "nothing", "stop", "hate", "wrong"];
/// What may stand in front of an order.
const LEAD_IN: [&str; 8] = ["please", "ok", "okay", "and", "also", "so", "yes", "pls"];

/// Whether a line goes on in the next one.
pub(crate) fn goes_on(line: &str, next: &str) -> bool {
    let (line, next) = (line.trim(), next.trim_start());
    let Some(first) = next.chars().next().filter(|first| first.is_alphabetic()) else { return false };
    if line.ends_with([',', '–', '—']) {
        return true;
    }
    if !line.ends_with(char::is_alphanumeric) {
        return false;
    }
    let lower = line.to_lowercase().replace('’', "'");
    let words: Vec<&str> = lower.split_whitespace().map(bare).collect();
    let is_thanks = lower.ends_with("thank you");
    if words.last().is_some_and(|last| OPEN.contains(last)) && !is_thanks {
        return true;
    }
    let denies = |word: &&str| DENIES.contains(word) || word.ends_with("n't");
    let is_order = words.iter().find(|word| !LEAD_IN.contains(word)).is_some_and(denies);
    let is_full = line.chars().count() >= FULL_LINE_MIN_CHARS;
    first.is_lowercase() && (is_full || !is_order && words.iter().any(denies))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::goes_on;

    #[test]
    fn a_sentence_goes_on_behind_an_open_word_a_full_line_or_a_denial() {
        for (line, next) in [
            ("I do not want you to", "always use npm."),
            ("You should under no circumstances", "always push to main."),
            ("Never, and I mean never,", "always use sudo."),
            ("Do not follow the rule that says", "Always use tabs."),
            ("I hate it when people", "always use npm."),
            ("it would be a very bad idea for all of us here in the team to start", "always using npm"),
            ("Rename the test to", "From now on, always use bun."),
        ] {
            assert!(goes_on(line, next), "{line} / {next}");
        }
        for (line, next) in [
            ("fix the login test", "always use pnpm"),
            ("don't touch main", "always use pnpm"),
            ("please never use npm", "use pnpm"),
            ("from now on", "always use pnpm"),
            ("thank you", "always use pnpm"),
            ("I do not want npm.", "always use pnpm"),
            ("use pnpm and", "- never npm"),
            ("use pnpm and", ""),
            ("", "always use pnpm"),
        ] {
            assert!(!goes_on(line, next), "{line} / {next}");
        }
    }
}
