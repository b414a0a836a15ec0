//! Norms about commands: run this, not that, this instead of that.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::language::{Role, Roles};

use crate::code::{is_english_word, is_filter, is_program, wrapper_of};
use crate::text::pattern;

use super::super::bag::{self, Bag};
use super::super::norm::{Marked, Term, TermKind};
use super::super::words::{root, words};
use super::{
    Lowered, Lowering, Numbered, are, either, enumerated, head_of, is_language, joined, list, numbers_of,
    timed, wants_all,
};

impl Lowering<'_> {
    pub(super) fn forbidden_command(&self) -> Option<Lowered> {
        let norm = self.norm;
        if !norm.when.is_empty() || !self.runs() {
            return None;
        }
        let about = before_purpose(&norm.about);
        let mut found = self.of_kind(about, &[TermKind::Flag]);
        // `-I` means something else to every program.
        if found.iter().any(|(_, term)| SHORT_FLAG.is_match(&term.text)) {
            return None;
        }
        found.extend(self.run_terms(about));
        let (commands, used): (Vec<(String, TermKind)>, Vec<usize>) = if found.is_empty() {
            let (programs, used) = self.commands(about)?;
            (programs.into_iter().map(|program| (program, TermKind::Command)).collect(), used)
        } else {
            if found.len() < self.terms(about).len() || !self.is_plain(about) {
                return None;
            }
            let kind =
                |term: &Term| if term.kind == TermKind::Flag { TermKind::Flag } else { TermKind::Command };
            (found.iter().map(|(_, term)| (term.text.clone(), kind(term))).collect(), numbers_of(&found))
        };
        // "directly", and what another sentence names: a command inside of that one is what the line wants.
        let direct = ["directly", "bare", "own", "host"].iter().any(|word| norm.about.contains(word));
        let others = self.other_commands(&used);
        let forbid: Vec<Value> = commands
            .iter()
            .map(|(command, kind)| {
                let mut ran = exactly(command, *kind);
                if *kind == TermKind::Command && (direct || !command.contains(' ')) {
                    ran["ran"]["bare"] = json!(true);
                }
                if !others.is_empty() {
                    ran["ran"]["without"] = json!(others);
                }
                if direct {
                    // With a setting in front it may be the very way that is not direct.
                    let mut set = ran.clone();
                    set["ran"]["env"] = json!("=");
                    ran = json!({ "all": [ran, { "none": [set] }] });
                }
                ran
            })
            .collect();
        let names: Vec<String> = commands.iter().map(|(command, _)| format!("`{command}`")).collect();
        Some(Lowered {
            kind: "forbidden-command",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{} {} not run", enumerated(names), are(commands.len())) }),
            used,
        })
    }

    /// "Never use `--filter` with `dotnet test`": the option is forbidden there, the command is not.
    pub(super) fn forbidden_option(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = WITH_COMMAND.captures(&norm.about)?;
        let (options, command) = (found.get(1)?.as_str(), found.get(2)?.as_str());
        let flags = self.of_kind(options, &[TermKind::Flag]);
        let named = self.of_kind(command, &[TermKind::Command]);
        let ([(_, command)], false) = (named.as_slice(), flags.is_empty()) else { return None };
        let all = flags.len() + named.len() == self.terms(&norm.about).len();
        if !all || !norm.when.is_empty() || !self.runs() {
            return None;
        }
        let forbid = |(_, flag): &Numbered<'_>| {
            let with = format!(r"(?:^|\s){}(?:$|[\s=])", regex::escape(&flag.text));
            json!({ "ran": { "command": command_words(&command.text), "with": with } })
        };
        Some(Lowered {
            kind: "forbidden-command",
            check: json!({ "forbid": flags.iter().map(forbid).collect::<Vec<_>>(), "mixed": "missed",
                "why": format!("`{}` is run without {}", command.text, list(&flags)) }),
            used: [numbers_of(&flags), numbers_of(&named)].concat(),
        })
    }

    /// "Debug builds, not `--release`": an option that is not used.
    pub(super) fn avoided_option(&self) -> Option<Lowered> {
        let norm = self.norm;
        let instead = norm.instead_of.as_deref()?;
        let flags = self.of_kind(instead, &[TermKind::Flag]);
        let all = !flags.is_empty() && flags.len() == self.terms(instead).len();
        // "`--a`, not `--b`" is about the command that takes both.
        let short = flags.iter().any(|(_, flag)| SHORT_FLAG.is_match(&flag.text));
        if !all || short || !self.is_plain(instead) || !self.terms(&norm.about).is_empty() {
            return None;
        }
        let forbid: Vec<Value> = flags.iter().map(|(_, flag)| exactly(&flag.text, TermKind::Flag)).collect();
        Some(Lowered {
            kind: "forbidden-command",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{} {} not used", list(&flags), are(flags.len())) }),
            used: numbers_of(&flags),
        })
    }

    /// "Always pass `--json` to `bd`": the command with the option, and never without it.
    pub(super) fn wanted_option(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = WITH_COMMAND.captures(&norm.about)?;
        let flags = self.of_kind(found.get(1)?.as_str(), &[TermKind::Flag]);
        let named = self.of_kind(found.get(2)?.as_str(), &[TermKind::Command]);
        let ([(_, flag)], [(_, command)]) = (flags.as_slice(), named.as_slice()) else { return None };
        let all = flags.len() + named.len() == self.terms(&norm.about).len();
        if !all || !norm.when.is_empty() || !norm.urged {
            return None;
        }
        let with = format!(r"(?:^|\s){}(?:$|[\s=])", regex::escape(&flag.text));
        let text = command_words(&command.text);
        Some(Lowered {
            kind: "wanted-option",
            check: json!({ "expect": [{ "ran": { "command": text, "with": with } }],
                "forbid": [{ "ran": { "command": text, "without": with } }], "mixed": "missed",
                "why": format!("`{text}` is run with {}", list(&flags)) }),
            used: [numbers_of(&flags), numbers_of(&named)].concat(),
        })
    }

    /// "Generate migrations with `x`", "use Ruff for linting": what does the work of a verb or of a role.
    pub(super) fn worked_with(&self) -> Option<Lowered> {
        let norm = self.norm;
        let is_told = self.terms(&norm.about).iter().any(|(_, term)| self.is_told_beside(term));
        if is_told || !norm.when.is_empty() || !norm.unless.is_empty() {
            return None;
        }
        let named = |commands: Vec<String>, used: Vec<usize>| {
            let any: Vec<Value> = commands.iter().map(|text| ran(text)).collect();
            let why =
                format!("{} is run", joined(commands.iter().map(|text| format!("`{text}`")).collect(), "or"));
            Some(Lowered {
                kind: "named-command",
                check: json!({ "expect": [{ "any": any }], "why": why }),
                used,
            })
        };
        if self.is_for_some(&norm.about) {
            return None;
        }
        if let Some(found) = BY_COMMAND.captures(&norm.about) {
            let terms = self.terms(found.get(1)?.as_str());
            let all = terms.len() == self.terms(&norm.about).len();
            let commands = terms.iter().all(|(_, term)| term.kind == TermKind::Command);
            let works = !norm.act.is_empty() && !words().is_act(&norm.act, "use");
            return (all && commands && works && !terms.is_empty())
                .then(|| named(terms.iter().map(|(_, term)| term.text.clone()).collect(), numbers_of(&terms)))
                .flatten();
        }
        let alone = words().is_act(&norm.act, "use") && is_program(&norm.about) && is_everyday(&norm.about);
        let programs = if alone { norm.about.as_str() } else { self.program_for_role()? };
        let said = programs.split([' ', ',']).filter(|word| !matches!(*word, "" | "and" | "or"));
        let programs: Vec<String> = said.map(str::to_owned).collect();
        let known = programs.iter().all(|word| is_program(word)) && !programs.is_empty();
        known.then(|| named(programs, Vec::new())).flatten()
    }

    /// "Format docstrings by running `x`": a formatter is run for other things, too, and who runs it has not followed that.
    fn is_for_some(&self, about: &str) -> bool {
        let object = BY_RUNNING.captures(about).and_then(|found| found.get(1));
        let narrow = object.is_some_and(|object| !self.is_plain(object.as_str()));
        narrow && self.terms(about).iter().any(|(_, term)| is_everyday(&term.text))
    }

    /// "Use ruff for linting", "check types with mypy": programs that do the work of a role.
    fn program_for_role(&self) -> Option<&str> {
        let norm = self.norm;
        let (programs, work) = if words().is_act(&norm.act, "use") {
            let (programs, purpose) =
                norm.about.split_once(" for ").or_else(|| norm.about.split_once(" to "))?;
            (programs, purpose.to_owned())
        } else {
            let (what, programs) =
                norm.about.rsplit_once("with ").or_else(|| norm.about.rsplit_once("using "))?;
            (programs, format!("{} {what}", norm.act))
        };
        let work: Bag = bag::bag(&work, &[]).into_iter().filter(|word| !is_language(word)).collect();
        roles_of(&work).map(|_| programs)
    }

    /// "Forbidden: `uv pip install`, `@latest`": commands, and what stands in them.
    pub(super) fn forbidden_mixture(&self) -> Option<Lowered> {
        let norm = self.norm;
        let found = self.of_kind(&norm.about, &[TermKind::Command, TermKind::Flag, TermKind::Identifier]);
        let commands = found.iter().filter(|(_, term)| term.kind == TermKind::Command).count();
        let all = commands > 0 && found.len() == self.terms(&norm.about).len();
        if !all || !norm.when.is_empty() || !self.runs() || !self.is_plain(&norm.about) {
            return None;
        }
        let forbid: Vec<Value> = found
            .iter()
            .map(|(_, term)| match term.kind {
                TermKind::Identifier => {
                    json!({ "ran": { "command": "", "with": super::super::looks::expression(&term.text) } })
                }
                TermKind::Command | TermKind::Flag | TermKind::Path | TermKind::Template => {
                    exactly(&term.text, term.kind)
                }
            })
            .collect();
        Some(Lowered {
            kind: "forbidden-command",
            check: json!({ "forbid": forbid, "mixed": "missed", "why": format!("{} {} not run", list(&found), are(found.len())) }),
            used: numbers_of(&found),
        })
    }

    /// Whether the act is one of running, or none is named.
    fn runs(&self) -> bool {
        let acts = words().acts(&self.norm.act);
        self.norm.act.is_empty()
            || acts.iter().any(|kind| matches!(kind.as_str(), "run" | "use" | "verify" | "do" | "commit"))
    }

    /// Whether a word without marks is a program here: "types go in signatures" runs nothing.
    fn names_program(&self, word: &str) -> bool {
        let acts = words().acts(&self.norm.act);
        let applied = acts.iter().any(|kind| matches!(kind.as_str(), "run" | "use"));
        is_program(word) && (applied || !is_english_word(word))
    }

    /// An expression for the commands that the line names elsewhere.
    fn other_commands(&self, used: &[usize]) -> String {
        let terms = self.sentences.terms.iter().enumerate();
        let others = terms.filter(|(number, term)| term.kind == TermKind::Command && !used.contains(number));
        let sources: Vec<String> =
            others.map(|(_, term)| regex::escape(&command_words(&term.text))).collect();
        if sources.is_empty() { String::new() } else { format!(r"(?:^|\s)(?:{})(?:\s|$)", sources.join("|")) }
    }

    pub(super) fn swapped_command(&self) -> Option<Lowered> {
        let norm = self.norm;
        let (rather, used_rather) = self.commands(&norm.about)?;
        let (not, used_not) = self.commands(norm.instead_of.as_deref()?)?;
        if !norm.when.is_empty() && self.trigger().is_none() {
            return None;
        }
        let own: Vec<String> = rather.iter().map(|command| regex::escape(command)).collect();
        let without = format!(r"(?:^|[\s/])(?:{})(?:\s|$)", own.join("|"));
        let forbid: Vec<Value> = not
            .iter()
            .map(|command| {
                let mut forbidden = exactly(command, TermKind::Command);
                forbidden["ran"]["without"] = json!(without);
                // A program that runs inside of another one may be just what is wanted there.
                forbidden["ran"]["bare"] = json!(!command.contains(' '));
                forbidden
            })
            .collect();
        let expect: Vec<Value> =
            rather.iter().map(|command| json!({ "ran": { "command": command } })).collect();
        Some(Lowered {
            kind: "swapped-command",
            check: json!({ "expect": [{ "any": expect }], "forbid": forbid,
                "why": format!("`{}` and not `{}`", rather.join("`, `"), not.join("`, `")) }),
            used: [used_rather, used_not].concat(),
        })
    }

    /// "Gradle tasks over ad-hoc scripts": who runs the program follows it; what else would have been wrong does not show.
    pub(super) fn preferred_program(&self) -> Option<Lowered> {
        let norm = self.norm;
        let (rather, _) = self.commands(&norm.about)?;
        let instead = norm.instead_of.as_deref()?;
        if !norm.when.is_empty() || !self.terms(&norm.about).is_empty() || !self.terms(instead).is_empty() {
            return None;
        }
        let wrappers = rather.iter().filter_map(|program| wrapper_of(program)).map(str::to_owned);
        let any =
            rather.iter().cloned().chain(wrappers).map(|command| json!({ "ran": { "command": command } }));
        let any: Vec<Value> = any.collect();
        let check =
            json!({ "expect": [{ "any": any }], "why": format!("`{}` is run", rather.join("` or `")) });
        Some(Lowered { kind: "named-command", check, used: Vec::new() })
    }

    /// The commands of a piece: terms, or bare names of programs, and nothing else.
    fn commands(&self, masked: &str) -> Option<(Vec<String>, Vec<usize>)> {
        let head = head_of(masked);
        let found = self.of_kind(head, &[TermKind::Command]);
        if !found.is_empty() {
            let all = found.len() == self.terms(head).len();
            return all.then(|| {
                (found.iter().map(|(_, term)| command_words(&term.text)).collect(), numbers_of(&found))
            });
        }
        let said = bag::bag(head, &self.sentences.terms);
        let meant: Vec<&String> = said.iter().filter(|word| !words().term_nouns.contains(*word)).collect();
        let programs: Vec<String> = head
            .split([' ', ',', '/'])
            .filter(|word| {
                self.names_program(word)
                    && !words().tools.contains(*word)
                    && meant.iter().any(|other| **other == root(word))
            })
            .map(str::to_owned)
            .collect();
        if self.names_program(head) && !words().tools.contains(head) {
            return Some((vec![head.to_owned()], Vec::new()));
        }
        // "docker compose": a program and what it is to do.
        let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        if let [program, deed] = head.split(' ').collect::<Vec<_>>().as_slice()
            && self.names_program(program)
            && !is_program(deed)
            && meant.len() == 2
            && is_plain(deed)
            && !names_role(&root(deed))
        {
            return Some((vec![format!("{program} {deed}")], Vec::new()));
        }
        (!programs.is_empty() && programs.len() == meant.len()).then_some((programs, Vec::new()))
    }

    pub(super) fn wanted_command(&self) -> Option<Lowered> {
        let norm = self.norm;
        // "Use `a` to update `b`": what stands in the purpose is honoured by the deed.
        let about = if norm.about.starts_with('§') { before_purpose(&norm.about) } else { &norm.about };
        let found = self.run_terms(about);
        let folders = self
            .of_kind(&norm.about, &[TermKind::Path])
            .into_iter()
            .filter(|(_, term)| term.text.ends_with('/'));
        let folders: Vec<Numbered<'_>> = folders.collect();
        if self.terms(about).is_empty() {
            return self.wanted_program(about);
        }
        if found.is_empty() || !self.runs() || found.len() + folders.len() < self.terms(about).len() {
            return None;
        }
        // "Use terminal tools for `x`": something else is to be used.
        if words().is_act(&norm.act, "use")
            && !about.starts_with('§')
            && self.terms(head_of(about)).is_empty()
            && !about.contains(": §")
        {
            return None;
        }
        if self.is_for_some(about) {
            return None;
        }
        // "Validate via `just`: `just verify`": what the program is to be run for is said beside it.
        if found.iter().any(|(_, term)| self.is_told_beside(term)) {
            return None;
        }
        let all = || found.iter().map(|(_, term)| self.ran_for(&term.text, &norm.about)).collect::<Vec<_>>();
        let mut used = numbers_of(&found);
        used.extend(numbers_of(&folders));
        used.extend(numbers_of(&self.terms(norm.about.get(about.len()..).unwrap_or(""))));
        used.extend(self.terms_of_conditions());
        let is_all = found.len() > 1 && wants_all(about) && (!norm.act.is_empty() || !is_menu(about));
        let mut check = json!({ "expect": [{ "any": all() }], "why": ran_in_words(&found, is_all) });
        let elsewhere: Vec<Value> = found
            .iter()
            .flat_map(|(_, term)| {
                [on_other_targets(&term.text), with_other_options(&term.text), variant(&term.text)]
            })
            .flatten()
            .collect();
        check["near"] = json!(elsewhere);
        let Some((occasion, order)) = self.trigger() else {
            // Tests and linters are run at many occasions: that they were run says nothing about one that is not understood.
            if !norm.when.is_empty() && found.iter().any(|(_, term)| is_everyday(&term.text)) {
                return None;
            }
            // "`a`, `b` and `c`": who runs one of them has not run all. Of a mere list nobody knows.
            if is_all {
                check["expect"] = all().into_iter().map(|one| json!({ "any": [one] })).collect();
            } else if found.len() > 1 && !is_choice(about) && !is_menu(about) {
                return None;
            }
            // Who runs exactly this follows the line, whatever its occasion.
            return Some(Lowered { kind: "named-command", check, used });
        };
        // "`npm audit` / `pip audit`", "`a`, `b` (skipped if not defined)": whichever fits.
        if !norm.about.contains(" or ") && !norm.about.contains("§ / §") && !self.sentences.hedged {
            check["expect"] = all().into_iter().map(|one| json!({ "any": [one] })).collect();
        }
        // "When adding CI steps, call `x`": there, not now.
        let written = occasion.sure.iter().any(|condition| condition.get("wrote").is_some());
        if written && root(&norm.act) == root("call") {
            return None;
        }
        timed(&mut check, &occasion, order);
        Some(Lowered { kind: "wanted-command", check, used })
    }

    /// "Use the commands of `x` for tests": a program that does many things, where it does this one.
    fn ran_for(&self, text: &str, about: &str) -> Value {
        let mut plain = ran(text);
        let purpose = super::places::purpose(about).map(|purpose| bag::bag(purpose, &[]));
        if let Some(roles) = purpose.and_then(|purpose| roles_of(&purpose))
            && !text.contains(' ')
            && OF_COMMANDS.is_match(about)
        {
            let names = roles.iter().filter_map(|role| words().roles.get(role)).flatten();
            let names: Vec<&str> = names.map(String::as_str).filter(|name| !name.contains(' ')).collect();
            plain["ran"]["with"] = json!(format!("(?i){}", names.join("|")));
        }
        plain
    }

    /// "Format with prettier before committing": a program by its bare name.
    fn wanted_program(&self, about: &str) -> Option<Lowered> {
        let acts = words().acts(&self.norm.act);
        if !acts.iter().any(|kind| matches!(kind.as_str(), "run" | "verify")) {
            return None;
        }
        let said = bag::bag(about, &[]);
        let programs: Vec<&str> = about
            .split([' ', ','])
            .filter(|word| is_program(word) && !words().acts(word).iter().any(|kind| kind == "verify"))
            .collect();
        let is_program_word = |word: &String| programs.iter().any(|program| root(program) == *word);
        if programs.is_empty()
            || !said.iter().all(|word| {
                is_program_word(word) || words().term_nouns.contains(word) || words().outcomes.contains(word)
            })
        {
            return None;
        }
        let (occasion, order) = self.trigger()?;
        let expect: Vec<Value> =
            programs.iter().map(|program| json!({ "any": [{ "ran": { "command": program } }] })).collect();
        let mut check = json!({ "expect": expect, "why": format!("{} {} run", programs.join(" and "), are(programs.len())) });
        timed(&mut check, &occasion, order);
        Some(Lowered { kind: "wanted-command", check, used: self.terms_of_conditions().collect() })
    }

    /// Whether a term is a program alone, and another one says what it is called with.
    fn is_told_beside(&self, term: &Term) -> bool {
        let begins =
            |other: &Term| other.text.split_once(' ').is_some_and(|(program, _)| program == term.text);
        self.sentences.terms.iter().any(begins)
    }

    /// Terms that are run: commands, and what can be nothing else where something is run.
    fn run_terms(&self, masked: &str) -> Vec<Numbered<'_>> {
        // "Use `x` for formatting": what does the work of a role is run.
        let purpose =
            super::places::purpose(masked).map(|purpose| bag::bag(purpose, &[])).unwrap_or_default();
        // "Use the `typing` module for type annotations" is about code.
        let works = !purpose.is_empty() && roles_of(&purpose).is_some() && !MODULE.is_match(masked);
        let runs = words().is_act(&self.norm.act, "run") || works;
        let is_command = |term: &Term| match term.kind {
            TermKind::Command => true,
            // "Use the `x.py` script".
            TermKind::Path => {
                (runs || masked.contains("§ script"))
                    && term.marked == Marked::Backticks
                    && is_script(&term.text)
            }
            TermKind::Identifier => {
                looks_run(&term.text)
                    || (runs
                        && term
                            .text
                            .chars()
                            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
            }
            TermKind::Flag | TermKind::Template => false,
        };
        let unquoted = |term: &Term| term.marked != Marked::Quotes;
        self.terms(masked).into_iter().filter(|(_, term)| unquoted(term) && is_command(term)).collect()
    }

    /// "Run the tests before committing": no command is named, but a role.
    pub(super) fn wanted_role(&self) -> Option<Lowered> {
        let norm = self.norm;
        let acts = words().acts(&norm.act);
        // "All tests must pass before pushing".
        let passes = norm.act.is_empty() && norm.urged && PASSES.is_match(&norm.about);
        let verifies = passes || acts.iter().any(|kind| matches!(kind.as_str(), "run" | "verify" | "do"));
        if !verifies || !self.terms(&norm.about).is_empty() {
            return None;
        }
        // "When changing rust, run the tests for rust".
        let said = bag::bag(&format!("{} {}", norm.act, norm.about), &[]);
        let tongue = super::language_of(&norm.about).filter(|_| norm.about.contains(" for "));
        let same = |word: &String| {
            is_language(word) && norm.when.iter().any(|when| super::language_of(&when.words) == tongue)
        };
        let said: Bag = said.into_iter().filter(|word| tongue.is_none() || !same(word)).collect();
        let roles = roles_of(&said)?;
        if norm.when.is_empty() {
            // "Always lint changed files": who does follows it; when it would have been due nobody can tell.
            let any: Vec<Value> = roles.iter().map(|role| json!({ "ran": { "role": role } })).collect();
            let check = json!({ "expect": [{ "any": any }], "why": done_in_words(&roles) });
            let names_none = !self.sentences.terms.iter().any(|term| term.kind == TermKind::Command);
            let urged = norm.urged && !passes && roles.len() == 1 && names_none;
            return urged.then_some(Lowered { kind: "named-role", check, used: Vec::new() });
        }
        let (occasion, order) = self.trigger()?;
        // Errors of compilation are what a type checker finds, too.
        let by_types = |role: &str| role == "build" && ERRORS.is_match(&norm.about);
        let ways = |role: &String| match by_types(role) {
            true => json!({ "any": [{ "ran": { "role": role } }, { "ran": { "role": "types" } }] }),
            false => json!({ "any": [{ "ran": { "role": role } }] }),
        };
        let expect: Vec<Value> = roles.iter().map(ways).collect();
        let mut check = json!({ "expect": expect, "why": done_in_words(&roles) });
        timed(&mut check, &occasion, order);
        Some(Lowered { kind: "wanted-role", check, used: self.terms_of_conditions().collect() })
    }
}

