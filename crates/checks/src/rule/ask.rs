//! A person's words as a line that the person is asked about: a rule where they can be turned into one that needs nothing beside it, else a
//! quotation, so that nobody takes chat for a rule.

use std::collections::BTreeSet;

use crate::orders::base_of_gerund;
use crate::signal::{ASKED, Besides, weigh};
use crate::text::{self, pattern};

use super::restate::LONGEST_RULE_CHARS;
use super::{reads_as_rule, restate_as_rule, shape};

const LEAD_IN: &str = r"^(?:(?:but|and|so|wait|no|hey|ok|okay|again|yes|well|also|um+)\b[\s,.!…-]*)*";
pattern!(
    WHY_DOING,
    &format!(
        r"{LEAD_IN}why (?:are|were) (?:you|u|we|the agent|claude) (?:still |always |even |just )?([a-z]+ing)\b(.*)$"
    )
);
pattern!(
    WHY_DONE,
    &format!(
        r"{LEAD_IN}why (?:did|do|would) (?:you|u|we|the agent|claude) (?:still |always |even |just |keep )?([a-z]+)\b(.*)$"
    )
);
pattern!(
    WHY_NOT_DONE,
    &format!(
        r"{LEAD_IN}why (?:didn't|didnt|don't|dont|did|do) (?:you|u|we|the agent|claude)(?: not)? ([a-z]+)\b(.*)$"
    )
);
pattern!(THOUGHT, &format!(r"{LEAD_IN}i thought (?:that )?we (?:were|are) ([a-z]+ing)\b(.*)$"));
pattern!(
    LEFT_OUT,
    &format!(
        r"{LEAD_IN}you (?:did not|didn't|didnt|forgot to|keep forgetting to|always forget to) ([a-z]+)\b(.*)$"
    )
);
pattern!(
    NEED_NOT,
    &format!(
        r"{LEAD_IN}(?:you (?:don't|dont|do not) (?:need|have) to|there(?: is|'s) no need to) ([a-z]+)\b(.*)$"
    )
);
// What follows is about the moment, or gives the reason.
pattern!(
    TAIL,
    r"(?i)(?:\?|[,;]? (?:just now|for (?:this|the) task|this time|again|right now|now|here)\b|, (?:not|i|i'll|i'm|but|and|since|because|as)\b|\. ).*$"
);

/// Shorter words behind "why did you" are no verbs that say something: "do", "go".
const MIN_VERB_CHARS: usize = 3;

/// Fewer words, or words that name nothing, say nothing without the conversation: "you should be".
const LEAST_WORDS: usize = 4;

// A question, be it with its mark or without.
pattern!(
    ASKS,
    &format!(
        r"[?？؟]|{LEAD_IN}(?:now |then )?(?:why|how|what|where|who)\b|{LEAD_IN}(?:now |then )?(?:will|would|could|can|should|is|are|was|were|does|did|has)(?:n't|nt)? (?:i|we|you|it|he|she|they|the|this|that|there|these|those|our|my|your|any)\b"
    )
);
// The second half of what somebody says.
pattern!(GOES_ON, r"^(?:otherwise|coz|cuz|because|which|so that|whereas|although)\b");

/// The words as a line for a person to decide on; `None` when they are no single line, or nobody would want to read them as one. As a rule they
/// speak for themselves; a quotation must not be a question, a part of a sentence, or words for the work at hand.
pub fn worded_to_ask(quote: &str) -> Option<String> {
    let line = one_line(quote)?;
    let weighed = weigh(&line, &BTreeSet::new());
    if weighed.is_passing() { None } else { worded(&line, weighed.has_ground()) }
}

/// The same for words that came again in another session: that is ground enough.
pub fn worded_to_ask_again(quote: &str) -> Option<String> {
    worded(&one_line(quote)?, true)
}

