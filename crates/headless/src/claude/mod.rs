//! Claude Code: how it is called, and what its report means.

mod call;
mod report;
#[cfg(test)]
mod tests;

pub(crate) use call::call;
pub(crate) use report::report;
