//! Seeing the processes that may belong to runs.
//!
//! Where orphans come back to this process, everything that any run started is below it, and walking down
//! the lists of children is both cheap and certain. It is certain because nobody leaves the list of *our own*
//! children but by our reaping: the dead stay in it as zombies, and what they leave behind is appended to it
//! before they are seen to be dead. So when all entries were examined and a last reading of the list shows
//! no new one, nothing was overlooked, however quickly processes replace each other.
//!
//! Elsewhere all of `/proc` is read, which can miss a process that is born behind the reader's back.

use std::collections::HashMap;
use std::fs;
use std::io;

use rustix::process::getpid;

use crate::process::{Process, snapshot};

/// How many times new children may turn up before acting is more urgent than seeing them all.
const WALKS_MAX: u32 = 3;

/// How much is to be read into not seeing a process, from little to much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// Children turned up faster than they could be examined.
    None,
    /// Who was not seen was probably not there.
    Likely,
    /// Who was not seen was not there.
    Certain,
}

/// What was seen.
#[derive(Debug)]
pub(crate) struct Sight {
    pub(crate) processes: Vec<Process>,
    pub(crate) certainty: Certainty,
}

/// Looks. Must not run while children of this process are reaped.
pub(crate) fn see(adopts_orphans: bool) -> io::Result<Sight> {
    if adopts_orphans && fs::exists("/proc/thread-self/children")? {
        walk_down()
    } else {
        Ok(Sight { processes: snapshot()?, certainty: Certainty::Likely })
    }
}

/// The children of this process, the dead ones included; none where the kernel does not list them.
pub(crate) fn own_children() -> io::Result<Vec<i32>> {
    children_of(getpid().as_raw_pid())
}

fn walk_down() -> io::Result<Sight> {
    let mut seen = HashMap::new();
    for _ in 0..WALKS_MAX {
        let mut open: Vec<i32> = own_children()?.into_iter().filter(|pid| !seen.contains_key(pid)).collect();
        if open.is_empty() {
            return Ok(Sight { processes: seen.into_values().collect(), certainty: Certainty::Certain });
        }
        while let Some(pid) = open.pop() {
            // One that is gone already was a grandchild; what it left behind has become a child.
            let Some(process) = Process::read(pid)? else { continue };
            if seen.insert(pid, process).is_none() && !process.dead {
                open.extend(children_of(pid)?);
            }
        }
    }
    Ok(Sight { processes: seen.into_values().collect(), certainty: Certainty::None })
}

fn children_of(pid: i32) -> io::Result<Vec<i32>> {
    let mut children = Vec::new();
    let threads = match fs::read_dir(format!("/proc/{pid}/task")) {
        Ok(threads) => threads,
        Err(error) => return if is_gone(&error) { Ok(children) } else { Err(error) },
    };
    for thread in threads {
        let list = thread.and_then(|thread| fs::read_to_string(thread.path().join("children")));
        match list {
            Ok(list) => {
                children.extend(list.split_ascii_whitespace().filter_map(|pid| pid.parse::<i32>().ok()))
            }
            Err(error) if is_gone(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(children)
}

/// A process, or a thread of it, that ended while it was looked at.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error())
}
