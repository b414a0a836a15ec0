//! Commands that put a value where secrets are kept: `gh secret set NAME --body …`, `az keyvault secret set --value …`,
//! `fly secrets set NAME=…`. What they are given is a secret, whatever it is called.

use std::ops::Range;

use super::chars::contains;
use super::command::{is_surely_secret, words};
use super::placeholder::{is_placeholder, is_wordy};
use super::span::{Rank, Span};
use super::work;

/// How much of a command line is looked at, in bytes.
const LINE_MAX_BYTES: usize = 1024;
/// How many words of it are looked at.
const WORDS_MAX: usize = 24;
/// A shorter value is none.
const VALUE_MIN_BYTES: usize = 4;

/// How the value is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    /// Behind one of these flags.
    Behind(&'static [&'static str]),
    /// As `NAME=value`.
    InPairs,
    /// As the last argument.
    Last,
}

use Given::{Behind, InPairs, Last};

/// What such a command is called, what its line must hold besides, and how the value is given.
struct Store {
    name: &'static str,
    with: &'static str,
    given: &'static [Given],
}

const fn store(name: &'static str, with: &'static str, given: &'static [Given]) -> Store {
    Store { name, with, given }
}

const STORES: &[Store] = &[
    store("secret set ", "", &[Behind(&["--body", "-b", "--value"])]),
    store("secret create ", "", &[Behind(&["--value", "--secret-value"])]),
    store("secret:create ", "", &[Behind(&["--value"])]),
    store("secrets set ", "", &[InPairs, Last]),
    store("put-parameter ", "SecureString", &[Behind(&["--value"])]),
    store("create-secret ", "", &[Behind(&["--secret-string"])]),
    store("put-secret-value ", "", &[Behind(&["--secret-string"])]),
    store("update-secret ", "", &[Behind(&["--secret-string"])]),
    store("variable set ", "--mask", &[Behind(&["--value", "-v"]), Last]),
    store("config set ", "--secret", &[Last]),
];

/// The names of the commands: anchors.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    STORES.iter().map(|store| store.name)
}

/// Looks at the line behind the name at `anchor`.
pub(super) fn find(bytes: &[u8], anchor: &Range<usize>, spans: &mut Vec<Span>) {
    let Some(store) = STORES.iter().find(|store| store.name.as_bytes() == &bytes[anchor.clone()]) else {
        return;
    };
    let line = anchor.end..line_end(bytes, anchor.end);
    work::note(line.len());
    if !contains(&bytes[line.clone()], store.with.as_bytes()) {
        return;
    }
    let words = words(bytes, line, WORDS_MAX);
    spans.extend(store.given.iter().flat_map(|given| values(bytes, &words, *given)).map(placed));
}

/// A command goes on over lines that end in a backslash.
fn line_end(bytes: &[u8], start: usize) -> usize {
    let limit = bytes.len().min(start + LINE_MAX_BYTES);
    memchr::memchr_iter(b'\n', &bytes[start..limit])
        .map(|offset| start + offset)
        .find(|at| bytes[at - 1] != b'\\')
        .unwrap_or(limit)
}

fn values(bytes: &[u8], words: &[Range<usize>], given: Given) -> Vec<Range<usize>> {
    let text = |word: &Range<usize>| &bytes[word.clone()];
    match given {
        Behind(flags) => {
            let is_flag = |word: &Range<usize>| flags.iter().any(|flag| flag.as_bytes() == text(word));
            let apart = words.windows(2).filter(|pair| is_flag(&pair[0])).map(|pair| pair[1].clone());
            let joined = words.iter().filter_map(|word| {
                let sign = memchr::memchr(b'=', text(word))?;
                is_flag(&(word.start..word.start + sign)).then(|| word.start + sign + 1..word.end)
            });
            apart.chain(joined).filter(|value| is_value(text(value))).collect()
        }
        InPairs => words
            .iter()
            .filter(|word| !text(word).starts_with(b"-"))
            .filter_map(|word| Some(word.start + 1 + memchr::memchr(b'=', text(word))?..word.end))
            .filter(|value| is_value(text(value)))
            .collect(),
        Last => {
            let last = words.iter().rfind(|word| !text(word).starts_with(b"-"));
            last.filter(|word| is_surely_secret(text(word))).cloned().into_iter().collect()
        }
    }
}

/// Whether a word is a value, and not a name or a gap for one.
fn is_value(word: &[u8]) -> bool {
    word.len() >= VALUE_MIN_BYTES
        && !is_placeholder(word)
        && !word.starts_with(b"-")
        && !word.starts_with(b"$")
        && !is_wordy(word)
}

fn placed(value: Range<usize>) -> Span {
    Span { start: value.start, end: value.end, rule: "stored-secret", rank: Rank::Placed }
}
