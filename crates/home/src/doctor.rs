//! Looks a home over and says, in words that a newcomer understands, what is wrong and what to do.
//!
//! It changes nothing, and it looks at the end of the spine only; `subcortex spine verify` reads all of it.

mod files;
mod memory;
mod spine;
mod surroundings;
mod writable;

pub use memory::unwritable;
use serde::Serialize;
use subcortex_store::Disk;

use crate::layout::Home;

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// As it should be.
    Ok,
    /// Works, but somebody should know.
    Warning,
    /// Does not work until somebody does something.
    Problem,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What was looked at, in a word or two.
    pub about: &'static str,
    /// What was found.
    pub found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn ok(about: &'static str, found: impl Into<String>) -> Self {
        Self { severity: Severity::Ok, about, found: found.into(), advice: None }
    }

    /// Somebody should know.
    pub fn warning(about: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, about, found: found.into(), advice: Some(advice.into()) }
    }

    /// Somebody must do something.
    pub fn problem(about: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { severity: Severity::Problem, about, found: found.into(), advice: Some(advice.into()) }
    }
}

/// Looks at everything.
pub fn examine(disk: &dyn Disk, home: &Home, now: jiff::Timestamp) -> Vec<Finding> {
    let mut findings = surroundings::home_folder(home);
    if findings.iter().any(|finding| finding.severity == Severity::Problem) {
        return findings; // without a home there is nothing more to look at
    }
    findings.extend(surroundings::file_system(home));
    findings.extend(files::folders(disk, home));
    findings.extend(writable::folders(home));
    findings.extend(files::permissions(home));
    findings.extend(files::config(disk, home));
    findings.extend(surroundings::daemon(disk, home));
    findings.extend(surroundings::kill_switch(disk, home));
    findings.extend(spine::day_files(disk, home, now));
    findings.extend(spine::quarantine(disk, home));
    findings.extend(memory::unwritable(disk, home));
    findings.extend(memory::broadcast(disk, home));
    findings
}
