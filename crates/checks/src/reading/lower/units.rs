//! "Every controller must have `x`": each new one is looked at by itself.

use serde_json::{Value, json};

use crate::text::pattern;

use super::super::bag;
use super::super::looks;
use super::super::norm::TermKind;
use super::super::words::{Unit, words};
use super::{Lowered, Lowering, list, numbers_of};

pattern!(
    SUBJECT,
    r"^(?:(?:all|every|each|any|new|your|our|the) )*([a-z][a-z -]{1,30}?) (?:must|should|need to|needs to|have to|has to|shall|are|is|have|has|always|require|requires|use|uses|get|gets|extend|implement)\b"
);

impl Lowering<'_> {
    /// What each new piece of its kind must have.
    pub(super) fn wanted_in_each(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Identifier]);
        if found.len() != 1
            || found.len() < self.terms(&norm.about).len()
            || !norm.when.is_empty()
            || !norm.urged
            || self.says_how()
        {
            return None;
        }
        let unit = self.subject()?;
        let term = looks::expression(&found.first()?.1.text);
        let named = unit.named.as_deref();
        let added = |key: &str| -> Value {
            let mut added = json!({ "unit": unit.unit, "paths": self.paths(), key: term });
            if let Some(named) = named {
                added["named"] = json!(named);
            }
            if let Some(has) = unit.has.as_deref().filter(|_| key == "lacks") {
                added["has"] = json!(has);
            }
            json!({ "added": added })
        };
        Some(Lowered {
            kind: "wanted-in-each",
            check: json!({ "expect": [{ "any": [added("has")] }], "forbid": [added("lacks")], "mixed": "missed",
                "why": format!("each new {} has {}", unit.called.first().map_or("one", String::as_str), list(&found)) }),
            used: numbers_of(&found),
        })
    }

    /// The kind of code that the norm speaks of: by its subject, or by its label.
    fn subject(&self) -> Option<&'static Unit> {
        let subject =
            SUBJECT.captures(&self.norm.about).and_then(|found| Some(found.get(1)?.as_str().to_owned()));
        let label = self.context.first().map(|label| label.to_lowercase());
        [subject, label].into_iter().flatten().find_map(|said| {
            // "repository" is a word without weight: an empty bag names nothing.
            let said = Some(bag::bag(&said, &[])).filter(|said| !said.is_empty())?;
            words().units.iter().find(|unit| unit.called.iter().any(|name| bag::bag(name, &[]) == said))
        })
    }
}
