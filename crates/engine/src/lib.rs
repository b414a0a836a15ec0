//! One supervised run of one program. No other crate starts processes.
//!
//! [`ProcessLauncher`] starts a program with exactly the environment it is given, feeds its standard
//! input, keeps a bounded part of its output, and returns when **the whole tree of processes is gone**:
//! after the program ended by itself, after its deadline, or after a cancellation.
//!
//! Two nets hold the tree:
//!
//! | net | how a process is known to belong to the run | how it dies | when |
//! |---|---|---|---|
//! | cgroup | it was born in the run's own cgroup | `cgroup.kill`, at once and without a race | where a cgroup v2 subtree is writable |
//! | sweep | session, parents, inherited marks, earlier sightings, elimination (see `attribution`) | frozen, then killed, until a look finds nobody (see `sight`) | always, behind the cgroup too |
//!
//! The order at the end: SIGTERM, a grace period, then both nets. The direct child also dies with the
//! daemon (parent death signal); what its children leave behind when the daemon is killed is ended by
//! [`sweep_stale`] at the next start.
//!
//! Not promised:
//! - Processes that another service starts on behalf of a run (`systemd-run`, `docker run`, `at`).
//! - A process that waits in the kernel for a dead disk: it has its SIGKILL, and is reported in
//!   [`Finished::still_alive`].
//! - Without a cgroup, a process that left its session, lost its parents and on purpose removed both of its
//!   marks cannot be told apart while several runs are active. It dies when its possible owners are down to
//!   one, at the latest at the end of the last run; after a `kill -9` of the daemon it stays.

mod attribution;
mod cancel;
mod capture;
mod cgroup;
mod child;
mod error;
mod fence;
mod fork;
mod image;
mod kin;
mod launcher;
mod marks;
mod names;
mod net;
mod pipes;
mod process;
mod registry;
mod resolve;
mod sight;
mod spawner;
mod spec;
mod stale;
mod supervise;
mod sweep;
mod tree;

pub use cancel::{CancelOrder, CancelReason, Cancellation, Canceller, cancellation};
pub use capture::Captured;
pub use error::StartError;
pub use kin::{Ancestor, ancestors, descends_from_me, is_held_below_me};
pub use launcher::{Launcher, Launching, Listener, ProcessLauncher};
pub use marks::is_part_of_a_run;
pub use names::{GroupPrefix, RUN_GROUP_VARIABLE, RUN_ID_VARIABLE};
pub use registry::become_subreaper;
pub use resolve::resolve;
pub use spec::{CommandSpec, Containment, Finished, Limits, ProcessEnding};
pub use stale::{StaleSweep, sweep_stale};
