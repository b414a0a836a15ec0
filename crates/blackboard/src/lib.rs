//! The blackboard of one supervised run: entries are only appended, and the state is what they fold to.
//!
//! | entry            | who        | legal when                                                                                          |
//! |------------------|------------|-----------------------------------------------------------------------------------------------------|
//! | `STRATEGY`       | supervisor | the thread is open; it answers every directive so far                                               |
//! | `PENDING`        | worker     | the STRATEGY lists the entity, and nobody holds or has verified this field; never by who just failed |
//! | `VERIFIED`       | worker     | it holds the claim                                                                                  |
//! | `UNVERIFIED`     | worker     | it holds the claim                                                                                  |
//! | `FAILED_URL`     | worker     | there is a STRATEGY; the claim stays open                                                           |
//! | `TOMBSTONE`      | supervisor | a worker reported the URL as failed; it is for ever                                                 |
//! | `USER_DIRECTIVE` | user       | always; it opens a thread that a synthesis closed                                                   |
//! | `SYNTHESIS`      | supervisor | nothing is open (see [`Obstacle`]), and each citation is the exact URL of a VERIFIED entry           |
//!
//! - A STRATEGY replaces the one before. Claims whose entity it gives to others are released, so a stale claim can be taken
//!   over. What it no longer lists is out of scope: claims on it end, and what stayed unverified there holds nothing up.
//! - A tombstoned URL is refused wherever it turns up, however it is spelled. A fact that rested on it is open again.
//! - Nothing here does I/O: [`Board::check`] and [`Board::append`] are functions of the state and the entry.

mod assigned;
mod author;
mod board;
mod entry;
mod limits;
mod obstacle;
mod record;
mod refusal;
mod task;
mod thread_id;
mod web_address;

pub use assigned::Assigned;
pub use author::{Author, Role};
pub use board::{Board, Fact, FactKey};
pub use entry::{Entry, Kind, Strategy};
pub use limits::{MAX_ENTRY_BYTES, Malformed};
pub use obstacle::Obstacle;
pub use record::Record;
pub use refusal::Refusal;
pub use task::{Delegation, delegations};
pub use thread_id::ThreadId;
pub use web_address::WebAddress;
