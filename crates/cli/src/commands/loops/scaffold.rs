//! `subcortex loop scaffold`: a new loop from a pattern.

use std::fmt::Write as _;

use serde::Serialize;
use subcortex_guard::escape_for_display;
use subcortex_loops::LoopPlace;
use subcortex_loops::pattern::{self, Pattern, names};
use subcortex_loops::scaffold::{NewFile, ScaffoldError, files, refuse_unless_free, scaffold};
use subcortex_store::RealDisk;
use subcortex_yaml::nearest;

use super::here;
use crate::args::LoopScaffold;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::surroundings::Surroundings;

/// What a loop is that fits no pattern.
const NO_PATTERN: &str = "custom";

/// The answer for programs.
#[derive(Serialize)]
struct Answer<'a> {
    name: &'a str,
    pattern: &'a str,
    dir: String,
    files: Vec<&'a str>,
    dry_run: bool,
}

pub(super) fn run(surroundings: &Surroundings, args: &LoopScaffold) -> Result<ExitCode, Failure> {
    let place = LoopPlace::planned(&RealDisk, &here(surroundings)?, &args.target);
    let name = place.name();
    let pattern = match &args.pattern {
        Some(wanted) => pattern::named(wanted),
        None => by_name(&name)?,
    };
    let pattern = pattern.ok_or_else(|| Failure::refused("there is no such pattern; `--help` lists them"))?;
    let files = files(&name, pattern);
    if args.dry_run {
        refuse_unless_free(&RealDisk, &place.dir)?;
    } else {
        scaffold(&RealDisk, &place.dir, &files)?;
    }
    let dir = place.dir.to_string_lossy();
    if args.json {
        let files = files.iter().map(|file| file.name).collect();
        let dir = dir.into_owned();
        print_json(&Answer { name: &name, pattern: pattern.name, dir, files, dry_run: args.dry_run })?;
    } else if args.dry_run {
        print(&planned(&dir, &files))?;
    } else {
        print(&format!(
            "made {} ({})\nnext: replace every <fill in …> in its loop.config.yaml, then `subcortex loop check {name}`\n",
            escape_for_display(&dir),
            pattern.name,
        ))?;
    }
    Ok(ExitCode::Done)
}

/// The pattern of a loop that only its name describes. A name that looks like a mistyped pattern is none of a loop of one's own.
fn by_name(name: &str) -> Result<Option<&'static Pattern>, Failure> {
    if let Some(pattern) = pattern::named(name) {
        return Ok(Some(pattern));
    }
    match nearest(name, &names().collect::<Vec<_>>()) {
        Some(near) => Err(Failure::refused(format!(
            "there is no pattern `{}`; did you mean {near}?\nnothing was made; for a loop of your own by that name add: --pattern {NO_PATTERN}",
            escape_for_display(name)
        ))),
        None => Ok(pattern::named(NO_PATTERN)),
    }
}

fn planned(dir: &str, files: &[NewFile]) -> String {
    let mut words = String::new();
    for file in files {
        // Writing to a String cannot fail.
        let _ok = writeln!(words, "# would make {}/{}\n{}", escape_for_display(dir), file.name, file.content);
    }
    words
}

impl From<ScaffoldError> for Failure {
    fn from(error: ScaffoldError) -> Self {
        match error {
            ScaffoldError::Populated(_) | ScaffoldError::Busy(_) | ScaffoldError::BadName(_) => {
                Self::refused(error.to_string())
            }
            ScaffoldError::Write(_) | ScaffoldError::Io { .. } => Self::storage(error.to_string()),
        }
    }
}
