//! The keys, their defaults and their limits.

use jiff::SignedDuration;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use subcortex_known_agents::Agent;
use subcortex_yaml::number::{UNLIMITED, optional_within, within};
use subcortex_yaml::{Problem, Refusal, from_str};

use crate::fleet::{Fleet, is_redis_url};
use crate::loops::{Loops, section_or_roots};
use crate::models::{Api, Budget, Program, Web};
use crate::per_agent::{OfAgent, PerAgent};

// The limits appear twice below each key, for the reader and for the schema; a test holds the two together.
const INTERVAL_MS_MIN: u64 = 1_000;
const INTERVAL_MS_MAX: u64 = 86_400_000;
const MAX_PARALLEL_MIN: u64 = 1;
const MAX_PARALLEL_MAX: u64 = 64;
const DAYS_MIN: u64 = 1;
/// A hundred years: far enough, and safe to add to any date.
const DAYS_MAX: u64 = 36_500;
const LOG_MAX_BYTES_MIN: u64 = 65_536;
const LOG_KEEP_FILES_MIN: u64 = 1;
const LOG_KEEP_FILES_MAX: u64 = 100;
const TTL_S_MIN: u64 = 1;
/// A year.
const TTL_S_MAX: u64 = 31_536_000;
/// A year.
const INTERVAL_HOURS_MAX: i64 = 8_760;

/// The settings of a home. Every key may be left out; a missing one has its default.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
#[cfg_attr(feature = "schema", schemars(title = "subcortex settings"))]
pub struct Config {
    /// When background work runs, and how much of it at once.
    pub cadence: Cadence,
    /// How long the log of events is kept, and in what form.
    pub spine: Spine,
    /// What may happen to memory/CLAUDE.md.
    pub broadcast: Broadcast,
    /// Whether the agents' transcripts are followed while they are written.
    pub tail: PerAgent<Follow>,
    /// The model behind engine api.
    pub api: Api,
    /// The programs behind the agents' engines.
    pub agents: PerAgent<Program>,
    /// What models may cost.
    pub budget: Budget,
    /// Where workers reach the daemon over HTTP.
    pub web: Web,
    /// Where the blackboards of supervised runs are kept.
    pub blackboard: Blackboard,
    /// The machines that share inboxes (`inbox: fleet`).
    pub fleet: Fleet,
    /// Scheduled work in repositories.
    #[serde(deserialize_with = "section_or_roots")]
    pub loops: Loops,
    /// The daemon's own log in var/log.
    pub log: Log,
}

/// Where the blackboards of supervised runs are kept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Blackboard {
    /// files (var/blackboard), or the URL of a Redis server that several machines share, such as redis://127.0.0.1:6379.
    #[serde(deserialize_with = "board_store")]
    pub store: String,
    /// How long a thread is kept after its last entry, in seconds.
    #[serde(deserialize_with = "within::<_, _, TTL_S_MIN, TTL_S_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = TTL_S_MIN, max = TTL_S_MAX)))]
    pub ttl_s: u64,
}

impl Default for Blackboard {
    fn default() -> Blackboard {
        Blackboard { store: "files".into(), ttl_s: 86_400 }
    }
}

fn board_store<'de, D: Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
    let text = String::deserialize(reader)?;
    if text == "files" || is_redis_url(&text) {
        return Ok(text);
    }
    let why = "it must be `files`, or the URL of a Redis server (redis://, rediss://, redis+unix://)";
    Err(D::Error::custom(Refusal::new(why).example("files")))
}

/// What may happen to memory/CLAUDE.md.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Broadcast {
    /// Whether edits are made, proposed, or only the evidence is kept.
    pub mode: BroadcastMode,
    /// The least time between two edits that nobody asked for, such as 3h or 90m. Each edit costs every session its
    /// prompt cache.
    #[serde(deserialize_with = "duration", serialize_with = "in_words")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub min_rewrite_interval: SignedDuration,
    /// Whether an agent asks the person about one proposal at the start of a session.
    pub ask: Ask,
}

impl Default for Broadcast {
    fn default() -> Broadcast {
        Broadcast {
            mode: BroadcastMode::Apply,
            min_rewrite_interval: SignedDuration::from_hours(3),
            ask: Ask::Never,
        }
    }
}

/// Where people are asked about proposals, besides review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    /// Nowhere.
    #[default]
    Never,
    /// The agent asks about one of them when a session begins; only the person's own yes accepts it.
    Session,
}

/// What happens to an edit that the evidence asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum BroadcastMode {
    /// It is made.
    #[default]
    Apply,
    /// It waits in memory/proposals for a person's yes.
    Propose,
    /// It is not made: evidence and ledger only.
    Observe,
}

fn duration<'de, D: Deserializer<'de>>(reader: D) -> Result<SignedDuration, D::Error> {
    let text = String::deserialize(reader)?;
    let refuse = || D::Error::custom(Refusal::new("it must be a length of time, such as 3h, 90m or 0s"));
    let duration: SignedDuration = text.trim().parse().map_err(|_| refuse())?;
    if duration.is_negative() || duration > SignedDuration::from_hours(INTERVAL_HOURS_MAX) {
        return Err(D::Error::custom(Refusal::new("it must be between 0s and 8760h, which is a year")));
    }
    Ok(duration)
}

