//! Where a value stands, found by the way to it.
//!
//! The library gives a position with most errors. What is left: checks that can only be made once
//! everything is read, and errors that serde raises with no more than the key's position.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_path_to_error::{Path, Segment};
use serde_yaml::Spanned;

use crate::found::Place;
use crate::read;

/// One step down from a mapping or a list.
pub(crate) enum Step {
    Key(String),
    Item(usize),
}

/// The steps of a dotted path of keys.
pub(crate) fn dotted(path: &str) -> Vec<Step> {
    path.split('.').map(|key| Step::Key(key.into())).collect()
}

/// The steps to where reading stopped; `None` if that is not known.
pub(crate) fn steps(path: &Path) -> Option<Vec<Step>> {
    let step = |segment: &Segment| match segment {
        Segment::Map { key } | Segment::Enum { variant: key } => Some(Step::Key(key.clone())),
        Segment::Seq { index } => Some(Step::Item(*index)),
        Segment::Unknown => None,
    };
    path.iter().map(step).collect()
}

/// The place of the value at the end of the steps; `None` if it is not there.
pub(crate) fn value_at(text: &str, steps: &[Step]) -> Option<Place> {
    let place = Cell::new(None);
    // The outcome does not matter: a text with a mistake further down still has this place.
    let _ = serde_yaml::with_deserializer_from_str_with_options(text, read::options(text), |reader| {
        Descent { steps, place: &place }.deserialize(reader)
    });
    place.into_inner()
}

/// Follows the steps down and notes where the last one leads.
struct Descent<'a> {
    steps: &'a [Step],
    place: &'a Cell<Option<Place>>,
}

impl<'de> DeserializeSeed<'de> for Descent<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        match self.steps.first() {
            Some(Step::Key(_)) => reader.deserialize_map(self),
            Some(Step::Item(_)) => reader.deserialize_seq(self),
            None => {
                let value = <Spanned<IgnoredAny> as serde::Deserialize>::deserialize(reader)?;
                self.place.set(Place::from_library(value.referenced));
                Ok(())
            }
        }
    }
}

impl<'de> Visitor<'de> for Descent<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a mapping or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<(), A::Error> {
        while let Some(key) = mapping.next_key::<String>()? {
            match self.steps.split_first() {
                Some((Step::Key(wanted), below)) if *wanted == key => {
                    mapping.next_value_seed(Descent { steps: below, place: self.place })?;
                }
                Some(_) | None => {
                    mapping.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Some((Step::Item(wanted), below)) = self.steps.split_first() else { return Ok(()) };
        for _ in 0..*wanted {
            if list.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        list.next_element_seed(Descent { steps: below, place: self.place })?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}
