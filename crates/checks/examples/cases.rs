//! Holds labelled cases against the rules and prints how many come out right.
//!
//! ```text
//! cargo run -p subcortex-checks --example cases -- lines FILE [--quiet]
//! cargo run -p subcortex-checks --example cases -- cross FILE
//! cargo run -p subcortex-checks --example cases -- heard FILE [--quiet]
//! cargo run -p subcortex-checks --example cases -- checks MEMORY.md
//! ```
//!
//! `FILE` has the format of the tables in `tests/cases`. `--quiet` prints the totals only, so that a held-out table stays unseen.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a tool for a terminal")]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/tables.rs"]
mod tables;

use subcortex_checks::compile_memory;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let what = arguments.first().map_or("", String::as_str);
    let path = arguments.get(1).ok_or_else(|| anyhow::anyhow!("usage: cases lines|heard|checks FILE"))?;
    let text = std::fs::read_to_string(path)?;
    let quiet = arguments.iter().any(|argument| argument == "--quiet");
    match what {
        "lines" => print!("{}", tables::score_lines(&text, quiet)),
        "cross" => print!("{}", tables::cross(&text)),
        "heard" => print!("{}", tables::score_heard(&text, quiet)),
        _ => {
            for (line, text, check) in compile_memory(&text) {
                println!("L{line} {text}\n   {}\n   {}", check.why, serde_json::to_string(&brief(&check))?);
            }
        }
    }
    Ok(())
}

/// What of a check is worth reading.
fn brief(check: &subcortex_checks::Check) -> serde_json::Value {
    let mut value = serde_json::to_value(check).unwrap();
    let fields = value.as_object_mut().unwrap();
    for field in ["cues", "why", "testable", "reword"] {
        fields.remove(field);
    }
    fields.retain(|_, value| !value.as_array().is_some_and(Vec::is_empty));
    value
}
