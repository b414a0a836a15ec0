//! One round of the courier: what is finished goes to the server, leases are renewed, tasks are given back and taken.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use subcortex_cadence::{PartitionId, RunTask, TaskName};
use subcortex_home::Home;
use subcortex_inbox::{InboxError, read_body, task_key};
use subcortex_store::durable::ReadError;
use subcortex_store::{Disk, locked};
use tracing::{info, warn};

use crate::courier::{News, Tell, Want};
use crate::stream::{Finish, Standing, Stream};
use crate::view::{FleetView, Machine};
use crate::{Entry, FleetError, FleetSettings, Ticket, TicketState, Tickets};

/// How often a lease is renewed while it lasts.
const RENEWALS: u32 = 3;
/// The longest time between two signs of life.
const MAX_BEAT: Duration = Duration::from_secs(10);
/// How many results the server is told at once.
const MAX_FINISHED: usize = 200;
/// How much later than a lease's end it is looked at: the clocks of two machines run alike, and not together.
const LAPSE_SPARE_MS: u64 = 20;

/// What the courier knows between two rounds.
pub(crate) struct Rounds {
    stream: Arc<Stream>,
    tickets: Arc<Tickets>,
    home: Home,
    disk: Arc<dyn Disk>,
    lease_ms: u64,
    this: Machine,
    tell: Tell,
    pub(crate) wants: Vec<Want>,
    next_beat: Instant,
    troubled: bool,
}

impl Rounds {
    pub(crate) fn new(
        settings: &FleetSettings,
        home: &Home,
        disk: &Arc<dyn Disk>,
        tickets: &Arc<Tickets>,
        stream: Arc<Stream>,
        tell: Tell,
    ) -> Self {
        let this = Machine {
            name: settings.name.clone(),
            pid: std::process::id(),
            lease_ms: settings.lease_ms,
            ..Machine::default()
        };
        Self {
            stream,
            tickets: Arc::clone(tickets),
            home: home.clone(),
            disk: Arc::clone(disk),
            lease_ms: settings.lease_ms,
            this,
            tell,
            wants: Vec::new(),
            next_beat: Instant::now(),
            troubled: false,
        }
    }

    pub(crate) fn server(&self) -> &str {
        self.stream.shown()
    }

    pub(crate) fn beat(&self) -> Duration {
        (Duration::from_millis(self.lease_ms) / RENEWALS).min(MAX_BEAT)
    }

    pub(crate) fn is_troubled(&self) -> bool {
        self.troubled
    }

    /// Something could not be done; says whether that is new.
    pub(crate) fn meet_trouble(&mut self, error: &FleetError) -> bool {
        self.tickets.trouble(Some(error.to_string()));
        // Whatever was believed about leases has to be asked again.
        self.next_beat = Instant::now();
        !std::mem::replace(&mut self.troubled, true)
    }

    /// It went well; says whether that is new.
    pub(crate) fn clear_trouble(&mut self) -> bool {
        self.tickets.trouble(None);
        std::mem::replace(&mut self.troubled, false)
    }

    /// One round over all partitions; says how long the next may wait.
    pub(crate) fn go(&mut self, view: &Mutex<FleetView>) -> Result<Duration, FleetError> {
        if let Some(why) = self.tickets.broken() {
            return Err(FleetError::Tickets { why });
        }
        let is_beat = Instant::now() >= self.next_beat;
        if is_beat {
            self.tickets.remember_machine()?;
        }
        let mut wait = self.beat();
        for want in self.all_wants() {
            let partition = &want.partition;
            self.finish(partition)?;
            if is_beat {
                self.renew(partition)?;
                self.mend(partition)?;
            }
            if want.keep {
                self.tickets.stay(partition);
            } else {
                self.give_back(partition, false)?;
            }
            if let Some(next_lapse) = self.take(&want)? {
                wait = wait.min(next_lapse);
            }
        }
        if is_beat {
            let machine = self.tickets.machine();
            let partitions: Vec<_> = self.all_wants().into_iter().map(|want| want.partition).collect();
            let seen = FleetView::ask(&self.stream, Some((&machine, &self.this)), &partitions)?;
            *locked(view) = seen;
            self.next_beat = Instant::now() + self.beat();
        }
        Ok(wait.min(self.next_beat.saturating_duration_since(Instant::now())))
    }

    /// The last round: what is finished is told, and the rest is others'. What fails is left to the leases.
    pub(crate) fn last(&mut self) {
        if self.troubled {
            return;
        }
        for want in self.all_wants() {
            let ended = self.finish(&want.partition).and_then(|()| self.give_back(&want.partition, true));
            if let Err(error) = ended {
                warn!(partition = %want.partition, %error, "tasks of the fleet are not given back; others take them when their leases are over");
                return;
            }
        }
        if let Err(error) = self.stream.sign_off(&self.tickets.machine()) {
            warn!(%error, "the fleet is not told that this machine leaves");
        }
    }

