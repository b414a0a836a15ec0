//! A home and its service, completions and manual pages.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// Start the memory with the rules of this file
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Adopt {
    /// The rules file
    pub(crate) file: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Keep the temporary home, to look around in it
    #[arg(long)]
    pub(crate) keep: bool,
    /// Also show it on a page, even without a terminal, until the input ends
    #[arg(long, conflicts_with = "no_open")]
    pub(crate) open: bool,
    /// Only print it here, without a page
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Service {
    #[command(subcommand)]
    pub(crate) command: ServiceCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ServiceCommand {
    /// Print the unit
    Print(ServiceKind),
    /// Install the unit, and say what to run next
    Install(ServiceKind),
    /// Remove the unit
    Uninstall(ServiceKind),
}

#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ServiceKind {
    /// For your own user's systemd, instead of a system-wide template
    #[arg(long)]
    pub(crate) user: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// The command whose page it is, such as `spine tail` [default: all of subcortex]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// Which shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Complete {
    /// The words of the command line so far, the program's name first; the last is the one that is being typed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}
