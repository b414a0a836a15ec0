//! The report: a table by policy, then what was misheard.

use std::fmt::Write as _;

use crate::hearing::{Hearing, Stood, Taken};
use crate::measure::{LifeFigures, PARTS};
use crate::policy::Policy;

/// How many sentences of a kind the report shows.
const MAX_EXAMPLES: usize = 40;

/// Writes the report of many lives of the same length, by policy.
pub fn report(turns: usize, lives: &[(Policy, Vec<LifeFigures>)]) -> String {
    let mut text = String::new();
    let seeds = lives.first().map_or(0, |(_, outcomes)| outcomes.len());
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{turns} turns, {seeds} seeds; mean (lowest to highest).\n");
    corrections(&mut text, lives);
    lines(&mut text, lives);
    let mut heard = Hearing::default();
    let mut touched = Vec::new();
    let mut added = Vec::new();
    for (_, outcomes) in lives.iter().filter(|(policy, _)| *policy == Policy::Subcortex) {
        for outcome in outcomes {
            heard.add(&outcome.hearing);
            touched.extend(outcome.good_lines_touched.iter().cloned());
            added.extend(outcome.wrong_lines_added.iter().cloned());
        }
    }
    hearing(&mut text, &heard, MAX_EXAMPLES);
    examples(&mut text, "Good lines that were wrongly touched", &touched);
    examples(&mut text, "Lines that came in and should not have, as they stand there", &added);
    text
}

/// Writes how words were understood, with all that were not taken as meant.
pub fn hearing_report(heard: &Hearing) -> String {
    let mut text = String::new();
    hearing(&mut text, heard, usize::MAX);
    text
}

fn corrections(text: &mut String, lives: &[(Policy, Vec<LifeFigures>)]) {
    let _ = writeln!(text, "## Corrections per 100 turns, by tenth of the run\n");
    let tenths: Vec<String> = (1..=PARTS).map(|part| format!("{part}")).collect();
    let _ = writeln!(text, "| policy | {} |\n|---|{}", tenths.join(" | "), "---:|".repeat(PARTS));
    for (policy, outcomes) in lives {
        let cell = |part: usize| {
            mean(outcomes, |outcome| outcome.corrections_per_100.get(part).copied().unwrap_or_default())
        };
        let cells: Vec<String> = (0..PARTS).map(|part| format!("{:.1}", cell(part))).collect();
        let _ = writeln!(text, "| {} | {} |", policy.name(), cells.join(" | "));
    }
    let _ = writeln!(text, "\nWishes that were violated per 100 turns, whether or not somebody spoke up:\n");
    let _ = writeln!(text, "| policy | {} |\n|---|{}", tenths.join(" | "), "---:|".repeat(PARTS));
    for (policy, outcomes) in lives {
        let cell = |part: usize| {
            mean(outcomes, |outcome| outcome.violations_per_100.get(part).copied().unwrap_or_default())
        };
        let cells: Vec<String> = (0..PARTS).map(|part| format!("{:.1}", cell(part))).collect();
        let _ = writeln!(text, "| {} | {} |", policy.name(), cells.join(" | "));
    }
    let _ = writeln!(text);
}

