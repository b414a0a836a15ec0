//! What came of an audit.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use subcortex_checks::{Bearing, Check};
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
    /// In how many turns it was what.
    pub turns: TurnCounts,
    /// Why its check is not trusted; then only what people said about it is counted.
    pub doubt: Option<String>,
    /// What the verdicts rest on, newest first. Of very many the oldest are left out.
    pub quotes: Vec<Quote>,
}

/// What can be said of a rule in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// A person said that the rule itself is wrong.
    Contradicted,
    /// It was missed at least once.
    Missed,
    /// It was followed whenever it mattered.
    Followed,
    /// It was touched, and nobody can tell.
    Unclear,
    /// It had no occasion.
    Waiting,
    /// Its check was tried on these turns and is not trusted.
    Doubted,
    /// Nobody could tell whether it is followed.
    Untestable,
}

/// What the test of a rule is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleTest {
    /// It counts.
    Trusted,
    /// It was tried, and does not count.
    Doubted,
    /// There is none.
    Missing,
}

impl RuleTest {
    /// A check, and why it is doubted if it is.
    pub fn of(check: &Check, doubt: Option<&str>) -> Self {
        match doubt {
            Some(_) => Self::Doubted,
            None if check.testable => Self::Trusted,
            None => Self::Missing,
        }
    }
}

impl Standing {
    /// Each with its class on a page, its name there, and what it means.
    pub const SHOWN: [(Standing, &str, &str, &str); 7] = [
        (
            Standing::Contradicted,
            "contradicted",
            "Contradicted by you",
            "you said that the rule itself is wrong: rewrite it or take it out",
        ),
        (Standing::Missed, "missed", "Missed", "in at least one turn it was not followed"),
        (Standing::Followed, "followed", "Always followed", "in each turn where it mattered"),
        (
            Standing::Unclear,
            "unclear",
            "Unclear",
            "it was touched, and nobody can tell whether it was followed",
        ),
        (Standing::Waiting, "waiting", "Waiting", "no occasion yet"),
        (
            Standing::Doubted,
            "doubted",
            "Not trusted",
            "its check was tried on these turns, and does not count",
        ),
        (Standing::Untestable, "untestable", "Not testable", "no turn could show whether it is followed"),
    ];

    /// What so many turns say of a rule with such a test.
    pub fn of(turns: &TurnCounts, test: RuleTest) -> Self {
        if turns.contradicted > 0 {
            return Self::Contradicted;
        } else if turns.missed > 0 {
            return Self::Missed;
        } else if turns.followed > 0 {
            return Self::Followed;
        }
        match test {
            RuleTest::Doubted => Self::Doubted,
            RuleTest::Trusted | RuleTest::Missing if turns.unclear > 0 => Self::Unclear,
            RuleTest::Trusted => Self::Waiting,
            RuleTest::Missing => Self::Untestable,
        }
    }

    /// Its class on a page.
    pub fn class(self) -> &'static str {
        Self::SHOWN.iter().find(|(known, ..)| *known == self).map_or("", |(_, class, ..)| class)
    }
}

/// In how many turns a rule was what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnCounts {
    /// Followed.
    pub followed: u64,
    /// Not followed, though there was an occasion.
    pub missed: u64,
    /// Called wrong by a person.
    pub contradicted: u64,
    /// Touched, and nobody can tell.
    pub unclear: u64,
    /// Of `unclear`: no sure occasion.
    pub waiting: u64,
}

impl TurnCounts {
    /// How many turns are of one kind.
    pub(crate) fn of(&self, finding: Finding) -> u64 {
        match finding {
            Finding::Contradicted => self.contradicted,
            Finding::Missed => self.missed,
            Finding::Followed => self.followed,
            Finding::Unclear => self.unclear,
        }
    }
}

/// What one turn says of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// A person said that the rule itself is wrong.
    Contradicted,
    /// It was not followed.
    Missed,
    /// It was followed.
    Followed,
    /// It was touched, and nobody can tell.
    Unclear,
}

impl Finding {
    /// All of them, the telling ones first.
    pub(crate) const ALL: [Self; 4] = [Self::Contradicted, Self::Missed, Self::Followed, Self::Unclear];

    /// In a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Contradicted => "contradicted",
            Self::Missed => "missed",
            Self::Followed => "followed",
            Self::Unclear => "unclear",
        }
    }
}

impl RuleReport {
    /// What can be said of it in one word.
    pub fn standing(&self) -> Standing {
        Standing::of(&self.turns, RuleTest::of(&self.rule.check, self.doubt.as_deref()))
    }

