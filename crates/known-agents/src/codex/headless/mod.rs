//! How its program is called, and what its report means.

mod call;
mod report;
mod servers;
#[cfg(test)]
mod tests;

pub(crate) use call::command_line;
pub(crate) use report::{hear, report};
