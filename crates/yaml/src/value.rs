//! Sentences about a value: its key, what it is, and what it must be.

use serde_path_to_error::{Path, Segment};

use crate::found::{Found, Place, is_number, reason, shorten};
use crate::nearest::nearest;
use crate::{Problem, Refusal};

const A_MAPPING: &str = "a mapping (`key: value` lines)";
const HOW_TO_WRITE_A_MAPPING: &str = "write one `key: value` a line; below a key, indent them by two spaces";

/// A value that is not what it should be.
pub(crate) struct Value<'a> {
    pub(crate) text: &'a str,
    pub(crate) place: Option<&'a Place>,
    pub(crate) path: Option<&'a Path>,
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
    /// The dotted path, unless this is the top of the document or the library lost its way.
    pub(crate) fn known_path(&self) -> Option<String> {
        let path = self.path?;
        let lost = path.iter().any(|segment| matches!(segment, Segment::Unknown));
        (!lost && path.iter().len() > 0).then(|| shorten(&path.to_string()))
    }

    pub(crate) fn subject(&self) -> String {
        self.known_path().unwrap_or_else(|| "this".into())
    }

    /// The key that the value stands behind, if it is not an item of a list.
    fn key(&self) -> Option<&'a str> {
        match self.path?.iter().next_back()? {
            Segment::Map { key } => Some(key),
            Segment::Seq { .. } | Segment::Enum { .. } | Segment::Unknown => None,
        }
    }

    fn found(&self) -> Found<'a> {
        self.place.map_or(Found::Unknown, |place| Found::at(self.text, place))
    }

    fn unfit(&self, why: &str) -> Unfit<'a> {
        let key = self.key();
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
            (why, Some(example)) => self.unfit(&reason(why)).example(example),
            (why, None) => self.unfit(&reason(why)).done(),
        }
    }

    pub(crate) fn wrong_scalar(&self, library_type: &str) -> Problem {
        let whole =
            matches!(self.found(), Found::Scalar(text) if is_number(text) && !text.contains(['.', 'e', 'E']));
        match library_type {
            "boolean" => self.not_a_boolean(),
            "floating point" => self.must_be("a number").example("1.5"),
            integer => match range(integer) {
                Some(range) if whole => self.must_be(format!("a whole number {range}")).done(),
                Some(_) | None => self.must_be("a whole number").example("5"),
            },
        }
    }

    pub(crate) fn not_a_boolean(&self) -> Problem {
        let meant_as_no = ["no", "off", "n", "0"];
        let likely = match self.found() {
            Found::Scalar(word) if meant_as_no.contains(&word.to_lowercase().as_str()) => "false",
            Found::Scalar(_) | Found::List | Found::Mapping | Found::Nothing | Found::Unknown => "true",
        };
        self.must_be("`true` or `false`").example(likely)
    }

    pub(crate) fn wrong_shape(&self, library_shape: &str) -> Problem {
        match (library_shape, self.found()) {
            // The library's place for a list right below its key is the first item.
            ("mapping start", Found::Mapping) => Problem::new(format!("{} is a list", self.subject()))
                .because(format!("it must be {A_MAPPING}"))
                .hinting(HOW_TO_WRITE_A_MAPPING),
            ("sequence start", Found::Scalar(item)) => {
                self.must_be("a list").example(&format!("[{}]", shorten(item)))
            }
            ("sequence start", _) => self.must_be("a list").example("[one, two]"),
            ("mapping start", _) => self.must_be(A_MAPPING).done().hinting(HOW_TO_WRITE_A_MAPPING),
            _ => self.must_be("one value").done(),
        }
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

/// The values that an integer type holds, by the name that the library has for it.
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
