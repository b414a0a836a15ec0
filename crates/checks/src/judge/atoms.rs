//! Pieces of text without which an expression or a stem cannot be found.

use regex_syntax::hir::{Class, Hir, HirKind};

/// A shorter piece stands in nearly every text.
const LEAST_ATOM_BYTES: usize = 3;
/// The start of a piece is enough, and a finder grows with every byte of what it looks for.
const MOST_ATOM_BYTES: usize = 64;
/// More pieces than this are hardly narrower than none.
const MOST_ATOMS: usize = 64;

/// Pieces in lower case, one of which stands in every text that the expression matches; nothing when that cannot be told.
pub(crate) fn of_expression(source: &str) -> Option<Vec<String>> {
    required(&regex_syntax::parse(source).ok()?)
}

/// The piece that stands in every text with a word of this stem.
pub(crate) fn of_stem(stem: &str) -> Option<String> {
    // `ies` became `y`, and `isation` became `iz`; anything else only cuts the word short.
    let start = stem.split('\'').next().unwrap_or(stem);
    let start = if start.len() < stem.len() {
        start
    } else {
        start.strip_suffix('y').or_else(|| start.strip_suffix("iz")).unwrap_or(start)
    };
    atom(start).filter(|_| start.is_ascii())
}

fn required(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(_) | HirKind::Class(_) => atom(&letters(hir)?).map(|atom| vec![atom]),
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Concat(parts) => required_of_any(parts),
        HirKind::Alternation(branches) => {
            let mut found = Vec::new();
            for branch in branches {
                found.extend(required(branch)?);
            }
            found.sort_unstable();
            found.dedup();
            (found.len() <= MOST_ATOMS).then_some(found)
        }
        HirKind::Repetition(_) | HirKind::Look(_) | HirKind::Empty => None,
    }
}

/// The best of what the parts of a sequence require: its longest run of letters, or a part's own pieces.
fn required_of_any(parts: &[Hir]) -> Option<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    let mut run = String::new();
    for part in parts {
        match letters(part) {
            Some(letters) => run.push_str(&letters),
            // A boundary takes no room: what stands before it touches what stands behind it.
            None if matches!(part.kind(), HirKind::Look(_)) => {}
            None => {
                found.extend(atom(&std::mem::take(&mut run)).map(|atom| vec![atom]));
                found.extend(required(part));
            }
        }
    }
    found.extend(atom(&run).map(|atom| vec![atom]));
    found.into_iter().max_by_key(|atoms| {
        (atoms.iter().map(String::len).min().unwrap_or(0), std::cmp::Reverse(atoms.len()))
    })
}

fn atom(letters: &str) -> Option<String> {
    let start = letters.get(..letters.floor_char_boundary(MOST_ATOM_BYTES))?;
    (start.len() >= LEAST_ATOM_BYTES).then(|| start.to_ascii_lowercase())
}

/// The only text that this part matches, but for the case of ASCII letters.
fn letters(hir: &Hir) -> Option<String> {
    match hir.kind() {
        HirKind::Literal(literal) => std::str::from_utf8(&literal.0).ok().map(str::to_ascii_lowercase),
        HirKind::Class(Class::Unicode(class)) => {
            let mut letters = class.iter().flat_map(|range| range.start()..=range.end());
            let first = letters.next().filter(char::is_ascii_alphabetic)?;
            let same = |c: char| c.eq_ignore_ascii_case(&first) || is_twin(c, first);
            letters.take(MOST_TWINS).all(same).then(|| first.to_ascii_lowercase().to_string())
        }
        HirKind::Class(Class::Bytes(_))
        | HirKind::Capture(_)
        | HirKind::Repetition(_)
        | HirKind::Concat(_)
        | HirKind::Alternation(_)
        | HirKind::Look(_)
        | HirKind::Empty => None,
    }
}

/// A letter in any case is at most three: `s`, `S` and the long s. A fourth is always another letter.
const MOST_TWINS: usize = 3;

/// Letters outside ASCII that an expression takes for an ASCII one; see [`super::mark::is_odd`].
fn is_twin(c: char, ascii: char) -> bool {
    matches!((c, ascii.to_ascii_lowercase()), ('ſ', 's') | ('\u{212a}', 'k'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expect: Option<&[&str]>) {
        let found = of_expression(source);
        let found: Option<Vec<&str>> = found.as_ref().map(|atoms| atoms.iter().map(String::as_str).collect());
        assert_eq!(found.as_deref(), expect, "{source}");
    }

    #[test]
    fn an_expression_names_what_it_cannot_do_without() {
        check(r"\blegacyClient7\(", Some(&["legacyclient7("]));
        check(r"(?i)\bTasks?\b", Some(&["task"]));
        check(r"foo\s+bazaar", Some(&["bazaar"]));
        check(r"alpha|bet(?:xy)+|gamma", Some(&["alpha", "bet", "gamma"]));
        check(r"x|alpha", None);
        check(r"(?:alpha)?", None);
        check(r".*", None);
        check(r"(", None);
        check(&"é".repeat(10_000), Some(&["é".repeat(32).as_str()]));
    }

    #[test]
    fn a_word_holds_the_atom_of_its_stem() {
        let words = "ties tidies organization organisation stopping hoped boxes branches classes uses runs Caching RETRIES \
                     sizes keyes it's don't repositories normalization ion queries Analyses processes";
        for word in words.split_whitespace() {
            let stem = crate::text::stem(word);
            let atom = of_stem(&stem);
            assert!(atom.is_none_or(|atom| word.to_lowercase().contains(&atom)), "{word}: {stem}");
        }
        assert_eq!(of_stem("controller").as_deref(), Some("controller"));
        assert_eq!(of_stem("größ"), None);
    }
}
