//! Our own words for what the library found: each kind of mistake gets one sentence.

use serde_path_to_error::Path;
use serde_yaml::Error;
use serde_yaml::budget::BudgetBreach;
use serde_yaml::granit_parser::ScanError;
use serde_yaml::localizer::ExternalMessageSource;

use crate::found::{Place, quoted, reason};
use crate::nearest::nearest;
use crate::read::{MAX_REPEATED_PARTS, MAX_TEXT_WITH_ALIASES_BYTES, MAX_VALUES};
use crate::value::{Value, in_words};
use crate::{Problem, locate, syntax};

/// Whether a text is not YAML at all, as opposed to YAML that says something unexpected.
pub(crate) fn is_syntax(error: &Error) -> bool {
    scan_error(error).is_some()
}

/// Turns an error of the library into a problem. `path` says under which key it came up.
pub(crate) fn problem(text: &str, error: &Error, path: Option<&Path>) -> Problem {
    let place = place_of(text, error, path);
    let value = Value { text, place: place.as_ref(), path };
    let said = sentence(original(error), &value);
    match place {
        Some(place) => said.on(place.line, place.column),
        None => said,
    }
}

/// The library's position, or the value's own for errors to which serde could attach only the key's.
fn place_of(text: &str, error: &Error, path: Option<&Path>) -> Option<Place> {
    let place = error.location().and_then(Place::from_library);
    let at_the_key = matches!(
        original(error),
        Error::SerdeInvalidType { .. } | Error::SerdeInvalidValue { .. } | Error::SerdeInvalidLength { .. }
    );
    let at_the_end = matches!(original(error), Error::Message { .. });
    if !at_the_key && !at_the_end {
        return place;
    }
    let steps = path.and_then(locate::steps);
    let own = steps.and_then(|steps| locate::value_at(text, &steps));
    // A value that goes over a limit cannot be walked again; then the key must not be shown as the value.
    own.or_else(|| if at_the_key { place.map(Place::without_text) } else { place })
}

/// More than one document, or something behind the end of the only one.
pub(crate) fn second_document() -> Problem {
    Problem::new("a second document begins")
        .because("there can be only one")
        .hinting("remove the line `---` or `...` above it")
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's list is open; rare kinds keep its own words"
)]
fn sentence(error: &Error, value: &Value<'_>) -> Problem {
    if let Some(scan) = scan_error(error) {
        return syntax::explain(scan);
    }
    match error {
        Error::SerdeUnknownField { field, expected, .. } => unknown_key(field, expected),
        Error::SerdeMissingField { field, .. } => missing_key(field, value),
        Error::DuplicateMappingKey { key, .. } => duplicate_key(key.as_deref(), value),
        Error::Message { msg, .. } => value.refused(msg),
        Error::InvalidScalar { ty, .. } => value.wrong_scalar(ty),
        Error::InvalidBooleanStrict { .. } => value.not_a_boolean(),
        Error::NullIntoString { .. } => value.must_be("a text").example("\"some text\""),
        Error::Unexpected { expected, .. } => value.wrong_shape(expected),
        Error::ExternallyTaggedEnumExpectedScalarOrMapping { .. } => value.must_be("one word").done(),
        Error::UnexpectedValueForUnitEnumVariant { .. } => value.must_be("empty").done(),
        Error::SerdeUnknownVariant { variant, expected, .. } => value.unknown_word(variant, expected),
        Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => {
            value.must_be(in_words(expected)).done()
        }
        Error::SerdeInvalidLength { len, expected, .. } => {
            Problem::new(format!("{} has {len} items", value.subject()))
                .because(format!("it must be {}", in_words(expected)))
        }
        Error::NonFiniteFloat { .. } => value.must_be("a finite number").done(),
        Error::Eof { .. } => Problem::new("there is nothing here")
            .because("some keys are required")
            .hinting("write `key: value` lines"),
        Error::MultipleDocuments { .. } => second_document(),
        Error::Budget { breach, .. } => too_much(breach, value),
        Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. }
        | Error::AliasReplayCounterOverflow { .. } => too_many_aliases(),
        Error::RecursiveReferencesRequireWeakTypes { .. } => Problem::new("an alias refers to itself"),
        Error::UnknownAnchor { .. } => Problem::new("an alias (`*name`) refers to no anchor (`&name`)")
            .hinting("put a text that begins with `*` in quotes"),
        Error::UnsupportedTag { tag, .. } => Problem::new(format!("there is the tag {}", quoted(tag)))
            .because("tags are not used here")
            .hinting("remove it; a text that begins with `!` goes in quotes"),
        Error::TaggedScalarCannotDeserializeIntoString { .. }
        | Error::InvalidBinaryBase64 { .. }
        | Error::BinaryNotUtf8 { .. } => {
            Problem::new("there is a tag (`!!…`)").because("it does not fit the value").hinting("remove it")
        }
        Error::MergeKeyNotAllowed { .. } => Problem::new("there is a merge key (`<<`)")
            .because("it is not used here")
            .hinting("write the keys out"),
        other => Problem::new(format!("this cannot be read ({})", library_words(other))),
    }
}

