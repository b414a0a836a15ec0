//! Asks what is there, and tells the scheduler.
//!
//! An answer is as old as the question: what was acked or written since then is taken out of it. Kill switches are looked
//! at here and now, and never from an answer.

use subcortex_cadence::{Event, PartitionId, Scope, SeenPartition};
use tracing::warn;

use crate::edge::{Edge, EdgeError};
use crate::look::{Pending, mark_of};
use crate::lookout::{Asked, Inbox, Sight, What};
use crate::watch::Look;

impl Edge {
    /// Looks at something, and tells what is there when it has been seen.
    pub(crate) fn look(&mut self, what: &Look) -> Result<(), EdgeError> {
        if matches!(what, Look::KillSwitches | Look::Everything) {
            self.look_at_switches()?;
        }
        if *what == Look::KillSwitches {
            return Ok(());
        }
        // What is being looked at may have changed since: then it is looked at once more.
        if let Some(again) = self.looking.get_mut(what) {
            *again = true;
            return Ok(());
        }
        match what {
            Look::Inbox(partition) => {
                let Some(partition) = self.state.partition(partition) else { return Ok(()) };
                self.lookout.ask(What::Inbox(Pending::of(partition)), self.done);
            }
            Look::Partitions => self.lookout.ask(What::Partitions(self.pending()), self.done),
            Look::KillSwitches => {}
            Look::Everything => self.ask_for_everything(),
        }
        self.looking.insert(what.clone(), false);
        Ok(())
    }

    pub(crate) fn ask_for_everything(&mut self) {
        let wants_events = self.state.partitions().iter().any(|partition| {
            partition.definition.as_ref().is_ok_and(|definition| definition.schedule.wake_on.events)
        });
        let events = wants_events.then(|| self.events.clone());
        self.lookout.ask(What::Everything { pending: self.pending(), events }, self.done);
    }

    fn pending(&self) -> Vec<Pending> {
        self.state.partitions().iter().map(Pending::of).collect()
    }

    /// Takes in what was seen, in this order.
    pub(crate) fn take_sights(&mut self, sights: Vec<Sight>) -> Result<(), EdgeError> {
        let (mut events, mut again) = (Vec::new(), Vec::new());
        for sight in sights {
            match sight {
                Sight::Inbox { partition, found: Ok(inbox), asked } => {
                    events.extend(self.see_inbox(partition, inbox, asked));
                }
                Sight::Inbox { partition, found: Err(error), .. } => {
                    warn!(%partition, %error, "inbox unreadable");
                }
                Sight::Partitions(Ok(partitions)) => events.push(self.see_partitions(partitions)),
                Sight::Partitions(Err(error)) => warn!(%error, "partitions unreadable"),
                Sight::Events(Ok((found, cursor))) => {
                    self.events = cursor;
                    let mark = self.events.as_ref().filter(|_| found).map(mark_of);
                    events.extend(mark.map(|mark| Event::EventsSeen { mark }));
                }
                Sight::Events(Err(error)) => warn!(%error, "events unreadable"),
                Sight::Files { partition, mark } => events.push(Event::FilesSeen { partition, mark }),
                Sight::Playlist { text, asked } => {
                    // A person may have changed the order since it was last written.
                    if asked.playlists == self.done.playlists && text != self.written_playlist {
                        self.written_playlist.clone_from(&text);
                        events.extend(text.map(|text| Event::PlaylistEdited { text }));
                    }
                }
                Sight::Config(config) => self.settings_read.push(*config),
                Sight::Bell(number) => drop(self.rang.insert(number)),
                Sight::Done(look) => {
                    if self.looking.remove(&look) == Some(true) {
                        again.push(look);
                    }
                }
            }
        }
        self.tell_all(events)?;
        again.iter().try_for_each(|look| self.look(look))
    }

    /// A list of an inbox, without what was acked since it was asked for.
    fn see_inbox(&mut self, partition: PartitionId, inbox: Inbox, asked: Asked) -> Option<Event> {
        // Answers come in the order of the questions: nobody asks about what was acked before this one any more.
        while self.acked.front().is_some_and(|(number, ..)| *number <= asked.acks) {
            self.acked.pop_front();
        }
        let Inbox { mut tasks, unlisted } = inbox;
        tasks.retain(|task| {
            !self
                .acked
                .iter()
                .any(|(_, of, key, stamp)| *of == partition && *key == task.key && *stamp == task.stamp)
        });
        self.unlisted.insert(partition.clone(), unlisted);
        // It may be gone since.
        self.state.partition(&partition)?;
        Some(Event::InboxSeen { partition, tasks })
    }

    fn see_partitions(&mut self, mut partitions: Vec<SeenPartition>) -> Event {
        for seen in &mut partitions {
            seen.paused = self.eyes.is_partition_paused(&seen.id);
        }
        Event::PartitionsSeen { partitions }
    }

    fn look_at_switches(&mut self) -> Result<(), EdgeError> {
        let set = self.eyes.is_paused();
        let mut events = Vec::new();
        if set != self.state.is_paused() {
            events.push(Event::KillSwitch { scope: Scope::Home, set });
        }
        for partition in self.state.partitions() {
            let set = self.eyes.is_partition_paused(&partition.id);
            if set != partition.paused {
                events.push(Event::KillSwitch { scope: Scope::Partition(partition.id.clone()), set });
            }
        }
        self.tell_all(events)
    }
}
