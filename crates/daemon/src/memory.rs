//! What people decide about the memory: taken back, accepted, rejected, forgotten, and handed over by an agent.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use subcortex_home::Home;
use subcortex_memory::LineHash;
use subcortex_runs::forget_names;
use subcortex_store::{Disk, durable};
use subcortex_weaver::updater::{self, ByHand, DecisionError, Forgetting, Handover, Remembered};
use subcortex_weaver::{WeaveError, Workshop, map_again};

use crate::control::Answer;

/// What a person decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// An edit is taken back.
    Revert {
        /// Which one.
        edit: String,
        /// Only this change of it, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<usize>,
    },
    /// A proposal is carried out.
    Accept {
        /// Which one.
        proposal: String,
        /// The words that it gets instead of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        words: Option<String>,
    },
    /// A proposal is dropped, and does not come back.
    Reject {
        /// Which one.
        proposal: String,
    },
    /// Everything that came from one event or session goes.
    Forget {
        /// The event or the session.
        origin: String,
        /// Only say what would go.
        dry_run: bool,
    },
    /// An agent hands over a rule that a person asked for.
    Remember {
        /// The session in which they said it.
        session: String,
        /// Their words, verbatim.
        quote: String,
        /// The rule.
        rule: String,
    },
    /// A person adds a rule.
    AddRule {
        /// Its words.
        text: String,
        /// The project that it holds in; none: everywhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        project: Option<String>,
    },
    /// A person gives a rule other words.
    EditRule {
        /// Its line.
        line: LineHash,
        /// The new words.
        text: String,
    },
    /// A person takes a rule out.
    RemoveRule {
        /// Its line.
        line: LineHash,
    },
    /// All edits so far have been seen.
    Seen,
}

/// Carries out a decision. The caller makes sure that no weaver runs meanwhile.
pub(crate) fn decide(shop: &Workshop, home: &Home, decision: &Decision) -> Answer {
    let decided = match decision {
        Decision::Revert { edit, change } => {
            updater::revert_part(shop, edit, *change).map(|edit| json!({ "edit": edit }))
        }
        Decision::AddRule { text, project } => {
            by_hand(shop, ByHand::Add { text, project: project.as_deref() })
        }
        Decision::EditRule { line, text } => by_hand(shop, ByHand::Rewrite { line, text }),
        Decision::RemoveRule { line } => by_hand(shop, ByHand::Remove { line }),
        Decision::Accept { proposal, words } => {
            updater::accept_worded(shop, proposal, words.as_deref()).map(|edit| json!({ "edit": edit }))
        }
        Decision::Reject { proposal } => {
            updater::reject(shop, proposal).map(|()| json!({ "rejected": proposal }))
        }
        Decision::Forget { origin, dry_run } => {
            forget(shop, home, origin, *dry_run).map_err(DecisionError::from)
        }
        Decision::Remember { session, quote, rule } => {
            updater::remember(shop, Handover { session, quote, rule }).map(remembered)
        }
        Decision::Seen => updater::mark_seen(shop).map(|()| Value::Null).map_err(DecisionError::from),
    };
    let changes = !matches!(decision, Decision::Seen | Decision::Forget { dry_run: true, .. });
    let mapped = match decided {
        Ok(value) if changes => map_again(shop, &|| false).map(|_| value).map_err(DecisionError::from),
        other => other,
    };
    match mapped {
        Ok(value) => Answer::Decided { value },
        Err(DecisionError::Weave(error)) if error.is_storage() => Answer::NotKept { why: error.to_string() },
        Err(error) => Answer::Refused { why: error.to_string() },
    }
}

fn by_hand(shop: &Workshop, wish: ByHand<'_>) -> Result<Value, DecisionError> {
    updater::write_by_hand(shop, wish).map(|edit| json!({ "edit": edit }))
}

fn remembered(became: Remembered) -> Value {
    match became {
        Remembered::Entered(edit) => json!({ "became": "line", "edit": edit }),
        Remembered::Asked { proposal, why } => {
            json!({ "became": "proposal", "proposal": proposal, "waits_because": why })
        }
        Remembered::Known { line } => json!({ "became": "known", "line": line }),
    }
}

fn forget(shop: &Workshop, home: &Home, origin: &str, dry_run: bool) -> Result<Value, WeaveError> {
    let forgetting = if dry_run { Forgetting::DryRun } else { Forgetting::ForReal };
    let forgot = updater::forget(shop, origin, forgetting)?;
    let names: Vec<_> = forgot.dossiers.iter().filter_map(|dossier| forgotten_name(dossier)).collect();
    if !dry_run {
        forget_index(&*shop.disk, &home.root().join("var/index/recall"))?;
    }
    let records = forget_names(&*shop.disk, &home.runs(), &names)
        .map_err(|error| WeaveError::Count(format!("names of dossiers are left in var/runs: {error}")))?;
    Ok(json!({
        "origin": origin,
        "dry_run": dry_run,
        "fragments": forgot.fragments,
        "lines": forgot.lines,
        "proposals": forgot.proposals,
        "dossiers": names.iter().map(|(_, now)| now).collect::<Vec<_>>(),
        "records": records,
        "edit": forgot.edit,
        "edited_meanwhile": forgot.edited_meanwhile,
        "damaged": forgot.damaged,
    }))
}

/// Removes what a search shows: an index is made anew by the next one, without what was forgotten. The manifest goes first, so that a half
/// removed one is none.
fn forget_index(disk: &dyn Disk, dir: &Path) -> Result<(), WeaveError> {
    let names = match disk.list(dir) {
        Ok(names) => names,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(WeaveError::Count(format!("{} cannot be read: {error}", dir.display()))),
    };
    let is_kept = |name: &str| name.starts_with('.');
    let files =
        names.iter().filter_map(|name| name.to_str()).filter(|name| !is_kept(name) && *name != MANIFEST);
    for name in [MANIFEST].into_iter().chain(files) {
        durable::remove(disk, &dir.join(name))?;
    }
    Ok(())
}

/// What says which files an index of `recall` has.
const MANIFEST: &str = "manifest.json";

/// The name of a dossier, which is made of words and a hash, and what stands for it in the records of runs: the hash alone.
fn forgotten_name(reference: &str) -> Option<(String, String)> {
    let name = reference.rsplit('/').next()?.strip_suffix(".md")?;
    let (words, hash) = name.rsplit_once('-').unwrap_or((name, ""));
    (words != "rule").then(|| (name.to_owned(), format!("forgotten-{hash}").trim_end_matches('-').to_owned()))
}
