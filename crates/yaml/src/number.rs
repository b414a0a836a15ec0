//! Whole numbers within limits, for `#[serde(deserialize_with = …)]`.
//!
//! ```
//! use subcortex_yaml::number::within;
//!
//! #[derive(Debug, serde::Deserialize)]
//! struct Schedule {
//!     #[serde(deserialize_with = "within::<_, _, 1_000, 86_400_000>")]
//!     interval_ms: u64,
//! }
//!
//! let problem = subcortex_yaml::from_str::<Schedule>("interval_ms: 10").unwrap_err();
//! assert_eq!(
//!     problem.at("settings.yaml"),
//!     "interval_ms is 10 at settings.yaml:1:14, but it must be at least 1000 (milliseconds)"
//! );
//! ```
//!
//! Unlike a plain integer field these refuse a number in quotes, because a schema for the same field does.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::Refusal;

/// No upper limit other than the field's type.
pub const UNLIMITED: u64 = u64::MAX;

/// Reads a whole number from `MIN` to `MAX`.
pub fn within<'de, D, T, const MIN: u64, const MAX: u64>(reader: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let InRange::<MIN, MAX>(number) = InRange::deserialize(reader)?;
    T::try_from(number).map_err(|_| D::Error::custom(Refusal::new("it must be a smaller number")))
}

/// Reads a whole number from `MIN` to `MAX`, or nothing (`null`, `~`, or an empty value).
pub fn optional_within<'de, D, T, const MIN: u64, const MAX: u64>(reader: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let Some(InRange::<MIN, MAX>(number)) = Option::deserialize(reader)? else { return Ok(None) };
    match T::try_from(number) {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(D::Error::custom(Refusal::new("it must be a smaller number"))),
    }
}

struct InRange<const MIN: u64, const MAX: u64>(u64);

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for InRange<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_any(RangeVisitor::<MIN, MAX>)
    }
}

struct RangeVisitor<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> RangeVisitor<MIN, MAX> {
    fn not_whole<E: Error>() -> E {
        let limits = match MAX {
            UNLIMITED => format!("of at least {MIN}"),
            _ => format!("from {MIN} to {MAX}"),
        };
        E::custom(Refusal::new(format!("it must be a whole number {limits}")).example(MIN))
    }

    fn too_small<E: Error>() -> E {
        E::custom(Refusal::new(format!("it must be at least {MIN}")))
    }

    fn too_large<E: Error>() -> E {
        E::custom(Refusal::new(format!("it must be at most {MAX}")))
    }
}

impl<'de, const MIN: u64, const MAX: u64> Visitor<'de> for RangeVisitor<MIN, MAX> {
    type Value = InRange<MIN, MAX>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match MAX {
            UNLIMITED => write!(out, "a whole number of at least {MIN}"),
            _ => write!(out, "a whole number from {MIN} to {MAX}"),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        match number {
            small if small < MIN => Err(Self::too_small()),
            large if large > MAX => Err(Self::too_large()),
            fits => Ok(InRange(fits)),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(Self::too_small()),
        }
    }

    /// Also where a whole number arrives that has more digits than 64 bits hold.
    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        if number >= u64::MAX as f64 {
            Err(Self::too_large())
        } else if number <= i64::MIN as f64 {
            Err(Self::too_small())
        } else {
            Err(Self::not_whole())
        }
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Self::Value, E> {
        Err(Self::not_whole())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Err(Self::not_whole())
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Err(Self::not_whole())
    }
}
