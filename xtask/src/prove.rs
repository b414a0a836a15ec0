//! `cargo xtask prove`: lives the simulated world and writes docs/LOOP.md.

use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result};

use crate::cargo::{cargo, workspace_root};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many turns each life has.
    #[arg(long, default_value_t = 10_000)]
    turns: usize,
    /// The first seed, and the one behind the last.
    #[arg(long, default_value = "1..6")]
    seeds: String,
}

const PREFACE: &str = "\
# Does the loop close?

Written by `cargo xtask prove`. A simulated agent with habits reads `memory/CLAUDE.md` and forgets some of it; simulated
people with wishes that nobody wrote down correct it in their own words, in three projects; two wishes change in the
middle of a run, two differ between projects. The memory begins with lines that help, lines that are stale and lines that
mislead, and tool output carries texts that pose as rules. `subcortex` is the real program on a real home with a simulated
clock; the other columns are simple ways of keeping a memory, in the same world with the same seeds. What each of them
does, and all assumptions about people and agents, stand in `crates/proof`.

Sentences were written before it was known which of them are recognised, and none was changed since. A world that is made
up shows whether the loop closes and where it leaks; it does not show how large the effect is with real people.

";

/// Runs the world in release mode.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let mut command = cargo();
    command
        .args(["run", "--release", "--quiet", "--package", "subcortex-proof", "--"])
        .args([&args.turns.to_string(), &args.seeds])
        .stderr(Stdio::inherit());
    let output = command.output().context("cannot start cargo")?;
    if !output.status.success() {
        return Ok(ExitCode::FAILURE);
    }
    let report = String::from_utf8(output.stdout).context("the report is not UTF-8")?;
    let path = workspace_root().join("docs/LOOP.md");
    let text = format!("{PREFACE}{}\n", report.trim_end());
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    println!("written: {}", path.display());
    Ok(ExitCode::SUCCESS)
}
