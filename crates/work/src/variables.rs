//! The environment of the process, for the few things in it that models and agents need.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

/// Beginnings of the variables that an agent's own program finds: its keys, its endpoint, its files, and the way out of
/// the machine. No other program gets them.
const OF_AGENTS: [&str; 6] = ["ANTHROPIC_", "CLAUDE_CODE_", "CLAUDE_CONFIG_DIR", "OPENAI_", "CODEX_", "AWS_"];
const OF_THE_NETWORK: [&str; 7] =
    ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE"];

/// All variables of the process. They hold keys, so they are never shown.
#[derive(Clone, Default)]
pub struct Variables(BTreeMap<OsString, OsString>);

impl Variables {
    /// These variables.
    pub fn new(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self(all.into_iter().collect())
    }

    /// The value of one, if it is text.
    pub fn text(&self, name: &str) -> Option<String> {
        self.0.get(&OsString::from(name))?.clone().into_string().ok().filter(|value| !value.is_empty())
    }

    /// What an agent's own program finds.
    pub(crate) fn of_agents(&self) -> impl Iterator<Item = (OsString, OsString)> + '_ {
        let is_theirs = |name: &str| {
            OF_AGENTS.iter().any(|beginning| name.starts_with(beginning)) || OF_THE_NETWORK.contains(&name)
        };
        let theirs = self.0.iter().filter(move |(name, _)| name.to_str().is_some_and(is_theirs));
        theirs.map(|(name, value)| (name.clone(), value.clone()))
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} variables", self.0.len())
    }
}
