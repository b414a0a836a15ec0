//! A run's place on a blackboard: who it is there comes from its definition and its token, never from its words.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use subcortex_agent::Blackboard;
use subcortex_blackboard::{Author, Entry, Fact, Record, Role, ThreadId, WebAddress};
use subcortex_boards::{BoardError, Boards, Thread};
use subcortex_cadence::definition::Seat as Place;
use subcortex_fleet::Membership;
use subcortex_home::Home;
use subcortex_store::{Disk, locked};

/// The place of one run.
#[derive(Debug)]
pub(crate) struct Seat {
    pub(crate) boards: Arc<dyn Boards>,
    pub(crate) place: Place,
    /// The partition, which is its id on the board.
    pub(crate) partition: String,
    /// The pages that it fetched; nothing where nobody can tell.
    pub(crate) fetched: Option<Mutex<BTreeSet<WebAddress>>>,
    pub(crate) home: Home,
    pub(crate) disk: Arc<dyn Disk>,
    pub(crate) fleet: Membership,
}

/// What a command says about itself; it may leave it out, but not lie.
#[derive(Debug, Clone, Copy, Default)]
pub struct Claims<'a> {
    /// On which thread it wants to speak.
    pub thread: &'a str,
    /// As what.
    pub role: Option<&'a str>,
    /// Under which name.
    pub id: Option<&'a str>,
}

/// Why an entry of a run was not taken.
#[derive(Debug, thiserror::Error)]
pub enum SeatError {
    /// The entry names another author than the run.
    #[error("this run is `{own}` on the blackboard, and {what} says `{said}`: leave it out")]
    NotYou {
        /// What it is.
        own: String,
        /// What does not fit.
        what: &'static str,
        /// What was said.
        said: String,
    },
    /// The board does not take it.
    #[error(transparent)]
    Board(#[from] BoardError),
}

impl Seat {
    pub(crate) fn role(&self) -> Role {
        self.place.role
    }

    pub(crate) fn thread(&self) -> &ThreadId {
        &self.place.thread
    }

    /// Appends in the run's name; tasks for workers go out with a STRATEGY.
    pub(crate) fn say(&self, entry: &str, claims: Claims<'_>) -> Result<Record, SeatError> {
        let own = [
            ("the thread", Some(claims.thread), self.place.thread.as_str()),
            ("--role", claims.role, self.role().as_str()),
            ("--as", claims.id, self.partition.as_str()),
        ];
        for (what, said, own) in own {
            if let Some(said) = said.filter(|said| *said != own) {
                return Err(SeatError::NotYou { own: own.to_owned(), what, said: said.to_owned() });
            }
        }
        let refused = |why| BoardError::from(subcortex_blackboard::Refusal::Malformed(why));
        let entry = Entry::parse(entry).map_err(refused)?;
        let mut author = Author::new(self.role(), &self.partition).map_err(refused)?;
        author.fetched = self.fetched.as_ref().map(|fetched| locked(fetched).clone());
        let record = self.boards.append(self.thread(), &author, entry, Timestamp::now())?;
        self.hand_out(&record);
        Ok(record)
    }

    pub(crate) fn now(&self) -> Result<Arc<Thread>, BoardError> {
        self.boards.read(self.thread(), Timestamp::now())
    }
}

impl Blackboard for Seat {
    fn read(&self) -> Result<String, String> {
        let thread = self.now().map_err(|error| error.to_string())?;
        Ok(in_words(self, &thread))
    }

    fn append(&self, entry: &str) -> Result<String, String> {
        let claims = Claims { thread: self.thread().as_str(), ..Claims::default() };
        let record = self.say(entry, claims).map_err(|error| error.to_string())?;
        Ok(format!("{} is entry {}", record.entry.kind(), record.seq))
    }

    fn fetched(&self, url: &str) {
        if let (Some(fetched), Ok(address)) = (&self.fetched, WebAddress::parse("url", url)) {
            locked(fetched).insert(address);
        }
    }
}

/// The state of a thread for a model: short, and what it needs for its next move.
fn in_words(seat: &Seat, thread: &Thread) -> String {
    let board = thread.board();
    let mut text = format!("You are {} `{}` on thread {}.\n", seat.role(), seat.partition, seat.thread());
    let mut line = |args: std::fmt::Arguments<'_>| {
        let _ = writeln!(text, "{args}"); // a string takes everything
    };
    match board.strategy() {
        Some(plan) => {
            line(format_args!("goal: {}", plan.goal));
            line(format_args!("entities: {}", plan.entities.join(", ")));
            if let Some(query) = &plan.query {
                line(format_args!("query: {query}"));
            }
        }
        None => line(format_args!("There is no STRATEGY yet.")),
    }
    for (key, fact) in board.facts() {
        match fact {
            Fact::Pending { holder, .. } => line(format_args!("PENDING {key} by {holder}")),
            Fact::Verified { value, source_url, .. } => {
                line(format_args!("VERIFIED {key}: {value} ({source_url})"));
            }
            Fact::Unverified { by, reason, .. } => line(format_args!("UNVERIFIED {key} by {by}: {reason}")),
            Fact::Released => line(format_args!("open {key}")),
        }
    }
    board.failed_urls().for_each(|url| line(format_args!("FAILED_URL {url}")));
    board.tombstones().for_each(|url| line(format_args!("TOMBSTONE {url}")));
    board.open_directives().iter().for_each(|want| line(format_args!("unanswered USER_DIRECTIVE: {want}")));
    if let Some(result) = board.synthesis() {
        line(format_args!("SYNTHESIS: {result}"));
    }
    text
}
