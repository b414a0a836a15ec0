//! The schema and the template say the same as the code.
#![allow(missing_docs, clippy::expect_used)]

use std::path::Path;

use serde_json::Value;
use subcortex_config::{Config, FILE, TEMPLATE, schema_json};

/// What a person gets who removes every `#` that switches a key off.
fn switched_on(template: &str) -> String {
    let is_for_people = |line: &str| line == "#" || (line.starts_with("# ") && !line.starts_with("#  "));
    let lines = template.lines().filter(|line| !is_for_people(line));
    lines.map(|line| line.strip_prefix('#').unwrap_or(line).to_string() + "\n").collect()
}

fn keys(schema: &Value) -> Vec<(String, Value)> {
    let properties = schema["properties"].as_object().expect("properties");
    properties.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn schema() -> Value {
    serde_json::from_str(&schema_json()).expect("JSON")
}

/// Every key as `section.key` with its schema.
fn all_keys() -> Vec<(String, String, Value)> {
    let schema = schema();
    let mut all = Vec::new();
    for (section, value) in keys(&schema) {
        let name = value["$ref"].as_str().expect("a section refers to its definition");
        let definition = schema.pointer(name.trim_start_matches('#')).expect("the definition is there");
        all.extend(keys(definition).into_iter().map(|(key, value)| (section.clone(), key, value)));
    }
    all
}

#[test]
fn the_schema_on_disk_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/config.schema.json");
    let on_disk = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(on_disk == schema_json(), "docs/config.schema.json is out of date: run `cargo xtask schema`");
}

#[test]
fn every_key_of_the_schema_has_a_description_and_a_default() {
    assert_eq!(all_keys().len(), 35);
    for (section, key, value) in all_keys() {
        assert!(value["description"].is_string(), "{section}.{key}: {value}");
        assert!(value.get("default").is_some(), "{section}.{key}: {value}");
    }
}

#[test]
fn the_limits_of_the_schema_are_those_of_the_reader() {
    let accepts = |section: &str, key: &str, number: u64| {
        // The other key of the pair is set so that it never decides.
        let text = match key {
            "retention_days" => format!("spine: {{compress_after_days: 1, retention_days: {number}}}"),
            _ => format!("{section}: {{{key}: {number}}}"),
        };
        Config::parse(&text).is_ok()
    };
    let mut checked = 0;
    for (section, key, value) in all_keys() {
        if let Some(min) = value["minimum"].as_u64() {
            assert!(accepts(&section, &key, min), "{section}.{key}: {min}");
            let below = min.checked_sub(1);
            assert!(below.is_none_or(|below| !accepts(&section, &key, below)), "{section}.{key}: {below:?}");
            checked += 1;
        }
        if let Some(max) = value["maximum"].as_u64() {
            assert!(accepts(&section, &key, max), "{section}.{key}: {max}");
            assert!(!accepts(&section, &key, max + 1), "{section}.{key}: {}", max + 1);
            checked += 1;
        }
    }
    assert_eq!(checked, 24, "thirteen numbers, eleven of them with an upper limit");
}

#[test]
fn the_template_is_all_defaults() {
    assert_eq!(Config::parse(TEMPLATE), Ok(Config::default()));
}

#[test]
fn the_template_with_every_key_switched_on_is_still_all_defaults() {
    let text = switched_on(TEMPLATE);
    match Config::parse(&text) {
        Ok(config) => assert_eq!(config, Config::default()),
        Err(problem) => panic!("{}\n{text}", problem.at(FILE)),
    }
}

#[test]
fn the_template_shows_every_key_once_with_its_default() {
    let text = switched_on(TEMPLATE);
    for (section, key, value) in all_keys() {
        let line = format!("  {key}: {}", value["default"].to_string().trim_matches('"'));
        assert_eq!(text.lines().filter(|written| **written == line).count(), 1, "{section}.{key}: {line}");
    }
}
