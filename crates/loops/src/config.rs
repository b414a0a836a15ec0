//! `loop.config.yaml`: flat, one key a line, owned by a person.
//!
//! ```yaml
//! name: ci-watch             # as the folder is called
//! pattern: ci-watch          # one of the patterns of `scaffold`
//! tier: L2                   # L1 looks, L2 proposes from a worktree, L3 acts in isolation
//! cadence: 10m               # 10m, 1h, 6h, 1d, 1w, or five fields of cron
//! goal: Fix what broke the build. Do not touch the pipeline itself.
//! scope: [src/**, tests/**]  # or one text with commas between globs
//! verify: make test          # from L2 on, as guard, worktree and land_via
//! guard: git diff --quiet HEAD -- ci/
//! permission_mode: acceptEdits
//! worktree: true
//! escalation: Ask in the channel of the team.
//! budget_tokens: 20000       # output tokens a run
//! kill_switch: .loops/PAUSED
//! land_via: pull request
//! engine: claude             # with `command` and `model`, as for partitions
//! ```
//!
//! Reading is lenient, because `check` reports everything at once: any flat mapping is read, whatever its keys. A byte
//! order mark and Windows line ends are tolerated.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use subcortex_known_agents::headless::PermissionMode;
use subcortex_store::{Disk, durable};
use subcortex_yaml::Problem;

use crate::check::speaks_of_isolation;

/// The name of the config in a loop's folder.
pub const FILE: &str = "loop.config.yaml";
/// The longest config that is read, in bytes.
const MAX_CONFIG_BYTES: u64 = 256 * 1024;

/// The longest name, in bytes: it becomes part of branches and paths.
const MAX_NAME_BYTES: usize = 64;

/// Every key that a config may have.
pub const KEYS: [&str; 17] = [
    "name",
    "pattern",
    "tier",
    "cadence",
    "goal",
    "scope",
    "verify",
    "guard",
    "permission_mode",
    "worktree",
    "escalation",
    "budget_tokens",
    "kill_switch",
    "land_via",
    "engine",
    "command",
    "model",
];

/// Whether a loop can be called so: letters, digits, `-` and `_`, beginning with a letter or digit.
pub fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphanumeric())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
        && name.len() <= MAX_NAME_BYTES
}

/// How much a loop may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Tier {
    /// Looks and reports; writes nothing but its state.
    L1,
    /// Proposes changes from a worktree of its own; somebody else lands them.
    L2,
    /// Acts by itself, isolated.
    L3,
}

impl Tier {
    /// Whether it forbids a mode: an agent would be allowed more than the tier is. No run starts like that.
    pub fn forbids(self, mode: PermissionMode) -> bool {
        match (self, mode) {
            (Tier::L1, PermissionMode::Plan | PermissionMode::DontAsk) => false,
            (
                Tier::L1,
                PermissionMode::Auto | PermissionMode::AcceptEdits | PermissionMode::BypassPermissions,
            ) => true,
            (Tier::L2, mode) => mode == PermissionMode::BypassPermissions,
            (Tier::L3, _) => false,
        }
    }

    /// Whether a mode makes sense: neither forbidden, nor too little to do the work.
    pub fn suits(self, mode: PermissionMode) -> bool {
        !self.forbids(mode) && (self == Tier::L1 || mode != PermissionMode::Plan)
    }

    /// Reads `L1`, `L2` or `L3`.
    pub fn parse(word: &str) -> Option<Tier> {
        match word {
            "L1" => Some(Tier::L1),
            "L2" => Some(Tier::L2),
            "L3" => Some(Tier::L3),
            _ => None,
        }
    }
}

/// What one key holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Nothing behind the colon.
    Nothing,
    /// One value, as text.
    Text(String),
    /// A list of such values.
    List(Vec<String>),
    /// Keys below a key, or lists in a list: not flat.
    Nested,
}

/// A config as it is written.
#[derive(Debug, Clone)]
pub struct LoopConfig {
    values: BTreeMap<String, Value>,
    /// On which line the value of each key stands.
    lines: BTreeMap<String, usize>,
}

/// Why there is no config to look at.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Missing, too long, not text, or the disk failed.
    #[error("{0}\nmake a loop with `subcortex loop scaffold NAME --pattern PATTERN`")]
    Read(#[from] durable::ReadError),
    /// Not YAML, or no mapping.
    #[error("{}", .problem.at(.file))]
    NotYaml {
        /// Its path, for the message.
        file: String,
        /// What is wrong with it.
        problem: Box<Problem>,
    },
}

impl LoopConfig {
    /// Reads the config of a loop's folder.
    pub fn read(disk: &dyn Disk, dir: &Path) -> Result<LoopConfig, ConfigError> {
        let path = dir.join(FILE);
        let text = durable::read_text(disk, &path, MAX_CONFIG_BYTES)?;
        LoopConfig::parse(&text).map_err(|problem| ConfigError::NotYaml {
            file: path.display().to_string(),
            problem: problem.into(),
        })
    }

