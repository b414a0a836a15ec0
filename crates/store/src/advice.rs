//! What a person can do about a failed system call.

use std::io::{Error, ErrorKind};

use rustix::io::Errno;

/// By kind, since our own errors have no number; each clause names the cause and the way out.
const BY_KIND: [(ErrorKind, &str); 10] = [
    (ErrorKind::StorageFull, "the disk is full: free some space"),
    (ErrorKind::QuotaExceeded, "the disk quota is used up: free some space, or have the quota raised"),
    (
        ErrorKind::ReadOnlyFilesystem,
        "the file system is read-only: mount it for writing (a disk fault can turn it read-only: look at `dmesg`)",
    ),
    (
        ErrorKind::PermissionDenied,
        "permission is missing: look at the owner and mode of the file and of its folder",
    ),
    (ErrorKind::NotFound, "the file or its folder does not exist: make it, or correct the path"),
    (ErrorKind::NotADirectory, "a part of the path is not a folder: correct the path"),
    (ErrorKind::InvalidFilename, "the name is too long for the file system: use a shorter one"),
    (ErrorKind::FileTooLarge, "the file would be larger than allowed: look at `ulimit -f`"),
    (ErrorKind::Interrupted, "a signal came in between: try again"),
    (ErrorKind::CrossesDevices, "source and target are on different file systems: keep them on the same one"),
];

/// By number, where the standard library has no kind.
const BY_NUMBER: [(Errno, &str); 3] = [
    (Errno::IO, "the disk reports a fault: look at `dmesg` and at the drive's health"),
    (Errno::MFILE, "too many files are open: raise the limit (`ulimit -n`)"),
    (Errno::NFILE, "too many files are open on this machine: close some programs"),
];

const OTHERWISE: &str = "look at the file and at its folder, then try again";

/// The cause and the way out, as one clause.
pub fn advice(error: &Error) -> &'static str {
    let by_kind = BY_KIND.iter().find(|(kind, _)| *kind == error.kind()).map(|(_, text)| *text);
    let by_number = || {
        BY_NUMBER
            .iter()
            .find(|(errno, _)| Some(errno.raw_os_error()) == error.raw_os_error())
            .map(|(_, text)| *text)
    };
    by_kind.or_else(by_number).unwrap_or(OTHERWISE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(errno: Errno, expect: &str) {
        assert_eq!(advice(&errno.into()), expect);
    }

    #[test]
    fn the_faults_that_people_meet_have_advice_of_their_own() {
        check(Errno::NOSPC, "the disk is full: free some space");
        check(Errno::DQUOT, "the disk quota is used up: free some space, or have the quota raised");
        check(Errno::IO, "the disk reports a fault: look at `dmesg` and at the drive's health");
        check(
            Errno::ACCESS,
            "permission is missing: look at the owner and mode of the file and of its folder",
        );
        for errno in [Errno::PERM, Errno::ROFS, Errno::NAMETOOLONG, Errno::MFILE, Errno::XDEV, Errno::NOENT] {
            assert_ne!(advice(&errno.into()), OTHERWISE, "{errno}");
        }
        check(Errno::NODEV, OTHERWISE);
    }
}
