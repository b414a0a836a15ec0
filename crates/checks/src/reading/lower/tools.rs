//! Norms about tools, skills and servers: "use the `x` skill", "verify it with Playwright MCP".

use serde_json::{Value, json};

use crate::text::pattern;

use super::super::norm::{Term, TermKind};
use super::super::occasion;
use super::super::sentence::numbers;
use super::super::words::{root, words};
use super::{Lowered, Lowering, timed};

/// How the use of a skill looks: it is called, or a file of it is opened.
pub(super) fn skill_uses(name: &str) -> Vec<Value> {
    // "PR Labeling" is called as `pr-labeling`.
    let plain = regex::escape(name.trim_start_matches('/')).replace(' ', "[ _-]");
    vec![
        json!({ "used": { "tool": "Skill", "input": format!(r"(?i)\b{plain}\b") } }),
        json!({ "read": { "paths": [format!("**/skills/{name}/**"), format!("**/skills/{name}.md")] } }),
    ]
}

pattern!(
    NAMED,
    r"(§\d+§|[a-z][\w-]+) (skill|mcp|subagent|slash command)\b|(§\d+§) (tool\b|agent\b|tools(?:$| (?:to|for|when|over|instead|rather|before|first)\b))"
);
// A server of tools by its own name.
pattern!(SERVER, r"(?i)^[\w-]*(?:^|[-_])mcp(?:$|[-_])[\w-]*$");

impl Lowering<'_> {
    pub(super) fn wanted_tool(&self) -> Option<Lowered> {
        let (name, uses, used) = self.tool()?;
        let is_place = |term: &Term| term.kind == TermKind::Path || term.text.starts_with('.');
        let places: Vec<usize> = self
            .terms(&self.norm.about)
            .iter()
            .filter(|(_, term)| is_place(term))
            .map(|(number, _)| *number)
            .collect();
        let all = self
            .terms(&self.norm.about)
            .iter()
            .all(|(number, _)| used.contains(number) || places.contains(number));
        if !all {
            return None;
        }
        let mut check = json!({ "expect": [{ "any": uses }], "why": format!("{name} is used") });
        // What a skill says stays known for the session.
        if check["expect"][0]["any"][0]["used"]["tool"] == json!("Skill") {
            check["expect"][0]["since"] = json!("session");
        }
        match self.trigger() {
            Some((occasion, order)) => timed(&mut check, &occasion, order),
            None => {
                let folders = self
                    .norm
                    .when
                    .iter()
                    .flat_map(|when| occasion::paths(&when.words, &self.sentences.terms));
                let maybe: Vec<Value> = folders.map(|path| json!({ "wrote": { "paths": [path] } })).collect();
                check["maybe"] = json!(maybe);
            }
        }
        let used = used.into_iter().chain(places).chain(self.terms_of_conditions()).collect();
        Some(Lowered { kind: "wanted-tool", check, used })
    }

    pub(super) fn forbidden_tool(&self) -> Option<Lowered> {
        let (name, uses, used) = self.tool()?;
        (self.norm.when.is_empty()
            && self.is_plain(&self.norm.about.replace(" mcp", "").replace(" skill", "")))
        .then(|| Lowered {
            kind: "forbidden-tool",
            check: json!({ "forbid": uses, "mixed": "missed", "why": format!("{name} is not used") }),
            used,
        })
    }

    /// The tool that the norm names, how its use looks, and the terms that name it.
    fn tool(&self) -> Option<(String, Vec<Value>, Vec<usize>)> {
        let Some(found) = NAMED.captures(&self.norm.about) else { return self.server() };
        let part = |first: usize, other: usize| found.get(first).or_else(|| found.get(other));
        let (who, kind) = (part(1, 3)?.as_str(), part(2, 4)?.as_str());
        let used = numbers(who);
        let name =
            used.first().and_then(|number| self.sentences.terms.get(*number)).map_or(who, |term| &term.text);
        // "PR Labeling" is called as `pr-labeling`.
        let plain = regex::escape(name.trim_start_matches('/')).replace(' ', "[ _-]");
        if used.is_empty() && (words().is_filler(&root(name)) || OTHERS.is_match(name)) {
            return None;
        }
        let uses = match kind {
            "mcp" => vec![json!({ "used": { "tool": format!("mcp__*{name}*") } })],
            "skill" => skill_uses(name),
            // A tool of the agent has a name like `get_docs`; "`x - get_docs`" names its server too. Programs are run.
            kind if kind.starts_with("tool") => {
                let own = name.rsplit([' ', '/']).next().unwrap_or(name);
                if !own.contains(['_', '-']) && !own.contains(char::is_uppercase) {
                    return None;
                }
                vec![json!({ "used": { "tool": format!("*{own}*") } })]
            }
            _ => vec![json!({ "used": { "tool": "*", "input": format!(r"(?i)\b{plain}\b") } })],
        };
        Some((name.to_owned(), uses, used))
    }

    /// "Prefer `x-mcp` over shell commands": a server that is named by nothing else.
    fn server(&self) -> Option<(String, Vec<Value>, Vec<usize>)> {
        let named = self.terms(&self.norm.about);
        let [(number, term)] = named.as_slice() else { return None };
        SERVER.is_match(&term.text).then(|| {
            let tool = json!({ "used": { "tool": format!("mcp__*{}*", term.text) } });
            (term.text.clone(), vec![tool], vec![*number])
        })
    }
}

// "Every skill", "the relevant skill": not its name.
pattern!(
    OTHERS,
    r"^(?:every|other|another|same|right|relevant|matching|correct|custom|specific|available|following|corresponding|particular|which|what|no|one|new|claude|agent|built-in|their|its|use|using)$"
);
