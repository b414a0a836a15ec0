//! Trust: whether what a check says may count. Before its verdicts do, it is tried on turns of its project.
//!
//! A check that finds its line everywhere, although the line names an occasion, or that only ever finds that something was not done, has
//! not understood the line. It is shown as *not trusted*, with the reason, and says nothing. What a person says about a line counts all the same.

use serde::{Deserialize, Serialize};

use crate::judge::{Bearing, Board, Past, judge_next};
use crate::language::{Check, Condition};

/// How many turns must have been seen before a check can be called too wide.
const LEAST_TURNS: u64 = 20;
/// In which share of the turns a check speaks at most where nothing stands that the line names, in percent.
const MOST_TURNS_PERCENT: u64 = 60;
/// The shortest word by which a quote is known to name something of the line, in bytes.
const LEAST_STEM_BYTES: usize = 3;
/// From how many misses on, with hardly a time that it was followed, a check is doubted.
const LEAST_MISSES: u64 = 8;
/// So many misses for each time that it was followed are hardly any.
const MISSES_FOR_EACH_FOLLOWED: u64 = 10;
/// In which share of the turns it then finds a miss, in percent.
const MISSES_PERCENT: u64 = 15;

/// What a check said in the turns that it was tried on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tried {
    /// Turns.
    pub turns: u64,
    /// Those in which it found that the line was followed.
    pub followed: u64,
    /// Those in which it found that it was not.
    pub missed: u64,
    /// Of both, those in which nothing stands that the line names.
    pub unnamed: u64,
}

/// Whether the verdicts of a check count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// They do.
    Trusted,
    /// They do not.
    Doubted {
        /// Why, with the counts of the trial.
        why: String,
        /// The same without them: it stays the same as the trial goes on.
        in_short: &'static str,
    },
}

impl Tried {
    /// Adds what a check said about a turn, and in which words it stands there.
    pub fn add(&mut self, check: &Check, said: Bearing, quote: &str) {
        match said {
            Bearing::Strengthening => self.followed += 1,
            Bearing::Weakening => self.missed += 1,
            Bearing::Neutral => return,
        }
        self.unnamed += u64::from(!names_something(check, quote));
    }

    /// Adds what was seen elsewhere.
    pub fn join(&mut self, other: &Self) {
        self.turns += other.turns;
        self.followed += other.followed;
        self.missed += other.missed;
        self.unnamed += other.unnamed;
    }

    /// Whether a check that said this may be trusted.
    pub fn trust(&self, check: &Check) -> Trust {
        let Self { turns, followed, missed, unnamed } = *self;
        let has_named_occasion = has_common_occasion(check) || is_of_landing(check);
        if turns >= LEAST_TURNS && !has_named_occasion && unnamed * 100 > turns * MOST_TURNS_PERCENT {
            return Trust::Doubted {
                why: format!(
                    "it speaks in {unnamed} of {turns} turns where nothing stands that the line names; name the occasion, or correct its check"
                ),
                in_short: "it speaks in most turns, where nothing stands that the line names; name the occasion, or correct its check",
            };
        }
        // What was not done is easily not seen; what was done against the line is there to be read.
        let could_be_followed =
            !check.expect.is_empty() && check.forbid.is_empty() && !is_unmistakable(check);
        if could_be_followed
            && followed * MISSES_FOR_EACH_FOLLOWED <= missed
            && missed >= LEAST_MISSES
            && missed * 100 > turns * MISSES_PERCENT
        {
            let hardly = match followed {
                0 => "never".to_owned(),
                1 => "only once".to_owned(),
                more => format!("only {more} times"),
            };
            return Trust::Doubted {
                why: format!(
                    "it found {missed} misses in {turns} turns and {hardly} that the line was followed; say how following it looks, or correct its check"
                ),
                in_short: "it finds misses, and hardly ever that the line was followed; say how following it looks, or correct its check",
            };
        }
        Trust::Trusted
    }

    /// How sure its verdicts are, between 0 and 1: by how often it was tried, and whether it has said both.
    pub fn confidence(&self) -> f64 {
        const SEEN_OFTEN: f64 = 20.0;
        let seen = (self.turns as f64 / SEEN_OFTEN).min(1.0);
        let said = if self.followed > 0 && self.missed > 0 { 1.0 } else { 0.8 };
        0.5 + 0.5 * seen * said
    }
}

impl Trust {
    /// Whether the verdicts count.
    pub fn is_trusted(&self) -> bool {
        *self == Self::Trusted
    }

    /// Why they do not.
    pub fn doubt(&self) -> Option<&str> {
        match self {
            Self::Trusted => None,
            Self::Doubted { why, .. } => Some(why),
        }
    }

