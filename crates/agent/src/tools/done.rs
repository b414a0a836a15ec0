//! `done`: the worker says that it has finished, or that it cannot.

use serde_json::Value;
use subcortex_guard::Redactor;

use super::{Args, kind_of};
use crate::text::escape_lines;

/// The longest summary, in bytes. A longer one is refused, not cut: its last line is the result.
const MAX_SUMMARY_BYTES: usize = 16 * 1024;

/// The summary as the daemon gets it. What is escaped in it cannot become a result line of its own.
pub(super) fn summary(args: &Args) -> Result<String, String> {
    let summary = match args.get("summary") {
        Some(Value::String(summary)) if !summary.trim().is_empty() => summary,
        Some(Value::String(_)) | None => {
            return Err("`summary` is missing: say what was done, and end with the result line".into());
        }
        Some(other) => return Err(format!("`summary` must be a text, and is {}", kind_of(other))),
    };
    let len_bytes = summary.len();
    if len_bytes > MAX_SUMMARY_BYTES {
        return Err(format!(
            "the summary has {len_bytes} bytes, and at most {MAX_SUMMARY_BYTES} are taken: shorten it"
        ));
    }
    Ok(escape_lines(&Redactor::new().text(summary)))
}
