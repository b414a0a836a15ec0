//! Codex: how it is called, and what its report means.

mod call;
mod report;
mod servers;
#[cfg(test)]
mod tests;

pub(crate) use call::call;
pub(crate) use report::report;