    /// What partitions want; of those that are gone or no longer share their inbox, everything is given back.
    fn all_wants(&self) -> Vec<Want> {
        let mut wants = self.wants.clone();
        for partition in self.tickets.partitions() {
            if !wants.iter().any(|want| want.partition == partition) {
                wants.push(Want { partition, room: 0, keep: false });
            }
        }
        wants
    }

    /// Tells the server which results are durable here. Only it can say whether they count.
    fn finish(&self, partition: &PartitionId) -> Result<(), FleetError> {
        let mut done = self.tickets.of(partition);
        done.retain(|ticket| ticket.state == TicketState::Done);
        for some in done.chunks(MAX_FINISHED) {
            let tasks: Vec<Finish<'_>> = some.iter().map(finish_of).collect();
            let counts = self.stream.finish(partition, &tasks)?;
            for ticket in some.iter().zip(counts).filter(|(_, counts)| !counts).map(|(ticket, _)| ticket) {
                let task = ticket.key.name.as_str().to_owned();
                warn!(%partition, task, entry = ticket.entry, "late result refused: another machine has taken the task over");
                (self.tell)(News::Late { partition: partition.clone(), task });
            }
            let entries: Vec<String> = some.iter().map(|ticket| ticket.entry.clone()).collect();
            self.tickets.remove(&entries)?;
        }
        Ok(())
    }

    fn renew(&self, partition: &PartitionId) -> Result<(), FleetError> {
        let tickets = self.tickets.of(partition);
        if tickets.is_empty() {
            return Ok(());
        }
        let until = self.tickets.now().plus_ms(self.lease_ms);
        let (epoch, standings) = self.stream.renew(partition, self.lease_ms, &told(&tickets))?;
        let mut ours = Vec::new();
        for (ticket, standing) in tickets.iter().zip(standings) {
            match standing {
                Standing::Ours => ours.push(ticket.entry.as_str()),
                Standing::Unknown if ticket.epoch != epoch => self.keep_as_own(ticket)?,
                Standing::NotOurs | Standing::Unknown => self.lose(ticket)?,
            }
        }
        if self.tickets.leased(&ours, until) {
            (self.tell)(News::Look(partition.clone()));
        }
        Ok(())
    }

    /// The server lost its data: what is here is this machine's alone.
    fn keep_as_own(&self, ticket: &Ticket) -> Result<(), FleetError> {
        let Ticket { partition, key, .. } = ticket;
        warn!(%partition, task = %key.name, state = ?ticket.state, "the fleet's server lost its data: the task stays with this machine alone");
        self.tickets.remove(std::slice::from_ref(&ticket.entry))?;
        (self.tell)(News::Look(partition.clone()));
        Ok(())
    }

    fn lose(&self, ticket: &Ticket) -> Result<(), FleetError> {
        if ticket.state == TicketState::Done {
            return Ok(()); // its result is refused with the next round
        }
        let Ticket { partition, key, .. } = ticket;
        info!(%partition, task = %key.name, "task taken over by another machine");
        self.remove_file(ticket)?;
        self.tickets.lose(&ticket.entry)?;
        (self.tell)(News::Lost { partition: partition.clone(), task: key.name.as_str().to_owned() });
        (self.tell)(News::Look(partition.clone()));
        Ok(())
    }

    /// Ends what a crash, or a person, left between a ticket and its file.
    fn mend(&self, partition: &PartitionId) -> Result<(), FleetError> {
        let inbox = self.home.inbox(partition.as_str());
        let mut delivered = Vec::new();
        for ticket in self.tickets.of(partition) {
            let is_there = self.disk.stat(&inbox.join(ticket.key.name.as_str())).is_ok();
            match ticket.state {
                TicketState::Done => {}
                TicketState::Delivered if is_there => {}
                TicketState::Delivered => self.give_back_removed(&ticket)?,
                TicketState::Taken if self.is_its_file(&ticket) => delivered.push(ticket.entry.clone()),
                TicketState::Taken if is_there => {} // another task has the name: later
                TicketState::Taken => match self.stream.fetch(partition, &ticket.entry)? {
                    Some(body) => delivered.extend(self.deliver(partition, vec![(&ticket, body)])?),
                    None => self.tickets.remove(std::slice::from_ref(&ticket.entry))?,
                },
            }
        }
        if delivered.is_empty() { Ok(()) } else { self.tickets.delivered(&delivered) }
    }

    /// A file that is gone, though nobody finished its task: somebody removed it here, and others may have it.
    fn give_back_removed(&self, ticket: &Ticket) -> Result<(), FleetError> {
        // Its result is noted before its file goes, so whoever is still not done now was not finished.
        let now = self.tickets.of(&ticket.partition).into_iter().find(|now| now.entry == ticket.entry);
        if now.is_none_or(|now| now.state != TicketState::Delivered) {
            return Ok(());
        }
        info!(partition = %ticket.partition, task = %ticket.key.name, "its file was removed: given back to the fleet");
        self.stream.give_back(&ticket.partition, &told(std::slice::from_ref(ticket)))?;
        self.tickets.remove(std::slice::from_ref(&ticket.entry))
    }

