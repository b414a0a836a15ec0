//! Blackboards on a Redis server: a list `scratchpad:<thread>`, one [`Record`] an item, which expires after its last append.
//!
//! - Entries are checked here, by the same fold as everywhere. A script then appends only if the list still ends in what was
//!   checked against, sets the expiry and tells listeners, all in one step. Otherwise what is new is folded and checked again.
//! - Whoever was overtaken many times gets a turn (`scratchpad:<thread>:turn`, for a moment): until it has appended, others wait.
//! - When a connection breaks, nobody knows whether its last entry arrived. Each record has an id of its own, so after
//!   reconnecting the list itself says: it is found there, or appended again.
//! - A list that was emptied, or began anew, no longer ends in what is known, so it is read from its beginning.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use redis::{Connection, Script, cmd};
use subcortex_blackboard::{Author, Entry, Record, ThreadId};
use subcortex_redis::{RedisServer, Subscription};
use subcortex_store::locked;

use crate::boards::redacted;
use crate::redis_watch::RedisWatch;
use crate::{BoardError, Boards, Thread, Watch};

/// How long an append tries while others are quicker.
const MAX_CONTENTION: Duration = Duration::from_secs(10);
/// How many threads are kept in memory.
const MAX_KNOWN: usize = 64;
/// How much of the last record the script compares, in bytes: its id stands at the front.
const COMPARED_BYTES: usize = 48;
/// What the names of lists begin with.
const PREFIX: &str = "scratchpad:";
/// How many keys the server looks at in one step.
const SCANNED_AT_ONCE: usize = 1_000;
/// How many threads are named at most.
const MAX_THREADS: usize = 10_000;

/// After how many tries in vain the others are made to wait.
const PATIENT_TRIES: usize = 8;
/// How long they wait at most, in milliseconds: for one who reads what is new and appends.
const MAX_HURRY_MS: u64 = 200;
/// How long one who is made to wait does.
const YIELD: Duration = Duration::from_millis(1);

