//! Libraries in plain words: "use Zod", "SwiftUI, not UIKit", "no Lombok".

use serde_json::{Value, json};

use crate::code::is_program;
use crate::text::pattern;

use super::super::norm::Polarity;
use super::super::words::{root, words};
use super::{Lowered, Lowering, are, head_of, joined};

pattern!(CALLED, r"^(?:the )?([a-z][a-z0-9_.-]{3,}) (?:library|crate|gem|package)$");
// What kind of library, and not its name.
pattern!(
    PLAIN,
    r"^(?:standard|shared|common|core|internal|external|built-in|builtin|native|official|official|third-party|workspace|local|public|private|main|utility|helper|component|design|testing|test|logging|http|client|server|popular|right|correct|default|following|first-party|open-source|icon|icons|chart|charts|validation|date|math|mocking|assertion|similar|single|separate|base|other|different|well-known|established|suitable|lightweight)$"
);

impl Lowering<'_> {
    pub(super) fn library(&self) -> Option<Lowered> {
        let norm = self.norm;
        let uses = norm.act.is_empty()
            || words().acts(&norm.act).iter().any(|kind| matches!(kind.as_str(), "use" | "code" | "write"));
        if !uses || !norm.when.is_empty() || !self.terms(&norm.about).is_empty() {
            return None;
        }
        let Some(named) = names(head_of(&norm.about)) else { return self.called_library() };
        let (good, bad) = match norm.polarity {
            Polarity::MustNot => (Vec::new(), named),
            Polarity::InsteadOf => (named, names(norm.instead_of.as_deref()?)?),
            // What else there is for the same work is ruled out only where the line says so.
            Polarity::Only if !norm.act.is_empty() => {
                let rivals = rivals_of(&named);
                (named, rivals)
            }
            Polarity::Must if !norm.act.is_empty() => (named, Vec::new()),
            Polarity::Must | Polarity::Only | Polarity::AskFirst => return None,
        };
        let forbid: Vec<Value> = bad.iter().map(|name| self.imported(name)).collect();
        let why = match (good.is_empty(), bad.is_empty()) {
            (true, _) => format!("{} {} not used", joined(bad, "and"), are(forbid.len())),
            (false, true) => format!("{} is used", joined(good.clone(), "or")),
            (false, false) => format!("{} and not {}", joined(good.clone(), "or"), joined(bad, "or")),
        };
        let mut check = json!({ "forbid": forbid, "mixed": "missed", "why": why });
        if !good.is_empty() {
            let mut any: Vec<Value> = good.iter().map(|name| self.imported(name)).collect();
            any.extend(
                good.iter().filter(|name| is_program(name)).map(|name| json!({ "ran": { "command": name } })),
            );
            check["expect"] = json!([{ "any": any }]);
        }
        Some(Lowered { kind: "library", check, used: Vec::new() })
    }

    /// "Use the parameterized library for such tests": of one that nobody knows it says itself what it is.
    fn called_library(&self) -> Option<Lowered> {
        let norm = self.norm;
        let name = CALLED.captures(head_of(&norm.about))?.get(1)?.as_str();
        let known = !words().is_filler(&root(name)) && words().acts(name).is_empty() && !PLAIN.is_match(name);
        let wanted = norm.polarity == Polarity::Must && words().is_act(&norm.act, "use");
        (known && wanted).then(|| Lowered {
            kind: "library",
            check: json!({ "expect": [{ "any": [self.imported(name)] }], "why": format!("{name} is used") }),
            used: Vec::new(),
        })
    }

    /// The use of a library in code.
    fn imported(&self, name: &str) -> Value {
        let imported = words().libraries.imports.get(name).map_or(name, String::as_str);
        let plain = if imported == name {
            regex::escape(name)
        } else {
            format!("(?:{}|{})", regex::escape(name), regex::escape(imported))
        };
        let looks = words().libraries.looks.get(name).cloned().unwrap_or_else(|| {
            format!(r#"(?im)(?:import|require|from|use|include|using|extern crate)\b[^\n]*(?:^|[^\w-]){plain}(?:[^\w-]|$)|["'@/]{plain}["'/]|(?:^|[^.\w-]){plain}(?:\.|::)\w+"#)
        });
        json!({ "wrote": { "paths": self.paths(), "added": looks } })
    }
}

/// The libraries that a piece names, when it names nothing else.
fn names(piece: &str) -> Option<Vec<String>> {
    const JOINTS: [&str; 8] = ["and", "or", "the", "a", "not", "library", "directly", "nor"];
    // "Pydantic models": what is made with it.
    const MADE: [&str; 18] = [
        "models",
        "model",
        "annotations",
        "classes",
        "components",
        "hooks",
        "queries",
        "schemas",
        "schema",
        "forms",
        "tests",
        "icons",
        "pipelines",
        "framework",
        "package",
        "syntax",
        "apis",
        "types",
    ];
    let said = piece
        .split([' ', ',', '/'])
        .map(|word| word.trim_matches(['.', ';', ':']))
        .filter(|word| !word.is_empty());
    let said: Vec<&str> = said.filter(|word| !JOINTS.contains(word) && !MADE.contains(word)).collect();
    let known = |name: &str| {
        let libraries = &words().libraries;
        let mut all =
            libraries.others.iter().chain(libraries.rivals.iter().flatten()).chain(libraries.imports.keys());
        all.any(|other| other == name)
    };
    (!said.is_empty() && said.iter().all(|name| known(name)))
        .then(|| said.iter().map(|name| (*name).to_owned()).collect())
}

/// The other libraries for the same purpose.
fn rivals_of(good: &[String]) -> Vec<String> {
    let groups = words().libraries.rivals.iter().filter(|group| group.iter().any(|name| good.contains(name)));
    groups.flatten().filter(|name| !good.contains(name)).cloned().collect()
}
