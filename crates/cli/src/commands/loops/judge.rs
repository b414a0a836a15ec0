//! `subcortex loop judge`: asked by an agent's program before each command of a loop's agent.
//!
//! What cannot be read is denied: nobody knows what it would do.

use std::io::Read as _;

use serde_json::Value;
use subcortex_loops::escalation;

use crate::exit_code::ExitCode;
use crate::failure::Failure;

/// The longest call that is read, in bytes.
const MAX_CALL_BYTES: u64 = 1024 * 1024;

pub(super) fn run() -> Result<ExitCode, Failure> {
    let mut text = Vec::new();
    let read = std::io::stdin().take(MAX_CALL_BYTES + 1).read_to_end(&mut text);
    if read.is_err() || text.len() as u64 > MAX_CALL_BYTES {
        return Err(Failure::refused("the call cannot be read, or is too long to be judged"));
    }
    let call: Value = serde_json::from_slice(&text)
        .map_err(|error| Failure::refused(format!("the call is no JSON, so it is denied: {error}")))?;
    let command = call.get("tool_input").and_then(|input| input.get("command")?.as_str());
    let command = command.ok_or_else(|| Failure::refused("the call names no command, so it is denied"))?;
    match escalation::in_text(command) {
        None => Ok(ExitCode::Done),
        Some((kind, _)) => Err(Failure::refused(format!(
            "{kind}: only a person may do that, whatever the goal says. Say in your report what should be done, and why"
        ))),
    }
}
