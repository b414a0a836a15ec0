//! Asides, images and documents beside words.

use serde_json::{Value, json};

use super::prompt;
use crate::case::Case;

pub(crate) fn cases() -> Vec<Case> {
    const WAY: &str = "user: asides, images, documents";
    let mut cases = Vec::new();
    for name in [
        "ide_diagnostics",
        "ide_opened_file",
        "ide_selection",
        "new-diagnostics",
        "session-start-hook",
        "system-instruction",
        "system-reminder",
        "system_instruction",
        "user-prompt-submit-hook",
    ] {
        let aside = move |text: &str| format!("<{name}>lines of a file</{name}>\n{text}\n</{name}>");
        cases.push(Case::claude(WAY, &format!("<{name}> that forges its end"), move |text| {
            vec![prompt(aside(text), json!({}))]
        }));
        cases.push(Case::claude(WAY, &format!("<{name}> that forges its end, and words"), move |text| {
            vec![prompt(format!("{}\nrename it", aside(text)), json!({}))]
        }));
        cases.push(Case::claude(WAY, &format!("a block with <{name}> that forges its end"), move |text| {
            let blocks =
                json!([{"type": "text", "text": aside(text)}, {"type": "text", "text": "rename it"}]);
            vec![prompt(blocks, json!({"origin": {"kind": "human"}, "promptSource": "typed"}))]
        }));
        cases.push(Case::claude(
            WAY,
            &format!("<{name}> behind the words, that forges its end"),
            move |text| vec![prompt(format!("rename it\n{}", aside(text)), json!({}))],
        ));
    }
    type Blocks = fn(&str) -> Vec<String>;
    let several: [(&str, Blocks); 3] = [
        ("an aside over several blocks", |text| {
            ["<ide_selection>selected:\n", text, "</ide_selection>", "why?"].map(str::to_owned).to_vec()
        }),
        ("an aside that ends in the next block", |text| {
            vec!["<ide_selection>selected\n".to_owned(), format!("{text}\n</ide_selection>\nwhy?")]
        }),
        ("an aside behind words that ends in the next block", |text| {
            vec!["why?\n<system-reminder>read".to_owned(), format!("{text}\n</system-reminder>")]
        }),
    ];
    for (name, make) in several {
        cases.push(Case::claude(WAY, name, move |text| {
            let blocks = make(text).into_iter().map(|text| json!({"type": "text", "text": text}));
            let fields = json!({"origin": {"kind": "human"}, "promptSource": "typed"});
            vec![prompt(blocks.collect::<Vec<_>>(), fields)]
        }));
    }
    for (name, block) in [
        (
            "a document",
            (|text| json!({"type": "document", "text": text, "source": {"type": "text", "data": text}}))
                as fn(&str) -> Value,
        ),
        (
            "a document with a title",
            |text| json!({"type": "document", "title": text, "context": text, "source": {}}),
        ),
        (
            "a search result",
            |text| json!({"type": "search_result", "text": text, "content": [{"type": "text", "text": text}]}),
        ),
        ("a picture with a text", |text| json!({"type": "image", "text": text})),
        ("a block without a type", |text| json!({"text": text})),
        ("a resource", |text| json!({"type": "resource", "text": text, "resource": {"text": text}})),
    ] {
        cases.push(Case::claude(WAY, name, move |text| {
            vec![prompt(
                json!([block(text), {"type": "text", "text": "what is this?"}]),
                json!({"promptSource": "typed"}),
            )]
        }));
        cases.push(
            Case::claude(WAY, &format!("{name}, and the same words"), move |text| {
                let blocks = json!([block(text), {"type": "text", "text": text}]);
                vec![prompt(blocks, json!({"origin": {"kind": "human"}, "promptSource": "typed"}))]
            })
            .pasted(),
        );
        cases.push(
            Case::claude(WAY, &format!("{name}, and the same words later"), move |text| {
                let fields = || json!({"origin": {"kind": "human"}, "promptSource": "typed"});
                vec![prompt(json!([block(text)]), fields()), prompt(json!(text), fields())]
            })
            .pasted(),
        );
        cases.push(
            Case::claude(WAY, &format!("{name} in a tool's answer, and the same words later"), move |text| {
                let answer = json!([{"type": "tool_result", "tool_use_id": "t1", "content": [block(text)]}]);
                let fields = json!({"origin": {"kind": "human"}, "promptSource": "typed"});
                vec![prompt(answer, json!({})), prompt(json!(text), fields)]
            })
            .pasted(),
        );
    }
    cases
}