/// "Key commands: `a`, `b`": a list of its own, of which each is run where it fits.
fn is_menu(masked: &str) -> bool {
    MENU.is_match(masked)
}

/// Whether a list leaves the choice: "`a` or `b`".
fn is_choice(masked: &str) -> bool {
    CHOICE.is_match(masked)
}

/// "`a` and `b` are run", "`a` or `b` is run".
fn ran_in_words(found: &[Numbered<'_>], all: bool) -> String {
    if all {
        format!("{} {} run", list(found), are(found.len()))
    } else {
        format!("{} is run", either(found))
    }
}

/// Whether a path can be run: a script, or a program without an ending.
fn is_script(path: &str) -> bool {
    const ENDINGS: [&str; 12] =
        ["sh", "bash", "zsh", "py", "js", "mjs", "ts", "rb", "pl", "php", "ps1", "bat"];
    let name = path.rsplit('/').next().unwrap_or("");
    // `/stack:status` is a command of the agent, and none of the shell.
    if path.starts_with('/') && path.matches('/').count() == 1 {
        return false;
    }
    match name.rsplit_once('.') {
        Some(("", _)) => false,
        Some((_, ending)) => ENDINGS.contains(&ending),
        None => !name.is_empty() && !name.contains('*'),
    }
}

/// Whether a word names the work of a role: "for formatting".
fn names_role(word: &str) -> bool {
    words().roles.values().flatten().any(|name| root(name) == word)
}

/// "tests and the linter are run".
fn done_in_words(roles: &[String]) -> String {
    let named = |role: &String| match role.as_str() {
        "test" => "the tests".to_owned(),
        "lint" => "the linter".to_owned(),
        "format" => "the formatter".to_owned(),
        "types" => "the type checker".to_owned(),
        "build" => "the build".to_owned(),
        other => other.to_owned(),
    };
    let is_one = roles.len() == 1 && !roles.iter().any(|role| role == "test");
    format!("{} {} run", enumerated(roles.iter().map(named).collect()), if is_one { "is" } else { "are" })
}

/// The roles that a bag names, when it names nothing else.
pub(super) fn roles_of(said: &[String]) -> Option<Vec<String>> {
    let mut left: Vec<String> = said.to_vec();
    let mut roles = Vec::new();
    for (role, names) in &words().roles {
        let mut phrases: Vec<Vec<String>> = names.iter().map(|name| bag::bag(name, &[])).collect();
        phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
        let found =
            phrases.iter().filter(|phrase| !phrase.is_empty()).find_map(|phrase| bag::find(phrase, &left));
        if let Some((_, rest)) = found {
            left = rest;
            roles.push(role.clone());
        }
    }
    let weak = |word: &String| {
        let acts = words().acts(word);
        acts.iter().any(|kind| matches!(kind.as_str(), "run" | "verify" | "use" | "write" | "do" | "read"))
            || words().term_nouns.contains(word)
            || words().outcomes.contains(word)
    };
    (!roles.is_empty() && left.iter().all(weak)).then_some(roles)
}

/// `flux check`, `task bootstrap:apps`: a plain name with a word behind it.
fn looks_run(text: &str) -> bool {
    let plain = |word: &str, more: &str| {
        !word.is_empty()
            // `// eslint-disable-next-line x` is a comment.
            && word.contains(|c: char| c.is_ascii_alphanumeric())
            && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || more.contains(c))
    };
    let mut parts = text.split_whitespace();
    parts.next().is_some_and(|first| plain(first, "-_./") && !words().keywords.contains(first))
        && parts
            .next()
            .is_some_and(|next| plain(next, "-_:./") && next.starts_with(|c: char| c.is_ascii_alphanumeric()))
        && !CODE.is_match(text)
}

