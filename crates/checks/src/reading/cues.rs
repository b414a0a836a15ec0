//! What ties a person's remark to a line: its words, its code, the documents it points to; and the project its section names.

use crate::language::{Cues, globs};
use crate::orders::is_verb;
use crate::text::{self, pattern};

use super::grammar;
use super::norm::{Marked, Norm, Polarity, Term, TermKind};
use super::sentence::{Clause, Sentences};

/// The cues of a line, by its words and by what they say.
pub(crate) fn of(text: &str, sentences: &Sentences) -> Cues {
    let against = sentences.clauses.iter().flat_map(ruled_out);
    Cues {
        stems: content_stems(text),
        code: named(sentences).map(|term| term.text.clone()).collect(),
        against: against.flat_map(|piece| text::content_stems(&sentences.written(&piece))).collect(),
        pointers: globs(pointers(sentences)),
    }
}

pattern!(
    CALL,
    r"(?i)^(?:critical|important|mandatory|warning|note|rule|required|attention|caution|always remember|remember|non-negotiable|hard rule|nb|n\.b\.)(?: rule| note)?[*_]*\s*[:!]"
);

/// The stems of a line's content words, without those that only call for attention.
pub(super) fn content_stems(text: &str) -> Vec<String> {
    let words = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    text::content_stems(words.get(CALL.find(words).map_or(0, |call| call.end())..).unwrap_or(words))
}

/// The code terms; the words in quotation marks are words.
fn named(sentences: &Sentences) -> impl Iterator<Item = &Term> {
    sentences.terms.iter().filter(|term| term.marked != Marked::Quotes)
}

// "Never use destructive commands such as `a` or broad `b`".
pattern!(
    EXAMPLES,
    r"\b(?:such as|like|including|e\.g\.,?) (.+?)(?: (?:unless|instead|rather|because|but|to)\b|, (?:use|prefer|always)\b|$)"
);

/// What a clause is against.
fn ruled_out(clause: &Clause) -> Vec<String> {
    let norms = grammar::norms(clause);
    let mut found: Vec<String> = norms.iter().flat_map(against).map(str::to_owned).collect();
    if norms.iter().any(|norm| norm.polarity == Polarity::MustNot) {
        let examples = EXAMPLES.captures_all(&clause.text);
        found.extend(examples.iter().filter_map(|some| Some(some.get(1)?.as_str().to_owned())));
    }
    found
}

pattern!(
    AUXILIARY,
    r"(?:^|\s)(?:do|does|did|is|are|was|were|can|could|should|must|will|would|may|might|has|have|if|or|but|whether)$"
);

/// What a norm is against.
fn against(norm: &Norm) -> Vec<&str> {
    if norm.polarity != Polarity::MustNot {
        // "Say what was not tested": no swap.
        let swapped = norm.instead_of.as_deref().filter(|_| !AUXILIARY.is_match(&norm.about));
        return swapped.into_iter().collect();
    }
    // "No mocks": what looks like the deed is the thing.
    let thing = Some(norm.act.as_str()).filter(|act| !is_verb(act));
    thing.into_iter().chain([norm.about.as_str()]).collect()
}

/// The documents that a line points to: dossiers by their names, files by words such as "see" and "read".
fn pointers(sentences: &Sentences) -> Vec<String> {
    const REFERS: [&str; 9] =
        ["see", "follow", "follows", "read", "consult", "per", "according to", "described in", "check"];
    let mut paths = dossiers(&sentences.masked);
    if REFERS.iter().any(|word| contains_phrase(&sentences.masked, word)) {
        let documents = named(sentences).filter(|term| term.kind == TermKind::Path);
        paths.extend(documents.map(|term| term.text.clone()).filter(|path| path.ends_with(".md")));
    }
    paths
}

/// Whether a phrase stands in a text as whole words.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    let boundary = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let stands_at = |at: usize| {
        let (head, tail) = text.split_at_checked(at)?;
        let behind = tail.strip_prefix(phrase)?;
        (boundary(head.chars().next_back()) && boundary(behind.chars().next())).then_some(())
    };
    let Some(first) = phrase.as_bytes().first() else { return false };
    let starts = text.bytes().enumerate().filter(|(_, byte)| byte == first);
    starts.into_iter().any(|(at, _)| stands_at(at).is_some())
}

/// The files of `[[topic-x]]` and `[[entity-x]]`.
fn dossiers(masked: &str) -> Vec<String> {
    let mut found = Vec::new();
    for piece in masked.split("[[").skip(1) {
        let Some((name, _)) = piece.split_once("]]") else { continue };
        let slug = name.strip_prefix("topic-").or_else(|| name.strip_prefix("entity-")).unwrap_or(name);
        found.extend([
            format!("topics/{slug}.md"),
            format!("topics/{name}.md"),
            format!("entities/{slug}.md"),
            format!("entities/{name}.md"),
        ]);
    }
    found
}

/// The project that a section `## Project: <path>` names.
pub(crate) fn project(headings: &[String]) -> Option<String> {
    headings.iter().rev().find_map(|heading| {
        let rest = heading.trim_start_matches('#').trim();
        rest.strip_prefix("Project:")
            .or_else(|| rest.strip_prefix("project:"))
            .map(|name| name.trim().trim_matches('`').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use crate::compile;

    #[test]
    fn what_a_line_is_against_is_what_it_rules_out() {
        for (line, against) in [
            ("Use pnpm, not npm.", "npm"),
            ("Prefer `slog` over `log`.", "log"),
            ("Never commit secrets.", "secret"),
            ("No mocks.", "mock"),
            ("Never edit files in `gen/`; change the templates instead.", "fil gen"),
            ("- [ ] No deep nesting", "deep nest"),
            (
                "Never run destructive commands such as `rm -rf` or broad deletes.",
                "destructiv command rm rf broad delet",
            ),
            ("Never run `make apply` without explicit approval.", "apply"),
            ("Always mention what was not tested.", ""),
            ("Keep functions short.", ""),
        ] {
            assert_eq!(compile(line, &[]).cues.against.join(" "), against, "{line}");
        }
        assert_eq!(compile("Magic numbers", &["Never".into()]).cues.against, ["magic", "number"]);
    }

    #[test]
    fn words_and_terms_are_known_in_every_language_and_a_call_for_attention_is_none() {
        let cues = compile("**IMPORTANT**: Run `make lint` (see `docs/lint.md`).", &[]).cues;
        assert_eq!(cues.stems, ["run", "lint", "doc", "md"]);
        assert_eq!(cues.code, ["make lint", "docs/lint.md"]);
        assert_eq!(cues.pointers.len(), 1);
        let foreign = compile("提交前运行 `make lint`", &[]).cues;
        assert_eq!(foreign.code, ["make lint"]);
        assert!(foreign.stems.contains(&"lint".to_owned()), "{:?}", foreign.stems);
    }
}
