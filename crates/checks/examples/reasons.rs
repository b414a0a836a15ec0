//! Shows how sentences are weighed, as JSON: `cargo run -p subcortex-checks --example reasons < messages.jsonl`, one message a line (`text`).
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::collections::BTreeSet;
use std::io::BufRead;

use anyhow::Result;
use serde_json::{Value, json};
use subcortex_checks::{restate_as_rule, speech, weigh};

fn main() -> Result<()> {
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let text = message.get("text").and_then(Value::as_str).unwrap_or_default();
        let sentences = speech(text).into_iter().map(|sentence| {
            let weighed = weigh(sentence, &BTreeSet::new());
            let names: Vec<&str> = weighed.reasons().iter().map(|reason| reason.name.as_str()).collect();
            json!({ "sentence": sentence, "points": weighed.points(), "reasons": names, "rule": restate_as_rule(sentence) })
        });
        println!("{}", json!({ "sentences": sentences.collect::<Vec<_>>() }));
    }
    Ok(())
}
