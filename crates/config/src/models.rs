//! The sections about models: where they are, what they may cost, and where workers reach the daemon.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use jiff::civil::Date;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use subcortex_known_agents::Agent;
use subcortex_yaml::Refusal;
use subcortex_yaml::number::{UNLIMITED, optional_within, within};

use crate::per_agent::OfAgent;

const RETRIES_MIN: u64 = 0;
const RETRIES_MAX: u64 = 10;
const SILENCE_MS_MIN: u64 = 1_000;
const SILENCE_MS_MAX: u64 = 3_600_000;
const TOKENS_MIN: u64 = 1_000;
/// The longest address, name or path, in bytes.
const MAX_TEXT_BYTES: usize = 4_096;

/// The model behind engine api.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Api {
    /// Which interface the endpoint speaks: anthropic, openai-chat or openai-responses.
    pub wire: Wire,
    /// Where it is, such as http://127.0.0.1:8080/v1; null: there is none, and engine api is refused.
    #[serde(deserialize_with = "text")]
    pub base_url: Option<String>,
    /// The model, unless a partition names its own.
    #[serde(deserialize_with = "text")]
    pub model: Option<String>,
    /// The environment variable that holds the key; null: ANTHROPIC_API_KEY or OPENAI_API_KEY, if it is set.
    #[serde(deserialize_with = "text")]
    pub key_env: Option<String>,
    /// A file that holds the key and that only its owner can read (mode 0600); it comes before the variable.
    #[serde(deserialize_with = "text")]
    pub key_file: Option<String>,
    /// How often a question is asked again when the endpoint is busy or breaks off.
    #[serde(deserialize_with = "within::<_, _, RETRIES_MIN, RETRIES_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(max = RETRIES_MAX)))]
    pub max_retries: u32,
    /// The longest time without a byte of an answer, in milliseconds.
    #[serde(deserialize_with = "within::<_, _, SILENCE_MS_MIN, SILENCE_MS_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = SILENCE_MS_MIN, max = SILENCE_MS_MAX)))]
    pub silence_ms: u64,
}

impl Default for Api {
    fn default() -> Api {
        Api {
            wire: Wire::Anthropic,
            base_url: None,
            model: None,
            key_env: None,
            key_file: None,
            max_retries: 4,
            silence_ms: 120_000,
        }
    }
}

/// Which interface an endpoint speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// Messages, as Anthropic has it.
    #[default]
    Anthropic,
    /// Chat completions, as OpenAI has it; most local servers speak it.
    OpenaiChat,
    /// Responses, as OpenAI has it.
    OpenaiResponses,
}

/// An agent's program: a name that is looked up in PATH, or a path.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Program(pub String);

impl OfAgent for Program {
    fn usual(agent: &Agent) -> Program {
        Program(agent.name.to_owned())
    }

    fn about(agent: &Agent) -> String {
        format!("The program of {}: a name that is looked up in PATH, or a path.", agent.title)
    }
}

/// What models may cost.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Tokens that a run may use, unless its partition says otherwise; null: no limit.
    #[serde(deserialize_with = "optional_within::<_, _, TOKENS_MIN, UNLIMITED>")]
    #[cfg_attr(feature = "schema", schemars(range(min = TOKENS_MIN)))]
    pub tokens_per_run: Option<u64>,
    /// US dollars that all partitions together may spend in a UTC day; null: no limit.
    #[serde(deserialize_with = "money")]
    pub usd_per_day: Option<f64>,
    /// What a million tokens of a model cost, in US dollars: by its name, or the beginning of it.
    pub prices: BTreeMap<String, Price>,
    /// The day on which the prices were looked up, such as 2026-01-31, shown beside what is estimated with them; null: unknown.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub prices_as_of: Option<Date>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            tokens_per_run: Some(200_000),
            usd_per_day: None,
            prices: BTreeMap::new(),
            prices_as_of: None,
        }
    }
}

/// What a million tokens cost, in US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Read afresh.
    #[serde(deserialize_with = "amount")]
    pub input: f64,
    /// Written.
    #[serde(deserialize_with = "amount")]
    pub output: f64,
    /// Read from the provider's cache.
    #[serde(default, deserialize_with = "amount")]
    pub cache_read: f64,
    /// Put into the provider's cache.
    #[serde(default, deserialize_with = "amount")]
    pub cache_write: f64,
}

/// Where workers reach the daemon over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Web {
    /// A loopback address; port 0 takes any free one, which `subcortex status` shows. null: nobody listens.
    #[serde(deserialize_with = "loopback")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub listen: Option<SocketAddr>,
    /// Whether the page for people is served there, too; `subcortex open` leads to it.
    pub page: bool,
}

impl Default for Web {
    fn default() -> Web {
        Web { listen: Some(SocketAddr::from(([127, 0, 0, 1], 0))), page: true }
    }
}

fn text<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(reader)?;
    let unfit = |text: &String| {
        text.trim().is_empty() || text.len() > MAX_TEXT_BYTES || text.contains(char::is_control)
    };
    match text {
        Some(text) if unfit(&text) => {
            let why = format!("it must be one line of 1 to {MAX_TEXT_BYTES} bytes, or null");
            Err(D::Error::custom(Refusal::new(why)))
        }
        text => Ok(text),
    }
}

fn amount<'de, D: Deserializer<'de>>(reader: D) -> Result<f64, D::Error> {
    let usd = f64::deserialize(reader)?;
    if usd.is_finite() && usd >= 0.0 {
        return Ok(usd);
    }
    Err(D::Error::custom(Refusal::new("it must be 0 or more").example("1.00")))
}

fn money<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<f64>, D::Error> {
    struct Amount(f64);
    impl<'de> Deserialize<'de> for Amount {
        fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
            amount(reader).map(Amount)
        }
    }
    Ok(Option::<Amount>::deserialize(reader)?.map(|Amount(usd)| usd))
}

fn loopback<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<SocketAddr>, D::Error> {
    let Some(text) = Option::<String>::deserialize(reader)? else { return Ok(None) };
    match text.trim().parse::<SocketAddr>() {
        Ok(address) if address.ip().is_loopback() => Ok(Some(address)),
        Ok(_) | Err(_) => {
            let why =
                "it must be a loopback address with a port, because whoever reaches it can talk to workers";
            Err(D::Error::custom(Refusal::new(why).example("127.0.0.1:7823")))
        }
    }
}
