//! Expressions, names and globs as they stand in a check: written as text, compiled on first use, shared between checks.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use aho_corasick::AhoCorasick;
use aho_corasick::AhoCorasickKind::ContiguousNFA as NFA;
use regex::{Match, Regex, RegexBuilder};
use regex_syntax::hir::{Hir, HirKind, Look};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::judge::{is_odd, required_pieces};
use crate::text;

/// The longest expression or glob that is read, in bytes: nobody can read a longer one either.
const MAX_SOURCE_BYTES: usize = 8 * 1024;
/// The most memory that one compiled expression takes, in bytes.
const MAX_COMPILED_BYTES: usize = 4 * 1024 * 1024;
/// The most that a counted part (`x{0,30}`) comes to, in letters and classes, when it is written out. A search takes as many steps for each letter
/// of a text as the expression has alternatives open: without a bound one search could outlast every deadline and kill switch.
const MAX_COUNTED: usize = 1_000;

/// An expression that is looked for anywhere in a text.
pub type Expression = Matcher<Anywhere>;
/// An expression for the whole of a name.
pub type Name = Matcher<Entire>;
/// A glob for paths.
pub type Glob = Matcher<Path>;
/// A name with `*` for any part of it; case does not count.
pub type Wildcard = Matcher<Stars>;

/// How the text of a matcher becomes an expression.
pub trait Form {
    /// The expression.
    fn expression(text: &str) -> String;
}

/// See [`Expression`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anywhere;
/// See [`Name`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entire;
/// See [`Glob`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path;
/// See [`Wildcard`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stars;

impl Form for Anywhere {
    fn expression(text: &str) -> String {
        text.to_owned()
    }
}

impl Form for Entire {
    fn expression(text: &str) -> String {
        format!("^(?:{text})$")
    }
}

impl Form for Path {
    fn expression(text: &str) -> String {
        text::glob_source(text)
    }
}

impl Form for Stars {
    fn expression(text: &str) -> String {
        let parts: Vec<_> = text.split('*').map(regex::escape).collect();
        format!("(?i)^{}$", parts.join(".*"))
    }
}

/// A text that is looked for. One that code made from broken parts is never found; one in a file is refused when it is read.
pub struct Matcher<F> {
    text: String,
    compiled: OnceLock<Compiled>,
    form: PhantomData<F>,
}

/// A clone of a `Regex` alone would begin with empty caches of its own, so the whole is shared.
type Compiled = Option<Arc<Program>>;

#[derive(Debug)]
struct Program {
    regex: Regex,
    /// Whether it matches the empty text nowhere.
    never_empty: bool,
    /// Pieces, one of which stands in every text that it matches; unless that cannot be told.
    pieces: Option<AhoCorasick>,
}

impl Program {
    /// Whether a text may have it: a look that costs little. A word boundary beside a letter that is not ASCII makes a search a hundred times
    /// as slow, and most texts have none of the pieces.
    fn may_match(&self, text: &str) -> bool {
        text.is_ascii() || is_odd(text) || self.pieces.as_ref().is_none_or(|pieces| pieces.is_match(text))
    }
}

