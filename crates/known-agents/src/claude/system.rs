//! `system` records: errors of the service, and commands in newer versions.

use serde_json::Value;
use subcortex_model::{Draft, event_type};

use super::human::{self, Voice};
use super::reader::Session;
use super::record::Record;
use crate::transcript::bound::{self, MAX_MESSAGE_BYTES, MAX_RESULT_BYTES};
use crate::transcript::counts::skipped;
use crate::transcript::draft::{Common, Payload};
use crate::transcript::{raw, shown};

/// Where an error says in words what went wrong, most telling first.
const ERROR_TEXTS: [&str; 5] =
    ["/error/error/message", "/error/message", "/message", "/formatted", "/cause/code"];

/// Reads a `system` record.
pub(super) fn read(
    record: &Record<'_>,
    common: &mut Common,
    session: &mut Session,
    drafts: &mut Vec<Draft>,
) -> Result<(), &'static str> {
    session.before.system(record);
    match raw::text(record.subtype).as_deref() {
        Some("api_error") => {
            let error = bound::text(&error_text(&raw::value(record.error)), MAX_RESULT_BYTES);
            let payload = Payload::new()
                .with("error", error)
                .with("kind", "api_error")
                .with_some("retry_attempt", raw::value(record.retry_attempt).as_u64());
            drafts.push(common.draft(event_type::AGENT_ERROR, payload));
            Ok(())
        }
        Some("local_command") => {
            let content = raw::text(record.content).unwrap_or_default();
            let Voice::Command { command, text, kind } =
                human::judge_text(&content, /*is_vouched*/ false)
            else {
                return tell(record, common, drafts).map_err(|_| skipped::WRAPPER); // what the command put out
            };
            let payload = Payload::new()
                .with("command", command)
                .with("kind", kind)
                .with("text", bound::text(&text, MAX_MESSAGE_BYTES));
            drafts.push(common.draft(event_type::CHANNEL_COMMAND, payload));
            Ok(())
        }
        Some(_) | None => tell(record, common, drafts),
    }
}

/// What the program says of itself, or proposes.
fn tell(record: &Record<'_>, common: &mut Common, drafts: &mut Vec<Draft>) -> Result<(), &'static str> {
    let text = raw::filled(record.content).ok_or(skipped::BOOKKEEPING)?;
    drafts.push(shown::draft(common, [&*text]).ok_or(skipped::BOOKKEEPING)?);
    Ok(())
}

fn error_text(error: &Value) -> String {
    if let Some(text) = error.as_str() {
        return text.to_owned();
    }
    let told = ERROR_TEXTS.iter().find_map(|path| error.pointer(path)?.as_str());
    match (told, error.get("status").and_then(Value::as_u64)) {
        (Some(told), Some(status)) => format!("{status} {told}"),
        (Some(told), None) => told.to_owned(),
        (None, Some(status)) => format!("status {status}"),
        (None, None) => "the service failed".to_owned(),
    }
}
