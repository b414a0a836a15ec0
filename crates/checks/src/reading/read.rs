//! A rule, read: what it is taken for, and what that rests on.

use serde_json::Value;

use crate::language::{Check, Condition, Expect, Glob, Mixed, Unmet};
use crate::text::pattern;

use super::bag::{self, Bag};
use super::confined;
use super::cues;
use super::expand::{self, Slots};
use super::grammar;
use super::hint;
use super::lower::{Lowered, Lowering};
use super::norm::{Marked, Norm, Polarity, Term, When};
use super::occasion;
use super::project::Project;
use super::rulebook;
use super::rules_file::{RulesFile, without_mark};
use super::sentence::{Clause, Sentences, numbers};
use super::spared;
use super::words::words;

/// Longest rule that is read, in bytes: what is longer is a document, and reading one takes more than its length.
pub(crate) const LONGEST_RULE_BYTES: usize = 4_000;

/// How a rule is understood.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// As a check, and what the reading rests on.
    Tested(Box<Check>),
    /// Not to its last word: a check that says why, and how to word it.
    Doubtful(Box<Check>),
}

/// Reads one rule under its context: headings and parents, outermost first.
pub fn read(text: &str, context: &[String]) -> Reading {
    read_in(text, context, &Project::default())
}

/// Reads one rule of a project of which something is known.
pub fn read_in(text: &str, context: &[String], project: &Project) -> Reading {
    let sentences = Sentences::of(text, context, project);
    if BREAKS_OFF.is_match(text) || ADVISED_AGAINST.is_match(text) {
        return Reading::Doubtful(Box::new(hint::untestable(&sentences, text)));
    }
    understood(sentences, text, context)
}

pattern!(
    BREAKS_OFF,
    r"(?i)\b(?:for|in|to|if|when|with|unless|except|from|of|by|on|like|as|including)\s*(?::\**|\**:)\s*$"
);
// "`yarn vitest` (slow, avoid unless necessary)".
pattern!(
    ADVISED_AGAINST,
    r"(?i)\((?:[^()]*[ ,;])?(?:discouraged|avoid|not recommended|deprecated|slow)\b[^()]*\)"
);

