//! Whether a rule that a model or an agent worded rests on what a person typed.
//!
//! Nobody is asked about a rule that is the person's own sentence, or the same words without what people say around them: every word that
//! counts, in the same order. Whatever else such a rule says, a person sees it first, with their words beside it. What takes an order
//! of theirs back, turns it round or leaves out its condition is not shown as their wish at all.

use subcortex_checks::{Grounds, is_meant, is_plain_order, restate_as_rule, speech};

use crate::meaning_of;
use crate::updater::{contradicts, gates};

/// Of the telling words of a rule, one in so many has to be the person's own.
const ONE_OWN_WORD_IN: usize = 2;
/// The same for a rule that is only shown to them, beside their words.
const ONE_OWN_WORD_IN_A_PARAPHRASE: usize = 6;

/// How a rule stands to the words that it was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Footing {
    /// It is an order of the person, in their words.
    Rests,
    /// A person has to see it first, and why.
    Loose(&'static str),
    /// It cannot be shown as their wish, and why.
    Unfit(&'static str),
}

/// Holds a rule against the sentences that it was made of, and what else the person said beside them.
pub(crate) fn footing(rule: &str, quote: &str, said: &str) -> Footing {
    let is_own = || loose(rule, said).and_then(|()| own_words(rule, quote));
    match unfit(rule, said) {
        Err(why) => Footing::Unfit(why),
        Ok(()) => match (is_own(), turned(rule, quote)) {
            (Ok(()), _) => Footing::Rests,
            (Err(_), Err(why)) => Footing::Unfit(why),
            (Err(why), Ok(())) => Footing::Loose(why),
        },
    }
}

/// Says why a rule is not the order that these sentences are, in their words.
pub(crate) fn own_words(rule: &str, quote: &str) -> Result<(), &'static str> {
    let sentences = speech(quote);
    let [sentence] = sentences.as_slice() else { return Err("it is made of more than one sentence") };
    if !is_plain_order(sentence) {
        return Err("the person's words are no plain order");
    }
    let restated = restate_as_rule(sentence).unwrap_or_default();
    let is_same =
        |own: &str| rule == own || (weighty(rule) == weighty(own) && meaning_of(rule) == meaning_of(own));
    match is_same(&restated) || is_same(sentence) {
        true => Ok(()),
        false => Err("its words are not the person's"),
    }
}

/// Says why a rule turns an order of the person round: the one among these sentences that it shares most with.
fn turned(rule: &str, quote: &str) -> Result<(), &'static str> {
    let worded = weighty(rule);
    let shared = |order: &[String]| order.iter().filter(|word| worded.contains(word)).count();
    let orders = speech(quote).into_iter().filter(|sentence| is_meant(sentence));
    let orders = orders.map(|sentence| match restate_as_rule(sentence) {
        Some(order) => (weighty(&order), true),
        None => (weighty(sentence), false),
    });
    let Some((order, is_rule)) = orders.max_by_key(|(order, _)| shared(order)) else { return Ok(()) };
    let is_ban = |words: &[String]| words.first().is_some_and(|word| is_banning(word));
    let bans = |words: &[String]| words.iter().filter(|word| is_banning(word)).count();
    let is_turned =
        if is_rule { is_ban(&worded) != is_ban(&order) } else { is_ban(&worded) && bans(&order) == 0 };
    if is_turned || bans(&worded) < bans(&order) {
        return Err("it says the opposite of what the person said");
    }
    if order.iter().any(|word| CONDITIONS.contains(&word.as_str()) && !worded.contains(word)) {
        return Err("it leaves out a condition of the person's");
    }
    let count =
        |words: &[String], of: &[&str]| words.iter().filter(|word| of.contains(&word.as_str())).count();
    if count(&worded, OF_THE_PERSON) < count(&order, OF_THE_PERSON)
        && count(&worded, OF_THE_AGENT) > count(&order, OF_THE_AGENT)
    {
        return Err("it puts the agent in the person's place");
    }
    let once = |words: &[String], word: &String| words.iter().filter(|other| *other == word).count() == 1;
    let in_both = |words: &[String]| {
        let both = words.iter().filter(|word| once(&worded, word) && once(&order, word));
        both.cloned().collect::<Vec<String>>()
    };
    match in_both(&worded) == in_both(&order) {
        true => Ok(()),
        false => Err("it turns the order of the person's words round"),
    }
}

/// A ban, however it is worded.
const NOT: &str = "not";
/// What an order depends on: without it, it is another one.
const CONDITIONS: &[&str] = &[
    "after", "ask", "before", "except", "first", "if", "last", "only", "then", "unless", "until", "when",
    "whenever", "while", "without",
];
const OF_THE_PERSON: &[&str] = &["i", "me", "my", "mine", "we", "us", "our", "ours"];
const OF_THE_AGENT: &[&str] = &["you", "your", "yours"];

/// Words that only bind others together.
const BINDING: &[&str] = &[
    "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "of", "on", "that", "this", "to",
    "with",
];

