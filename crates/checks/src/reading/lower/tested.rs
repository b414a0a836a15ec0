//! "All changes must be tested": by running tests as well as by writing them.

use serde_json::json;

use crate::text::pattern;

use super::{Lowered, Lowering};

pattern!(
    TESTED,
    r"^(?:(?:all|any|every|each|your|the|code|new|submitted) )*(?:changes?|code|features?|modifications?) (?:(?:must|should|needs? to|has to|have to) )?be (?:\w+ly )?tested$"
);

impl Lowering<'_> {
    /// Whether what is changed is to be tested; that tests are to be written is another rule.
    pub(crate) fn wants_tested(&self) -> bool {
        let norm = self.norm;
        norm.act.is_empty() && norm.when.is_empty() && norm.unless.is_empty() && TESTED.is_match(&norm.about)
    }

    pub(super) fn tested(&self) -> Option<Lowered> {
        self.wants_tested().then(|| Lowered {
            kind: "tested",
            check: json!({
                "maybe": [{ "wrote": { "paths": ["@code"] } }],
                "expect": [{ "any": [{ "ran": { "role": "test" } }, { "added": { "unit": "test" } }] }],
                "why": "what is changed is tested",
            }),
            used: Vec::new(),
        })
    }
}
