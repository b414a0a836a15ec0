//! The settings of a home: `config/subcortex.yaml`, typed.
//!
//! This crate turns the file's text into a [`Config`] or a [`Problem`] with its position, and describes
//! the same keys as a JSON schema for editors. It opens no file: whoever has the text calls
//! [`Config::parse`].
//!
//! ```yaml
//! cadence:
//!   interval_ms: 60000        # 1000 to 86400000
//!   max_parallel: 2           # 1 to 64
//! spine:
//!   compress_after_days: 7    # 1 to 36500
//!   retention_days: null      # null: for ever; else compress_after_days to 36500
//! api:                        # the model behind engine api
//!   wire: anthropic           # anthropic, openai-chat, openai-responses
//!   base_url: null
//!   model: null
//! budget:
//!   tokens_per_run: 200000
//!   usd_per_day: null
//!   prices: {}                # some-model: {input: 3.0, output: 15.0}
//!   prices_as_of: null        # 2026-01-31
//! log:
//!   level: info               # error, warn, info, debug, trace
//!   max_bytes: 10485760       # 65536 or more
//!   keep_files: 5             # 1 to 100
//! ```
//!
//! (Not all keys are shown: the template in `bootstrap/` has them.) Every key may be missing, an empty file is all defaults, and an unknown key is refused.

mod fleet;
mod loops;
mod models;
mod per_agent;
#[cfg(feature = "schema")]
mod schema;
mod settings;
mod template;

pub use fleet::Fleet;
pub use loops::Loops;
pub use models::{Api, Budget, Price, Program, Web, Wire};
pub use per_agent::{OfAgent, PerAgent};
#[cfg(feature = "schema")]
pub use schema::schema_json;
pub use settings::{Ask, Blackboard, Broadcast, BroadcastMode, Cadence, Config, Follow, Level, Log, Spine};
pub use subcortex_yaml::Problem;
pub use template::TEMPLATE;

/// Where the file stands, below the home.
pub const FILE: &str = "config/subcortex.yaml";
