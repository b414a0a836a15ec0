//! `cargo xtask bench`: measures, side by side with other tools, and writes `docs/BENCHMARKS.md`.
//!
//! Data is generated below `target/bench/` and used again by the next run.

mod append;
mod audit;
mod blackboard;
mod cgroup;
mod checks;
mod daemon;
mod daemon_home;
mod daemon_load;
mod event;
mod fleet;
mod generate;
mod machine;
mod measure;
mod redact;
mod redis;
mod report;
mod scan;
mod text;
mod weave;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::cargo::{cargo, target_dir, workspace_root};
use crate::setup::{self, Group};

const DEFAULT_SIZE_MIB: u64 = 1_024;
const DEFAULT_ROUNDS: usize = 5;
/// What is measured and what measures. Built together wherever the program itself is measured: cargo chooses the features of shared
/// dependencies for all packages of a call, and another choice would build them all again.
const PACKAGES: [&str; 2] = ["xtask", "subcortex-cli"];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which benchmarks to run; all when none is named.
    names: Vec<Name>,
    /// How much data to scan, and how much to audit.
    #[arg(long, default_value_t = DEFAULT_SIZE_MIB, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    size_mib: u64,
    /// How often everything is measured.
    #[arg(long, default_value_t = DEFAULT_ROUNDS)]
    rounds: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// One pass over a large spine.
    Scan,
    /// Events onto the spine, with and without sync.
    Append,
    /// A rules file against session files.
    Audit,
    /// Ten, a hundred and a thousand checks over the same turns.
    Checks,
    /// memory-weaver behind a long history and behind a short one.
    Weave,
    /// Redaction: ordinary text, and text that was made to be slow.
    Redact,
    /// Blackboards in files and on a Redis server: reading and appending.
    Blackboard,
    /// Three daemons that share an inbox against one, and how soon a killed one is replaced.
    Fleet,
    /// The daemon: drop to start, ticks, idleness, bursts, kill switch.
    Daemon,
}

impl Name {
    /// Whether the program itself is started, rather than a library called.
    fn starts_the_program(self) -> bool {
        match self {
            Name::Scan | Name::Audit | Name::Weave | Name::Fleet | Name::Daemon => true,
            Name::Append | Name::Checks | Name::Redact | Name::Blackboard => false,
        }
    }
}

impl Args {
    fn packages(&self) -> &'static [&'static str] {
        let only_libraries =
            !self.names.is_empty() && !self.names.iter().any(|name| name.starts_the_program());
        if only_libraries { &PACKAGES[..1] } else { &PACKAGES }
    }
}

/// Runs the benchmarks. A goal that is missed is reported, and is no failure.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let release_dir = target_dir()?.join("release");
    if cfg!(debug_assertions) {
        return run_in_release_mode(args, &release_dir);
    }
    setup::prepare(Group::Bench);
    build(args.packages())?;
    let bench_dir = target_dir()?.join("bench");
    fs::create_dir_all(&bench_dir).with_context(|| format!("cannot make {}", bench_dir.display()))?;
    let machine = machine::describe(&bench_dir);
    let mut sections = Vec::new();
    for name in
        Name::value_variants().iter().filter(|name| args.names.is_empty() || args.names.contains(name))
    {
        match name {
            Name::Scan => {
                let data = generate::spine(&bench_dir, args.size_mib)?;
                sections.push(scan::run(&data, &release_dir, args.rounds)?);
            }
            Name::Append => sections.push(append::run(&bench_dir, args.rounds)?),
            Name::Audit => sections.push(audit::run(&bench_dir, &release_dir, args.size_mib, args.rounds)?),
            Name::Checks => sections.push(checks::run(args.rounds)?),
            Name::Weave => sections.push(weave::run(&bench_dir, &release_dir, args.rounds)?),
            Name::Redact => sections.push(redact::run(args.rounds)?),
            Name::Blackboard => sections.push(blackboard::run(&bench_dir, args.rounds)?),
            Name::Fleet => sections.push(fleet::run(&bench_dir, &release_dir)?),
            Name::Daemon => sections.extend(daemon::run(&bench_dir, &release_dir)?),
        }
    }
    let page = report::render(&machine, &sections);
    let path = report_path(args, &bench_dir);
    fs::write(&path, &page).with_context(|| format!("cannot write {}", path.display()))?;
    println!("\n{page}\nwritten to {}", path.display());
    Ok(ExitCode::SUCCESS)
}

/// Only a whole run may replace the published figures: parts of different runs on one page would be
/// taken for one measurement.
fn report_path(args: &Args, bench_dir: &Path) -> PathBuf {
    let whole = args.names.is_empty() && args.size_mib == DEFAULT_SIZE_MIB && args.rounds >= DEFAULT_ROUNDS;
    if whole { workspace_root().join("docs/BENCHMARKS.md") } else { bench_dir.join("BENCHMARKS.md") }
}

/// Builds this program as a release, since it generates the data and measures library calls itself, and
/// hands over to it.
fn run_in_release_mode(args: &Args, release_dir: &Path) -> Result<ExitCode> {
    build(args.packages())?;
    let xtask = release_dir.join("xtask");
    let status = Command::new(&xtask).args(std::env::args_os().skip(1)).status();
    let status = status.with_context(|| format!("cannot start {}", xtask.display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn build(packages: &[&str]) -> Result<()> {
    let mut command = cargo();
    command.args(["build", "--release"]);
    command.args(packages.iter().flat_map(|package| ["-p", package]));
    if !command.status().context("cannot start cargo")?.success() {
        bail!("the release build failed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_built_only_where_it_is_started() {
        let packages =
            |names: &[Name]| Args { names: names.to_vec(), size_mib: 1, rounds: 1 }.packages().len();
        assert_eq!(
            (packages(&[Name::Redact]), packages(&[Name::Redact, Name::Scan]), packages(&[])),
            (1, 2, 2)
        );
    }

    #[test]
    fn only_a_whole_run_replaces_the_published_figures() {
        let path = |names: &[Name], size_mib, rounds| {
            report_path(&Args { names: names.to_vec(), size_mib, rounds }, Path::new("/bench"))
        };
        let published = workspace_root().join("docs/BENCHMARKS.md");
        assert_eq!(path(&[], DEFAULT_SIZE_MIB, DEFAULT_ROUNDS), published);
        for part in [path(&[Name::Scan], 1_024, 5), path(&[], 16, 5), path(&[], 1_024, 1)] {
            assert_eq!(part, Path::new("/bench/BENCHMARKS.md"));
        }
    }
}
