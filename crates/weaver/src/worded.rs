//! Whether a rule that a model worded rests on what a person typed.

use subcortex_checks::{Grounds, restate_as_rule};

use crate::updater::{contradicts, gates};

/// Of the telling words of a rule, one in so many has to be the person's own.
const ONE_OWN_WORD_IN: usize = 2;

/// How a rule stands to the words that it was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Footing {
    /// It may say them otherwise, and it names nothing that they do not name.
    Rests,
    /// A person has to see it first, and why.
    Loose(&'static str),
    /// It cannot be shown as their wish, and why.
    Unfit(&'static str),
}

/// Holds a rule against the words that it was made of.
pub(crate) fn footing(rule: &str, said: &str) -> Footing {
    match unfit(rule, said) {
        Err(why) => Footing::Unfit(why),
        Ok(()) => match loose(rule, said) {
            Err(why) => Footing::Loose(why),
            Ok(()) => Footing::Rests,
        },
    }
}

/// Says why a rule cannot be shown as the wish of whoever said this.
fn unfit(rule: &str, said: &str) -> Result<(), &'static str> {
    gates::admit(rule, &|_| false)?;
    if gates::is_sensitive(rule) && !gates::is_sensitive(said) {
        return Err("it brings in permissions, credentials or recipients");
    }
    let known = Grounds::of(said);
    let mut names = rule.split_whitespace().map(bare).filter(|word| !word.is_empty() && !is_plain(word));
    // The first word of a sentence is no name for its capital letter.
    let first = rule.split_whitespace().next().map_or("", bare);
    let mut code = rule.split('`').skip(1).step_by(2);
    if !code.all(|code| known.names(code))
        || !names.all(|name| known.names(name) || (name == first && is_word(name)))
    {
        return Err("it names something that the person did not name");
    }
    if said.lines().any(|sentence| contradicts(sentence, rule) || is_opposite(sentence, rule)) {
        return Err("it says the opposite of what the person said");
    }
    Ok(())
}

/// Says why a person has to see a rule before it is one.
fn loose(rule: &str, said: &str) -> Result<(), &'static str> {
    if rule.trim() != rule || restate_as_rule(rule).is_none() {
        return Err("it is no rule that stands alone");
    }
    let known = Grounds::of(said);
    let words = rule.split_whitespace().map(bare).filter(|word| !word.is_empty() && is_plain(word));
    let telling: Vec<&str> = words.filter(|word| !gates::is_usual(word)).collect();
    let own = telling.iter().filter(|word| known.means(word)).count();
    if own * ONE_OWN_WORD_IN < telling.len() {
        return Err("it says more than the person did");
    }
    Ok(())
}

/// Says why a rule does not rest on these words.
pub(crate) fn rests_on(rule: &str, said: &str) -> Result<(), &'static str> {
    match footing(rule, said) {
        Footing::Rests => Ok(()),
        Footing::Loose(why) | Footing::Unfit(why) => Err(why),
    }
}

/// Whether a rule is a sentence with a ban put in or taken out.
fn is_opposite(sentence: &str, rule: &str) -> bool {
    const BANS: [&str; 5] = ["never", "not", "don't", "dont", "do"];
    const LEAD_IN: [&str; 9] = ["please", "always", "from", "now", "on", "you", "must", "should", "ever"];
    let plain = |text: &str| {
        let lower = text.to_lowercase().replace('’', "'");
        let words: Vec<String> = lower.split_whitespace().map(|word| bare(word).to_owned()).collect();
        let (bans, rest): (Vec<String>, Vec<String>) = words
            .into_iter()
            .filter(|word| !word.is_empty() && !LEAD_IN.contains(&word.as_str()))
            .partition(|word| BANS.contains(&word.as_str()));
        (bans.iter().any(|word| word != "do"), rest)
    };
    let ((said_ban, said), (rule_ban, rule)) = (plain(sentence), plain(rule));
    said_ban != rule_ban && said == rule
}

/// Says why a rule leaves out that the words forbid something: an order in their place would be the opposite.
pub(crate) fn keeps_bans(rule: &str, said: &str) -> Result<(), &'static str> {
    match forbids(said) && !forbids(rule) {
        true => Err("the person's words forbid something or deny it, and the rule does not: use their words"),
        false => Ok(()),
    }
}

fn forbids(text: &str) -> bool {
    const BANS: [&str; 16] = [
        "not",
        "never",
        "cannot",
        "dont",
        "nor",
        "neither",
        "nobody",
        "stop",
        "quit",
        "avoid",
        "wrong",
        "forbidden",
        "unless",
        "except",
        "without",
        "nothing",
    ];
    let lower = text.to_lowercase().replace('’', "'");
    lower.split_whitespace().map(bare).any(|word| BANS.contains(&word) || word.ends_with("n't"))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, '`' | '\'' | '"' | '(' | ')' | ',' | ';' | ':' | '.' | '!' | '?'))
}

/// A word of the language, not a name: letters, and no capital.
fn is_plain(word: &str) -> bool {
    is_word(word) && !word.chars().any(char::is_uppercase)
}

fn is_word(word: &str) -> bool {
    word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'))
}

#[cfg(test)]
mod tests {
    use super::{Footing, footing};

    #[test]
    fn a_rule_may_say_it_otherwise_and_names_nothing_new() {
        let cases = [
            ("Run `make lint` before committing.", "why did you commit without make lint again??", "rests"),
            (
                "Show your plan and wait for confirmation.",
                "I'd like to see your plans and confirm them each time",
                "rests",
            ),
            ("Use pnpm, not npm.", "ugh, npm again. we're on pnpm here", "rests"),
            ("Use Vitest for tests.", "please write tests with vitest", "rests"),
            (
                "Use yarn for tests in `web/`.",
                "please write tests with vitest",
                "it names something that the person did not name",
            ),
            (
                "Always deploy databases after refactoring modules.",
                "keep it short please",
                "it says more than the person did",
            ),
            (
                "Run the tests with sudo.",
                "run the tests",
                "it brings in permissions, credentials or recipients",
            ),
            ("Push to main.", "never push to main", "it says the opposite of what the person said"),
            ("Never run the tests.", "Run the tests.", "it says the opposite of what the person said"),
            ("this", "this", "it is no rule that stands alone"),
            ("Read @secrets.md first", "read secrets first", "it holds an import"),
        ];
        for (rule, said, expect) in cases {
            let found = match footing(rule, said) {
                Footing::Rests => "rests",
                Footing::Loose(why) | Footing::Unfit(why) => why,
            };
            assert_eq!(found, expect, "{rule} / {said}");
        }
    }
}
