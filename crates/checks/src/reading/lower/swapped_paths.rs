//! "Edit `a`, not `b`", "collections: `_teaching/` (not `_teachings/`)": one file or folder in place of another.

use serde_json::{Value, json};

use super::super::norm::{Marked, TermKind};
use super::super::words::words;
use super::{Lowered, Lowering, Numbered, are, either, list, numbers_of};

impl Lowering<'_> {
    pub(super) fn swapped_path(&self) -> Option<Lowered> {
        let norm = self.norm;
        let instead = norm.instead_of.as_deref()?;
        let (rather, not) = (self.whole_paths(&norm.about)?, self.whole_paths(instead)?);
        let edits = words().is_act(&norm.act, "edit");
        let puts = norm.act.is_empty() || words().is_act(&norm.act, "place");
        let both =
            rather.iter().any(|(_, term)| not.iter().any(|(_, other)| term.text.starts_with(&other.text)));
        if !(edits || puts) || both || !norm.when.is_empty() {
            return None;
        }
        let paths =
            |found: &[Numbered<'_>]| found.iter().map(|(_, term)| term.text.clone()).collect::<Vec<_>>();
        let mut forbid: Value = json!({ "wrote": { "paths": paths(&not) } });
        if !edits {
            // What lies there already may be changed.
            forbid["wrote"]["new"] = json!(true);
        }
        Some(Lowered {
            kind: "swapped-path",
            check: json!({ "expect": [{ "any": [{ "wrote": { "paths": paths(&rather) } }] }], "forbid": [forbid],
                "mixed": "missed",
                "why": format!("{} {} changed, not {}", either(&rather), are(1), list(&not)) }),
            used: [numbers_of(&rather), numbers_of(&not)].concat(),
        })
    }

    /// The paths of a piece that names nothing else.
    fn whole_paths(&self, masked: &str) -> Option<Vec<Numbered<'_>>> {
        let found = self.of_kind(masked, &[TermKind::Path]);
        let marked = found.iter().all(|(_, term)| term.marked == Marked::Backticks);
        let made_up = found.iter().any(|(_, term)| super::stands_for_others(&term.text));
        let all =
            !found.is_empty() && !made_up && found.len() == self.terms(masked).len() && self.is_plain(masked);
        (all && marked).then_some(found)
    }
}
