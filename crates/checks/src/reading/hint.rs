//! A line that cannot be tested: why, and how to word it so that it can be.

use crate::language::Check;
use crate::text::pattern;

use super::grammar;
use super::norm::{Marked, Norm, Polarity, Term, TermKind};
use super::sentence::{Sentences, numbers};
use super::words::words;

pattern!(FOREIGN, r"[^\x00-\x{24F}\x{2000}-\x{2BFF}\x{1F000}-\x{1FAFF}\x{FE0F}]");

// Something is said not to be done: "is never committed", "must not be edited".
pattern!(DENIED, r"\b(?:is|are|gets?|be)\s+(?:never|not)\b|\b(?:never|not)\s+(?:be|get)\b");

/// The check of a line that is not understood.
pub(super) fn untestable(sentences: &Sentences, text: &str) -> Check {
    let (why, reword) = reasons(sentences, text);
    Check { family: "untestable".into(), why, reword: Some(reword), ..Check::default() }
}

fn reasons(sentences: &Sentences, text: &str) -> (String, String) {
    let said = |why: &str, reword: &str| (why.to_owned(), reword.to_owned());
    if sentences.clauses.is_empty() {
        let foreign = FOREIGN.is_match(text);
        let why = if foreign { "only English can be read without a model" } else { "it says nothing" };
        return said(why, "say in English what to do, and when");
    }
    if text.trim_end().trim_end_matches('*').ends_with([':', ',']) {
        return said(
            "it breaks off, or its points stand on other lines",
            "say on one line what to do, and when",
        );
    }
    let norms: Vec<Norm> = sentences.clauses.iter().flat_map(grammar::norms).collect();
    let orders = |norm: &Norm| !norm.stated && (!norm.act.is_empty() || norm.urged);
    let asks =
        sentences.clauses.iter().any(|clause| clause.forbids.is_some() || grammar::orders(&clause.text));
    // A no that was not understood as one: advice that names its term would be for the other side.
    let is_misread = DENIED.is_match(text) && norms.iter().all(|norm| norm.polarity != Polarity::MustNot);
    if is_misread || (!asks && !norms.iter().any(orders)) {
        return said(
            "no order is recognised in it",
            "say what to do or to leave, and when: \"Before committing, run `make test`.\"",
        );
    }
    if let Some((term, norm)) = own_term(sentences, &norms) {
        let name = &term.text;
        let (why, reword) = with_term(name, term.kind, norm);
        return (why, format!("{reword}, if that is what is meant"));
    }
    if let Some(word) = judged_by(text) {
        return (
            format!("\"{word}\" is a matter of judgement"),
            "name what shows it: a term that may not appear, a limit that a linter checks, a command to run"
                .into(),
        );
    }
    if norms.iter().any(|norm| !norm.when.is_empty() || !norm.unless.is_empty()) {
        return said(
            "neither its occasion nor what it asks for shows in commands, files or words",
            "name an occasion that shows (before committing, after editing `src/api/`, when adding a dependency), and in backticks the command, file or term",
        );
    }
    if norms.iter().all(|norm| norm.polarity == Polarity::MustNot) {
        return said(
            "what it forbids has no trace of its own in commands, files or words",
            "name in backticks what may not appear, be run or be edited: \"Never use `eval()`.\", \"Never edit `vendor/`.\"",
        );
    }
    said(
        "what it asks for leaves no trace of its own in commands, files or words",
        "name in backticks the command, file or term that shows it, and the occasion: \"After editing `docs/`, run `make docs`.\"",
    )
}

/// The first term in backticks that an order mentions, and the order.
fn own_term<'s>(sentences: &'s Sentences, norms: &'s [Norm]) -> Option<(&'s Term, &'s Norm)> {
    norms.iter().filter(|norm| !norm.stated).find_map(|norm| {
        let terms = numbers(&norm.about).into_iter().filter_map(|number| sentences.terms.get(number));
        let mut own = terms.filter(|term| term.marked == Marked::Backticks && !term.aside);
        Some((own.next()?, norm))
    })
}

/// Why a norm with this term is not understood, and how it would be, on the same side.
fn with_term(name: &str, kind: TermKind, norm: &Norm) -> (String, String) {
    let forbids = norm.polarity == Polarity::MustNot;
    let reword = match (kind, forbids) {
        (TermKind::Command, true) => format!("say only what is not to be run: \"Never run `{name}`.\""),
        (TermKind::Command, false) => format!("say when it is run: \"Before committing, run `{name}`.\""),
        (TermKind::Flag, true) => format!("say of which command: \"Never run `… {name}`.\""),
        (TermKind::Flag, false) => format!("write out the whole command: \"Run `… {name}`.\""),
        (TermKind::Path, true) => format!("say what is not done with it: \"Never edit `{name}`.\""),
        (TermKind::Path, false) if words().is_act(&norm.act, "read") => {
            format!("say before what: \"Read `{name}` before editing `src/`.\"")
        }
        (TermKind::Path, false) if words().is_act(&norm.act, "edit") => {
            format!("say after which edits: \"After editing `src/api/`, update `{name}`.\"")
        }
        (TermKind::Path, false) if is_file(name) => {
            format!("say what is done with it, and when: \"Read `{name}` before editing `src/`.\"")
        }
        (TermKind::Path, false) => format!("say what goes there: \"Tests live in `{name}`.\""),
        (TermKind::Identifier | TermKind::Template, true) => {
            format!("name the files that it holds for: \"Never use `{name}` in `src/ui/`.\"")
        }
        (TermKind::Template, false) => {
            format!("say what is named so: \"Branches are named `{name}`.\"")
        }
        (TermKind::Identifier, false) => {
            format!("say what it takes the place of: \"Use `{name}` instead of `…`.\"")
        }
    };
    let why = if forbids {
        format!("where or when `{name}` is not wanted does not show in a transcript")
    } else {
        format!("when `{name}` is wanted, and what is done with it, does not show in a transcript")
    };
    (why, reword)
}

/// Whether a path is one file's, and not a folder's or that of many.
fn is_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.trim_start_matches('.').contains('.') && !name.contains('*')
}

/// The first word of a line that says how well something is to be done.
fn judged_by(text: &str) -> Option<&'static str> {
    let said = crate::text::words(text);
    words().judgement.iter().find(|word| said.contains(word)).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use crate::compile;

    #[test]
    fn a_hint_takes_the_side_of_its_line() {
        for (line, hint) in [
            ("Update `src/hooks.ts` when hooks are renamed.", "update `src/hooks.ts`"),
            ("Never use `getSession()` for auth decisions.", "Never use `getSession()`"),
            ("Take the colours from `frontend/src/styles.css`.", "Read `frontend/src/styles.css`"),
            ("Staging tags are named `v<version>-rc-<N>`.", "named so"),
            ("Write meaningful names.", "name what shows it"),
            ("The server listens on a port of its own.", "say what to do"),
            ("`.env` is never committed", "say what to do or to leave"),
            ("Follow these steps:", "on one line"),
            ("文件名使用小写", "English"),
        ] {
            let check = compile(line, &[]);
            assert!(!check.testable, "{line}");
            let reword = check.reword.unwrap_or_default();
            assert!(reword.contains(hint), "{line}: {}: {reword}", check.why);
        }
    }
}
