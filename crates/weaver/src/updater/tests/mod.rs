//! The whole worker on real files: a log, fragments that quote it, a broadcast.
#![allow(clippy::disallowed_methods)]

mod by_hand;
mod chain;
mod faults;
mod forgetting;
mod people;
mod poison;
mod policy;
mod said_already;
mod session_files;
mod settled;
mod words;
mod world;
mod writing;
