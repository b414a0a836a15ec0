//! A setting that each agent has its own of, under the agent's name.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::LazyLock;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use subcortex_known_agents::{AGENTS, Agent};

/// The names under which settings may stand.
static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| AGENTS.iter().map(|agent| agent.name).collect());

/// What an agent can have its own of.
pub trait OfAgent: Sized {
    /// What holds where nothing is set.
    fn usual(agent: &Agent) -> Self;

    /// What it means, for people.
    fn about(agent: &Agent) -> String;
}

/// A setting of each agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PerAgent<T>(BTreeMap<String, T>);

impl<T: OfAgent + Clone> PerAgent<T> {
    /// The setting of this agent.
    pub fn of(&self, agent: &Agent) -> T {
        self.0.get(agent.name).cloned().unwrap_or_else(|| T::usual(agent))
    }

    /// The same settings but for this one.
    #[must_use]
    pub fn with(mut self, agent: &Agent, setting: T) -> Self {
        self.0.insert(agent.name.to_owned(), setting);
        self
    }
}

impl<T: OfAgent> Default for PerAgent<T> {
    fn default() -> Self {
        Self(AGENTS.iter().map(|agent| (agent.name.to_owned(), T::usual(agent))).collect())
    }
}

impl<'de, T: OfAgent + Deserialize<'de>> Deserialize<'de> for PerAgent<T> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_struct("PerAgent", &NAMES, Settings(PhantomData))
    }
}

struct Settings<T>(PhantomData<T>);

impl<'de, T: OfAgent + Deserialize<'de>> Visitor<'de> for Settings<T> {
    type Value = PerAgent<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("settings by the names of agents")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<PerAgent<T>, M::Error> {
        let mut all = PerAgent::default();
        while let Some(name) = map.next_key::<String>()? {
            if !NAMES.contains(&name.as_str()) {
                return Err(M::Error::unknown_field(&name, &NAMES));
            }
            all.0.insert(name, map.next_value()?);
        }
        Ok(all)
    }
}

#[cfg(feature = "schema")]
impl<T: OfAgent + Serialize + schemars::JsonSchema> schemars::JsonSchema for PerAgent<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("{}PerAgent", T::schema_name()).into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut properties = serde_json::Map::new();
        for agent in AGENTS {
            let mut property = generator.subschema_for::<T>();
            property.insert("description".to_owned(), T::about(agent).into());
            property.insert("default".to_owned(), serde_json::to_value(T::usual(agent)).unwrap_or_default());
            properties.insert(agent.name.to_owned(), property.to_value());
        }
        schemars::json_schema!({"type": "object", "properties": properties, "additionalProperties": false})
    }
}
