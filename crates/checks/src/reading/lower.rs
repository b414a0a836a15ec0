//! From a norm that no entry of the rulebook knows to a check: by its grammar and its code terms.

use serde_json::{Value, json};

use crate::line::is_program;
use crate::text::stem;

use super::bag;
use super::looks;
use super::norm::{Norm, Polarity, Relation, Term, TermKind};
use super::occasion::{self, Occasion};
use super::sentence::{Sentences, numbers};
use super::words::words;

/// A norm as a check, and the terms of the line that it honours.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub(crate) kind: &'static str,
    pub(crate) check: Value,
    pub(crate) used: Vec<usize>,
}

/// What a norm is lowered with.
pub(crate) struct Lowering<'s> {
    pub(crate) norm: &'s Norm,
    pub(crate) sentences: &'s Sentences,
    /// Labels of the clause, then parents and headings, the nearest first.
    pub(crate) context: &'s [String],
}

impl Lowering<'_> {
    /// The check, when the norm is understood to its last word.
    pub(crate) fn lower(&self) -> Option<Lowered> {
        if !self.exceptions_are_clear() {
            return None;
        }
        let mut lowered = self.by_polarity()?;
        if self.norm.unless.iter().any(|unless| self.unless_asked(unless)) {
            let about = bag::bag(&self.norm.about, &self.sentences.terms);
            lowered.check["unless"] = json!([super::rulebook::unless_asked(&about)]);
        }
        Some(lowered)
    }

    fn by_polarity(&self) -> Option<Lowered> {
        match self.norm.polarity {
            Polarity::MustNot => {
                self.forbidden_command().or_else(|| self.forbidden_path()).or_else(|| self.forbidden_code())
            }
            Polarity::InsteadOf => self.swapped_command().or_else(|| self.swapped_code()),
            Polarity::Must | Polarity::Only => self
                .wanted_command()
                .or_else(|| self.wanted_role())
                .or_else(|| self.wanted_document())
                .or_else(|| self.wanted_code()),
            Polarity::AskFirst => None,
        }
    }

    fn terms(&self, masked: &str) -> Vec<(usize, &Term)> {
        let all = numbers(masked).into_iter();
        all.filter_map(|number| self.sentences.terms.get(number).map(|term| (number, term))).collect()
    }

    fn of_kind(&self, masked: &str, kinds: &[TermKind]) -> Vec<(usize, &Term)> {
        self.terms(masked).into_iter().filter(|(_, term)| !term.aside && kinds.contains(&term.kind)).collect()
    }

    /// Terms that are run: commands, and what can be nothing else where something is run.
    fn run_terms(&self, masked: &str) -> Vec<(usize, &Term)> {
        let is_command = |term: &Term| {
            let spaced =
                term.text.split_whitespace().nth(1).is_some_and(|word| {
                    word.chars().all(|c| c.is_ascii_alphanumeric() || "-_:./".contains(c))
                });
            let plain = term.text.split_whitespace().next().is_some_and(|word| {
                word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c))
            });
            let script = term.kind == TermKind::Path && words().is_act(&self.norm.act, "run");
            term.kind == TermKind::Command || script || (term.kind == TermKind::Identifier && spaced && plain)
        };
        self.terms(masked).into_iter().filter(|(_, term)| !term.aside && is_command(term)).collect()
    }

    fn main_terms(&self, masked: &str) -> usize {
        self.terms(masked).iter().filter(|(_, term)| !term.aside).count()
    }

    /// Exceptions that are a matter of judgement, or of a person's word, leave the rest clear.
    fn exceptions_are_clear(&self) -> bool {
        self.norm
            .unless
            .iter()
            .all(|unless| bag::exception(unless) == bag::UNLESS_SOFT || self.unless_asked(unless))
    }

    fn unless_asked(&self, unless: &str) -> bool {
        self.norm.polarity == Polarity::MustNot && bag::exception(unless) == bag::UNLESS_ASKED
    }

    /// Whether nothing but the terms and words that name their kind is left in a piece.
    fn is_plain(&self, masked: &str) -> bool {
        bag::bag(masked, &self.sentences.terms).iter().filter(|word| !word.starts_with('`')).all(|word| {
            words().term_nouns.contains(word)
                || words().acts(word).iter().any(|kind| matches!(kind.as_str(), "use" | "write"))
                || self.is_language(word)
        })
    }

    fn is_language(&self, word: &str) -> bool {
        words().languages.iter().any(|files| files.called.iter().any(|name| stem(name) == word))
    }

    /// The files that the rule holds in: what it names, else what its context names, else all code.
    fn paths(&self) -> Value {
        let norm = self.norm;
        let mut pieces: Vec<&str> = vec![&norm.about];
        pieces.extend(norm.within.iter().map(String::as_str));
        pieces.extend(norm.when.iter().map(|when| when.words.as_str()));
        let named: Vec<String> =
            pieces.iter().flat_map(|piece| occasion::paths(piece, &self.sentences.terms)).collect();
        if !named.is_empty() {
            return json!(named);
        }
        let said = pieces
            .iter()
            .map(|piece| (*piece).to_owned())
            .chain(self.context.iter().map(|c| c.to_lowercase()));
        for piece in said {
            let words_of = bag::bag(&piece, &[]);
            let files = words().languages.iter().find(|files| {
                files.called.iter().any(|name| {
                    let wanted = bag::bag(name, &[]);
                    !wanted.is_empty() && bag::find(&wanted, &words_of).is_some()
                })
            });
            if let Some(files) = files {
                return json!([format!("@{}", files.name)]);
            }
        }
        json!(["@code"])
    }

    fn forbidden_command(&self) -> Option<Lowered> {
        let about = &self.norm.about;
        let found = self.of_kind(about, &[TermKind::Command, TermKind::Flag]);
        if found.is_empty()
            || found.len() < self.main_terms(about)
            || !self.norm.when.is_empty()
            || !self.is_plain(&cut_purpose(about))
        {
            return None;
        }
        let forbid: Vec<Value> = found.iter().flat_map(|(_, term)| ran(&term.text, term.kind)).collect();
        Some(Lowered {
            kind: "forbidden-command",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{} is not run", list(&found)) }),
            used: numbers_of(&found),
        })
    }

    fn forbidden_path(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        let edits = words()
            .acts(&norm.act)
            .iter()
            .any(|kind| matches!(kind.as_str(), "edit" | "delete" | "write" | "place"));
        if found.is_empty()
            || !edits
            || found.len() < self.main_terms(&norm.about)
            || !norm.when.is_empty()
            || !self.is_plain(&norm.about)
        {
            return None;
        }
        let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
        let deleted = words().is_act(&norm.act, "delete");
        let mut forbid = vec![json!({ "wrote": { "paths": paths, "deleted": deleted } })];
        if !deleted {
            forbid.push(json!({ "wrote": { "paths": paths, "deleted": true } }));
        }
        Some(Lowered {
            kind: "forbidden-path",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{} stays as it is", list(&found)) }),
            used: numbers_of(&found),
        })
    }

    fn forbidden_code(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Identifier]);
        let (head, _) = split_place(&norm.about);
        if found.is_empty()
            || self.of_kind(&head, &[TermKind::Identifier]).len() < self.main_terms(&head)
            || !norm.when.is_empty()
            || !self.is_plain(&norm.about)
            || !self.writes()
        {
            return None;
        }
        let forbid: Vec<Value> = found
            .iter()
            .map(|(_, term)| json!({ "wrote": { "paths": self.paths(), "added": looks::expression(&term.text) } }))
            .collect();
        let mut used = numbers_of(&found);
        used.extend(self.of_kind(&norm.about, &[TermKind::Path]).iter().map(|(number, _)| *number));
        Some(Lowered {
            kind: "forbidden-code",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{} is not written", list(&found)) }),
            used,
        })
    }

    /// Whether the act is one of writing code, or none is named.
    fn writes(&self) -> bool {
        let acts = words().acts(&self.norm.act);
        self.norm.act.is_empty()
            || acts.iter().any(|kind| matches!(kind.as_str(), "use" | "write" | "do" | "run"))
    }

    fn swapped_command(&self) -> Option<Lowered> {
        let norm = self.norm;
        let instead = norm.instead_of.as_deref()?;
        let (rather, used_rather) = self.commands(&norm.about)?;
        let (not, used_not) = self.commands(instead)?;
        if !norm.when.is_empty() && self.trigger().is_none() {
            return None;
        }
        let own: Vec<String> = rather.iter().map(|command| regex::escape(command)).collect();
        let without = format!(r"\b(?:{})\b", own.join("|"));
        let forbid: Vec<Value> =
            not.iter().map(|command| json!({ "ran": { "command": command, "without": without } })).collect();
        let expect: Vec<Value> =
            rather.iter().map(|command| json!({ "ran": { "command": command } })).collect();
        Some(Lowered {
            kind: "swapped-command",
            check: json!({ "expect": [{ "any": expect }], "forbid": forbid, "mixed": "missed",
                "why": format!("{} and not {}", rather.join(", "), not.join(", ")) }),
            used: [used_rather, used_not].concat(),
        })
    }

    /// The commands of a piece: terms, or bare names of programs, and nothing else.
    fn commands(&self, masked: &str) -> Option<(Vec<String>, Vec<usize>)> {
        let (head, _) = split_place(masked);
        let found = self.of_kind(&head, &[TermKind::Command]);
        if !found.is_empty() {
            return (found.len() == self.main_terms(&head)).then(|| {
                (found.iter().map(|(_, term)| command_words(&term.text)).collect(), numbers_of(&found))
            });
        }
        let bare: Vec<String> = bag::bag(&head, &self.sentences.terms);
        let programs: Vec<String> = head
            .split([' ', ',', '/'])
            .filter(|word| is_program(word) && bare.iter().any(|other| *other == stem(word)))
            .map(str::to_owned)
            .collect();
        (!programs.is_empty() && programs.len() == bare.len()).then_some((programs, Vec::new()))
    }

    fn swapped_code(&self) -> Option<Lowered> {
        let norm = self.norm;
        let instead = norm.instead_of.as_deref()?;
        let rather = self.of_kind(&norm.about, &[TermKind::Identifier]);
        let not = self.of_kind(instead, &[TermKind::Identifier]);
        if rather.is_empty() && not.is_empty() || !self.writes() {
            return None;
        }
        let wrote = |term: &Term| json!({ "wrote": { "paths": self.paths(), "added": looks::expression(&term.text) } });
        let expect: Vec<Value> = rather.iter().map(|(_, term)| wrote(term)).collect();
        // What is avoided may be a part of what is wanted: `getUser` and `getUserById`.
        let forbid: Vec<Value> = if self.is_plain(instead) {
            not.iter()
                .filter(|(_, term)| !rather.iter().any(|(_, other)| other.text.contains(&term.text)))
                .map(|(_, term)| wrote(term))
                .collect()
        } else {
            Vec::new()
        };
        let mut check = json!({ "forbid": forbid, "mixed": "missed",
            "why": format!("{} rather than {}", list(&rather), list(&not)) });
        if !expect.is_empty() {
            check["expect"] = json!([{ "any": expect }]);
        }
        Some(Lowered { kind: "swapped-code", check, used: [numbers_of(&rather), numbers_of(&not)].concat() })
    }

    /// The trigger that the conditions of the norm make, and when the deed has to come.
    fn trigger(&self) -> Option<(Occasion, &'static str)> {
        let mut found: Option<(Occasion, &'static str)> = None;
        for when in &self.norm.when {
            let trigger = occasion::of(&when.words, &self.sentences.terms)?;
            let order = match when.relation {
                Relation::Before => "before_trigger",
                Relation::After => "after_trigger",
                Relation::When => "anytime",
            };
            // "after each change, before you report": the narrower one decides.
            found = found.or(Some((trigger, order)));
        }
        found
    }

    fn wanted_command(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.run_terms(&norm.about);
        let acts = words().acts(&norm.act);
        let runs = norm.act.is_empty()
            || acts.iter().any(|kind| matches!(kind.as_str(), "run" | "use" | "verify" | "do"));
        if found.is_empty() || !runs || found.len() < self.main_terms(&norm.about) {
            return None;
        }
        let one = |term: &Term| ran(&term.text, term.kind);
        let either = norm.about.contains(" or ");
        let expect: Vec<Value> = if either {
            vec![json!({ "any": found.iter().flat_map(|(_, term)| one(term)).collect::<Vec<_>>() })]
        } else {
            found.iter().map(|(_, term)| json!({ "any": one(term) })).collect()
        };
        let mut used = numbers_of(&found);
        let mut check = json!({ "expect": expect, "why": format!("{} is run", list(&found)) });
        if norm.when.is_empty() {
            check["expect"] =
                json!([{ "any": found.iter().flat_map(|(_, term)| one(term)).collect::<Vec<_>>() }]);
        } else {
            let (trigger, order) = self.trigger()?;
            used.extend(norm.when.iter().flat_map(|when| numbers(&when.words)));
            timed(&mut check, trigger, order);
        }
        Some(Lowered { kind: "wanted-command", check, used })
    }

    /// "Run the tests before committing": no command is named, but a role.
    fn wanted_role(&self) -> Option<Lowered> {
        let norm = self.norm;
        let verifies =
            words().acts(&norm.act).iter().any(|kind| matches!(kind.as_str(), "run" | "verify" | "do"));
        if !verifies || norm.when.is_empty() || self.main_terms(&norm.about) > 0 {
            return None;
        }
        let said = bag::bag(&format!("{} {}", norm.act, norm.about), &[]);
        let roles = roles_of(&said)?;
        let (trigger, order) = self.trigger()?;
        let expect: Vec<Value> =
            roles.iter().map(|role| json!({ "any": [{ "ran": { "role": role } }] })).collect();
        let mut check = json!({ "expect": expect, "why": format!("{} is run", roles.join(" and ")) });
        timed(&mut check, trigger, order);
        Some(Lowered {
            kind: "wanted-role",
            check,
            used: norm.when.iter().flat_map(|when| numbers(&when.words)).collect(),
        })
    }

    fn wanted_document(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Path]);
        let acts = words().acts(&norm.act);
        if found.is_empty() || found.len() < self.main_terms(&norm.about) {
            return None;
        }
        let paths: Vec<&String> = found.iter().map(|(_, term)| &term.text).collect();
        let reads = acts.iter().any(|kind| kind == "read")
            && paths.iter().any(|path| path.ends_with(".md") || path.ends_with(".mdx"));
        let (deed, kind) = if reads {
            (json!({ "read": { "paths": paths } }), "wanted-reading")
        } else if acts.iter().any(|kind| kind == "edit") {
            (json!({ "wrote": { "paths": paths } }), "wanted-update")
        } else {
            return None;
        };
        let mut check = json!({ "expect": [{ "any": [deed] }], "why": format!("{} is {}", list(&found), if reads { "read" } else { "updated" }) });
        let mut used = numbers_of(&found);
        if norm.when.is_empty() {
            if !reads {
                return None;
            }
        } else {
            let (trigger, order) = self.trigger()?;
            used.extend(norm.when.iter().flat_map(|when| numbers(&when.words)));
            timed(&mut check, trigger, order);
        }
        Some(Lowered { kind, check, used })
    }

    fn wanted_code(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Identifier]);
        if found.is_empty() || !self.writes() {
            return None;
        }
        let any: Vec<Value> = found
            .iter()
            .filter(|(_, term)| is_telling(&term.text))
            .map(|(_, term)| json!({ "wrote": { "paths": self.paths(), "added": looks::expression(&term.text) } }))
            .collect();
        if any.is_empty() {
            return None;
        }
        let mut used = numbers_of(&found);
        used.extend(self.of_kind(&norm.about, &[TermKind::Path]).iter().map(|(number, _)| *number));
        Some(Lowered {
            kind: "wanted-code",
            check: json!({ "expect": [{ "any": any }], "why": format!("{} is written", list(&found)) }),
            used,
        })
    }
}

