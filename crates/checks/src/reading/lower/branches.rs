//! "Name branches `feat/…` or `fix/…`".

use serde_json::json;

use super::super::bag;
use super::super::looks;
use super::super::norm::TermKind;
use super::super::words::{root, words};
use super::{Lowered, Lowering, list, numbers_of};

impl Lowering<'_> {
    pub(super) fn branch_names(&self) -> Option<Lowered> {
        let norm = self.norm;
        let around = self.context.first().map(String::as_str).unwrap_or("");
        let said =
            bag::bag(&format!("{} {} {around}", norm.act, norm.about).to_lowercase(), &self.sentences.terms);
        let about_branches = said.iter().any(|word| *word == root("branch"));
        let gives_names = words().is_act(&norm.act, "name")
            || ["name", "naming", "prefix", "format", "pattern"]
                .iter()
                .any(|word| said.contains(&root(word)));
        let found = self.of_kind(&norm.about, &[TermKind::Path, TermKind::Template, TermKind::Identifier]);
        let all = !found.is_empty() && found.len() == self.terms(&norm.about).len();
        let are_names =
            found.iter().all(|(_, term)| term.text.contains(['/', '<', '-']) && !term.text.contains('.'));
        if !about_branches || !gives_names || !all || !are_names || !norm.when.is_empty() {
            return None;
        }
        let forms: Vec<String> = found.iter().map(|(_, term)| looks::expression(&term.text)).collect();
        let name = format!("(?:{}).*", forms.join("|"));
        Some(Lowered {
            kind: "branch-names",
            check: json!({ "expect": [{ "any": [{ "branched": { "name": name } }] }],
                "forbid": [{ "branched": { "not_name": name } }], "mixed": "missed",
                "why": format!("branches are named {}", list(&found)) }),
            used: numbers_of(&found),
        })
    }
}
