//! What the process finds around itself. Everything else is handed what it needs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use subcortex_daemon::Variables;
use subcortex_home::Home;
use subcortex_known_agents::{AGENTS, Agent};

use crate::failure::Failure;

/// The command line and the environment, looked at once.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The words of the command line, the program's name first.
    pub args: Vec<OsString>,
    /// `$SUBCORTEX_HOME`.
    pub subcortex_home: Option<PathBuf>,
    /// `$HOME`.
    pub user_home: Option<PathBuf>,
    /// Where the command was typed.
    pub current_dir: Option<PathBuf>,
    /// Tells this run of the kernel from the one before a power cut.
    pub boot_id: String,
    /// What programs that subcortex starts may find in their environment: nothing but these.
    pub environment: BTreeMap<OsString, OsString>,
    /// All variables, for the keys of models and for the agents' own programs.
    pub variables: Variables,
    /// Where a service manager listens (`$NOTIFY_SOCKET`), and how often it wants to hear (`$WATCHDOG_USEC`).
    pub notify_socket: Option<OsString>,
    /// The second of the two.
    pub watchdog_usec: Option<u64>,
    /// This program's own path.
    pub program: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`.
    pub xdg_config_home: Option<PathBuf>,
    /// `$XDG_CACHE_HOME`.
    pub xdg_cache_home: Option<PathBuf>,
    /// Where agents keep their files instead of the usual place, by their names: `$CLAUDE_CONFIG_DIR`, `$CODEX_HOME`.
    pub config_dirs: BTreeMap<&'static str, PathBuf>,
    /// Whether a run of subcortex is above this process (`$SUBCORTEX_RUN_ID`): what it does is no evidence.
    pub is_own_run: bool,
    /// The agent in whose shell this is called, by a variable that it sets there, here or further up.
    pub agent_shell: Option<&'static str>,
    /// The agent whose program is above this process. It calls hooks, too.
    pub agent_above: Option<&'static str>,
    /// How the agent that calls a hook was started: `$CLAUDE_CODE_ENTRYPOINT`.
    pub entrypoint: Option<String>,
    /// The session of the agent that started this program: `$CLAUDE_CODE_SESSION_ID`.
    pub session: Option<String>,
    /// Whether standard error leads to the journal of systemd (`$JOURNAL_STREAM`).
    pub is_journal: bool,
    /// Whether there is a screen on which a browser could be opened.
    pub has_display: bool,
    /// Whether the person wants no colours (`$NO_COLOR`), or the terminal has none.
    pub is_plain: bool,
    /// What long answers are read with (`$PAGER`); an empty one is a wish for none.
    pub pager: Option<String>,
    /// Whether the person set how `less` is to behave (`$LESS`).
    pub has_less_settings: bool,
}

/// Whether standard error is the stream that systemd names: somebody may have sent it elsewhere since.
fn leads_to_journal(stream: Option<&str>) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(stderr) = std::fs::metadata("/proc/self/fd/2") else { return false };
    stream == Some(&*format!("{}:{}", stderr.dev(), stderr.ino()))
}

/// The variables that pass through to programs: what finds programs, speaks the person's language and knows
/// the time. Never keys or tokens.
const PASSED_ON: [&str; 10] =
    ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];

/// What agents that are not read here set in their shells, and what they are called.
const OTHER_AGENTS: [(&str, &str); 8] = [
    ("GEMINI_CLI", "Gemini CLI"),
    ("CURSOR_AGENT", "Cursor"),
    ("OPENCODE", "OpenCode"),
    ("CLINE_ACTIVE", "Cline"),
    ("COPILOT_CLI", "Copilot CLI"),
    ("AIDER", "aider"),
    ("AI_AGENT", "an agent"),
    ("AGENT", "an agent"),
];

/// The agent in whose shells there is a variable that is set here.
fn agent_with(is_set: impl Fn(&str) -> bool) -> Option<&'static str> {
    let known = AGENTS.iter().find(|agent| agent.shell_variables.iter().any(|name| is_set(name)));
    let other = || OTHER_AGENTS.iter().find(|(name, _)| is_set(name)).map(|(_, title)| *title);
    known.map(|agent| agent.title).or_else(other)
}

impl Surroundings {
    /// Looks around.
    #[allow(clippy::disallowed_methods, reason = "the one place where the program may look around")]
    pub fn from_process() -> Self {
        let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let ancestors = subcortex_engine::ancestors();
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        Self {
            args: std::env::args_os().collect(),
            subcortex_home: path("SUBCORTEX_HOME"),
            user_home: path("HOME"),
            current_dir: std::env::current_dir().ok(),
            boot_id: boot_id.trim().to_owned(),
            environment: PASSED_ON
                .iter()
                .filter_map(|name| Some((OsString::from(name), std::env::var_os(name)?)))
                .collect(),
            variables: Variables::new(std::env::vars_os()),
            notify_socket: std::env::var_os("NOTIFY_SOCKET"),
            watchdog_usec: subcortex_service::watchdog_usec(
                std::env::var_os("WATCHDOG_USEC").as_deref(),
                std::env::var_os("WATCHDOG_PID").as_deref(),
                std::process::id(),
            ),
            program: std::env::current_exe().ok(),
            xdg_config_home: path("XDG_CONFIG_HOME"),
            xdg_cache_home: path("XDG_CACHE_HOME"),
            config_dirs: AGENTS
                .iter()
                .filter_map(|agent| Some((agent.name, path(agent.config_dir.variable)?)))
                .collect(),
            // The environment can be emptied by whoever is in it.
            is_own_run: path("SUBCORTEX_RUN_ID").is_some()
                || i32::try_from(std::process::id()).is_ok_and(subcortex_engine::is_part_of_a_run),
            // Who takes the variable out of a command has it in the shell above.
            agent_shell: agent_with(|name| {
                path(name).is_some() || ancestors.iter().any(|ancestor| ancestor.has(name))
            }),
            agent_above: AGENTS
                .iter()
                .find(|agent| {
                    ancestors.iter().any(|ancestor| {
                        let is_there = |folders: &&str| ancestor.lies_in(folders);
                        ancestor.runs(agent.name) || agent.lies_in.iter().any(is_there)
                    })
                })
                .map(|agent| agent.title),
            entrypoint: AGENTS
                .iter()
                .filter_map(|agent| agent.hooks.as_ref()?.entrypoint)
                .find_map(|name| std::env::var(name).ok()),
            session: AGENTS
                .iter()
                .filter_map(|agent| agent.hooks.as_ref()?.session)
                .find_map(|name| std::env::var(name).ok()),
            is_journal: leads_to_journal(std::env::var("JOURNAL_STREAM").ok().as_deref()),
            has_display: path("DISPLAY").is_some() || path("WAYLAND_DISPLAY").is_some(),
            pager: std::env::var("PAGER").ok(),
            has_less_settings: path("LESS").is_some(),
            is_plain: path("NO_COLOR").is_some() || path("TERM").is_none_or(|term| term == *"dumb"),
        }
    }

    /// The agent by which this program is called, if it is.
    pub(crate) fn calling_agent(&self) -> Option<&'static str> {
        self.agent_shell.or(self.agent_above)
    }

    /// Whether standard error is a terminal that shows colours.
    pub fn colours_on_stderr(&self) -> bool {
        std::io::stderr().is_terminal() && !self.is_plain
    }

    /// Where an agent keeps its files, if that can be known.
    pub(crate) fn config_dir(&self, agent: &Agent) -> Option<PathBuf> {
        let usual = || Some(self.user_home.as_ref()?.join(agent.config_dir.usual));
        let dir = self.config_dirs.get(agent.name).cloned().or_else(usual)?;
        if dir.is_absolute() { Some(dir) } else { Some(self.current_dir.as_ref()?.join(dir)) }
    }

    /// The home of whoever names none.
    pub(crate) fn usual_home(&self) -> Option<Home> {
        self.user_home.as_ref().map(|home| Home::at(home.join(".subcortex")))
    }

    /// The home: `--home`, else `$SUBCORTEX_HOME`, else `~/.subcortex`. It is never searched for.
    pub(crate) fn home(&self, flag: Option<&Path>) -> Result<Home, Failure> {
        let named = flag.map(Path::to_owned).or_else(|| self.subcortex_home.clone());
        let path =
            named.or_else(|| self.usual_home().map(|home| home.root().to_owned())).ok_or_else(|| {
                Failure::refused(
                    "no home is known: give one with --home DIR, or set $SUBCORTEX_HOME or $HOME",
                )
            })?;
        let absolute = if path.is_absolute() {
            path
        } else {
            let here = self.current_dir.as_deref().ok_or_else(|| {
                Failure::refused("cannot determine the current folder; give an absolute path with --home")
            })?;
            here.join(path)
        };
        Ok(Home::at(absolute.components().collect::<PathBuf>()))
    }
}
