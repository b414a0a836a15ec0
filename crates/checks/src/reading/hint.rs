//! A line that cannot be tested: why, and how to word it so that it can be.

use crate::language::Check;
use crate::text::pattern;

use super::grammar;
use super::norm::{Marked, Norm, Term, TermKind};
use super::sentence::Sentences;
use super::words::words;

pattern!(FOREIGN, r"[^\x00-\x{24F}\x{2000}-\x{2BFF}\x{1F000}-\x{1FAFF}\x{FE0F}]");

/// The check of a line that is not understood.
pub(super) fn untestable(sentences: &Sentences, text: &str) -> Check {
    let (why, reword) = reasons(sentences, text);
    Check { family: "untestable".into(), why, reword: Some(reword), ..Check::default() }
}

fn reasons(sentences: &Sentences, text: &str) -> (String, String) {
    if sentences.clauses.is_empty() {
        let why = if FOREIGN.is_match(text) {
            "only English can be read without a model"
        } else {
            "it says nothing"
        };
        return (why.into(), "say in English what to do, and when".into());
    }
    if text.trim_end().ends_with([':', ',']) {
        let reword = "say it in one sentence, or put each point on a line of its own".into();
        return ("it goes on behind its end".into(), reword);
    }
    let norms: Vec<Norm> = sentences.clauses.iter().flat_map(grammar::norms).collect();
    let orders: Vec<&Norm> = norms.iter().filter(|norm| is_order(norm)).collect();
    if orders.is_empty() {
        let reword = "say what to do or to leave, and when: \"Before committing, run `make test`.\"";
        return ("it says how things are, not what to do".into(), reword.into());
    }
    let own = |term: &&Term| term.marked == Marked::Backticks && !term.aside;
    if let Some(term) = sentences.terms.iter().find(own) {
        let name = &term.text;
        return (
            format!("what is to be done with `{name}`, and when, is not clear from the words"),
            with_term(term),
        );
    }
    if let Some(word) = judged_by(text) {
        let reword =
            "name what shows it: a term that may not appear, a limit that a linter checks, a command to run";
        return (format!("\"{word}\" is a matter of judgement"), reword.into());
    }
    if orders.iter().any(|norm| !norm.when.is_empty() || !norm.unless.is_empty()) {
        let reword = "name an occasion that shows: before committing, after editing `src/api/`, when adding a dependency; and in backticks the command, file or term";
        return (
            "neither its occasion nor what it asks for shows in commands, files or words".into(),
            reword.into(),
        );
    }
    let reword = "name in backticks the command, file or term that shows it, and the occasion: \"After editing `docs/`, run `make docs`.\"";
    (
        "what it asks for leaves no trace in commands, files or words that can be told apart".into(),
        reword.into(),
    )
}

/// How to say it with a term of the line.
fn with_term(term: &Term) -> String {
    let name = &term.text;
    match term.kind {
        TermKind::Command => format!(
            "say when it is run, or that it is not: \"Before committing, run `{name}`.\", \"Never run `{name}`.\""
        ),
        TermKind::Flag => format!("say of which command: \"Never pass `{name}` to `git push`.\""),
        TermKind::Path => format!(
            "say what is done with it: \"Never edit `{name}`.\", \"Read `{name}` before editing `src/`.\""
        ),
        TermKind::Identifier | TermKind::Template => format!(
            "say that it is used or not, in which files, and instead of what: \"In `src/`, use `{name}`, not `…`.\""
        ),
    }
}

fn is_order(norm: &Norm) -> bool {
    !norm.stated && (!norm.act.is_empty() || norm.urged || !norm.when.is_empty())
}

/// The first word of a line that says how well something is to be done.
fn judged_by(text: &str) -> Option<&'static str> {
    let said = crate::text::words(text);
    words().judgement.iter().find(|word| said.contains(word)).map(String::as_str)
}
