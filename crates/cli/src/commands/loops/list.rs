//! `subcortex loop list`: all loops at a glance.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use subcortex_daemon::{LoopView, loop_views};
use subcortex_guard::escape_for_display;
use subcortex_loops::{FOLDER, LoopPlace};
use subcortex_store::RealDisk;

use super::here;
use crate::args::LoopList;
use crate::commands::World;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::surroundings::Surroundings;

pub(super) fn run(
    surroundings: &Surroundings,
    home: Option<&Path>,
    args: &LoopList,
) -> Result<ExitCode, Failure> {
    let here = here(surroundings)?;
    let world = World::new(surroundings, surroundings.home(home)?);
    let (roots, only) = asked_for(&here, args.target.as_deref())?;
    let mut views = loop_views(&world.setup(), &roots)?;
    if let Some(only) = only {
        views.retain(|view| view.dir == only);
    }
    if args.json {
        print_json(&views)?;
    } else if views.is_empty() {
        print("no loops; make one with `subcortex loop scaffold NAME --pattern PATTERN`\n")?;
    } else {
        print(&table(&views))?;
    }
    Ok(ExitCode::Done)
}

/// The repositories to look at besides those of the settings, and the one loop that is asked for.
fn asked_for(here: &Path, target: Option<&Path>) -> Result<(Vec<PathBuf>, Option<PathBuf>), Failure> {
    let Some(target) = target else {
        let around = LoopPlace::planned(&RealDisk, here, Path::new("x")).root;
        return Ok((vec![around], None));
    };
    let path = here.join(target);
    if path.join(FOLDER).is_dir() {
        return Ok((vec![path], None));
    }
    let place = LoopPlace::find(&RealDisk, here, target)?;
    Ok((vec![place.root], Some(place.dir)))
}

/// One line a loop, and what is wrong below it.
pub(crate) fn table(views: &[LoopView]) -> String {
    let mut text = format!(
        "{:<24} {:<4} {:<8} {:>9}  {:<20} {:<10} {:<20} {:>8} {:>8}\n",
        "loop", "tier", "state", "readiness", "last run", "outcome", "next", "tokens", "USD"
    );
    for view in views {
        let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
        let readiness = match (view.readiness, view.readiness_before) {
            (Some(is), Some(was)) => format!("{was}->{is}"),
            (Some(is), None) => is.to_string(),
            (None, _) => "-".into(),
        };
        // Writing to a String cannot fail.
        let _ok = writeln!(
            text,
            "{:<24} {:<4} {:<8} {:>9}  {:<20} {:<10} {:<20} {:>8} {:>8.4}",
            escape_for_display(view.key.trim_start_matches("loop:")),
            or_none(&view.tier),
            view.state,
            readiness,
            or_none(&view.last_run),
            escape_for_display(&or_none(&view.last_outcome)),
            or_none(&view.next),
            view.tokens_today,
            view.usd_today,
        );
        if let Some(held) = &view.held {
            let _ok = writeln!(text, "  holds {}", escape_for_display(held));
        }
        if let Some(problem) = &view.problem {
            let _ok = writeln!(text, "  {}", escape_for_display(problem));
        }
        if view.state == "down" {
            let cadence = or_none(&view.cadence);
            let _ok =
                writeln!(text, "  silent for more than twice its cadence ({})", escape_for_display(&cadence));
        }
    }
    text
}
