//! Leases: how the kernel tells whether somebody has a file open for writing. The only unsafe code of the crate.
//!
//! A read lease (`F_SETLEASE`) is refused while anybody has the file open for writing, by any name or descriptor. While it
//! is held, whoever opens or truncates the file waits until it is given back (or for `/proc/sys/fs/lease-break-time`), and
//! `F_GETLEASE` says that somebody waits. The kernel also sends the holder a signal then, which would end the process: it
//! is turned into one that does nothing.

#![allow(unsafe_code, reason = "neither std nor rustix knows F_SETLEASE; the arguments are plain numbers")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use crate::disk::Lease;

/// `F_SETSIG` of Linux, which `libc` does not name.
const F_SETSIG: libc::c_int = 10;

/// Asks for a read lease on a file that was opened for reading.
pub(super) fn take(file: &File) -> io::Result<Lease> {
    control(file, F_SETSIG, libc::SIGURG)?; // ignored unless somebody asks for it
    match control(file, libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(_) => Ok(Lease::Held),
        Err(error) => match error.raw_os_error() {
            Some(libc::EAGAIN) => Ok(Lease::Writer),
            Some(
                libc::EACCES | libc::EPERM | libc::EINVAL | libc::ENOLCK | libc::EOPNOTSUPP | libc::ENOSYS,
            ) => Ok(Lease::Unknown),
            _ => Err(error),
        },
    }
}

/// Whether the lease is held and nobody waits for its end.
pub(super) fn holds(file: &File) -> io::Result<bool> {
    Ok(control(file, libc::F_GETLEASE, 0)? == libc::F_RDLCK)
}

/// Gives the lease back.
pub(super) fn end(file: &File) -> io::Result<()> {
    match control(file, libc::F_SETLEASE, libc::F_UNLCK) {
        Ok(_) => Ok(()),
        // There is none any more: the kernel took it.
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => Ok(()),
        Err(error) => Err(error),
    }
}

fn control(file: &File, command: libc::c_int, argument: libc::c_int) -> io::Result<libc::c_int> {
    loop {
        // SAFETY: the descriptor is open as long as `file` lives, and these commands take a number and touch no memory.
        let answer = unsafe { libc::fcntl(file.as_raw_fd(), command, argument) };
        if answer >= 0 {
            return Ok(answer);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
