//! Shows rules that the two readers understand differently: one line of JSON a rule (`rule`, `heading`).
//!
//! `cargo run -p subcortex-checks --example side_by_side -- FILE [FAMILY]`
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use anyhow::{Context, Result};
use serde_json::Value;
use subcortex_checks::{compile, memory_by_families};

fn main() -> Result<()> {
    let path = std::env::args().nth(1).context("name a file")?;
    let only = std::env::args().nth(2);
    for line in std::fs::read_to_string(path)?.lines() {
        let rule: Value = serde_json::from_str(line)?;
        let of = |key: &str| rule.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let (text, heading) = (of("rule"), of("heading"));
        let old = memory_by_families(&format!("# {heading}\n- {text}\n")).pop().map(|(_, _, check)| check);
        let Some(old) = old else { continue };
        let new = compile(&text, &[heading]);
        if old.family != new.family && only.as_ref().is_none_or(|only| *only == old.family) {
            println!(
                "{text}\n      old {} | {}\n      new {} | {}",
                old.family, old.why, new.family, new.why
            );
        }
    }
    Ok(())
}