pattern!(
    WITH_COMMAND,
    r"^((?:[a-z-]+ ){0,3}§\d+§(?:(?:,| or|,? and)? ?§\d+§)*(?: (?:flag|option|argument|switch|syntax)s?)?) (?:with|to|when running|when using|on|in|for) (?:the )?(§\d+§)$"
);
pattern!(
    BY_COMMAND,
    r"^[a-z][a-z -]{1,40} (?:with|using|via|through|by running|by using) (§\d+§(?:(?:,| or|,? and) §\d+§)*)$"
);
pattern!(OF_COMMANDS, r"\b(?:commands?|tasks?|targets?|recipes?) (?:[a-z]+ ){0,3}§");
pattern!(SHORT_FLAG, r"^-[A-Za-z]$");
pattern!(MODULE, r"§ (?:module|package|library|class|type|decorator|function|method|crate)s?\b");
pattern!(BY_RUNNING, r"^([a-z][a-z -]*?) by running (?:the )?§");
pattern!(MENU, r"(?:^|: )§\d+§(?:, §\d+§)*(?:,? etc)?$");
pattern!(CHOICE, r"\bor\b|§ ?/ ?§|\beither\b|\b(?:any|one) of\b");
// `allow 3002/3003`: one number or the other.
pattern!(CHOICES, r"^\d+/\d+$");
pattern!(PREPARES, r"^(?:cd|source|export|set|\.)\s");
pattern!(PASSES, r"\b(?:pass|succeed|green|clean|successfully)\b");
pattern!(ERRORS, r"\bcompil(?:e|er|ation) errors?\b");
pattern!(CODE, r"[!=]=|=>|[;{}]");
pattern!(ASSIGNED, r"^(?:[A-Z][A-Z0-9_]*=\S*\s+)+");
pattern!(REDIRECTED, r"\s+(?:\d?>{1,2}|<|\|)\s.*$");

