//! What the file of a session says of a prompt that a hook told of.
//!
//! A hook is told the words, and hardly anything about whose they are; the record in the session's file says that, and comes a moment
//! later. Both are one event on the spine, that of the hook. So before its words become a line, the file is read once more: it also has
//! what others said before it in the order in which they said it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use subcortex_checks::words_of_others;
use subcortex_import::{FileOptions, SourceFile, Summary, read_file};
use subcortex_known_agents::{AGENTS, Agent};
use subcortex_model::{Draft, Event, EventId, ORDERS_CUT, Standing, TRANSCRIPT_FIELD, event_type};
use subcortex_store::{EntryKind, OpenMode};

use super::lookup::is_said_in;
use crate::Workshop;

/// How long a prompt that is not in the file yet is waited for.
const WAITED_FOR: SignedDuration = SignedDuration::from_mins(10);
/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024 * 1024;
/// How much is read at once when a name is looked for, in bytes.
const CHUNK_BYTES: usize = 256 * 1024;

/// What a file says of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confirmed {
    /// There is no file, or none that can be read: what the event says stands.
    NoFile,
    /// A person typed it.
    Words,
    /// A person may have typed it, or others may have said it before.
    Doubtful,
    /// It is in the file, and no person typed it.
    Nobodys,
    /// Somebody else had said it before.
    Echo,
    /// It is not there yet.
    NotYet,
}

/// Holds a message against the file of its session, if a hook named one.
pub(super) fn confirmed(shop: &Workshop, event: &Event, quotes: &[&str]) -> Confirmed {
    let named = event.payload.get(TRANSCRIPT_FIELD).and_then(|path| path.as_str()).map(Path::new);
    let agent = Agent::named(AGENTS, event.source.kind.as_str());
    let name = event.dedup.as_ref().map(|dedup| dedup.source_id.as_str());
    let (Some(path), Some(agent), Some(name)) = (named, agent, name) else { return Confirmed::NoFile };
    let Some(source) = session_file(shop, path) else { return Confirmed::NoFile };
    let mut story = Story { name, quotes, is_echo: false, may_be_echo: false, standing: None };
    let options = FileOptions { agents: &[agent], own_dirs: Vec::new(), now: shop.now };
    let mut take = |drafts: &mut Vec<Draft>| {
        if drafts.drain(..).any(|draft| story.take(draft)) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let _ = read_file(&*shop.disk, &source, &options, &mut Summary::default(), &mut take, &mut |_| {});
    match story.standing {
        Some(_) if story.is_echo => Confirmed::Echo,
        Some(Standing::Words) if !story.may_be_echo => Confirmed::Words,
        Some(Standing::Words | Standing::Hearsay) => Confirmed::Doubtful,
        Some(Standing::Nobodys) => Confirmed::Nobodys,
        None if is_named_in(shop, &source.path, name) => Confirmed::Nobodys,
        None if shop.now.duration_since(event.ts) < WAITED_FOR => Confirmed::NotYet,
        None => Confirmed::Doubtful,
    }
}

fn session_file(shop: &Workshop, path: &Path) -> Option<SourceFile> {
    let stat = shop.disk.stat(path).ok().filter(|stat| stat.kind == EntryKind::File)?;
    let path = PathBuf::from(path);
    (stat.len <= MAX_FILE_BYTES).then_some(SourceFile {
        path,
        len_bytes: stat.len,
        mtime_ns: stat.mtime_ns,
        inode: stat.inode,
    })
}

/// A session up to one of its prompts.
struct Story<'a> {
    /// The name that the hook and the file have for the prompt.
    name: &'a str,
    quotes: &'a [&'a str],
    is_echo: bool,
    may_be_echo: bool,
    /// Whose the prompt is, once it came.
    standing: Option<Standing>,
}

impl Story<'_> {
    /// Takes in the next thing that was said or done; says whether it is the prompt.
    fn take(&mut self, draft: Draft) -> bool {
        let is_prompt = draft.key.as_deref().or(draft.source_id.as_deref()) == Some(self.name);
        let event = event_of(draft);
        if is_prompt && event.event_type == event_type::CHANNEL_MESSAGE {
            self.standing = Some(event.standing());
            self.is_echo |= event.shown().is_some_and(|shown| self.is_said_in(shown));
            return true;
        }
        if let Some(words) = words_of_others(&event) {
            self.is_echo |= self.is_said_in(&words);
            self.may_be_echo |= words.contains(ORDERS_CUT);
        }
        false
    }

    fn is_said_in(&self, words: &str) -> bool {
        self.quotes.iter().any(|quote| is_said_in(quote, words))
    }
}

fn event_of(draft: Draft) -> Event {
    Event {
        id: EventId::from_log(""),
        ts: draft.ts.unwrap_or_default(),
        event_type: draft.event_type,
        source: draft.source,
        session_key: draft.session_key,
        turn: draft.turn,
        cwd: draft.cwd,
        dedup: None,
        payload: draft.payload,
    }
}

/// Whether a file holds the prompt's own part of its name at all.
fn is_named_in(shop: &Workshop, path: &Path, name: &str) -> bool {
    let id = name.rsplit('/').next().unwrap_or(name).as_bytes();
    let Ok(file) = shop.disk.open(path, OpenMode::Read) else { return false };
    let finder = memchr::memmem::Finder::new(id);
    let (mut buffer, mut kept, mut at) = (vec![0; CHUNK_BYTES + id.len()], 0, 0);
    loop {
        let Ok(read @ 1..) = file.read_at(&mut buffer[kept..], at) else { return false };
        at += read as u64;
        let filled = kept + read;
        if finder.find(&buffer[..filled]).is_some() {
            return true;
        }
        kept = filled.min(id.len());
        buffer.copy_within(filled - kept..filled, 0);
    }
}