fn worded(line: &str, has_ground: bool) -> Option<String> {
    let lower = line.to_lowercase().replace('’', "'");
    let may_be_quoted = has_ground && !ASKS.is_match(&lower) && !GOES_ON.is_match(&lower);
    as_rule(line).or_else(|| quoted(line).filter(|quoted| may_be_quoted && !quoted.ends_with(CUT)))
}

/// Whether a person would be asked about words that were said once; `corrects`: against what the agent had just done.
pub fn is_worth_asking(quote: &str, corrects: bool) -> bool {
    let besides = corrects.then_some(Besides::Corrects).into_iter().collect();
    weigh(quote, &besides).points() >= ASKED && worded_to_ask(quote).is_some()
}

/// The words as a line that a person was ever asked about, also where nobody would be today.
pub fn worded_before(quote: &str) -> Option<String> {
    let line = one_line(quote)?;
    as_rule(&line).or_else(|| quoted(&line))
}

fn as_rule(line: &str) -> Option<String> {
    restate_as_rule(line).filter(|rule| reads_as_rule(rule)).or_else(|| from_reproach(line))
}

/// A quote that is a single line, as a line of a memory file may hold it.
fn one_line(quote: &str) -> Option<String> {
    let line = quote.trim().trim_start_matches(['-', '*', '+', '•', ' ']);
    if line.is_empty() || line.contains('\n') {
        return None;
    }
    Some(line.split_whitespace().map(without_mention).collect::<Vec<_>>().join(" "))
}

/// A file that is handed over with the message is named and no more: in a memory file its mark would mean an import.
fn without_mention(word: &str) -> String {
    let Some(name) = word.strip_prefix('@').filter(|name| !name.is_empty()) else { return word.to_owned() };
    let bare = name.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
    let marks = name.get(bare.len()..).unwrap_or_default();
    if bare.contains("://") || bare.contains('`') { name.to_owned() } else { format!("`{bare}`{marks}") }
}

/// The rule behind a complaint: "why are you editing main?" wants main not to be edited.
fn from_reproach(line: &str) -> Option<String> {
    let lower = line.to_lowercase().replace('’', "'");
    let order = |pattern: &crate::text::Pattern, front: &str, is_gerund: bool| {
        let found = pattern.captures(&lower)?;
        let verb = found.get(1)?.as_str();
        let verb = if is_gerund || verb.ends_with("ing") { base_of_gerund(verb)? } else { verb.to_owned() };
        if verb.len() < MIN_VERB_CHARS {
            return None;
        }
        // Names keep their case where lower case has not changed where they stand.
        let rest = line.get(found.get(2)?.start()..).filter(|_| lower.len() == line.len())?;
        Some(format!("{front}{verb}{}", TAIL.replace_all(rest, "")))
    };
    let rule = order(&WHY_NOT_DONE, "", false)
        .filter(|_| !WHY_DONE.is_match(&lower) || lower.contains(" not "))
        .or_else(|| order(&WHY_DOING, "do not ", true))
        .or_else(|| order(&WHY_DONE, "do not ", false))
        .or_else(|| order(&THOUGHT, "", true))
        .or_else(|| order(&LEFT_OUT, "", false))
        .or_else(|| order(&NEED_NOT, "no need to ", false))?;
    let rule = rule.trim_end_matches([' ', '.', '!', '?', ',', ';']);
    let stands = rule.split_whitespace().count() > 1 + usize::from(rule.starts_with("do not "))
        && !shape::points_outside(rule);
    stands.then(|| sentence(rule)).filter(|rule| reads_as_rule(rule))
}

/// What stands behind words that were cut off, …
const CUT: &str = " …”";
/// … and in front of words that are no rule.
const QUOTED: &str = "In the person's words: “";

/// The person's words in a line that quotes them; any other line as it is.
pub fn without_quotation(line: &str) -> &str {
    line.strip_prefix(QUOTED).and_then(|words| words.strip_suffix('”')).unwrap_or(line)
}