impl<F: Form> Matcher<F> {
    /// Takes over a text without looking at it.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), compiled: OnceLock::new(), form: PhantomData }
    }

    /// Takes over a text that somebody wrote; says what is wrong with it.
    pub fn parse(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        if text.len() > MAX_SOURCE_BYTES {
            return Err(format!("it must be at most {MAX_SOURCE_BYTES} bytes long"));
        }
        let source = F::expression(&text);
        let parsed = regex_syntax::parse(&source).map_err(|error| explain(&error))?;
        if parsed.properties().maximum_len() == Some(0) {
            return Err(
                "only the empty text fits it, which is never looked for; write what is to be found".into()
            );
        }
        if never_fits(&parsed) {
            return Err("no text fits it, so it would never be found; write what is to be found".into());
        }
        // Only what is counted can grow too large; the rest is compiled when it is needed.
        if source.contains('{') {
            written_out(&parsed)?;
            compile(&source).map_err(|error| explain(&error))?;
        }
        Ok(Self::new(text))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a text has it. The empty text between two letters is nothing that anybody looked for.
    pub fn is_match(&self, text: &str) -> bool {
        self.program().is_some_and(|program| {
            program.may_match(text)
                && program.regex.is_match(text)
                && (program.never_empty || self.find(text).is_some())
        })
    }

    /// The first place where a text has it.
    pub fn find<'t>(&self, text: &'t str) -> Option<Match<'t>> {
        let program = self.program().filter(|program| program.may_match(text))?;
        program.regex.find_iter(text).find(|found| !found.is_empty())
    }

    /// All places where a text has it.
    pub fn find_all<'t>(&self, text: &'t str) -> Vec<Match<'t>> {
        let Some(program) = self.program().filter(|program| program.may_match(text)) else {
            return Vec::new();
        };
        program.regex.find_iter(text).filter(|found| !found.is_empty()).collect()
    }

    fn program(&self) -> Option<&Program> {
        self.compiled.get_or_init(|| compile(&F::expression(&self.text)).ok()).as_deref()
    }

    /// Compiles it, unless another matcher of the board has done that.
    pub(crate) fn share(&self, shared: &mut Shared) {
        self.compiled.get_or_init(|| {
            let known = shared.0.entry(F::expression(&self.text));
            known.or_insert_with_key(|source| compile(source).ok()).clone()
        });
    }
}

/// What the checks of a board look for, each compiled once.
#[derive(Debug, Default)]
pub(crate) struct Shared(HashMap<String, Compiled>);

/// How long an expression is with everything that it counts written out; or that this is too long.
fn written_out(part: &Hir) -> Result<usize, String> {
    let sum = |parts: &[Hir]| parts.iter().map(written_out).sum::<Result<usize, String>>();
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => Ok(0),
        HirKind::Literal(letters) => Ok(letters.0.len()),
        HirKind::Class(_) => Ok(1),
        HirKind::Capture(group) => written_out(&group.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
        HirKind::Repetition(repeated) => {
            let times = usize::try_from(repeated.max.unwrap_or(repeated.min).max(1)).unwrap_or(usize::MAX);
            let all = written_out(&repeated.sub)?.saturating_mul(times);
            if times > 1 && all > MAX_COUNTED {
                return Err(format!(
                    "it counts to {times}, which makes {all} steps of it, and {MAX_COUNTED} are the most; use `*` or `+`, or count less"
                ));
            }
            Ok(all)
        }
    }
}

/// Whether nothing can fit it: a class without letters, or more text before its beginning or behind its end.
fn never_fits(part: &Hir) -> bool {
    match part.kind() {
        HirKind::Alternation(parts) => parts.iter().all(never_fits),
        HirKind::Concat(parts) => {
            let has_text = |part: &Hir| part.properties().minimum_len().is_some_and(|len| len > 0);
            let is =
                |look: Look| move |part: &Hir| matches!(part.kind(), HirKind::Look(found) if *found == look);
            let (first_text, last_text) = (parts.iter().position(has_text), parts.iter().rposition(has_text));
            parts.iter().any(never_fits)
                || first_text.is_some_and(|text| parts.iter().skip(text).any(is(Look::Start)))
                || last_text.is_some_and(|text| parts.iter().take(text).any(is(Look::End)))
        }
        HirKind::Capture(group) => never_fits(&group.sub),
        HirKind::Repetition(repeated) => repeated.min > 0 && never_fits(&repeated.sub),
        HirKind::Class(_) | HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) => {
            part.properties().minimum_len().is_none()
        }
    }
}

fn compile(source: &str) -> Result<Arc<Program>, regex::Error> {
    let regex = RegexBuilder::new(source).size_limit(MAX_COMPILED_BYTES).build()?;
    let shortest = regex_syntax::parse(source).ok().and_then(|hir| hir.properties().minimum_len());
    let pieces = required_pieces(source).and_then(|pieces| {
        AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(NFA)).build(pieces).ok()
    });
    Ok(Arc::new(Program { regex, never_empty: shortest.is_some_and(|bytes| bytes > 0), pieces }))
}

