//! The section about other machines.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use subcortex_yaml::Refusal;
use subcortex_yaml::number::within;

const LEASE_S_MIN: u64 = 1;
/// An hour.
const LEASE_S_MAX: u64 = 3_600;
/// The longest name of a machine, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// How the URL of a Redis server begins.
const SCHEMES: [&str; 3] = ["redis://", "rediss://", "redis+unix://"];

/// The machines that share inboxes (`inbox: fleet`).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Fleet {
    /// The URL of the Redis server where they meet, such as redis://127.0.0.1:6379; null: this machine works alone.
    #[serde(deserialize_with = "server")]
    pub redis: Option<String>,
    /// How long a task is nobody else's without a sign of life from its machine, in seconds. The same on all machines.
    #[serde(deserialize_with = "within::<_, _, LEASE_S_MIN, LEASE_S_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = LEASE_S_MIN, max = LEASE_S_MAX)))]
    pub lease_s: u64,
    /// What this machine is called in `subcortex status`; null: its host name.
    #[serde(deserialize_with = "name")]
    pub name: Option<String>,
}

impl Default for Fleet {
    fn default() -> Fleet {
        Fleet { redis: None, lease_s: 30, name: None }
    }
}

/// Whether this can be the URL of a Redis server.
pub(crate) fn is_redis_url(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
        && !text.contains(|letter: char| letter.is_control() || letter.is_whitespace())
}

fn server<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    match Option::<String>::deserialize(reader)? {
        Some(text) if !is_redis_url(&text) => {
            let why = "it must be the URL of a Redis server (redis://, rediss://, redis+unix://), or null";
            Err(D::Error::custom(Refusal::new(why).example("redis://127.0.0.1:6379")))
        }
        url => Ok(url),
    }
}

fn name<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    match Option::<String>::deserialize(reader)? {
        Some(text)
            if text.trim().is_empty() || text.len() > MAX_NAME_BYTES || text.contains(char::is_control) =>
        {
            let why = format!("it must be one line of 1 to {MAX_NAME_BYTES} bytes, or null");
            Err(D::Error::custom(Refusal::new(why).example("desk")))
        }
        name => Ok(name),
    }
}