/// The words of a command as a check asks for them: without what is only an example.
fn command_words(text: &str) -> String {
    // Of `[base]...HEAD` and `feature-[name]` only what stands beside it is known, and that is no word of its own.
    let is_word = |word: &&str| {
        !word.contains(['<', '[', '{']) && !matches!(*word, "..." | "…") && !CHOICES.is_match(word)
    };
    let text = text.get(ASSIGNED.find(text).map_or(0, |assigned| assigned.end())..).unwrap_or(text);
    let text = text.get(..REDIRECTED.find(text).map_or(text.len(), |rest| rest.start())).unwrap_or(text);
    text.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ")
}

/// A command line as a condition; of `a && b` each counts that does something.
pub(super) fn ran(text: &str) -> Value {
    let is_deed = |part: &&str| !part.is_empty() && !PREPARES.is_match(part);
    let parts: Vec<&str> = text.split("&&").map(str::trim).filter(is_deed).collect();
    let one = |part: &str| {
        let command = command_words(part);
        match command.split_whitespace().next().is_some_and(is_filter) {
            true => json!({ "ran": { "command": command, "first_only": true } }),
            false => json!({ "ran": { "command": command } }),
        }
    };
    match parts.as_slice() {
        [] => one(text),
        [part] => one(part),
        parts => json!({ "all": parts.iter().map(|part| one(part)).collect::<Vec<_>>() }),
    }
}

