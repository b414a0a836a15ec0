//! What the file of a session says of a prompt that a hook told of.
//!
//! A hook is told the words, and hardly anything about whose they are; the record in the session's file says that, and comes a moment
//! later. Both are one event on the spine, that of the hook. So before its words become a line, the file is read once more: it also has
//! what others said before it in the order in which they said it. A file that is not there may still come, and what nothing can be held
//! against never enters.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use subcortex_import::{FileOptions, SourceFile, Summary, is_session_name, read_file};
use subcortex_known_agents::transcript::Rest;
use subcortex_known_agents::{AGENTS, Agent};
use subcortex_model::{Draft, Event, EventId, HOOK_FIELD, Standing, TRANSCRIPT_FIELD, event_type};
use subcortex_store::{EntryKind, OpenMode};

use super::asking::was_typed_earlier;
use super::likeness::{Like, Sentences, is_said_in};
use super::lookup::{answers, call_of};
use crate::Workshop;

/// How long a prompt that is not in the file yet is waited for.
const WAITED_FOR: SignedDuration = SignedDuration::from_mins(10);
/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024 * 1024;
/// How many files of subagents are read, and folders of them, and how much of them, in bytes.
const MAX_SUBAGENTS_FILES: usize = 512;
const MAX_SUBAGENTS_BYTES: u64 = 256 * 1024 * 1024;
/// How many sayings of people are kept.
const MAX_PERSONS: usize = 256;
/// How much is read at once when a name is looked for, in bytes.
const CHUNK_BYTES: usize = 256 * 1024;

/// What a file says of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Confirmed {
    /// A record told it, and not a hook: what the event says stands.
    ByRecord,
    /// A person typed it.
    Words,
    /// A person may have typed it, or others may have said it before.
    Doubtful,
    /// It is in the file, and no person typed it.
    Nobodys,
    /// Somebody else had said it before.
    Echo,
    /// It is not there yet, and is waited for until then.
    NotYet(Timestamp),
}

impl Confirmed {
    /// Nothing says whose it is: the record may still come, and later it will not.
    fn missing(shop: &Workshop, event: &Event) -> Self {
        let until = event.ts.checked_add(WAITED_FOR).unwrap_or(event.ts);
        if shop.now < until { Self::NotYet(until) } else { Self::Doubtful }
    }
}

/// Holds a message that a hook told against the file of its session, and these parts of it against what others said before.
pub(super) fn confirmed<'e>(shop: &Workshop, event: &'e Event, quotes: &'e [&'e str]) -> Confirmed {
    held_against_file(
        shop,
        event,
        Story { quotes, sentences: Sentences::of(quotes.iter().copied()), ..Story::default() },
    )
}

/// The same of a whole message, whoever else says it: a yes is too short to be known again.
pub(super) fn confirmed_whole(shop: &Workshop, event: &Event) -> Confirmed {
    held_against_file(shop, event, Story { whole: event.text(), ..Story::default() })
}

fn held_against_file<'e>(shop: &Workshop, event: &'e Event, mut story: Story<'e>) -> Confirmed {
    let named = event.payload.get(TRANSCRIPT_FIELD).and_then(|path| path.as_str()).map(Path::new);
    if named.is_none() && !event.payload.contains_key(HOOK_FIELD) {
        return Confirmed::ByRecord;
    }
    let agent = Agent::named(AGENTS, event.source.kind.as_str());
    let name = event.dedup.as_ref().map(|dedup| dedup.source_id.as_str());
    let file = named.and_then(|path| Some((path, session_file(shop, path)?)));
    let (Some((path, source)), Some(agent), Some(name)) = (file, agent, name) else {
        return Confirmed::missing(shop, event);
    };
    (story.name, story.own_call) = (name, call_of(event));
    let options = FileOptions { agents: &[agent], own_dirs: Vec::new(), now: shop.now, rest: Rest::All };
    let mut take = |drafts: &mut Vec<Draft>| {
        if drafts.drain(..).any(|draft| story.take(draft)) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let _ = read_file(&*shop.disk, &source, &options, &mut Summary::default(), &mut take, &mut |_| {});
    let (files, are_all) = subagents_files(shop, agent, path);
    story.may_be_echo |= !are_all;
    for file in files {
        let mut take = |drafts: &mut Vec<Draft>| {
            let is_before = |draft: &Draft| {
                let is_ahead = |ts| ts > shop.now;
                draft.session_key == event.session_key
                    && draft.ts.is_none_or(|ts| ts < event.ts || is_ahead(ts))
            };
            drafts.drain(..).filter(is_before).for_each(|draft| story.hear(&event_of(draft)));
            ControlFlow::Continue(())
        };
        let _ = read_file(&*shop.disk, &file, &options, &mut Summary::default(), &mut take, &mut |_| {});
    }
    match story.standing {
        Some(_) if story.is_echo => Confirmed::Echo,
        Some(Standing::Words) if !story.may_be_echo => Confirmed::Words,
        Some(Standing::Words | Standing::Unsigned | Standing::Hearsay) => Confirmed::Doubtful,
        Some(Standing::Nobodys) => Confirmed::Nobodys,
        None if is_named_in(shop, &source.path, name) => Confirmed::Nobodys,
        None => Confirmed::missing(shop, event),
    }
}

