//! Workers: their tasks, when they run, what they keep for themselves.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, clap::Args)]
pub(crate) struct Tick {
    /// Only this worker, ignoring its cooldown
    #[arg(long, value_name = "WORKER")]
    pub(crate) partition: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Drop {
    /// The worker; `inbox` is the shared queue, where the task's leading [marker] decides who gets it
    #[arg(value_name = "WORKER")]
    pub(crate) partition: String,
    /// The file with the task; `-` reads it from standard input
    pub(crate) file: PathBuf,
    /// The task's name [default: the file's name, or a generated one]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// Wait for the result and print it; a worker in its cooldown runs at once
    #[arg(long)]
    pub(crate) wait: bool,
    /// Stop waiting after this time; the task stays in the queue
    #[arg(long, value_name = "SECONDS", requires = "wait")]
    pub(crate) timeout: Option<u64>,
}

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Inbox {
    /// Only this worker; `inbox` is the shared queue
    #[arg(value_name = "WORKER")]
    pub(crate) partition: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<InboxCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum InboxCommand {
    /// Retry a held task
    Retry {
        /// Whose task it is
        #[arg(value_name = "WORKER")]
        partition: String,
        /// Its name
        name: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Pause {
    /// Only this worker
    #[arg(value_name = "WORKER")]
    pub(crate) partition: Option<String>,
    /// The reason, which `status` shows
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Resume {
    /// Only this worker
    #[arg(value_name = "WORKER")]
    pub(crate) partition: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Whoami {
    /// Its name
    pub(crate) worker: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Scratchpad {
    #[command(subcommand)]
    pub(crate) command: ScratchpadCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ScratchpadCommand {
    /// Print the free text
    Show {
        /// Its name
        worker: String,
    },
    /// Replace the free text; needs the worker's own $SUBCORTEX_TOKEN
    Set {
        /// Its name
        worker: String,
        /// The new text; `-` reads it from standard input
        #[arg(default_value = "-")]
        text: String,
    },
    /// Empty it; the old content is kept as a snapshot
    Reset {
        /// Its name
        worker: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Blackboard {
    #[command(subcommand)]
    pub(crate) command: BlackboardCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BlackboardCommand {
    /// Append an entry; a refused one is not stored, and the exit code is 2
    Append {
        /// The thread
        thread: String,
        /// supervisor, worker or user; inside a run the token decides
        #[arg(long)]
        role: Option<String>,
        /// Your id; inside a run the token decides
        #[arg(long = "as", value_name = "ID")]
        id: Option<String>,
        /// The entry: `kind` and its fields; `-` reads it from standard input
        entry_json: String,
    },
    /// Show the entries, and the state that they add up to
    Read {
        /// The thread
        thread: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show a thread as it grows
    Watch {
        /// The thread
        thread: String,
    },
}