/// What a rule says, sentence by sentence, and what that is taken for.
fn understood(sentences: Sentences, text: &str, context: &[String]) -> Reading {
    let mut checks: Vec<Check> = Vec::new();
    let mut used: Vec<usize> = Vec::new();
    let mut wanted: Vec<usize> = Vec::new();
    let mut last: Vec<String> = Vec::new();
    let mut purposes: Vec<Bag> = Vec::new();
    let clauses = if sentences.is_note() { &[] } else { sentences.clauses.as_slice() };
    for (at, clause) in clauses.iter().enumerate() {
        // "Use `x`. `let a = x()`": code behind an order that is nothing but code shows how it looks.
        if at > 0 && clause.labels.is_empty() && sentences.is_sample(clause) {
            used.extend(numbers(&clause.text));
            continue;
        }
        // "Imports at the top. Exceptions: `x` blocks": it asks for nothing itself.
        if at > 0 && clause.is_exception() {
            used.extend(numbers(&clause.text));
            let files = spared::by_clause(&clause.text, &sentences).unwrap_or_default();
            spared::leave_out(&mut checks, 0, &files);
            continue;
        }
        let mut around = clause.labels.clone();
        let before = std::mem::replace(&mut last, terms_of(&clause.text));
        let own = before_pronoun(&clause.text);
        let spoken_of = if own.is_empty() { before } else { own };
        around.extend(context.iter().rev().cloned());
        let at_best = grammar::POSSIBLE.is_match(&clause.text);
        let from = checks.len();
        for mut norm in grammar::norms(clause) {
            if let Some(rest) = behind_pronoun(&norm)
                && (!spoken_of.is_empty() || norm.about.starts_with("it") || norm.about.starts_with("them"))
            {
                norm.about = format!("{}{rest}", spoken_of.join(" "));
            }
            // "`gen/` is generated. Do not edit by hand."
            if norm.polarity == Polarity::MustNot
                && words().is_act(&norm.act, "edit")
                && BY_HAND.is_match(&norm.about)
            {
                norm.about = spoken_of.join(" ");
            }
            let mentioned = mentioned(&norm);
            // "Only use existing classes": those that there are and no new ones, which is another rule than to use such classes.
            let of_what_exists = norm.polarity == Polarity::Only && norm.about.starts_with("existing ");
            if norm.judged || of_what_exists {
                wanted.extend(mentioned);
                continue;
            }
            // "Use `a` to do x. Do not use `b` to do x.": the purpose is the same, and parts nothing.
            if let Some((head, purpose)) = purpose_of(&norm.about) {
                let purpose = bag::bag(purpose, &sentences.terms);
                match norm.polarity {
                    Polarity::Must => purposes.push(purpose),
                    Polarity::MustNot if purposes.contains(&purpose) => norm.about = head.to_owned(),
                    Polarity::MustNot | Polarity::InsteadOf | Polarity::Only | Polarity::AskFirst => {}
                }
            }
            let spared = spared::taken_from(&mut norm, &sentences);
            let before = checks.len();
            let lowering = Lowering { norm: &norm, sentences: &sentences, context: &around };
            let goes_by_grammar =
                lowering.lies() || lowering.puts() || lowering.wants_tested() || lowering.names_branches();
            let known = rulebook::find(&norm, &sentences.terms)
                .or_else(|| with_unknown_exception(&norm, &sentences.terms))
                .filter(|_| !goes_by_grammar);
            if let Some((_, check)) = known.filter(|(_, check)| !goes_in_circles(check)) {
                used.extend(mentioned.iter().copied());
                wanted.extend(mentioned);
                checks.push(check);
                spared::leave_out(&mut checks, before, &spared.files);
                continue;
            }
            if norm.when.is_empty() && norm.polarity == Polarity::Must && !norm.stated {
                norm.when.extend(occasion_above(&around, text));
            }
            let lowering = Lowering { norm: &norm, sentences: &sentences, context: &around };
            if lowering.says_nothing() {
                // "Never use `a` for x, always use `b`": of two halves the second would stand alone.
                if norm.polarity == Polarity::MustNot {
                    wanted.extend(mentioned);
                }
                continue;
            }
            let lowered = if norm.stated { lowering.lower_stated() } else { lowering.lower() };
            // "Never wrap `a` in `b`": who leaves b out forbids more than the line does.
            let is_whole = |lowered: &Lowered| {
                let said: Vec<&str> = terms_at(&lowered.used, &sentences).map(|term| &*term.text).collect();
                // "Functions with a `session` must not call `session.commit()`": what is a part of another term narrows nothing.
                let narrows = |term: &Term| !said.iter().any(|whole| whole.contains(&term.text));
                norm.polarity != Polarity::MustNot
                    || !unused(&numbers(&norm.about), &lowered.used, &sentences).any(narrows)
            };
            if let Some(lowered) = lowered.filter(is_whole)
                && let Some(check) = made(&lowered.check, lowered.kind)
            {
                wanted.extend(mentioned);
                used.extend(lowered.used);
                checks.push(check);
            } else if let Some((_, check)) = rulebook::find_under(&norm, &sentences.terms, &nearest(&around))
                .filter(|(_, check)| !goes_in_circles(check))
            {
                used.extend(mentioned.iter().copied());
                wanted.extend(mentioned);
                checks.push(check);
            } else if let Some(check) = instances(&norm, &sentences, &around) {
                checks.push(check);
            } else if let Some(found) = listed(&norm, &sentences, &around) {
                wanted.extend(mentioned);
                used.extend(found.used);
                checks.extend(found.checks);
            } else if !norm.stated {
                wanted.extend(mentioned);
            }
            used.extend(spared.used);
            spared::leave_out(&mut checks, before, &spared.files);
        }
        // "PascalCase for classes: `Cart`": the label is the rule, and what follows shows how it looks.
        if checks.len() == from
            && sentences.shows_label(clause)
            && let Some(check) = by_label(clause, &sentences.terms)
        {
            used.extend(numbers(&clause.text));
            checks.push(check);
        }
        let endings = confined::languages(clause, context);
        for check in checks.iter_mut().skip(from).filter(|check| check.family.starts_with("rulebook/")) {
            if !endings.is_empty() {
                confined::confine(check, &endings);
            }
        }
        // "Deploy: push to `main`": how that is done, not how work is.
        if clause.labels.last().is_some_and(|label| SHIPS.is_match(label)) {
            only_wanted(&mut checks, from);
        }
        if at_best {
            wishes(&mut checks, from);
        }
    }
    let is_left = unused(&wanted, &used, &sentences).next().is_some();
    match (combined(checks), is_left) {
        (Some(check), false) => Reading::Tested(Box::new(check)),
        (check, _) => {
            let doubtful = || Reading::Doubtful(Box::new(hint::untestable(&sentences, text)));
            check.and_then(only_prohibitions).map_or_else(doubtful, |part| Reading::Tested(Box::new(part)))
        }
    }
}

