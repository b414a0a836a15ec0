//! What is on the disk: as programs see it, as it is safe, and what lies between.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path};

use rustix::io::Errno;

use crate::disk::{EntryKind, Stat};

/// The number of a file or directory.
pub(super) type Inode = usize;
/// The names in a directory.
pub(super) type Names = BTreeMap<OsString, Inode>;

const ROOT: Inode = 0;

/// Everything on the disk.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) nodes: Vec<Node>,
    /// Changes of names since the safe ones, oldest first.
    pub(super) changes: VecDeque<PendingChange>,
    /// Which open file holds the lock of which inode.
    locks: BTreeMap<Inode, u64>,
    handles: u64,
    /// Grows with every change; stands in for the time.
    clock_ns: i128,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) body: Body,
    mtime_ns: i128,
}

#[derive(Debug, Clone)]
pub(super) enum Body {
    File { seen: Vec<u8>, safe: Vec<u8>, pending: Vec<Edit> },
    Directory { seen: Names, safe: Names },
}

/// Whether a rename may replace what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replace {
    Always,
    Never,
}

/// A change of a file's content.
#[derive(Debug, Clone)]
pub(super) enum Edit {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate { len: u64 },
}

impl Edit {
    pub(super) fn write(offset: u64, bytes: &[u8]) -> Edit {
        Edit::Write { offset: index(offset), bytes: bytes.to_owned() }
    }

    pub(super) fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Edit::Truncate { len } => content.resize(index(*len), 0),
            Edit::Write { bytes, .. } if bytes.is_empty() => {}
            Edit::Write { offset, bytes } => {
                let end = offset + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*offset..end].copy_from_slice(bytes);
            }
        }
    }
}

/// A change of names that is not safe until some directories are synced.
#[derive(Debug, Clone)]
pub(super) struct PendingChange {
    pub(super) change: Change,
    pub(super) unsynced: Vec<Inode>,
}

#[derive(Debug, Clone)]
pub(super) enum Change {
    Link {
        dir: Inode,
        name: OsString,
        inode: Inode,
    },
    Unlink {
        dir: Inode,
        name: OsString,
    },
    Move {
        from: (Inode, OsString),
        to: (Inode, OsString),
        inode: Inode,
    },
    /// Two names and what each leads to from now on.
    Exchange {
        one: (Inode, OsString),
        other: (Inode, OsString),
        inodes: (Inode, Inode),
    },
}

impl Change {
    /// The directories that it touches.
    fn dirs(&self) -> Vec<Inode> {
        match self {
            Change::Link { dir, .. } | Change::Unlink { dir, .. } => vec![*dir],
            Change::Move { from, to, .. } if from.0 == to.0 => vec![to.0],
            Change::Move { from, to, .. } => vec![from.0, to.0],
            Change::Exchange { one, other, .. } if one.0 == other.0 => vec![one.0],
            Change::Exchange { one, other, .. } => vec![one.0, other.0],
        }
    }
}

impl State {
    pub(super) fn new() -> State {
        let mut state = State {
            nodes: Vec::new(),
            changes: VecDeque::new(),
            locks: BTreeMap::new(),
            handles: 0,
            clock_ns: 0,
        };
        state.add(Body::Directory { seen: Names::new(), safe: Names::new() });
        state
    }

    fn add(&mut self, body: Body) -> Inode {
        self.clock_ns += 1;
        self.nodes.push(Node { body, mtime_ns: self.clock_ns });
        self.nodes.len() - 1
    }

    pub(super) fn next_handle(&mut self) -> u64 {
        self.handles += 1;
        self.handles
    }

    pub(super) fn is_dir(&self, inode: Inode) -> bool {
        matches!(self.nodes[inode].body, Body::Directory { .. })
    }

    fn names(&self, dir: Inode) -> Result<&Names, Errno> {
        match &self.nodes[dir].body {
            Body::Directory { seen, .. } => Ok(seen),
            Body::File { .. } => Err(Errno::NOTDIR),
        }
    }

    pub(super) fn find(&self, path: &Path) -> Result<Inode, Errno> {
        path.components().try_fold(ROOT, |dir, part| match part {
            Component::RootDir | Component::CurDir => Ok(dir),
            Component::Normal(name) => self.names(dir)?.get(name).copied().ok_or(Errno::NOENT),
            Component::ParentDir | Component::Prefix(_) => Err(Errno::INVAL),
        })
    }

