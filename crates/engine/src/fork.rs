//! A new process, until it is the program. The only unsafe code of the crate.
//!
//! A process that is there already enters a cgroup by a write that waits for every processor of the machine, some ten
//! milliseconds. One that is *born* in it (`clone3`, Linux 5.7) waits for nothing; std cannot start processes that way.
//! Where the kernel or a sandbox refuses, the process is forked and moves in.
//!
//! The child is a copy of one thread of many. A lock that another thread held at that moment, such as the allocator's, is
//! locked for ever, and a panic would unwind into a copy of the parent. So the child makes nothing but system calls,
//! on what was prepared before: it neither allocates, nor frees, nor locks, nor panics, nor returns.
#![allow(unsafe_code, reason = "neither std nor rustix can start a process inside of a cgroup")]

use std::convert::Infallible;
use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, chdir, getpid, getppid, set_parent_process_death_signal, setrlimit, setsid,
};

use crate::cgroup::Cradle;
use crate::fence::Fence;
use crate::image::Image;

/// What a fence that does not hold is reported as; `execve` itself never says this.
pub(crate) const NO_FENCE: Errno = Errno::OPNOTSUPP;

/// What runs a file that is executable and of no format that the kernel knows, as in every shell.
const SHELL: &CStr = c"/bin/sh";
/// The exit status of a child that did not become the program. Nobody looks at it: the report tells why.
const NOT_STARTED: c_int = 127;

/// `CLONE_CLEAR_SIGHAND`: no handler of the parent runs in the child. The constants of `libc` are cut to 32 bits.
const WITHOUT_HANDLERS: u64 = 1 << 32;
/// `CLONE_INTO_CGROUP`.
const INTO_CGROUP: u64 = 1 << 33;

/// `struct clone_args` of the kernel, up to the version that knows of cgroups.
#[repr(C)]
#[derive(Debug, Default)]
struct CloneArgs {
    flags: u64,
    pidfd: u64,
    child_tid: u64,
    parent_tid: u64,
    exit_signal: u64,
    stack: u64,
    stack_size: u64,
    tls: u64,
    set_tid: u64,
    set_tid_size: u64,
    cgroup: u64,
}

/// What a child needs to become a program. Std opens 0 to 2 before `main`, so none of these descriptors is one of them.
#[derive(Debug)]
pub(crate) struct Newborn<'a> {
    pub(crate) image: &'a Image,
    /// Standard input, output and error.
    pub(crate) stdio: [OwnedFd; 3],
    /// Where it writes the error number when it cannot become the program. It closes by itself when it does.
    pub(crate) report: OwnedFd,
    pub(crate) brand: u64,
    pub(crate) cradle: Option<Cradle>,
    pub(crate) fence: Option<Fence>,
}

/// Bears the child. An error means that there is none; that there is one does not mean that it became the program.
pub(crate) fn fork(mut newborn: Newborn<'_>) -> io::Result<Pid> {
    let words = Words::of(newborn.image);
    let parent = getpid();
    // SAFETY: all that a child does is `live`, which keeps the rules at the head of this file. On the way there it passes
    // matches on numbers and nothing else.
    let (child, is_inside) =
        match newborn.cradle.as_ref().map(|cradle| unsafe { clone_into(&cradle.directory) }) {
            Some(Ok(child)) => (child, true),
            // Whatever the reason, a lack of memory included: a fork says it again if it matters.
            Some(Err(_)) | None => (unsafe { plain_fork() }?, false),
        };
    match child {
        Some(child) => Ok(child),
        None => newborn.live(&words, parent, is_inside),
    }
}

/// Forks this thread into a cgroup. `None`: this is the child.
///
/// # Safety
/// The child must keep the rules at the head of this file.
unsafe fn clone_into(directory: &OwnedFd) -> Result<Option<Pid>, Errno> {
    let args = CloneArgs {
        flags: INTO_CGROUP | WITHOUT_HANDLERS,
        exit_signal: libc::SIGCHLD as u64,
        cgroup: directory.as_raw_fd() as u64,
        ..CloneArgs::default()
    };
    // SAFETY: the arguments are a `clone_args` of the size that is said, alive during the call; the kernel only reads it.
    // Without CLONE_VM the child has a copy of this memory and of this stack, as after a fork.
    let pid = unsafe { libc::syscall(libc::SYS_clone3, &raw const args, size_of::<CloneArgs>()) };
    i32::try_from(pid).ok().and_then(born).ok_or_else(last_error)
}

/// Forks this thread. `None`: this is the child.
///
/// # Safety
/// The child must keep the rules at the head of this file.
unsafe fn plain_fork() -> Result<Option<Pid>, Errno> {
    // SAFETY: no arguments; the rest is up to the caller.
    born(unsafe { libc::fork() }).ok_or_else(last_error)
}

