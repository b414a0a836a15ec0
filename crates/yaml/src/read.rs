//! From text to a value and back, within limits.

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_yaml::options::{DuplicateKeyPolicy, MergeKeyPolicy};
use serde_yaml::{Error, Options};

use crate::{Problem, explain};

/// The longest text that is read, in bytes.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// How deep lists and mappings may stand in each other.
pub const MAX_DEPTH_LEVELS: usize = 64;
/// How many values a text may hold: keys, values, lists and mappings together.
pub const MAX_VALUES: usize = 20_000;
/// The longest text in which aliases (`*name`) are read, in bytes. An alias repeats what its anchor holds,
/// so memory grows to this times [`MAX_REPEATED_PARTS`] at most: 4 MiB.
pub const MAX_TEXT_WITH_ALIASES_BYTES: usize = 16 * 1024;
/// How many parts (a value, or the beginning or end of a list or mapping) all aliases of a text together
/// may repeat.
pub const MAX_REPEATED_PARTS: usize = 256;

/// Reads one YAML document. An empty text is an empty document: fine for a type whose keys may all be
/// missing.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(too_long(text.len()));
    }
    if let Some(line) = text_after_the_end(text) {
        return Err(explain::second_document().on(line, 1));
    }
    let mut path = None;
    let outcome = serde_yaml::with_deserializer_from_str_with_options(text, options(text), |reader| {
        serde_path_to_error::deserialize(reader).map_err(|error| {
            path = Some(error.path().clone());
            error.into_inner()
        })
    });
    outcome.map_err(|error| explain::problem(text, &root_cause(text, error), path.as_ref()))
}

/// Writes a value as one YAML document. What `from_str` reads back is equal.
pub fn to_string<T: Serialize>(value: &T) -> Result<String, Problem> {
    serde_yaml::to_string(value)
        .map_err(|error| Problem::new("this cannot be written as YAML").because(error.to_string()))
}

/// How the library is set up for a text.
pub(crate) fn options(text: &str) -> Options {
    let aliases = if text.len() <= MAX_TEXT_WITH_ALIASES_BYTES { MAX_REPEATED_PARTS } else { 0 };
    serde_yaml::options! {
        budget: serde_yaml::budget! {
            max_reader_input_bytes: Some(MAX_TEXT_BYTES),
            max_depth: MAX_DEPTH_LEVELS,
            flow_nesting_limit: MAX_DEPTH_LEVELS,
            max_nodes: MAX_VALUES,
            max_events: 2 * MAX_VALUES,
            max_aliases: aliases,
            max_anchors: MAX_REPEATED_PARTS,
            max_recorded_anchor_events: 16 * MAX_REPEATED_PARTS,
            max_recorded_anchor_bytes: MAX_TEXT_BYTES,
            enforce_alias_anchor_ratio: false,
        },
        alias_limits: serde_yaml::alias_limits! {
            max_total_replayed_events: MAX_REPEATED_PARTS,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        emit_comments: false,
        with_snippet: false,
    }
}

/// A line that is indented wrongly is often read as part of the value above it, which then has the wrong
/// type. So a text that is not YAML at all is reported as that, whatever else came up first.
fn root_cause(text: &str, error: Error) -> Error {
    if explain::is_syntax(&error) || matches!(error, Error::Budget { .. }) {
        return error;
    }
    match serde_yaml::from_str_with_options::<IgnoredAny>(text, options(text)) {
        Err(broken) if explain::is_syntax(&broken) => broken,
        Ok(_) | Err(_) => error,
    }
}

fn too_long(len_bytes: usize) -> Problem {
    Problem::new(format!("there are {len_bytes} bytes of YAML"))
        .because(format!("at most {MAX_TEXT_BYTES} are read"))
}

/// The line of whatever follows the end mark `...`, which the library would leave unread if it is not YAML.
fn text_after_the_end(text: &str) -> Option<usize> {
    let mut lines = text.lines().zip(1..).skip_while(|(line, _)| line.trim_end() != "...").skip(1);
    lines.find(|(line, _)| !line.trim().is_empty() && !line.trim_start().starts_with('#')).map(|(_, at)| at)
}
