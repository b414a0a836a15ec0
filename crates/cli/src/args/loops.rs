//! Loops in a repository.

use std::path::PathBuf;

use clap::Subcommand;
use subcortex_loops::check::DEFAULT_MIN_SCORE;
use subcortex_loops::estimate::{DEFAULT_DAYS, MAX_DAYS};
use subcortex_loops::pattern;

#[derive(Debug, clap::Args)]
pub(crate) struct Loop {
    #[command(subcommand)]
    pub(crate) command: LoopCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoopCommand {
    /// Create a loop from a pattern; a folder that is not empty is left alone
    Scaffold(LoopScaffold),
    /// Check whether a loop's config is ready to run; exits with 0 ready, 10 not ready, 2 missing or unreadable
    Check(LoopCheck),
    /// Check whether a loop can run here: its programs, git, its engine, its kill switch, its budget
    Doctor(LoopTarget),
    /// Run a loop now, ignoring its cadence; exits with 0 done, 1 stopped by a gate, 3 waiting or unfinished, 5 paused
    Run(LoopTarget),
    /// List the loops of the settings and of this repository: tier, readiness, last run, next run, held items, spend
    List(LoopList),
    /// Estimate how often a loop runs and what it costs, how to make it cheaper, and what past runs used
    Estimate(LoopEstimate),
    /// Say whether only a person may do what a command does; an agent's program asks before each (the call as JSON on standard input): 0 no, 2 yes
    #[command(hide = true)]
    Judge,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopScaffold {
    /// The loop's name, for `.loops/NAME` in this repository, or its folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: PathBuf,
    /// The kind of loop [default: the pattern with the loop's name, else custom]
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(pattern::names()))]
    pub(crate) pattern: Option<String>,
    /// Only show what would be created
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopCheck {
    /// The loop's name in this repository, or its folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: PathBuf,
    /// Treat warnings as errors
    #[arg(long)]
    pub(crate) strict: bool,
    /// The lowest score that counts as ready
    #[arg(long, value_name = "SCORE", default_value_t = DEFAULT_MIN_SCORE, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) min: u32,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopTarget {
    /// The loop's name in this repository, or its folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: PathBuf,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopList {
    /// Another repository, or a loop by its name or folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LoopEstimate {
    /// The loop's name in this repository, or its folder
    #[arg(value_name = "DIR_OR_NAME")]
    pub(crate) target: PathBuf,
    /// How many days from now to estimate
    #[arg(long, default_value_t = DEFAULT_DAYS, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_DAYS)))]
    pub(crate) days: u32,
    /// What a run reads [default: assumed to be 40000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) input_tokens: Option<u64>,
    /// What a run writes [default: its `budget_tokens`]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) output_tokens: Option<u64>,
    /// Print one JSON document
    #[arg(long)]
    pub(crate) json: bool,
}