/// Appends if the list still has this length and this end; says 1 if it did, 0 if there is something new, 2 if another one has waited for
/// so long that it is its turn.
const APPEND: &str = "
local turn = redis.call('GET', KEYS[2])
if turn and turn ~= ARGV[5] then return 2 end
local len = redis.call('LLEN', KEYS[1])
local last = redis.call('LINDEX', KEYS[1], -1)
if len ~= tonumber(ARGV[1]) or (last and string.sub(last, 1, #ARGV[2]) ~= ARGV[2]) then
  if ARGV[6] == '1' then redis.call('SET', KEYS[2], ARGV[5], 'PX', ARGV[7]) end
  return 0
end
redis.call('RPUSH', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
redis.call('PUBLISH', KEYS[1], len + 1)
if turn then redis.call('DEL', KEYS[2]) end
return 1
";

/// Blackboards on a server.
#[derive(Debug)]
pub struct RedisBoards {
    server: Arc<RedisServer>,
    ttl_s: u64,
    append: Script,
    known: Mutex<BTreeMap<ThreadId, Arc<Mutex<Known>>>>,
}

/// A thread as far as it was read.
#[derive(Debug, Default)]
struct Known {
    thread: Arc<Thread>,
    /// The beginning of the last item.
    end: Vec<u8>,
}

/// The list, which is also the channel of those who listen.
pub(crate) fn key(thread: &ThreadId) -> String {
    format!("{PREFIX}{thread}")
}

impl RedisBoards {
    /// Reads the URL (`redis://`, `rediss://`, `redis+unix://`); nothing is connected yet.
    pub fn new(url: &str, ttl_s: u64) -> Result<Self, BoardError> {
        let server = Arc::new(RedisServer::new(url)?);
        Ok(Self { server, ttl_s, append: Script::new(APPEND), known: Mutex::default() })
    }

    fn known(&self, thread: &ThreadId) -> Arc<Mutex<Known>> {
        let mut all = locked(&self.known);
        if all.len() >= MAX_KNOWN && !all.contains_key(thread) {
            all.clear(); // whoever is at one keeps it; the others are read again
        }
        Arc::clone(all.entry(thread.clone()).or_default())
    }

    /// Folds what was appended since.
    fn catch_up(&self, thread: &ThreadId, known: &mut Known) -> Result<(), BoardError> {
        let from = known.thread.records().len().saturating_sub(1);
        let items = self.items(thread, from)?;
        let is_continued =
            !known.end.is_empty() && items.first().is_some_and(|first| first.starts_with(&known.end));
        if known.end.is_empty() {
            return self.fold(thread, known, &items);
        }
        if is_continued {
            return self.fold(thread, known, &items[1..]);
        }
        *known = Known::default();
        let items = self.items(thread, 0)?;
        self.fold(thread, known, &items)
    }

    fn items(&self, thread: &ThreadId, from: usize) -> Result<Vec<Vec<u8>>, BoardError> {
        let ask =
            |connection: &mut Connection| cmd("LRANGE").arg(key(thread)).arg(from).arg(-1).query(connection);
        Ok(self.server.call(ask)?)
    }

    fn fold(&self, thread: &ThreadId, known: &mut Known, items: &[Vec<u8>]) -> Result<(), BoardError> {
        let Some(last) = items.last() else { return Ok(()) };
        let folded = Arc::make_mut(&mut known.thread);
        for item in items {
            let seq = folded.records().len() as u64 + 1;
            if let Err(why) = folded.take_line(item) {
                *known = Known::default();
                let place = format!("{} on {}", key(thread), self.server.shown());
                return Err(BoardError::Damaged { thread: thread.clone(), place, seq, why });
            }
        }
        known.end = beginning(last);
        Ok(())
    }

    /// Sends one record; says what became of it.
    fn send(&self, thread: &ThreadId, known: &Known, line: &[u8], who: &Who<'_>) -> Result<Sent, BoardError> {
        let said: u8 = self.server.call(|connection| {
            let mut call = self.append.prepare_invoke();
            call.key(key(thread)).key(format!("{}:turn", key(thread)));
            call.arg(known.thread.records().len()).arg(&known.end[..]).arg(line).arg(self.ttl_s);
            call.arg(who.id).arg(u8::from(who.hurries)).arg(MAX_HURRY_MS).invoke(connection)
        })?;
        Ok(match said {
            1 => Sent::Appended,
            2 => Sent::NotOurTurn,
            _ => Sent::SomethingNew,
        })
    }
}

/// Who wants to append: by the id of its first try, and whether it has waited for long.
struct Who<'a> {
    id: &'a str,
    hurries: bool,
}

/// What became of a record that was sent.
enum Sent {
    Appended,
    SomethingNew,
    NotOurTurn,
}

fn beginning(item: &[u8]) -> Vec<u8> {
    item.iter().take(COMPARED_BYTES).copied().collect()
}

impl Boards for RedisBoards {
    fn append(
        &self,
        thread: &ThreadId,
        author: &Author,
        entry: Entry,
        now: Timestamp,
    ) -> Result<Record, BoardError> {
        let entry = redacted(entry)?;
        let known = self.known(thread);
        let mut known = locked(&known);
        let start = Instant::now();
        // What is known may be old: it is good enough to try, and not to refuse.
        let mut is_fresh = false;
        let mut sent: Vec<String> = Vec::new();
        while start.elapsed() < MAX_CONTENTION {
            let record = match known.thread.next(author, &entry, now) {
                Ok(record) => record,
                Err(refusal) if is_fresh => return Err(refusal.into()),
                Err(_) => {
                    self.catch_up(thread, &mut known)?;
                    is_fresh = true;
                    continue;
                }
            };
            let line = serde_json::to_vec(&record).map_err(|error| BoardError::Server {
                server: self.server.shown().to_owned(),
                why: format!("the entry cannot be encoded: {error}"),
            })?;
            sent.push(record.id.clone());
            let id = sent.first().unwrap_or(&record.id);
            let who = Who { id, hurries: sent.len() > PATIENT_TRIES };
            match self.send(thread, &known, &line, &who)? {
                Sent::Appended => {
                    self.fold(thread, &mut known, &[line])?;
                    return Ok(record);
                }
                Sent::SomethingNew => {}
                Sent::NotOurTurn => std::thread::sleep(YIELD),
            }
            self.catch_up(thread, &mut known)?;
            is_fresh = true;
            // The answer to an earlier try may have been lost on its way.
            let arrived = known.thread.records().iter().rev().take(sent.len() + MAX_KNOWN);
            if let Some(record) = arrived.into_iter().find(|record| sent.contains(&record.id)) {
                return Ok(record.clone());
            }
        }
        Err(BoardError::Busy { thread: thread.clone(), waited_ms: start.elapsed().as_millis() })
    }

    fn read(&self, thread: &ThreadId, _now: Timestamp) -> Result<Arc<Thread>, BoardError> {
        let known = self.known(thread);
        let mut known = locked(&known);
        self.catch_up(thread, &mut known)?;
        Ok(Arc::clone(&known.thread))
    }

    fn threads(&self) -> Result<Vec<ThreadId>, BoardError> {
        let mut found = BTreeSet::new();
        let mut at = 0_u64;
        loop {
            let (next, keys): (u64, Vec<Vec<u8>>) = self.server.call(|connection| {
                cmd("SCAN")
                    .arg(at)
                    .arg("MATCH")
                    .arg(format!("{PREFIX}*"))
                    .arg("COUNT")
                    .arg(SCANNED_AT_ONCE)
                    .query(connection)
            })?;
            let names = keys.iter().filter_map(|key| std::str::from_utf8(key).ok()?.strip_prefix(PREFIX));
            found.extend(names.filter_map(|name| ThreadId::new(name).ok()));
            at = next;
            if at == 0 || found.len() >= MAX_THREADS {
                return Ok(found.into_iter().collect());
            }
        }
    }

    fn watch(&self, thread: &ThreadId) -> Result<Box<dyn Watch>, BoardError> {
        Ok(Box::new(RedisWatch(Subscription::new(Arc::clone(&self.server), key(thread))?)))
    }
}
