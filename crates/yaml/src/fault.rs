//! Why a value cannot be read into a type, on its way up from where it stands.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use crate::found::Place;

/// What is wrong, where, and the way there. In a box, because it travels in every `Result`.
#[derive(Debug)]
pub(crate) struct Fault(Box<Parts>);

#[derive(Debug)]
struct Parts {
    what: What,
    place: Option<Place>,
    /// From the value outwards.
    steps: Vec<Step>,
}

/// One step down from a mapping or a list.
#[derive(Debug)]
enum Step {
    Key(String),
    Item(usize),
}

#[derive(Debug)]
pub(crate) enum What {
    UnknownKey {
        key: String,
        known: &'static [&'static str],
    },
    MissingKey(&'static str),
    UnknownWord {
        word: String,
        known: &'static [&'static str],
    },
    /// Serde wanted something else, in its words.
    Expected(String),
    Length {
        items: usize,
        expected: String,
    },
    /// A type's own words.
    Refused(String),
    NotBoolean,
    /// With Rust's name of the type.
    NotWhole(&'static str),
    NotNumber,
    NotFinite,
    NotText,
    NotList,
    NotMapping,
    NotOneValue,
    NotOneWord,
    NotEmpty,
    TagDoesNotFit,
}

/// The keys and items that lead to a value.
pub(crate) struct Path(Vec<Step>);

impl Fault {
    pub(crate) fn new(what: What) -> Fault {
        Fault(Box::new(Parts { what, place: None, steps: Vec::new() }))
    }

    /// Says where it is, unless that is known more closely.
    pub(crate) fn at(mut self, place: Place) -> Fault {
        self.0.place.get_or_insert(place);
        self
    }

    pub(crate) fn below_key(mut self, key: &str) -> Fault {
        self.0.steps.push(Step::Key(key.into()));
        self
    }

    pub(crate) fn below_item(mut self, index: usize) -> Fault {
        self.0.steps.push(Step::Item(index));
        self
    }

    pub(crate) fn into_parts(self) -> (What, Option<Place>, Path) {
        let Parts { what, place, mut steps } = *self.0;
        steps.reverse();
        (what, place, Path(steps))
    }
}

impl Path {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key that the value stands behind, if it is not an item of a list.
    pub(crate) fn last_key(&self) -> Option<&str> {
        match self.0.last()? {
            Step::Key(key) => Some(key),
            Step::Item(_) => None,
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if index == 0 => write!(out, "{key}")?,
                Step::Key(key) => write!(out, ".{key}")?,
                Step::Item(item) => write!(out, "[{item}]")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    /// Only for serde, which asks it of every error; people read what `explain` makes of it.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.0.what)
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<T: fmt::Display>(words: T) -> Fault {
        Fault::new(What::Refused(words.to_string()))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Fault {
        Fault::new(What::Expected(expected.to_string()))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Fault {
        Fault::new(What::Expected(expected.to_string()))
    }

    fn invalid_length(items: usize, expected: &dyn Expected) -> Fault {
        Fault::new(What::Length { items, expected: expected.to_string() })
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> Fault {
        Fault::new(What::UnknownWord { word: word.into(), known })
    }

    fn unknown_field(key: &str, known: &'static [&'static str]) -> Fault {
        Fault::new(What::UnknownKey { key: key.into(), known })
    }

    fn missing_field(key: &'static str) -> Fault {
        Fault::new(What::MissingKey(key))
    }
}