/// Whether a term says something by standing in code: plain words stand there for many reasons.
fn is_telling(term: &str) -> bool {
    const SHORTEST: usize = 3;
    term.len() >= SHORTEST && !term.chars().all(|c| c.is_ascii_lowercase())
}

/// The roles that a bag names, when it names nothing else.
fn roles_of(said: &[String]) -> Option<Vec<String>> {
    let mut left: Vec<String> = said.to_vec();
    let mut roles = Vec::new();
    for (role, names) in &words().roles {
        let mut phrases: Vec<Vec<String>> = names.iter().map(|name| bag::bag(name, &[])).collect();
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        for phrase in phrases {
            if let Some((_, rest)) = bag::find(&phrase, &left).filter(|_| !phrase.is_empty()) {
                left = rest;
                roles.push(role.clone());
                break;
            }
        }
    }
    let harmless = |word: &String| {
        words()
            .acts(word)
            .iter()
            .any(|kind| matches!(kind.as_str(), "run" | "verify" | "use" | "write" | "do" | "read"))
            || words().term_nouns.contains(word)
            || [
                "pass", "locally", "succeed", "green", "error", "clean", "warning", "suite", "full", "check",
                "fix", "issue",
            ]
            .iter()
            .any(|known| stem(known) == *word)
    };
    (!roles.is_empty() && left.iter().all(harmless)).then_some(roles)
}

