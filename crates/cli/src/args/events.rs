//! The event log, and the agents that fill it.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Subcommand, ValueEnum};
use subcortex_known_agents::{AGENTS, Agent};

use super::Json;

#[derive(Debug, clap::Args)]
pub(crate) struct Event {
    #[command(subcommand)]
    pub(crate) command: EventCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventCommand {
    /// Append one event and print its id
    Add(EventAdd),
}

#[derive(Debug, clap::Args)]
pub(crate) struct EventAdd {
    /// The source, such as `claude`; subcortex's own kinds never count as evidence
    #[arg(long)]
    pub(crate) kind: String,
    /// What happened, such as `channel.message`; a message added from an agent's shell never counts as a person's words
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) event_type: String,
    /// The sender's own name
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The conversation it belongs to
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// The turn within the conversation
    #[arg(long)]
    pub(crate) turn: Option<String>,
    /// The project folder it happened in
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// When it happened, in RFC 3339 [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) ts: Option<jiff::Timestamp>,
    /// An id by which a second report of the same thing is recognised
    #[arg(long, value_name = "ID")]
    pub(crate) source_id: Option<String>,
    #[command(flatten)]
    pub(crate) content: EventContent,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct EventContent {
    /// What was said
    #[arg(long)]
    pub(crate) text: Option<String>,
    /// What was said or done, as a JSON object; `-` reads it from standard input
    #[arg(long, value_name = "JSON")]
    pub(crate) payload: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Import {
    /// The agent; `auto` imports the sessions of every agent that is found
    pub(crate) agent: ImportFrom,
    /// Session files, or folders of them: `.jsonl` and `.jsonl.zst` [default: where the agent keeps them]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Only sessions of this project: started in this folder, below it, or in a worktree of it
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose sessions are imported.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ImportFrom {
    /// Those of every agent that has any.
    Auto,
    /// Those of one.
    Agent(&'static Agent),
}

impl ValueEnum for ImportFrom {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<ImportFrom>> = LazyLock::new(|| {
            let agents = AGENTS.iter().map(|agent| ImportFrom::Agent(agent));
            std::iter::once(ImportFrom::Auto).chain(agents).collect()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Auto => Some(PossibleValue::new("auto").help("every agent that has sessions")),
            Self::Agent(agent) => {
                let Agent { name, title, config_dir, sessions, .. } = agent;
                let folder = sessions.folders.first().copied().unwrap_or_default();
                let help = format!("{title}, by default `~/{}/{folder}`", config_dir.usual);
                Some(PossibleValue::new(*name).help(help))
            }
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Connect {
    /// Which agent
    pub(crate) agent: AgentName,
    /// Make the changes without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Hook {
    /// What happened, such as `PostToolUse`; the rest comes as JSON on standard input
    pub(crate) event: String,
    /// The agent [default: recognised from the input]
    #[arg(long)]
    pub(crate) agent: Option<AgentName>,
    /// At the start of a session, answer with the memory, so that the agent knows it
    #[arg(long)]
    pub(crate) inject: bool,
}

/// The name of an agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AgentName(pub(crate) &'static Agent);

impl ValueEnum for AgentName {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<AgentName>> =
            LazyLock::new(|| AGENTS.iter().map(|agent| AgentName(agent)).collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let Agent { name, title, config_dir, .. } = self.0;
        let files = self.0.settings().map(|settings| {
            let file = |file: &str| format!("`~/{}/{file}`", config_dir.usual);
            let memory = settings.memory_file.map(|memory| format!(", the memory in {}", file(memory)));
            format!(": its hooks stand in {}{}", file(settings.file), memory.unwrap_or_default())
        });
        let help = format!("{title}{}", files.unwrap_or_default());
        Some(PossibleValue::new(*name).help(help))
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Spine {
    #[command(subcommand)]
    pub(crate) command: SpineCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SpineCommand {
    /// Show the newest events
    Tail(Tail),
    /// Print all events as stored, including those of compressed days
    Cat(Filter),
    /// Check every record of the log
    Verify(Json),
    /// Show statistics of the log
    Stats(Json),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Tail {
    #[command(flatten)]
    pub(crate) filter: Filter,
    /// Keep showing new events
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// How many events to show first
    #[arg(short = 'n', long, default_value_t = 10)]
    pub(crate) lines: usize,
    /// Print each event as a line of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Filter {
    /// Only events of this source kind
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Only events of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) event_type: Option<String>,
}
