//! Tools, skills and slash commands.

use serde::{Deserialize, Serialize};

use crate::facts::ActKind;
use crate::judge::{Mark, Need, Trace};

use super::matcher::{Expression, Shared, Wildcard};
use super::sight::{Hit, Scene, Sight, fits};
use super::words::text_in_words;

/// A tool was used, or a slash command (`/deploy`) given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Used {
    /// Its name; `*` for any part of it.
    pub tool: Wildcard,
    /// Expression on what it was given: the texts of its input, one a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Expression>,
}

impl Used {
    /// A tool by its name alone.
    pub fn tool(name: impl Into<String>) -> Self {
        Self { tool: Wildcard::new(name), input: None }
    }
}

impl Sight for Used {
    fn find(&self, scene: &Scene<'_>) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (at, act) in scene.acts() {
            let ActKind::Used(used) = &act.kind else { continue };
            if self.tool.is_match(&used.tool) && fits(self.input.as_ref(), &used.input()) {
                hits.push(Hit { event: act.event, at, quote: used.tool.clone().into_owned() });
            }
        }
        hits
    }

    fn need(&self) -> Need {
        let name = self.tool.as_str();
        if name.contains('*') || !name.is_ascii() {
            return Need::any_of(Trace::Used);
        }
        Need::Mark(Mark::of(Trace::Tool, name))
    }

    fn in_words(&self) -> String {
        let tool = self.tool.as_str();
        match self.input.as_ref().and_then(text_in_words) {
            Some(input) => format!("the tool {tool} with {input}"),
            None => format!("the tool {tool}"),
        }
    }

    fn problem(&self) -> Option<String> {
        self.tool.as_str().trim().is_empty().then(|| "it names no tool; write `*` for any".into())
    }

    fn share(&self, shared: &mut Shared) {
        self.tool.share(shared);
        self.input.iter().for_each(|input| input.share(shared));
    }
}