fn timed(check: &mut Value, occasion: Occasion, order: &str) {
    check["trigger"] = json!(occasion.sure);
    check["maybe"] = json!(occasion.maybe);
    check["unmet"] = json!("missed");
    if let Some(expects) = check["expect"].as_array_mut() {
        for expect in expects {
            expect["order"] = json!(order);
        }
    }
}

fn numbers_of(found: &[(usize, &Term)]) -> Vec<usize> {
    found.iter().map(|(number, _)| *number).collect()
}

fn list(found: &[(usize, &Term)]) -> String {
    found.iter().map(|(_, term)| format!("`{}`", term.text)).collect::<Vec<_>>().join(", ")
}

/// The words of a command as a check asks for them: without what is only an example.
fn command_words(text: &str) -> String {
    let words = text
        .split_whitespace()
        .filter(|word| !word.starts_with(['<', '[', '{']) && !matches!(*word, "..." | "…"));
    words.collect::<Vec<_>>().join(" ")
}

/// A command line as conditions; `a && b` has each of its commands.
fn ran(text: &str, kind: TermKind) -> Vec<Value> {
    if kind == TermKind::Flag {
        let flag = regex::escape(text);
        return vec![json!({ "ran": { "command": "", "with": format!(r"(?:^|\s){flag}(?:$|[\s=])") } })];
    }
    let parts = text.split("&&").map(str::trim).filter(|part| !part.starts_with("cd "));
    let last = parts.last().unwrap_or(text);
    vec![json!({ "ran": { "command": command_words(last) } })]
}

/// "`x` to compile files": what a command is run for changes nothing about it.
fn cut_purpose(about: &str) -> String {
    about.split(" to ").next().unwrap_or(about).to_owned()
}

/// "`a` in tests": the head, and the place.
fn split_place(masked: &str) -> (String, Option<String>) {
    for joint in [" in ", " for ", " inside ", " within ", " under ", " on ", " to ", " when ", " with "] {
        if let Some((head, place)) = masked.split_once(joint) {
            return (head.to_owned(), Some(place.to_owned()));
        }
    }
    (masked.to_owned(), None)
}
