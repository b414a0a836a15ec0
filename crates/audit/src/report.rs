//! What came of an audit.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use subcortex_checks::Bearing;
use subcortex_guard::Redactor;
use subcortex_import::Summary;

use crate::rules::Rule;

/// A rules file and what the sessions say about it.
#[derive(Debug)]
pub struct Report {
    /// The rules, in the order of the file.
    pub rules: Vec<RuleReport>,
    /// What people said to last that no rule covers, newest first.
    pub said: Vec<Said>,
    /// What was looked at.
    pub looked_at: LookedAt,
    /// What was read, and what was left out for which reason.
    pub summary: Summary,
}

/// One rule and what the sessions say about it.
#[derive(Debug)]
pub struct RuleReport {
    /// The rule.
    pub rule: Rule,
    /// In how many turns it was followed.
    pub followed: u64,
    /// In how many turns it was not.
    pub missed: u64,
    /// In how many turns it was touched, and nobody can tell.
    pub waiting: u64,
    /// Why its check is not trusted; then only what people said about it is counted.
    pub doubt: Option<String>,
    /// What the verdicts rest on, newest first. Of very many the oldest are left out.
    pub quotes: Vec<Quote>,
}

/// What can be said of a rule in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// It was missed at least once.
    Missed,
    /// It was followed whenever it mattered.
    Followed,
    /// Nothing was decided: it had no occasion, or nobody can tell.
    Waiting,
    /// Its check was tried on these turns and is not trusted.
    Doubted,
    /// Nobody could tell whether it is followed.
    Untestable,
}

impl Standing {
    /// Each with its class on a page, its name there, and what it means.
    pub const SHOWN: [(Standing, &str, &str, &str); 5] = [
        (Standing::Missed, "missed", "Missed at times", "in at least one turn it was not followed"),
        (Standing::Followed, "followed", "Always followed", "in each turn where it mattered"),
        (Standing::Waiting, "waiting", "Waiting", "no occasion yet, or nobody can tell"),
        (
            Standing::Doubted,
            "doubted",
            "Not trusted",
            "its check was tried on these turns, and does not count",
        ),
        (Standing::Untestable, "untestable", "Not testable", "no turn could show whether it is followed"),
    ];

    /// What so many turns say of a rule.
    pub fn of(followed: u64, missed: u64, doubted: bool, testable: bool) -> Self {
        if missed > 0 {
            Self::Missed
        } else if followed > 0 {
            Self::Followed
        } else if doubted {
            Self::Doubted
        } else if testable {
            Self::Waiting
        } else {
            Self::Untestable
        }
    }

    /// Its class on a page.
    pub fn class(self) -> &'static str {
        Self::SHOWN.iter().find(|(known, ..)| *known == self).map_or("", |(_, class, ..)| class)
    }
}

impl RuleReport {
    /// What can be said of it in one word.
    pub fn standing(&self) -> Standing {
        Standing::of(self.followed, self.missed, self.doubt.is_some(), self.rule.check.testable)
    }

    /// The share of the decided turns in which it was followed, in percent.
    pub fn followed_percent(&self) -> Option<u64> {
        (self.followed * 100).checked_div(self.followed + self.missed)
    }

    /// How bad it looks, for sorting. A single miss says less than twenty, so each rule is given one turn of either kind.
    pub(crate) fn badness(&self) -> f64 {
        (self.missed + 1) as f64 / (self.followed + self.missed + 2) as f64
    }

    /// The quotes of one kind, newest first.
    pub(crate) fn quotes_of(&self, trajectory: Bearing) -> impl Iterator<Item = &Quote> {
        self.quotes.iter().filter(move |quote| quote.trajectory == trajectory)
    }
}