    /// The same without the counts of the trial.
    pub fn doubt_in_short(&self) -> Option<&'static str> {
        match self {
            Self::Trusted => None,
            Self::Doubted { in_short, .. } => Some(in_short),
        }
    }
}

/// Whether a quote names something that the line does.
pub fn names_something(check: &Check, quote: &str) -> bool {
    let quote = quote.to_lowercase();
    let is_there = |text: &String| text.len() >= LEAST_STEM_BYTES && quote.contains(&text.to_lowercase());
    let cues = &check.cues;
    cues.stems.iter().chain(&cues.code).chain(&cues.against).any(is_there)
}

/// Whether a check looks at commits, pushes and branches alone: their messages and names need not hold a word of the line.
fn is_of_landing(check: &Check) -> bool {
    let wanted = check.expect.iter().flat_map(|expect| &expect.any);
    let mut all = check.forbid.iter().chain(wanted).peekable();
    let lands = |condition: &Condition| {
        matches!(condition, Condition::Committed(_) | Condition::Pushed(_) | Condition::Branched(_))
    };
    all.peek().is_some() && all.all(lands)
}

/// Whether following the line can be seen in one way alone: a document that is opened, a skill or tool that is called. Other commands may do
/// the work of a command, and other code that of a name; a document has no other form, so that it was not opened is sure.
fn is_unmistakable(check: &Check) -> bool {
    let mut deeds = check.expect.iter().flat_map(|expect| &expect.any);
    deeds.all(|deed| matches!(deed, Condition::Read(_) | Condition::Used(_)))
}

/// Whether a check's occasion is one that most turns have: a change of files, whatever is in it.
fn has_common_occasion(check: &Check) -> bool {
    check.trigger.iter().any(|occasion| {
        matches!(occasion, Condition::Wrote(wrote) if wrote.added.is_none() && wrote.removed.is_none() && !wrote.new)
    })
}

/// Tries the checks of a board on turns, each behind the one before it in its session: by line, what each said.
pub fn try_on<'t>(
    board: &Board,
    turns: impl Iterator<Item = &'t subcortex_model::Turn>,
) -> std::collections::BTreeMap<usize, Tried> {
    let mut tried: std::collections::BTreeMap<usize, Tried> =
        board.lines().iter().map(|(line, _)| (*line, Tried::default())).collect();
    let checks: std::collections::BTreeMap<usize, &Check> =
        board.lines().iter().map(|(line, ready)| (*line, ready.check())).collect();
    let mut before: Option<&subcortex_model::Turn> = None;
    let mut past = Past::start();
    for turn in turns {
        if before.is_some_and(|before| before.session_key != turn.session_key) {
            (before, past) = (None, Past::start());
        }
        // What a person says about a line is no word of its check.
        let verdicts = judge_next(turn, before, &mut past, board);
        for (line, tried) in &mut tried {
            let said = verdicts.iter().find(|verdict| verdict.line == *line && verdict.stance.is_none());
            tried.turns += 1;
            if let (Some(said), Some(check)) = (said, checks.get(line)) {
                tried.add(check, said.trajectory, &said.quote);
            }
        }
        before = Some(turn);
    }
    tried
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;

    #[track_caller]
    fn check(turns: u64, followed: u64, missed: u64, unnamed: u64, trusted: bool) {
        let check = compile("- Before every commit, run `make lint`.", &[]);
        let trust = Tried { turns, followed, missed, unnamed }.trust(&check);
        assert_eq!(trust.is_trusted(), trusted, "{turns} {followed} {missed}: {trust:?}");
    }

    #[test]
    fn a_check_that_speaks_in_most_turns_or_finds_only_misses_is_not_trusted() {
        check(0, 0, 0, 0, true);
        check(10, 9, 1, 9, true);
        check(100, 30, 4, 34, true);
        check(300, 243, 0, 243, false);
        check(300, 243, 0, 3, true);
        check(40, 0, 9, 0, false);
        check(40, 1, 9, 0, true);
        check(40, 1, 16, 0, false);
        check(1_000, 0, 9, 0, true);
    }

    #[test]
    fn a_document_that_nobody_opens_is_ignored_and_its_check_is_right() {
        let check = compile("- Before changing code, read `docs/style.md`.", &[]);
        assert!(check.testable, "{}", check.why);
        assert!(Tried { turns: 80, followed: 0, missed: 16, unnamed: 14 }.trust(&check).is_trusted());
    }

    #[test]
    fn commits_need_no_word_of_a_line_about_commits() {
        let check = compile("- Use the Conventional Commits format.", &[]);
        assert!(Tried { turns: 24, followed: 15, missed: 2, unnamed: 17 }.trust(&check).is_trusted());
    }
}
