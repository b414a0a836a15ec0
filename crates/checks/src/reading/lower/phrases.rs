//! Words that are not said: "never say \"x\"", "no `y` in commit messages".

use serde_json::{Value, json};

use crate::text::pattern;

use super::super::norm::Marked;
use super::super::words::words;
use super::{Lowered, Lowering, Numbered, list, numbers_of};

pattern!(
    IN_COMMITS,
    r"^(.+?) (?:in|from|to) (?:any |the |your |git )*commits?(?: messages?| titles?| subjects?)?$"
);

/// Shorter phrases stand in any text.
const SHORTEST_PHRASE: usize = 4;

impl Lowering<'_> {
    /// What the agent does not say, or what no commit message holds.
    pub(super) fn forbidden_phrase(&self) -> Option<Lowered> {
        let norm = self.norm;
        if !norm.when.is_empty() || !norm.within.is_empty() {
            return None;
        }
        let acts = words().acts(&norm.act);
        let is = |wanted: &str| acts.iter().any(|kind| kind == wanted);
        if let Some(head) = IN_COMMITS.captures(&norm.about).and_then(|found| found.get(1)) {
            let writes = norm.act.is_empty() || is("use") || is("write") || is("say");
            let found = self.phrases(head.as_str()).filter(|_| writes)?;
            let forbid: Vec<Value> = found
                .iter()
                .map(|(_, term)| json!({ "committed": { "message": phrase(&term.text) } }))
                .collect();
            return Some(lowered(&found, &forbid, "is in no commit message"));
        }
        let found = self.phrases(&norm.about).filter(|_| is("say"))?;
        let quoted = found.iter().all(|(_, term)| term.marked == Marked::Quotes);
        let forbid: Vec<Value> = found
            .iter()
            .map(|(_, term)| json!({ "said": { "by": "agent", "text": phrase(&term.text) } }))
            .collect();
        quoted.then(|| lowered(&found, &forbid, "is not said"))
    }

    /// The phrases of a piece, when it holds nothing else.
    fn phrases(&self, masked: &str) -> Option<Vec<Numbered<'_>>> {
        let found = self.terms(masked);
        let long = found.iter().all(|(_, term)| term.text.len() >= SHORTEST_PHRASE);
        (!found.is_empty() && long && self.is_plain(masked)).then_some(found)
    }
}

fn lowered(found: &[Numbered<'_>], forbid: &[Value], why: &str) -> Lowered {
    Lowered {
        kind: "forbidden-phrase",
        check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{} {why}", list(found)) }),
        used: numbers_of(found),
    }
}

/// A phrase wherever it stands, as words of its own.
fn phrase(text: &str) -> String {
    let text = text.trim_end_matches(['!', '.', ',', ':']);
    let edge = |c: Option<char>| if c.is_some_and(char::is_alphanumeric) { r"\b" } else { "" };
    format!("(?i){}{}{}", edge(text.chars().next()), regex::escape(text), edge(text.chars().last()))
}
