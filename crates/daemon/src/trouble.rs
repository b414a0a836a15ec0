//! What the daemon waits for instead of ending: room on the disk, free descriptors, memory, a lock that somebody holds, a folder
//! that it may write to again.
//!
//! Such a failure took back what it had begun, and the same step goes well once there is enough again. A sync that failed
//! is different: nobody knows what is on the disk, and the daemon ends.

use std::error::Error;
use std::io;

use subcortex_spine::AppendError;

use crate::edge::EdgeError;

/// `EMFILE`, `ENFILE`, `ENOMEM`, `ENOSPC`, `EDQUOT`: nothing is broken, there is only not enough of something.
const OUT_OF_SOMETHING: [rustix::io::Errno; 5] = [
    rustix::io::Errno::MFILE,
    rustix::io::Errno::NFILE,
    rustix::io::Errno::NOMEM,
    rustix::io::Errno::NOSPC,
    rustix::io::Errno::DQUOT,
];

/// `EACCES`, `EPERM`, `EROFS`: somebody took a right away, or a file system went read-only, and can give it back. Only what is written
/// waits for that; what cannot be read is said.
const NOT_ALLOWED: [rustix::io::Errno; 3] =
    [rustix::io::Errno::ACCESS, rustix::io::Errno::PERM, rustix::io::Errno::ROFS];

fn is_not_allowed(error: &io::Error) -> bool {
    NOT_ALLOWED.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Whether a system call failed only because there was not enough of something.
pub(crate) fn is_out_of_something(error: &io::Error) -> bool {
    let errno = |errno: &rustix::io::Errno| error.raw_os_error() == Some(errno.raw_os_error());
    OUT_OF_SOMETHING.iter().any(errno) || error.kind() == io::ErrorKind::StorageFull
}

/// Whether what failed may go well later.
pub(crate) fn may_pass(error: &EdgeError) -> bool {
    if let EdgeError::Spine(error) = error {
        if error.is_poisoned() {
            return false;
        }
        if matches!(error, AppendError::Busy { .. }) {
            return true;
        }
    }
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error
            .downcast_ref::<io::Error>()
            .is_some_and(|error| is_out_of_something(error) || is_not_allowed(error))
        {
            return true;
        }
        cause = error.source();
    }
    false
}