    fn give_back(&self, partition: &PartitionId, also_held: bool) -> Result<(), FleetError> {
        let leaving = self.tickets.leave(partition, also_held);
        if leaving.is_empty() {
            return Ok(());
        }
        self.stream.give_back(partition, &told(&leaving))?;
        leaving.iter().try_for_each(|ticket| self.remove_file(ticket))?;
        let entries: Vec<String> = leaving.iter().map(|ticket| ticket.entry.clone()).collect();
        self.tickets.remove(&entries)?;
        info!(%partition, tasks = entries.len(), "given back to the fleet");
        Ok(())
    }

    /// Takes what there is room for; says in how long somebody's lease is over.
    fn take(&self, want: &Want) -> Result<Option<Duration>, FleetError> {
        let partition = &want.partition;
        let ahead = self.tickets.of(partition).iter().filter(|ticket| ticket.is_ahead()).count();
        // Many at once cost hardly more than one.
        if want.room == 0 || ahead > want.room / 2 {
            return Ok(None);
        }
        let leased_until = self.tickets.now().plus_ms(self.lease_ms);
        let machine = self.tickets.machine();
        let taken = self.stream.take(partition, &machine, self.lease_ms, want.room - ahead)?;
        let mut tasks = Vec::new();
        for Entry { id, holder, task, before } in taken.entries {
            match task {
                Ok((name, body)) => {
                    let key = task_key(&name, &body);
                    let ticket = Ticket {
                        partition: partition.clone(),
                        key,
                        entry: id,
                        holder,
                        epoch: taken.epoch.clone(),
                        state: TicketState::Taken,
                        before,
                        held: false,
                        result: None,
                        leased_until,
                        busy: false,
                        leaving: false,
                    };
                    tasks.push((ticket, body));
                }
                Err(why) => {
                    warn!(%partition, entry = id, why, "unreadable entry set aside");
                    self.stream.set_aside(partition, &id, &holder, &why)?;
                    (self.tell)(News::Unreadable { partition: partition.clone(), entry: id, why });
                }
            }
        }
        if !tasks.is_empty() {
            self.tickets.add(tasks.iter().map(|(ticket, _)| ticket.clone()).collect())?;
            let delivered =
                self.deliver(partition, tasks.iter().map(|(ticket, body)| (ticket, body.clone())).collect())?;
            self.tickets.delivered(&delivered)?;
            (self.tell)(News::Look(partition.clone()));
        }
        Ok(taken.next_lapse_ms.map(|ms| Duration::from_millis(ms + LAPSE_SPARE_MS)))
    }

    /// Makes the files; gives the entries whose names were free.
    fn deliver(
        &self,
        partition: &PartitionId,
        tasks: Vec<(&Ticket, Vec<u8>)>,
    ) -> Result<Vec<String>, FleetError> {
        let (tickets, files): (Vec<&Ticket>, Vec<(TaskName, Vec<u8>)>) =
            tasks.into_iter().map(|(ticket, body)| (ticket, (ticket.key.name.clone(), body))).unzip();
        let made = subcortex_inbox::drop_many(&*self.disk, &self.home.inbox(partition.as_str()), &files)?;
        let mut delivered = Vec::new();
        for (ticket, made) in tickets.into_iter().zip(made) {
            if made {
                delivered.push(ticket.entry.clone());
            } else {
                warn!(%partition, task = %ticket.key.name, "another task of this name is in the inbox: the fleet's waits");
            }
        }
        Ok(delivered)
    }

    fn is_its_file(&self, ticket: &Ticket) -> bool {
        let inbox = self.home.inbox(ticket.partition.as_str());
        read_body(&*self.disk, &inbox, &ticket.key.name).is_ok_and(|body| body.key == ticket.key)
    }

    /// Removes the file of a ticket, if it is still that task's.
    fn remove_file(&self, ticket: &Ticket) -> Result<(), FleetError> {
        let inbox = self.home.inbox(ticket.partition.as_str());
        let body = match read_body(&*self.disk, &inbox, &ticket.key.name) {
            Ok(body) => body,
            Err(InboxError::Read(ReadError::Missing { .. })) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if body.key == ticket.key {
            subcortex_inbox::ack(&*self.disk, &inbox, &RunTask { key: body.key, stamp: body.stamp })?;
        }
        Ok(())
    }
}

fn finish_of(ticket: &Ticket) -> Finish<'_> {
    Finish {
        entry: &ticket.entry,
        holder: &ticket.holder,
        name: ticket.key.name.as_str(),
        result: ticket.result.as_deref().unwrap_or_default(),
    }
}

fn told(tickets: &[Ticket]) -> Vec<(&str, &str, u32)> {
    tickets
        .iter()
        .map(|ticket| (ticket.entry.as_str(), ticket.holder.as_str(), ticket.before.attempts))
        .collect()
}