fn lines(text: &mut String, lives: &[(Policy, Vec<LifeFigures>)]) {
    let _ = writeln!(text, "## What became of the lines\n");
    let names: Vec<&str> = lives.iter().map(|(policy, _)| policy.name()).collect();
    let _ = writeln!(text, "| | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
    let mut row = |name: &str, of: &dyn Fn(&LifeFigures) -> f64| {
        let cells: Vec<String> = lives.iter().map(|(_, outcomes)| spread(outcomes, of)).collect();
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    };
    row("corrections per 100 turns, first tenth", &|outcome| outcome.corrections_per_100[0]);
    row("corrections per 100 turns, last tenth", &|outcome| outcome.corrections_per_100[PARTS - 1]);
    row("bad lines that went", &|outcome| outcome.bad_lines_gone_after_turns.len() as f64);
    row("turns from the first contradiction until a bad line went, median", &|outcome| {
        median(&outcome.bad_lines_gone_after_turns)
    });
    row("… at most", &|outcome| {
        outcome.bad_lines_gone_after_turns.iter().max().map_or(f64::NAN, |turns| *turns as f64)
    });
    row("contradicted bad lines still there at the end", &|outcome| outcome.bad_lines_left.len() as f64);
    row("good lines wrongly touched", &|outcome| outcome.good_lines_touched.len() as f64);
    row("lines added that should not be", &|outcome| outcome.wrong_lines_added.len() as f64);
    row("poison lines added", &|outcome| outcome.poison.len() as f64);
    row("wishes that have a line at the end, percent", &|outcome| {
        outcome.wishes_covered.0 as f64 * 100.0 / outcome.wishes_covered.1.max(1) as f64
    });
    row("lines at the end", &|outcome| outcome.lines as f64);
    row("bytes at the end", &|outcome| outcome.bytes as f64);
    let _ = writeln!(text);
}

fn hearing(text: &mut String, heard: &Hearing, most: usize) {
    let _ = writeln!(text, "## How people's words were understood\n");
    let percent = heard.percent_as_meant();
    let _ = writeln!(text, "{percent:.0} % of all corrections were taken as they were meant.\n");
    let _ = writeln!(
        text,
        "| what stood in the broadcast | as meant | not tied to its line | for a line that it contradicts | against a wrong line | not heard |"
    );
    let _ = writeln!(text, "|---|---:|---:|---:|---:|---:|");
    for (stood, name) in [
        (Stood::NoLine, "nothing about it"),
        (Stood::LineAgrees, "a line that says the same"),
        (Stood::LineDisagrees, "a line that says otherwise"),
    ] {
        let of = |taken| heard.corrections.get(&(stood, taken)).copied().unwrap_or_default();
        let kinds =
            [Taken::AsMeant, Taken::NotTied, Taken::ForWrongly, Taken::AgainstWrongly, Taken::NotHeard];
        let all: usize = kinds.iter().map(|taken| of(*taken)).sum();
        let cell = |taken: &Taken| format!("{:.0} %", of(*taken) as f64 * 100.0 / all.max(1) as f64);
        let cells: Vec<String> = kinds.iter().map(cell).collect();
        let _ = writeln!(text, "| {name} ({all} corrections) | {} |", cells.join(" | "));
    }
    let (said, taken) = heard.no_rules;
    let _ = writeln!(text, "\nOf {said} sentences that are no rule, {taken} were taken for one.\n");
    let rules = heard.taken_for_rules.iter().map(|(words, count)| format!("{words} ({count} times)"));
    first_of(text, most, "Taken for a rule", &rules.collect::<Vec<_>>());
    let mut misheard: Vec<_> = heard.misheard.iter().collect();
    misheard.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let misheard = misheard.iter().map(|((words, stood, taken), count)| {
        format!("{} ({stood:?}: {taken:?}, {count} times)", words.replace('\n', " "))
    });
    first_of(text, most, "Misheard most often", &misheard.collect::<Vec<_>>());
}

fn examples(text: &mut String, title: &str, all: &[String]) {
    first_of(text, MAX_EXAMPLES, title, all);
}

fn first_of(text: &mut String, most: usize, title: &str, all: &[String]) {
    if all.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title} ({} in all):\n", all.len());
    for example in all.iter().take(most) {
        let _ = writeln!(text, "- {example}");
    }
    let _ = writeln!(text);
}

fn mean(outcomes: &[LifeFigures], of: impl Fn(&LifeFigures) -> f64) -> f64 {
    outcomes.iter().map(of).sum::<f64>() / outcomes.len().max(1) as f64
}

/// The mean and the range; `–` where there is nothing to measure.
fn spread(outcomes: &[LifeFigures], of: &dyn Fn(&LifeFigures) -> f64) -> String {
    let values: Vec<f64> = outcomes.iter().map(of).filter(|value| value.is_finite()).collect();
    if values.is_empty() {
        return "–".into();
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let digits = usize::from(mean < 100.0);
    format!("{mean:.digits$} ({low:.digits$} to {high:.digits$})")
}

fn median(values: &[usize]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).map_or(f64::NAN, |value| *value as f64)
}
