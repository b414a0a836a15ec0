//! Whether a caller is a run, or anything that a run started: asked of the kernel, since a caller can leave its environment behind.
//!
//! The daemon adopts the orphans of its runs ([`crate::become_subreaper`]), so whatever a run starts stays below the daemon, and no person's
//! program ever is. What cannot be found out counts as a run's: a person can call again.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::net::{IpAddr, SocketAddr};

use crate::marks;
use crate::process::{Process, snapshot};

/// The longest line of ancestors that is followed.
const MAX_GENERATIONS: usize = 4_096;
/// How many ancestors are looked into.
const MAX_ANCESTORS: usize = 64;

/// Whether a process descends from this one. One that is gone, or cannot be looked at, does.
pub fn descends_from_me(pid: i32) -> bool {
    let me = own_pid();
    let mut pid = pid;
    for _ in 0..MAX_GENERATIONS {
        match Process::read(pid) {
            Ok(Some(process)) if process.parent == me => return true,
            // Nobody is above the first process of a machine or of a container.
            Ok(Some(process)) if process.parent <= 0 || pid == 1 => return false,
            Ok(Some(process)) => pid = process.parent,
            Ok(None) | Err(_) => return true,
        }
    }
    true
}

/// A process from which this one descends, as far as it may be looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ancestor {
    /// What it is called: by the kernel, and by whoever started it.
    names: [String; 2],
    /// Where its program lies, and the script that an interpreter runs.
    paths: [String; 2],
    variables: Vec<u8>,
}

impl Ancestor {
    fn read(pid: i32) -> Self {
        let about = |what: &str| format!("/proc/{pid}/{what}");
        let name = fs::read_to_string(about("comm")).unwrap_or_default();
        let arguments = fs::read(about("cmdline")).unwrap_or_default();
        let mut arguments = arguments.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let (called, script) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
        let called = called.rsplit('/').next().unwrap_or_default().to_owned();
        let program = fs::read_link(about("exe")).unwrap_or_default();
        Self {
            names: [name.trim_end().to_owned(), called],
            paths: [program.to_string_lossy().into_owned(), script.into_owned()],
            variables: marks::environment_of(pid).unwrap_or_default(), // somebody else's is not ours to read
        }
    }

    /// Whether its program has this name.
    pub fn runs(&self, program: &str) -> bool {
        self.names.iter().any(|name| name == program)
    }

    /// Whether its program, or the script that it runs, lies below such folders: `b/c` of `/a/b/c/d`.
    pub fn lies_in(&self, folders: &str) -> bool {
        self.paths.iter().any(|path| path.contains(&format!("/{folders}/")))
    }

    /// Whether it was started with a variable of this name that holds something.
    pub fn has(&self, variable: &str) -> bool {
        self.variables.split(|byte| *byte == 0).any(|entry| {
            let value = entry.strip_prefix(variable.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
            value.is_some_and(|value| !value.is_empty())
        })
    }
}

/// Those from whom this process descends, the nearest first. Who is called with another environment still has them above; who was left
/// behind by all of them has nobody.
pub fn ancestors() -> Vec<Ancestor> {
    let mut found = Vec::new();
    let mut pid = own_pid();
    while found.len() < MAX_ANCESTORS
        && let Ok(Some(process)) = Process::read(pid)
        && process.parent > 0
    {
        pid = process.parent;
        found.push(Ancestor::read(pid));
    }
    found
}

/// Whether the other end of a connection on loopback is held by a process that descends from this one. One whose holder cannot be
/// found is, as long as there are such processes.
pub fn is_held_below_me(peer: SocketAddr, here: SocketAddr) -> bool {
    let Ok(below) = descendants() else { return true };
    if below.is_empty() {
        return false;
    }
    let Some(socket) = socket_of(peer, here) else { return true };
    below.into_iter().any(|pid| holds(pid, &socket))
}

fn own_pid() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

fn descendants() -> io::Result<Vec<i32>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for process in snapshot()?.iter().filter(|process| !process.dead) {
        children.entry(process.parent).or_default().push(process.stamp.pid);
    }
    let (mut found, mut open, mut seen) = (Vec::new(), vec![own_pid()], HashSet::new());
    while let Some(pid) = open.pop() {
        for child in children.get(&pid).into_iter().flatten().copied().filter(|child| seen.insert(*child)) {
            found.push(child);
            open.push(child);
        }
    }
    Ok(found)
}