fn terms_at<'s>(numbers: &'s [usize], sentences: &'s Sentences) -> impl Iterator<Item = &'s Term> {
    numbers.iter().filter_map(|number| sentences.terms.get(*number))
}

/// The terms in backticks among those that no check rests on; an example may be left out.
fn unused<'s>(
    wanted: &'s [usize],
    used: &'s [usize],
    sentences: &'s Sentences,
) -> impl Iterator<Item = &'s Term> {
    let left = wanted.iter().filter(|number| !used.contains(number));
    left.filter_map(|number| sentences.terms.get(*number))
        .filter(|term| term.marked == Marked::Backticks && !term.aside)
}

/// What is forbidden is forbidden whatever else the line says; that the whole line was followed nobody can tell from a part of it.
fn only_prohibitions(check: Check) -> Option<Check> {
    let part =
        Check { trigger: Vec::new(), maybe: Vec::new(), near: Vec::new(), expect: Vec::new(), ..check };
    (!part.forbid.is_empty()).then_some(part)
}

/// Compiles one line under its headings, outermost first.
pub fn compile(line: &str, headings: &[String]) -> Check {
    if line.len() > LONGEST_RULE_BYTES {
        let why = format!("it is longer than {LONGEST_RULE_BYTES} bytes");
        let reword = Some("say it in several lines, one rule each".into());
        return Check { family: "untestable".into(), why, reword, ..Check::default() };
    }
    let text = without_mark(line);
    let sentences = Sentences::of(text, headings, &Project::default());
    let cues = cues::of(text, &sentences);
    let mut check = match understood(sentences, text, headings) {
        Reading::Tested(check) => *check,
        Reading::Doubtful(check) => *check,
    };
    check.cues = cues;
    check.scope.project = cues::project(headings);
    check
}

/// Compiles the rules of a file: line number (from 1), its first line as written, how it is understood.
pub fn compile_memory(text: &str) -> Vec<(usize, String, Check)> {
    let file = RulesFile::parse(text);
    file.rules
        .into_iter()
        .map(|rule| (rule.line, rule.first_line.clone(), compile(&rule.text, &rule.context())))
        .collect()
}

/// "Never use destructive commands such as `x`": those at least are forbidden.
fn instances(norm: &Norm, sentences: &Sentences, around: &[String]) -> Option<Check> {
    let about = norm.instances.clone().filter(|_| norm.polarity == Polarity::MustNot)?;
    // "No force pushes: `x`, `y`" names commands; of other things behind a colon nobody knows whether they are the wrong way or the right one.
    let named = norm.about.contains(": §");
    let norm = Norm { about, instances: None, ..norm.clone() };
    // "Avoid functions that panic like `unwrap()`": what is commonly said of it, with what is spared.
    if let Some((_, check)) = rulebook::find(&norm, &sentences.terms).filter(|_| !named) {
        return Some(check);
    }
    let lowered = Lowering { norm: &norm, sentences, context: around }.lower()?;
    if named && lowered.kind != "forbidden-command" {
        return None;
    }
    made(&lowered.check, lowered.kind)
}

/// What the single items of a list mean.
struct Listed {
    checks: Vec<Check>,
    used: Vec<usize>,
}

pattern!(BY_HAND, r"^(?:by hand|manually|directly|it by hand|)$");
pattern!(ITEMS, r",? (?:and|or) |, ");

