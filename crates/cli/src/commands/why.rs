//! `subcortex why`: from a line to the events that justify it, and back.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use subcortex_audit::Ink;
use subcortex_guard::escape_for_display;
use subcortex_memory::{Broadcast, Edit, Journal, MadeBy, Trajectory};
use subcortex_weaver::Workshop;
use subcortex_weaver::explain::{
    Counts, Piece, RestsOn, Why, logged_origins, remembered_origins, rests_on, why_line,
};
use subcortex_yaml::nearest;

use super::World;
use super::check::line_number;
use super::history::Told;
use crate::args::Why as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::names::{EDIT, listed, meant_by};
use crate::output::print_json;
use crate::spinner::Spinner;
use crate::words::{Clock, count, shortened};

/// From how many digits on a number may be the beginning of a session's name.
const SESSION_DIGITS: usize = 6;
/// No memory has more lines.
const MAX_LINES: usize = 100_000;
/// How many pieces of evidence are shown in the terminal: those that speak against the line first, and of the others the newest.
const SHOWN_PIECES: usize = 20;
/// How many of those that do not speak against it are shown at least.
const SHOWN_OTHERS: usize = 5;
/// How many characters of a quote are shown.
const SHOWN_QUOTE_CHARS: usize = 160;

pub(crate) fn run(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    if is_line(&args.what) && !is_session(world, &args.what)? {
        line(world, args)
    } else if is_edit(&args.what) {
        edit(world, args)
    } else {
        origin(world, args)
    }
}

/// Whether it is the name of an edit, as `history` shows them.
fn is_edit(what: &str) -> bool {
    what.starts_with(EDIT.prefix)
}

/// The edit of this name, or of this beginning of one.
fn edit_named(journal: &Journal, name: &str) -> Result<Edit, Failure> {
    let id = EDIT.resolve(name, journal.edits.iter().map(|edit| &*edit.id))?;
    let edit = journal.by_id(&id).cloned();
    edit.ok_or_else(|| Failure::refused(format!("there is no edit `{}`", escape_for_display(name))))
}

/// An edit, with what it rests on.
fn edit(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    let looks = world.looks();
    let shown = Shown::new(world, &looks)?;
    let edit = edit_named(&shown.journal, &args.what)?;
    if args.json {
        print_json(&edit)?;
        return Ok(ExitCode::Done);
    }
    let mut text = shown.told().edit(&edit);
    let events: BTreeSet<&str> =
        edit.changes.iter().flat_map(|change| &change.evidence).map(|evidence| &*evidence.event_id).collect();
    for event in events {
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "      rests on {0}: subcortex why {0}", escape_for_display(event));
    }
    looks.show(&text)?;
    Ok(ExitCode::Done)
}

fn is_line(what: &str) -> bool {
    what.strip_prefix(['L', 'l']).unwrap_or(what).parse::<usize>().is_ok()
}

/// Whether a number is the beginning of a session's name and of no line: `audit` shows sessions by so much of their names, which may be
/// digits only.
fn is_session(world: &World<'_>, what: &str) -> Result<bool, Failure> {
    let is_long = what.len() >= SESSION_DIGITS && what.bytes().all(|byte| byte.is_ascii_digit());
    if !is_long || what.parse::<usize>().is_ok_and(|number| number <= MAX_LINES) {
        return Ok(false);
    }
    Ok(!matches!(known_origin(&world.workshop()?, what, SESSION_DIGITS)?, Known::Unknown { .. }))
}

/// What `--json` prints.
pub(crate) fn document(world: &World<'_>, what: &str) -> Result<serde_json::Value, Failure> {
    world.expect_home()?;
    if is_line(what) && !is_session(world, what)? {
        return Ok(serde_json::to_value(found(world, what)?)?);
    }
    if is_edit(what) {
        let shop = world.workshop()?;
        return Ok(serde_json::to_value(edit_named(&Journal::read(&*shop.disk, &shop.folder)?, what)?)?);
    }
    let shop = world.workshop()?;
    let name = match known_origin(&shop, what, SESSION_DIGITS)? {
        Known::Remembered(name) | Known::Logged(name) => name,
        Known::Unknown { .. } => what.to_owned(),
    };
    Ok(serde_json::to_value(rests_on(&shop, &name)?)?)
}

fn found(world: &World<'_>, what: &str) -> Result<Why, Failure> {
    let number = line_number(what)?;
    let why = why_line(&world.workshop()?, number)?;
    why.ok_or_else(|| {
        Failure::refused(format!(
            "line {number} of {} is no rule\n`subcortex rule list` lists those that are; \
             for a line of another file, look at `subcortex audit FILE`",
            world.home.broadcast().display()
        ))
    })
}

