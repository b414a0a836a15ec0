//! One run from its start to its end, apart from the event loop that starts it.
//!
//! [`Runner`] does runs. What thinks in a run is an [`Engine`], found by name in `engines/mod.rs`; the partitions that
//! ship are [`Worker`]s, found by name in `builtin/mod.rs`. A new one of either is a file beside the others and a line in
//! that list.

mod alone;
mod aside;
mod builtin;
mod changes;
mod clock;
mod desk;
mod details;
mod engines;
mod exit;
mod handing_out;
mod identity;
mod inbox_place;
mod letterbox;
mod minds;
mod pages;
mod peers;
mod run;
mod runner;
mod seat;
mod supervised;
#[cfg(test)]
mod testing;
mod variables;
mod waits;
mod workshop;

pub use alone::{Alone, Surroundings};
pub use aside::redacted;
pub use builtin::{Around, Call, Done, Worker, has_work};
pub use clock::now;
pub use desk::{AtWork, BlackboardRefusal};
pub use details::{Details, EditMade, Report};
pub use engines::{Allowed, Engine, Place, Working, engine_names, engine_of, is_code};
pub use exit::{Left, Worked};
pub use identity::{FILES, Occasion, identity};
pub use inbox_place::inbox_place;
pub use minds::{Minds, model_of};
pub use pages::Pages;
pub use peers::Peers;
pub use run::{Run, Task};
pub use runner::Runner;
pub use seat::{Claims, SeatError};
pub use variables::Variables;
pub use workshop::workshop;
