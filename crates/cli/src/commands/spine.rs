//! `subcortex spine tail|cat|verify|stats`.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use subcortex_guard::escape_for_display;
use subcortex_spine::{Cursor, Day, Envelope, Item, Reader, list_days, stats, verify};

use super::World;
use crate::args::{Filter, Json, Spine, SpineCommand, Tail};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{ignore_closed_pipe, note, print, print_json};
use crate::spinner::Spinner;
use crate::words::count;

/// How often `tail -f` looks for new events.
const FOLLOW_PAUSE: Duration = Duration::from_millis(200);
/// How many characters of an event's text a line shows.
const SHOWN_TEXT_CHARS: usize = 160;

pub(crate) fn run(world: &World<'_>, args: &Spine) -> Result<ExitCode, Failure> {
    match &args.command {
        SpineCommand::Tail(args) => tail(world, args),
        SpineCommand::Cat(filter) => cat(world, filter),
        SpineCommand::Verify(args) => show_verification(world, args),
        SpineCommand::Stats(args) => show_stats(world, args),
    }
}

impl Filter {
    fn lets_through(&self, envelope: &Envelope<'_>) -> bool {
        self.kind.as_deref().is_none_or(|kind| envelope.kind.as_deref() == Some(kind))
            && self.event_type.as_deref().is_none_or(|wanted| envelope.event_type == wanted)
    }
}

fn reader(world: &World<'_>, from: Option<Cursor>) -> Result<Reader, Failure> {
    Ok(Reader::open(Arc::clone(&world.disk), &world.home.spine().events, from)?)
}

