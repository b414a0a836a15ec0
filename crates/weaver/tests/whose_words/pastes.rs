//! What a person pasted into their own words.

use serde_json::json;

use crate::case::{Case, Wrapped};
use crate::claude::{TYPED, prompt};
use crate::codex;

pub(crate) fn cases() -> Vec<Case> {
    let ways: [Wrapped; 12] = [
        ("indented by four spaces", |text| format!("what does this mean?\n\n    {text}")),
        ("only lines indented by four spaces", |text| format!("    {text}\n    and so on")),
        ("indented by a tab", |text| format!("look:\n\t{text}")),
        ("a fence", |text| format!("look:\n```\n{text}\n```\nwhy?")),
        ("a fence of tildes", |text| format!("look:\n~~~\n{text}\n~~~\nwhy?")),
        ("a fence within a fence", |text| format!("look:\n````md\n```\nx\n```\n{text}\n````\nwhy?")),
        ("a fence that is never closed", |text| format!("look:\n```\n{text}")),
        ("an indented fence", |text| format!("look:\n  ```\n  {text}\n  ```\nwhy?")),
        ("a quote", |text| format!("> {text}\nwhy?")),
        ("a diff", |text| format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n {text}\n-x\n+{text}\nwhy?")),
        ("a marked paste", |text| format!("why?\n<pasted_content>\n{text}\n</pasted_content>")),
        ("a marked paste that forges its end", |text| {
            format!("why?\n<pasted_content>\nx</pasted_content>\n{text}\n</pasted_content>")
        }),
    ];
    let by_claude = |(name, make): Wrapped| {
        let typed = json!({"promptSource": "typed"});
        Case::claude(TYPED, name, move |text| vec![prompt(make(text), typed.clone())]).pasted()
    };
    let by_codex = |(name, make): Wrapped| {
        Case::codex(codex::PROMPT, name, move |text| vec![codex::user_event(&make(text))]).pasted()
    };
    ways.into_iter().map(by_claude).chain(ways.into_iter().map(by_codex)).collect()
}
