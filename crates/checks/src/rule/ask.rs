//! A person's words as a line that the person is asked about: a rule where they can be turned into one, else as they were said.

use crate::line::base_of_gerund;
use crate::text::pattern;

use super::restate::LONGEST_RULE_CHARS;
use super::{restate_as_rule, shape};

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

/// The words as a line for a person to decide on; `None` when they are no single line.
pub fn worded_to_ask(quote: &str) -> Option<String> {
    let line = quote.trim().trim_start_matches(['-', '*', '+', '•', ' ']);
    if line.is_empty() || line.contains('\n') {
        return None;
    }
    let line = line.split_whitespace().map(without_mention).collect::<Vec<_>>().join(" ");
    restate_as_rule(&line).or_else(|| from_reproach(&line)).or_else(|| Some(as_said(&line)))
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
    stands.then(|| as_said(rule))
}

/// The words as one sentence that is not too long.
fn as_said(words: &str) -> String {
    let mut chars = words.chars();
    let first =
        chars.next().map(|c| if words.starts_with('`') { c.to_string() } else { c.to_uppercase().collect() });
    let line = format!(
        "{}{}",
        first.unwrap_or_default(),
        chars.as_str().trim_end_matches([' ', ':', ',', ';', '-'])
    );
    if line.chars().count() >= LONGEST_RULE_CHARS {
        let mut kept: String = line.chars().take(LONGEST_RULE_CHARS - 2).collect();
        kept.truncate(kept.rfind(' ').unwrap_or(kept.len()));
        return format!("{kept} …");
    }
    if line.ends_with(['.', '!', '?', '…']) { line } else { format!("{line}.") }
}

#[cfg(test)]
mod tests {
    use super::worded_to_ask;

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
            ("see @https://example.com/rules first", "See https://example.com/rules first."),
            ("follow the format of @docs/tasks.md", "Follow the format of `docs/tasks.md`."),
            ("oui, toujours en français", "Oui, toujours en français."),
            ("Why don't you add it yourself?", "Add it yourself."),
        ] {
            assert_eq!(worded_to_ask(quote).as_deref(), Some(expect), "{quote}");
        }
        assert_eq!(worded_to_ask("a\nb"), None);
        let long = worded_to_ask(&format!("I like {}", "very ".repeat(60))).unwrap();
        assert!(long.chars().count() <= 200 && long.ends_with(" …"), "{long}");
    }
}