fn line(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    let waits = Spinner::new("reading the evidence");
    let why = found(world, &args.what)?;
    drop(waits);
    if args.json {
        print_json(&why)?;
        return Ok(ExitCode::Done);
    }
    let looks = world.looks();
    let holds = match &why.project {
        Some(project) => format!("holds in {}", escape_for_display(project)),
        None => "holds everywhere".to_owned(),
    };
    let mut text = format!(
        "{}  {}\n    {}\n\n{}\n",
        looks.bold(&format!("L{}", why.line)),
        looks.bold(&escape_for_display(why.text.trim())),
        looks.dim(&holds),
        in_words(why.counts, &looks)
    );
    if let Some(doubt) = &why.not_trusted {
        // Writing to a String cannot fail.
        let _ok = writeln!(
            text,
            "not trusted: {}\nwhat its check says is set aside, and is not in these counts",
            escape_for_display(doubt)
        );
    }
    if why.by == MadeBy::Person {
        text.push_str(FROM_NOW_ON);
    }
    Shown::new(world, &looks)?.all(&mut text, &why.fragments, &why.edits);
    looks.show(&text)?;
    Ok(ExitCode::Done)
}

/// What to know of a line whose test a person wrote.
const FROM_NOW_ON: &str = "its test is your own check, which judges from when you wrote it on; what was seen before was judged by the test that the line had then\n";

/// How a line fares, in a sentence.
fn in_words(counts: Counts, looks: &Looks) -> String {
    let Counts { strengthening, weakening, contradicted, neutral, total } = counts;
    if total == 0 {
        return "not enough data yet: no turn has touched it".to_owned();
    }
    let turns = |n: u64| count(usize::try_from(n).unwrap_or(usize::MAX), "turn");
    let mut parts = Vec::new();
    for (ink, word, n) in [
        (Ink::Magenta, "contradicted by you", contradicted),
        (Ink::Green, "followed", strengthening),
        (Ink::Red, "missed", weakening.saturating_sub(contradicted)),
        (Ink::Yellow, "unclear", neutral),
    ] {
        if n > 0 {
            parts.push(looks.ink(ink, &format!("{word} in {}", turns(n))));
        }
    }
    let open = if strengthening + weakening == 0 { "; not enough data yet" } else { "" };
    format!("{}{open}", parts.join(", "))
}

fn origin(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    let shop = world.workshop()?;
    let waits = Spinner::new("reading the evidence");
    let known = known_origin(&shop, &args.what, 1)?;
    let found = match &known {
        Known::Remembered(name) | Known::Logged(name) => rests_on(&shop, name)?,
        Known::Unknown { .. } => rests_on(&shop, &args.what)?,
    };
    drop(waits);
    if args.json {
        print_json(&found)?;
        return Ok(ExitCode::Done);
    }
    match known {
        Known::Unknown { near } => return Err(unknown(&args.what, near.as_deref())),
        Known::Logged(name) => {
            return Err(Failure::refused(format!(
                "`{}` is in the event log, and nothing in the memory rests on it: not enough data yet, or nothing to learn\n\
                 let the log be read now with: subcortex tick --partition memory-weaver",
                escape_for_display(&name)
            )));
        }
        Known::Remembered(_) => {}
    }
    let looks = world.looks();
    let mut text = head(&found, &looks);
    Shown::new(world, &looks)?.all(&mut text, &found.fragments, &found.edits);
    looks.show(&text)?;
    Ok(ExitCode::Done)
}

fn head(found: &RestsOn, looks: &Looks) -> String {
    let projects: BTreeSet<&str> =
        found.fragments.iter().filter_map(|piece| piece.project.as_deref()).collect();
    let place = match projects.into_iter().collect::<Vec<_>>() {
        none if none.is_empty() => String::new(),
        some => format!("  in {}", escape_for_display(&some.join(", "))),
    };
    let mut text = format!("{}{}\n", looks.bold(&escape_for_display(&found.origin)), looks.dim(&place));
    for line in &found.lines {
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "    says something about {line}");
    }
    text
}

/// Whether a name is one of ours.
pub(crate) enum Known {
    /// The memory has something of it.
    Remembered(String),
    /// It is in the event log, and the memory has nothing of it.
    Logged(String),
    /// Nobody knows it.
    Unknown {
        /// What may have been meant.
        near: Option<String>,
    },
}

