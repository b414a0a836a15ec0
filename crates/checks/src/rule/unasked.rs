//! Which wishes may become a line without asking: those for which enough speaks, in words that need nothing beside them and that are understood
//! as a test. "The popup must never steal focus" says as firmly as "never push to main" that it is for good, and is about the product;
//! whoever cannot tell what would break a rule cannot tell either whether it is one.

use std::collections::BTreeSet;

use crate::reading::compile;
use crate::signal::{ENTERS, weigh};
use crate::text::pattern;

use super::restate_as_rule;

// Words for something that only the conversation knows.
pattern!(
    POINTS,
    r"(?i)\b(?:this|these|those|them|there|such|above|below|the same|that (?:one|file|way|mistake|rule|thing)|like (?:that|it)|again|right now|just now|today|yet)\b(?:[^-]|$)|\b(?:things?|stuff)\W*$|^\W*(?:\S+\s+){0,3}(?:it|that)\b(?:[^'’-]|$)"
);
// What is wanted of the person, or told about the person.
pattern!(
    OF_THE_PERSON,
    r"(?i)^\W*(?:(?:from now on|going forward|in (?:the )?future|so|and|ok(?:ay)?|yes|no)[\s,]+)*(?:i|i'm|i am|i'll|i've|my)\b|\b(?:lmk|let me know|remind me|tell me|show me|i am just|i'm just)\b"
);
// Talk about the rules themselves, which are not what they say.
pattern!(
    OF_THE_RULES,
    r"(?i)\b(?:add|update|write|put|change|save|record|document|make|create|mention|define|call) (?:\S+ ){0,4}(?:rules?|memory|guidelines?|instructions|claude\.md|agents\.md)\b"
);
// A rule speaks to whoever reads it; chat speaks of the two who talk.
pattern!(
    CHAT,
    r"(?i)\bi (?:told|said|mention\w*|meant?|think|guess|asked|see|saw)\b|\b(?:u|ur|pls|plz|btw|lol|thx|as always|like always)\b"
);

// What was done, what is nice, what somebody plays: none of it orders anything.
pattern!(
    TELLS,
    r"(?i)\b(?:always|never)\s+(?:have|has|had|been|was|were|(?:so |a |such |very |really )*(?:nice|fun|good|great|funny|lovely|cool|interesting|annoying|pleasure|joy|happy|sad|risky|scary|wise|smart))\b"
);

// What is left out here was done just before: "not on main!", "not with sudo".
pattern!(
    LACKS_ITS_DEED,
    r"(?i)^\W*only (?:after|when|if|once|before|until|unless) [^,;:]*$|^\W*not (?:on|in|into|to|with|from|for|at|by|like|via|through|under|over)\b[^,;:]*$"
);

// What nobody needs or has in mind is no order, and what somebody would like to have is a wish for the product; "as well" adds to what was
// spoken of.
pattern!(
    NO_ORDER,
    r"(?i)^\W*(?:do not|don'?t) (?:need|know|think|understand|mind|believe|remember)\b|^\W*have (?:a|an|the|some) |^\W*also\b|\bas well\b"
);

/// Whether words are a rule for somebody who has not seen the message: they point at nothing outside of them, and tell what to do and not of
/// the person or of the rules themselves.
pub fn reads_as_rule(words: &str) -> bool {
    let Some(rule) = restate_as_rule(words) else { return false };
    let is_chat =
        [&*POINTS, &*CHAT, &*TELLS, &*LACKS_ITS_DEED, &*NO_ORDER].iter().any(|chat| chat.is_match(&rule));
    !is_chat && ![&*OF_THE_PERSON, &*OF_THE_RULES].iter().any(|about| about.is_match(words))
}