    /// The directory of a path and the name in it.
    fn place(&self, path: &Path) -> Result<(Inode, OsString), Errno> {
        let name = path.file_name().ok_or(Errno::INVAL)?;
        let dir = self.find(path.parent().unwrap_or(Path::new("/")))?;
        self.names(dir)?;
        Ok((dir, name.to_owned()))
    }

    fn entry(&self, place: &(Inode, OsString)) -> Option<Inode> {
        self.names(place.0).ok()?.get::<OsStr>(&place.1).copied()
    }

    fn change(&mut self, change: Change) {
        self.clock_ns += 1;
        apply(&mut self.nodes, &change, seen_names);
        let unsynced = change.dirs();
        for dir in &unsynced {
            self.nodes[*dir].mtime_ns = self.clock_ns;
        }
        self.changes.push_back(PendingChange { change, unsynced });
    }

    pub(super) fn create(&mut self, path: &Path) -> Result<Inode, Errno> {
        let body = Body::File { seen: Vec::new(), safe: Vec::new(), pending: Vec::new() };
        self.link(path, body)
    }

    pub(super) fn make_dir(&mut self, path: &Path) -> Result<(), Errno> {
        self.link(path, Body::Directory { seen: Names::new(), safe: Names::new() }).map(|_| ())
    }

    fn link(&mut self, path: &Path, body: Body) -> Result<Inode, Errno> {
        let (dir, name) = self.place(path)?;
        let inode = self.add(body);
        self.change(Change::Link { dir, name, inode });
        Ok(inode)
    }

    /// Renames, with the checks of Linux in their order.
    pub(super) fn rename(&mut self, from: &Path, to: &Path, replace: Replace) -> Result<(), Errno> {
        let (from, to) = (self.place(from)?, self.place(to)?);
        let inode = self.entry(&from).ok_or(Errno::NOENT)?;
        let there = self.entry(&to);
        if there.is_some() && replace == Replace::Never {
            return Err(Errno::EXIST);
        }
        if self.holds(inode, to.0) {
            return Err(Errno::INVAL); // a directory into itself
        }
        if let Some(there) = there {
            match (self.is_dir(inode), self.is_dir(there)) {
                _ if there == inode => return Ok(()),
                _ if self.holds(there, from.0) => return Err(Errno::NOTEMPTY),
                (true, false) => return Err(Errno::NOTDIR),
                (false, true) => return Err(Errno::ISDIR),
                (true, true) if !self.names(there)?.is_empty() => return Err(Errno::NOTEMPTY),
                (true, true) | (false, false) => {}
            }
        }
        self.change(Change::Move { from, to, inode });
        Ok(())
    }

    /// Gives each of two files the other's name.
    pub(super) fn exchange(&mut self, one: &Path, other: &Path) -> Result<(), Errno> {
        let (one, other) = (self.place(one)?, self.place(other)?);
        let inodes = (self.entry(&other).ok_or(Errno::NOENT)?, self.entry(&one).ok_or(Errno::NOENT)?);
        if self.is_dir(inodes.0) || self.is_dir(inodes.1) {
            return Err(Errno::INVAL); // nobody needs it
        }
        self.change(Change::Exchange { one, other, inodes });
        Ok(())
    }

    /// Whether a directory is another one or holds it, at any depth.
    fn holds(&self, dir: Inode, inner: Inode) -> bool {
        dir == inner
            || self.names(dir).is_ok_and(|names| names.values().any(|inode| self.holds(*inode, inner)))
    }

    pub(super) fn remove(&mut self, path: &Path) -> Result<(), Errno> {
        let place = self.place(path)?;
        let inode = self.entry(&place).ok_or(Errno::NOENT)?;
        if self.is_dir(inode) {
            return Err(Errno::ISDIR);
        }
        let (dir, name) = place;
        self.change(Change::Unlink { dir, name });
        Ok(())
    }

    pub(super) fn list(&self, path: &Path) -> Result<Vec<OsString>, Errno> {
        Ok(self.names(self.find(path)?)?.keys().cloned().collect())
    }