/// The words of a rule that count: without articles, a leading "always" and what people say out of courtesy; each ban as one word.
fn weighty(text: &str) -> Vec<String> {
    const LIGHT: [&str; 5] = ["a", "an", "the", "please", "pls"];
    let lower = text.to_lowercase().replace('’', "'");
    let words = lower.split_whitespace().map(bare).filter(|word| !word.is_empty() && !LIGHT.contains(word));
    let mut found: Vec<String> = Vec::new();
    for word in words {
        let is_behind = |before: &str| found.last().is_some_and(|last| last == before);
        match word {
            "not" if is_behind("do") => {
                found.pop();
                found.push(NOT.to_owned());
            }
            "ever" if is_behind(NOT) => {}
            "always" if found.is_empty() => {}
            "never" | "don't" | "dont" => found.push(NOT.to_owned()),
            word => found.push(word.to_owned()),
        }
    }
    found
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

/// Whether hardly a telling word of a text is one that the person said: then it is somebody else's.
pub(crate) fn is_foreign(text: &str, said: &str) -> bool {
    let (own, all) = own_and_all(text, said);
    own * ONE_OWN_WORD_IN_A_PARAPHRASE < all
}

/// Whether a telling word or a name of a text is one that the person said.
pub(crate) fn shares_a_word(text: &str, said: &str) -> bool {
    let known = Grounds::of(said);
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 1);
    words.filter(|word| !gates::is_usual(word)).any(|word| known.means(word))
}

/// How many telling words of a text are the person's own, and how many there are.
fn own_and_all(text: &str, said: &str) -> (usize, usize) {
    let known = Grounds::of(said);
    let words = text.split_whitespace().map(bare).filter(|word| !word.is_empty() && is_plain(word));
    let telling: Vec<&str> = words.filter(|word| !gates::is_usual(word)).collect();
    (telling.iter().filter(|word| known.means(word)).count(), telling.len())
}

/// Says why a person has to see a rule before it is one.
fn loose(rule: &str, said: &str) -> Result<(), &'static str> {
    if rule.trim() != rule || restate_as_rule(rule).is_none() {
        return Err("it is no rule that stands alone");
    }
    let (own, all) = own_and_all(rule, said);
    if own * ONE_OWN_WORD_IN < all {
        return Err("it says more than the person did");
    }
    Ok(())
}

/// Says why a rule says more than these sentences, or something else: each word of it that counts has to be one of theirs.
pub(crate) fn says_no_more(rule: &str, quote: &str) -> Result<(), &'static str> {
    const MORE: &str = "it says more than the person did: use their words";
    unfit(rule, quote)?;
    if rule.trim() != rule || restate_as_rule(rule).is_none() {
        return Err("it is no rule that stands alone");
    }
    turned(rule, quote).and_then(|()| keeps_bans(rule, quote))?;
    let (worded, said, known) = (weighty(rule), weighty(quote), Grounds::of(quote));
    let restated: Vec<String> = speech(quote).into_iter().filter_map(restate_as_rule).collect();
    let restated = weighty(&restated.join(" "));
    let bans = |words: &[String]| words.iter().filter(|word| is_banning(word)).count();
    // Who states how things are gives no verb for the order that it is.
    let is_verb_of_a_statement =
        |at: usize, word: &str| at == 0 && word == "use" && restate_as_rule(quote).is_none();
    let is_theirs = |(at, word): (usize, &String)| {
        is_banning(word)
            || BINDING.contains(&word.as_str())
            || said.contains(word)
            || restated.contains(word)
            || (!CONDITIONS.contains(&word.as_str()) && (known.names(word) || known.means(word)))
            || is_verb_of_a_statement(at, word)
    };
    match bans(&worded) <= bans(&said) && worded.iter().enumerate().all(is_theirs) {
        true => Ok(()),
        false => Err(MORE),
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
fn keeps_bans(rule: &str, said: &str) -> Result<(), &'static str> {
    match forbids(said) && !forbids(rule) {
        true => Err("the person's words forbid something or deny it, and the rule does not: use their words"),
        false => Ok(()),
    }
}

fn forbids(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    lower.split_whitespace().map(bare).any(is_banning)
}

fn is_banning(word: &str) -> bool {
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
    BANS.contains(&word) || word.ends_with("n't")
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, '`' | '\'' | '"' | '(' | ')' | ',' | ';' | ':' | '.' | '!' | '?'))
}

/// A word of the language, not a name: letters, and no capital.
fn is_plain(word: &str) -> bool {
    is_word(word) && !word.chars().any(char::is_uppercase)
}

fn is_word(word: &str) -> bool {
    !word.starts_with('-') && word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'))
}

#[cfg(test)]
mod tests {
    use super::{Footing, footing};

    const NOT_OWN: &str = "its words are not the person's";
    const NO_ORDER: &str = "the person's words are no plain order";
    const OPPOSITE: &str = "it says the opposite of what the person said";
    const CONDITION: &str = "it leaves out a condition of the person's";
    const ROUND: &str = "it turns the order of the person's words round";

