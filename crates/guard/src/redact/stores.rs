//! Commands that put a value where secrets are kept: `gh secret set NAME --body …`, `az keyvault secret set --value …`,
//! `fly secrets set NAME=…`. What they are given is a secret, whatever it is called.

use std::ops::Range;

use super::chars::contains;
use super::command::{is_surely_secret, words};
use super::names::{Kind, read_name};
use super::placeholder::{is_patchwork, is_placeholder, is_wordy};
use super::random::Makeup;
use super::span::{Rank, Span};
use super::work;

/// How much of a command line is looked at, in bytes.
const LINE_MAX_BYTES: usize = 1024;
/// How many words of it are looked at.
const WORDS_MAX: usize = 24;
/// The longest name of a secret, in bytes.
const NAME_MAX_BYTES: usize = 64;
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

/// What a line must hold besides the name of the command.
#[derive(Debug, Clone, Copy)]
enum With {
    Nothing,
    /// This text.
    Text(&'static str),
    /// This text, or a name that announces a secret: `--name /app/DB_PASSWORD`.
    TextOrName(&'static str),
}

use With::{Nothing, Text, TextOrName};

/// What such a command is called, what its line must hold besides, and how the value is given.
struct Store {
    name: &'static str,
    with: With,
    given: &'static [Given],
}

const fn store(name: &'static str, with: With, given: &'static [Given]) -> Store {
    Store { name, with, given }
}

const STORES: &[Store] = &[
    store("secret set ", Nothing, &[Behind(&["--body", "-b", "--value"])]),
    store("secret create ", Nothing, &[Behind(&["--value", "--secret-value"])]),
    store("secret:create ", Nothing, &[Behind(&["--value"])]),
    store("secrets set ", Nothing, &[InPairs, Last]),
    store("put-parameter ", TextOrName("SecureString"), &[Behind(&["--value"])]),
    store("create-secret ", Nothing, &[Behind(&["--secret-string"])]),
    store("put-secret-value ", Nothing, &[Behind(&["--secret-string"])]),
    store("update-secret ", Nothing, &[Behind(&["--secret-string"])]),
    store("variable set ", Text("--mask"), &[Behind(&["--value", "-v"]), Last]),
    store("config set ", Text("--secret"), &[Last]),
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
    let words = words(bytes, line.clone(), WORDS_MAX);
    let is_with = match store.with {
        Nothing => true,
        Text(text) => contains(&bytes[line], text.as_bytes()),
        TextOrName(text) => {
            contains(&bytes[line], text.as_bytes()) || words.iter().any(|word| is_name(&bytes[word.clone()]))
        }
    };
    if !is_with {
        return;
    }
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

/// Whether a word names a secret for certain, behind its path: `/app/prod/DB_PASSWORD`.
fn is_name(word: &[u8]) -> bool {
    let last = word.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let is_short = last.len() <= NAME_MAX_BYTES && !last.starts_with(b"-");
    let found = is_short.then(|| read_name(last)).flatten();
    found.is_some_and(|name| matches!(name.kind, Kind::Password | Kind::Secret | Kind::Token))
}

/// Whether a word is a value, and not a name or a gap for one. Letters in no order are no name.
fn is_value(word: &[u8]) -> bool {
    let is_text = is_wordy(word) && !is_patchwork(word) && !Makeup::of(word).is_jumbled();
    word.len() >= VALUE_MIN_BYTES
        && !is_placeholder(word)
        && !word.starts_with(b"-")
        && !word.starts_with(b"$")
        && !is_text
}

fn placed(value: Range<usize>) -> Span {
    Span { start: value.start, end: value.end, rule: "stored-secret", rank: Rank::Placed }
}
