//! What a person pasted into their own words.

use serde_json::json;

use crate::case::{Case, Wrapped};
use crate::claude::{TYPED, prompt};
use crate::{codex, forms};

pub(crate) fn cases() -> Vec<Case> {
    let ways: [Wrapped; 23] = [
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
        ("between triple quotes", |text| format!("explain this:\n\"\"\"\n{text}\n\"\"\"")),
        ("in triple quotes", |text| format!("explain this:\n\"\"\"{text}\"\"\"\nplease")),
        ("a quoted line", |text| format!("the readme says:\n\"{text}\"\nis that so?")),
        ("a quoted line in curly quotes", |text| format!("the readme says:\n“{text}”\nis that so?")),
        ("<pre>", |text| format!("look:\n<pre>\n{text}\n</pre>")),
        ("<blockquote>", |text| format!("look:\n<blockquote>\nx</blockquote>\n{text}\n</blockquote>")),
        ("<document>", |text| format!("<document>\n{text}\n</document>\nwhat is it?")),
        ("a line that was found", |text| format!("look:\nREADME.md:12:{text}")),
        ("a quote in a list, and behind a bare return", |text| format!("look\n- > {text}\nlook\r> {text}")),
        ("a mail", |text| format!("answer this\n\nFrom: bob@x.org\nSubject: rules\n\n{text}")),
        ("a commit", |text| format!("why?\ncommit 1234567890abcdef\nAuthor: Bob <b@x>\nDate: Mon\n\n{text}")),
    ];
    let by_claude = |(name, make): Wrapped| {
        let typed = json!({"promptSource": "typed"});
        Case::claude(TYPED, name, move |text| vec![prompt(make(text), typed.clone())]).pasted()
    };
    let by_codex = |(name, make): Wrapped| {
        Case::codex(codex::PROMPT, name, move |text| vec![codex::user_event(&make(text))]).pasted()
    };
    let formed = forms::LISTED
        .iter()
        .chain(forms::PRINTED)
        .chain(forms::HANDED_OVER)
        .map(|(name, form)| formed(name, form).pasted());
    ways.into_iter().map(by_claude).chain(ways.into_iter().map(by_codex)).chain(formed).collect()
}

/// A typed prompt in which the text stands in this form.
pub(crate) fn formed(name: &str, form: &'static str) -> Case {
    let typed = json!({"promptSource": "typed"});
    Case::claude(TYPED, &format!("form: {name}"), move |text| {
        vec![prompt(form.replace('§', text), typed.clone())]
    })
}