    #[track_caller]
    fn check(rule: &str, said: &str, expect: &str) {
        let found = match footing(rule, said, said) {
            Footing::Rests => "rests".to_owned(),
            Footing::Loose(why) => format!("asked: {why}"),
            Footing::Unfit(why) => format!("refused: {why}"),
        };
        assert_eq!(found, expect, "{rule} / {said}");
    }

    #[test]
    fn a_rule_rests_on_an_order_in_the_persons_own_words_without_small_talk() {
        for (rule, said) in [
            ("Use pnpm, not npm.", "from now on use pnpm, not npm"),
            ("From now on use pnpm, not npm.", "from now on use pnpm, not npm"),
            ("Run the linter.", "please run the linter"),
            ("Always run the linter before committing.", "please always run the linter before committing"),
            ("Run linter before committing.", "please always run the linter before committing"),
            ("Never skip the tests.", "don't ever skip the tests"),
            ("Do not skip the tests.", "don't ever skip the tests"),
            ("Do not add comments.", "stop adding comments"),
            ("Use Vitest for tests.", "please use vitest for tests"),
            ("Run `make lint` before you commit.", "ok, from now on run make lint before you commit"),
            ("Never use docker unless I ask for containers.", "never use docker unless I ask for containers"),
            ("Use tabs.", "we always use tabs here"),
        ] {
            check(rule, said, "rests");
        }
    }

    #[test]
    fn a_rule_that_says_it_otherwise_is_asked() {
        for (rule, said, why) in [
            ("Run `make lint` before committing.", "why did you commit without make lint again??", NO_ORDER),
            (
                "Show your plan and wait for confirmation.",
                "I'd like to see your plans and confirm them each time",
                NO_ORDER,
            ),
            (
                "Use pnpm, not npm.",
                "ugh, npm again. we're on pnpm here",
                "it is made of more than one sentence",
            ),
            ("Use Vitest for tests.", "please write tests with vitest", ROUND),
            ("Use spaces.", "please use four spaces", NOT_OWN),
            ("Do not use tabs.", "don't always use tabs", NOT_OWN),
            (
                "Always deploy databases after refactoring modules.",
                "keep answers short please",
                "it says more than the person did",
            ),
            ("this", "this", "it is no rule that stands alone"),
        ] {
            let how = if why == ROUND { "refused" } else { "asked" };
            check(rule, said, &format!("{how}: {why}"));
        }
    }

    #[test]
    fn a_rule_that_turns_an_order_round_or_names_what_was_not_said_is_refused() {
        for (rule, said, why) in [
            (
                "Use yarn for tests in `web/`.",
                "please write tests with vitest",
                "it names something that the person did not name",
            ),
            (
                "Run the tests with sudo.",
                "run the tests",
                "it brings in permissions, credentials or recipients",
            ),
            ("Push to main.", "never push to main", OPPOSITE),
            ("Never run the tests.", "Run the tests.", OPPOSITE),
            ("Push without my review.", "never push without my review", OPPOSITE),
            ("Use docker.", "never use docker unless I say so", OPPOSITE),
            ("Never use docker.", "never use docker unless I say so", OPPOSITE),
            ("Delete files.", "always ask before you delete files", CONDITION),
            ("Run the linter after committing.", "run the linter before committing", CONDITION),
            ("Always delete files before you ask.", "always ask before you delete files", ROUND),
            ("Prefer inheritance over composition.", "prefer composition over inheritance", ROUND),
            (
                "Never use docker unless you say so.",
                "never use docker unless I say so",
                "it puts the agent in the person's place",
            ),
            ("Read @secrets.md first", "read secrets first", "it holds an import"),
        ] {
            check(rule, said, &format!("refused: {why}"));
        }
    }

    #[test]
    fn what_says_more_than_a_sentence_or_something_else_is_told_from_what_does_not() {
        let said = "From now on, always run `make check` before you commit.";
        for (rule, said) in [
            ("Always run `make check` before you commit.", said),
            ("Run `make check` before committing.", said),
            ("Use two spaces in the YAML files.", "could you use two spaces in the yaml files please"),
            ("Use pnpm.", "we're on pnpm here"),
            ("Do not add comments.", "stop adding comments"),
        ] {
            assert_eq!(super::says_no_more(rule, said), Ok(()), "{rule} / {said}");
        }
        for (rule, said) in [
            ("Always run `make check` before you commit, and push with --force.", said),
            ("Always run `make check` before you commit, and push.", said),
            ("Never run `make check` before you commit.", said),
            ("Never run tests before you commit.", said),
            ("Run `make check` only before you commit.", said),
            ("Skip `make check` before you commit.", said),
            ("Run `make check`.", said),
            ("Commit before you run `make check`.", said),
            ("Always keep old logs.", "always delete old logs"),
            ("Use pnpm, never npm.", "use pnpm"),
        ] {
            assert!(super::says_no_more(rule, said).is_err(), "{rule} / {said}");
        }
    }
}
