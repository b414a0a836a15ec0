//! Which processes are alive.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// Whether a process has that pid. In doubt it does.
pub(crate) fn is_running(pid: u32) -> bool {
    match i32::try_from(pid).ok().and_then(Pid::from_raw) {
        Some(pid) => !matches!(test_kill_process(pid), Err(Errno::SRCH)),
        None => false, // no process can have it
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_runs_until_it_is_reaped() {
        assert!(is_running(std::process::id()));
        assert!(is_running(1), "somebody else's process, too");
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        assert!(is_running(child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_running(child.id()));
        assert!(!is_running(0) && !is_running(u32::MAX));
    }
}