/// "Two-space indentation, trailing commas and no semicolons": each item is looked up by itself. Where one of them is not known, the
/// commas may part something else.
fn listed(norm: &Norm, sentences: &Sentences, around: &[String]) -> Option<Listed> {
    let mut pieces = Vec::new();
    let mut rest = norm.about.as_str();
    while let Some(joint) = ITEMS.find(rest) {
        pieces.push(rest.get(..joint.start()).unwrap_or(""));
        rest = rest.get(joint.end()..).unwrap_or("");
    }
    pieces.push(rest);
    if pieces.len() < 2 || !norm.when.is_empty() || norm.instead_of.is_some() || norm.stated {
        return None;
    }
    let labels: Bag = around.iter().take(2).flat_map(|label| bag::bag(&label.to_lowercase(), &[])).collect();
    let mut checks = Vec::new();
    let mut used = Vec::new();
    for piece in &pieces {
        let item = Clause { text: (*piece).to_owned(), forbids: None, labels: Vec::new() };
        let item = grammar::norms(&item).into_iter().next()?;
        let own = item.polarity != Polarity::Must || !item.act.is_empty();
        let item =
            if own { item } else { Norm { about: (*piece).to_owned(), instances: None, ..norm.clone() } };
        let known = rulebook::find(&item, &sentences.terms)
            .or_else(|| rulebook::find_under(&item, &sentences.terms, &labels));
        // "Imperative mood, at most 72 characters": lengths are in no book.
        let context = [norm.about.clone()];
        let limit = || Lowering { norm: &item, sentences, context: &context }.limit();
        let check = known
            .map(|(_, check)| check)
            .or_else(|| limit().and_then(|limit| made(&limit.check, limit.kind)))?;
        used.extend(mentioned(&item));
        checks.push(check);
    }
    Some(Listed { checks, used })
}

/// "Before committing" as the nearest heading is the occasion of the orders below it.
fn occasion_above(around: &[String], text: &str) -> Option<When> {
    if OPTIONAL.is_match(text) {
        return None;
    }
    let heading = around.first()?.to_lowercase();
    let when = grammar::condition(heading.trim_matches(|c: char| !c.is_alphanumeric()))?;
    // A commit or a push is one moment; under "When adding components" stands what may be of use there.
    let is_moment = |condition: &Value| condition.get("wrote").is_none();
    let sure = occasion::of(&when.words, &[])?.sure;
    (!sure.is_empty() && sure.iter().all(is_moment)).then_some(when)
}

pattern!(
    OPTIONAL,
    r"(?i)\boptional|\bif (?:needed|necessary|available|applicable|possible|required)\b|\bor\b.*\bskip\b"
);

/// The words of the nearest label or heading.
fn nearest(around: &[String]) -> Bag {
    around.first().map(|label| bag::bag(&label.to_lowercase(), &[])).unwrap_or_default()
}

/// "`x` to do y", "`x` for y": what is used, and what for.
fn purpose_of(about: &str) -> Option<(&str, &str)> {
    about.split_once(" to ").or_else(|| about.split_once(" for "))
}

/// The masked terms of a piece.
fn terms_of(masked: &str) -> Vec<String> {
    numbers(masked).iter().map(|number| format!("§{number}§")).collect()
}