/// The words as a quotation, if they say something by themselves.
fn quoted(line: &str) -> Option<String> {
    if text::content_stems(line).is_empty() || line.split_whitespace().count() < LEAST_WORDS {
        return None;
    }
    let room = LONGEST_RULE_CHARS - QUOTED.chars().count() - 3;
    let mut words = line.to_owned();
    if words.chars().count() > room {
        words = words.chars().take(room).collect();
        words.truncate(words.rfind(' ').unwrap_or(words.len()));
        words.push_str(" …");
    }
    Some(format!("{QUOTED}{words}”"))
}

/// The words as one sentence.
fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first =
        chars.next().map(|c| if words.starts_with('`') { c.to_string() } else { c.to_uppercase().collect() });
    let line = format!(
        "{}{}",
        first.unwrap_or_default(),
        chars.as_str().trim_end_matches([' ', ':', ',', ';', '-'])
    );
    if line.ends_with(['.', '!', '?', '…']) { line } else { format!("{line}.") }
}

#[cfg(test)]
mod tests {
    use super::{without_quotation, worded_before, worded_to_ask};

    #[test]
    fn a_complaint_becomes_the_rule_that_it_is_about() {
        for (quote, expect) in [
            (
                "why are you editing files in the main workspace, not the session repo?",
                "Do not edit files in the main workspace.",
            ),
            ("why did you use npm?", "Do not use npm."),
            ("why didnt you use `minsky` just now?", "Use `minsky`."),
            ("why did you not run the tests?", "Run the tests."),
            ("I thought we were using Vitest everywhere?", "Use Vitest everywhere."),
            ("you forgot to update the changelog", "Update the changelog."),
            ("You don't need to explain, I will test it.", "No need to explain."),
            ("why do you keep deleting the cache?", "Do not delete the cache."),
            ("always see @https://example.com/rules", "Always see https://example.com/rules."),
            ("follow the format of @docs/tasks.md", "Follow the format of `docs/tasks.md`."),
            ("oui, toujours en français", "In the person's words: “oui, toujours en français”"),
            ("don't tell me, do it yourself", "In the person's words: “don't tell me, do it yourself”"),
            (
                "we're not installing mods or so..",
                "In the person's words: “we're not installing mods or so..”",
            ),
        ] {
            assert_eq!(worded_to_ask(quote).as_deref(), Some(expect), "{quote}");
        }
        assert_eq!(worded_to_ask("a\nb"), None);
        let quoted = worded_to_ask("oui, toujours en français").unwrap();
        assert_eq!(without_quotation(&quoted), "oui, toujours en français");
        assert_eq!(without_quotation("Use tabs."), "Use tabs.");
        assert_eq!(worded_to_ask("you should be"), None, "it says nothing by itself");
        let long = format!("I always like {}", "very long names ".repeat(60));
        assert_eq!(worded_to_ask(&long), None, "nobody says yes to half a sentence");
        let long = worded_before(&long).unwrap();
        assert!(long.chars().count() <= 200 && long.ends_with(" …”"), "{long}");
    }

    #[test]
    fn nobody_is_asked_about_a_question_or_about_words_for_the_work_at_hand() {
        for quote in [
            "why is the agent executing weird python?",
            "so now will the new layout be used if i restart",
            "Would it be right to say that we should always do it?",
            "docker is running but the start script returns",
            "one last test before we merge",
            "Set the server to run on another port in this project.",
            "but no commit in the main branch?!",
            "shouldn't there be something on the left",
            "otherwise this should never be the case",
            "i cannot find the demo file in the main branch",
            "Let's set vite to run on another port in this project.",
            "I would like to have the option to map a chart of accounts",
            "You are working in the billing monorepo.",
        ] {
            assert_eq!(worded_to_ask(quote), None, "{quote}");
        }
        for quote in [
            "i commit by hand, leave git alone",
            "we're not installing mods or so..",
            "oui, toujours en français",
        ] {
            assert!(worded_to_ask(quote).is_some(), "{quote}");
        }
    }
}
