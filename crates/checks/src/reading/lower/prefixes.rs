//! "Prefix git commands with `rtk`", "run all commands through `nix develop -c`": what stands before other commands.

use serde_json::{Value, json};

use crate::code::is_program;
use crate::text::pattern;

use super::super::norm::TermKind;
use super::super::sentence::numbers;
use super::super::words::words;
use super::{Lowered, Lowering};

pattern!(
    PREFIXED,
    r"^(?:prefix|wrap|run|execute|invoke|start|begin) ((?:all|every|each|any|the|other|git|shell|bash|§\d+§)\b.*?(?:commands?|calls?|invocations?)|(?:everything|anything)) (?:with|through|via|by|using|in) (§\d+§)"
);
pattern!(
    IN_FRONT,
    r"^(§\d+§) (?:goes |go |stands |comes |is |must be |should be )?(?:put )?(?:in front of|before) ((?:every|each|all|any)\b.*?(?:commands?|calls?|invocations?))"
);

impl Lowering<'_> {
    pub(super) fn prefixed(&self) -> Option<Lowered> {
        let norm = self.norm;
        let said = format!("{} {}", norm.act, norm.about);
        let said = said.trim();
        let part = |found: Option<regex::Match<'_>>| found.map(|found| found.as_str().to_owned());
        let (which, prefix) = if let Some(found) = PREFIXED.captures(said) {
            (part(found.get(1))?, part(found.get(2))?)
        } else {
            let found = IN_FRONT.captures(said)?;
            (part(found.get(2))?, part(found.get(1))?)
        };
        let number = *numbers(&prefix).first()?;
        let term = self.sentences.terms.get(number)?;
        if !matches!(term.kind, TermKind::Command | TermKind::Identifier) || !norm.when.is_empty() {
            return None;
        }
        let prefix = term.text.as_str();
        let mut used = numbers(&which);
        let mut programs: Vec<String> =
            self.of_kind(&which, &[TermKind::Command]).iter().map(|(_, term)| term.text.clone()).collect();
        programs.extend(which.split(' ').filter(|word| is_program(word)).map(str::to_owned));
        used.push(number);
        // What else stands there shows how it looks: "also in chains: `rtk a && rtk b`".
        used.extend(numbers(&norm.about));
        let others = which.contains("other");
        let (good, bad) =
            if programs.is_empty() || others { any(prefix, others) } else { each(prefix, &programs) };
        Some(Lowered {
            kind: "command-prefix",
            check: json!({ "expect": [{ "any": good }], "forbid": bad, "why": format!("commands are run through `{prefix}`") }),
            used,
        })
    }
}

fn each(prefix: &str, programs: &[String]) -> (Vec<Value>, Vec<Value>) {
    let good =
        |program: &String| json!({ "ran": { "command": format!("{prefix} {program}"), "bare": true } });
    let bad = |program: &String| json!({ "ran": { "command": program, "bare": true } });
    (programs.iter().map(good).collect(), programs.iter().map(bad).collect())
}

/// Every command but those of the shell itself; "all other" leaves git aside.
fn any(prefix: &str, others: bool) -> (Vec<Value>, Vec<Value>) {
    let mut except: Vec<&str> = words().builtins.iter().map(String::as_str).collect();
    let mut good = json!({ "ran": { "command": prefix, "bare": true } });
    if others {
        except.extend(["git", "gh"]);
        good["ran"]["without"] = json!(format!(r"^{}\s+(?:git|gh)\b", regex::escape(prefix)));
    }
    except.extend(prefix.split(' ').next());
    (vec![good], vec![json!({ "ran": { "command": "", "except": except, "first_only": true } })])
}
