//! What can be done to the tasks on the server.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use redis::{Connection, Script, cmd};
use subcortex_cadence::PartitionId;
use subcortex_redis::{RedisServer, Subscription};
use uuid::Uuid;

use crate::keys::{GROUP, MACHINES, WAKE, key};
use crate::view::{InboxView, Machine};
use crate::{Before, FleetError, FleetSettings, scripts};

/// How long a finished task is remembered, in seconds.
const DONE_KEPT_S: u64 = 86_400;
/// How long a drop is remembered, in seconds.
const POST_KEPT_S: u64 = 3_600;
/// After how long a machine that was not heard is no longer shown, in milliseconds.
const MACHINE_KEPT_MS: u64 = 86_400_000;

/// A task that was put onto the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posted {
    /// Its entry.
    pub entry: String,
}

/// An entry that this machine has now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id on the stream.
    pub id: String,
    /// What the server compares.
    pub holder: String,
    /// The task, or why nobody can read it.
    pub task: Result<(String, Vec<u8>), String>,
    /// How it fared before.
    pub before: Before,
}

/// What was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Which data of the server these are.
    pub epoch: String,
    /// The tasks.
    pub entries: Vec<Entry>,
    /// In how many milliseconds the next lease of anybody is over.
    pub next_lapse_ms: Option<u64>,
}

/// A task that is finished on this machine.
#[derive(Debug, Clone, Copy)]
pub struct Finish<'a> {
    /// Its entry.
    pub entry: &'a str,
    /// What the server compares.
    pub holder: &'a str,
    /// The task's name.
    pub name: &'a str,
    /// What it came to.
    pub result: &'a str,
}

/// What became of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finished {
    /// It has this result.
    With(String),
    /// It failed this often, and is not finished.
    NotYet {
        /// How often.
        attempts: u32,
    },
}

/// What the server says about a task that this machine believes to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Ours,
    NotOurs,
    Unknown,
}

/// The tasks on a server.
pub struct Stream {
    server: Arc<RedisServer>,
    post: Script,
    take: Script,
    renew: Script,
    finish: Script,
    give_back: Script,
    set_aside: Script,
    sign_of_life: Script,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({:?})", self.server)
    }
}

impl Stream {
    /// Reads the address; nothing is connected yet.
    pub fn new(settings: &FleetSettings) -> Result<Self, FleetError> {
        Ok(Self {
            server: Arc::new(RedisServer::new(&settings.redis)?),
            post: Script::new(scripts::POST),
            take: Script::new(scripts::TAKE),
            renew: Script::new(scripts::RENEW),
            finish: Script::new(scripts::FINISH),
            give_back: Script::new(scripts::GIVE_BACK),
            set_aside: Script::new(scripts::SET_ASIDE),
            sign_of_life: Script::new(scripts::SIGN_OF_LIFE),
        })
    }

    /// Host and port.
    pub fn shown(&self) -> &str {
        self.server.shown()
    }

    /// Hears of new tasks as soon as the server is there.
    pub(crate) fn listen(&self) -> Subscription {
        Subscription::later(Arc::clone(&self.server), WAKE.to_owned())
    }

    /// Hands a task to whoever of the fleet takes it first.
    pub fn post(
        &self,
        partition: &PartitionId,
        name: &str,
        body: &[u8],
        by: &str,
    ) -> Result<Posted, FleetError> {
        subcortex_inbox::check_task(name, body)?;
        // One key for all tries: a lost answer does not make a second task.
        let post = key(partition, &format!("post:{}", Uuid::now_v7().simple()));
        let entry: Option<String> = self.server.call(|connection| {
            let mut call = self.post.prepare_invoke();
            call.key(key(partition, "tasks")).key(key(partition, "names")).key(&post);
            call.arg(name).arg(body).arg(by).arg(POST_KEPT_S).arg(WAKE).invoke(connection)
        })?;
        match entry {
            Some(entry) => Ok(Posted { entry }),
            None => Err(FleetError::Exists { name: name.to_owned() }),
        }
    }

