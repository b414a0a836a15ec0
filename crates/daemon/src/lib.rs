//! The long-running edge: it ticks, listens to signals, keeps house and writes the log.
//!
//! Everything it needs is handed in by [`Setup`]; it looks at no environment and prints nowhere but to the
//! log.

mod housekeeping;
mod log;
mod rotating_file;
mod serve;
mod ticks;

pub use log::LogSink;
pub use serve::{ServeError, Setup, serve};
pub use ticks::TickState;
