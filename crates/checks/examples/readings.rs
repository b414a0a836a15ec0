//! Shows how rules are read: one line of JSON a rule (`rule`, `heading`), or a rules file.
//!
//! `cargo run -p subcortex-checks --example readings -- FILE [--full]`
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use anyhow::{Context, Result};
use serde_json::Value;
use subcortex_checks::compile;
use subcortex_checks::reading::RulesFile;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("name a file")?;
    let full = std::env::args().any(|word| word == "--full");
    let text = std::fs::read_to_string(&path)?;
    let rules: Vec<(String, Vec<String>)> = if path.ends_with(".jsonl") {
        let of = |rule: &Value, key: &str| rule.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let rules = text.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>()?;
        rules.iter().map(|rule| (of(rule, "rule"), vec![of(rule, "heading")])).collect()
    } else {
        let file = RulesFile::parse(&text);
        file.rules.into_iter().map(|rule| (rule.text, [rule.headings, rule.parents].concat())).collect()
    };
    let mut tested = 0;
    for (number, (text, context)) in rules.iter().enumerate() {
        let mut check = compile(text, context);
        if !check.testable {
            println!("{number} - {text}\n      {} | {}", check.why, check.reword.unwrap_or_default());
            continue;
        }
        tested += 1;
        println!("{number} + {text}\n      {} | {}", check.family, check.why);
        if full {
            check.cues = subcortex_checks::Cues::default();
            println!("      {}", serde_json::to_string(&check)?);
        }
    }
    println!("{tested} of {} are tested", rules.len());
    Ok(())
}
