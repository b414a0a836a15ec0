//! `cargo xtask test`: everything that has to hold before a change is done.
//!
//! The steps run in the order of [`Step::ALL`] and the first one that fails ends the run. The last line
//! is always `N passed, M failed, K skipped`. A test that lacks something it needs (a program, a kernel
//! feature) appends `SKIPPED <test>: <reason>` to the file that `SUBCORTEX_TEST_SKIPS` names and returns;
//! libtest counts it as passed, this command as skipped.

mod tally;

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::cargo::{cargo, target_dir};
use crate::setup::{self, Group};
use tally::Tally;

/// Names the file to which tests append what they skipped.
const SKIPS: &str = "SUBCORTEX_TEST_SKIPS";

/// A home that cannot exist. `.cargo/config.toml` makes the checkout the home of everything cargo starts,
/// and cargo would put that value back if it were only removed here: so a test that forgets to name a home
/// of its own meets this one and fails, instead of writing into the checkout or into a person's home.
const NO_HOME: &str = "/dev/null/tests-name-their-own-home";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs this one step.
    #[arg(long, value_name = "STEP")]
    only: Option<Step>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    Setup,
    Fmt,
    Clippy,
    Tests,
    Docs,
}

impl Step {
    const ALL: [Self; 5] = [Self::Setup, Self::Fmt, Self::Clippy, Self::Tests, Self::Docs];

    fn name(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Tests => "tests",
            Self::Docs => "docs",
        }
    }

    /// What cargo is asked to do.
    fn cargo_arguments(self) -> &'static str {
        match self {
            Self::Setup => "",
            Self::Fmt => "fmt --all -- --check",
            Self::Clippy => "clippy --workspace --all-targets -- -D warnings",
            // Without a choice of targets this covers unit, integration and documentation tests.
            Self::Tests => "test --workspace --no-fail-fast",
            Self::Docs => "doc --workspace --no-deps",
        }
    }

    fn what(self) -> String {
        match self {
            Self::Setup => "programs that the tests use".to_owned(),
            Self::Fmt | Self::Clippy | Self::Tests | Self::Docs => {
                format!("cargo {}", self.cargo_arguments())
            }
        }
    }

    fn run(self, skips: &Path, tally: &mut Tally) -> Result<bool> {
        let mut command = cargo();
        command.args(self.cargo_arguments().split_whitespace());
        match self {
            Self::Setup => {
                setup::prepare_toolchain();
                setup::prepare(Group::Test);
                setup::prepare_bundle(setup::AGENTS);
                setup::prepare_bundle(setup::MODEL);
                setup::prepare_bundle(setup::OPENAPI);
                Ok(true)
            }
            Self::Fmt | Self::Clippy => succeeds(&mut command),
            Self::Docs => succeeds(command.env("RUSTDOCFLAGS", "-D warnings")),
            Self::Tests => run_tests(command.env(SKIPS, skips).env("SUBCORTEX_HOME", NO_HOME), skips, tally),
        }
    }
}

/// Runs the steps; the exit code is that of the whole.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let skips = target_dir()?.join("skips.log");
    let mut tally = Tally::default();
    let mut durations = Vec::new();
    let mut failed = None;
    for step in Step::ALL.into_iter().filter(|step| args.only.is_none_or(|only| only == *step)) {
        println!("== {}: {}", step.name(), step.what());
        let start = Instant::now();
        let passed = step.run(&skips, &mut tally)?;
        durations.push((step, start.elapsed()));
        if !passed {
            tally.count_failed_step();
            failed = Some(step);
            break;
        }
    }
    report(&durations, failed, &tally);
    Ok(if failed.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn report(durations: &[(Step, Duration)], failed: Option<Step>, tally: &Tally) {
    println!();
    for (step, duration) in durations {
        let verdict = if failed == Some(*step) { "FAILED" } else { "ok" };
        println!("{:<8} {:>8.1} s  {verdict}", step.name(), duration.as_secs_f64());
    }
    for line in tally.skip_lines() {
        println!("{line}");
    }
    if let Some(step) = failed {
        println!("error: step `{}` failed ({})", step.name(), step.what());
        println!("hint: run it again with `cargo xtask test --only {}`", step.name());
    }
    println!("{tally}");
}

fn succeeds(command: &mut Command) -> Result<bool> {
    Ok(command.status().context("cannot start cargo")?.success())
}

/// Runs the tests with their output passed on line by line, and counts them.
fn run_tests(command: &mut Command, skips: &Path, tally: &mut Tally) -> Result<bool> {
    match fs::remove_file(skips) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("cannot remove the old {}", skips.display()));
        }
        Ok(()) | Err(_) => {}
    }
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    if let Some(output) = child.stdout.take() {
        pass_on(BufReader::new(output), tally)?;
    }
    let passed = child.wait()?.success();
    tally.add_skips(&fs::read(skips).unwrap_or_default());
    Ok(passed)
}

fn pass_on(mut output: impl BufRead, tally: &mut Tally) -> Result<()> {
    let mut stdout = std::io::stdout();
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line)? > 0 {
        stdout.write_all(&line)?;
        tally.add_line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(stdout.flush()?)
}