/// What a fork returned: a pid, 0 in the child, a negative number on failure.
#[allow(clippy::option_option, reason = "a failure, and the child that has no pid to tell, are two things")]
fn born(returned: i32) -> Option<Option<Pid>> {
    (returned >= 0).then(|| Pid::from_raw(returned))
}

fn last_error() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// An image as `execve` takes it: lists of pointers into it that end with a null.
#[derive(Debug)]
struct Words<'a> {
    image: &'a Image,
    argv: Vec<*const c_char>,
    shell_argv: Vec<*const c_char>,
    envp: Vec<*const c_char>,
}

impl<'a> Words<'a> {
    fn of(image: &'a Image) -> Self {
        let list = |words: &[CString]| {
            words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect::<Vec<_>>()
        };
        let argv = list(&image.argv);
        let shell_argv = [SHELL.as_ptr()].into_iter().chain(argv.iter().copied()).collect();
        Self { image, argv, shell_argv, envp: list(&image.envp) }
    }

    /// Becomes the program, or says why not.
    fn execute(&self) -> Errno {
        match self.execve(self.image.program(), &self.argv) {
            Errno::NOEXEC => self.execve(SHELL, &self.shell_argv),
            error => error,
        }
    }

    fn execve(&self, program: &CStr, argv: &[*const c_char]) -> Errno {
        // SAFETY: both lists end with a null, and all that they point to belongs to `image`, which is borrowed, or is
        // static. The kernel only reads it.
        unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), self.envp.as_ptr()) };
        last_error()
    }
}

impl Newborn<'_> {
    /// The life of the child before it is the program.
    fn live(&mut self, words: &Words<'_>, parent: Pid, is_inside: bool) -> ! {
        let Err(error) = self.grow_up(words, parent, is_inside);
        // If nobody listens any more, nobody needs to know.
        let _ = rustix::io::write(&self.report, &error.raw_os_error().to_ne_bytes());
        // SAFETY: ends the process at once, without handlers or destructors that belong to the parent.
        unsafe { libc::_exit(NOT_STARTED) }
    }

    fn grow_up(&mut self, words: &Words<'_>, parent: Pid, is_inside: bool) -> Result<Infallible, Errno> {
        for (descriptor, number) in self.stdio.iter().zip(0..) {
            duplicate(descriptor, number)?;
        }
        close_others();
        chdir(self.image.cwd.as_c_str())?;
        reset_signals();
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // If the parent died before the line above, no signal will ever come.
        if getppid() != Some(parent) {
            return Err(Errno::SRCH);
        }
        // A session, not just a group: no terminal to ask for a password on, and a mark that survives orphaning.
        setsid()?;
        // Where the limit is lower already, the mark in the environment has to do.
        let brand = Rlimit { current: Some(self.brand), maximum: Some(self.brand) };
        let _ = setrlimit(Resource::Locks, brand);
        if let Some(cradle) = self.cradle.as_ref().filter(|_| !is_inside) {
            // The parent checks afterwards where the child is, and relies on the sweep if this failed.
            let _ = rustix::io::write(&cradle.entrance, b"0");
        }
        // Last, since it would stand in the way of the above; and without it the program does not start.
        if self.fence.take().is_none_or(Fence::close) { Err(words.execute()) } else { Err(NO_FENCE) }
    }
}

/// Makes a descriptor one of the three that the program inherits.
fn duplicate(descriptor: &OwnedFd, number: c_int) -> Result<(), Errno> {
    loop {
        // SAFETY: closes the child's copy of a standard stream, which nothing in the child uses any more.
        match unsafe { libc::dup2(descriptor.as_raw_fd(), number) } {
            -1 if last_error() == Errno::INTR => {}
            -1 => return Err(last_error()),
            _ => return Ok(()),
        }
    }
}

/// Makes all other descriptors close when the program begins. Ours do so anyway; those that this process was started with
/// may not. Where the kernel does not know how (before 5.11), they stay open, as they do for everybody else.
fn close_others() {
    let (first, last) = (libc::STDERR_FILENO + 1, libc::c_uint::MAX);
    // SAFETY: sets a flag on descriptors, and takes none away from whoever owns it.
    let _ = unsafe { libc::syscall(libc::SYS_close_range, first, last, libc::CLOSE_RANGE_CLOEXEC) };
}

/// Lets all signals through, and ends the program on a closed pipe: Rust programs ignore that signal, and what is
/// ignored stays so in a new program. Handlers end by themselves.
fn reset_signals() {
    let mut none = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` fills the set before it is read. The calls change this one thread, all that the child has, and
    // fail only for arguments other than these.
    unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}
