//! The memory: its lines, their evidence, and edits by hand.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, clap::Args)]
pub(crate) struct Check {
    /// Only this line, such as `L12`
    pub(crate) line: Option<String>,
    /// Look at this rules file instead of the home's memory/CLAUDE.md
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Print the line's test as an entry of the rulebook, to be proposed for everybody
    #[arg(long, requires = "line", conflicts_with = "json")]
    pub(crate) export: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Why {
    /// A line such as `L12`, an edit (`edit_…`), or a session or event (`evt_…`), also shortened as `audit` shows it
    pub(crate) what: String,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Recall {
    /// What to look for
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// How many results to show
    #[arg(short = 'k', long = "limit", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: u16,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Audit {
    /// The rules file; the sessions are those of its folder, of folders below it, and of its worktrees
    pub(crate) file: PathBuf,
    /// Read the sessions in this folder instead of where the agents keep them
    #[arg(long, value_name = "DIR")]
    pub(crate) transcripts: Option<PathBuf>,
    /// Only the last DAYS days
    #[arg(long, value_name = "DAYS", value_parser = days)]
    pub(crate) since: Option<u32>,
    /// Let a model read each rule first, once, within the home's budget
    #[arg(long, value_name = "ENGINE", value_parser = ["claude", "codex", "api"])]
    pub(crate) engine: Option<String>,
    /// Write the report as one self-contained HTML page; replaces an older report, but no other file
    #[arg(long, value_name = "OUT")]
    pub(crate) html: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

/// A number of days.
fn days(word: &str) -> Result<u32, String> {
    let days = word.trim().trim_end_matches(['d', 'D']).parse().ok().filter(|days| *days > 0);
    days.ok_or_else(|| "it takes a number of days, such as `--since 30`".to_owned())
}

#[derive(Debug, clap::Args)]
pub(crate) struct Remember {
    /// The rule, in one plain sentence
    pub(crate) rule: String,
    /// The session in which the person said it
    #[arg(long)]
    pub(crate) session: String,
    /// Their exact words; refused if nobody said them in that session
    #[arg(long, value_name = "TEXT")]
    pub(crate) quote: String,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Review {
    /// Also show what each reason weighs
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Option<ReviewCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Make the edit
    Accept {
        /// Its name, or a unique beginning of it
        proposal: String,
        /// Use these words instead of the proposed ones
        #[arg(long, value_name = "TEXT")]
        words: Option<String>,
    },
    /// Drop the edit for good: the same wish is not proposed again, however it is worded
    Reject {
        /// Its name, or a unique beginning of it
        proposal: String,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Rule {
    #[command(subcommand)]
    pub(crate) command: RuleCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RuleCommand {
    /// Add a rule
    Add {
        /// The rule, in one plain sentence of at most 200 characters
        text: String,
        /// Only for this project [default: everywhere]
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Reword a rule
    Edit {
        /// Its line, such as `L12`
        line: String,
        /// The new words
        text: String,
        /// Only if it is a rule of this project
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Remove a rule
    Remove {
        /// Its line, such as `L12`
        line: String,
        /// Only if it is a rule of this project
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// List the rules with their lines
    List {
        /// Only rules that apply in this project: its own, and those that apply everywhere
        #[arg(long, value_name = "DIR")]
        project: Option<PathBuf>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Revert {
    /// Its name, as `subcortex history` shows it, or a unique beginning of it
    pub(crate) edit: String,
    /// Only this change of it, by the number that `subcortex history` shows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) change: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Forget {
    /// The event (`evt_…`) or the session: its whole name, or at least 8 characters of its beginning
    #[arg(long, value_name = "EVENT_OR_SESSION")]
    pub(crate) origin: String,
    /// Only show what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
