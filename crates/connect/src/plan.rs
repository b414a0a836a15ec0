//! What would be changed, shown before it is done.

use std::path::{Path, PathBuf};
use std::time::Duration;

use subcortex_guard::escape_for_display;
use subcortex_store::Disk;
use subcortex_store::durable::{self, Patience, ReadError};

use crate::command::Commands;
use crate::edit::{Insertion, Piece, insert, take_out, take_out_anywhere};
use crate::record::{FileRecord, Record, hash, load, record_file, store};
use crate::settings::{self, Mistake};
use crate::{ConnectError, Link, MAX_FILE_BYTES, memory_file};

/// The bits of a mode that allow writing.
const WRITE_BITS: u32 = 0o222;

/// One file that is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file itself, behind all links.
    pub path: PathBuf,
    /// Its content; `None` if it is not there.
    pub before: Option<String>,
    /// Its new content; `None` if it is removed.
    pub after: Option<String>,
}

/// Everything that is changed to connect or disconnect an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The files, in the order in which they are changed.
    pub changes: Vec<Change>,
    record: Option<Record>,
    /// Whether a note is there that has to go, or be made anew.
    has_record: bool,
}

impl Plan {
    /// Whether there is nothing to change.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The difference, safe to show.
    pub fn diff(&self) -> String {
        self.changes.iter().map(Change::diff).collect()
    }
}

impl Change {
    fn diff(&self) -> String {
        let path = self.path.to_string_lossy();
        let name = |content: &Option<String>| match content {
            Some(_) => path.clone().into_owned(),
            None => "/dev/null".to_owned(),
        };
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let difference = subcortex_diff::between(before.unwrap_or_default(), after.unwrap_or_default());
        let text = difference.unified(&name(&self.before), &name(&self.after), 2);
        text.lines().map(|line| format!("{}\n", escape_for_display(line))).collect()
    }
}

/// A file as it is.
struct Current {
    path: PathBuf,
    text: Option<String>,
    mode: Option<u32>,
}

impl Current {
    /// Reads a file of a person: links are followed, since people keep such files elsewhere.
    fn read(disk: &dyn Disk, path: &Path) -> Result<Self, ConnectError> {
        let path = durable::follow_link(disk, path)?;
        match durable::read_text(disk, &path, MAX_FILE_BYTES) {
            Ok(text) => {
                let mode = disk.stat(&path).ok().map(|stat| stat.mode);
                Ok(Self { path, text: Some(text), mode })
            }
            Err(ReadError::Missing { .. }) => Ok(Self { path, text: None, mode: None }),
            Err(error) => Err(error.into()),
        }
    }

    fn change(self, after: Option<String>) -> Result<Option<Change>, ConnectError> {
        if self.text == after {
            return Ok(None);
        }
        if self.mode.is_some_and(|mode| mode & WRITE_BITS == 0) {
            return Err(ConnectError::ReadOnly(self.path));
        }
        Ok(Some(Change { path: self.path, before: self.text, after }))
    }
}

/// Waits until nobody writes to the files of an agent: what an editor has saved so far is not what its person wants.
pub fn wait_until_quiet(disk: &dyn Disk, link: &Link, patience: Patience) -> Result<(), ConnectError> {
    // Programs write their settings without a line end behind the last line.
    let for_settings = Patience { unfinished: Duration::ZERO, ..patience };
    let files = [Some((link.settings_file(), for_settings)), link.memory_file().map(|path| (path, patience))];
    for (path, patience) in files.into_iter().flatten() {
        durable::wait_until_quiet(disk, &durable::follow_link(disk, &path)?, patience)?;
    }
    Ok(())
}

/// What is changed to connect an agent. Nothing, if it is connected.
pub fn plan_connect(disk: &dyn Disk, link: &Link) -> Result<Plan, ConnectError> {
    let record_path = record_file(&link.home, link.agent);
    let old = load(disk, &record_path)?;
    let commands = link.commands()?;
    let mut plan = Plan { changes: Vec::new(), record: None, has_record: old.is_some() };
    let mut files = Vec::new();

    let current = Current::read(disk, &link.settings_file())?;
    let known = old.as_ref().and_then(|old| old.of(&current.path));
    match settings_with_hooks(&current, known, &commands)? {
        Some((after, pieces)) => add(&mut plan, &mut files, current, known, after, pieces)?,
        None => files.extend(known.cloned()),
    }
    if let Some(path) = link.memory_file() {
        let current = Current::read(disk, &path)?;
        let known = old.as_ref().and_then(|old| old.of(&current.path));
        let line = memory_file::line(&link.home.broadcast())?;
        let text = current.text.as_deref().unwrap_or_default();
        if memory_file::has(text, &line) {
            files.extend(known.cloned());
        } else {
            let (after, pieces) = insert(text, vec![memory_file::add(text, &line)]);
            add(&mut plan, &mut files, current, known, after, pieces)?;
        }
    }
    plan.record = Some(Record { agent: link.agent.name.to_owned(), files });
    Ok(plan)
}

fn add(
    plan: &mut Plan,
    files: &mut Vec<FileRecord>,
    current: Current,
    known: Option<&FileRecord>,
    after: String,
    pieces: Vec<Piece>,
) -> Result<(), ConnectError> {
    let made = known.is_some_and(|known| known.made) || current.text.is_none();
    files.push(FileRecord { path: current.path.clone(), made, hash: hash(&after), pieces });
    plan.changes.extend(current.change(Some(after))?);
    Ok(())
}