/// Finds the session or event that is meant by its name, or by at least `min_chars` of its beginning.
pub(crate) fn known_origin(shop: &Workshop, word: &str, min_chars: usize) -> Result<Known, Failure> {
    let is_long_enough = word.chars().count() >= min_chars;
    let meant = |names: &[&str]| -> Result<Option<String>, Failure> {
        let meant = meant_by(word, "", names);
        match &*meant {
            [only] if *only == word || is_long_enough => Ok(Some((*only).to_owned())),
            [] | [_] => Ok(None),
            several => Err(Failure::refused(format!(
                "`{}` matches several sessions or events; write more of its name\n{}",
                escape_for_display(word),
                listed(several)
            ))),
        }
    };
    let remembered = remembered_origins(shop)?;
    let names: Vec<&str> = remembered.iter().map(String::as_str).collect();
    if let Some(name) = meant(&names)? {
        return Ok(Known::Remembered(name));
    }
    let logged = logged_origins(shop, word)?;
    let names: Vec<&str> = logged.sessions.iter().chain(&logged.events).map(String::as_str).collect();
    if let Some(name) = meant(&names)? {
        return Ok(Known::Logged(name));
    }
    let all: Vec<&str> = names.into_iter().chain(remembered.iter().map(String::as_str)).collect();
    Ok(Known::Unknown { near: nearest(word, &all).map(str::to_owned) })
}

/// Nobody knows this name.
pub(crate) fn unknown(word: &str, near: Option<&str>) -> Failure {
    let hint = match near {
        Some(near) => format!("did you mean {}?", escape_for_display(near)),
        None => "`subcortex spine tail` shows the newest events with their sessions".to_owned(),
    };
    Failure::refused(format!(
        "there is no line, session or event `{}`\n{hint}\nname a line (L12), a session or an event (evt_…), whole or its beginning; `why` takes an edit (edit_…) as well",
        escape_for_display(word)
    ))
}

/// What evidence and edits are shown with.
struct Shown<'a> {
    looks: &'a Looks,
    clock: Clock,
    journal: Journal,
    today: Broadcast,
}

impl<'a> Shown<'a> {
    fn new(world: &World<'_>, looks: &'a Looks) -> Result<Self, Failure> {
        let shop = world.workshop()?;
        let journal = Journal::read(&*shop.disk, &shop.folder)?;
        let today = Broadcast::read(&*shop.disk, &shop.folder)?;
        Ok(Self { looks, clock: Clock::here(), journal, today })
    }

    fn told(&self) -> Told<'_> {
        Told { looks: self.looks, clock: &self.clock, journal: &self.journal, today: &self.today }
    }

    fn all<'p>(&self, text: &mut String, pieces: &'p [Piece], edits: &[Edit]) {
        if !pieces.is_empty() {
            text.push('\n');
        }
        let (against, others): (Vec<&Piece>, Vec<&Piece>) =
            pieces.iter().partition(|piece| piece.contradicts || piece.trajectory == Trajectory::Weakening);
        // What went wrong is what people come for. Where all of it has room, it stands in the order in which it happened.
        let shown: Vec<&Piece> = if pieces.len() <= SHOWN_PIECES {
            pieces.iter().collect()
        } else {
            let room = SHOWN_PIECES.saturating_sub(against.len()).max(SHOWN_OTHERS);
            let newest = |of: Vec<&'p Piece>, most: usize| {
                let skipped = of.len().saturating_sub(most);
                of.into_iter().skip(skipped).collect::<Vec<_>>()
            };
            let against = newest(against, SHOWN_PIECES - SHOWN_OTHERS);
            against.into_iter().chain(newest(others, room)).collect()
        };
        for piece in &shown {
            self.piece(text, piece);
        }
        if let Some(more) = pieces.len().checked_sub(shown.len()).filter(|more| *more > 0) {
            let _ok = writeln!(
                text,
                "({}; misses first, then the newest of the rest; --json shows all)",
                count(more, "older piece")
            );
        }
        if !edits.is_empty() {
            let _ok = writeln!(text, "\n{}", self.looks.bold("Edits that made it what it is"));
            let told = self.told();
            edits.iter().for_each(|edit| text.push_str(&told.edit(edit)));
        }
    }

    fn piece(&self, text: &mut String, piece: &Piece) {
        let (ink, word) = match (piece.trajectory, piece.contradicts) {
            (_, true) => (Ink::Magenta, "contradicted"),
            (Trajectory::Strengthening, false) => (Ink::Green, "followed"),
            (Trajectory::Weakening, false) => (Ink::Red, "missed"),
            (Trajectory::Neutral, false) => (Ink::Yellow, "unclear"),
            (Trajectory::NewSignal, false) => (Ink::Magenta, "you said"),
        };
        let quote = shortened(&piece.quote, SHOWN_QUOTE_CHARS);
        let session = piece.session_key.as_deref().unwrap_or("no session");
        let place = piece.project.as_deref().map(|project| format!(" in {project}")).unwrap_or_default();
        let _ok = writeln!(
            text,
            "{}  {}  \"{}\"\n              {}\n              {}",
            self.looks.ink(ink, &format!("{word:<12}")),
            self.clock.time(piece.ts),
            quote,
            self.looks.dim(&escape_for_display(&piece.note)),
            self.looks.dim(&format!(
                "session {}{}, event {}",
                escape_for_display(session),
                escape_for_display(&place),
                escape_for_display(&piece.event_id)
            )),
        );
    }
}