/// What a verdict rests on.
#[derive(Debug, Clone, Serialize)]
pub struct Quote {
    /// What it says about the rule.
    pub trajectory: Bearing,
    /// Verbatim from the session, without secrets.
    pub quote: String,
    /// Which session.
    #[serde(serialize_with = "as_text")]
    pub session: Arc<str>,
    /// When.
    pub ts: Timestamp,
    /// Which record of the session: `<session>/<record>`.
    pub event: String,
    /// How the verdict came about.
    pub why: String,
    /// Whether a person's words decided, and not the check.
    #[serde(skip)]
    pub by_person: bool,
}

fn as_text<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

/// Something that a person said to last and that no rule covers.
#[derive(Debug, Clone)]
pub struct Said {
    /// The sentence, without secrets.
    pub quote: String,
    /// How often it was said.
    pub times: u64,
    /// Where it was said last.
    pub session: Arc<str>,
    /// When it was said last.
    pub ts: Timestamp,
    /// Which record of that session.
    pub event: String,
    /// How it was recognised.
    pub why: String,
}

/// What an audit looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookedAt {
    /// Sessions, by agent.
    pub sessions: BTreeMap<String, u64>,
    /// Turns.
    pub turns: u64,
    /// Bytes of files.
    pub bytes: u64,
    /// When the first turn began.
    pub first: Option<Timestamp>,
    /// When the last turn began.
    pub last: Option<Timestamp>,
    /// Events that did not fit into their turn.
    pub left_out: u64,
}

/// The answer for programs. The names of the fields are relied upon.
#[derive(Debug, Serialize)]
struct ForPrograms<'a> {
    line: usize,
    text: Cow<'a, str>,
    testable: bool,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_trusted: Option<Cow<'a, str>>,
    followed: u64,
    missed: u64,
    waiting: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    reword: Option<Cow<'a, str>>,
    quotes: &'a [Quote],
}

impl<'a> ForPrograms<'a> {
    fn of(outcome: &'a RuleReport) -> Self {
        let redactor = Redactor::new();
        Self {
            line: outcome.rule.line,
            text: redactor.text(&outcome.rule.text),
            testable: outcome.rule.check.testable,
            state: match (outcome.rule.check.testable, &outcome.doubt) {
                (_, Some(_)) => "not_trusted",
                (true, None) => "tested",
                (false, None) => "not_testable",
            },
            not_trusted: outcome.doubt.as_deref().map(|doubt| redactor.text(doubt)),
            followed: outcome.followed,
            missed: outcome.missed,
            waiting: outcome.waiting,
            reword: outcome.rule.check.reword.as_deref().map(|words| redactor.text(words)),
            quotes: &outcome.quotes,
        }
    }
}

impl Report {
    /// The answer for programs: an array with one object a rule, in the order of the file.
    pub fn for_programs(&self) -> impl Serialize {
        self.rules.iter().map(ForPrograms::of).collect::<Vec<_>>()
    }

    /// How many rules stand how.
    pub fn count(&self, standing: Standing) -> usize {
        self.rules.iter().filter(|outcome| outcome.standing() == standing).count()
    }

    /// The rules that were judged, worst first.
    pub fn judged_worst_first(&self) -> Vec<&RuleReport> {
        let is_judged =
            |outcome: &&RuleReport| matches!(outcome.standing(), Standing::Missed | Standing::Followed);
        let mut judged: Vec<&RuleReport> = self.rules.iter().filter(is_judged).collect();
        let by_badness = |a: &&RuleReport, b: &&RuleReport| b.badness().total_cmp(&a.badness());
        judged.sort_by(|a, b| {
            a.standing().cmp(&b.standing()).then(by_badness(a, b)).then(a.rule.line.cmp(&b.rule.line))
        });
        judged
    }

    /// The rules that stand like this, in the order of the file.
    pub fn standing(&self, standing: Standing) -> impl Iterator<Item = &RuleReport> {
        self.rules.iter().filter(move |outcome| outcome.standing() == standing)
    }

    /// How many sessions were looked at.
    pub fn sessions(&self) -> u64 {
        self.looked_at.sessions.values().sum()
    }
}