fn unknown_key(key: &str, known: &[&'static str]) -> Problem {
    let mut problem = Problem::new(format!("unknown key {}", quoted(key)));
    problem.unknown_key = Some(key.into());
    match (nearest(key, known), known) {
        (Some(near), _) => problem.hinting(format!("did you mean `{near}`?")),
        (None, []) => problem.hinting("no keys are known here; remove it"),
        (None, known) => {
            let mut names = known.to_vec();
            names.sort_unstable();
            problem.hinting(format!("the keys known here: {}", names.join(", ")))
        }
    }
}

fn missing_key(key: &str, value: &Value<'_>) -> Problem {
    let below = value.known_path().map(|path| format!(" below {path}")).unwrap_or_default();
    Problem::new(format!("the key `{key}` is missing{below}")).hinting(format!("add a line `{key}: …`"))
}

fn duplicate_key(key: Option<&str>, value: &Value<'_>) -> Problem {
    let Some(key) = key else { return Problem::new("the same key stands here twice") };
    let first = value.place.and_then(|place| lines_above(value.text, place, key));
    let problem = Problem::new(format!("duplicate key {}", quoted(key)));
    match first {
        Some(1) => problem.hinting("it is already in the line above; keep one of the two"),
        Some(lines) => problem.hinting(format!("it is already {lines} lines above; keep one of the two")),
        None => problem.hinting("keep one of the two"),
    }
}

/// How many lines above `place` the same key stands with the same indentation, in block style. Counted
/// from there, because the text may be a part of a file.
fn lines_above(text: &str, place: &Place, key: &str) -> Option<usize> {
    let indent = place.column.checked_sub(1)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let above: Vec<&str> = text.lines().take(place.line.checked_sub(1)?).collect();
    for (lines, line) in (1..).zip(above.into_iter().rev()) {
        let content = line.trim_start_matches(' ');
        let own_indent = line.len() - content.len();
        let same_key = || content.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
        match own_indent {
            _ if content.trim().is_empty() || content.starts_with('#') => {}
            own if own == indent && same_key() => return Some(lines),
            own if own < indent => return None,
            _ => {}
        }
    }
    None
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's list is open; the rest keeps its own words"
)]
fn too_much(breach: &BudgetBreach, value: &Value<'_>) -> Problem {
    match breach {
        BudgetBreach::Depth { .. } => syntax::too_deep(),
        BudgetBreach::Nodes { .. } | BudgetBreach::Events { .. } => {
            Problem::new(format!("there are more than {MAX_VALUES} values")).hinting("make it smaller")
        }
        BudgetBreach::Aliases { .. } if value.text.len() > MAX_TEXT_WITH_ALIASES_BYTES => {
            Problem::new("there is an alias (`*name`)")
                .because(format!(
                    "aliases are read only in a text of at most {MAX_TEXT_WITH_ALIASES_BYTES} bytes"
                ))
                .hinting("write the value out; a text that begins with `*` goes in quotes")
        }
        BudgetBreach::Aliases { .. }
        | BudgetBreach::Anchors { .. }
        | BudgetBreach::AliasAnchorRatio { .. }
        | BudgetBreach::RecordedAnchorEvents { .. }
        | BudgetBreach::RecordedAnchorBytes { .. } => too_many_aliases(),
        other => Problem::new(format!("there is too much to read ({})", reason(&format!("{other:?}")))),
    }
}

fn too_many_aliases() -> Problem {
    Problem::new("aliases (`*name`) repeat too much")
        .because(format!("together they may repeat at most {MAX_REPEATED_PARTS} values"))
        .hinting("write the values out")
}

/// The library's own words on one line, for what is too rare to have ours.
fn library_words(error: &Error) -> String {
    let words = error.to_string();
    let without_place = words.rsplit_once(" at line ").map_or(words.as_str(), |(front, _)| front);
    reason(without_place)
}

/// The error below the wrappers that the library adds for aliases and excerpts.
fn original(error: &Error) -> &Error {
    let mut error = error;
    while let Error::AliasError { error: inner, .. } | Error::WithSnippet { error: inner, .. } = error {
        error = inner;
    }
    error
}

fn scan_error(error: &Error) -> Option<&ScanError> {
    let Error::ExternalMessage { source, .. } = original(error) else { return None };
    let ExternalMessageSource::Parser(scan) = source.as_ref() else { return None };
    Some(scan)
}
