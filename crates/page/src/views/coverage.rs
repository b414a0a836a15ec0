//! The broadcast as a coverage report: what became of each line.

use jiff::Timestamp;
use serde::Serialize;
use subcortex_audit::{RuleTest, Standing, TurnCounts};
use subcortex_guard::Redactor;
use subcortex_memory::{Journal, Line, LineCheck, LineHash, MadeBy};
use subcortex_weaver::updater::{self, Trial};
use subcortex_weaver::{Counted, LineTally, TrustState, counted};

use super::days::OnDay;
use crate::{Page, PageError};

#[derive(Debug, Serialize)]
pub(crate) struct Coverage {
    /// Whether there is a broadcast at all.
    exists: bool,
    lines: Vec<CoveredLine>,
    /// Each standing that a line can have, with what it means and how many have it.
    standings: Vec<Shown>,
    unseen_edits: usize,
}

#[derive(Debug, Serialize)]
struct Shown {
    class: &'static str,
    words: &'static str,
    meaning: &'static str,
    count: usize,
}

#[derive(Debug, Serialize)]
struct CoveredLine {
    number: usize,
    hash: LineHash,
    text: String,
    /// The heading that it stands below.
    heading: Option<String>,
    project: Option<String>,
    /// `tested`, `not_trusted` or `not_testable`.
    state: &'static str,
    standing: &'static str,
    followed: u64,
    missed: u64,
    /// Of people who said that the line itself is wrong.
    contradicted: u64,
    unclear: u64,
    /// How it is understood as a test.
    understood: String,
    by: MadeBy,
    not_trusted: Option<String>,
    reword: Option<String>,
    last_at: Option<Timestamp>,
    trend: Vec<OnDay>,
    /// How it fares since its last edit.
    trial: Option<String>,
}

pub(crate) fn coverage(page: &Page) -> Result<Coverage, PageError> {
    let shop = page.helm.workshop();
    let (disk, folder) = (&*shop.disk, &shop.folder);
    let Counted { compiled, trust, tally, .. } = counted(&shop)?;
    let trials = updater::probation(&Journal::read(disk, folder)?, &tally);
    let mut trends = page.days.trends(&shop)?;
    let text = compiled.broadcast.text.clone().unwrap_or_default();
    let lines: Vec<CoveredLine> = compiled
        .lines()
        .map(|(line, known)| CoveredLine {
            trend: trends.remove(&line.hash).unwrap_or_default(),
            trial: trials.iter().find(|trial| trial.hash == line.hash).map(Trial::in_words),
            heading: heading_above(&text, line.number),
            ..covered(line, known, tally.lines.get(&line.hash), &trust)
        })
        .collect();
    let count = |class: &str| lines.iter().filter(|line| line.standing == class).count();
    let standings = Standing::SHOWN
        .iter()
        .map(|(_, class, words, meaning)| Shown { class, words, meaning, count: count(class) })
        .collect();
    let unseen_edits = updater::unseen_edits(&shop)?.len();
    Ok(Coverage { exists: compiled.broadcast.text.is_some(), lines, standings, unseen_edits })
}

fn covered(line: &Line, known: &LineCheck, tally: Option<&LineTally>, trust: &TrustState) -> CoveredLine {
    let redactor = Redactor::new();
    // A rule may hold a secret, and what is said of it repeats its words.
    let clean = |text: &str| redactor.text(text).into_owned();
    let check = &known.check;
    let doubt = trust.of(line, known).doubt().map(clean);
    let turns = tally.map_or(TurnCounts::default(), |tally| TurnCounts {
        followed: tally.strengthening,
        missed: tally.weakening.saturating_sub(tally.against),
        contradicted: tally.against,
        unclear: tally.neutral,
        waiting: 0,
    });
    CoveredLine {
        number: line.number,
        hash: line.hash.clone(),
        text: clean(&line.text),
        heading: None,
        project: line.project.clone(),
        state: match (check.testable, &doubt) {
            (true, None) => "tested",
            (true, Some(_)) => "not_trusted",
            (false, _) => "not_testable",
        },
        standing: Standing::of(&turns, RuleTest::of(check, doubt.as_deref())).class(),
        followed: turns.followed,
        missed: turns.missed,
        contradicted: turns.contradicted,
        unclear: turns.unclear,
        understood: clean(&check.why),
        by: known.by,
        not_trusted: doubt,
        reword: check.reword.as_deref().map(clean),
        last_at: tally.and_then(|tally| tally.last_ts),
        trend: Vec::new(),
        trial: None,
    }
}

/// The nearest heading above a line of a Markdown text.
fn heading_above(text: &str, number: usize) -> Option<String> {
    let above: Vec<&str> = text.lines().take(number.saturating_sub(1)).collect();
    let heading = above.iter().rev().find(|line| line.starts_with('#'))?;
    let words = heading.trim_start_matches('#').trim();
    (!words.is_empty()).then(|| Redactor::new().text(words).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_below_the_nearest_heading() {
        let text = "# Rules\n- a\n## Web\n- b\n";
        assert_eq!(heading_above(text, 2).as_deref(), Some("Rules"));
        assert_eq!(heading_above(text, 4).as_deref(), Some("Web"));
        assert_eq!(heading_above("- a\n", 1), None);
    }
}
