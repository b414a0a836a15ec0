//! "Name branches `feat/…` or `fix/…`", "PR titles start with `[x]`".

use serde_json::json;

use crate::text::pattern;

use super::super::bag;
use super::super::looks;
use super::super::norm::{Polarity, TermKind};
use super::super::words::{root, words};
use super::{Lowered, Lowering, list, numbers_of};

pattern!(
    TITLES,
    r"\b(commit|pr|pull request)s? (?:titles?|messages?|subjects?|subject lines?)?\b.*\b(?:start|begin|prefix|prefixed)s?\b"
);

pattern!(LABEL, r"(?i)\bbranch(?:es)? (?:prefix|prefixes|names?|naming|format)\b");

impl Lowering<'_> {
    /// "PR titles start with `[x]`".
    pub(super) fn titles(&self) -> Option<Lowered> {
        let norm = self.norm;
        let said = format!("{} {}", norm.act, norm.about);
        let of_commits = TITLES.captures(&said)?.get(1)?.as_str() == "commit";
        let [(number, term)] = self.terms(&norm.about)[..] else { return None };
        // A form such as `type: text` is a matter of its own.
        let is_text = !term.text.contains(['<', '{', '(']) && term.kind != TermKind::Flag;
        if !is_text || !norm.unless.is_empty() {
            return None;
        }
        let prefix = regex::escape(&term.text);
        let (expect, forbid) = if of_commits {
            let begins = format!(r"\A{prefix}");
            (json!({ "committed": { "message": begins } }), json!({ "committed": { "not_message": begins } }))
        } else {
            let titled = format!(r#"(?:--title|-t)[ =]["']?{prefix}"#);
            let given =
                json!({ "command": "gh pr create", "with": r"(?:--title|-t)[ =]", "without": titled });
            (json!({ "ran": { "command": "gh pr create", "with": titled } }), json!({ "ran": given }))
        };
        // "When working on x": elsewhere it need not be so.
        let forbid = if norm.when.is_empty() { vec![forbid] } else { Vec::new() };
        Some(Lowered {
            kind: "titles",
            check: json!({ "expect": [{ "any": [expect] }], "forbid": forbid, "mixed": "missed",
                "why": format!("titles begin with `{}`", term.text) }),
            used: vec![number],
        })
    }

    /// "Branch prefix: use `x/` for agents": whatever else its words may mean.
    pub(crate) fn names_branches(&self) -> bool {
        let labelled = self.context.first().is_some_and(|label| LABEL.is_match(label));
        labelled && self.norm.polarity == Polarity::Must && self.branch_names().is_some()
    }

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
        // `username/feat/feature-name`: which of the words stand for others, and which for themselves?
        let is_unsure = |text: &str| text.matches('/').count() > 1 && !text.contains(['<', '{', '[', '*']);
        let may_be_unsure = found.iter().any(|(_, term)| is_unsure(&term.text));
        if !about_branches || !gives_names || !all || !are_names || may_be_unsure || !norm.when.is_empty() {
            return None;
        }
        // "Branches for fixes: `fix-<number>`": others are named in other ways.
        let is_for_some = format!("{around} {}", norm.about).contains(" for ");
        let forms: Vec<String> = found.iter().map(|(_, term)| looks::expression(&term.text)).collect();
        let name = format!("(?:{}).*", forms.join("|"));
        Some(Lowered {
            kind: "branch-names",
            check: json!({ "expect": [{ "any": [{ "branched": { "name": name } }] }],
                "forbid": if is_for_some { json!([]) } else { json!([{ "branched": { "not_name": name } }]) }, "mixed": "missed",
                "why": format!("branches are named {}", list(&found)) }),
            used: numbers_of(&found),
        })
    }
}
