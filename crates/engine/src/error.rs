//! Why a program could not be started.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Nothing was started, or nothing of it is left.
#[derive(Debug, Error)]
pub enum StartError {
    /// The program is a path, and nothing is there.
    #[error(
        "cannot start `{}`: there is no such file\nhint: create it, or correct the command; a path without a \
         leading `/` starts at the working directory", path.display()
    )]
    ProgramMissing {
        /// The path that was looked at.
        path: PathBuf,
    },
    /// The program is a bare name that is in no directory of `PATH`.
    #[error(
        "cannot start `{program}`: it is in no directory of PATH ({searched})\nhint: install it, write its full \
         path, or write `./{program}` for a file in the working directory"
    )]
    NotInPath {
        /// The name.
        program: String,
        /// The `PATH` that was searched.
        searched: String,
    },
    /// The program is a file that may not be executed.
    #[error(
        "cannot start `{}`: it is not an executable file\nhint: if it is a script, run `chmod +x {}`",
        path.display(), path.display()
    )]
    NotExecutable {
        /// The file.
        path: PathBuf,
    },
    /// The file is there, but the interpreter that its first line names is not.
    #[error(
        "cannot start `{}`: the interpreter or loader that it names does not exist\nhint: look at its first line \
         (`#!…`): the path after `#!` must exist on this machine", path.display()
    )]
    InterpreterMissing {
        /// The file.
        path: PathBuf,
    },
    /// The file is executable and the kernel does not know how.
    #[error(
        "cannot start `{}`: the system does not know this kind of program\nhint: a script needs a first line such \
         as `#!/bin/sh`; a binary must be built for this machine", path.display()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// The working directory cannot be used.
    #[error(
        "cannot run in `{}`: {why}\nhint: the working directory must be an existing directory, given with its full \
         path, that this user may enter", path.display()
    )]
    BadDirectory {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Arguments or environment contain what the kernel cannot pass on.
    #[error(
        "cannot start `{}`: {why}\nhint: hand large or binary input over on standard input", path.display()
    )]
    BadArguments {
        /// The program.
        path: PathBuf,
        /// What is wrong with them.
        why: String,
    },
    /// The run id cannot be part of a directory name.
    #[error(
        "run id `{}` cannot be used: 1 to 128 letters, digits, `.`, `_`, `-`\nhint: this is a fault of the caller, \
         please report it", run_id.escape_debug()
    )]
    BadRunId {
        /// The id.
        run_id: String,
    },
    /// The tag of a home cannot be part of a directory name.
    #[error(
        "home tag `{}` cannot be used: 1 to 64 lower-case letters and digits\nhint: this is a fault of the caller, \
         please report it", tag.escape_debug()
    )]
    BadTag {
        /// The tag.
        tag: String,
    },
    /// The machine lacks what supervision is built on.
    #[error(
        "programs cannot be supervised here: {what}: {source}\nhint: this needs Linux 5.4 or newer with /proc \
         mounted, and free process and file slots (`ulimit -u`, `ulimit -n`)"
    )]
    CannotSupervise {
        /// Which part is missing.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The program may change files only below some folders, and the kernel cannot keep it there.
    #[error(
        "programs cannot be kept inside their folders here: {why}\nhint: this needs Linux 6.2 or newer with Landlock \
         switched on (`cat /sys/kernel/security/lsm`), and folders that exist"
    )]
    CannotConfine {
        /// What is missing.
        why: String,
    },
    /// The kernel did not get the program started.
    #[error(
        "cannot start `{}`: it was not running after {waited_ms} ms\nhint: see whether the file system that it is on \
         still answers (`ls -l {}`); if it starts after all, it is ended at once", path.display(), path.display()
    )]
    TooSlow {
        /// The program.
        path: PathBuf,
        /// How long it was waited for.
        waited_ms: u64,
    },
    /// The system refused for another reason, such as a limit on the number of processes.
    #[error(
        "cannot start `{}`: {source}\nhint: if this names a temporary lack, the next run may succeed; see `ulimit -u` \
         and the memory that is left", path.display()
    )]
    Refused {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
