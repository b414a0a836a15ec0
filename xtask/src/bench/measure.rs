//! Runs a command and says how long it took and how much memory it had.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use wait4::Wait4;

/// What one run of a command took.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) wall: Duration,
    /// Time on all cores together.
    pub(crate) cpu: Duration,
    /// The most memory that was resident at once. The kernel counts from the fork on, so it is never less
    /// than what this program itself holds.
    pub(crate) max_resident_bytes: u64,
    pub(crate) stdout: Vec<u8>,
}

/// Where the output of a measured command goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// Into a pipe that is read to its end. GNU grep stops at the first match when it writes to `/dev/null`,
    /// so what counts matches must not go there.
    Kept,
    /// To `/dev/null`.
    Discarded,
}

/// Runs a command to its end; a failure is an error.
pub(crate) fn run(command: &mut Command, output: Output) -> Result<Sample> {
    let stdout = match output {
        Output::Kept => Stdio::piped(),
        Output::Discarded => Stdio::null(),
    };
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stdout)
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let mut stdout = Vec::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_end(&mut stdout)?;
    }
    let end = child.wait4()?;
    let wall = start.elapsed();
    if !end.status.success() {
        bail!("{} failed: {}", command.get_program().display(), end.status);
    }
    let cpu = end.rusage.utime + end.rusage.stime;
    Ok(Sample { wall, cpu, max_resident_bytes: end.rusage.maxrss, stdout })
}

/// Best and median of several runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Summary {
    pub(crate) best: f64,
    pub(crate) median: f64,
}

impl Summary {
    /// Of figures of which the smallest is the best.
    pub(crate) fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        Self { best: quantile(&figures, 0.0), median: quantile(&figures, 0.5) }
    }
}

/// The value below which a share of the sorted figures lies; between two of them it is interpolated.
/// Without any figures it is not a number.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let position = share.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    below + (above - below) * position.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_the_figures() {
        let check = |sorted: &[f64], share, expect: f64| {
            assert_eq!(quantile(sorted, share), expect, "{sorted:?} {share}")
        };
        check(&[3.0], 0.99, 3.0);
        check(&[1.0, 2.0], 0.5, 1.5);
        check(&[1.0, 2.0, 4.0], 0.5, 2.0);
        check(&[1.0, 2.0, 4.0], 1.0, 4.0);
        check(&[1.0, 2.0, 4.0], 0.0, 1.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn the_best_is_the_smallest_whatever_the_order() {
        assert_eq!(Summary::of(vec![5.0, 1.0, 9.0]), Summary { best: 1.0, median: 5.0 });
    }

    #[test]
    fn a_command_is_measured_with_its_output() {
        let sample = run(Command::new("sh").args(["-c", "echo hello"]), Output::Kept).unwrap();
        assert_eq!(sample.stdout, b"hello\n");
        assert!(sample.max_resident_bytes > 100_000 && sample.wall > Duration::ZERO);
        let discarded = run(Command::new("sh").args(["-c", "echo hello"]), Output::Discarded).unwrap();
        assert!(discarded.stdout.is_empty());
    }

    #[test]
    fn a_command_that_fails_is_no_measurement() {
        let error = run(Command::new("sh").args(["-c", "exit 3"]), Output::Kept).unwrap_err();
        assert!(error.to_string().contains("exit status: 3"), "{error}");
    }
}
