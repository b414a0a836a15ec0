//! `subcortex event add`.

use std::io::Read;

use jiff::Timestamp;
use serde_json::{Map, Value};
use subcortex_model::{Draft, Gate, Source, SourceKind, Via, event_type};
use subcortex_spine::{Appended, Durability, MAX_RECORD_BYTES};

use super::{World, mended};
use crate::args::{Event, EventAdd, EventCommand, EventContent};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print};

pub(crate) fn run(world: &World<'_>, args: &Event) -> Result<ExitCode, Failure> {
    match &args.command {
        EventCommand::Add(args) => add(world, args),
    }
}

/// What only parts of subcortex are called. They write under kinds that are never evidence, so an event from outside under such a name
/// would be taken for theirs by whoever reads the log, and for somebody's words by whoever scans it.
const OWN_NAMES: [&str; 4] = ["subcortex", "daemon", "partition", "blackboard"];

fn add(world: &World<'_>, args: &EventAdd) -> Result<ExitCode, Failure> {
    if OWN_NAMES.iter().any(|name| name.eq_ignore_ascii_case(args.kind.trim())) {
        return Err(Failure::refused(format!(
            "`{}` is a part of subcortex and no source of events: name the program that the event comes from, such as `claude`, or one of \
             subcortex's own kinds ({})",
            args.kind,
            SourceKind::INTERNAL.join(", ")
        )));
    }
    if world.surroundings.is_own_run && Gate::of(Some(&args.kind)) != Gate::Internal {
        return Err(Failure::refused(format!(
            "inside a run only subcortex's own kinds can be added ({}): what a worker does is no evidence",
            SourceKind::INTERNAL.join(", ")
        )));
    }
    let mut payload = payload(&args.content)?;
    if let Some(agent) = world.surroundings.calling_agent()
        && args.event_type == event_type::CHANNEL_MESSAGE
    {
        // Whoever types there, the agent may have been told to by a page that it read.
        payload.insert(Via::FIELD.to_owned(), Via::Sdk.word().into());
        note(&format!(
            "note: this is {agent}'s own shell, so the message is kept as a program's and never taken as a person's words; \
             add it from a terminal of your own if it is yours"
        ));
    }
    if Gate::of(Some(&args.kind)) == Gate::Internal {
        note(&format!(
            "note: `{}` is one of subcortex's own kinds ({}), so this event is never taken as evidence",
            args.kind,
            SourceKind::INTERNAL.join(", ")
        ));
    }
    let source = Source { name: args.name.clone(), ..Source::of(args.kind.clone()) };
    let draft = Draft {
        ts: args.ts,
        session_key: args.session.clone(),
        turn: args.turn.clone(),
        cwd: args.cwd.clone(),
        source_id: args.source_id.clone(),
        ..Draft::new(args.event_type.clone(), source, payload)
    };
    let mut spine = world.spine()?;
    let appended = spine.append(vec![draft], Timestamp::now(), Durability::Synced)?;
    mended::tell(&mut spine);
    match appended.first() {
        Some(Appended::New(id)) => print(&format!("{id}\n"))?,
        Some(Appended::Duplicate) | None => {
            note("an event with this source id is there already; nothing was added")
        }
    }
    Ok(ExitCode::Done)
}

fn payload(content: &EventContent) -> Result<Map<String, Value>, Failure> {
    if let Some(text) = &content.text {
        return Ok(Map::from_iter([("text".to_owned(), Value::String(text.clone()))]));
    }
    let json = match content.payload.as_deref() {
        Some("-") => read_stdin()?,
        other => other.unwrap_or_default().to_owned(),
    };
    match serde_json::from_str(&json) {
        Ok(Value::Object(payload)) => Ok(payload),
        Ok(_) => Err(Failure::refused("the payload must be a JSON object, such as {\"text\": \"…\"}")),
        Err(error) => Err(Failure::refused(format!("the payload is not JSON: {error}"))),
    }
}

fn read_stdin() -> Result<String, Failure> {
    let mut text = String::new();
    let limit = MAX_RECORD_BYTES as u64;
    std::io::stdin()
        .take(limit + 1)
        .read_to_string(&mut text)
        .map_err(|error| Failure::refused(format!("cannot read the payload from standard input: {error}")))?;
    if text.len() as u64 > limit {
        return Err(Failure::refused(format!("the payload is longer than {limit} bytes")));
    }
    Ok(text)
}
