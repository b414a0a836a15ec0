//! Who does what, as a STRATEGY says it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::limits::{MAX_ITEMS, Malformed, check_list, check_name};

/// Workers for all entities, or pairs of entity and worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "`assigned` must be a list of workers, or an object such as {\"Acme\": \"worker-1\"}"
)]
pub enum Assigned {
    /// One worker for everything.
    Worker(String),
    /// These workers, for any entity.
    Workers(Vec<String>),
    /// By entity, or by worker: which side is which is told by the strategy's entities.
    Pairs(BTreeMap<String, Names>),
}

/// One name or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "each value of `assigned` must be a name or a list of names")]
pub enum Names {
    /// One.
    One(String),
    /// Several.
    Several(Vec<String>),
}

impl Names {
    fn all(&self) -> &[String] {
        match self {
            Names::One(name) => std::slice::from_ref(name),
            Names::Several(names) => names,
        }
    }
}

impl Assigned {
    /// The workers for an entity, given all entities of the strategy.
    pub fn workers_for<'a>(&'a self, entity: &str, entities: &[String]) -> Vec<&'a str> {
        match self {
            Assigned::Worker(name) => vec![name],
            Assigned::Workers(names) => names.iter().map(String::as_str).collect(),
            Assigned::Pairs(pairs) => pairs
                .iter()
                .flat_map(|(key, names)| match entities.contains(key) {
                    true if key == entity => names.all().iter().map(String::as_str).collect(),
                    true => Vec::new(),
                    false if names.all().iter().any(|name| name == entity) => vec![key.as_str()],
                    false => Vec::new(),
                })
                .collect(),
        }
    }

    pub(crate) fn check(&self) -> Result<(), Malformed> {
        let field = "assigned";
        match self {
            Assigned::Worker(name) => check_name(field, name),
            Assigned::Workers(names) => check_list(field, names),
            Assigned::Pairs(pairs) => {
                // All of them are walked for each fact.
                let count = pairs.values().map(|names| names.all().len().max(1)).sum();
                if count > MAX_ITEMS {
                    return Err(Malformed::TooMany { field, count });
                }
                pairs.iter().try_for_each(|(key, names)| {
                    check_name(field, key)?;
                    check_list(field, names.all())
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_limited_like_every_list() {
        let pairs = |count: usize| {
            Assigned::Pairs((0..count).map(|n| (format!("w{n}"), Names::One(format!("e{n}")))).collect())
        };
        assert_eq!(pairs(MAX_ITEMS).check(), Ok(()));
        let too_many = Malformed::TooMany { field: "assigned", count: MAX_ITEMS + 1 };
        assert_eq!(pairs(MAX_ITEMS + 1).check(), Err(too_many));
    }

    #[test]
    fn every_way_to_write_it_names_the_same_workers() {
        let entities = ["Acme".to_owned(), "Globex".to_owned()];
        for (json, acme, globex) in [
            (r#""w1""#, vec!["w1"], vec!["w1"]),
            (r#"["w1", "w2"]"#, vec!["w1", "w2"], vec!["w1", "w2"]),
            (r#"{"Acme": "w1", "Globex": ["w2", "w3"]}"#, vec!["w1"], vec!["w2", "w3"]),
            (r#"{"w1": ["Acme", "Globex"], "w2": "Globex"}"#, vec!["w1"], vec!["w1", "w2"]),
            ("[]", vec![], vec![]),
            ("{}", vec![], vec![]),
        ] {
            let assigned: Assigned = serde_json::from_str(json).unwrap();
            assert_eq!(assigned.workers_for("Acme", &entities), acme, "{json}");
            assert_eq!(assigned.workers_for("Globex", &entities), globex, "{json}");
        }
        assert!(serde_json::from_str::<Assigned>("7").unwrap_err().to_string().contains("list of workers"));
    }
}
