//! "All builds are done via `make`": a plain statement of what does some work.

use serde_json::json;

use crate::text::pattern;

use super::super::norm::TermKind;
use super::commands::ran;
use super::{Lowered, Lowering, either, numbers_of};

pattern!(
    DONE_BY,
    r"^[a-z][a-z -]{1,40} (?:is|are|must be|should be) (?:always |only )?(?:done|run|performed|built|executed|launched|started|formatted|linted|tested) (?:only )?(?:via|with|through|using|by running) (?:the )?(§\d+§)$"
);

impl Lowering<'_> {
    /// Who runs exactly this follows the line.
    pub(super) fn done_by(&self) -> Option<Lowered> {
        let said = format!("{} {}", self.norm.act, self.norm.about);
        let found = DONE_BY.captures(said.trim())?;
        let named = self.of_kind(found.get(1)?.as_str(), &[TermKind::Command]);
        let [(_, term)] = named.as_slice() else { return None };
        Some(Lowered {
            kind: "named-command",
            check: json!({ "expect": [{ "any": [ran(&term.text)] }], "why": format!("{} is run", either(&named)) }),
            used: numbers_of(&named),
        })
    }
}
