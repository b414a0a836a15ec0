//! What a child does between fork and exec. The only unsafe code of the crate.
#![allow(
    unsafe_code,
    reason = "`CommandExt::pre_exec` is unsafe, and std offers no other way to act in the child"
)]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpid, getppid, set_parent_process_death_signal, setrlimit, setsid,
};

use crate::fence::Fence;

/// What a fence that does not hold is reported as; `execve` itself never says this.
pub(crate) const NO_FENCE: Errno = Errno::OPNOTSUPP;

/// Makes the child die with its parent, lead a session of its own, carry its brand, enter its cgroup, and close its fence
/// before it becomes the program.
pub(crate) fn prepare(
    command: &mut Command,
    brand: u64,
    entrance: Option<OwnedFd>,
    mut fence: Option<Fence>,
) {
    let parent = getpid();
    // SAFETY: the closure runs in the forked child, where only async-signal-safe calls are allowed. It makes
    // nothing but plain system calls on values that were prepared before the fork: it neither allocates,
    // nor locks, nor frees, nor panics. Its captures are only read, and the parent drops them; the fence is taken, which
    // closes the child's copy of a descriptor and leaves the parent's alone.
    unsafe {
        command.pre_exec(move || enter(parent, brand, entrance.as_ref(), fence.take()));
    }
}

fn enter(parent: Pid, brand: u64, entrance: Option<&OwnedFd>, fence: Option<Fence>) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // If the parent died before the line above, no signal will ever come.
    if getppid() != Some(parent) {
        return Err(Errno::SRCH.into());
    }
    // A session, not just a group: no terminal to ask for a password on, and a mark that survives orphaning.
    setsid()?;
    // Where the limit is lower already, the mark in the environment has to do.
    let _ = setrlimit(Resource::Locks, Rlimit { current: Some(brand), maximum: Some(brand) });
    if let Some(entrance) = entrance {
        // The parent checks afterwards where the child is, and relies on the sweep if this failed.
        let _ = rustix::io::write(entrance, b"0");
    }
    // Last, since it would stand in the way of the above; and without it the program does not start.
    let holds = fence.is_none_or(Fence::close);
    if holds { Ok(()) } else { Err(NO_FENCE.into()) }
}
