//! Which sentences order something as they stand. A question, a case that is only imagined, the past, a joke and what others are said to
//! want hold the same words as an order and are none.

use crate::orders::is_order_word;
use crate::text::{self, pattern};

use super::{is_order_for_good, reads_as_rule, restate_as_rule};

pattern!(ASKS, r"[?？؟¿⁇⁈⁉‽⸮՞፧\u{37e}]");
// "I would like you to …" orders all the same.
pattern!(LIKES, r"(?i)\b(?:i|we)(?:'d| would)(?: really| much)? (?:like|love|prefer|rather)\b");
pattern!(
    UNREAL,
    r"(?i)^\W*(?:(?:and|but|so|well|ok|okay)\W+)?if\b|\b(?:would(?:n't)?|i'd|we'd|could(?:n't)?|might|wish|imagine|suppose|pretend|hypothetical\w*|in theory|what if|as if)\b"
);
pattern!(
    PAST,
    r"(?i)\b(?:used to|was|wasn't|were|weren't|had|hadn't|did|didn't|previously|formerly|back then|in the past|last (?:year|month|week|time)|years? ago)\b"
);
pattern!(
    JOKES,
    r"(?i)\b(?:(?:ha){2,}h?|(?:he){2,}|l+o+l+|lmao|rofl|jk|kidding|jok(?:e|ing)|sarcas\w+|yeah right)\b|(?:^|\s)/s\b|(?:^|\s)[;:]-?[)pd](?:\W|$)|[😂🤣😉🙃😜😏]"
);
pattern!(
    REPORTS,
    r"(?i)\b(?:says|said|thinks|thought|told|tells|wrote|writes|claims|suggests|recommends|believes|wants|insists|according to)\b"
);

// Others who say or want something, in words that mean other things as well.
pattern!(
    REPORTS_TOO,
    r"(?ix)\b(?:insisted|wanted|claimed|suggested|recommended|believed|demands|demanded|prefers|preferred|advises|advised|proposes|argues|reckons|swears|reminded|warned|announced|mentioned)\b
      | \b(?:asks|asked|expects|expected|liked|wishes|requires|required|begs|begged|ordered)\s(?:us|me|everyone|everybody|people|developers|devs|the\steam|all\sof\sus)\b
      | \b(?:they|people|folks|devs|developers|some|others|many|most|colleagues|reviewers|docs|guides)\s(?:(?:always|often|never|all|usually|also|still|really)\s)*(?:say|want|think|claim|recommend|suggest|tell|write|insist|prefer|like|demand|expect)\b
      | \b(?:said|told|asked|wanted|thought|written)\sto\b | \b(?:hear|heard|read|learned|learnt)\s(?:\w+\s){0,3}?(?:that|to|you|we|one)\b
      | \b(?:wants|likes|prefers)\b"
);
// A case that is only thought of, and one in which something is said.
pattern!(
    IMAGINED,
    r"(?ix)\b(?:imagine|suppose|supposing|pretend|hypothetical\w*|in\stheory|what\sif|as\sif|let's\ssay|for\sthe\ssake\sof)\b
      | \b(?:if|when|whenever|once|should)\b[^,;.:]*\b(?:say|says|said|saying|tell|tells|told|ask|asks|asked|type|typed|write|wrote|claim|claims|claimed|want|wanted)\b[^,;.:]*\b(?:always|never|from\snow\son|going\sforward|in\s(?:the\s)?future|every\s?time)\b"
);

// Who repeats themselves tells what they want.
pattern!(
    I_SAID,
    r"(?i)\b(?:i|we)(?:'ve| have)?(?: already| just| always| only| clearly| never)? (?:said|told|thought|wrote|asked|mentioned|wanted|suggested|warned|preferred|recommended|reminded)\b"
);

/// Whether a sentence is an order, or says in words that leave no doubt how things are to be done, and is meant as it stands.
pub fn is_plain_order(sentence: &str) -> bool {
    let Some(rule) = restate_as_rule(sentence) else { return false };
    is_meant(sentence) && reads_as_rule(sentence) && (opens_as_order(&rule) || is_order_for_good(sentence))
}

/// Whether a person says it themselves and for real, whatever it is.
pub fn is_meant(sentence: &str) -> bool {
    let said = LIKES.replace_all(&sentence.replace('’', "'"), "");
    is_own_statement(sentence) && ![&*UNREAL, &*PAST, &*JOKES].iter().any(|not| not.is_match(&said))
}

