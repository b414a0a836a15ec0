//! "Except in tests", "except in `scripts/`": files in which a prohibition does not hold.

use serde_json::json;

use crate::language::{Check, Condition, Glob};
use crate::text::pattern;

use super::bag;
use super::expand;
use super::norm::{Norm, Polarity, TermKind};
use super::occasion;
use super::sentence::{Sentences, numbers};

/// Files that a norm spares, and the terms that name them.
#[derive(Debug, Default)]
pub(super) struct Spared {
    pub(super) files: Vec<Glob>,
    pub(super) used: Vec<usize>,
}

pattern!(INTO, r"^(?:in|inside|within|for|from) (?:the )?");
pattern!(WHERE, r" (?:where|when|if) .*$");

/// Takes the exceptions that name files off a prohibition.
pub(super) fn taken_from(norm: &mut Norm, sentences: &Sentences) -> Spared {
    let mut spared = Spared::default();
    if norm.polarity != Polarity::MustNot {
        return spared;
    }
    norm.unless.retain(|unless| {
        let place = WHERE.replace_all(unless, "");
        let Some(files) = files_of(&INTO.replace_all(&place, ""), sentences) else { return true };
        spared.files.extend(files);
        spared.used.extend(numbers(unless));
        false
    });
    spared
}

/// The files that an exception in a sentence of its own spares, when it names nothing else.
pub(super) fn by_clause(piece: &str, sentences: &Sentences) -> Option<Vec<Glob>> {
    files_of(&INTO.replace_all(piece, ""), sentences)
}

/// The files that a piece names, when it names nothing else.
fn files_of(piece: &str, sentences: &Sentences) -> Option<Vec<Glob>> {
    let terms: Vec<_> = numbers(piece).into_iter().filter_map(|number| sentences.terms.get(number)).collect();
    let said = bag::bag(piece, &sentences.terms);
    let paths: Vec<String> = if terms.is_empty() {
        occasion::named(&said)?.paths.clone()
    } else {
        let plain = said.iter().all(|word| word.starts_with('`') || occasion::is_file_word(word));
        let all = terms.iter().all(|term| term.kind == TermKind::Path);
        (all && plain).then(|| terms.iter().map(|term| term.text.clone()).collect())?
    };
    let spelled_out = expand::conditions(&json!({ "wrote": { "except": paths } }));
    spelled_out
        .into_iter()
        .find_map(|condition| if let Condition::Wrote(wrote) = condition { Some(wrote.except) } else { None })
}

/// Leaves files out of the checks from a place on. What is forbidden elsewhere than in files cannot be spared there.
pub(super) fn leave_out(checks: &mut Vec<Check>, from: usize, files: &[Glob]) {
    if files.is_empty() {
        return;
    }
    for check in checks.iter_mut().skip(from) {
        check.forbid.retain_mut(|condition| {
            let except = if let Condition::Wrote(wrote) = condition {
                &mut wrote.except
            } else if let Condition::Added(added) = condition {
                &mut added.except
            } else {
                return false;
            };
            except.extend(files.iter().cloned());
            true
        });
    }
    let mut at = 0;
    checks.retain(|check| {
        at += 1;
        at <= from || !check.forbid.is_empty()
    });
}
