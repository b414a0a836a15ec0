//! What a rule means: one or several norms, all of which hold.

/// What a norm says about its act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Polarity {
    /// It is to be done.
    Must,
    /// It is not to be done.
    MustNot,
    /// It is to be done in place of something else.
    InsteadOf,
    /// Nothing else is to be done.
    Only,
    /// A person is to be asked first.
    AskFirst,
}

/// How a condition stands to the act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// "before …"
    Before,
    /// "after …"
    After,
    /// "when …"
    When,
}

/// A condition of a norm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct When {
    pub(crate) relation: Relation,
    /// Its words; code terms stand as `§n§`.
    pub(crate) words: String,
}

/// One norm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Norm {
    pub(crate) polarity: Polarity,
    /// The verb in its base form; empty where there is none.
    pub(crate) act: String,
    /// What it is about; code terms stand as `§n§`.
    pub(crate) about: String,
    /// What is not to be used for it.
    pub(crate) instead_of: Option<String>,
    pub(crate) when: Vec<When>,
    /// "in TypeScript", "in `src/`": where it holds.
    pub(crate) within: Vec<String>,
    /// Exceptions.
    pub(crate) unless: Vec<String>,
    /// "Such as `x`": some of what it is about.
    pub(crate) instances: Option<String>,
    /// Whether a word such as "must" or "always" urges it.
    pub(crate) urged: bool,
    /// Whether it says only where or what for something may be done: "only use `x` for y". Doing it there shows nothing.
    pub(crate) limited: bool,
    /// Whether the line only states it: "file names are kebab-case". Only what is commonly said counts then.
    pub(crate) stated: bool,
    /// Whether somebody has to judge where it holds: "where appropriate", "unless necessary".
    pub(crate) judged: bool,
}

/// What a code term looks like.
pub(crate) use crate::code::CodeKind as TermKind;

/// How a term was marked in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marked {
    Backticks,
    Quotes,
    /// Plainly code without any mark.
    Bare,
}

/// A code term of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) text: String,
    pub(crate) kind: TermKind,
    pub(crate) marked: Marked,
    /// In brackets, or behind "e.g.": an example.
    pub(crate) aside: bool,
}
