//! The form of a question about a rule, and of a plain answer to it.
//!
//! Whoever steers the agent words what stands before a yes. So the yes counts only behind the very question that the agent was told to ask, at
//! the end of its words and with no other question in them, and only if it is all that the person says.

use subcortex_memory::{QUESTION, Said};

/// The longest plain answer, in words.
const MAX_ANSWER_WORDS: usize = 6;

/// Whether the words of an agent end with the question about this rule, and ask nothing else.
pub(super) fn asks_about(rule: &str, text: &str) -> bool {
    let text = text.trim_end();
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let is_code = last.starts_with("    ") || last.starts_with('\t') || is_in_fence(before);
    let last = last.trim().trim_matches(['*', '_']).trim();
    let Some((lead, asked)) = last.split_once(QUESTION) else {
        return false;
    };
    let lead = lead.trim_end();
    let is_hidden = ["<!--", "<details", "<summary"].iter().any(|mark| text.contains(mark));
    !is_code
        && !is_hidden
        && same_rule(asked, rule)
        && (lead.is_empty() || (lead.ends_with(['.', '!']) && !lead.contains(['`', '"', '“', '„', '>', '«'])))
        && !asks_or_bargains(before)
        && !asks_or_bargains(lead)
        && !words(lead).iter().any(|word| is_denial(word))
}

/// Word for word, but for the mark at the end and the case of the first letter.
fn same_rule(asked: &str, rule: &str) -> bool {
    let plain = |text: &str| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut chars = text.trim_end_matches(['.', '?', ' ']).chars();
        let first: String = chars.next().into_iter().flat_map(char::to_lowercase).collect();
        first + chars.as_str()
    };
    !plain(rule).is_empty() && plain(asked) == plain(rule)
}

/// Whether a text stands open in a block of code at its end.
fn is_in_fence(text: &str) -> bool {
    let fences =
        text.lines().map(str::trim_start).filter(|line| line.starts_with("```") || line.starts_with("~~~"));
    !fences.count().is_multiple_of(2)
}

/// Whether a text asks something, in whatever script, or says what an answer would stand for.
fn asks_or_bargains(text: &str) -> bool {
    const ASKING: [char; 21] = [
        '?', '？', '؟', '¿', '⁇', '⁈', '⁉', '‽', '⸮', '\u{37e}', '՞', '፧', '꘏', '꛷', '⳺', '⳻', '﹖', '︖',
        '❓', '❔', '𑅃',
    ];
    const BARGAINING: [&str; 14] = [
        "yes", "reply", "discard", "reject", "shall", "confirm", "approve", "approval", "proceed", "unless",
        "object", "remember", "ja", "oui",
    ];
    text.contains(ASKING) || words(text).iter().any(|word| BARGAINING.contains(&word.as_str()))
}

fn is_denial(word: &str) -> bool {
    ["no", "not", "never", "cannot", "without", "nor"].contains(&word) || word.ends_with("n't")
}

const YES: &[&str] = &[
    "yes",
    "y",
    "yep",
    "yeah",
    "yup",
    "sure",
    "absolutely",
    "definitely",
    "ja",
    "jo",
    "oui",
    "sí",
    "sim",
    "tak",
];
const NO: &[&str] = &["no", "n", "nope", "nah", "nein", "non", "não", "nie"];
/// What may stand beside a yes or a no and leaves it one.
const BESIDES: &[&str] = &[
    "please", "do", "it", "that", "this", "remember", "keep", "save", "add", "the", "rule", "for", "good",
    "always", "thanks", "thank", "you", "go", "ahead", "of", "course", "bitte", "gerne", "merci", "gracias",
];
const DENYING: &[&str] = &["don't", "dont", "not"];

/// What a whole message says to a question, as far as it is plain.
pub(super) fn answer(message: &str) -> Said {
    let message = message.trim();
    let is_plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | ',' | '.' | '!' | '\'' | '’');
    let words = words(message);
    if !message.chars().all(is_plain) || words.len() > MAX_ANSWER_WORDS {
        return Said::Other;
    }
    let Some((begin, rest)) = words.split_first() else {
        return Said::Other;
    };
    let is = |word: &String, list: &[&str]| list.contains(&word.as_str());
    if is(begin, YES) && rest.iter().all(|word| is(word, BESIDES) || is(word, YES)) {
        Said::Yes
    } else if is(begin, NO) && rest.iter().all(|word| is(word, BESIDES) || is(word, NO) || is(word, DENYING))
    {
        Said::No
    } else {
        Said::Other
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’')));
    words.filter(|word| !word.is_empty()).map(|word| word.to_lowercase().replace('’', "'")).collect()
}
