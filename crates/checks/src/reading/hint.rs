//! A line that cannot be tested: why, and how to word it so that it can be.

use crate::language::Check;
use crate::text::pattern;

use super::norm::{Marked, Norm, Polarity, Term, TermKind};
use super::occasion;
use super::sentence::{Sentences, numbers};
use super::words::words;

pattern!(FOREIGN, r"[^\x00-\x{24F}\x{2000}-\x{2BFF}\x{1F000}-\x{1FAFF}\x{FE0F}]");

// Something is said not to be done: "is never committed", "must not be edited".
pattern!(DENIED, r"\b(?:is|are|gets?|be)\s+(?:never|not)\b|\b(?:never|not)\s+(?:be|get)\b");

/// The check of a line that is not understood.
pub(super) fn untestable(sentences: &Sentences, text: &str) -> Check {
    let (why, reword) = reasons(sentences, text);
    Check { family: "untestable".into(), why, reword, ..Check::default() }
}

/// Why a line is not understood, and how it would be, where something fits.
fn reasons(sentences: &Sentences, text: &str) -> (String, Option<String>) {
    let said = |why: &str, reword: &str| (why.to_owned(), Some(reword.to_owned()));
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
    let norms = sentences.norms();
    // A no that was not understood as one: advice that names its term would be for the other side.
    let is_misread = DENIED.is_match(text) && norms.iter().all(|norm| norm.polarity != Polarity::MustNot);
    if is_misread {
        return said("no order is recognised in it", "say what to do or to leave, and when");
    }
    if !sentences.ask(&norms) {
        return said(
            "it tells how something is, and asks for nothing",
            "say what to do or to leave, if it is meant as a rule",
        );
    }
    if norms.iter().any(|norm| norm.judged) {
        return said(
            "where it holds is a matter of judgement",
            "name where it holds (files, a command, an occasion), or leave the exception out",
        );
    }
    if let Some(occasion) = unseen_occasion(sentences, &norms) {
        return (
            format!("whether \"{occasion}\" is the case does not show in commands, files or words"),
            Some("name the occasion by what is run or changed then".to_owned()),
        );
    }
    if let Some((term, norm)) = own_term(sentences, &norms) {
        return with_term(&term.text, term.kind, norm);
    }
    if let Some(word) = judged_by(text) {
        return (
            format!("\"{word}\" is a matter of judgement"),
            Some(
                "name what shows it: a term that may not appear, a limit that a linter checks, a command to run"
                    .to_owned(),
            ),
        );
    }
    if norms.iter().all(|norm| norm.polarity == Polarity::MustNot) {
        return said(
            "what it forbids leaves no trace of its own in commands, files or words",
            "name in backticks what may not appear, be run or be edited, if there is such a thing",
        );
    }
    said(
        "what it asks for leaves no trace of its own in commands, files or words",
        "name in backticks the command, file or term that shows it, if there is one",
    )
}

/// The words of an occasion that is not understood, as they stand in the line.
fn unseen_occasion(sentences: &Sentences, norms: &[Norm]) -> Option<String> {
    const MOST_WORDS: usize = 9;
    let all = norms.iter().flat_map(|norm| &norm.when);
    let unseen = all.filter(|when| occasion::of(&when.words, &sentences.terms).is_none());
    let mut written = unseen.map(|when| sentences.written(&when.words));
    written.find(|words| words.split(' ').count() <= MOST_WORDS && !words.is_empty())
}

/// The first term in backticks that an order mentions, and the order.
fn own_term<'s>(sentences: &'s Sentences, norms: &'s [Norm]) -> Option<(&'s Term, &'s Norm)> {
    norms.iter().filter(|norm| !norm.stated).find_map(|norm| {
        let terms = numbers(&norm.about).into_iter().filter_map(|number| sentences.terms.get(number));
        let mut own = terms.filter(|term| term.marked == Marked::Backticks && !term.aside);
        Some((own.next()?, norm))
    })
}

