//! Norms about files: leave them alone, read them, update them.

use serde_json::{Value, json};

use super::super::norm::TermKind;
use super::super::words::words;
use super::{Lowered, Lowering, list, numbers_of, timed};

impl Lowering<'_> {
    pub(super) fn forbidden_path(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        let acts = words().acts(&norm.act);
        let edits = acts.iter().any(|kind| matches!(kind.as_str(), "edit" | "delete" | "write" | "place"));
        let all = !found.is_empty() && found.len() == self.terms(&norm.about).len();
        if !all || !edits || !norm.when.is_empty() || !self.is_plain(&norm.about) {
            return None;
        }
        let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
        let mut forbid = vec![json!({ "wrote": { "paths": paths, "deleted": true } })];
        if !words().is_act(&norm.act, "delete") {
            forbid.push(json!({ "wrote": { "paths": paths } }));
        }
        Some(Lowered {
            kind: "forbidden-path",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{} stays as it is", list(&found)) }),
            used: numbers_of(&found),
        })
    }

    pub(super) fn wanted_document(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        if found.is_empty() || found.len() < self.terms(&norm.about).len() {
            return None;
        }
        let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
        let is_document = paths.iter().any(|path| path.ends_with(".md") || path.ends_with(".mdx"));
        let (deed, kind, done): (Value, _, _) = if words().is_act(&norm.act, "read") && is_document {
            (json!({ "read": { "paths": paths } }), "wanted-reading", "read")
        } else if words().is_act(&norm.act, "edit") && !norm.when.is_empty() {
            (json!({ "wrote": { "paths": paths } }), "wanted-update", "updated")
        } else {
            return None;
        };
        let why = format!("{} is {done}", list(&found));
        let mut check = json!({ "expect": [{ "any": [deed], "since": "session" }], "why": why });
        let mut used = numbers_of(&found);
        used.extend(self.terms_of_conditions());
        match self.trigger() {
            Some((occasion, order)) => timed(&mut check, &occasion, order),
            // Who opens exactly this document follows the line, whatever its occasion.
            None if kind == "wanted-reading" => {}
            None => return None,
        }
        Some(Lowered { kind, check, used })
    }
}
