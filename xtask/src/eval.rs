//! `cargo xtask eval --data DIR`: precision, recall and F1 on labelled transcripts.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cargo::cargo;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder with boards, transcripts and labels.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Writes every miss and every false call to this file.
    #[arg(long, value_name = "FILE")]
    errors: Option<PathBuf>,
}

/// Runs the evaluation of the `checks` crate in release mode.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    // Paths are the caller's; cargo runs at the root of the checkout.
    let data = args.data.canonicalize().with_context(|| format!("cannot find {}", args.data.display()))?;
    let mut command = cargo();
    command
        .args(["run", "--release", "--quiet", "--package", "subcortex-checks", "--example", "eval", "--"])
        .arg(data);
    if let Some(errors) = &args.errors {
        command.arg("--errors").arg(std::path::absolute(errors)?);
    }
    let status = command.status().context("cannot start cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
