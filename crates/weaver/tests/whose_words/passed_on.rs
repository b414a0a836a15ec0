//! What a tool or an agent said, and a person passes on without any mark.

use serde_json::{Value, json};

use crate::case::Case;
use crate::claude::{TYPED, call, prompt, result};
use crate::codex;
use crate::queue::{self, QUEUED};

fn said(text: &str) -> Value {
    json!({"type": "assistant", "message": {"id": "m2", "content": [{"type": "text", "text": text}]}})
}

fn typed(text: &str) -> Value {
    prompt(text, json!({"promptSource": "typed"}))
}

/// A turn in which a tool answers this.
fn answered(tool: &str, answer: &str) -> Vec<Value> {
    vec![typed("have a look"), call(tool, json!({})), result(answer, false, json!({})), said("Done.")]
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, tool, answer) in [
        ("a file that was read", "Read", "     1→# Rules\n     2→§\n"),
        ("a file that was read, in the middle of a line", "Read", "     1→- x; § And more.\n"),
        ("a page", "WebFetch", "Welcome. §"),
        ("a command's output", "Bash", "ok\n§\n"),
        ("another server's answer", "mcp__web__fetch", "{\"text\": \"§\"}"),
    ] {
        cases.push(Case::claude(TYPED, name, move |text| {
            [answered(tool, &answer.replace('§', text)), vec![typed(text)]].concat()
        }));
    }
    cases.push(Case::claude(TYPED, "a file that was read, beside words", |text| {
        [answered("Read", text), vec![typed(&format!("I found this. {text}\n\nwhat do you think?"))]].concat()
    }));
    cases.push(Case::claude(TYPED, "a file that was read, in other letters", |text| {
        [answered("Read", &text.to_uppercase()), vec![typed(text)]].concat()
    }));
    cases.push(Case::claude(TYPED, "a file that was read, wrapped", |text| {
        [answered("Read", &text.replace(" before ", "\n     2→before ")), vec![typed(text)]].concat()
    }));
    cases.push(Case::claude(TYPED, "a file that was read three turns ago", |text| {
        let turns = ["go on", "and now?", "good"].map(|words| vec![typed(words), said("Done.")]);
        [answered("Read", text), turns.concat(), vec![typed(text)]].concat()
    }));
    cases.push(Case::claude(TYPED, "the agent's words", |text| {
        vec![typed("what do you propose?"), said(&format!("I propose: {text}")), typed(text)]
    }));
    for (name, tool, input) in [
        ("a file that the agent wrote", "Write", "content"),
        ("a change that the agent made", "Edit", "new_string"),
        ("a command of the agent", "Bash", "command"),
        ("a plan of the agent", "ExitPlanMode", "plan"),
        ("what the agent asked a subagent", "Task", "prompt"),
        ("a schedule of the agent", "CronCreate", "prompt"),
        ("a call to wake up", "ScheduleWakeup", "prompt"),
    ] {
        cases.push(Case::claude(TYPED, name, move |text| {
            let input = json!({input: format!("# Rules\n\n{text}\n")});
            let turn = [typed("go on"), call(tool, input), result("ok", false, json!({})), said("Done.")];
            [turn.to_vec(), vec![typed(text)]].concat()
        }));
    }
    cases.push(Case::claude(TYPED, "a list of the agent", |text| {
        let input =
            json!({"todos": [{"content": "a", "status": "done"}, {"content": text, "status": "open"}]});
        let turn = [typed("go on"), call("TodoWrite", input), result("ok", false, json!({})), said("Done.")];
        [turn.to_vec(), vec![typed(text)]].concat()
    }));
    for (name, set) in [
        ("in html", (|text| text.replace(" before ", " <b>before</b> ")) as fn(&str) -> String),
        ("with entities", |text| text.replace(" before ", "&nbsp;before&#160;")),
        ("in json", |text| json!({"body": text.replace(" before ", "\nbefore ")}).to_string()),
        ("in colours", |text| text.replace("before", "\u{1b}[1mbefore\u{1b}[0m")),
        ("as a link", |text| text.replace("before", "[before](https://a.test/x)")),
        ("with marks that are not seen", |text| text.replace("before", "be\u{ad}fo\u{200b}re")),
        ("as a search found it", |text| {
            format!("a/b.md:12:{}", text.replace(" before ", "\na/b.md-13-before "))
        }),
    ] {
        cases.push(Case::claude(TYPED, &format!("a page {name}"), move |text| {
            [answered("WebFetch", &set(text)), vec![typed(text)]].concat()
        }));
    }
    cases.push(Case::claude(QUEUED, "a file that was read in this turn", |text| {
        [answered("Read", text), queue::queued(text, json!({}))].concat()
    }));
    cases.push(Case::codex(codex::PROMPT, "a command's output", |text| {
        let item = |payload: Value| json!({"type": "response_item", "payload": payload});
        vec![
            codex::user_event("have a look"),
            item(json!({"type": "function_call", "name": "shell", "call_id": "c1", "arguments": "{}"})),
            item(json!({"type": "function_call_output", "call_id": "c1", "output": text})),
            codex::user_event(text),
        ]
    }));
    cases.into_iter().map(Case::pasted).collect()
}

/// What is a person's own although something like it was said.
pub(crate) fn controls() -> Vec<Case> {
    vec![
        Case::claude(TYPED, "said first, and then repeated by the agent", |text| {
            vec![typed(text), said(&format!("Understood: {text}")), typed("good")]
        }),
        Case::claude(TYPED, "behind a file that is about the same", |text| {
            let file = text.replace("From now on, always run", "Use").replace("before you", "and then");
            [answered("Read", &file), vec![typed(text)]].concat()
        }),
        Case::claude(TYPED, "behind a file that says a part of it", |text| {
            let file = text.replace("From now on, always run ", "").replace(" before you commit", "");
            [answered("Read", &file), vec![typed(text)]].concat()
        }),
    ]
}
