//! "Answer in German", "comments must be in English": the language that people write in.

use serde_json::{Value, json};

use crate::text::pattern;

use super::super::words::{Tongue, words};
use super::{Lowered, Lowering};

pattern!(ANSWERS, r"\b(?:answers?|respond|responses?|reply|replies|speak|communicate|talk|chat)\b");
pattern!(COMMENTS, r"\b(?:comments?|docstrings?)\b");
pattern!(IN, r"\b(?:in|as|always) ([a-z]+)(?: only| always| language)?$");

/// Small words that a text has to hold before it counts as written in their language; in English, which everybody mixes into theirs,
/// more.
const LEAST_WORDS: usize = 3;
const LEAST_ENGLISH_WORDS: usize = 5;

impl Lowering<'_> {
    pub(super) fn tongue(&self) -> Option<Lowered> {
        let norm = self.norm;
        let said = format!("{} {}", norm.act, norm.about);
        let name = IN.captures(said.trim())?.get(1)?.as_str().to_owned();
        let all = &words().tongues;
        let tongue = all.iter().find(|tongue| tongue.called.contains(&name))?;
        if !norm.when.is_empty() || !norm.unless.is_empty() || !self.terms(&said).is_empty() {
            return None;
        }
        let english = all.first()?;
        let foreign = if tongue.called == english.called {
            all.iter().skip(1).map(|other| other.looks(LEAST_WORDS)).collect::<Vec<_>>().join("|")
        } else {
            english.looks(LEAST_ENGLISH_WORDS)
        };
        let own = tongue.looks(LEAST_WORDS);
        let deed: Box<dyn Fn(&str) -> Value> = if COMMENTS.is_match(&said) {
            Box::new(|text| {
                let added = format!(r"(?m)(?://|#|/\*|\*|--|\x22\x22\x22)[^\n]*(?:{text})");
                json!({ "wrote": { "paths": ["@code"], "added": added } })
            })
        } else if ANSWERS.is_match(&said) {
            Box::new(|text| json!({ "said": { "by": "agent_at_end", "text": text } }))
        } else {
            return None;
        };
        Some(Lowered {
            kind: "tongue",
            check: json!({ "expect": [{ "any": [deed(&own)] }], "forbid": [deed(&foreign)],
                "why": format!("it is written in {name}") }),
            used: Vec::new(),
        })
    }
}

impl Tongue {
    /// Expression for a text in this language.
    fn looks(&self, least: usize) -> String {
        let several = format!(r"(?i)(?:\b(?:{})\b[^\n]*?){{{least}}}", self.words);
        match (self.words.is_empty(), self.letters.is_empty()) {
            (true, _) => format!("[{}]", self.letters),
            (false, true) => several,
            (false, false) => format!("{several}|[{}]", self.letters),
        }
    }
}
