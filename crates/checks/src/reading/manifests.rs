//! "When Rust dependencies change": the files in which a language lists them, and what is run to add one.

use serde_json::{Value, json};

use super::words::{Files, words};

/// Conditions on any dependencies as conditions on those of one language, where it is known how it lists them.
pub(super) fn in_language(conditions: &[Value], language: &Files) -> Vec<Value> {
    if language.manifests.is_empty() {
        return conditions.to_vec();
    }
    let commands = language.manifests.iter().filter_map(|name| words().manifests.get(name)).flatten();
    let commands: Vec<&String> = commands.collect();
    conditions.iter().flat_map(|condition| own(condition, language, &commands)).collect()
}

fn own(condition: &Value, language: &Files, commands: &[&String]) -> Vec<Value> {
    if condition["ran"]["role"] == json!("add_dependency") {
        let one = |command: &&String| {
            let mut ran = condition["ran"].clone();
            if let Some(fields) = ran.as_object_mut() {
                fields.remove("role");
                fields.insert("command".into(), json!(command));
            }
            json!({ "ran": ran })
        };
        return commands.iter().map(one).collect();
    }
    let mut whole = condition.clone();
    let lists = |path: &Value| path.as_str().is_some_and(|path| words().manifests.contains_key(path));
    let paths = whole.get_mut("wrote").and_then(|wrote| wrote.get_mut("paths")).and_then(Value::as_array_mut);
    let Some(paths) = paths.filter(|paths| paths.iter().any(lists)) else { return vec![condition.clone()] };
    paths.retain(|path| path.as_str().is_some_and(|path| language.manifests.iter().any(|own| own == path)));
    if paths.is_empty() { Vec::new() } else { vec![whole] }
}

#[cfg(test)]
mod tests {
    use super::super::occasion;

    #[test]
    fn dependencies_of_a_language_are_listed_in_its_own_files() {
        let found = occasion::of("you change rust dependencies", &[]).map(|found| found.sure);
        let written = serde_json::json!(found).to_string();
        assert!(written.contains("cargo add") && written.contains("Cargo.toml"), "{written}");
        assert!(!written.contains("package.json") && !written.contains("pip"), "{written}");
    }
}
