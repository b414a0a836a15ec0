//! "Always include `-x` when running tests": an option of whatever does the work of a role.

use serde_json::{Value, json};

use super::super::bag;
use super::super::norm::Term;
use super::commands::roles_of;
use super::{Lowered, Lowering, list, numbers_of};

impl Lowering<'_> {
    pub(super) fn option_of_role(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.terms(&norm.about);
        let [when] = norm.when.as_slice() else { return None };
        let are_options = !found.is_empty() && found.iter().all(|(_, term)| term.text.starts_with('-'));
        if !are_options || !self.is_plain(&norm.about) {
            return None;
        }
        let roles = roles_of(&bag::bag(&when.words, &self.sentences.terms))?;
        let with = |term: &Term| {
            let words: Vec<String> = term.text.split_whitespace().map(regex::escape).collect();
            format!(r"(?:^|\s){}(?:$|[\s=])", words.join(r"[\s=]+"))
        };
        let one = |(_, term): &(usize, &Term)| {
            let ran = roles.iter().map(|role| json!({ "ran": { "role": role, "with": with(term) } }));
            json!({ "any": ran.collect::<Vec<Value>>() })
        };
        Some(Lowered {
            kind: "wanted-option",
            check: json!({ "expect": found.iter().map(one).collect::<Vec<_>>(),
                "why": format!("commands are run with {}", list(&found)) }),
            used: numbers_of(&found),
        })
    }
}