    /// Reads any mapping of one level.
    pub fn parse(text: &str) -> Result<LoopConfig, Problem> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
        let (values, lines) = subcortex_yaml::from_str_with_lines(&text)?;
        Ok(LoopConfig { values, lines })
    }

    /// The value of a key, if there is one.
    pub fn value(&self, key: &str) -> &Value {
        self.values.get(key).unwrap_or(&Value::Nothing)
    }

    /// The text of a key; `None` where there is none, or only blanks.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.value(key) {
            Value::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            Value::Nothing | Value::List(_) | Value::Nested => None,
        }
    }

    /// The items of a list, or the parts of a text between commas.
    pub fn items(&self, key: &str) -> Vec<&str> {
        let items: Vec<&str> = match self.value(key) {
            Value::Text(text) => text.split(',').collect(),
            Value::List(items) => items.iter().map(String::as_str).collect(),
            Value::Nothing | Value::Nested => Vec::new(),
        };
        items.into_iter().map(str::trim).filter(|item| !item.is_empty()).collect()
    }

    /// The tier, if it is one.
    pub fn tier(&self) -> Option<Tier> {
        self.text("tier").and_then(Tier::parse)
    }

    /// Output tokens that a run may use; underscores between digits are fine.
    pub fn budget_tokens(&self) -> Option<u64> {
        self.text("budget_tokens")?.replace('_', "").parse().ok().filter(|tokens| *tokens > 0)
    }

    /// The program of engine `command` and its arguments; a text is split as a shell would.
    pub fn argv(&self) -> Vec<String> {
        match self.value("command") {
            Value::List(words) => words.clone(),
            Value::Text(line) => shlex::split(line).unwrap_or_default(),
            Value::Nothing | Value::Nested => Vec::new(),
        }
    }

    /// What agents may do without asking; without a word the least.
    pub fn permission_mode(&self) -> Option<PermissionMode> {
        self.text("permission_mode").map_or(Some(PermissionMode::Plan), PermissionMode::parse)
    }

    /// Whether anything in it says what the loop is isolated by.
    pub fn names_isolation(&self) -> bool {
        self.values.values().any(|value| match value {
            Value::Text(text) => speaks_of_isolation(text),
            Value::List(items) => items.iter().any(|item| speaks_of_isolation(item)),
            Value::Nothing | Value::Nested => false,
        })
    }

    /// The line on which the value of a key stands, counted from 1.
    pub fn line(&self, key: &str) -> Option<usize> {
        self.lines.get(key).copied()
    }

    /// All keys with their values.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values.iter().map(|(key, value)| (key.as_str(), value))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("one value or a list of values")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        let mut is_flat = true;
        while let Some(item) = list.next_element()? {
            match item {
                Value::Text(text) => items.push(text),
                Value::Nothing => {}
                Value::List(_) | Value::Nested => is_flat = false,
            }
        }
        Ok(if is_flat { Value::List(items) } else { Value::Nested })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Nested)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_text_or_lists_and_anything_deeper_is_nested() {
        let config = LoopConfig::parse(
            "\u{feff}name: ci\r\nscope: a/**, b/**\r\nworktree: true\r\nbudget_tokens: 20_000\r\ncommand: [x, -v]\r\nloop:\r\n  name: y\r\nempty:\r\n",
        )
        .unwrap();
        assert_eq!(config.text("name"), Some("ci"));
        assert_eq!(config.items("scope"), ["a/**", "b/**"]);
        assert_eq!(config.text("worktree"), Some("true"));
        assert_eq!(config.budget_tokens(), Some(20_000));
        assert_eq!(config.value("command"), &Value::List(vec!["x".into(), "-v".into()]));
        assert_eq!((config.value("loop"), config.value("empty")), (&Value::Nested, &Value::Nothing));
        assert_eq!(config.line("budget_tokens"), Some(4));
    }

    #[test]
    fn what_is_no_mapping_is_a_problem_with_a_place() {
        for broken in ["- a\n- b\n", "name: [a\n", "just words\n", "a: b\n  c: d\n", "a: 1\na: 2\n"] {
            assert!(LoopConfig::parse(broken).unwrap_err().line.is_some(), "{broken}");
        }
    }

    #[test]
    fn a_tier_forbids_what_is_more_than_it_may_do() {
        let forbidden = |tier: Tier| {
            let modes = PermissionMode::ALL.into_iter().filter(move |mode| tier.forbids(*mode));
            modes.map(PermissionMode::word).collect::<Vec<_>>()
        };
        assert_eq!(forbidden(Tier::L1), ["auto", "acceptEdits", "bypassPermissions"]);
        assert_eq!(forbidden(Tier::L2), ["bypassPermissions"]);
        assert_eq!(forbidden(Tier::L3), [""; 0]);
    }
}