/// Whether a command is of a kind that is run all day: tests, linters, formatters, type checkers, builds.
fn is_everyday(text: &str) -> bool {
    let everyday =
        |role: &Role| matches!(role, Role::Test | Role::Lint | Role::Format | Role::Types | Role::Build);
    let commands = crate::facts::split(text);
    commands.iter().any(|simple| ROLES.of(simple, None).iter().any(everyday))
}

static ROLES: LazyLock<Roles> = LazyLock::new(Roles::default);

/// The same command on other files than the line names: near, but not it.
fn on_other_targets(text: &str) -> Option<Value> {
    let is_target = |word: &&str| word.starts_with("./") || *word == "." || word.contains("...");
    let rest: Vec<&str> = text.split_whitespace().filter(|word| !is_target(word)).collect();
    let differs = rest.len() < text.split_whitespace().count() && rest.len() > 1;
    differs.then(|| json!({ "ran": { "command": command_words(&rest.join(" ")) } }))
}

/// The same command with other options: `-a` may be `--all`.
fn with_other_options(text: &str) -> Option<Value> {
    let rest: Vec<&str> = text.split_whitespace().filter(|word| !word.starts_with('-')).collect();
    let differs = rest.len() < text.split_whitespace().count() && rest.len() > 1;
    differs.then(|| json!({ "ran": { "command": command_words(&rest.join(" ")) } }))
}

