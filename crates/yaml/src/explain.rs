//! Our own words for a value that a type does not take: each kind of mistake gets one sentence.

use crate::Problem;
use crate::fault::{Fault, Path, What};
use crate::found::quoted;
use crate::nearest::nearest;
use crate::value::{Value, in_words};

/// Turns a fault into a problem of the text that it was found in.
pub(crate) fn problem(text: &str, fault: Fault) -> Problem {
    let (what, place, path) = fault.into_parts();
    let said = sentence(what, &Value { text, place, path: &path });
    match place {
        Some(place) => said.at_place(place),
        None => said,
    }
}

fn sentence(what: What, value: &Value<'_>) -> Problem {
    match what {
        What::UnknownKey { key, known } => unknown_key(&key, known),
        What::MissingKey(key) => missing_key(key, value.path),
        What::UnknownWord { word, known } => value.unknown_word(&word, known),
        What::Expected(expected) => value.must_be(in_words(&expected)).done(),
        What::Length { items, expected } => Problem::new(format!("{} has {items} items", value.subject()))
            .because(format!("it must be {}", in_words(&expected))),
        What::Refused(words) => value.refused(&words),
        What::NotBoolean => value.not_a_boolean(),
        What::NotWhole(rust_type) => value.not_whole(rust_type),
        What::NotNumber => value.must_be("a number").example("1.5"),
        What::NotFinite => value.must_be("a finite number").done(),
        What::NotText => value.must_be("a text").example("\"some text\""),
        What::NotList => value.not_a_list(),
        What::NotMapping => value.not_a_mapping(),
        What::NotOneValue => value.must_be("one value").done(),
        What::NotOneWord => value.must_be("one word").done(),
        What::NotEmpty => value.must_be("empty").done(),
        What::TagDoesNotFit => {
            Problem::new("there is a tag (`!!…`)").because("it does not fit the value").hinting("remove it")
        }
    }
}

fn unknown_key(key: &str, known: &[&'static str]) -> Problem {
    let mut problem = Problem::new(format!("unknown key {}", quoted(key)));
    problem.unknown_key = Some(key.into());
    match (nearest(key, known), known) {
        (Some(near), _) => problem.hinting(format!("did you mean `{near}`?")),
        (None, []) => problem.hinting("no keys are known here; remove it"),
        (None, known) => {
            let mut names = known.to_vec();
            names.sort_unstable();
            problem.hinting(format!("the keys known here: {}", names.join(", ")))
        }
    }
}

fn missing_key(key: &str, path: &Path) -> Problem {
    let below = if path.is_empty() { String::new() } else { format!(" below {path}") };
    Problem::new(format!("the key `{key}` is missing{below}")).hinting(format!("add a line `{key}: …`"))
}