    /// Takes up to so many tasks for a machine.
    pub fn take(
        &self,
        partition: &PartitionId,
        machine: &str,
        lease_ms: u64,
        count: usize,
    ) -> Result<Taken, FleetError> {
        let epoch = Uuid::now_v7().simple().to_string();
        let (epoch, raw, next): (String, Vec<RawEntry>, i64) = self.server.call(|connection| {
            let mut call = self.take.prepare_invoke();
            for what in ["tasks", "leases", "holders", "attempts", "takeovers", "token", "epoch"] {
                call.key(key(partition, what));
            }
            call.arg(GROUP).arg(machine).arg(lease_ms).arg(count).arg(&epoch).invoke(connection)
        })?;
        let entries = raw.into_iter().map(read_entry).collect();
        Ok(Taken { epoch, entries, next_lapse_ms: u64::try_from(next).ok() })
    }

    /// The task of one entry, once more; nothing where it is gone.
    pub(crate) fn fetch(&self, partition: &PartitionId, entry: &str) -> Result<Option<Vec<u8>>, FleetError> {
        let found: Vec<(String, Fields)> = self.server.call(|connection| {
            cmd("XRANGE").arg(key(partition, "tasks")).arg(entry).arg(entry).query(connection)
        })?;
        Ok(found.into_iter().next().and_then(|(_, fields)| read_fields(fields).ok()).map(|(_, body)| body))
    }

    /// Renews leases, of (entry, holder, failed attempts); gives the epoch and how each stands.
    pub(crate) fn renew(
        &self,
        partition: &PartitionId,
        lease_ms: u64,
        tickets: &[(&str, &str, u32)],
    ) -> Result<(String, Vec<Standing>), FleetError> {
        let (epoch, said): (String, Vec<u8>) = self.server.call(|connection| {
            let mut call = self.renew.prepare_invoke();
            for what in ["tasks", "leases", "holders", "attempts", "epoch"] {
                call.key(key(partition, what));
            }
            call.arg(lease_ms).arg(key(partition, "done:"));
            for (entry, holder, attempts) in tickets {
                call.arg(entry).arg(holder).arg(attempts);
            }
            call.invoke(connection)
        })?;
        let standing = |said: u8| match said {
            1 => Standing::Ours,
            2 => Standing::Unknown,
            _ => Standing::NotOurs,
        };
        Ok((epoch, said.into_iter().map(standing).collect()))
    }

