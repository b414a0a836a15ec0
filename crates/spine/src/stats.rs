//! What is in the log, in numbers: gate, types, sessions, turns.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use subcortex_model::{Gate, begins_turn, event_type};
use subcortex_store::Disk;

use crate::day::DayFile;
use crate::envelope::Envelope;
use crate::error::ReadError;
use crate::reader::Item;
use crate::scan::{Summary, scan};

/// How many different types or kinds are counted by name; the rest is counted together.
const MAX_NAMES: usize = 100;
/// Under which name the rest is counted.
const OTHER_NAMES: &str = "(other)";

/// The numbers of a whole log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Day files.
    pub files: usize,
    /// Their size on the disk, in bytes.
    pub bytes: u64,
    /// Whole records.
    pub records: u64,
    /// Records that may become evidence.
    pub external: u64,
    /// Records that subcortex wrote about itself.
    pub internal: u64,
    /// Records without a usable source kind.
    pub unscannable: u64,
    /// Pieces that are no record.
    pub damaged: u64,
    /// Conversations among the external records.
    pub sessions: usize,
    /// Turns among the external records.
    pub turns: u64,
    /// The earliest time an external record names.
    pub first_ts: Option<String>,
    /// The latest time an external record names.
    pub last_ts: Option<String>,
    /// Records by type.
    pub types: BTreeMap<String, u64>,
    /// Records by source kind.
    pub kinds: BTreeMap<String, u64>,
}

/// Counts the whole log.
pub fn stats(disk: &dyn Disk, events_dir: &Path) -> Result<Stats, ReadError> {
    let scanned = scan::<Counts>(disk, events_dir)?;
    let counts = scanned.summary;
    let named = |names: Names| names.0.into_iter().map(|(name, n)| (name.into(), n)).collect();
    Ok(Stats {
        files: scanned.files.len(),
        bytes: scanned.bytes,
        records: counts.external + counts.internal + counts.unscannable,
        external: counts.external,
        internal: counts.internal,
        unscannable: counts.unscannable,
        damaged: counts.damaged,
        sessions: counts.sessions.len(),
        turns: counts.sessions.values().map(|session| session.turns()).sum(),
        first_ts: counts.first_ts,
        last_ts: counts.last_ts,
        types: named(counts.types),
        kinds: named(counts.kinds),
    })
}

#[derive(Debug, Default)]
struct Counts {
    external: u64,
    internal: u64,
    unscannable: u64,
    damaged: u64,
    sessions: HashMap<Box<str>, Session>,
    first_ts: Option<String>,
    last_ts: Option<String>,
    types: Names,
    kinds: Names,
}

/// How often each name was met. There are few and they come again and again, so looking through them beats hashing.
#[derive(Debug, Default)]
struct Names(Vec<(Box<str>, u64)>);

impl Names {
    fn add(&mut self, name: &str, n: u64) {
        if let Some((_, count)) = self.0.iter_mut().find(|(known, _)| **known == *name) {
            *count += n;
        } else if self.0.len() < MAX_NAMES || name == OTHER_NAMES {
            self.0.push((name.into(), n));
        } else {
            self.add(OTHER_NAMES, n);
        }
    }
}

/// The turns that begin in a session, and one more if the session begins in the middle of one.
#[derive(Debug, Clone, Copy)]
struct Session {
    begins_with_turn: bool,
    begun: u64,
}

impl Session {
    fn turns(self) -> u64 {
        self.begun + u64::from(!self.begins_with_turn)
    }
}

/// The fields of a payload by which the beginning of a turn is known.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Beginning {
    via: Option<Value>,
    kind: Option<Value>,
}

fn begins_turn_at(envelope: &Envelope<'_>) -> bool {
    let is_channel =
        [event_type::CHANNEL_MESSAGE, event_type::CHANNEL_COMMAND].contains(&&*envelope.event_type);
    // Most records are neither, and their payloads are the long ones.
    let Beginning { via, kind } = match is_channel {
        true => serde_json::from_slice(envelope.payload()).unwrap_or_default(),
        false => Beginning::default(),
    };
    begins_turn(&envelope.event_type, via.as_ref(), kind.as_ref())
}

impl Summary for Counts {
    fn take(&mut self, _: &DayFile, item: Item<'_>) {
        match item {
            Item::Damaged { .. } => self.damaged += 1,
            Item::Record { envelope, .. } => self.count(&envelope),
        }
    }

    fn append(&mut self, later: Self) {
        self.external += later.external;
        self.internal += later.internal;
        self.unscannable += later.unscannable;
        self.damaged += later.damaged;
        for (key, session) in later.sessions {
            let known = self.sessions.entry(key).or_insert(Session { begun: 0, ..session });
            known.begun += session.begun;
        }
        self.first_ts = [self.first_ts.take(), later.first_ts].into_iter().flatten().min();
        self.last_ts = [self.last_ts.take(), later.last_ts].into_iter().flatten().max();
        later.types.0.iter().for_each(|(name, n)| self.types.add(name, *n));
        later.kinds.0.iter().for_each(|(name, n)| self.kinds.add(name, *n));
    }
}

impl Counts {
    fn count(&mut self, envelope: &Envelope<'_>) {
        self.types.add(&envelope.event_type, 1);
        self.kinds.add(envelope.kind.as_deref().unwrap_or("(none)"), 1);
        match envelope.gate() {
            Gate::Internal => self.internal += 1,
            Gate::Unscannable => self.unscannable += 1,
            Gate::External => {
                self.external += 1;
                self.count_turn(envelope);
                self.count_time(&envelope.ts);
            }
        }
    }

    fn count_turn(&mut self, envelope: &Envelope<'_>) {
        let key = envelope.session_key.as_deref().unwrap_or_default();
        let begins = begins_turn_at(envelope);
        let session = match self.sessions.get_mut(key) {
            Some(session) => session,
            None => self.sessions.entry(key.into()).or_insert(Session { begins_with_turn: begins, begun: 0 }),
        };
        session.begun += u64::from(begins);
    }

    fn count_time(&mut self, ts: &str) {
        if self.first_ts.as_deref().is_none_or(|first| ts < first) {
            self.first_ts = Some(ts.into());
        }
        match &mut self.last_ts {
            // Nearly every record is later than the one before: that must not cost an allocation each.
            Some(last) if ts > last.as_str() => {
                last.clear();
                last.push_str(ts);
            }
            Some(_) => {}
            None => self.last_ts = Some(ts.into()),
        }
    }
}