fn cat(world: &World<'_>, filter: &Filter) -> Result<ExitCode, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut result = Ok(());
    reader(world, None)?.read(|file, item| {
        match item {
            Item::Record { envelope, line, .. } if filter.lets_through(&envelope) => {
                result = out.write_all(line).and_then(|()| out.write_all(b"\n"));
            }
            Item::Record { .. } => {}
            Item::Damaged { offset, damage, .. } => {
                note(&format!("{} at byte {offset}: {damage}", file.path.display()));
            }
        }
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    ignore_closed_pipe(result.and_then(|()| out.flush()))?;
    Ok(ExitCode::Done)
}

fn tail(world: &World<'_>, args: &Tail) -> Result<ExitCode, Failure> {
    let (newest, mut cursor) = newest(world, args)?;
    if newest.is_empty() {
        note(&nothing_to_show(args));
    }
    let readable = |line: &Vec<u8>| Some(shown(&Envelope::parse(line).ok()?, line, args.json));
    print(&newest.iter().filter_map(readable).collect::<String>())?;
    if !args.follow {
        return Ok(ExitCode::Done);
    }
    loop {
        std::thread::sleep(FOLLOW_PAUSE);
        let mut reader = reader(world, cursor.clone())?;
        let mut text = String::new();
        reader.read(|_, item| {
            if let Item::Record { envelope, line, .. } = item
                && args.filter.lets_through(&envelope)
            {
                text.push_str(&shown(&envelope, line, args.json));
            }
            ControlFlow::Continue(())
        })?;
        cursor = reader.cursor().cloned();
        let written = io::stdout().lock().write_all(text.as_bytes());
        if written.is_err() {
            ignore_closed_pipe(written)?;
            return Ok(ExitCode::Done);
        }
    }
}

/// Why a tail is empty, and what fills it.
fn nothing_to_show(args: &Tail) -> String {
    let Filter { kind, event_type } = &args.filter;
    match (kind, event_type) {
        (None, None) => {
            "the event log is empty: `subcortex connect claude` lets your agent tell what it does, \
                         `subcortex import claude` reads its old sessions"
                .into()
        }
        _ => {
            "no event in the log is like that; `subcortex spine stats` counts the types that there are".into()
        }
    }
}

/// The records of the newest events, going back by whole days until there are enough, and the position behind them.
fn newest(world: &World<'_>, args: &Tail) -> Result<(VecDeque<Vec<u8>>, Option<Cursor>), Failure> {
    let (days, _) = list_days(&*world.disk, &world.home.spine().events)?;
    let mut days: Vec<Day> = days.iter().map(|file| file.day).collect();
    let (mut found, mut cursor) = (VecDeque::new(), None);
    while let Some(from) = days.pop() {
        found.clear();
        let mut reader = reader(world, Some(Cursor::at_start_of(from)))?;
        reader.read(|_, item| {
            if let Item::Record { envelope, line, .. } = item
                && args.filter.lets_through(&envelope)
                && args.lines > 0
            {
                // Most of a day are not among the newest: they are not made readable, and their room is used again.
                let room = if found.len() < args.lines { None } else { found.pop_front() };
                let mut record: Vec<u8> = room.unwrap_or_default();
                record.clear();
                record.extend_from_slice(line);
                found.push_back(record);
            }
            ControlFlow::Continue(())
        })?;
        cursor = reader.cursor().cloned();
        if found.len() >= args.lines {
            break;
        }
    }
    Ok((found, cursor))
}

fn shown(envelope: &Envelope<'_>, line: &[u8], json: bool) -> String {
    if json {
        return String::from_utf8_lossy(line).into_owned() + "\n";
    }
    let text = envelope.to_event().map(|event| match event.text() {
        Some(text) => text.to_owned(),
        None => serde_json::Value::Object(event.payload).to_string(),
    });
    let text: String = text.unwrap_or_default().chars().take(SHOWN_TEXT_CHARS).collect();
    let head = format!(
        "{} {:<8} {:<18} {}",
        envelope.ts,
        envelope.kind.as_deref().unwrap_or("-"),
        envelope.event_type,
        envelope.session_key.as_deref().unwrap_or("-"),
    );
    format!("{} {}\n", escape_for_display(&head), escape_for_display(&text))
}

fn show_verification(world: &World<'_>, args: &Json) -> Result<ExitCode, Failure> {
    let waits = Spinner::new("reading the event log");
    let found = verify(&*world.disk, &world.home.spine().events)?;
    drop(waits);
    if args.json {
        print_json(&found)?;
    } else {
        let mut text = format!(
            "{} with {}, {} in the past\n",
            count(found.files as usize, "file"),
            count(found.records as usize, "record"),
            count(found.repaired as usize, "repair")
        );
        for damage in &found.damaged {
            // Writing to a String cannot fail.
            let _ok = writeln!(text, "damaged: {} at byte {}: {}", damage.file, damage.offset, damage.reason);
        }
        let _ok = match found.damaged.len() as u64 + found.damaged_unlisted {
            0 => writeln!(text, "all records are whole"),
            n => writeln!(
                text,
                "{}; the records around are whole and are read; the next append repairs a torn end by itself",
                count(n as usize, "damaged piece")
            ),
        };
        print(&text)?;
    }
    Ok(if found.damaged.is_empty() { ExitCode::Done } else { ExitCode::Failed })
}

fn show_stats(world: &World<'_>, args: &Json) -> Result<ExitCode, Failure> {
    let waits = Spinner::new("reading the event log");
    let found = stats(&*world.disk, &world.home.spine().events)?;
    drop(waits);
    if args.json {
        print_json(&found)?;
        return Ok(ExitCode::Done);
    }
    let mut text = format!(
        "files      {}, {} bytes\nrecords    {} ({} external, {} internal, {} without a usable kind)\n",
        found.files, found.bytes, found.records, found.external, found.internal, found.unscannable
    );
    // Writing to a String cannot fail.
    let _ok = writeln!(
        text,
        "sessions   {}\nturns      {}\ndamaged    {}",
        found.sessions, found.turns, found.damaged
    );
    if let (Some(first), Some(last)) = (&found.first_ts, &found.last_ts) {
        let _ok = writeln!(
            text,
            "from       {}\nto         {}",
            escape_for_display(first),
            escape_for_display(last)
        );
    }
    for (name, count) in &found.types {
        let _ok = writeln!(text, "{count:>10} {}", escape_for_display(name));
    }
    print(&text)?;
    Ok(ExitCode::Done)
}
