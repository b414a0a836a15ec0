//! Shows whether memory-weaver's loop closes: an agent that reads the broadcast, people who want something, and the real
//! program in between.
//!
//! - An agent has habits. It follows a line of the broadcast that it thinks of, and forgets more of what stands further
//!   down. What it was told in a session it mostly remembers until the session ends.
//! - People have wishes that nobody wrote down. When one is violated they sometimes say so, in their own words, and they
//!   also say much else. Some wishes hold in one project only, and two change in the middle of a run.
//! - The broadcast begins with lines that help, lines that are stale and lines that mislead. Tools bring texts that pose
//!   as rules.
//! - The same world is lived with several ways of keeping the memory, see [`Policy`]. Under [`Policy::Subcortex`]
//!   everything goes through a real home: spine, scanner, crystallizer, updater; only the clock is the world's own.
//!
//! Development only. The numbers depend on the world's assumptions, which stand as named constants in `world`; what is
//! fair to compare are the policies with one another.

mod acts;
mod authors;
mod each;
mod hearing;
mod home;
mod measure;
mod policy;
mod random;
mod reading;
mod sayings;
mod table;
mod topics;
mod world;

pub use each::each;
pub use hearing::{Hearing, Stood, Taken};
pub use measure::{LifeFigures, PARTS};
pub use policy::Policy;
pub use table::{hearing_report, report};
pub use world::{Life, live};

/// Why a life could not be lived to its end.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// There is no temporary folder.
    #[error("no temporary folder could be made: {0}")]
    Folder(std::io::Error),
    /// A file of the home could not be written.
    #[error(transparent)]
    Write(#[from] subcortex_store::durable::WriteError),
    /// A file of the home could not be read.
    #[error(transparent)]
    Read(#[from] subcortex_store::durable::ReadError),
    /// The spine took no events.
    #[error(transparent)]
    Append(#[from] subcortex_spine::AppendError),
    /// memory-weaver failed.
    #[error(transparent)]
    Weave(#[from] subcortex_weaver::WeaveError),
}