fn in_words<S: Serializer>(duration: &SignedDuration, writer: S) -> Result<S::Ok, S::Error> {
    writer.collect_str(&format_args!("{duration:#}"))
}

/// When the transcripts of an agent are followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Follow {
    /// When the agent is connected.
    #[default]
    Auto,
    /// Always, also without a connection.
    Always,
    /// Never: the hooks and `subcortex import` are what tells.
    Never,
}

impl OfAgent for Follow {
    fn usual(_agent: &Agent) -> Follow {
        Follow::Auto
    }

    fn about(agent: &Agent) -> String {
        format!("Those of {}: auto (when it is connected), always or never.", agent.title)
    }
}

/// When background work runs, and how much of it at once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Cadence {
    /// Time between two ticks, in milliseconds. Cooldowns are counted in ticks.
    #[serde(deserialize_with = "within::<_, _, INTERVAL_MS_MIN, INTERVAL_MS_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = INTERVAL_MS_MIN, max = INTERVAL_MS_MAX)))]
    pub interval_ms: u64,
    /// How many partitions may run at the same time.
    #[serde(deserialize_with = "within::<_, _, MAX_PARALLEL_MIN, MAX_PARALLEL_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = MAX_PARALLEL_MIN, max = MAX_PARALLEL_MAX)))]
    pub max_parallel: usize,
}

impl Default for Cadence {
    fn default() -> Cadence {
        Cadence { interval_ms: 60_000, max_parallel: 2 }
    }
}

/// How long the log of events is kept, and in what form.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Spine {
    /// After how many days a day's events are compressed. They can still be read.
    #[serde(deserialize_with = "within::<_, _, DAYS_MIN, DAYS_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = DAYS_MIN, max = DAYS_MAX)))]
    pub compress_after_days: u32,
    /// After how many days a day's events are deleted, once three later days of the log lie as far behind it (a clock may be wrong), and not before they are compressed; null: never.
    #[serde(deserialize_with = "optional_within::<_, _, DAYS_MIN, DAYS_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = DAYS_MIN, max = DAYS_MAX)))]
    pub retention_days: Option<u32>,
}

impl Default for Spine {
    fn default() -> Spine {
        Spine { compress_after_days: 7, retention_days: None }
    }
}

/// The daemon's own log in var/log.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// The least important message that is written.
    pub level: Level,
    /// Size at which a new file is begun, in bytes.
    #[serde(deserialize_with = "within::<_, _, LOG_MAX_BYTES_MIN, UNLIMITED>")]
    #[cfg_attr(feature = "schema", schemars(range(min = LOG_MAX_BYTES_MIN)))]
    pub max_bytes: u64,
    /// How many files are kept; the oldest is removed when a new one is begun.
    #[serde(deserialize_with = "within::<_, _, LOG_KEEP_FILES_MIN, LOG_KEEP_FILES_MAX>")]
    #[cfg_attr(feature = "schema", schemars(range(min = LOG_KEEP_FILES_MIN, max = LOG_KEEP_FILES_MAX)))]
    pub keep_files: usize,
}

impl Default for Log {
    fn default() -> Log {
        Log { level: Level::Info, max_bytes: 10_485_760, keep_files: 5 }
    }
}

/// How important a log message is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A person must act.
    Error,
    /// Something was kept for later.
    Warn,
    /// The story of a tick.
    #[default]
    Info,
    /// What was decided, and why.
    Debug,
    /// Everything.
    Trace,
}

impl Level {
    /// The word in the file, which is also the word that log filters take.
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warn => "warn",
            Level::Info => "info",
            Level::Debug => "debug",
            Level::Trace => "trace",
        }
    }
}

impl Config {
    /// The longest settings file that is read, in bytes.
    pub const MAX_BYTES: u64 = 1024 * 1024;

    /// Reads the text of the file. The first problem is returned; show it with
    /// [`Problem::at`]`(`[`FILE`](crate::FILE)`)`.
    pub fn parse(text: &str) -> Result<Config, Problem> {
        let config: Config = from_str(text).map_err(send_to_its_section)?;
        let compress_after_days = config.spine.compress_after_days;
        match config.spine.retention_days {
            Some(days) if days < compress_after_days => Err(Problem::with_key(
                text,
                "spine.retention_days",
                format!("it must be at least spine.compress_after_days, which is {compress_after_days}"),
            )
            .hinting("raise it, lower the other, or write `retention_days: null` to keep everything")),
            Some(_) | None => Ok(config),
        }
    }
}

/// A key that is known in another section gets that section as its hint: it was probably switched on
/// without the section's own line.
fn send_to_its_section(problem: Problem) -> Problem {
    match problem.unknown_key.as_deref().and_then(section_of) {
        Some(section) => problem.hinting(format!("it belongs below `{section}:`, indented by two spaces")),
        None => problem,
    }
}

fn section_of(key: &str) -> Option<String> {
    let defaults = serde_json::to_value(Config::default()).ok()?;
    let (section, _) = defaults.as_object()?.iter().find(|(_, keys)| keys.get(key).is_some())?;
    Some(section.clone())
}
