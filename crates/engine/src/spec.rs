//! What a run is told, and what it reports.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::{CancelOrder, CancelReason, Captured};

/// Time between SIGTERM and SIGKILL at the deadline of a program, unless its caller says otherwise.
const USUAL_GRACE_MS: u64 = 5_000;
/// Time between SIGTERM and SIGKILL for processes that outlive a program that ended by itself.
pub(crate) const LEFTOVER_GRACE_MS: u64 = 500;

/// Bytes kept from the beginning of each output stream.
const OUTPUT_HEAD_BYTES: usize = 64 * 1024;
/// Bytes kept from the end of each output stream.
const OUTPUT_TAIL_BYTES: usize = 256 * 1024;

/// One program to run once.
#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// The run it belongs to; in the environment as `SUBCORTEX_RUN_ID`. Letters, digits, `.`, `_`, `-`.
    pub run_id: String,
    /// Absolute, relative to `cwd` (with a slash in it), or a name that is looked up in `PATH` of `env`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Where it runs; absolute.
    pub cwd: PathBuf,
    /// Its whole environment. Nothing is inherited; only the two marks of the run are added.
    pub env: BTreeMap<OsString, OsString>,
    /// What it reads on standard input before the end of file.
    pub stdin: Vec<u8>,
    /// How long it may take and how much of its output is kept.
    pub limits: Limits,
    /// The folders below which it may change files, and files that it may write; `None`: wherever its user may. Where the kernel cannot keep a program
    /// inside, it is not started.
    pub writable: Option<Vec<PathBuf>>,
}

/// Limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From the start to SIGTERM.
    pub max_duration_ms: u64,
    /// From SIGTERM at the deadline to SIGKILL.
    pub deadline_grace_ms: u64,
    /// Bytes kept from the beginning of each output stream.
    pub output_head_bytes: usize,
    /// Bytes kept from the end of each output stream.
    pub output_tail_bytes: usize,
}

impl Limits {
    /// The usual grace and output limits, with this deadline.
    pub fn within_ms(max_duration_ms: u64) -> Self {
        Self {
            max_duration_ms,
            deadline_grace_ms: USUAL_GRACE_MS,
            output_head_bytes: OUTPUT_HEAD_BYTES,
            output_tail_bytes: OUTPUT_TAIL_BYTES,
        }
    }
}

/// Why a run is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessEnding {
    /// The program ended by itself with this exit code.
    Exited {
        /// 0 means success.
        code: i32,
    },
    /// The program was ended by a signal that did not come from here.
    Signalled {
        /// The number of the signal.
        signal: i32,
    },
    /// `max_duration_ms` passed; whatever the program did afterwards does not count.
    DeadlineReached,
    /// Somebody ordered the end, for instance through the kill switch.
    Cancelled {
        /// Why.
        reason: CancelReason,
    },
}

/// What keeps the processes of a run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containment {
    /// A cgroup of its own, and the sweep behind it.
    Cgroup,
    /// The sweep over `/proc` alone.
    Sweep,
}

/// The report of one run; nothing of it is running any more, except what `still_alive` counts.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Why it is over.
    pub ending: ProcessEnding,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// Processes other than the program itself that had to be ended with SIGKILL.
    pub survivors_killed: u32,
    /// Processes that have their SIGKILL and are still there, because the kernel does not let go of them.
    pub still_alive: u32,
    /// What kept the processes together.
    pub containment: Containment,
}

impl Finished {
    /// The report of a run that was cancelled before its program was started.
    pub(crate) fn never_started(order: CancelOrder, containment: Containment) -> Self {
        Self {
            ending: ProcessEnding::Cancelled { reason: order.reason },
            stdout: Captured::default(),
            stderr: Captured::default(),
            survivors_killed: 0,
            still_alive: 0,
            containment,
        }
    }
}
