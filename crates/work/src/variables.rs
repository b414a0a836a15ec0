//! The environment of the process, for the few things in it that models and agents need.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use subcortex_known_agents::AGENTS;

/// How to reach the network. Only the agents' own programs are given these, along with their keys and files.
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
    pub fn of_agents(&self) -> impl Iterator<Item = (OsString, OsString)> + '_ {
        let beginnings =
            || AGENTS.iter().filter_map(|agent| agent.cli.as_ref()).flat_map(|cli| cli.variables);
        let is_theirs = move |name: &str| {
            beginnings().any(|beginning| name.starts_with(beginning)) || OF_THE_NETWORK.contains(&name)
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