/// The name under which the holder of the other end has it among its descriptors.
fn socket_of(peer: SocketAddr, here: SocketAddr) -> Option<String> {
    let table = if peer.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    let table = fs::read_to_string(table).ok()?;
    let ends = [as_the_kernel_writes(peer), as_the_kernel_writes(here)];
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let inode = *fields.get(9)?;
        let is_it = fields.get(1) == Some(&&*ends[0]) && fields.get(2) == Some(&&*ends[1]) && inode != "0";
        is_it.then(|| format!("socket:[{inode}]"))
    })
}

fn as_the_kernel_writes(end: SocketAddr) -> String {
    let words: Vec<[u8; 4]> = match end.ip() {
        IpAddr::V4(ip) => vec![ip.octets()],
        IpAddr::V6(ip) => ip.octets().as_chunks::<4>().0.to_vec(),
    };
    let words = words.into_iter().map(|word| format!("{:08X}", u32::from_ne_bytes(word)));
    format!("{}:{:04X}", words.collect::<String>(), end.port())
}

/// Whether a process has a socket among its descriptors. One that lives and cannot be looked into may.
fn holds(pid: i32, socket: &str) -> bool {
    match fs::read_dir(format!("/proc/{pid}/fd")) {
        Ok(descriptors) => descriptors.flatten().any(|descriptor| {
            fs::read_link(descriptor.path()).is_ok_and(|leads_to| leads_to.as_os_str() == socket)
        }),
        Err(_) => Process::read(pid).is_ok_and(|process| process.is_some_and(|process| !process.dead)),
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_child_of_a_child_descends_from_me_and_my_parent_does_not() {
        let mut child = Command::new("sh")
            .args(["-c", "sleep 60 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        io::BufRead::read_line(&mut io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line).unwrap();
        let grandchild: i32 = line.trim().parse().unwrap();
        assert!(descends_from_me(grandchild));
        assert!(!descends_from_me(rustix::process::getppid().unwrap().as_raw_nonzero().get()));
        assert!(!descends_from_me(own_pid()), "nobody descends from themselves");
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(grandchild).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
        child.wait().unwrap();
        assert!(descends_from_me(grandchild), "who is gone cannot say who they were");
    }

    #[test]
    fn a_variable_of_an_ancestor_is_found_whole() {
        let variables = b"A=1\0CLAUDECODE=1\0E=\0".to_vec();
        let ancestor = Ancestor { variables, ..Ancestor::default() };
        assert!(ancestor.has("CLAUDECODE") && ancestor.has("A"));
        assert!(!ancestor.has("CLAUDE") && !ancestor.has("E") && !ancestor.has("1"));
        assert!(!ancestors().is_empty(), "somebody started this test");
    }

    #[test]
    #[allow(clippy::disallowed_methods)] // a script of the test's own
    fn an_ancestor_is_known_by_how_it_was_called_and_where_its_program_and_its_script_lie() {
        let folder = std::env::temp_dir().join(format!("kin-{}/some-agent/versions", own_pid()));
        fs::create_dir_all(&folder).unwrap();
        let script = folder.join("cli.sh");
        fs::write(&script, "sleep 60; exit").unwrap();
        let mut called = Command::new("bash");
        called.args(["-c", "exec -a /opt/agent sleep 60"]);
        let mut running = Command::new("bash");
        running.arg(&script);
        for (mut command, is_called, lies_there) in [(called, true, false), (running, false, true)] {
            let mut child = command.spawn().unwrap();
            let pid = i32::try_from(child.id()).unwrap();
            let is_seen = || {
                let ancestor = Ancestor::read(pid);
                (ancestor.runs("agent"), ancestor.lies_in("some-agent/versions")) == (is_called, lies_there)
            };
            let seen = (0..500).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                is_seen()
            });
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(seen, "{command:?}");
        }
        fs::remove_dir_all(folder.parent().unwrap().parent().unwrap()).unwrap();
    }

    #[test]
    fn a_connection_is_known_by_who_holds_it() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = listener.local_addr().unwrap();
        let mut child = Command::new("bash")
            .args(["-c", &format!("exec 3<>/dev/tcp/127.0.0.1/{}; sleep 60", here.port())])
            .spawn()
            .unwrap();
        let (theirs, peer) = listener.accept().unwrap();
        assert!(is_held_below_me(peer, here));
        let mine = TcpStream::connect(here).unwrap();
        listener.accept().unwrap();
        assert!(!is_held_below_me(mine.local_addr().unwrap(), here), "I hold it myself");
        child.kill().unwrap();
        child.wait().unwrap();
        drop(theirs);
        for (end, written) in
            [("127.0.0.1:8080", "0100007F:1F90"), ("[::1]:80", "00000000000000000000000001000000:0050")]
        {
            assert_eq!(as_the_kernel_writes(end.parse().unwrap()), written);
        }
    }
}
