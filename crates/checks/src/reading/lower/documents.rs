//! Norms about files: leave them alone, read them, update them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::text::pattern;

use super::super::norm::{Marked, Polarity, TermKind};
use super::super::occasion;
use super::super::sentence::numbers;
use super::super::words::words;
use super::tools::skill_uses;
use super::{Lowered, Lowering, are, either, list, numbers_of, timed, wants_all};

pattern!(
    MATCHING,
    r"\b(?:matching|relevant|corresponding|appropriate|respective|applicable) (?:[a-z-]+ ){0,2}(?:files?|docs?|documents?|documentation|guides?|adrs?|pages?|topics?|references?|sections?)\b"
);
// "The documentation in the `x/` folder".
pattern!(
    DOCS_IN,
    r"\b(?:documentation|docs|guides?|guidelines|specs|specifications?) (?:in|under|inside|at) (?:the )?§\d+§(?: (?:folder|directory))?$"
);
pattern!(CAPITALS, r"^(?:[\w./-]*/)?[A-Z][A-Z_-]+\.mdx?$");
pattern!(BY_HAND, r"\b(?:hand|manual|manually|directly)\b");
// "As described in `x`": where it says how.
pattern!(
    DESCRIBED,
    r"\b(?:described|defined|documented|specified|explained|listed|outlined|noted|declared|found|set out|shown|used|mentioned|stated) in (?:the )?§"
);
// Agents are given these without opening them.
pattern!(GIVEN, r"(?:^|/)(?:CLAUDE|AGENTS|GEMINI)(?:\.local)?\.md$");
pattern!(INTO, r"\b(?:to|in|into|inside) (?:the )?§\d+§");

/// What is run to add a dependency to one of these files: it changes them.
fn added_by_command(paths: &[&String]) -> Vec<Value> {
    let names = paths.iter().map(|path| path.rsplit('/').next().unwrap_or(path));
    let commands: BTreeSet<&String> =
        names.filter_map(|name| words().manifests.get(name)).flatten().collect();
    // `npm install` alone fetches what is listed.
    let with = r"\s(?:install|i|add|get|require)\s+(?:-\S+\s+)*[@\w]";
    commands.iter().map(|command| json!({ "ran": { "command": command, "with": with } })).collect()
}

