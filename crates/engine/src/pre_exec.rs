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

/// Makes the child die with its parent, lead a session of its own, carry its brand, and enter its cgroup before it becomes
/// the program.
pub(crate) fn prepare(command: &mut Command, brand: u64, entrance: Option<OwnedFd>) {
    let parent = getpid();
    // SAFETY: the closure runs in the forked child, where only async-signal-safe calls are allowed. It makes
    // nothing but plain system calls on values that were prepared before the fork: it neither allocates,
    // nor locks, nor frees, nor panics. Its captures are only read; the parent drops them.
    unsafe {
        command.pre_exec(move || enter(parent, brand, entrance.as_ref()));
    }
}

fn enter(parent: Pid, brand: u64, entrance: Option<&OwnedFd>) -> io::Result<()> {
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
    Ok(())
}
