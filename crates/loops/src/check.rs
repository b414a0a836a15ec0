//! Whether a config is fit to run: what is wrong, what is doubtful, a score, and a verdict.
//!
//! Each rule of `rules` is passed or not, and those that do not apply to the tier are not counted:
//! score = passed × 100 / total. A loop is ready when nothing is an error and the score is high enough.

mod rules;
mod wording;

pub use wording::speaks_of_isolation;

use std::path::Path;

use jiff::tz::TimeZone;
use serde::Serialize;
use subcortex_store::Disk;

use crate::config::{LoopConfig, Tier};

/// The score from which on a loop is ready, unless the person says otherwise.
pub const DEFAULT_MIN_SCORE: u32 = 70;

/// How many findings of one rule are told; the others are counted.
pub const MAX_FINDINGS_OF_A_RULE: usize = 20;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The loop must not run like this.
    Error,
    /// It may run, and somebody should look at it.
    Warning,
}

/// One thing that a rule found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule, mostly called like the key.
    pub check: &'static str,
    /// How bad it is.
    #[serde(skip)]
    pub severity: Severity,
    /// The line of the config, counted from 1; `None` for what is missing.
    pub line: Option<usize>,
    /// What is there or missing, and why that matters.
    pub what: String,
    /// What to write.
    pub hint: String,
}

/// What `check` found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The tier that it was held against, if the config names one.
    pub tier: Option<Tier>,
    /// Rules that were passed.
    pub passed: usize,
    /// Rules that apply.
    pub total: usize,
    /// What the others found.
    pub findings: Vec<Finding>,
}

/// What it takes to be ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bar {
    /// The lowest score.
    pub min_score: u32,
    /// Whether warnings count like errors.
    pub strict: bool,
}

/// What a config is held against, besides itself.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The config.
    pub config: &'a LoopConfig,
    /// The name of its folder.
    pub dir_name: &'a str,
    /// The repository that its scope must stay in.
    pub root: &'a Path,
    /// Where the repository is looked at.
    pub disk: &'a dyn Disk,
    /// The zone whose clock cron patterns go by.
    pub zone: &'a TimeZone,
}

/// Holds a config against every rule that applies to its tier.
pub fn check(subject: &Subject<'_>) -> Report {
    let tier = subject.config.tier();
    let mut report = Report { tier, passed: 0, total: 0, findings: Vec::new() };
    for rule in rules::RULES.iter().filter(|rule| rule.from_tier <= tier.unwrap_or(Tier::L1)) {
        let found = (rule.test)(subject);
        report.total += 1;
        report.passed += usize::from(found.is_empty());
        report.findings.extend(bounded(found));
    }
    report
}

/// The first findings of a rule, and one that says how many more there are: a file of nothing but mistakes needs no thousand lines.
fn bounded(mut found: Vec<Finding>) -> Vec<Finding> {
    let more = found.len().saturating_sub(MAX_FINDINGS_OF_A_RULE);
    if let (1.., Some(last)) = (more, found.get(MAX_FINDINGS_OF_A_RULE).cloned()) {
        found.truncate(MAX_FINDINGS_OF_A_RULE);
        let hint = "put those above right first".to_owned();
        found.push(Finding { what: format!("and {more} more of this kind"), hint, ..last });
    }
    found
}

impl Report {
    /// From 0 to 100.
    pub fn score(&self) -> u32 {
        let percent = (self.passed * 100).checked_div(self.total).unwrap_or(0);
        u32::try_from(percent).unwrap_or(100)
    }

    /// How ready a loop is after a run: the rules of its config, and the gates that the run went through.
    pub fn readiness(&self, gates: &[bool]) -> u32 {
        let passed = self.passed + gates.iter().filter(|passed| **passed).count();
        Report { passed, total: self.total + gates.len(), ..self.clone() }.score()
    }

    /// The findings of one severity.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |finding| finding.severity == severity)
    }

    /// Whether the loop may run.
    pub fn is_ready(&self, bar: Bar) -> bool {
        let has = |severity| self.of(severity).next().is_some();
        !has(Severity::Error) && self.score() >= bar.min_score && !(bar.strict && has(Severity::Warning))
    }
}
