//! `subcortex demo`: what the program is for, seen in a minute. A temporary home, a made-up week, and the real weaver.

use std::fmt::Write as _;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use subcortex_guard::escape_for_display;
use subcortex_home::{Home, init};
use subcortex_memory::{Broadcast, Edit, Journal};
use subcortex_model::{Draft, Source};
use subcortex_spine::{Durability, Spine};
use subcortex_store::durable;
use subcortex_weaver::explain::why_line;
use subcortex_weaver::{Workshop, reflect};

use super::history::change_in_words;
use super::{World, demo_page};
use crate::args::Demo;
use crate::demo::{DAYS, Deed, MEMORY, Moment, WEEK};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::names::EDIT;
use crate::output::print;

/// How long after the last word of a day the weaver looks at it.
const EVENING: SignedDuration = SignedDuration::from_hours(2);

pub(crate) fn run(world: &World<'_>, args: &Demo) -> Result<ExitCode, Failure> {
    let place = tempfile::Builder::new()
        .prefix("subcortex-demo.")
        .tempdir()
        .map_err(|error| Failure::failed(format!("cannot make a temporary folder: {error}")))?;
    let home = Home::at(place.path().join("home"));
    init(&*world.disk, &home)?;
    durable::replace(&*world.disk, &home.broadcast(), MEMORY.as_bytes())?;
    let looks = world.looks();
    looks.print(&format!("On Monday the memory says:\n\n{}\n", indented(MEMORY)))?;
    for (day, name) in DAYS.iter().enumerate() {
        looks.print(&one_day(world, &home, day, name)?)?;
    }
    looks.print(&the_end(world, &home)?)?;
    if demo_page::is_wanted(world, args) {
        demo_page::show(world, &home)?;
    } else {
        print("\nSee it on a page: subcortex demo --open\n")?;
    }
    if args.keep {
        let kept = place.keep();
        looks.print(&format!(
            "\nThe home is kept; look around in it with `why L3`, `history` or `status`:\n\nsubcortex --home {} why L3\n",
            kept.join("home").display()
        ))?;
    }
    Ok(ExitCode::Done)
}

fn workshop(world: &World<'_>, home: &Home, now: Timestamp) -> Workshop {
    let settings = subcortex_weaver::Settings::default();
    Workshop { now, ..subcortex_daemon::workshop(home, &world.disk, settings, None) }
}

/// Puts what happened on a day on the spine, lets the weaver look at it in the evening, and says what it did.
fn one_day(world: &World<'_>, home: &Home, day: usize, name: &str) -> Result<String, Failure> {
    let mut spine = Spine::new(Arc::clone(&world.disk), home.spine(), world.surroundings.boot_id.clone());
    let days_ago = i64::try_from(DAYS.len() - day).unwrap_or(0);
    let mut clock = Timestamp::now() - SignedDuration::from_hours(24 * days_ago);
    let mut text = format!("{name}\n");
    let moments = WEEK.iter().filter(|moment| usize::try_from(moment.day).is_ok_and(|on| on == day));
    for moment in moments {
        clock += SignedDuration::from_mins(1);
        spine.append(vec![draft(moment, clock)], Timestamp::now(), Durability::Written)?;
        text.push_str(&told(moment));
    }
    let shop = workshop(world, home, clock + EVENING);
    let before = Journal::read(&*shop.disk, &shop.folder)?.edits.len();
    let woven = reflect(&shop, &|| false)?;
    let journal = Journal::read(&*shop.disk, &shop.folder)?;
    // Writing to a String cannot fail.
    let _ok = writeln!(text, "  → {}", woven.evidence_in_words());
    for edit in journal.edits.iter().skip(before) {
        text.push_str(&edited(edit, &world.looks()));
    }
    text.push('\n');
    Ok(text)
}

fn draft(moment: &Moment, ts: Timestamp) -> Draft {
    let (event_type, payload) = match moment.deed {
        Deed::Said(text) => ("channel.message", json!({ "text": text })),
        Deed::Ran(command) => {
            ("agent.tool_use", json!({ "tool_name": "Bash", "input": { "command": command } }))
        }
        Deed::Answered(text) => ("agent.tool_result", json!({ "is_error": false, "text": text })),
    };
    let payload = payload.as_object().cloned().unwrap_or_default();
    let mut draft = Draft::new(event_type, Source::of("claude"), payload);
    draft.ts = Some(ts);
    draft.session_key = Some(moment.session.to_owned());
    draft.cwd = Some(moment.project.to_owned());
    draft
}

fn told(moment: &Moment) -> String {
    let project = moment.project.rsplit('/').next().unwrap_or_default();
    match moment.deed {
        Deed::Said(text) => format!("  {project:<7} you      \"{text}\"\n"),
        Deed::Ran(command) => format!("  {project:<7} agent    $ {command}\n"),
        Deed::Answered(text) => format!("  {project:<7} web page \"{text}\"\n"),
    }
}

fn edited(edit: &Edit, looks: &Looks) -> String {
    let changes: String = edit.changes.iter().map(|change| change_in_words(change, looks)).collect();
    let id = EDIT.short(&edit.id, &[]);
    format!("  → the memory was edited:\n{changes}      undo: subcortex revert {id}\n")
}

/// The memory at the end of the week, and how each line fared.
fn the_end(world: &World<'_>, home: &Home) -> Result<String, Failure> {
    let shop = workshop(world, home, Timestamp::now());
    let broadcast = Broadcast::read(&*shop.disk, &shop.folder)?;
    let mut text = format!(
        "On Friday evening it says:\n\n{}\nHow each line fared:\n\n",
        indented(broadcast.text.as_deref().unwrap_or_default())
    );
    for line in &broadcast.lines {
        let Some(why) = why_line(&shop, line.number)? else { continue };
        let counts = why.counts;
        let _ok = writeln!(
            text,
            "  L{:<3} followed {}, missed {}  {}",
            line.number,
            counts.strengthening,
            counts.weakening,
            escape_for_display(line.text.trim())
        );
        if let Some(piece) = why.fragments.last() {
            let quote: String = piece.quote.chars().take(70).collect();
            let _ok =
                writeln!(text, "       because of {}: \"{}\"", piece.event_id, escape_for_display(&quote));
        }
    }
    text.push_str(
        "\nWhat the web page wanted stayed out: only a person's own words can make a line. Try it on your own rules:\n\n  \
         subcortex audit CLAUDE.md\n",
    );
    Ok(text)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