/// What follows a word that stands for what was spoken of: "it", "this file".
fn behind_pronoun(norm: &Norm) -> Option<&str> {
    const NAMES: [&str; 6] = ["it", "them", "this file", "this document", "this guide", "that file"];
    let behind = NAMES.iter().filter_map(|name| norm.about.strip_prefix(name));
    let read_alone = norm.about == "this" && words().is_act(&norm.act, "read");
    behind.chain(read_alone.then_some("")).find(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// The terms that stand before "it": "`gen/` is generated, do not edit it".
fn before_pronoun(masked: &str) -> Vec<String> {
    terms_of(masked.split(" it").next().unwrap_or("").split(" them").next().unwrap_or(""))
}

/// The terms that a norm mentions.
fn mentioned(norm: &Norm) -> Vec<usize> {
    let mut pieces: Vec<&str> = vec![&norm.about];
    pieces.extend(norm.instead_of.as_deref());
    pieces.extend(norm.when.iter().map(|when| when.words.as_str()));
    pieces.extend(norm.within.iter().map(String::as_str));
    pieces.extend(norm.unless.iter().map(String::as_str));
    pieces.iter().flat_map(|piece| numbers(piece)).collect()
}

fn made(written: &Value, kind: &str) -> Option<Check> {
    let mut check = expand::check(&expand::with_open_names(written), &Slots::new()).ok()?;
    check.testable = true;
    check.family = format!("norm/{kind}");
    (!goes_in_circles(&check)).then_some(check)
}

pattern!(SHIPS, r"^(?:to )?(?:deploy(?:s|ment|ing)?|releas(?:e|es|ing)|publish(?:ing)?|hosting)$");

/// "Use `x` where possible": who does so follows; of who does not nobody knows whether it was possible.
fn wishes(checks: &mut Vec<Check>, from: usize) {
    only_wanted(checks, from);
    for check in checks.iter_mut().skip(from) {
        check.why.push_str(" where possible");
    }
}

/// "Use a instead of b (except for c)": who uses a follows; who uses b may have had to do with c.
fn with_unknown_exception(norm: &Norm, terms: &[Term]) -> Option<(&'static str, Check)> {
    let known = |unless: &String| matches!(bag::exception(unless), bag::UNLESS_ASKED | bag::UNLESS_SOFT);
    if norm.polarity == Polarity::MustNot || norm.unless.iter().all(known) {
        return None;
    }
    let plain = Norm { unless: Vec::new(), ..norm.clone() };
    let (name, check) = rulebook::find(&plain, terms)?;
    let mut checks = vec![check];
    only_wanted(&mut checks, 0);
    Some((name, checks.pop()?))
}

/// What is commonly said in the words of a label alone.
fn by_label(clause: &Clause, terms: &[Term]) -> Option<Check> {
    const LEAST_WORDS: usize = 2;
    let (label, around) = clause.labels.split_last()?;
    let own = Clause { text: label.clone(), forbids: clause.forbids, labels: around.to_vec() };
    let said = label.split_whitespace().count() >= LEAST_WORDS;
    let norm = grammar::norms(&own).into_iter().next().filter(|_| said)?;
    rulebook::find(&norm, terms).map(|(_, check)| check)
}

/// Leaves the checks from a place on what they want, and nothing that breaks them.
fn only_wanted(checks: &mut Vec<Check>, from: usize) {
    for check in checks.iter_mut().skip(from) {
        check.forbid.clear();
        check.unmet = Unmet::Open;
    }
    let mut at = 0;
    checks.retain(|check| {
        at += 1;
        at <= from || !check.expect.is_empty()
    });
}

/// Whether its occasion is already what it asks for: it could only be followed.
fn goes_in_circles(check: &Check) -> bool {
    fn paths(condition: &Condition) -> Option<&[Glob]> {
        if let Condition::Wrote(wrote) = condition { Some(&wrote.paths) } else { None }
    }
    let occasions: Vec<_> = check.trigger.iter().filter_map(paths).collect();
    let mut wanted = check.expect.iter().flat_map(|expect| &expect.any).filter_map(paths);
    wanted.any(|paths| !paths.is_empty() && occasions.contains(&paths))
}

/// One check of all norms: what one forbids the line forbids; what several ask for on one occasion it asks for.
fn combined(checks: Vec<Check>) -> Option<Check> {
    let mut all = checks.into_iter();
    let mut whole = all.next()?;
    for next in all {
        if whole.trigger.is_empty() && whole.expect.is_empty() {
            let forbid = std::mem::take(&mut whole.forbid);
            let unless = std::mem::take(&mut whole.unless);
            whole = Check { why: both(&whole.why, &next.why), ..next };
            whole.forbid.splice(0..0, forbid);
            whole.unless.extend(unless);
        } else if next.trigger == whole.trigger && !whole.trigger.is_empty() {
            whole.expect.extend(next.expect);
            whole.forbid.extend(next.forbid);
            whole.why = both(&whole.why, &next.why);
        } else {
            whole.forbid.extend(next.forbid);
            if whole.trigger.is_empty() && next.trigger.is_empty() {
                if whole.expect.len() > 1 || next.expect.len() > 1 {
                    // Where one of them asks for several things at once, one thing shows nothing.
                    whole.expect.extend(next.expect);
                } else {
                    merge_either(&mut whole, next.expect.into_iter().flat_map(|expect| expect.any).collect());
                }
            }
            whole.unless.extend(next.unless);
            whole.why = both(&whole.why, &next.why);
        }
        whole.mixed = Mixed::Missed;
    }
    Some(whole)
}

/// What two checks look for, in words; once if it is the same.
fn both(one: &str, other: &str) -> String {
    if one.split("; ").any(|said| said == other) { one.to_owned() } else { format!("{one}; {other}") }
}

/// Where no occasion is known, each thing that is asked for shows that the line was followed.
fn merge_either(whole: &mut Check, more: Vec<Condition>) {
    match whole.expect.first_mut() {
        Some(first) => first.any.extend(more),
        None if !more.is_empty() => {
            whole.expect.push(Expect::any(more));
        }
        None => {}
    }
}
