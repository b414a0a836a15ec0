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
use crate::looks::Looks;
use crate::output::{print, print_json};
use crate::surroundings::Surroundings;
use crate::words::{self, Clock, grouped};

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
        let text = table(&views, &Clock::here()) + &unfollowed(&views);
        Looks::of(surroundings).print(&text)?;
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
pub(crate) fn table(views: &[LoopView], clock: &Clock) -> String {
    let mut rows = vec![["LOOP", "TIER", "STATE", "READY", "LAST RUN", "NEXT", "TODAY"].map(String::from)];
    rows.extend(views.iter().map(|view| row(view, clock)));
    let table = words::table(&rows);
    let mut lines = table.lines();
    let mut text = format!("{}\n", lines.next().unwrap_or_default());
    for (line, view) in lines.zip(views) {
        // Writing to a String cannot fail.
        let _ok = writeln!(text, "{line}");
        if let Some(held) = &view.held {
            let _ok = writeln!(text, "  holds {}", escape_for_display(held));
        }
        if let Some(problem) = &view.problem {
            let _ok = writeln!(text, "  {}", escape_for_display(problem));
        }
        if view.state == "down" {
            let cadence = view.cadence.as_deref().unwrap_or("-");
            let _ok =
                writeln!(text, "  silent for more than twice its cadence ({})", escape_for_display(cadence));
        }
    }
    text
}

fn row(view: &LoopView, clock: &Clock) -> [String; 7] {
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
    let readiness = match (view.readiness, view.readiness_before) {
        (Some(is), Some(was)) => format!("{was}->{is}"),
        (Some(is), None) => is.to_string(),
        (None, _) => "-".into(),
    };
    let last = match (&view.last_run, &view.last_outcome) {
        (Some(at), Some(outcome)) => format!("{}, {}", clock.written(at), escape_for_display(outcome)),
        (Some(at), None) => clock.written(at),
        (None, _) => "never ran".into(),
    };
    let next = match &view.next {
        Some(next) if view.by_itself => clock.written(next),
        Some(_) => "by hand only".into(),
        None => "-".into(),
    };
    let spent = match (view.tokens_today, view.usd_today) {
        (0, usd) if usd <= 0.0 => "-".into(),
        (tokens, usd) => format!("{} tokens, {usd:.2} USD", grouped(tokens)),
    };
    [
        escape_for_display(view.key.trim_start_matches("loop:")).into_owned(),
        or_none(&view.tier),
        view.state.clone(),
        readiness,
        last,
        next,
        spent,
    ]
}

/// Which of these run only when somebody runs them, and how that is changed.
fn unfollowed(views: &[LoopView]) -> String {
    let mut roots: Vec<&Path> = views.iter().filter(|view| !view.by_itself).map(|view| &*view.root).collect();
    roots.dedup();
    roots
        .iter()
        .map(|root| {
            let root = root.to_string_lossy();
            format!(
                "\nno daemon runs the loops of {0} by itself: `loops:` in config/subcortex.yaml does not name it\n  \
                 → add it there (`loops: {{ roots: [{0}] }}`), or run one by hand: subcortex loop run NAME\n",
                escape_for_display(&root)
            )
        })
        .collect()
}
