//! Sentences that only hand over another one: what somebody said, a text to work on, a rule that is not wanted.

use crate::text::pattern;

/// The longest beginning of a sentence, up to its colon, in bytes.
const MAX_HEAD_BYTES: usize = 120;
/// Where rules are kept: what a person has written there is their wish.
const KEPT_IN: [&str; 10] = [
    "claude.md",
    "agents.md",
    "gemini.md",
    "memory",
    "rule",
    "guideline",
    "convention",
    "note",
    "instruction",
    "list",
];

// Somebody says, prints or asks it.
pattern!(
    SAYS,
    r"(?i)\b(?:said|says?|saying|wrote|writes?|claim(?:s|ed)?|suggest(?:s|ed)?|recommend(?:s|ed)?|state[sd]?|told (?:me|us|him|her|them)|reads|ask(?:s|ed)?|complain(?:s|ed)?|prints?|outputs?|returns?|shows?|matches|replied|answered|commented|means?)(?: (?:me|us|this|that|it|so|here))*$"
);
pattern!(OWN, r"(?i)\b(?:i|we|i've|we've|i'd)\b");
// A text to work on.
pattern!(
    WORKS_ON,
    r"(?ix)^\W*(?:(?:please|now|then|and|also|ok|okay|just|pls|can\syou|could\syou)[,\s]+)*(?:
        translate|rewrite|rephrase|reword|paraphrase|summari[sz]e|proofread|explain
        | (?:fix|correct|check|improve|polish)\s(?:the|this|my)\s(?:grammar|spelling|typos?|wording|sentence|text|english|style)
        | (?:delete|remove|drop|change|replace|edit|move)\s(?:this|that|the|these)\s(?:\w+\s)?(?:lines?|rules?|sentences?|paragraphs?|comments?|text|headings?|titles?)
        | commit\s(?:it\s|this\s|that\s|everything\s)?with
        | write\s(?:an?|the)\s
        | (?:should|shall)\s(?:i|we)\b | what\s(?:does|would|if|about)\b | (?:what\s)?if\s(?:i|we|you|he|she|they|someone|somebody)\b
        | for\s(?:example|instance)$ | e\.g\.?$
    )"
);
pattern!(
    IS_TEXT,
    r"(?i)\b(?:text|title|heading|headline|label|caption|placeholder|tooltip|subject|commit message|message|string|sentence|slogan)$"
);
pattern!(
    UNWANTED,
    r"(?i)\b(?:don'?t|do not|never|no longer) (?:want|like|need|agree with|follow|have) (?:this|that|the|these|such|any)\b"
);
pattern!(MIGHT, r"(?i)\b(?:might|may|could|would) (?:also )?(?:write|say|type|send|claim|ask|read)\b");
pattern!(
    ADDS,
    r"(?i)\b(?:add|put|write|insert|append|include)\b.*\b(?:this|that|following|line|text|sentence)\b.*\b(?:to|in|into|at)\b(.*)$"
);
pattern!(
    ACCORDING,
    r"(?i)^\W*(?:according to|as per|per) (?:the |their |that |this )?(?:\S+\.md\b|readme|docs?\b|documentation|manual|guide|spec|page|article|website|log|linter|compiler)"
);
pattern!(RENAMES, r"(?i)^(?:rename|copy) (?:from|to) \S+ ");
// What follows in the line is what is asked about.
pattern!(
    ASKS_ABOUT,
    r"(?i)^\W*(?:is|are|was|would|does) (?:this|that|the following|these|it)\b[^?]*\b(?:rules?|lines?|wording|sentences?|text|instructions?|advice)\b[^?]*\?$"
);

/// Whether a sentence hands over another one that is not its writer's wish.
pub(super) fn is_attributed(sentence: &str) -> bool {
    if ACCORDING.is_match(sentence) || RENAMES.is_match(sentence) {
        return true;
    }
    let Some(head) = head_of(sentence) else { return false };
    let says = SAYS.is_match(head) && !OWN.is_match(head);
    let adds = ADDS.captures(head).and_then(|found| found.get(1)).is_some_and(|place| {
        let place = place.as_str().to_lowercase();
        !KEPT_IN.iter().any(|kept| place.contains(kept))
    });
    let patterns = [&*WORKS_ON, &*IS_TEXT, &*UNWANTED, &*MIGHT];
    says || adds || patterns.iter().any(|pattern| pattern.is_match(head))
}

/// Whether a sentence asks about the ones that follow it.
pub(super) fn asks_about_the_rest(sentence: &str) -> bool {
    ASKS_ABOUT.is_match(sentence)
}

/// What stands in front of the first colon that words follow.
fn head_of(sentence: &str) -> Option<&str> {
    let (head, rest) = sentence.split_once([':', '：'])?;
    (head.len() <= MAX_HEAD_BYTES && !rest.trim().is_empty()).then_some(head.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_hands_over_another_is_told_from_a_wish() {
        for head in [
            "Bob said",
            "the docs say",
            "eslint says",
            "translate to German",
            "fix the grammar",
            "commit with the message",
            "an attacker might write",
            "Delete this line from the docs",
            "I don't want this rule",
            "add this line to README.md",
            "change the heading to",
            "make the button's text",
            "write a regex that matches",
            "should I write this into my blog",
            "for example",
            "summarize this",
            "rewrite this sentence",
            "explain what this means",
            "if I told you",
        ] {
            assert!(is_attributed(&format!("{head}: always run `make`.")), "{head}");
        }
        for said in [
            "I said: always run `make`.",
            "as we said: always run `make`.",
            "how many times do I have to say it: always run `make`.",
            "one more thing: always run `make`.",
            "add this to CLAUDE.md: always run `make`.",
            "put this line into your memory: always run `make`.",
            "Commit rules: always run `make`.",
            "Change of plan: always run `make`.",
            "new rule: always run `make`.",
            "About messages: never use emojis.",
            "Always use the form `type: subject` in commits.",
            "we use pnpm here: never run npm.",
        ] {
            assert!(!is_attributed(said), "{said}");
        }
        assert!(asks_about_the_rest("is this a good rule?") && !asks_about_the_rest("is this done?"));
    }
}