// For how long it holds, and where: an order for good has no end, and what holds in one place is for the person to say.
pattern!(
    LIMITED,
    r"(?i)\b(?:until|till|while|during|as long as|for (?:the |this |these |those |a )?(?:next|coming|following|rest|few|couple|moment|time being|day|week|month|sprint|\d+|two|three)|this (?:time|week|month|sprint|session|once))\b"
);
pattern!(
    IN_ONE_PLACE,
    r"(?i)\b(?:in|on|of|for|to) (?:the|a|an|our|my|your|their) (?:\w+ ){0,2}?(?:readme|tutorial|text|texts|demo|video|slides?|talk|post|article|blog|docs?|documentation|manual|guide|examples?|samples?|screenshots?|page|pages|site|website|screen|dialog|form|app|mail|e-?mails?|newsletter|letter|paper|report|book|chapter|ticket|issue)\b"
);

/// Whether words are a rule that can be tested as it stands, here and for good.
pub fn is_understood(words: &str) -> bool {
    let is_more = [&*LIMITED, &*IN_ONE_PLACE].iter().any(|more| more.is_match(words));
    !is_more && restate_as_rule(words).is_some_and(|rule| compile(&rule, &[]).testable)
}

/// Whether words say themselves that they are for good, as a rule that needs nothing beside it.
pub fn is_order_for_good(quote: &str) -> bool {
    weigh(quote, &BTreeSet::new()).points() >= ENTERS && reads_as_rule(quote)
}

/// Whether a person's words, said once, may become a line of the memory without asking: a line that nobody wanted costs more than a
/// question.
pub fn may_enter_unasked(quote: &str) -> bool {
    is_order_for_good(quote) && is_understood(quote)
}

#[cfg(test)]
mod tests {
    use super::{may_enter_unasked, reads_as_rule};

    #[test]
    fn an_order_for_good_that_stands_alone_enters() {
        for quote in [
            "Always run the tests before you commit.",
            "from now on use pnpm, not npm",
            "Never push to main directly",
            "please don't ever commit .env files",
            "no, always use `uv` instead of pip",
            "From now on, never edit `vendor/`.",
        ] {
            assert!(may_enter_unasked(quote), "{quote}");
        }
    }

    #[test]
    fn words_without_their_deed_are_no_rule() {
        for words in [
            "not on main",
            "not on main!! branch",
            "from now on not with sudo",
            "please not like that",
            "only after you have updated the documentation",
            "we do not need docker for the api logs",
            "i would like to have a second template instead",
            "add the two gaps as well",
        ] {
            assert!(!reads_as_rule(words), "{words}");
        }
        for words in ["not on main, always on a branch", "do not push to main", "use uv, not pip"] {
            assert!(reads_as_rule(words), "{words}");
        }
    }

    #[test]
    fn what_lacks_something_is_asked() {
        for quote in [
            "use pnpm, not npm",
            "When you add a dependency, always pin it.",
            "Make sure everything is green.",
            "always do it like this",
            "never do that again",
            "Whenever I press save, the list should always be sorted.",
            "The button should always be blue.",
            "I always test on my machine first.",
            "Add a rule to CLAUDE.md to always run the tests.",
            "Remind me to always bring coffee",
            "from now on I will only give short orders",
            "and never edit package.json by hand i told u",
            "Always make this a rule.",
            "In future, put migrations into db/migrate.",
            "The popup must never steal focus from the editor.",
            "bot should never ban mods even if they trip the filter",
            "Never block the UI, use a background job.",
            "returns must be subtracted, never counted as separate sales",
            "Never send the same mail twice!",
            "always log the user out after five minutes",
            "You should never have pushed to main.",
            "never have I ever pushed to main",
            "always nice to run `make lint` before you commit",
            "always fun to use `git push --force`",
            "From now on, use pnpm, not npm, for the next two commits.",
            "Never push to main until Friday.",
            "Use pnpm, not npm, in the tutorial text from now on.",
            "use pnpm, not npm, from now on in the demo video",
            "Use pnpm, not npm, in the README from now on.",
            "We should not show drafts in this project, only published pages, as a guideline.",
        ] {
            assert!(!may_enter_unasked(quote), "{quote}");
        }
    }
}
