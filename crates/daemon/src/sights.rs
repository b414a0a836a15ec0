//! Asks what is there, and tells the scheduler.
//!
//! An answer is as old as the question: what was acked or written since then is taken out of it. Kill switches are looked
//! at here and now, and never from an answer.

use subcortex_cadence::{Event, PartitionId, Scope, SeenPartition, State};
use subcortex_edge::Asked;
use tracing::warn;

use crate::edge::{Edge, EdgeError};
use crate::hands::Hands;
use crate::look::{Pending, mark_of};
use crate::lookout::{Inbox, Sight, What};
use crate::watch::Look;

impl Hands {
    /// Has something looked at; whoever asks gets the answer with how far everything had come.
    pub(crate) fn look_for(&mut self, what: &Look, state: &State, asked: Asked) {
        // What is being looked at may have changed since: then it is looked at once more.
        if let Some(again) = self.looking.get_mut(what) {
            *again = true;
            return;
        }
        match what {
            Look::Inbox(partition) => {
                let Some(partition) = state.partition(partition) else { return };
                self.lookout.ask(What::Inbox(Pending::of(partition)), asked);
            }
            Look::Files => self.lookout.ask(What::Files, asked),
            Look::Partitions => self.lookout.ask(What::Partitions(pending(state)), asked),
            Look::KillSwitches => return,
            Look::Everything => self.ask_for_everything(state, asked),
        }
        self.looking.insert(what.clone(), false);
    }

    pub(crate) fn ask_for_everything(&self, state: &State, asked: Asked) {
        let wants_events = state.partitions().iter().any(|partition| {
            partition.definition.as_ref().is_ok_and(|definition| definition.schedule.wake_on.events)
        });
        let events = wants_events.then(|| self.events.clone());
        self.lookout.ask(What::Everything { pending: pending(state), events }, asked);
    }
}

fn pending(state: &State) -> Vec<Pending> {
    state.partitions().iter().map(Pending::of).collect()
}

impl Edge {
    /// Looks at something, and tells what is there when it has been seen.
    pub(crate) fn look(&mut self, what: &Look) -> Result<(), EdgeError> {
        if matches!(what, Look::KillSwitches | Look::Everything) {
            self.look_at_switches()?;
        }
        self.hands.look_for(what, &self.order.state, self.order.so_far());
        Ok(())
    }

    /// Takes in what was seen, in this order.
    pub(crate) fn take_sights(&mut self, sights: Vec<Sight>) -> Result<(), EdgeError> {
        let (mut events, mut again, mut heard) = (Vec::new(), Vec::new(), Vec::new());
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
                    self.hands.events = cursor;
                    let mark = self.hands.events.as_ref().filter(|_| found).map(mark_of);
                    events.extend(mark.map(|mark| Event::EventsSeen { mark }));
                }
                Sight::Events(Err(error)) => warn!(%error, "events unreadable"),
                Sight::Files { partition, mark } => events.push(Event::FilesSeen { partition, mark }),
                Sight::Playlist { text, asked } => {
                    // A person may have changed the order since it was last written.
                    if asked.playlists == self.order.so_far().playlists && text != self.hands.written_playlist
                    {
                        self.hands.written_playlist.clone_from(&text);
                        events.extend(text.map(|text| Event::PlaylistEdited { text }));
                    }
                }
                Sight::Config(config) => self.settings_read.push(*config),
                Sight::Fleet(news) => heard.push(news),
                Sight::Bell(number) => drop(self.rang.insert(number)),
                Sight::Done(look) => {
                    if self.hands.looking.remove(&look) == Some(true) {
                        again.push(look);
                    }
                }
            }
        }
        self.tell_all(events)?;
        heard.into_iter().try_for_each(|news| self.hear(news))?;
        again.iter().try_for_each(|look| self.look(look))
    }

    fn see_inbox(&mut self, partition: PartitionId, inbox: Inbox, asked: Asked) -> Option<Event> {
        self.unlisted.insert(partition.clone(), inbox.unlisted);
        self.order.see_inbox(partition, inbox.tasks, asked)
    }

    fn see_partitions(&mut self, mut partitions: Vec<SeenPartition>) -> Event {
        for seen in &mut partitions {
            seen.paused = self.hands.eyes.is_partition_paused(&seen.id);
        }
        Event::PartitionsSeen { partitions }
    }

    fn look_at_switches(&mut self) -> Result<(), EdgeError> {
        let set = self.hands.eyes.is_paused();
        let mut events = Vec::new();
        if set != self.order.state.is_paused() {
            events.push(Event::KillSwitch { scope: Scope::Home, set });
        }
        for partition in self.order.state.partitions() {
            let set = self.hands.eyes.is_partition_paused(&partition.id);
            if set != partition.paused {
                events.push(Event::KillSwitch { scope: Scope::Partition(partition.id.clone()), set });
            }
        }
        self.tell_all(events)
    }
}
