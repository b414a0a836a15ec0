//! Whether a wish stands alone in its message: then it is the person's own order, and not a text that the message hands over.
//!
//! People pass texts on in any language and in many ways: behind "the README says:", below "Dear customer,", above "translate the above", with a
//! name below. No list knows them all. So it is the other way round: a wish stands alone where nothing is beside it but what
//! people say around an order of their own. Everything else is no reason to doubt that somebody typed it, but one to ask.

use std::collections::BTreeSet;

use super::reasons::{ENTERS, weigh};
use crate::orders::is_order_word;
use crate::text::{pattern, sentences};

/// The longest beginning of a wish, up to its colon, in bytes.
const MAX_HEAD_BYTES: usize = 120;
/// More sentences than these around a wish are a text.
const MAX_BESIDE: usize = 4;

// What is said before an order: short reactions.
pattern!(
    BEFORE,
    r"(?ix)^\W*(?:(?:no|nope|nah|yes|yep|yeah|ok|okay|hey|hi|hm+|wait|stop|well|please|thanks|thank\syou|great|good|nice|perfect|cool|right|wrong|sorry|ugh|argh|come\son|actually|btw|by\sthe\sway
        |good\s(?:job|work|catch)|not\s(?:good|again|like\s(?:this|that))|(?:that|this)(?:'s|\sis)\s(?:wrong|not\s(?:right|good|ok|okay|it|what\si\s(?:want|asked|meant)(?:ed)?(?:\sfor)?)))\b[\s,.!]*)+$
      | ^\W*(?:(?:not|no|wrong|really|seriously|and|oh\sno)[\s,]+)?again\W*$"
);
// The reasons by which a sentence about the agent is a complaint about what it did. "Can you translate this?" is none.
const COMPLAINS: [&str; 2] = ["reproach", "asks-why"];
pattern!(
    TO_THE_AGENT,
    r"(?i)\b(?:you|u|your)\b|\bi(?:['’]ve| have)? (?:already |just |clearly )?(?:said|told|asked)\b|^\W*stop \w+ing\b"
);
// What points at a text: a complaint that does may be about what follows.
pattern!(
    POINTS_AT_TEXT,
    r"(?i)\b(?:this|these|those|below|above|following|mail|email|message|text|note|comment|readme|docs?|wiki)\b"
);
// Where an order for good begins, and what may stand before it in its sentence.
pattern!(
    FOR_GOOD,
    r"(?i)\b(?:from now on|going forward|from here on(?: out)?|in (?:the )?future|always|never|don['’]t ever|do not ever|ab jetzt|ab sofort|von nun an|désormais|à partir de maintenant|a partir de ahora|de ahora en adelante)\b[\s,:]*"
);
pattern!(
    OPENS,
    r"(?ix)^\W*(?:(?:ok|okay|so|and|but|please|pls|hey|hi|no|nope|yes|also|well|then|just|again|actually|remember(?:\sto)?|note|important|right|thanks|sorry|stop|you|we|i|claude|codex
        |should|must|shall|need\sto|have\sto|has\sto|want(?:\syou|\sus)?(?:\sto)?|would\slike(?:\syou|\sus)?(?:\sto)?|['’]d\slike(?:\syou|\sus)?(?:\sto)?|let['’]?s|make\ssure(?:\sto|\syou|\sthat\syou)?|be\ssure\sto|(?:one|another)\s(?:more\s)?(?:rule|thing)|(?:new|general)\srule
        |(?:in|for|on|at|with|when|whenever|before|after|if|while|during|within|under|inside|until|unless|as\sa\srule)\b[^,;.!?—–>]{1,80})[\s,:.!-]*)*$"
);
pattern!(ROLE, r"(?i)^\W*you(?:['’]re| are) (?:an?|the)\b");
// What is said behind an order.
pattern!(
    BEHIND,
    r"(?i)^\W*(?:(?:please|pls|thanks|thank you|thx|cheers|ok|okay|got it|understood|clear|and|so|a lot|very much|in advance)\b[\s,.!?]*)+$"
);
// What announces an order of one's own.
pattern!(
    OWN_HEAD,
    r"(?i)^\W*(?:(?:ok|okay|so|and|please|hey|no)[,\s]+)*(?:from now on|going forward|in (?:the )?future|as a rule|(?:a |one )?(?:new|another|more|general|standing|last) (?:rule|thing|wish|preference|instruction)|(?:one|another) more (?:rule|thing)|my (?:rule|preference)s?|rule|remember(?: (?:this|that))?|(?:please )?(?:add|put|write|save|note) (?:this|that|it)?\s?(?:down|(?:in)?to (?:your |the |my )?(?:memory|rules|claude\.md|agents\.md))|i (?:said|told you)|i(?:'ve| have) (?:said|told you)(?: (?:it|this|that))?(?: \w+)?|as (?:i|we) said|how (?:many times|often) .{0,40})$"
);

/// Whether nothing stands beside a quote in its message that could make it somebody else's words.
pub fn stands_alone(message: &str, quote: &str) -> bool {
    let quote = quote.trim();
    let Some((before, behind)) = message.split_once(quote) else { return false };
    let gap = before.chars().rev().take_while(|c| c.is_whitespace()).filter(|c| *c == '\n').count();
    let is_below_a_gap = gap > 1;
    if quote.is_empty() || is_below_a_gap || has_foreign_head(quote) || begins_late(quote) {
        return false;
    }
    let (before, behind) = (beside(before), beside(behind));
    before.len() + behind.len() <= MAX_BESIDE
        && before
            .iter()
            .all(|said| BEFORE.is_match(said) || is_complaint(said) || is_own_head(said) || is_wish(said))
        && behind.iter().all(|said| BEHIND.is_match(said) || is_wish(said))
}

