//! `subcortex recall`: what is remembered, found by words.

use std::fmt::Write as _;
use std::sync::Arc;

use subcortex_guard::escape_for_display;
use subcortex_memory::MemoryFolder;
use subcortex_recall::{Hit, Places, RecallError, recall};

use super::World;
use crate::args::Recall as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print_json};
use crate::spinner::Spinner;

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
        world.looks().show(&hits.iter().map(in_words).collect::<String>())?;
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

fn in_words(hit: &Hit) -> String {
    let mut words = format!("{:>6.2}  {}", hit.score, escape_for_display(&hit.path));
    if let Some(ts) = hit.ts {
        // Writing to a String cannot fail.
        let _ok = write!(words, "  {}", ts.strftime("%Y-%m-%d %H:%M"));
    }
    let _ok = writeln!(words, "\n        {}", escape_for_display(&hit.text));
    words
}
