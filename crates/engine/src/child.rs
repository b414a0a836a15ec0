//! A process that this one started, with its pipes. It is reaped by [`Child::wait`] and [`Child::try_wait`] only.

use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use crate::cgroup::Cradle;
use crate::fence::Fence;
use crate::fork::{Newborn, fork};
use crate::image::Image;

/// What `std::process::Child` is to a `std::process::Command`.
#[derive(Debug)]
pub(crate) struct Child {
    pid: Pid,
    /// How it ended; present once it is reaped, when its pid may be a stranger's.
    status: Option<ExitStatus>,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: Option<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
}

impl Child {
    /// Starts a program and returns when it is running, or with the error number that the child met before.
    pub(crate) fn start(
        image: &Image,
        brand: u64,
        cradle: Option<Cradle>,
        fence: Option<Fence>,
    ) -> io::Result<Self> {
        // All of these close in the program, but for the copies that become its standard streams.
        let (its_stdin, stdin) = io::pipe()?;
        let (stdout, its_stdout) = io::pipe()?;
        let (stderr, its_stderr) = io::pipe()?;
        let (report, its_report) = io::pipe()?;
        let stdio = [its_stdin.into(), its_stdout.into(), its_stderr.into()];
        let newborn = Newborn { image, stdio, report: its_report.into(), brand, cradle, fence };
        let mut child = Self {
            pid: fork(newborn)?,
            status: None,
            stdin: Some(ChildStdin::from(OwnedFd::from(stdin))),
            stdout: Some(ChildStdout::from(OwnedFd::from(stdout))),
            stderr: Some(ChildStderr::from(OwnedFd::from(stderr))),
        };
        if let Err(error) = became_program(report) {
            child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok(child)
    }

    /// Its pid, which stays its own until it is reaped.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Ends it without grace.
    pub(crate) fn kill(&self) {
        if self.status.is_none() {
            // It can only have ended already.
            let _ = kill_process(self.pid, Signal::KILL);
        }
    }

    /// Waits for its end and reaps it.
    pub(crate) fn wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.reap(WaitOptions::empty())
    }

    /// Reaps it, if it has ended.
    pub(crate) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.reap(WaitOptions::NOHANG)
    }

    fn reap(&mut self, options: WaitOptions) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            let ended = loop {
                match waitpid(Some(self.pid), options) {
                    Err(Errno::INTR) => {}
                    other => break other?,
                }
            };
            self.status = ended.map(|(_, status)| ExitStatus::from_raw(status.as_raw()));
        }
        Ok(self.status)
    }
}

/// Waits until the child is the program: then its end of the report closes with nothing in it.
fn became_program(mut report: impl Read) -> io::Result<()> {
    let mut number = [0; size_of::<i32>()];
    match report.read_exact(&mut number) {
        Ok(()) => Err(io::Error::from_raw_os_error(i32::from_ne_bytes(number))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test that cannot run here says so where the tests are counted"
)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs::File;
    use std::path::Path;

    use super::*;
    use crate::cgroup::{Base, Group};

    const BRAND: u64 = 1 << 40;

    fn image(program: &str, args: &[&str]) -> Image {
        let args: Vec<_> = args.iter().map(Into::into).collect();
        Image::new(Path::new(program), &args, BTreeMap::new(), Path::new("/")).unwrap()
    }

    /// Starts a program and returns what it writes.
    fn output(image: &Image, cradle: Option<Cradle>) -> String {
        let mut child = Child::start(image, BRAND, cradle, None).unwrap();
        drop(child.stdin.take());
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap(), Some(ExitStatus::from_raw(0)), "{text}");
        text
    }

    /// Starts a program with the ways into a new cgroup that `change` leaves, and expects it inside.
    fn check_inside(test: &str, change: impl FnOnce(Cradle) -> Cradle) {
        let name = format!("subcortex-unit{}-{test}", std::process::id());
        let group: Group = match Base::find(&name) {
            Ok(base) => base.create(&name).unwrap(),
            Err(why) => return subcortex_testkit::skip(test, &why),
        };
        let seen = output(&image("/bin/cat", &["/proc/self/cgroup"]), Some(change(group.cradle().unwrap())));
        assert!(group.remove());
        assert!(seen.trim_end().ends_with(&name), "{seen}");
    }

    #[test]
    fn a_child_is_born_in_its_cgroup() {
        // With no door to move in by, only birth leads inside.
        let walled_up = || OwnedFd::from(File::options().write(true).open("/dev/null").unwrap());
        check_inside("born", |cradle| Cradle { entrance: walled_up(), ..cradle });
    }

    #[test]
    fn a_child_moves_into_its_cgroup_where_birth_is_refused() {
        let no_cgroup = || OwnedFd::from(File::open("/").unwrap());
        check_inside("moved", |cradle| Cradle { directory: no_cgroup(), ..cradle });
    }

    #[test]
    fn a_program_inherits_its_standard_streams_and_nothing_else() {
        // One that does not close by itself, as a careless starter of this process leaves it behind.
        let open = File::open("/dev/null").unwrap();
        rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty()).unwrap();
        // `ls` itself opens the directory that it lists.
        let seen = output(&image("/bin/ls", &["/proc/self/fd"]), None);
        assert_eq!(seen, "0\n1\n2\n3\n");
    }

    #[test]
    fn a_program_is_ended_by_a_closed_pipe_though_this_one_is_not() {
        let status = |status: &str, signals: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(signals)).unwrap();
            u64::from_str_radix(line.trim(), 16).unwrap()
        };
        let closed_pipe = 1 << (Signal::PIPE.as_raw() - 1);
        let here = std::fs::read_to_string("/proc/self/status").unwrap();
        assert_ne!(status(&here, "SigIgn:") & closed_pipe, 0);
        let there = output(&image("/bin/cat", &["/proc/self/status"]), None);
        assert_eq!(status(&there, "SigIgn:") & closed_pipe, 0);
        assert_eq!(status(&there, "SigBlk:"), 0);
    }

    #[test]
    fn a_program_leads_a_session_of_its_own_and_carries_its_brand() {
        let script = "echo $$; cut -d' ' -f6 /proc/self/stat; ulimit -H -x";
        let image = image("/bin/bash", &["-c", script]);
        let mut child = Child::start(&image, BRAND, None, None).unwrap();
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let pid = child.pid().as_raw_pid();
        assert_eq!(text, format!("{pid}\n{pid}\n{BRAND}\n"));
        child.wait().unwrap();
    }

    #[test]
    fn the_error_number_of_a_program_that_cannot_start_arrives() {
        let error = |program, cwd: &str| {
            let image = Image::new(Path::new(program), &[], BTreeMap::new(), Path::new(cwd)).unwrap();
            let error = Child::start(&image, BRAND, None, None).unwrap_err();
            Errno::from_io_error(&error).unwrap()
        };
        assert_eq!(error("/no/such/program", "/"), Errno::NOENT);
        assert_eq!(error("/etc/passwd", "/"), Errno::ACCESS);
        assert_eq!(error("/bin/true", "/etc/passwd"), Errno::NOTDIR);
    }

    #[test]
    fn a_child_that_was_killed_is_reaped_once_and_remembered() {
        let mut child = Child::start(&image("/bin/sleep", &["600"]), BRAND, None, None).unwrap();
        assert_eq!(child.try_wait().unwrap(), None);
        child.kill();
        let killed = Some(ExitStatus::from_raw(Signal::KILL.as_raw()));
        assert_eq!(child.wait().unwrap(), killed);
        // A second look must not ask the kernel: the pid may belong to another by now.
        assert_eq!(child.try_wait().unwrap(), killed);
    }
}