/// Why a norm with this term is not understood, and how it would be, on the same side, where that fits its verb.
fn with_term(name: &str, kind: TermKind, norm: &Norm) -> (String, Option<String>) {
    let forbids = norm.polarity == Polarity::MustNot;
    let acts = words().acts(&norm.act);
    let is = |kinds: &[&str]| acts.iter().any(|act| kinds.contains(&act.as_str()));
    let runs = norm.act.is_empty() || is(&["run", "use", "verify"]);
    let writes = norm.act.is_empty() || is(&["use", "code"]);
    let is_flag = name.contains(|c: char| c.is_alphanumeric());
    let is_address = name.starts_with('/');
    let is_made_up = super::lower::stands_for_others(name);
    let reword = match (kind, forbids) {
        _ if is_made_up => None,
        (TermKind::Command, true) if runs => {
            Some(format!("say only what is not to be run: \"Never run `{name}`.\""))
        }
        (TermKind::Command, false) if runs && norm.when.is_empty() => {
            Some(format!("say when it is run: \"Before committing, run `{name}`.\""))
        }
        (TermKind::Flag, true) if is_flag && runs => {
            Some(format!("say of which command: \"Never run `… {name}`.\""))
        }
        (TermKind::Flag, false) if is_flag && runs => {
            Some(format!("write out the whole command: \"Run `… {name}`.\""))
        }
        (TermKind::Path, true) if is(&["edit", "delete", "write", "place"]) && norm.unless.is_empty() => {
            Some(format!("say what is not done with it: \"Never edit `{name}`.\""))
        }
        (TermKind::Path, false) if is_address => None,
        (TermKind::Path, false) if is(&["read"]) && norm.when.is_empty() => {
            Some(format!("say before what `{name}` is read"))
        }
        (TermKind::Path, false) if is(&["edit"]) && norm.when.is_empty() => {
            Some(format!("say after which changes `{name}` is updated"))
        }
        (TermKind::Path, false) if is(&["place"]) && !is_file(name) => {
            Some(format!("say which files go to `{name}`"))
        }
        (TermKind::Identifier, true) if writes => {
            Some(format!("name the files in which `{name}` may not stand"))
        }
        (TermKind::Template, false) if is(&["name"]) => Some(format!("say what is named `{name}`")),
        (TermKind::Identifier, false)
            if is(&["use"]) && norm.act != "work" && norm.when.is_empty() && norm.instead_of.is_none() =>
        {
            Some(format!("say what `{name}` takes the place of"))
        }
        _ => None,
    };
    let why = if forbids {
        format!("where or when `{name}` is not wanted does not show in a transcript")
    } else {
        format!("what is done with `{name}`, and when, does not show in a transcript")
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
        for (line, why, hint) in [
            ("Update `src/hooks.ts` when hooks are renamed.", "\"hooks are renamed\"", "name the occasion"),
            (
                "Never use `getSession()` for auth decisions.",
                "`getSession()` is not wanted",
                "the files in which `getSession()`",
            ),
            ("Never use `any` unless necessary.", "judgement", "leave the exception out"),
            ("Take the colours from `frontend/src/styles.css`.", "`frontend/src/styles.css`", ""),
            ("Update both `README.md` and `docs/README.md`.", "`README.md`", "after which changes"),
            ("No imports may reference `.ts` files.", "`*.ts`", ""),
            ("Merge only stable features into `main`.", "`main`", ""),
            ("All unknown routes should redirect to `/projects`.", "`/projects`", ""),
            ("Be kind.", "leaves no trace", "if there is one"),
            ("Write meaningful names.", "judgement", "name what shows it"),
            ("The server listens on a port of its own.", "asks for nothing", "say what to do"),
            ("`.env` is never committed", "no order", "say what to do or to leave"),
            ("Follow these steps:", "breaks off", "on one line"),
            ("文件名使用小写", "only English", "English"),
        ] {
            let check = compile(line, &[]);
            assert!(!check.testable, "{line}");
            let reword = check.reword.unwrap_or_default();
            let fits = if hint.is_empty() { reword.is_empty() } else { reword.contains(hint) };
            assert!(fits && check.why.contains(why), "{line}: {}: {reword}", check.why);
        }
    }

    #[test]
    fn what_a_line_is_taken_for_is_said_in_sentences() {
        for (line, why) in [
            ("Run `make lint` and `make test`.", "`make lint` and `make test` are run"),
            ("Run `make lint` or `make test`.", "`make lint` or `make test` is run"),
            ("Lint and test before committing.", "the linter and the tests are run"),
            ("Use SwiftUI.", "swiftui is used"),
            ("Use SwiftUI, not UIKit.", "swiftui and not uikit"),
            ("Do not create `agent.md`.", "`agent.md` is not created"),
            ("Never edit `a.lock` and `b.lock`.", "`a.lock` and `b.lock` stay as they are"),
            (
                "Commit subjects are ~70 characters.",
                "commit subjects have about 70 characters (counted from 78)",
            ),
            ("Use `app()` instead of `new`.", "`app()` is written"),
            (
                "Never run `terraform apply` without permission.",
                "`terraform apply` is not run unless a person asks for it",
            ),
            ("Update `a.md` and `b.md` when changing the API.", "`a.md` and `b.md` are updated"),
            ("Do not use `final` or `readonly` classes.", "`final` and `readonly` classes are not written"),
        ] {
            assert_eq!(compile(line, &[]).why, why, "{line}");
        }
    }
}