    pub(super) fn sync_dir(&mut self, path: &Path) -> Result<(), Errno> {
        let dir = self.find(path)?;
        self.names(dir)?;
        for pending in &mut self.changes {
            pending.unsynced.retain(|unsynced| *unsynced != dir);
        }
        // A later change can be safe before an earlier one, so only the front can be forgotten.
        while let Some(first) = self.changes.pop_front_if(|first| first.unsynced.is_empty()) {
            apply(&mut self.nodes, &first.change, safe_names);
        }
        Ok(())
    }

    pub(super) fn sync_file_system(&mut self, path: &Path) -> Result<(), Errno> {
        let dir = self.find(path)?;
        self.names(dir)?;
        self.settle();
        Ok(())
    }

    /// Makes everything safe.
    pub(super) fn settle(&mut self) {
        while let Some(first) = self.changes.pop_front() {
            apply(&mut self.nodes, &first.change, safe_names);
        }
        for inode in 0..self.nodes.len() {
            self.sync(inode);
        }
    }

    pub(super) fn edit(&mut self, inode: Inode, edit: Edit) {
        self.clock_ns += 1;
        let node = &mut self.nodes[inode];
        node.mtime_ns = self.clock_ns;
        if let Body::File { seen, pending, .. } = &mut node.body {
            edit.apply(seen);
            pending.push(edit);
        }
    }

    /// Writes at the end, in one step with finding it.
    pub(super) fn append(&mut self, inode: Inode, bytes: &[u8]) {
        let end = self.stat(inode).len;
        self.edit(inode, Edit::write(end, bytes));
    }

    pub(super) fn sync(&mut self, inode: Inode) {
        if let Body::File { safe, pending, .. } = &mut self.nodes[inode].body {
            pending.drain(..).for_each(|edit| edit.apply(safe));
        }
    }

    pub(super) fn read(&self, inode: Inode, buffer: &mut [u8], offset: u64) -> usize {
        let Body::File { seen, .. } = &self.nodes[inode].body else { return 0 };
        let rest = seen.get(index(offset)..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        count
    }

    pub(super) fn stat(&self, inode: Inode) -> Stat {
        let node = &self.nodes[inode];
        let (kind, len, mode) = match &node.body {
            Body::File { seen, .. } => (EntryKind::File, seen.len() as u64, 0o600),
            Body::Directory { .. } => (EntryKind::Directory, 0, 0o700),
        };
        let uid = rustix::process::geteuid().as_raw();
        let mtime_ns = node.mtime_ns;
        Stat { kind, len, mtime_ns, mode, uid, links: 1, changed_ns: mtime_ns, inode: (0, inode as u64) }
    }

    pub(super) fn try_lock(&mut self, inode: Inode, handle: u64) -> bool {
        *self.locks.entry(inode).or_insert(handle) == handle
    }

    pub(super) fn unlock(&mut self, inode: Inode, handle: u64) {
        if self.locks.get(&inode) == Some(&handle) {
            self.locks.remove(&inode);
        }
    }

    /// A machine that starts anew knows no locks.
    pub(super) fn forget_locks(&mut self) {
        self.locks.clear();
    }
}

/// Carries out a change of names, on the names that programs see or on those that are safe.
pub(super) fn apply(nodes: &mut [Node], change: &Change, names_of: fn(&mut Node) -> Option<&mut Names>) {
    let mut set = |dir: Inode, name: &OsStr, inode: Option<Inode>| {
        let Some(names) = names_of(&mut nodes[dir]) else { return };
        match inode {
            Some(inode) => _ = names.insert(name.to_owned(), inode),
            None => _ = names.remove(name),
        }
    };
    match change {
        Change::Link { dir, name, inode } => set(*dir, name, Some(*inode)),
        Change::Unlink { dir, name } => set(*dir, name, None),
        Change::Move { from, to, inode } => {
            set(from.0, &from.1, None);
            set(to.0, &to.1, Some(*inode));
        }
        Change::Exchange { one, other, inodes } => {
            set(one.0, &one.1, Some(inodes.0));
            set(other.0, &other.1, Some(inodes.1));
        }
    }
}

fn seen_names(node: &mut Node) -> Option<&mut Names> {
    match &mut node.body {
        Body::Directory { seen, .. } => Some(seen),
        Body::File { .. } => None,
    }
}

pub(super) fn safe_names(node: &mut Node) -> Option<&mut Names> {
    match &mut node.body {
        Body::Directory { safe, .. } => Some(safe),
        Body::File { .. } => None,
    }
}

fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}
