//! Where a run finds its model: from the settings, the environment, and the partition's definition.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use subcortex_cadence::Definition;
use subcortex_config::{Api, Config, PerAgent, Program};
use subcortex_home::Home;
use subcortex_known_agents::Agent;
use subcortex_llm::{Client, Endpoint, Key, Wire};
use subcortex_mind::Mind;
use subcortex_store::locked;
use subcortex_store::{Disk, durable};
use subcortex_usage::{Account, Caps, Price, Prices, Purse};

use crate::Variables;
use crate::engines::engine_of;

/// What a partition's `model:` says that leaves the choice to the settings.
const INHERIT: &str = "inherit";
/// The largest file that is read for a key, in bytes.
const MAX_KEY_FILE_BYTES: u64 = 4 * 1024;
/// Permission bits of others than the owner.
const OTHERS: u32 = 0o077;

/// The settings that are about models.
#[derive(Debug, Clone, PartialEq)]
struct Settings {
    api: Api,
    agents: PerAgent<Program>,
    tokens_per_run: Option<u64>,
}

impl Settings {
    fn of(config: &Config) -> Self {
        let Config { api, agents, budget, .. } = config.clone();
        Self { api, agents, tokens_per_run: budget.tokens_per_run }
    }
}

/// Makes minds and purses for runs.
#[derive(Debug)]
pub struct Minds {
    disk: Arc<dyn Disk>,
    variables: Variables,
    user_home: Option<PathBuf>,
    settings: Mutex<Settings>,
    /// What was spent.
    pub account: Arc<Account>,
}

impl Minds {
    /// From the settings, and from what is handed to the process.
    pub fn new(
        disk: &Arc<dyn Disk>,
        home: &Home,
        variables: Variables,
        environment: &BTreeMap<OsString, OsString>,
        config: &Config,
    ) -> Self {
        Self {
            account: Arc::new(Account::new(Arc::clone(disk), home.usage(), caps(config))),
            disk: Arc::clone(disk),
            variables,
            user_home: environment.get(OsStr::new("HOME")).map(PathBuf::from),
            settings: Mutex::new(Settings::of(config)),
        }
    }

    /// Takes over new settings, for runs that begin from now on.
    pub fn reconfigure(&self, config: &Config) {
        *locked(&self.settings) = Settings::of(config);
        self.account.set_caps(caps(config));
    }

    /// The purse of a run.
    pub(crate) fn purse(&self, partition: &str, run_id: &str, definition: &Definition) -> Arc<Purse> {
        let (tokens, usd) = self.limits(definition);
        Arc::new(Purse::new(Arc::clone(&self.account), partition, run_id, tokens, usd))
    }

    /// How many tokens a run of a partition may use, and how much money its day may cost.
    pub fn limits(&self, definition: &Definition) -> (Option<u64>, Option<f64>) {
        let tokens = definition.budget.tokens_per_run.or(locked(&self.settings).tokens_per_run);
        (tokens, definition.budget.usd_per_day)
    }

    /// How many tokens a run may use that has no definition.
    pub fn tokens_per_run(&self) -> Option<u64> {
        locked(&self.settings).tokens_per_run
    }

    /// The model that runs of a definition use, in words.
    pub fn model_in_words(&self, definition: &Definition) -> String {
        model_of(definition).unwrap_or_else(|| engine_of(definition).usual_model(self))
    }

    /// The model behind `api`, if the settings name one.
    pub(crate) fn api_model(&self) -> Option<String> {
        locked(&self.settings).api.model.clone()
    }

    /// The program of an agent.
    pub fn program(&self, agent: &Agent) -> String {
        locked(&self.settings).agents.of(agent).0
    }

    /// What those programs find in their environment besides what every program does.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// The model behind `api`, or why there is none and what to do.
    pub fn api(&self, definition: &Definition) -> Result<Arc<dyn Mind>, String> {
        let api = locked(&self.settings).api.clone();
        let missing = |key: &str, example: &str| {
            format!(
                "engine `api` has no {key}: write `{example}` below `api:` in config/subcortex.yaml, or choose another \
                 engine"
            )
        };
        let base_url =
            api.base_url.clone().ok_or_else(|| missing("address", "base_url: https://api.anthropic.com"))?;
        let own = Some(definition.model.clone()).filter(|model| model != INHERIT);
        let model =
            own.or_else(|| api.model.clone()).ok_or_else(|| missing("model", "model: the-model's-name"))?;
        let endpoint = Endpoint {
            wire: match api.wire {
                subcortex_config::Wire::Anthropic => Wire::Anthropic,
                subcortex_config::Wire::OpenaiChat => Wire::OpenAiChat,
                subcortex_config::Wire::OpenaiResponses => Wire::OpenAiResponses,
            },
            base_url,
            model,
            key: self.key(&api)?,
            max_retries: api.max_retries,
            silence_ms: api.silence_ms,
        };
        let client = Client::new(endpoint).map_err(|failure| failure.to_string())?;
        Ok(Arc::new(client))
    }

    /// From the file, else from the variable that is named, else from the usual one.
    fn key(&self, api: &Api) -> Result<Option<Key>, String> {
        let text = if let Some(file) = &api.key_file {
            Some(self.key_of_file(file)?)
        } else if let Some(name) = &api.key_env {
            let unset = || {
                format!(
                    "`api.key_env` names ${name}, which is not set for the daemon: set it (for a service, in its \
                     environment), or use `api.key_file`"
                )
            };
            Some(self.variables.text(name).ok_or_else(unset)?)
        } else {
            self.variables.text(match api.wire {
                subcortex_config::Wire::Anthropic => "ANTHROPIC_API_KEY",
                subcortex_config::Wire::OpenaiChat | subcortex_config::Wire::OpenaiResponses => {
                    "OPENAI_API_KEY"
                }
            })
        };
        text.map(Key::new).transpose().map_err(|problem| problem.to_string())
    }

    fn key_of_file(&self, file: &str) -> Result<String, String> {
        let path = match (file.strip_prefix("~/"), &self.user_home) {
            (Some(below), Some(home)) => home.join(below),
            (Some(_), None) | (None, _) => PathBuf::from(file),
        };
        let about = |why: String| format!("`api.key_file` cannot be used: {why}");
        if !path.is_absolute() {
            return Err(about(format!("{file} is not an absolute path")));
        }
        let found = self.disk.stat(&path).map_err(|error| about(format!("{}: {error}", path.display())))?;
        if found.mode & OTHERS != 0 {
            let shown = path.display();
            return Err(about(format!("others can read {shown}; run `chmod 600 {shown}`")));
        }
        let text = durable::read_text(&*self.disk, &path, MAX_KEY_FILE_BYTES)
            .map_err(|error| about(error.to_string()))?;
        Ok(text.trim().to_owned())
    }
}

fn caps(config: &Config) -> Caps {
    let prices = config.budget.prices.iter().map(|(model, price)| {
        let subcortex_config::Price { input, output, cache_read, cache_write } = *price;
        (model.clone(), Price { input, output, cache_read, cache_write })
    });
    Caps { usd_per_day: config.budget.usd_per_day, prices: Prices(prices.collect()) }
}

/// The model that an agent's own program is told to use; `None` leaves it to the program.
pub fn model_of(definition: &Definition) -> Option<String> {
    Some(definition.model.clone()).filter(|model| model != INHERIT)
}
