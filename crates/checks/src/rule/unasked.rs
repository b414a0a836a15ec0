//! Which wishes may become a line without asking: those that say themselves that they last, and need nothing beside them.

use crate::text::pattern;

use super::restate_as_rule;

// Said for good, in so many words.
pattern!(
    FOR_GOOD,
    r"(?i)\b(?:always|never|from now on|going forward|from here on|in (?:the )?future|every ?time|each time|whenever you|at all times|under no circumstances|as a (?:general )?rule|by default|no exceptions|until further notice|don'?t ever|do not ever|ab jetzt|ab sofort|von nun an|in zukunft|künftig|nie wieder|immer|niemals|a partir de ahora|de ahora en adelante|siempre|nunca|désormais|dorénavant|à partir de maintenant|toujours|jamais|d'ora in poi|sempre|daqui em diante)\b"
);
// Words for something that only the conversation knows.
pattern!(
    POINTS,
    r"(?i)\b(?:this|these|those|them|there|such|above|below|the same|that (?:one|file|way|mistake|rule|thing)|like (?:that|it)|again|right now|just now|today|yet)\b(?:[^-]|$)|^\W*(?:\S+\s+){0,3}(?:it|that)\b(?:[^'’-]|$)"
);
// What people or the product do, not how the agent works.
pattern!(
    OF_THE_PRODUCT,
    r"(?i)\b(?:i|we|they|he|she|users?|someone|customers?|visitors?|players?) (?:click|tap|press|open|select|choose|scroll|hover|drag|log|sign|visit|type|enter|submit|upload|download|win|lose|rename|pick)\w*\b|\b(?:button|pop-?up|modal|dialog|menu|screen|sidebar|navbar|header|footer|tooltip|animation|background|font|banner|homepage|landing page|dashboard)s?\b"
);
// What is wanted of the person, or told about the person.
pattern!(
    OF_THE_PERSON,
    r"(?i)^\W*(?:(?:from now on|going forward|in (?:the )?future|so|and|ok(?:ay)?|yes|no)[\s,]+)*(?:i|i'm|i am|i'll|i've|my)\b|\b(?:lmk|let me know|remind me|tell me|show me|i am just|i'm just)\b"
);
// Talk about the rules themselves, which are not what they say.
pattern!(
    OF_THE_RULES,
    r"(?i)\b(?:add|update|write|put|change|save|record|document) (?:\S+ ){0,4}(?:rules?|memory|guidelines?|instructions|claude\.md|agents\.md)\b"
);

/// Whether a person's words may become a line of the memory without asking: an order for good, in words that stand alone, about the
/// way of working. Everything else is asked first: a line that nobody wanted costs more than a question.
pub fn may_enter_unasked(quote: &str) -> bool {
    let Some(rule) = restate_as_rule(quote) else { return false };
    FOR_GOOD.is_match(quote)
        && !POINTS.is_match(&rule)
        && ![&*OF_THE_PRODUCT, &*OF_THE_PERSON, &*OF_THE_RULES].iter().any(|about| about.is_match(quote))
}

#[cfg(test)]
mod tests {
    use super::may_enter_unasked;

    #[test]
    fn an_order_for_good_that_stands_alone_enters() {
        for quote in [
            "Always run the tests before you commit.",
            "from now on use pnpm, not npm",
            "Never push to main directly",
            "please don't ever commit .env files",
            "no, always use `uv` instead of pip",
            "In future, put migrations into db/migrate.",
            "When you add a dependency, always pin it.",
        ] {
            assert!(may_enter_unasked(quote), "{quote}");
        }
    }

    #[test]
    fn what_lacks_something_is_asked() {
        for quote in [
            "use pnpm, not npm",
            "Make sure everything is green.",
            "always do it like this",
            "never do that again",
            "Whenever I press save, the list should always be sorted.",
            "The button should always be blue.",
            "I always test on my machine first.",
            "Add a rule to CLAUDE.md to always run the tests.",
            "Remind me to always bring coffee",
            "from now on I will only give short orders",
        ] {
            assert!(!may_enter_unasked(quote), "{quote}");
        }
    }
}
