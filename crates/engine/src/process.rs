//! Looking at processes through `/proc`, and signalling exactly the one that was seen.
//!
//! A pid alone is no name: it can be given to another process between two looks. A [`Stamp`] (pid and
//! start time) is one, and signals go through a pidfd that is checked against it.

use std::fs;
use std::io;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

/// The identity of a process for as long as the machine is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Stamp {
    pub(crate) pid: i32,
    /// When it was started, in clock ticks since boot.
    pub(crate) started_ticks: u64,
}

/// One process as `/proc/<pid>/stat` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) stamp: Stamp,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// Ended, and only waiting to be reaped.
    pub(crate) dead: bool,
}

impl Process {
    /// Parses one `stat` file. The name in it is chosen by the process, so parsing begins after the last `)`.
    fn parse(pid: i32, stat: &[u8]) -> Option<Self> {
        let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
        let rest = std::str::from_utf8(&stat[after_name..]).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<i32>().ok();
        // A first thread that ended alone looks like a zombie too, while the other threads go on.
        let threads = number(17)?;
        let dead = matches!(*fields.first()?, "Z" | "X" | "x") && threads <= 1;
        Some(Self {
            stamp: Stamp { pid, started_ticks: fields.get(19)?.parse().ok()? },
            parent: number(1)?,
            group: number(2)?,
            session: number(3)?,
            dead,
        })
    }

    /// The process that has this pid now. An error means that one cannot look, not that it is gone.
    pub(crate) fn read(pid: i32) -> io::Result<Option<Self>> {
        match fs::read(format!("/proc/{pid}/stat")) {
            Ok(stat) => Ok(Self::parse(pid, &stat)),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM) => Err(error),
                _ => Ok(None),
            },
        }
    }
}

/// All processes. What starts or ends during the look may be missing.
pub(crate) fn snapshot() -> io::Result<Vec<Process>> {
    let mut processes = Vec::new();
    for entry in fs::read_dir("/proc")? {
        if let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) {
            processes.extend(Process::read(pid)?);
        }
    }
    Ok(processes)
}

/// Sends signals to the process that was seen, or to nobody.
pub(crate) fn signal(seen: Stamp, signals: &[Signal]) {
    let Some(pid) = Pid::from_raw(seen.pid) else { return };
    let handle = pidfd_open(pid, PidfdFlags::empty());
    // The handle is taken first: if the pid still is the seen process now, the handle is that process.
    if !matches!(Process::read(seen.pid), Ok(Some(process)) if process.stamp == seen) {
        return;
    }
    for signal in signals {
        // An error means that it has just ended, or that it is not ours to signal: the next look tells.
        let _ = match &handle {
            Ok(handle) => pidfd_send_signal(handle, *signal),
            // No free file slot must not keep anything alive; the race is as small as it can be.
            Err(_) => kill_process(pid, *signal),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stat: &str, expect: Option<(i32, i32, i32, u64, bool)>) {
        let parsed = Process::parse(7, stat.as_bytes());
        let shown = parsed.map(|p| (p.parent, p.group, p.session, p.stamp.started_ticks, p.dead));
        assert_eq!(shown, expect, "{stat}");
    }

    #[test]
    fn a_name_cannot_forge_the_fields() {
        let rest = "S 1 2 3 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 4242 0 0";
        check(&format!("7 (sh) {rest}"), Some((1, 2, 3, 4242, false)));
        check(&format!("7 (x) Z 9 9 9 0) {rest}"), Some((1, 2, 3, 4242, false)));
        check(&format!("7 (a\nb) {rest}"), Some((1, 2, 3, 4242, false)));
        check("7 (sh", None);
        check("7 (sh) S 1 2", None);
    }

    #[test]
    fn a_process_is_dead_only_when_its_last_thread_is() {
        let stat = |threads| format!("7 (t) Z 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 {threads} 0 5 0 0");
        check(&stat(1), Some((1, 2, 3, 5, true)));
        check(&stat(4), Some((1, 2, 3, 5, false)));
    }

    #[test]
    fn this_process_is_among_all_processes() {
        let me = std::process::id() as i32;
        let seen = snapshot().unwrap().into_iter().find(|process| process.stamp.pid == me).unwrap();
        assert_eq!(Process::read(me).unwrap(), Some(seen));
        assert!(!seen.dead);
    }

    #[test]
    fn a_stamp_of_another_time_is_not_signalled() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let seen = Process::read(child.id() as i32).unwrap().unwrap().stamp;
        signal(Stamp { started_ticks: seen.started_ticks + 1, ..seen }, &[Signal::KILL]);
        assert_eq!(child.try_wait().unwrap(), None);
        signal(seen, &[Signal::KILL]);
        assert!(!child.wait().unwrap().success());
    }
}