/// Whether something stands in front of a whole order for good that people do not begin one with: "README — from now on, use …",
/// "translate: always …", "(Bob) Never …".
fn begins_late(quote: &str) -> bool {
    let Some(found) = FOR_GOOD.find(quote) else { return false };
    let (head, rest) = (&quote[..found.start()], &quote[found.end()..]);
    let first = rest.split_whitespace().next().unwrap_or("").to_lowercase();
    let is_order = is_order_word(&first) || FOR_GOOD.find(rest).is_some_and(|again| again.start() == 0);
    is_order && !OPENS.is_match(head)
}

/// Whether this complains about what the agent did, and shows it nothing.
fn is_complaint(said: &str) -> bool {
    let weighed = weigh(said, &BTreeSet::new());
    let has = |name: &str| weighed.reasons().iter().any(|reason| reason.name == name);
    TO_THE_AGENT.is_match(said)
        && !ROLE.is_match(said)
        && COMPLAINS.iter().any(|name| has(name))
        && (has(COMPLAINS[1]) || !POINTS_AT_TEXT.is_match(said))
}

fn beside(text: &str) -> Vec<&str> {
    let parts = text.lines().flat_map(sentences).map(str::trim);
    parts.filter(|part| part.contains(char::is_alphanumeric)).collect()
}

fn is_wish(said: &str) -> bool {
    !said.ends_with([':', '：'])
        && !has_foreign_head(said)
        && weigh(said, &BTreeSet::new()).points() >= ENTERS
}

/// Whether the order stands behind a colon, and what stands in front of it is not the person's own announcement.
fn has_foreign_head(said: &str) -> bool {
    let mut in_code = false;
    let colon = said.char_indices().find(|(_, c)| {
        in_code ^= *c == '`';
        !in_code && matches!(c, ':' | '：')
    });
    let Some((at, colon)) = colon else { return false };
    let (head, rest) = (&said[..at], &said[at + colon.len_utf8()..]);
    let is_head = !rest.trim().is_empty() && rest.starts_with(char::is_whitespace) || colon == '：';
    is_head
        && weigh(head, &BTreeSet::new()).points() < ENTERS
        && !(head.len() <= MAX_HEAD_BYTES && OWN_HEAD.is_match(head.trim_end()))
}

/// Whether this announces an order of one's own.
fn is_own_head(said: &str) -> bool {
    let head = said.strip_suffix(':').filter(|head| head.len() <= MAX_HEAD_BYTES);
    head.is_some_and(|head| OWN_HEAD.is_match(head.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::stands_alone;

    const ORDER: &str = "From now on, always run `make check` before you commit.";

    #[test]
    fn an_order_stands_alone_among_what_people_say_around_one() {
        for message in [
            "{}",
            "no, {}",
            "ok. {} thanks!",
            "why did you commit that? {}",
            "You pushed without a look again. {} Please.",
            "not again. {}",
            "one more thing: {}",
            "I told you: {}",
            "{} Never push to main.",
            "Always use pnpm, not npm.\n{}",
            "you forgot the linter. {}",
            "I told you that twice. {}",
        ] {
            let message = message.replace("{}", ORDER);
            assert!(stands_alone(&message, ORDER), "{message}");
        }
        for order in [
            "From now on: use `a: b` in titles.",
            "Always use the form `type: subject`.",
            "never use npm: it is slow",
            "In this repo, always use pnpm.",
            "When you write tests, never use mocks.",
            "ok so please always ask me before you push",
            "I want you to always run the linter.",
            "Use pnpm from now on.",
            "we should never push to main",
        ] {
            assert!(stands_alone(order, order), "{order}");
        }
    }

    #[test]
    fn an_order_that_the_message_may_hand_over_does_not() {
        for message in [
            "Der README sagt: {}",
            "Mein Kollege schrieb:\n{}",
            "同事说：{}",
            "{} says the README.",
            "{} That's what Bob said.",
            "{}\n— Bob",
            "{}\n\n-- \nBob Miller\nCTO, Example Inc.",
            "{} (from the README)",
            "{}\nSource: https://example.com",
            "Dear developers,\n\n{}\n\nSincerely,\nThe platform team",
            "{}\n\nTranslate the above to French.",
            "{}\n\nis this a prompt injection?",
            "What do you think of the text below?\n\n{}",
            "ChatGPT suggests the following.\n\n{}",
            "Draft a tweet: {}",
            "Implement PROJ-12.\n\nAcceptance Criteria:\n{}",
            "npm warn deprecated x@1: {}",
            "Step 3/4 : RUN {}",
            "Collecting x\n{}",
            "My colleague wrote this. {}",
            "You are a helpful bot. {}",
            "Can you translate this to French? {}",
            "Did you see the mail of the vendor? {}",
            "You wrote this into CONTRIBUTING.md. {}",
            "You quoted Bob there. {}",
            "You must send this to Bob. {}",
            "You missed this in the README. {}",
            "The README says it again. {}",
            "Bob wrote me again. {}",
            "Can you answer this mail?\n\t\n{}",
        ] {
            let message = message.replace("{}", ORDER);
            assert!(!stands_alone(&message, ORDER), "{message}");
        }
        let headed = format!("Il a dit : {ORDER}");
        assert!(!stands_alone(&headed, &headed), "a quote is the whole sentence");
        assert!(!stands_alone("something else", ORDER));
        for head in [
            "README — ",
            "CONTRIBUTING.md - ",
            "bob> ",
            "(Bob) ",
            "Per the wiki, ",
            "grep for ",
            "translate ",
            "Quote ",
            "TODO ",
        ] {
            let whole = format!("{head}{ORDER}");
            assert!(!stands_alone(&whole, &whole), "{whole}");
        }
    }
}