/// The settings with all hooks in them; `None` if they are there already.
fn settings_with_hooks(
    current: &Current,
    known: Option<&FileRecord>,
    commands: &Commands,
) -> Result<Option<(String, Vec<Piece>)>, ConnectError> {
    let text = current.text.as_deref().unwrap_or_default();
    let named = |mistake: Mistake| mistake_in(&current.path, text, &mistake);
    let found = settings::find(text, commands).map_err(named)?;
    let wanted = commands.wanted();
    let is_there = |command: &str| found.iter().any(|found| found.command == command);
    if found.len() == wanted.len() && wanted.iter().all(|hook| is_there(&hook.command)) {
        return Ok(None);
    }
    let bare = if found.is_empty() { text.to_owned() } else { without_hooks(current, known, commands)? };
    let insertions: Vec<Insertion> =
        settings::add(&bare, &wanted).map_err(|mistake| mistake_in(&current.path, &bare, &mistake))?;
    let (after, pieces) = insert(&bare, insertions);
    // Whatever the layout was: what is written can be read back, or nothing is written.
    match settings::find(&after, commands) {
        Ok(found) if found.len() == wanted.len() => Ok(Some((after, pieces))),
        Ok(_) | Err(_) => Err(ConnectError::Entangled(current.path.clone())),
    }
}

/// What is changed to disconnect an agent. Nothing, if it is not connected.
pub fn plan_disconnect(disk: &dyn Disk, link: &Link) -> Result<Plan, ConnectError> {
    let record_path = record_file(&link.home, link.agent);
    let old = load(disk, &record_path)?;
    let commands = link.commands()?;
    let line = memory_file::line(&link.home.broadcast())?;
    let mut plan = Plan { changes: Vec::new(), record: None, has_record: old.is_some() };
    // The note knows the files also when the settings have moved since; without it they are where they usually are.
    let mut paths: Vec<PathBuf> =
        old.iter().flat_map(|old| &old.files).map(|file| file.path.clone()).collect();
    for path in [Some(link.settings_file()), link.memory_file()].into_iter().flatten() {
        let path = path.canonicalize().unwrap_or(path);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let mut had_hooks = false;
    for path in paths {
        let current = Current::read(disk, &path)?;
        let Some(text) = current.text.clone() else { continue };
        let known = old.as_ref().and_then(|old| old.of(&current.path));
        let is_memory = path.extension().is_some_and(|ending| ending == "md");
        let bare = match (is_memory, known) {
            (false, _) => without_hooks(&current, known, &commands)?,
            (true, Some(known)) => {
                noted_taken_out(&text, known).unwrap_or_else(|| memory_file::remove(&text, &line))
            }
            // The note is lost, but the hooks are there: then the line is ours as well.
            (true, None) if old.is_none() && had_hooks => memory_file::remove(&text, &line),
            (true, None) => text.clone(),
        };
        had_hooks |= !is_memory && bare != text;
        let is_blank = if is_memory { bare.trim().is_empty() } else { settings::is_blank(&bare) };
        let is_gone = is_blank && known.is_some_and(|known| known.made);
        plan.changes.extend(current.change((!is_gone).then_some(bare))?);
    }
    Ok(plan)
}

/// The settings without our hooks.
fn without_hooks(
    current: &Current,
    known: Option<&FileRecord>,
    commands: &Commands,
) -> Result<String, ConnectError> {
    let text = current.text.as_deref().unwrap_or_default();
    let is_clean = |text: &String| settings::find(text, commands).is_ok_and(|found| found.is_empty());
    if let Some(bare) = known.and_then(|known| noted_taken_out(text, known)).filter(is_clean) {
        return Ok(bare);
    }
    let bare =
        settings::remove(text, commands).map_err(|mistake| mistake_in(&current.path, text, &mistake))?;
    if is_clean(&bare) { Ok(bare) } else { Err(ConnectError::Entangled(current.path.clone())) }
}

/// The text without the pieces that the note knows.
fn noted_taken_out(text: &str, known: &FileRecord) -> Option<String> {
    let is_unchanged = hash(text) == known.hash;
    let exact = is_unchanged.then(|| take_out(text, &known.pieces)).flatten();
    exact.or_else(|| take_out_anywhere(text, &known.pieces))
}

fn mistake_in(path: &Path, text: &str, mistake: &Mistake) -> ConnectError {
    let before = text.get(..mistake.offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    ConnectError::Mistake {
        path: path.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        what: mistake.what.clone(),
    }
}

/// Does what the plan says. Files that somebody else has changed since are left alone.
pub fn apply(disk: &dyn Disk, link: &Link, plan: &Plan) -> Result<(), ConnectError> {
    let record_path = record_file(&link.home, link.agent);
    if let Some(record) = &plan.record
        && (!plan.is_empty() || !plan.has_record)
    {
        // Before the files: a crash in between leaves pieces that are known and may be missing.
        store(disk, &link.home, &record_path, record)?;
    }
    for change in &plan.changes {
        make(disk, change)?;
    }
    if plan.record.is_none() {
        durable::remove(disk, &record_path)?;
    }
    Ok(())
}

fn make(disk: &dyn Disk, change: &Change) -> Result<(), ConnectError> {
    let path = &change.path;
    if let (None, Some(parent)) = (&change.before, path.parent()) {
        let existing = parent.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new("/"));
        durable::make_dirs(disk, existing, parent.strip_prefix(existing).unwrap_or(parent))?;
    }
    durable::clear_up(disk, path.parent().unwrap_or(Path::new("/")))?;
    match (&change.before, &change.after) {
        (Some(before), None) => _ = durable::remove_if_unchanged(disk, path, before.as_bytes())?,
        (None, None) => {}
        (before, Some(after)) => {
            let before = before.as_deref().map(str::as_bytes);
            durable::replace_if_unchanged(disk, path, before, after.as_bytes())?;
        }
    }
    Ok(())
}