    /// The share of the decided turns in which it was followed, in percent. Who calls the rule wrong says nothing of that.
    pub fn followed_percent(&self) -> Option<u64> {
        let TurnCounts { followed, missed, .. } = self.turns;
        (followed * 100).checked_div(followed + missed)
    }

    /// Whether it was missed whenever it mattered.
    pub(crate) fn is_never_followed(&self) -> bool {
        self.turns.missed > 0 && self.turns.followed == 0
    }

    /// How bad it looks, for sorting. A single miss says less than twenty, so each rule is given one turn of either kind.
    pub(crate) fn badness(&self) -> f64 {
        let TurnCounts { followed, missed, .. } = self.turns;
        (missed + 1) as f64 / (followed + missed + 2) as f64
    }

    /// The quotes of one kind, newest first.
    pub(crate) fn quotes_of(&self, finding: Finding) -> impl Iterator<Item = &Quote> {
        self.quotes.iter().filter(move |quote| quote.verdict == finding)
    }
}

/// What a verdict rests on.
#[derive(Debug, Clone, Serialize)]
pub struct Quote {
    /// What it says about the rule.
    pub verdict: Finding,
    /// The same as evidence about its line.
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
    /// Whether it was no sure occasion.
    #[serde(skip)]
    pub waiting: bool,
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
    /// The line that is about much the same, if there is one.
    pub near: Option<usize>,
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
    /// Lasting instructions in messages that came through the interface for programs: nobody knows whose they are.
    pub headless: u64,
}

/// The answer for programs. The names of the fields are relied upon.
#[derive(Debug, Serialize)]
struct ForPrograms<'a> {
    file: &'a str,
    sessions: u64,
    turns: u64,
    counts: CountsForPrograms,
    rules: Vec<RuleForPrograms<'a>>,
    said: Vec<SaidForPrograms<'a>>,
    /// Lasting instructions in sessions that a program started: nobody knows whose they are.
    headless_instructions: u64,
}

/// How many rules stand how.
#[derive(Debug, Serialize)]
struct CountsForPrograms {
    rules: usize,
    contradicted: usize,
    missed: usize,
    followed: usize,
    unclear: usize,
    waiting: usize,
    not_trusted: usize,
    not_testable: usize,
}

#[derive(Debug, Serialize)]
struct RuleForPrograms<'a> {
    line: usize,
    text: Cow<'a, str>,
    testable: bool,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_trusted: Option<Cow<'a, str>>,
    followed: u64,
    missed: u64,
    contradicted: u64,
    unclear: u64,
    waiting: u64,
    reword: Option<Cow<'a, str>>,
    quotes: &'a [Quote],
}

#[derive(Debug, Serialize)]
struct SaidForPrograms<'a> {
    text: &'a str,
    session: &'a str,
    at: Timestamp,
    times: u64,
    /// The line that is about much the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<usize>,
}

impl<'a> RuleForPrograms<'a> {
    fn of(outcome: &'a RuleReport) -> Self {
        let redactor = Redactor::new();
        let TurnCounts { followed, missed, contradicted, unclear, waiting } = outcome.turns;
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
            followed,
            missed,
            contradicted,
            unclear,
            waiting,
            reword: outcome.rule.check.reword.as_deref().map(|words| redactor.text(words)),
            quotes: &outcome.quotes,
        }
    }
}

impl Report {
    /// The answer for programs: one object, with the rules in the order of the file. `file` is what it is called.
    pub fn for_programs<'a>(&'a self, file: &'a str) -> impl Serialize + 'a {
        let said = |said: &'a Said| SaidForPrograms {
            text: &said.quote,
            session: &said.session,
            at: said.ts,
            times: said.times,
            near: said.near,
        };
        ForPrograms {
            file,
            sessions: self.sessions(),
            turns: self.looked_at.turns,
            counts: CountsForPrograms {
                rules: self.rules.len(),
                contradicted: self.count(Standing::Contradicted),
                missed: self.count(Standing::Missed),
                followed: self.count(Standing::Followed),
                unclear: self.count(Standing::Unclear),
                waiting: self.count(Standing::Waiting),
                not_trusted: self.count(Standing::Doubted),
                not_testable: self.count(Standing::Untestable),
            },
            rules: self.rules.iter().map(RuleForPrograms::of).collect(),
            said: self.said.iter().map(said).collect(),
            headless_instructions: self.looked_at.headless,
        }
    }

    /// How many rules stand how.
    pub fn count(&self, standing: Standing) -> usize {
        self.rules.iter().filter(|outcome| outcome.standing() == standing).count()
    }

    /// The rules that are followed or missed, worst first.
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
