//! Inboxes that several machines share (`inbox: fleet`): tasks wait on a Redis server, and each machine brings what it will work on next
//! into its own inbox, as files. From there on they are tasks like all others.
//!
//! # On the server
//!
//! | key, with the partition's name for `P` | what it holds                                                                    |
//! |----------------------------------------|----------------------------------------------------------------------------------|
//! | `subcortex:{P}:tasks`                  | the stream: entries with `name`, `body`, `by`; one consumer group, `fleet`       |
//! | `subcortex:{P}:names`                  | by name of a task that is not finished: its entry                                |
//! | `subcortex:{P}:holders`                | by entry: `<token>:<machine>:<name>` of whoever has it                           |
//! | `subcortex:{P}:leases`                 | entries by the moment, in the server's time, until which they are nobody else's; 0: given back |
//! | `subcortex:{P}:token`                  | the last fencing token: each taking of a task gets the next                      |
//! | `subcortex:{P}:attempts`, `:takeovers` | by entry: how often it failed, and how often its machine was lost                |
//! | `subcortex:{P}:aside`                  | by entry that nobody can read: why                                               |
//! | `subcortex:{P}:done:<entry>`           | the holder that finished it, and the result; kept for a day                      |
//! | `subcortex:{P}:post:<id>`              | the entry of one drop, so that it is not repeated when an answer is lost; kept for an hour |
//! | `subcortex:{P}:epoch`                  | made up once: whoever sees another knows that the server lost its data           |
//! | `subcortex:machines`                   | by machine: when it was last heard, and who it is                                |
//!
//! Every change is one script (`scripts`), so it happens whole or not at all, and each one that ends, renews or gives back a task compares the
//! holder first: who was taken over is refused.
//!
//! # On a machine
//!
//! `var/fleet/tickets.json` ([`Tickets`]) says which files of its inboxes came from the server:
//!
//! | ticket      | file in the inbox | meaning                                   | next move                                             |
//! |-------------|-------------------|-------------------------------------------|-------------------------------------------------------|
//! | `taken`     | none              | the machine died before it was delivered  | fetched again, if it is still its own                 |
//! | `taken`     | the same task     | … before that was noted                   | `delivered`                                           |
//! | `taken`     | another task      | the name is in use here                   | waits until it is free                                |
//! | `delivered` | the same task     | a run takes it while the lease lasts      |                                                       |
//! | `delivered` | none              | somebody removed it by hand               | given back                                            |
//! | `done`      | any               | the result is durable on this machine     | `XACK`; refused if it was taken over meanwhile        |
//!
//! - A ticket is durable before its file is made, and `done` after the run record and `task.done`, before the file goes. So `XACK` never
//!   comes before the result.
//! - Leases are renewed three times while they last. A task whose lease may have lapsed is not begun; one that was begun goes on, and the
//!   server decides whether its result counts.
//! - What is lost to another machine is taken out of the inbox here. What the server no longer knows because it lost its data stays, as a
//!   task of this machine alone.
//!
//! # Not promised
//!
//! - As for every inbox: an engine may be started twice for one task. It finds the fencing token in `SUBCORTEX_FENCE`, which grows with each
//!   taking of a task, and the task's name in `SUBCORTEX_TASK`; what it changes elsewhere should carry them.
//! - A server that comes back with an older state knows no better: keep its append-only file on (`appendonly yes`).

mod courier;
mod error;
mod keys;
mod membership;
mod rounds;
mod scripts;
mod settings;
mod stream;
mod ticket;
mod tickets;
mod view;

pub use courier::{Courier, News, Want};
pub use error::FleetError;
pub use membership::Membership;
pub use settings::FleetSettings;
pub use stream::{Entry, Finish, Finished, Posted, Stream, Taken};
pub use ticket::{Before, Lease, Ticket, TicketState};
pub use tickets::Tickets;
pub use view::{FleetView, Held, InboxView, Machine};
