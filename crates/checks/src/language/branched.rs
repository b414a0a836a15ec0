//! Branches that were created.

use serde::{Deserialize, Serialize};

use crate::facts::{ActKind, Branched};
use crate::judge::{Need, Trace};
use crate::text;

use super::matcher::{Name, Shared};
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight, is_named};

/// A branch that was created.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BranchedAs {
    /// Expression for the whole name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// Expression that the name must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_name: Option<Name>,
    /// Expression for the branch that it starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Name>,
    /// Expression that the start must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_from: Option<Name>,
    /// Whether the start was (or was not) brought up to date first, in this turn or since the last new branch of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh: Option<bool>,
}

impl BranchedAs {
    fn holds(&self, branched: &Branched, scene: &Scene<'_>) -> bool {
        // A branch that only got another name is no new one; how it is called now may be asked.
        let names_only = self.from.is_none() && self.not_from.is_none() && self.fresh.is_none();
        if branched.renamed && !(names_only && (self.name.is_some() || self.not_name.is_some())) {
            return false;
        }
        let from = branched.from.as_deref();
        let start = from.map(|start| start.trim_start_matches("origin/").trim_start_matches("upstream/"));
        let remote = from.is_some_and(|start| start.contains("origin/") || start.contains("upstream/"));
        let pulled = || scene.past.is_fresh(scene.skipped).then_some(true);
        let fresh = if remote { Some(true) } else { branched.fresh.or_else(pulled) };
        is_named(self.name.as_ref(), self.not_name.as_ref(), Some(&branched.name))
            && is_named(self.from.as_ref(), self.not_from.as_ref(), start)
            && self.fresh.is_none_or(|wanted| Some(wanted) == fresh)
    }
}

impl Sight for BranchedAs {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (at, act) in scene.acts() {
            let ActKind::Branched(branched) = &act.kind else { continue };
            if !act.failed && self.holds(branched, scene) {
                let quote = text::excerpt(&branched.text, QUOTE_CHARS).to_owned();
                hits.push(Hit { event: act.event, at, quote });
            }
        }
        hits
    }

    fn need(&self) -> Need {
        Need::any_of(Trace::Branched)
    }

    fn in_words(&self) -> String {
        let starts = self.from.is_some() || self.fresh == Some(true);
        let words = if starts { "a start from the right branch" } else { "a new branch" };
        words.into()
    }

    fn problem(&self) -> Option<String> {
        None
    }

    /// What is cut from is fresh if the session pulled before.
    fn looks_back(&self) -> bool {
        self.fresh.is_some()
    }

    fn share(&self, shared: &mut Shared) {
        let names = self.name.iter().chain(&self.not_name).chain(&self.from).chain(&self.not_from);
        names.for_each(|name| name.share(shared));
    }
}
