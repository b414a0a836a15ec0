//! Shows how rules are read: one line of JSON a rule (`rule`, `heading`), or a rules file.
//!
//! `cargo run -p subcortex-checks --example readings -- FILE [--tested]`
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use anyhow::{Context, Result};
use serde_json::Value;
use subcortex_checks::reading::{Reading, RulesFile, read};

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("name a file")?;
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
    for (text, context) in &rules {
        match read(text, context) {
            Reading::Tested(check) => {
                tested += 1;
                println!("+ {text}\n      {} | {}", check.family, check.why);
                if std::env::args().any(|word| word == "--full") {
                    println!("      {}", serde_json::to_string(&check)?);
                }
            }
            Reading::Doubtful(why) => println!("- {text}\n      {why}"),
        }
    }
    println!("{tested} of {} are tested", rules.len());
    Ok(())
}
