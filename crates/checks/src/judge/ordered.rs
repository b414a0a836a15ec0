//! Changes of files that a person ordered in so many words: what a line forbids was then no slip of the agent.

use crate::facts::{ActKind, Facts, Voice};
use crate::language::Hit;
use crate::text::{self, pattern};

// What asks for a change of what is named behind it.
pattern!(
    CHANGES,
    r"(?i)(?-u:\b)(?:update|edit|change|modify|adjust|amend|extend|write|rewrite|add|append|put|fix|correct|remove|delete|drop|move|rename|bump|create|regenerate|revert)(?-u:\b)"
);
// What stands before such a word where nothing is asked for.
pattern!(
    ASKS_NOT,
    r"(?i)(?-u:\b)(?:not|never|without|stop|avoid|no need to|instead of|rather than|why|did|who|if|when|because|unless|you)(?-u:\b)(?:\s+\S+){0,4}\s*$|n['’]?t(?:\s+\S+){0,3}\s*$"
);
// What turns around what is named behind it.
pattern!(DENIES, r"(?i)^(?:not|never|no|without|except|but|instead|n?or)(?-u:\b)|n['’]t(?-u:\b)");
/// As many words may stand between the word for the change and the name of the file.
const MOST_WORDS_BETWEEN: usize = 8;
/// A shorter name may mean anything.
const LEAST_NAME_CHARS: usize = 4;

/// Whether a person had asked for the change of a file that was seen at a place of the turn.
pub(super) fn is_ordered(facts: &Facts<'_>, hit: &Hit) -> bool {
    let act = facts.acts.get(hit.at).filter(|act| act.event == hit.event);
    let Some(ActKind::Wrote(written)) = act.map(|act| &act.kind) else { return false };
    let names = names(&written.path);
    let orders = |sentence: &&str| {
        CHANGES.find_all(sentence).iter().any(|verb| {
            let before = sentence.get(..verb.start()).unwrap_or("");
            let behind = sentence.get(verb.end()..).unwrap_or("");
            let near = behind.split_whitespace().take(MOST_WORDS_BETWEEN);
            let up_to_denial = near.take_while(|word| !DENIES.is_match(word));
            !ASKS_NOT.is_match(before) && up_to_denial.into_iter().any(|word| is_one(word, &names))
        })
    };
    facts
        .said
        .iter()
        .filter(|said| said.event < hit.event && !said.refuses)
        .filter(|said| matches!(said.voice, Voice::Person | Voice::PersonMeanwhile))
        .any(|said| text::sentences(&said.text).iter().any(orders))
}

/// How people call a file, in lower case: by its name, and without the ending where what is left is a name of its own (`CHANGELOG`,
/// `pnpm-lock`).
fn names(path: &str) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let is_own = stem.chars().count() >= LEAST_NAME_CHARS
        && (stem.contains(['-', '_']) || stem.chars().all(|c| c.is_ascii_uppercase()));
    let stem = is_own.then(|| stem.to_lowercase());
    [name.to_lowercase()].into_iter().chain(stem).collect()
}

/// Whether a word is one of these names, as people mark them: `@CHANGELOG.md`, `docs/x.md,`.
fn is_one(word: &str, names: &[String]) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let word = word.rsplit('/').next().unwrap_or(&word);
    names.iter().any(|name| name == word || name.trim_start_matches('.') == word)
}
