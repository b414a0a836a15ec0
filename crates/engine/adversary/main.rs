//! A program that misbehaves, for the tests: `engine-adversary <role> <directory> [argument]`.
//!
//! Every process of it leaves its name, `<pid>.<start time>`, as a file in the directory, so that a test can
//! tell whether it is still alive whatever else it did to itself. The file `ready` appears when all is set
//! up. Whatever is overlooked ends by itself after [`LIFE_MAX`].
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::zombie_processes,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a stand-in for programs of others, started by tests only"
)]

mod daemon;
mod ways;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// So that a failing test leaves nothing behind for long.
const LIFE_MAX: Duration = Duration::from_secs(60);

/// One process of the adversary.
struct Actor {
    dir: PathBuf,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize| arguments.get(index).map_or("", String::as_str);
    let (role, dir, extra) = (argument(0), argument(1), argument(2));
    let actor = Actor { dir: dir.into() };
    actor.sign_in();
    match role {
        "daemon" => daemon::serve(&actor, extra),
        "sweep-stale" => daemon::sweep(extra),
        _ => ways::play(&actor, role, extra),
    }
}

impl Actor {
    fn sign_in(&self) {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
        let after_name = stat.rsplit(')').next().unwrap();
        let started = after_name.split_ascii_whitespace().nth(19).unwrap();
        std::fs::write(self.dir.join(format!("{}.{started}", std::process::id())), "").unwrap();
    }

    fn say_ready(&self) {
        std::fs::write(self.dir.join("ready"), "").unwrap();
    }

    /// Waits until a file of this name is there.
    fn wait_for(&self, name: &str) {
        let until = Instant::now() + LIFE_MAX;
        while !self.dir.join(name).exists() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn note(&self, name: &str) {
        std::fs::write(self.dir.join(name), "").unwrap();
    }

    /// Another process of the adversary, with nothing to hold on to.
    fn copy(&self, role: &str, extra: &str) -> Command {
        let mut command = Command::new(own_path());
        command.arg(role).arg(&self.dir).arg(extra);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The same through a shell that does something first; `script` ends with `"$0" "$@"`.
    fn copy_by_shell(&self, script: &str, role: &str, extra: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(script).arg(own_path()).arg(role).arg(&self.dir).arg(extra);
        command
    }

    fn linger(&self) -> ! {
        std::thread::sleep(LIFE_MAX);
        std::process::exit(3)
    }
}

fn own_path() -> PathBuf {
    std::fs::read_link("/proc/self/exe").unwrap_or_else(|_| Path::new("/proc/self/exe").into())
}
