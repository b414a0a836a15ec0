//! A thread that looks at the home for the event loop: inboxes, definitions, new events, changed files.
//!
//! What it looks at was written by others and may be long, so the loop does not wait for it: it asks, goes on, and is
//! told. Errands are done in the order in which they are asked for. Only kill switches are not looked at here.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

use subcortex_cadence::{Mark, PartitionId, SeenPartition, SeenTask};
use subcortex_config::Config;
use subcortex_edge::Asked;
use subcortex_fleet::News;
use subcortex_inbox::Known;
use subcortex_spine::Cursor;
use subcortex_store::durable;
use tokio::sync::mpsc::UnboundedSender;
use tracing::warn;

use crate::changed::Found;
use crate::edge::EdgeError;
use crate::look::{Eyes, Pending};
use crate::setup::{ServeError, read_trusted_config};
use crate::watch::Look;

/// Something to look at. What was true when it was asked for comes back with the answer.
#[derive(Debug)]
pub(crate) struct Errand {
    pub(crate) what: What,
    pub(crate) asked: Asked,
}

#[derive(Debug)]
pub(crate) enum What {
    /// One inbox.
    Inbox(Pending),
    /// The definitions, then the inboxes.
    Partitions(Vec<Pending>),
    /// The files that partitions want to hear of.
    Files,
    /// Playlist, events, definitions, inboxes, files; of events those behind this position, if anybody wants to know.
    Everything { pending: Vec<Pending>, events: Option<Option<Cursor>> },
    /// The settings.
    Config,
    /// Nothing: whoever waits for this has been told everything that was asked for before.
    Bell(u64),
}

/// What was there.
#[derive(Debug)]
pub(crate) enum Sight {
    Inbox {
        partition: PartitionId,
        found: Result<Inbox, String>,
        asked: Asked,
    },
    Partitions(std::io::Result<Vec<SeenPartition>>),
    Events(Result<(bool, Option<Cursor>), EdgeError>),
    Files {
        partition: PartitionId,
        mark: Mark,
    },
    Playlist {
        /// Nothing where the file is missing.
        text: Option<String>,
        asked: Asked,
    },
    Config(Box<Result<Config, ServeError>>),
    /// Something happened in the fleet.
    Fleet(News),
    Bell(u64),
    /// An errand is done.
    Done(Look),
}

/// The tasks of an inbox, as many as count now.
#[derive(Debug)]
pub(crate) struct Inbox {
    pub(crate) tasks: Vec<SeenTask>,
    /// How many more there are.
    pub(crate) unlisted: usize,
}

/// The loop's end of it. The thread ends when this is dropped, after what it is doing.
#[derive(Debug)]
pub(crate) struct Lookout {
    errands: Sender<Errand>,
}

impl Lookout {
    pub(crate) fn start(eyes: Eyes, sights: UnboundedSender<Sight>) -> std::io::Result<Self> {
        let (errands, incoming) = channel();
        std::thread::Builder::new()
            .name("subcortex-look".into())
            .spawn(move || Thread { eyes, sights, known: Known::default() }.look_until_dropped(&incoming))?;
        Ok(Self { errands })
    }

    pub(crate) fn ask(&self, what: What, asked: Asked) {
        // The thread ends before this only if the daemon does.
        drop(self.errands.send(Errand { what, asked }));
    }
}

struct Thread {
    eyes: Eyes,
    sights: UnboundedSender<Sight>,
    /// What the tasks were that were read before.
    known: Known,
}

impl Thread {
    fn look_until_dropped(mut self, errands: &Receiver<Errand>) {
        while let Ok(Errand { what, asked }) = errands.recv() {
            match what {
                What::Inbox(pending) => {
                    let look = Look::Inbox(pending.partition.clone());
                    self.inbox(&pending, asked);
                    self.tell(Sight::Done(look));
                }
                What::Partitions(pending) => {
                    self.partitions(pending, asked);
                    self.tell(Sight::Done(Look::Partitions));
                }
                What::Files => {
                    self.files(&self.eyes.partitions().unwrap_or_default());
                    self.tell(Sight::Done(Look::Files));
                }
                What::Everything { pending, events } => {
                    if let Ok(text) = self.eyes.playlist() {
                        self.tell(Sight::Playlist { text, asked });
                    }
                    if let Some(from) = events {
                        let found = self.eyes.external_events(from.as_ref());
                        self.tell(Sight::Events(found.map_err(EdgeError::from)));
                    }
                    let partitions = self.partitions(pending, asked);
                    self.files(&partitions);
                    self.tell(Sight::Done(Look::Everything));
                }
                What::Config => {
                    let config = read_trusted_config(&*self.eyes.disk, &self.eyes.home);
                    self.tell(Sight::Config(Box::new(config)));
                }
                What::Bell(number) => self.tell(Sight::Bell(number)),
            }
        }
    }

    fn tell(&self, sight: Sight) {
        // Nobody listens any more only when the daemon is gone.
        drop(self.sights.send(sight));
    }

    fn inbox(&mut self, pending: &Pending, asked: Asked) {
        let found = self.eyes.inbox(pending, &mut self.known);
        self.tell(Sight::Inbox { partition: pending.partition.clone(), found, asked });
    }

    /// The definitions, then the inbox of everybody who is there.
    fn partitions(&mut self, pending: Vec<Pending>, asked: Asked) -> Vec<SeenPartition> {
        let seen = self.eyes.partitions();
        let found = seen.as_ref().map(Vec::clone).unwrap_or_default();
        self.tell(Sight::Partitions(seen));
        let mut known: std::collections::HashMap<_, _> =
            pending.into_iter().map(|pending| (pending.partition.clone(), pending)).collect();
        self.make_inboxes(&found);
        for seen in &found {
            let mut pending = known.remove(&seen.id).unwrap_or_else(|| Pending::of_new(&seen.id));
            pending.see(&seen.definition);
            self.inbox(&pending, asked);
        }
        found
    }

    /// So that a task can be put there by whatever means from the moment that a partition is there.
    fn make_inboxes(&self, partitions: &[SeenPartition]) {
        let usable = partitions.iter().filter(|seen| seen.definition.is_ok());
        for folder in usable.map(|seen| self.eyes.home.partition(seen.id.as_str())) {
            let is_missing = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
            if self.eyes.disk.stat(&folder.join("inbox")).is_err_and(|error| is_missing(&error))
                && let Err(error) = durable::make_dirs(&*self.eyes.disk, &folder, Path::new("inbox"))
            {
                warn!(%error, "inbox not made");
            }
        }
    }

    fn files(&self, partitions: &[SeenPartition]) {
        let mut found = Found::new();
        for seen in partitions {
            let definition = seen.definition.as_ref().ok();
            let mark =
                definition.and_then(|definition| self.eyes.files_mark(&seen.id, definition, &mut found));
            if let Some(mark) = mark {
                self.tell(Sight::Files { partition: seen.id.clone(), mark });
            }
        }
    }
}
