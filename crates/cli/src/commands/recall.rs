//! `subcortex recall`: what is remembered, found by words.

use std::fmt::Write as _;
use std::sync::Arc;

use subcortex_guard::escape_for_display;
use subcortex_memory::{Broadcast, MemoryFolder};
use subcortex_recall::{Hit, Kind, Places, RecallError, recall};

use super::World;
use crate::args::Recall as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::looks::Looks;
use crate::output::{note, print_json};
use crate::spinner::Spinner;
use crate::words::Clock;

impl From<RecallError> for Failure {
    fn from(error: RecallError) -> Self {
        match error {
            RecallError::NoWords(_) => Self::refused(error.to_string()),
            RecallError::Memory(_)
            | RecallError::Spine(_)
            | RecallError::Write(_)
            | RecallError::Read(_)
            | RecallError::Io { .. }
            | RecallError::Damaged { .. } => Self::storage(error.to_string()),
        }
    }
}

pub(crate) fn run(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    let waits = Spinner::new("bringing the index up to date");
    let hits = hits(world, &args.query.join(" "), args.limit.into())?;
    drop(waits);
    if args.json {
        print_json(&hits)?;
    } else {
        if hits.is_empty() {
            note("nothing in the memory contains these words");
        }
        let (looks, clock) = (world.looks(), Clock::here());
        let broadcast = Broadcast::read(&*world.disk, &MemoryFolder::at(world.home.memory()))?;
        let told =
            in_order(hits).iter().map(|hit| in_words(hit, &broadcast, &looks, &clock)).collect::<String>();
        looks.show(&told)?;
    }
    Ok(ExitCode::Done)
}

/// The best answers, the best first.
pub(crate) fn hits(world: &World<'_>, query: &str, limit: usize) -> Result<Vec<Hit>, Failure> {
    world.expect_home()?;
    let places = Places {
        disk: Arc::clone(&world.disk),
        memory: MemoryFolder::at(world.home.memory()),
        events: world.home.spine().events,
        var: world.home.var(),
    };
    Ok(recall(&places, query, limit)?)
}

/// The memory before what it rests on, and that before what was only said: each kind as well as it fits.
fn in_order(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|hit| match hit.kind {
        Kind::Line => 0,
        Kind::Dossier => 1,
        Kind::Fragment => 2,
        Kind::Turn => 3,
    });
    hits
}

/// The projects of the lines, by the number at the end of a path.
fn project_of(hit: &Hit, broadcast: &Broadcast) -> Option<String> {
    let number = hit.path.rsplit_once(":L").filter(|_| hit.kind == Kind::Line)?.1.parse().ok()?;
    broadcast.by_number(number)?.project.clone()
}

fn in_words(hit: &Hit, broadcast: &Broadcast, looks: &Looks, clock: &Clock) -> String {
    let what = match hit.kind {
        Kind::Line => "rule",
        Kind::Dossier => "dossier",
        Kind::Fragment => "evidence",
        Kind::Turn => "turn",
    };
    let mut place = escape_for_display(&hit.path).into_owned();
    if let Some(project) = project_of(hit, broadcast) {
        // Writing to a String cannot fail.
        let _ok = write!(place, ", in {}", escape_for_display(&project));
    }
    if let Some(ts) = hit.ts {
        let _ok = write!(place, ", {}", clock.time(ts));
    }
    let text = escape_for_display(&hit.text);
    format!("{}{}\n          {text}\n", looks.bold(&format!("{what:<10}")), looks.dim(&place))
}