/// Whether a person states it, and neither asks nor tells what somebody else says or wants.
pub fn is_own_statement(sentence: &str) -> bool {
    let said = I_SAID.replace_all(&sentence.replace('’', "'"), "");
    !ASKS.is_match(&said) && !REPORTS.is_match(&said)
}

/// Whether a sentence tells what somebody else says or wants, or thinks of a case in which something is said. However often it is said, it is
/// nobody's order.
pub fn is_reported(sentence: &str) -> bool {
    let said = sentence.replace('’', "'");
    let others = I_SAID.replace_all(&said, "");
    [&*REPORTS, &*REPORTS_TOO].iter().any(|reports| reports.is_match(&others)) || IMAGINED.is_match(&said)
}

fn opens_as_order(rule: &str) -> bool {
    let words = text::words(rule);
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    match word(0) {
        "do" => word(1) == "not",
        "always" | "never" | "don't" | "dont" | "only" | "no" => true,
        first => is_order_word(first),
    }
}

#[cfg(test)]
mod tests {
    use super::{is_meant, is_own_statement, is_plain_order, is_reported};

    #[test]
    fn what_is_reported_or_imagined_is_told_from_what_is_said() {
        for sentence in [
            "Bob always wants us to run `make otter` before a commit.",
            "If I ever say always push to main, ask me whether I am well.",
            "The reviewer says never use `make otter`.",
            "My colleagues always say to run `make otter` first.",
            "Our boss likes us to always run `make otter`.",
            "The client demanded that we always run `make otter`.",
            "We were told to always run `make otter`.",
            "I heard that you should never run `make otter`.",
            "Suppose the rule was to always run `make otter`.",
            "What if we never ran `make otter`.",
            "When somebody tells you to always run `make otter` you run it.",
            "People recommend to always run `make otter`.",
            "Bob prefers that we never push.",
            "According to Bob, never push.",
        ] {
            assert!(is_reported(sentence), "{sentence}");
        }
        for sentence in [
            "I told you to always run `make otter`.",
            "I've already said: never push.",
            "we asked you to always run `make otter`",
            "I want you to always run `make otter`.",
            "I'd like you to always run `make otter`.",
            "When you write tests, never use mocks.",
            "If the tests fail, always stop.",
            "When the user asks for a fix, always add a test.",
            "When I say stop, always stop.",
            "never use sudo unless I say so",
            "Always ask me before you push.",
            "always say which files you changed",
            "From now on, always tell me what you ran.",
            "we prefer tabs, always",
            "never write comments that say what the code does",
        ] {
            assert!(!is_reported(sentence), "{sentence}");
        }
    }

    #[test]
    fn an_order_is_told_from_the_same_words_in_a_question_a_case_the_past_a_joke_or_somebody_elses_mouth() {
        for sentence in [
            "use pnpm, not npm",
            "please run the linter too.",
            "we always use tabs here",
            "don't use any type in typescript from now on",
            "stop adding comments",
        ] {
            assert!(is_plain_order(sentence), "{sentence}");
        }
        for sentence in [
            "should we always use tabs?",
            "always use tabs？",
            "do you think we should never use classes?",
            "why do you always use spaces?",
            "do we always use tabs",
            "if I were you I would never write tests, haha",
            "never write tests, haha",
            "Always force-push ;)",
            "it would be nice if we could always use tabs but no",
            "I used to always use vim",
            "we used to always use npm",
            "my boss says always deploy on friday, which is silly",
            "always deploy by hand, Bob thinks",
            "never commit on Monday was the rule",
            "I'd like to see your plans and confirm them each time",
            "The button should always be blue.",
            "always do it like this",
        ] {
            assert!(!is_plain_order(sentence), "{sentence}");
        }
    }

    #[test]
    fn who_repeats_or_wishes_says_it_themselves() {
        for sentence in [
            "I told you to never push to main",
            "as I said, always run the tests",
            "I'd like you to always run the tests before a commit",
            "never use sudo unless I say so",
        ] {
            assert!(is_own_statement(sentence) && is_meant(sentence), "{sentence}");
        }
        for sentence in
            ["Bob thinks we should always use tabs.", "Should we always use tabs?", "the README said so"]
        {
            assert!(!is_own_statement(sentence), "{sentence}");
        }
    }
}
