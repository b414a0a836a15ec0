//! "Ask before running `x`", "confirm before you touch `y`": what is not done before a person was asked.

use serde_json::json;

use super::super::bag;
use super::super::grammar;
use super::super::norm::{Norm, Polarity, Relation};
use super::{Lowered, Lowering};

impl Lowering<'_> {
    /// What the condition names, forbidden unless a person spoke of it or was asked.
    pub(super) fn ask_first(&self) -> Option<Lowered> {
        let [when] = self.norm.when.as_slice() else { return None };
        if when.relation != Relation::Before {
            return None;
        }
        let (act, about) = grammar::act_of(&when.words);
        let norm = Norm {
            polarity: Polarity::MustNot,
            act,
            about,
            instead_of: None,
            when: Vec::new(),
            ..self.norm.clone()
        };
        let deed = Lowering { norm: &norm, ..*self };
        let mut lowered = deed.forbidden_command().or_else(|| deed.forbidden_path())?;
        let said = super::super::rulebook::unless_asked(&bag::of_norm(&norm, &self.sentences.terms));
        lowered.check["unless"] = json!([{ "used": { "tool": "AskUserQuestion" } }, said]);
        let why = lowered.check["why"].as_str().unwrap_or_default();
        lowered.check["why"] = json!(format!("{why} before a person was asked"));
        lowered.kind = "ask-first";
        Some(lowered)
    }
}
