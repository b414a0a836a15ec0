//! What tests and benchmarks share. Development only: no part of the program depends on it.

mod fake_home;
mod random;
mod skip;

pub use fake_home::FakeHome;
pub use random::Random;
pub use skip::{has_program, skip};
