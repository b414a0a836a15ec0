//! Sentences about a value: its key, what it is, and what it must be.

use crate::fault::Path;
use crate::found::{Found, Place, is_number, reason, shorten};
use crate::meant;
use crate::nearest::nearest;
use crate::{Problem, Refusal};

const A_MAPPING: &str = "a mapping (`key: value` lines)";
const HOW_TO_WRITE_A_MAPPING: &str = "write one `key: value` a line; below a key, indent them by two spaces";

/// A value that is not what it should be.
pub(crate) struct Value<'a> {
    pub(crate) text: &'a str,
    pub(crate) place: Option<Place>,
    pub(crate) path: &'a Path,
}

/// A sentence about a value, still without its hint.
pub(crate) struct Unfit<'a> {
    problem: Problem,
    key: Option<&'a str>,
}

impl Unfit<'_> {
    pub(crate) fn example(self, example: &str) -> Problem {
        match self.key {
            Some(key) => self.problem.hinting(format!("write for example `{}: {example}`", shorten(key))),
            None => self.problem,
        }
    }

    pub(crate) fn done(self) -> Problem {
        self.problem
    }
}

impl<'a> Value<'a> {
    /// The dotted path, unless this is the top of the document.
    pub(crate) fn subject(&self) -> String {
        if self.path.is_empty() { "this".into() } else { shorten(&self.path.to_string()) }
    }

    fn found(&self) -> Found<'a> {
        self.place.map_or(Found::Nothing, |place| Found::at(self.text, place))
    }

    fn unfit(&self, why: &str) -> Unfit<'a> {
        let key = self.path.last_key();
        let unit = key.and_then(unit).map(|unit| format!(" ({unit})")).unwrap_or_default();
        let problem = Problem::new(format!("{} is {}", self.subject(), self.found().describe()))
            .because(format!("{why}{unit}"));
        Unfit { problem, key }
    }

    pub(crate) fn must_be(&self, expected: impl AsRef<str>) -> Unfit<'a> {
        self.unfit(&format!("it must be {}", expected.as_ref()))
    }

    /// A type's own check said no; see [`Refusal`].
    pub(crate) fn refused(&self, carried: &str) -> Problem {
        if carried.starts_with("data did not match any variant") {
            return self.unfit("nothing here has this form").done();
        }
        match Refusal::parts(carried) {
            (why, Some(example)) => {
                // A number that was meant is a better example than one that is merely allowed.
                let bounds: Vec<u64> = why.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                let meant = self.meant_number().filter(|number| {
                    bounds.first().is_some_and(|min| min <= number)
                        && bounds.get(1).is_none_or(|max| number <= max)
                });
                self.unfit(&reason(why))
                    .example(&meant.map_or(example.to_owned(), |number| number.to_string()))
            }
            (why, None) => self.unfit(&reason(why)).done(),
        }
    }

    pub(crate) fn not_whole(&self, rust_type: &str) -> Problem {
        let whole =
            matches!(self.found(), Found::Scalar(text) if is_number(text) && !text.contains(['.', 'e', 'E']));
        match range(rust_type) {
            Some(range) if whole => self.must_be(format!("a whole number {range}")).done(),
            Some(_) | None => {
                let meant = self.meant_number().map_or("5".to_owned(), |number| number.to_string());
                self.must_be("a whole number").example(&meant)
            }
        }
    }

    /// The whole number that was probably meant, in the unit of its key: 600000 for `max_duration_ms: 10m`, 2000 for `\"2000\"`.
    fn meant_number(&self) -> Option<u64> {
        let Found::Scalar(text) = self.found() else { return None };
        meant::number(self.path.last_key()?, text)
    }

    pub(crate) fn not_a_boolean(&self) -> Problem {
        let meant_as_no = ["no", "off", "n", "0"];
        let likely = match self.found() {
            Found::Scalar(word) if meant_as_no.contains(&word.to_lowercase().as_str()) => "false",
            Found::Scalar(_) | Found::List | Found::Mapping | Found::Nothing => "true",
        };
        self.must_be("`true` or `false`").example(likely)
    }

    pub(crate) fn not_a_list(&self) -> Problem {
        let items = match self.found() {
            Found::Scalar(text) => meant::items(text),
            Found::List | Found::Mapping | Found::Nothing => None,
        };
        self.must_be("a list").example(&format!("[{}]", items.as_deref().unwrap_or("one, two")))
    }

    pub(crate) fn not_a_mapping(&self) -> Problem {
        self.must_be(A_MAPPING).done().hinting(HOW_TO_WRITE_A_MAPPING)
    }

    pub(crate) fn unknown_word(&self, word: &str, known: &[&'static str]) -> Problem {
        let problem = self.must_be(format!("one of {}", known.join(", "))).done();
        match nearest(word, known) {
            Some(near) => problem.hinting(format!("did you mean `{near}`?")),
            None => problem,
        }
    }
}

/// The unit of a number, which is the end of its key's name.
fn unit(key: &str) -> Option<&'static str> {
    let (_, ending) = key.rsplit_once('_')?;
    match ending {
        "ms" => Some("milliseconds"),
        "bytes" => Some("bytes"),
        "days" => Some("days"),
        "ticks" => Some("ticks"),
        _ => None,
    }
}

/// The values that an integer type holds, by its name in Rust.
fn range(integer: &str) -> Option<String> {
    let (least, most): (i128, u128) = match integer {
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" => (0, u64::MAX.into()),
        "i8" => (i8::MIN.into(), i8::MAX.unsigned_abs().into()),
        "i16" => (i16::MIN.into(), i16::MAX.unsigned_abs().into()),
        "i32" => (i32::MIN.into(), i32::MAX.unsigned_abs().into()),
        "i64" => (i64::MIN.into(), i64::MAX.unsigned_abs().into()),
        _ => return None,
    };
    Some(format!("from {least} to {most}"))
}

/// What serde expected, without the names of our types.
pub(crate) fn in_words(expected: &str) -> String {
    match expected {
        "a string" | "string" => "a text".into(),
        "a boolean" | "bool" => "`true` or `false`".into(),
        "a sequence" | "sequence" => "a list".into(),
        "a map" | "map" => "a mapping".into(),
        "unit" | "unit value" => "empty".into(),
        "f32" | "f64" => "a number".into(),
        "i8" | "i16" | "i32" | "i64" | "i128" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "isize" => {
            "a whole number".into()
        }
        named if named.starts_with("struct ") || named.starts_with("internally tagged enum") => {
            A_MAPPING.into()
        }
        named if named.starts_with("enum ") || named.starts_with("variant ") => {
            "one of the known words".into()
        }
        other => reason(other),
    }
}
