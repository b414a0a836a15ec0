//! The edge of the program: it watches, starts runs, commits what they leave, and answers commands.
//!
//! Where to read on: [`serve()`] is the daemon's life; `edge` carries out what the scheduler
//! ([`subcortex_cadence`]) wishes for; `work` is one run, `prompted` one that a model does; `commit` is what a run
//! leaves behind; `look` and `watch` are the eyes; `door` is where workers knock. Everything from outside is handed in
//! by [`Setup`].

mod aside;
mod builtin;
mod by_hand;
mod changes;
mod clock;
mod commit;
pub mod control;
mod door;
mod edge;
mod engines;
mod facts;
mod follow;
mod hands;
mod held;
mod housekeeping;
mod identity;
mod log;
mod look;
mod lookout;
mod memory;
mod minds;
mod prompted;
mod rotating_file;
mod runs_thread;
mod serve;
mod setup;
mod sights;
mod socket;
mod status;
mod trouble;
mod variables;
mod waiting;
mod waits;
mod watch;
mod whoami;
mod work;
mod workers;

pub use by_hand::{do_by_hand, peek};
pub use door::{WorkerAnswer, WorkerRequest, ask_as_worker};
pub use edge::EdgeError;
pub use engines::{EngineState, engines};
pub use log::LogSink;
pub use memory::{Decision, workshop};
pub use serve::serve;
pub use setup::{ServeError, Setup, weaver_settings};
pub use status::{Followed, InboxCounts, InboxTask, PartitionStatus, Schedule};
pub use variables::Variables;
pub use whoami::{scratchpad_of, spend, whoami_of};
