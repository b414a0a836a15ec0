//! The one sentence of a message that most looks like a wish that lasts.

use std::collections::BTreeSet;

use subcortex_model::Turn;

use super::echo::Earlier;
use super::message;
use super::reasons::{ASKED, Weighed, weigh};

/// The sentence for which most speaks that it is meant to last, verbatim, and what does. Words that stood before in what others said are nobody's wish.
pub fn best_wish<'t>(message: &'t str, before: Option<&Turn>) -> Option<(&'t str, Weighed)> {
    // What ends in a colon only announces something.
    let sentences =
        message::speech(message).into_iter().filter(|sentence| !sentence.trim_end().ends_with(':'));
    let weighed = sentences.map(|sentence| (sentence, weigh(sentence, &BTreeSet::new())));
    let mut likely: Vec<(&str, Weighed)> = weighed.filter(|(_, weighed)| weighed.points() > 0).collect();
    if likely.iter().all(|(_, weighed)| weighed.points() < ASKED) {
        likely.extend(in_one_breath(message).map(|whole| (whole, weigh(whole, &BTreeSet::new()))));
    }
    if likely.is_empty() {
        return None; // what others said is long
    }
    let others = Earlier::than(message, before);
    likely.retain(|(sentence, _)| !others.hold(sentence));
    // Of equals the first: `max_by_key` takes the last.
    likely.into_iter().rev().max_by_key(|(_, weighed)| weighed.points())
}

/// How many sentences, and how many words, are said in one breath: "again grep? rg please".
const SENTENCES_IN_ONE_BREATH: usize = 2;
const WORDS_IN_ONE_BREATH: usize = 16;

/// A message whose few words belong together: each of its sentences alone says too little.
fn in_one_breath(message: &str) -> Option<&str> {
    let sentences = message::speech(message);
    let whole = message.trim();
    let said: usize = sentences.iter().map(|sentence| sentence.split_whitespace().count()).sum();
    let fits = sentences.len() == SENTENCES_IN_ONE_BREATH && said <= WORDS_IN_ONE_BREATH;
    (fits && said == whole.split_whitespace().count() && !whole.contains('\n')).then_some(whole)
}

#[cfg(test)]
mod tests {
    use super::best_wish;

    #[test]
    fn the_sentence_for_which_most_speaks_is_the_wish() {
        let message =
            "Thanks, that works. Please always run the tests before you push. Now add a login page.";
        let (sentence, _) = best_wish(message, None).unwrap();
        assert_eq!(sentence, "Please always run the tests before you push.");
        assert!(
            best_wish("Fix the login page.\n```\nAlways use pnpm.\n```", None)
                .is_none_or(|(said, _)| !said.contains("pnpm"))
        );
    }
}