/// `npm run lint:fix` comes near `npm run lint`.
fn variant(text: &str) -> Option<Value> {
    let (command, script) = text.rsplit_once(' ').filter(|(command, _)| command.ends_with(" run"))?;
    let is_name = script.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let with = format!(r"(?:^|\s){}:[\w:-]+", regex::escape(script));
    is_name.then(|| json!({ "ran": { "command": command, "with": with } }))
}

/// A command line as it is written, with nothing but options in between: `bun run test` is not `bun test`.
fn exactly(text: &str, kind: TermKind) -> Value {
    if kind == TermKind::Flag {
        let flag = regex::escape(text);
        return json!({ "ran": { "command": "", "with": format!(r"(?:^|\s){flag}(?:$|[\s=])") } });
    }
    let command = text.rsplit("&&").next().unwrap_or(text).trim();
    let mut parts = command.split_whitespace();
    let program = parts.next().unwrap_or("").trim_start_matches("./").to_owned();
    let rest: String = parts.map(|word| format!(r"\s+(?:-\S+\s+)*{}", word_or_placeholder(word))).collect();
    let name = regex::escape(&program);
    let with = format!(r"(?:^|[\s/]){name}{rest}(?:$|[\s;|&])");
    json!({ "ran": { "command": program.rsplit('/').next().unwrap_or(&program), "with": with } })
}

/// `<file>` stands for a name with an ending, `<x>` for any word.
fn word_or_placeholder(word: &str) -> String {
    if !word.starts_with(['<', '[', '{']) && word != "..." && word != "…" {
        return regex::escape(word);
    }
    let names_file = ["file", "path", "script"].iter().any(|name| word.contains(name));
    if names_file { r"\S*\.\w+".into() } else { r"\S+".into() }
}

/// "`x` to compile files": what a command is run for changes nothing about it.
fn before_purpose(about: &str) -> &str {
    about.split(" to ").next().unwrap_or(about)
}
