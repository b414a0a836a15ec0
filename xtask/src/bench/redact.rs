//! What redaction costs: ordinary text, plain and as agents show it, and text that was made to be slow.
//!
//! For every anchor of every rule there are texts that repeat it, alone and with what makes an almost-secret of it. Twice
//! the length may cost a little more than twice the time, and no more.

use std::hint::black_box;
use std::path::Path;

use anyhow::{Context, Result};
use rustix::time::{ClockId, clock_gettime};
use subcortex_guard::{Redactor, redact};

use super::measure::Summary;
use super::report::{Goal, Section};
use crate::cargo::workspace_root;

/// The shorter of the two hostile texts, in bytes.
const HOSTILE_BYTES: usize = 128 * 1024;
/// How many hostile texts there are of one anchor. The tests count the work of all of them.
const UNITS_OF_ANCHOR: usize = 3;
/// How much longer twice the length may take.
const GROWTH_MAX: f64 = 2.3;
/// How often a text that took too long is measured again: something else may have run meanwhile.
const SECOND_LOOKS: usize = 12;
/// How many of the worst are shown.
const SHOWN: usize = 5;

/// What one hostile text cost.
struct Cost {
    unit: String,
    /// Seconds for the shorter and the longer text.
    short: f64,
    long: f64,
}

impl Cost {
    fn growth(&self) -> f64 {
        self.long / self.short
    }

    fn bytes_a_second(&self) -> f64 {
        2.0 * HOSTILE_BYTES as f64 / self.long
    }
}

/// Measures.
pub(crate) fn run(rounds: usize) -> Result<Section> {
    let sources = sources().context("cannot read the sources of the workspace")?;
    let listing: Vec<String> = sources.iter().map(|text| numbered(text)).collect();
    let mut rows = vec![
        ordinary_row("sources of the workspace", &sources, rounds),
        ordinary_row("the same, with line numbers", &listing, rounds),
    ];
    let units = redact::hostile_units(UNITS_OF_ANCHOR);
    let mut costs: Vec<Cost> = units.iter().map(|unit| cost(unit)).collect();
    costs.sort_by(|left, right| left.bytes_a_second().total_cmp(&right.bytes_a_second()));
    rows.extend(costs.iter().take(SHOWN).map(hostile_row));
    costs.sort_by(|left, right| right.growth().total_cmp(&left.growth()));
    rows.extend(costs.iter().take(SHOWN).map(hostile_row));
    let worst = costs.first().map(|cost| (format!("{:.2} ×", cost.growth()), cost.growth() <= GROWTH_MAX));
    Ok(Section {
        title: "Redaction",
        intro: format!(
            "Ordinary text: {rounds} rounds. Hostile text: {} texts of {} and {} KiB, each one anchor of a rule again and again, alone \
             or with the beginning of something that then does not come; the slowest {SHOWN} and the {SHOWN} that grow the most.",
            units.len(),
            HOSTILE_BYTES / 1024,
            HOSTILE_BYTES / 512,
        ),
        header: vec!["text", "MB a second", "twice the length"],
        rows,
        goals: vec![Goal::judged("twice the length in ≤ 2.3 × the time, for every hostile text", worst)],
        commands: Vec::new(),
    })
}

fn ordinary_row(name: &str, texts: &[String], rounds: usize) -> Vec<String> {
    let bytes: usize = texts.iter().map(String::len).sum();
    let redactor = Redactor::new();
    let seconds: Vec<f64> =
        (0..rounds).map(|_| seconds(|| texts.iter().map(|text| redactor.text(text).len()).sum())).collect();
    vec![name.to_owned(), format!("{:.0}", bytes as f64 / Summary::of(seconds).median / 1e6), String::new()]
}

fn hostile_row(cost: &Cost) -> Vec<String> {
    let unit = cost.unit.escape_debug().to_string().replace('|', "\\|");
    vec![
        format!("`{unit}` …"),
        format!("{:.1}", cost.bytes_a_second() / 1e6),
        format!("{:.2} ×", cost.growth()),
    ]
}

/// Of several looks the quickest counts: whatever else runs only ever adds time.
fn cost(unit: &str) -> Cost {
    let redactor = Redactor::new();
    let text = |len: usize| unit.repeat(len / unit.len());
    let (short_text, long_text) = (text(HOSTILE_BYTES), text(2 * HOSTILE_BYTES));
    let mut cost = Cost { unit: unit.to_owned(), short: f64::MAX, long: f64::MAX };
    for look in 0..SECOND_LOOKS {
        cost.short = cost.short.min(seconds(|| redactor.text(&short_text).len()));
        cost.long = cost.long.min(seconds(|| redactor.text(&long_text).len()));
        if look > 0 && cost.growth() <= GROWTH_MAX {
            break;
        }
    }
    cost
}

/// Time on the core, which does not pass while something else runs there.
fn seconds(work: impl FnOnce() -> usize) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let start = now();
    black_box(work());
    now() - start
}

fn numbered(text: &str) -> String {
    text.lines().enumerate().map(|(index, line)| format!("{:>6}→{line}\n", index + 1)).collect()
}

/// The sources of the workspace: text of the sort that agents read.
fn sources() -> Result<Vec<String>> {
    let mut texts = Vec::new();
    let mut open = vec![workspace_root().join("crates")];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if is_source(&path) {
                texts.push(std::fs::read_to_string(&path)?);
            }
        }
    }
    Ok(texts)
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "rs" || ending == "md" || ending == "toml")
}
