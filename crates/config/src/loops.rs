//! The section about loops: whose are run, and how long they may take.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use subcortex_yaml::Refusal;
use subcortex_yaml::number::within;

const LIMIT_MS_MIN: u64 = 1_000;
/// A day.
const LIMIT_MS_MAX: u64 = 86_400_000;
/// The longest path, in bytes.
const MAX_PATH_BYTES: usize = 4_096;

/// Scheduled work in repositories: what stands in their .loops folders.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Loops {
    /// The repositories whose loops are run, each an absolute path or one that begins with ~/.
    #[serde(deserialize_with = "paths")]
    pub roots: Vec<String>,
    /// How long the engine of a loop may work, in milliseconds.
    #[serde(deserialize_with = "within::<_, _, LIMIT_MS_MIN, LIMIT_MS_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = LIMIT_MS_MIN, max = LIMIT_MS_MAX)))]
    pub max_duration_ms: u64,
    /// How long verify and guard may take, each, in milliseconds.
    #[serde(deserialize_with = "within::<_, _, LIMIT_MS_MIN, LIMIT_MS_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = LIMIT_MS_MIN, max = LIMIT_MS_MAX)))]
    pub verify_ms: u64,
}

impl Default for Loops {
    fn default() -> Loops {
        Loops { roots: Vec::new(), max_duration_ms: 1_800_000, verify_ms: 600_000 }
    }
}

/// Also a list alone: the repositories.
pub(crate) fn section_or_roots<'de, D: Deserializer<'de>>(reader: D) -> Result<Loops, D::Error> {
    struct Either;
    impl<'de> Visitor<'de> for Either {
        type Value = Loops;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a section with `roots`, or a list of repositories")
        }

        fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Loops, M::Error> {
            Loops::deserialize(MapAccessDeserializer::new(map))
        }

        fn visit_seq<S: SeqAccess<'de>>(self, list: S) -> Result<Loops, S::Error> {
            Ok(Loops { roots: paths(SeqAccessDeserializer::new(list))?, ..Loops::default() })
        }

        fn visit_unit<E>(self) -> Result<Loops, E> {
            Ok(Loops::default())
        }
    }
    reader.deserialize_any(Either)
}

fn paths<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<String>, D::Error> {
    let paths = Vec::<String>::deserialize(reader)?;
    let is_fit = |path: &String| {
        (path.starts_with('/') || path.starts_with("~/"))
            && path.len() <= MAX_PATH_BYTES
            && !path.contains(char::is_control)
    };
    match paths.iter().all(is_fit) {
        true => Ok(paths),
        false => {
            let why = "each must be the absolute path of a repository, or begin with ~/";
            Err(D::Error::custom(Refusal::new(why).example("[/home/you/project]")))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Config;

    #[test]
    fn repositories_stand_in_a_section_or_in_a_list_alone() {
        let roots = |text: &str| Config::parse(text).map(|config| config.loops.roots);
        for text in ["loops: {roots: [/a, ~/b]}", "loops: [/a, ~/b]"] {
            assert_eq!(roots(text), Ok(vec!["/a".into(), "~/b".into()]), "{text}");
        }
        assert_eq!(roots("loops:\n"), Ok(vec![]));
        for text in ["loops: [a]", "loops: {roots: ['']}", "loops: {root: [/a]}", "loops: 3"] {
            assert!(roots(text).is_err(), "{text}");
        }
    }
}
