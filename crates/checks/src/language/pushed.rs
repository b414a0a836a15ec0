//! Pushes.

use serde::{Deserialize, Serialize};

use crate::facts::ActKind;
use crate::judge::{Field, Need, Trace};
use crate::text;

use super::matcher::{Expression, Name, Shared};
use super::sight::{Hit, QUOTE_CHARS, Scene, Sight, avoids, fits, is_named};

/// A branch was pushed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pushed {
    /// Expression for the whole branch name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Name>,
    /// Expression that the branch name must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_branch: Option<Name>,
    /// Expression on the command's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<Expression>,
    /// Expression that the command's text must not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub without: Option<Expression>,
}

impl Sight for Pushed {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (at, act) in scene.acts() {
            let ActKind::Pushed(push) = &act.kind else { continue };
            if is_named(self.branch.as_ref(), self.not_branch.as_ref(), push.branch.as_deref())
                && fits(self.with.as_ref(), &push.text)
                && avoids(self.without.as_ref(), &push.text)
            {
                hits.push(Hit {
                    event: act.event,
                    at,
                    quote: text::excerpt(&push.text, QUOTE_CHARS).to_owned(),
                });
            }
        }
        hits
    }

    fn need(&self) -> Need {
        Need::All(vec![Need::any_of(Trace::Pushed), Need::expression(Field::Command, self.with.as_ref())])
    }

    fn in_words(&self) -> String {
        "a push".into()
    }

    fn problem(&self) -> Option<String> {
        None
    }

    fn share(&self, shared: &mut Shared) {
        self.branch.iter().chain(&self.not_branch).for_each(|name| name.share(shared));
        self.with.iter().chain(&self.without).for_each(|text| text.share(shared));
    }
}
