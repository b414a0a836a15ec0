//! `subcortex why`: from a line to the events that justify it, and back.

use std::fmt::Write as _;

use subcortex_guard::escape_for_display;
use subcortex_memory::Edit;
use subcortex_weaver::explain::{Piece, Why, rests_on, why_line};

use super::World;
use super::check::line_number;
use super::history::in_short;
use crate::args::Why as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};

/// How many pieces of evidence are shown in the terminal, the newest.
const SHOWN_PIECES: usize = 20;
/// How many characters of a quote are shown.
const SHOWN_QUOTE_CHARS: usize = 160;

pub(crate) fn run(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    if is_line(&args.what) { line(world, args) } else { origin(world, args) }
}

fn is_line(what: &str) -> bool {
    what.strip_prefix(['L', 'l']).unwrap_or(what).parse::<usize>().is_ok()
}

/// What `--json` prints.
pub(crate) fn document(world: &World<'_>, what: &str) -> Result<serde_json::Value, Failure> {
    world.expect_home()?;
    if is_line(what) {
        return Ok(serde_json::to_value(found(world, what)?)?);
    }
    Ok(serde_json::to_value(rests_on(&world.workshop()?, what)?)?)
}

fn found(world: &World<'_>, what: &str) -> Result<Why, Failure> {
    let number = line_number(what)?;
    let why = why_line(&world.workshop()?, number)?;
    why.ok_or_else(|| {
        Failure::refused(format!("line {number} is no rule; `subcortex check` lists those that are"))
    })
}

fn line(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    let why = found(world, &args.what)?;
    if args.json {
        print_json(&why)?;
        return Ok(ExitCode::Done);
    }
    let mut text = format!("L{}  {}\n", why.line, escape_for_display(why.text.trim()));
    let counts = why.counts;
    // Writing to a String cannot fail.
    let _ok = writeln!(
        text,
        "\nfollowed {}, missed {}, neither {}",
        counts.strengthening, counts.weakening, counts.neutral
    );
    if let Some(doubt) = &why.not_trusted {
        let _ok = writeln!(
            text,
            "not trusted: {}\nwhat its check says is set aside, and is not in these counts",
            escape_for_display(doubt)
        );
    }
    evidence(&mut text, &why.fragments);
    edits(&mut text, &why.edits);
    print(&text)?;
    Ok(ExitCode::Done)
}

fn origin(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    let found = rests_on(&world.workshop()?, &args.what)?;
    if args.json {
        print_json(&found)?;
        return Ok(ExitCode::Done);
    }
    if found.fragments.is_empty() && found.edits.is_empty() {
        return Err(Failure::refused(format!(
            "nothing in the memory rests on `{}`\nname a line (L12), an event (evt_…) or a session",
            args.what
        )));
    }
    let mut text = String::new();
    for line in &found.lines {
        let _ok = writeln!(text, "{line}");
    }
    evidence(&mut text, &found.fragments);
    edits(&mut text, &found.edits);
    print(&text)?;
    Ok(ExitCode::Done)
}

fn evidence(text: &mut String, pieces: &[Piece]) {
    if pieces.is_empty() {
        text.push_str("no evidence yet\n");
        return;
    }
    text.push('\n');
    let earlier = pieces.len().saturating_sub(SHOWN_PIECES);
    if earlier > 0 {
        let _ok = writeln!(text, "({earlier} earlier pieces; --json shows all)");
    }
    for piece in pieces.iter().skip(earlier) {
        let quote: String = piece.quote.split_whitespace().collect::<Vec<_>>().join(" ");
        let quote: String = quote.chars().take(SHOWN_QUOTE_CHARS).collect();
        let _ok = writeln!(
            text,
            "{}  {:<13} \"{}\"\n            {}\n            {}  {}",
            piece.ts.strftime("%Y-%m-%d %H:%M"),
            format!("{:?}", piece.trajectory).to_uppercase(),
            escape_for_display(&quote),
            escape_for_display(&piece.note),
            escape_for_display(&piece.event_id),
            piece.path
        );
    }
}

fn edits(text: &mut String, edits: &[Edit]) {
    if !edits.is_empty() {
        text.push_str("\nedits\n");
        edits.iter().for_each(|edit| text.push_str(&in_short(edit, false)));
    }
}
