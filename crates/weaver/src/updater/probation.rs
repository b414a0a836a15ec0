//! Every edit is an experiment: how a line that was rewritten or moved fares since, held against how it fared before.

use subcortex_checks::{Unmet, compile};
use subcortex_memory::{Change, ChangeKind, Edit, Journal, LineHash, Rate};

use crate::Tally;

/// How many occasions a line needs after the edit before anything is said.
pub(crate) const MIN_OCCASIONS_AFTER: u64 = 10;
/// After so many occasions without a clear loss the trial is over: looking for ever finds a loss by chance.
pub(crate) const MAX_OCCASIONS_AFTER: u64 = 100;
/// The 97.5 % quantile of the normal distribution, for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// What a trial says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Too few occasions so far.
    TooFew,
    /// No clear difference.
    Holds,
    /// Clearly worse than before.
    Worse,
    /// Clearly better than before.
    Better,
}

/// One line on trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The edit.
    pub edit_id: String,
    /// The line as it is since.
    pub hash: LineHash,
    /// How it was followed before; for a line that was contradicted, how often it was not.
    pub before: Rate,
    /// How it is followed since.
    pub after: Rate,
    /// The interval (95 %) for the share after less the share before.
    pub difference: (f64, f64),
    /// What that says.
    pub verdict: Verdict,
}

impl Trial {
    /// How it goes, in a sentence.
    pub fn in_words(&self) -> String {
        let rate = |rate: Rate| format!("{} of {}", rate.followed, rate.occasions());
        let (before, after) = (rate(self.before), rate(self.after));
        format!("on probation: followed {before} before, {after} since: {}", self.verdict.as_str())
    }
}

impl Verdict {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooFew => "not enough data yet",
            Self::Holds => "no clear difference",
            Self::Worse => "clearly worse",
            Self::Better => "clearly better",
        }
    }
}

/// All lines on trial: rewritten or moved by an edit that was not taken back, and not touched since.
pub fn probation(journal: &Journal, tally: &Tally) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (at, edit) in journal.edits.iter().enumerate() {
        let later = journal.edits.get(at + 1..).unwrap_or(&[]);
        if edit.reverts.is_some() || journal.is_reverted(&edit.id) {
            continue;
        }
        let open = edit.changes.iter().filter(|change| !touched(later, change));
        trials.extend(open.filter_map(|change| trial(edit, change, tally)));
    }
    trials
}

fn touched(later: &[Edit], change: &Change) -> bool {
    later
        .iter()
        .flat_map(|edit| &edit.changes)
        .any(|other| other.hash_before.is_some() && other.hash_before == change.hash_after)
}

fn trial(edit: &Edit, change: &Change, tally: &Tally) -> Option<Trial> {
    let hash = change.hash_after.clone()?;
    let before = baseline(change)?;
    let now = tally.lines.get(&hash).map(crate::LineTally::rate).unwrap_or_default();
    let after = match change.kind {
        ChangeKind::Rewrite => now,
        // The same line before and after: what counts is what came since.
        ChangeKind::Move => Rate {
            followed: now.followed.saturating_sub(before.followed),
            missed: now.missed.saturating_sub(before.missed),
        },
        ChangeKind::Add | ChangeKind::Remove => return None,
    };
    let difference = difference(before, after);
    let verdict = match difference {
        _ if after.occasions() < MIN_OCCASIONS_AFTER => Verdict::TooFew,
        _ if after.occasions() > MAX_OCCASIONS_AFTER => Verdict::Holds,
        (_, high) if high < 0.0 => Verdict::Worse,
        (low, _) if low > 0.0 => Verdict::Better,
        _ => Verdict::Holds,
    };
    Some(Trial { edit_id: edit.id.clone(), hash, before, after, difference, verdict })
}

/// What the line as it is since is held against; `None` when nobody could see that it is followed.
fn baseline(change: &Change) -> Option<Rate> {
    let before = change.rate_before?;
    if change.kind != ChangeKind::Rewrite {
        return Some(before);
    }
    let check = compile(change.after.as_deref().unwrap_or_default(), &[]);
    if check.expect.is_empty() && !check.forbid.is_empty() && check.unmet == Unmet::Open {
        return None; // a ban that only its breaches tell of: its share is none, however well it is kept
    }
    // A line is rewritten because a person contradicts it: who followed the old one broke the new one.
    Some(Rate { followed: before.missed, missed: before.followed })
}

/// The interval for the difference of two shares (Newcombe's, from two Wilson intervals).
pub(super) fn difference(before: Rate, after: Rate) -> (f64, f64) {
    let (share_before, low_before, high_before) = wilson(before);
    let (share_after, low_after, high_after) = wilson(after);
    let change = share_after - share_before;
    let down = ((share_after - low_after).powi(2) + (high_before - share_before).powi(2)).sqrt();
    let up = ((high_after - share_after).powi(2) + (share_before - low_before).powi(2)).sqrt();
    (change - down, change + up)
}

/// A share with its Wilson interval; without occasions nothing is known.
#[allow(clippy::cast_precision_loss, reason = "counts of turns are far below 2^52")]
fn wilson(rate: Rate) -> (f64, f64, f64) {
    if rate.occasions() == 0 {
        return (0.5, 0.0, 1.0);
    }
    let count = rate.occasions() as f64;
    let share = rate.followed as f64 / count;
    let scale = 1.0 + Z * Z / count;
    let centre = (share + Z * Z / (2.0 * count)) / scale;
    let half = Z / scale * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    (share, (centre - half).max(0.0), (centre + half).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_newcombes() {
        // Newcombe 1998, table II, method 10: 56/70 against 48/80 gives 0.0524 to 0.3339.
        let (low, high) = difference(Rate { followed: 48, missed: 32 }, Rate { followed: 56, missed: 14 });
        assert!((low - 0.0524).abs() < 5e-5 && (high - 0.3339).abs() < 5e-5, "{low} {high}");
        // 9/10 against 3/10: 0.1705 to 0.8090.
        let (low, high) = difference(Rate { followed: 3, missed: 7 }, Rate { followed: 9, missed: 1 });
        assert!((low - 0.1705).abs() < 5e-5 && (high - 0.8090).abs() < 5e-5, "{low} {high}");
    }

    #[test]
    fn nothing_before_says_nothing() {
        let (low, high) = difference(Rate::default(), Rate { followed: 0, missed: 40 });
        assert!(low < 0.0 && high >= 0.0, "{low} {high}");
    }
}
