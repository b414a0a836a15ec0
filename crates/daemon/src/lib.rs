//! The edge of the program: it watches, starts runs, commits what they leave, and answers commands.
//!
//! Where to read on: [`serve()`] is the daemon's life; `edge` carries out what the scheduler
//! ([`subcortex_cadence`]) wishes for; `commit` is what a run
//! leaves behind (one run itself is [`subcortex_work`]); `look` and `watch` are the eyes; `door` is where workers knock. Everything from outside is handed in
//! by [`Setup`].

mod by_hand;
mod changed;
mod clock;
mod commit;
pub mod control;
mod counsel;
mod door;
mod edge;
mod engines;
mod facts;
mod fleet;
mod follow;
mod hands;
mod helm;
mod hidden_names;
mod housekeeping;
mod log;
mod look;
mod lookout;
mod loops;
mod memory;
mod mended;
mod metrics;
mod reset;
mod rotating_file;
mod serve;
mod setup;
mod shared_inbox;
mod side_thread;
mod sights;
mod socket;
mod status;
mod trouble;
mod waiting;
mod watch;
mod whoami;

pub use by_hand::{do_by_hand, end_what_was_left, peek};
pub use counsel::counsel;
pub use door::{WorkerAnswer, WorkerRequest, ask_as_worker};
pub use edge::EdgeError;
pub use engines::{EngineState, engines};
pub use fleet::look_at_fleet;
pub use helm::{Helm, PageOf};
pub use log::LogSink;
pub use loops::loop_views;
pub use memory::Decision;
pub use metrics::{Counters, metrics};
pub use serve::serve;
pub use setup::{ServeError, Setup, weaver_settings};
pub use shared_inbox::{SHARED_INBOX, shared_inbox};
pub use status::{Followed, InboxCounts, InboxTask, PartitionStatus, RunningStatus, Schedule};
pub use subcortex_fleet::{Finished, FleetError, FleetView, Machine, Membership};
pub use subcortex_loop_runs::{Answered as LoopAnswered, LoopView};
pub use subcortex_work::{Variables, inbox_place, workshop};
pub use whoami::{scratchpad_of, spend, whoami_of};
