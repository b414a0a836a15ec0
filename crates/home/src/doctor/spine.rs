//! The event log: what only looks like a day file, days from the future, a torn end.

use subcortex_spine::{Day, list_days};
use subcortex_store::{Disk, OpenMode};

use super::Finding;
use crate::layout::Home;

pub(super) fn day_files(disk: &dyn Disk, home: &Home, now: jiff::Timestamp) -> Vec<Finding> {
    const ABOUT: &str = "spine";
    let (days, odd) = match list_days(disk, &home.spine().events) {
        Ok(found) => found,
        Err(error) => {
            return vec![Finding::problem(ABOUT, error.to_string(), "check the permissions of var/events")];
        }
    };
    let mut findings: Vec<Finding> = odd
        .iter()
        .map(|entry| {
            let name = entry.path.file_name().unwrap_or_default().to_string_lossy();
            Finding::problem(
                ABOUT,
                format!("var/events/{name} is {} where a day file belongs", entry.what),
                "move it away; nothing can be written on that day while it is there",
            )
        })
        .collect();
    if let Some(newest) = days.last() {
        if newest.day > Day::of(now) {
            findings.push(Finding::warning(
                ABOUT,
                format!("the newest day, {}, lies in the future: the clock was wrong once", newest.day),
                "nothing to do; new events go there until that day, so that their order holds",
            ));
        }
        if !newest.compressed && ends_torn(disk, newest) {
            findings.push(Finding::warning(
                ABOUT,
                format!("{} ends in the middle of a record: a writer was killed", newest.day.file_name()),
                "nothing to do; it is repaired before the next event is written",
            ));
        }
    }
    if findings.is_empty() {
        let days = days.len();
        findings.push(Finding::ok(
            ABOUT,
            format!(
                "{days} {}; `subcortex spine verify` reads them all",
                if days == 1 { "day file" } else { "day files" }
            ),
        ));
    }
    findings
}

fn ends_torn(disk: &dyn Disk, file: &subcortex_spine::DayFile) -> bool {
    let mut last = [b'\n'];
    let torn = disk.open(&file.path, OpenMode::Read).and_then(|file| {
        let len = file.len()?;
        if len > 0 {
            file.read_at(&mut last, len - 1)?;
        }
        Ok(last != [b'\n'])
    });
    torn.unwrap_or(false)
}

pub(super) fn quarantine(disk: &dyn Disk, home: &Home) -> Vec<Finding> {
    let kept = disk.list(&home.spine().quarantine).map_or(0, |names| names.len());
    if kept == 0 {
        return Vec::new();
    }
    vec![Finding::warning(
        "quarantine",
        match kept {
            1 => "1 damaged piece was cut off a file in the past and is kept".to_owned(),
            kept => format!("{kept} damaged pieces were cut off files in the past and are kept"),
        },
        format!("look at {} and remove them when they are of no use", home.spine().quarantine.display()),
    )]
}