    /// Ends tasks whose results are durable here; says of each whether it counts, or was taken over before.
    pub fn finish(&self, partition: &PartitionId, tasks: &[Finish<'_>]) -> Result<Vec<bool>, FleetError> {
        let said: Vec<u8> = self.server.call(|connection| {
            let mut call = self.finish.prepare_invoke();
            for what in ["tasks", "leases", "holders", "attempts", "takeovers", "names"] {
                call.key(key(partition, what));
            }
            call.arg(GROUP).arg(key(partition, "done:")).arg(DONE_KEPT_S);
            for task in tasks {
                call.arg(task.entry).arg(task.holder).arg(task.name).arg(task.result);
            }
            call.invoke(connection)
        })?;
        Ok(said.into_iter().map(|said| said == 1).collect())
    }

    /// Lets others have tasks, of (entry, holder, failed attempts).
    pub(crate) fn give_back(
        &self,
        partition: &PartitionId,
        tickets: &[(&str, &str, u32)],
    ) -> Result<(), FleetError> {
        self.server.call(|connection| {
            let mut call = self.give_back.prepare_invoke();
            for what in ["leases", "holders", "attempts"] {
                call.key(key(partition, what));
            }
            call.arg(WAKE);
            for (entry, holder, attempts) in tickets {
                call.arg(entry).arg(holder).arg(attempts);
            }
            call.invoke::<()>(connection)
        })?;
        Ok(())
    }

    /// Sets an entry aside that nobody can read.
    pub(crate) fn set_aside(
        &self,
        partition: &PartitionId,
        entry: &str,
        holder: &str,
        why: &str,
    ) -> Result<(), FleetError> {
        self.server.call(|connection| {
            let mut call = self.set_aside.prepare_invoke();
            for what in ["leases", "holders", "aside"] {
                call.key(key(partition, what));
            }
            call.arg(entry).arg(holder).arg(why).invoke::<()>(connection)
        })?;
        Ok(())
    }

    /// What became of a task, as far as the server knows.
    pub fn finished(&self, partition: &PartitionId, entry: &str) -> Result<Finished, FleetError> {
        let (done, attempts): (Option<Vec<u8>>, Option<u32>) = self.server.call(|connection| {
            let mut both = redis::pipe();
            both.cmd("GET").arg(key(partition, &format!("done:{entry}")));
            both.cmd("HGET").arg(key(partition, "attempts")).arg(entry);
            both.query(connection)
        })?;
        Ok(match done {
            Some(done) => {
                let text = String::from_utf8_lossy(&done);
                Finished::With(
                    text.split_once('\n').map_or_else(String::new, |(_, result)| result.to_owned()),
                )
            }
            None => Finished::NotYet { attempts: attempts.unwrap_or(0) },
        })
    }

    /// Says that this machine is there, if there is one; gives all machines by id.
    pub(crate) fn sign_of_life(
        &self,
        machine: Option<(&str, &Machine)>,
    ) -> Result<BTreeMap<String, Machine>, FleetError> {
        let who = machine.map(|(_, machine)| serde_json::to_string(machine).unwrap_or_default());
        let all: Vec<(String, u64, String)> = self.server.call(|connection| {
            let mut call = self.sign_of_life.prepare_invoke();
            call.key(MACHINES).arg(machine.map_or("", |(id, _)| id)).arg(who.as_deref().unwrap_or_default());
            call.arg(MACHINE_KEPT_MS).invoke(connection)
        })?;
        let read = |(id, ago_ms, who): (String, u64, String)| {
            let machine: Machine = serde_json::from_str(&who).ok()?;
            Some((id, machine.heard(ago_ms)))
        };
        Ok(all.into_iter().filter_map(read).collect())
    }

    /// This machine is no longer there.
    pub(crate) fn sign_off(&self, machine: &str) -> Result<(), FleetError> {
        self.server.call(|connection| cmd("HDEL").arg(MACHINES).arg(machine).query::<()>(connection))?;
        Ok(())
    }

    /// Who has what of a partition's tasks.
    pub(crate) fn inbox(&self, partition: &PartitionId) -> Result<InboxView, FleetError> {
        let ask = |connection: &mut Connection| {
            let mut all = redis::pipe();
            all.cmd("XLEN").arg(key(partition, "tasks"));
            for what in ["holders", "attempts", "aside"] {
                all.cmd("HGETALL").arg(key(partition, what));
            }
            all.query(connection)
        };
        let (len, holders, attempts, aside): RawInbox = self.server.call(ask)?;
        Ok(InboxView::new(partition, len, &holders, &attempts, aside))
    }
}

/// Names and values in turn, as the server gives them.
type Fields = Vec<Vec<u8>>;
/// How many entries there are, and by entry: holders, failed attempts, and why it was set aside.
type RawInbox = (usize, BTreeMap<String, String>, BTreeMap<String, u32>, BTreeMap<String, String>);
/// Entry, holder, fields, attempts, takeovers.
type RawEntry = (String, String, Fields, u32, u32);

fn read_entry((id, holder, fields, attempts, takeovers): RawEntry) -> Entry {
    Entry { id, holder, task: read_fields(fields), before: Before { attempts, takeovers } }
}

/// The name and the body, or why they cannot be a task.
fn read_fields(fields: Fields) -> Result<(String, Vec<u8>), String> {
    let (mut name, mut body) = (None, None);
    let mut fields = fields.into_iter();
    while let (Some(field), Some(value)) = (fields.next(), fields.next()) {
        match field.as_slice() {
            b"name" => name = Some(value),
            b"body" => body = Some(value),
            _ => {}
        }
    }
    let missing = |what| format!("it has no field `{what}`: drop the task again with `subcortex drop`");
    let name = String::from_utf8(name.ok_or_else(|| missing("name"))?)
        .map_err(|_| "its name is no text".to_owned())?;
    let body = body.ok_or_else(|| missing("body"))?;
    subcortex_inbox::check_task(&name, &body).map_err(|error| error.to_string())?;
    Ok((name, body))
}
