//! What the daemon tells the service manager (the protocol of `sd_notify(3)`).
//!
//! One message is one datagram of `NAME=value` lines to the socket that `NOTIFY_SOCKET` names: a path, or the
//! name of an abstract socket after an `@`. Nobody answers. So a manager that is not there, or does not listen,
//! is never an error: the daemon works the same without.
//!
//! Own code rather than a crate: it is one `sendto(2)`, and the crates read the environment themselves.

use std::ffi::OsStr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The longest status that is sent, in bytes. systemd drops messages of more than 4096.
const MAX_STATUS_BYTES: usize = 512;

/// Speaks to the service manager, if there is one.
///
/// It never blocks and never fails. Messages go out in the order of the calls.
#[derive(Debug)]
pub struct Notifier {
    manager: Option<(UnixDatagram, SocketAddr)>,
    watchdog_usec: Option<u64>,
}

impl Notifier {
    /// `socket` is the value of `NOTIFY_SOCKET`, `watchdog_usec` what [`watchdog_usec()`] makes of the
    /// environment. Neither variable may reach child processes.
    pub fn new(socket: Option<&OsStr>, watchdog_usec: Option<u64>) -> Self {
        Self { manager: socket.and_then(address).and_then(connect), watchdog_usec }
    }

    /// The start, or a reload, is over, and work is being done.
    pub fn ready(&self) {
        self.send("READY=1");
    }

    /// One line for people, shown by `systemctl status`.
    pub fn status(&self, text: &str) {
        self.send(&format!("STATUS={}", one_line(text)));
    }

    /// The end has begun.
    pub fn stopping(&self) {
        self.send("STOPPING=1");
    }

    /// A reload has begun; [`Notifier::ready`] says when it is over.
    pub fn reloading(&self) {
        // The time lets the manager tell this reload from an earlier one.
        let now = clock_gettime(ClockId::Monotonic);
        let usec = i128::from(now.tv_sec) * 1_000_000 + i128::from(now.tv_nsec) / 1_000;
        self.send(&format!("RELOADING=1\nMONOTONIC_USEC={usec}"));
    }

    /// A sign of life. Without one for the time that the unit sets, the manager kills and restarts.
    pub fn watchdog(&self) {
        self.send("WATCHDOG=1");
    }

    /// How often [`Notifier::watchdog`] wants to be called, if at all: twice in the time after which the manager
    /// gives up, so that one late sign of life is not the end.
    pub fn watchdog_interval(&self) -> Option<Duration> {
        self.manager.as_ref()?;
        self.watchdog_usec.filter(|usec| *usec > 1).map(|usec| Duration::from_micros(usec / 2))
    }

    fn send(&self, message: &str) {
        if let Some((socket, address)) = &self.manager {
            // By address each time rather than connected once: the manager may have been restarted.
            drop(socket.send_to_addr(message.as_bytes(), address));
        }
    }
}

/// Reads `WATCHDOG_USEC`, unless `WATCHDOG_PID` says that it is meant for another process.
pub fn watchdog_usec(usec: Option<&OsStr>, pid: Option<&OsStr>, own_pid: u32) -> Option<u64> {
    let is_ours = pid.is_none_or(|pid| pid.to_str() == Some(&own_pid.to_string()));
    usec.filter(|_| is_ours)?.to_str()?.parse().ok().filter(|usec| *usec > 0)
}

fn address(socket: &OsStr) -> Option<SocketAddr> {
    match socket.as_bytes() {
        [b'@', name @ ..] if !name.is_empty() => SocketAddr::from_abstract_name(name).ok(),
        [b'/', _, ..] => SocketAddr::from_pathname(socket).ok(),
        _ => None,
    }
}

fn connect(address: SocketAddr) -> Option<(UnixDatagram, SocketAddr)> {
    let socket = UnixDatagram::unbound().ok()?;
    // A manager that reads too slowly must not stop the daemon.
    socket.set_nonblocking(true).ok()?;
    Some((socket, address))
}

/// A line break would begin a message of its own, such as another `MAINPID`.
fn one_line(text: &str) -> String {
    let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.truncate(line.floor_char_boundary(MAX_STATUS_BYTES));
    line
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests;