/// The last line of the library's message: the lines before it draw the expression.
fn explain(error: &impl fmt::Display) -> String {
    let message = error.to_string();
    let last = message.lines().last().unwrap_or("").trim();
    let last = last.strip_prefix("error: ").unwrap_or(last);
    format!("it is no valid expression: {last} (put a backslash before a character that is meant as it is)")
}

impl<F> Clone for Matcher<F> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), compiled: self.compiled.clone(), form: PhantomData }
    }
}

impl<F> fmt::Debug for Matcher<F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, out)
    }
}

impl<F> PartialEq for Matcher<F> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<F> Eq for Matcher<F> {}

impl<F: Form> From<&str> for Matcher<F> {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl<F: Form> From<String> for Matcher<F> {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl<F: Form> From<&String> for Matcher<F> {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl<F> Serialize for Matcher<F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(to)
    }
}

impl<'de, F: Form> Deserialize<'de> for Matcher<F> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::parse(String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

/// Globs out of anything that is a list of texts.
pub fn globs<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Vec<Glob> {
    texts.into_iter().map(|text| Glob::new(text)).collect()
}

/// Whether one of the globs matches a path.
pub(crate) fn any_matches(globs: &[Glob], path: &str) -> bool {
    globs.iter().any(|glob| glob.is_match(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_that_counts_too_far_is_refused_because_its_search_would_not_end() {
        for source in ["frob|[ab]{0,30000}Z", "(a{0,40}){0,40}", "(?:x{100}){20}", r"(\w{1,50}\s){1,50}"] {
            let why = Expression::parse(source).err().unwrap_or_default();
            assert!(why.contains("the most"), "{source}: {why}");
        }
        for source in [r"^.{0,72}$", r"\bTODO\b.{0,200}@\w+", "[0-9a-f]{40}", "(?:a|b){2,}", "(ab{2}){3}"] {
            assert!(Expression::parse(source).is_ok(), "{source}");
        }
    }

    #[test]
    fn an_expression_that_no_text_fits_is_refused() {
        for source in [r"[^\s\S]", "$^x", "a^b", "x$y", "(?:a$b|[^\\w\\W])", "foo(?:$bar)+"] {
            let why = Expression::parse(source).err().unwrap_or_default();
            assert!(why.contains("no text fits"), "{source}: {why}");
        }
        for source in ["^a$", "(?m)$\n^x", "a|x$y", "(?:^|x)y", "a(?:x$y)?", r"\s*^a", "a\n?$"] {
            assert!(Expression::parse(source).is_ok(), "{source}");
        }
    }

    #[test]
    fn an_expression_that_matches_the_empty_text_finds_nothing_in_it() {
        let any = Expression::from("x*");
        assert!(!any.is_match("abc") && any.find("abc").is_none());
        assert_eq!(any.find("abxc").map(|found| found.start()), Some(2));
        assert!(Expression::from("(?m)^$|b").is_match("ab"));
        assert!(!Expression::from("$").is_match("ab"));
    }

    #[test]
    fn a_broken_expression_is_refused_where_it_is_written_and_found_nowhere_else() {
        let why = Expression::parse("foo(").unwrap_err();
        assert!(why.contains("unclosed group") && why.contains("backslash"), "{why}");
        assert!(Expression::parse("a".repeat(MAX_SOURCE_BYTES + 1)).is_err());
        assert!(Expression::parse(r"(\w{1000}){1000}").is_err());
        assert!(!Expression::from("foo(").is_match("foo("));
        assert!(serde_json::from_str::<Expression>(r#""foo(""#).is_err());
    }

    #[test]
    fn matchers_of_one_board_are_compiled_once() {
        let mut shared = Shared::default();
        let [one, other] = [Expression::from("abc"), Expression::from("abc")];
        one.share(&mut shared);
        other.share(&mut shared);
        assert!(std::ptr::eq(one.program().unwrap(), other.program().unwrap()));
    }
}
