//! Every edit of the broadcast, and how the lines that it touched fare since.

use serde::Serialize;
use subcortex_memory::{Edit, Journal, LineHash, Rate};

use crate::updater::{self, Trial};
use crate::{WeaveError, Workshop};

/// An edit, and what became of it. The names of the fields are relied upon by scripts.
#[derive(Debug, Clone, Serialize)]
pub struct ToldEdit {
    /// The edit.
    #[serde(flatten)]
    pub edit: Edit,
    /// Whether it was taken back.
    pub reverted: bool,
    /// Its lines that are on trial.
    pub probation: Vec<ToldTrial>,
}

/// One line on trial.
#[derive(Debug, Clone, Serialize)]
pub struct ToldTrial {
    /// The line as it is since.
    pub hash: LineHash,
    /// How it was followed before.
    pub before: Rate,
    /// How it is followed since.
    pub after: Rate,
    /// What that says, in a sentence.
    pub verdict: String,
}

/// All edits, oldest first.
pub fn history(shop: &Workshop) -> Result<Vec<ToldEdit>, WeaveError> {
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    let tally = crate::counted(shop)?.tally;
    let trials = updater::probation(&journal, &tally);
    let told = |edit: &Edit| ToldEdit {
        edit: edit.clone(),
        reverted: journal.is_reverted(&edit.id),
        probation: trials.iter().filter(|trial| trial.edit_id == edit.id).map(told_trial).collect(),
    };
    Ok(journal.edits.iter().map(told).collect())
}

fn told_trial(trial: &Trial) -> ToldTrial {
    let (before, after) = (trial.before, trial.after);
    ToldTrial { hash: trial.hash.clone(), before, after, verdict: trial.in_words() }
}
