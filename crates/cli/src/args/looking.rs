//! What is going on: status, the page, the log and runs.

use clap::Subcommand;

#[derive(Debug, clap::Args)]
pub(crate) struct Status {
    /// Print one JSON document
    #[arg(long, conflicts_with = "watch")]
    pub(crate) json: bool,
    /// Refresh every second
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Open {
    /// Only print the link; anyone who has it can see and change everything in this home
    #[arg(long)]
    pub(crate) print: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    /// Keep showing new lines
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// How many lines to show first
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(crate) lines: usize,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Runs {
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    /// How many runs to show, newest first
    #[arg(short = 'n', long, default_value_t = 20)]
    pub(crate) lines: usize,
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Show everything about one run
    Show {
        /// Its id, or a unique beginning of it
        id: String,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}