/// The files of the session's subagents, which nobody may have read yet: below a folder that is called like the session's file, or, in older
/// versions, beside it. And whether these are all.
fn subagents_files(shop: &Workshop, agent: &Agent, path: &Path) -> (Vec<SourceFile>, bool) {
    let beside = path.parent().map(Path::to_owned);
    let (mut open, mut found, mut left) = (vec![path.with_extension("")], Vec::new(), MAX_SUBAGENTS_BYTES);
    let mut add = |path: PathBuf| {
        let is_it = is_session_name(&path) && (agent.sessions.is_subagents)(&path);
        let Some(file) = session_file(shop, &path).filter(|_| is_it) else { return true };
        let room = left.checked_sub(file.len_bytes).filter(|_| found.len() < MAX_SUBAGENTS_FILES);
        left = room.unwrap_or(0);
        found.extend(room.map(|_| file));
        room.is_some()
    };
    let names = |dir: &Path| shop.disk.list(dir).unwrap_or_default();
    let mut are_all = true;
    for name in beside.iter().flat_map(|dir| names(dir)) {
        are_all &= beside.as_ref().is_none_or(|dir| add(dir.join(name)));
    }
    let mut folders = 0;
    while let Some(dir) = open.pop() {
        folders += 1;
        if folders > MAX_SUBAGENTS_FILES {
            return (found, false);
        }
        for path in names(&dir).into_iter().map(|name| dir.join(name)) {
            match shop.disk.stat(&path).map(|stat| stat.kind) {
                Ok(EntryKind::Directory) => open.push(path),
                Ok(EntryKind::File) => are_all &= add(path),
                Ok(EntryKind::Symlink | EntryKind::Other) | Err(_) => {}
            }
        }
    }
    (found, are_all)
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
#[derive(Debug, Default)]
struct Story<'a> {
    /// The name that the hook and the file have for the prompt.
    name: &'a str,
    /// The call in whose answer the person said it, if they did.
    own_call: Option<String>,
    quotes: &'a [&'a str],
    sentences: Sentences,
    /// All that it says, where that counts.
    whole: Option<&'a str>,
    is_echo: bool,
    may_be_echo: bool,
    /// What a person had said of it before anybody else.
    persons: Vec<Like>,
    /// Whose the prompt is, once it came.
    standing: Option<Standing>,
}

impl Story<'_> {
    /// Takes in the next thing that was said or done; says whether it is the prompt.
    fn take(&mut self, draft: Draft) -> bool {
        let is_prompt = draft.key.as_deref().or(draft.source_id.as_deref()) == Some(self.name);
        let event = event_of(draft);
        if is_prompt && event.event_type == event_type::CHANNEL_MESSAGE {
            // A hook can be called with any words under the id of a prompt.
            let is_whole = |text: &str| self.whole.is_some_and(|whole| whole.trim() == text.trim());
            let says_it = event.text().is_some_and(|text| self.is_said_in(text) || is_whole(text));
            self.standing = Some(match says_it {
                // A yes that was typed before the question is none to it.
                true if self.whole.is_some() && was_typed_earlier(&event) => Standing::Hearsay,
                true => event.standing(),
                false => Standing::Nobodys,
            });
            self.is_echo |= event.shown().is_some_and(|shown| self.is_said_in(shown));
            return true;
        }
        self.hear(&event);
        false
    }

    /// Takes in what somebody said before.
    fn hear(&mut self, event: &Event) {
        if self.own_call.is_some() && answers(event) == self.own_call {
            return; // a person's words in the answer of a tool are their own
        }
        let like = self.sentences.likeness(event);
        self.is_echo |= like.is_same;
        let hidden = self.sentences.all().filter(|_| like.may_be);
        let mut alike = like.alike.into_iter().chain(hidden);
        self.may_be_echo |= alike.any(|said| !self.persons.iter().any(|first| first.covers(said)));
        let persons = self.sentences.said_by_person(event);
        if self.persons.len() < MAX_PERSONS {
            self.persons.extend(persons);
        }
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