impl Lowering<'_> {
    pub(super) fn forbidden_path(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        let acts = words().acts(&norm.act);
        let edits = acts.iter().any(|kind| matches!(kind.as_str(), "edit" | "delete" | "write" | "place"));
        let all = !found.is_empty() && found.len() == self.terms(&norm.about).len();
        if !all || !edits || !norm.when.is_empty() || !self.is_plain(&norm.about) || self.names_part() {
            return None;
        }
        let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
        let made = || json!({ "wrote": { "paths": paths, "whole": true } });
        let gone = || json!({ "wrote": { "paths": paths, "deleted": true } });
        let forbid = if norm.act == "create" {
            vec![made()]
        } else if words().is_act(&norm.act, "delete") {
            vec![gone()]
        } else {
            let mut forbid = vec![gone(), json!({ "wrote": { "paths": paths } })];
            // "By hand": a command may be the very way that is wanted.
            if !BY_HAND.is_match(&norm.about) {
                forbid.extend(added_by_command(&paths));
            }
            forbid
        };
        let several = found.len() > 1;
        let why = match (norm.act == "create", words().is_act(&norm.act, "delete")) {
            (true, _) => format!("{} {} not created", list(&found), are(found.len())),
            (_, true) => format!("{} {} not deleted", list(&found), are(found.len())),
            _ if several => format!("{} stay as they are", list(&found)),
            _ => format!("{} stays as it is", list(&found)),
        };
        Some(Lowered {
            kind: "forbidden-path",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": why }),
            used: numbers_of(&found),
        })
    }

    /// "Never access `.env`": what is not even looked at.
    pub(super) fn forbidden_reading(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        let all = !found.is_empty() && found.len() == self.terms(&norm.about).len();
        let reads = matches!(norm.act.as_str(), "read" | "access" | "open" | "view" | "cat");
        if !all || !reads || !norm.when.is_empty() || !self.is_plain(&norm.about) {
            return None;
        }
        let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
        Some(Lowered {
            kind: "forbidden-reading",
            check: json!({ "forbid": [{ "read": { "paths": paths } }], "mixed": "missed",
                "why": format!("{} {} not opened", list(&found), are(found.len())) }),
            used: numbers_of(&found),
        })
    }

    /// "Only modify files in `app/` and `tests/`": what lies elsewhere stays as it is.
    pub(super) fn only_paths(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        let all = !found.is_empty() && found.len() == self.terms(&norm.about).len();
        let edits = words().is_act(&norm.act, "edit");
        if !all
            || !edits
            || norm.polarity != Polarity::Only
            || !norm.when.is_empty()
            || !self.is_plain(&norm.about)
        {
            return None;
        }
        let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
        let elsewhere = json!({ "wrote": { "except": paths } });
        Some(Lowered {
            kind: "only-paths",
            check: json!({ "forbid": [elsewhere], "mixed": "missed", "why": format!("only {} is changed", list(&found)) }),
            used: numbers_of(&found),
        })
    }

    /// "Never commit `.env`": a file that is neither staged nor in a commit.
    pub(super) fn forbidden_commit(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        let all = !found.is_empty() && found.len() == self.terms(&norm.about).len();
        let commits = matches!(norm.act.as_str(), "commit" | "stage" | "check" | "push");
        if !all || !commits || !norm.when.is_empty() || !self.is_plain(&norm.about) {
            return None;
        }
        let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
        let names = paths.iter().map(|path| regex::escape(path.trim_end_matches(['*', '/'])));
        let staged = format!(r"(?:^|[\s/])(?:{})(?:[\s/]|$)", names.collect::<Vec<_>>().join("|"));
        Some(Lowered {
            kind: "forbidden-commit",
            check: json!({ "forbid": [{ "committed": { "files": paths } }, { "ran": { "command": "git add", "with": staged } }],
                "mixed": "missed", "why": format!("{} {} not committed", list(&found), are(found.len())) }),
            used: numbers_of(&found),
        })
    }

    /// "Do not add writes to `x`": not the file is meant, but something in it.
    fn names_part(&self) -> bool {
        let acts = words().acts(&self.norm.act);
        let puts = acts.iter().any(|kind| matches!(kind.as_str(), "write" | "place"));
        let before = self.norm.about.split('§').next().unwrap_or("");
        let said = super::super::bag::bag(before, &[]);
        puts && !said.iter().all(|word| occasion::is_file_word(word))
    }

    pub(super) fn wanted_document(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        if found.len() < self.terms(&norm.about).len() {
            return None;
        }
        if found.is_empty() {
            return self.matching_document();
        }
        let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
        let is_document = paths.iter().any(|path| path.ends_with(".md") || path.ends_with(".mdx"))
            || MATCHING.is_match(&norm.about)
            || DOCS_IN.is_match(&norm.about);
        let is_file = |path: &&String| !path.ends_with('/') && !path.contains(['*', '<', '{']);
        // `TASK.md` is a name whether it is marked or not.
        let is_marked =
            found.iter().all(|(_, term)| term.marked == Marked::Backticks || CAPITALS.is_match(&term.text));
        let (verb, kind, done) = if words().is_act(&norm.act, "read") && is_document {
            ("read", "wanted-reading", "read")
        } else if words().is_act(&norm.act, "edit") && (!norm.when.is_empty() || self.beside_template()) {
            ("wrote", "wanted-update", "updated")
        } else if self.puts_into() && is_marked && paths.iter().all(is_file) && !self.keeps_code(&paths) {
            ("wrote", "wanted-entry", "written to")
        } else {
            return None;
        };
        // "`a` and `b`": both; "`a` or `b`": whichever fits.
        let all = paths.len() > 1 && wants_all(&norm.about);
        let expect: Vec<Value> = if all {
            let each = paths
                .iter()
                .map(|path| json!({ "any": [{ verb: { "paths": [path] } }], "since": "session" }));
            each.collect()
        } else {
            vec![json!({ "any": [{ verb: { "paths": paths } }], "since": "session" })]
        };
        let (names, is) = if all { (list(&found), "are") } else { (either(&found), "is") };
        let why = format!("{names} {is} {done}");
        let mut check = json!({ "expect": expect, "why": why });
        let mut used = numbers_of(&found);
        used.extend(self.terms_of_conditions());
        match self.trigger() {
            Some((occasion, order)) => {
                timed(&mut check, &occasion, order);
                if verb == "read" && paths.iter().any(|path| GIVEN.is_match(path)) {
                    check["unmet"] = json!("open");
                }
            }
            // What is to be followed is followed in work: who looks something up in it to answer a question has not done that.
            None if kind == "wanted-reading" && words().is_act(&norm.act, "obey") => {
                check["maybe"] = json!([{ "wrote": {} }]);
            }
            // Who opens exactly this document follows the line, whatever its occasion.
            None if kind != "wanted-update" => {}
            // Who changes it together with the code has kept it up to date; who changes it alone was asked to.
            None if is_marked && !norm.stated && paths.iter().all(|path| path.ends_with(".md")) => {
                let beside = |paths: &[&String]| json!({ "any": [{ "all": [{ "wrote": { "paths": paths } }, { "wrote": { "paths": ["@code"] } }] }] });
                check["expect"] = if all {
                    paths.iter().map(|path| beside(&[*path])).collect()
                } else {
                    json!([beside(&paths)])
                };
            }
            None => return None,
        }
        Some(Lowered { kind, check, used })
    }

    /// "Write notes as `notes/<date>.md`, and update the list in `index.md`": one deed with another, which has its own form.
    fn beside_template(&self) -> bool {
        self.sentences.terms.iter().any(|term| super::placed::is_template(&term.text))
    }

    /// "Keep all rendering in `ui.rs`": of a change there nobody knows whether it renders.
    fn keeps_code(&self, paths: &[&String]) -> bool {
        const TEXTS: [&str; 8] = ["md", "mdx", "txt", "rst", "json", "yaml", "yml", "toml"];
        let is_text = |path: &&&String| path.rsplit('.').next().is_some_and(|ending| TEXTS.contains(&ending));
        let keeps = matches!(self.norm.act.as_str(), "keep" | "store" | "define" | "leave" | "centralize");
        keeps && !paths.iter().all(|path| is_text(&path))
    }

    /// "Add it to `x`", "register it in `y`": whether the files are where something is put.
    fn puts_into(&self) -> bool {
        let acts = words().acts(&self.norm.act);
        acts.iter().any(|kind| matches!(kind.as_str(), "write" | "place"))
            && INTO.is_match(&self.norm.about)
            && !DESCRIBED.is_match(&self.norm.about)
    }

    /// "Read the matching topic file": that of the skill or folder which a clause before names.
    fn matching_document(&self) -> Option<Lowered> {
        let norm = self.norm;
        if !words().is_act(&norm.act, "read") || !MATCHING.is_match(&norm.about) {
            return None;
        }
        let before = self.sentences.clauses.iter().flat_map(|clause| numbers(&clause.text));
        let (number, term) = before
            .filter_map(|number| self.sentences.terms.get(number).map(|term| (number, term)))
            .find(|(number, term)| self.is_skill(*number) || term.text.ends_with('/'))?;
        let reads: Vec<Value> = if self.is_skill(number) {
            skill_uses(&term.text)
        } else {
            vec![json!({ "read": { "paths": [term.text] } })]
        };
        let why = format!("the matching file of `{}` is read", term.text);
        let mut check = json!({ "expect": [{ "any": reads }], "why": why });
        if let Some((occasion, order)) = self.trigger() {
            timed(&mut check, &occasion, order);
        }
        check["expect"][0]["since"] = json!("session");
        Some(Lowered { kind: "matching-document", check, used: vec![number] })
    }

    fn is_skill(&self, number: usize) -> bool {
        self.sentences.clauses.iter().any(|clause| clause.text.contains(&format!("§{number}§ skill")))
    }
}
