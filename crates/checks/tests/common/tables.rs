//! Tables of labelled cases: what a turn says about a line, and what a message carries.
//!
//! Lines: a case is `LABEL step ;; step ;; …` under its `- line`; `S` followed, `W` missed, `N` neither, `-` unrelated (or `N`: both leave
//! no mark). `## heading` stands above its lines. A label with `!` behind it is known to come out wrong.
//!
//! Heard: `LABEL | message`; the label is `C`, `P` or `I` (correction, preference, standing instruction) or `-`, then `+` for what
//! should last, then the number of the line that it concerns. Lines of the memory stand first, as `- line`.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

use std::fmt::Write as _;

use subcortex_checks::{Bearing, Board, Kind, Past, Signal, compile, compile_memory, hear, judge_after};

use super::common::turn;

/// One case of a table of lines.
pub(crate) struct LineCase {
    pub(crate) heading: Vec<String>,
    pub(crate) line: String,
    pub(crate) want: String,
    pub(crate) known_wrong: bool,
    pub(crate) script: String,
}

pub(crate) fn line_cases(text: &str) -> Vec<LineCase> {
    let mut found = Vec::new();
    let (mut heading, mut line) = (Vec::new(), String::new());
    for row in text.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with("//")) {
        if let Some(title) = row.strip_prefix("## ") {
            heading = if title == "-" { Vec::new() } else { vec![title.to_owned()] };
        } else if row.starts_with("- ") && !row.starts_with("- >") {
            row.clone_into(&mut line);
        } else {
            let (label, script) = row.split_once(' ').unwrap();
            found.push(LineCase {
                heading: heading.clone(),
                line: line.clone(),
                want: label.trim_end_matches('!').to_owned(),
                known_wrong: label.ends_with('!'),
                script: script.split(" ;; ").map(str::trim).collect::<Vec<_>>().join("\n"),
            });
        }
    }
    found
}

/// What the turn says about the line: `S`, `W`, `N`, or `-`.
pub(crate) fn verdict(line: &str, headings: &[String], script: &str) -> &'static str {
    let board = Board::new([(1, compile(line, headings))]);
    match judge_after(&turn(script), None, &Past::start(), &board).first().map(|verdict| verdict.trajectory) {
        Some(Bearing::Strengthening) => "S",
        Some(Bearing::Weakening) => "W",
        Some(Bearing::Neutral) => "N",
        None => "-",
    }
}

/// Whether an answer fits a label: `N` and `-` both leave no mark on the line.
pub(crate) fn fits(got: &str, want: &str) -> bool {
    got == want || (matches!(got, "N" | "-") && matches!(want, "N" | "-"))
}

/// Every line held against every turn that was written for another line: most of them have nothing to do with it.
pub(crate) fn cross(text: &str) -> String {
    let cases = line_cases(text);
    let mut lines: Vec<&LineCase> = Vec::new();
    for case in &cases {
        if lines.last().is_none_or(|last| last.line != case.line) {
            lines.push(case);
        }
    }
    let turns: Vec<(&LineCase, subcortex_model::Turn)> =
        cases.iter().map(|case| (case, turn(&case.script))).collect();
    let (mut out, mut marks) = (String::new(), 0);
    for owner in &lines {
        let board = Board::new([(1, compile(&owner.line, &owner.heading))]);
        let mut shown = String::new();
        for (case, turn) in turns.iter().filter(|(case, _)| case.line != owner.line) {
            if let Some(verdict) = judge_after(turn, None, &Past::start(), &board).first()
                && verdict.trajectory != Bearing::Neutral
            {
                marks += 1;
                let mark = if verdict.trajectory == Bearing::Weakening { "W" } else { "S" };
                writeln!(shown, "   {mark} {}", case.script.replace('\n', " ;; ")).unwrap();
            }
        }
        if !shown.is_empty() {
            writeln!(out, "{}\n{shown}", owner.line).unwrap();
        }
    }
    writeln!(out, "{marks} marks on turns that were written for other lines").unwrap();
    out
}

pub(crate) fn score_lines(text: &str, quiet: bool) -> String {
    let (mut out, mut right, mut false_marks, mut missed, mut marks) = (String::new(), 0, 0, 0, 0);
    let cases = line_cases(text);
    for case in &cases {
        let got = verdict(&case.line, &case.heading, &case.script);
        let is_mark = |label: &str| matches!(label, "S" | "W");
        marks += usize::from(is_mark(&case.want));
        if fits(got, &case.want) {
            right += 1;
            continue;
        }
        false_marks += usize::from(is_mark(got));
        missed += usize::from(is_mark(&case.want));
        if !quiet {
            writeln!(
                out,
                "{}\n   want {} got {got}: {}",
                case.line,
                case.want,
                case.script.replace('\n', " ;; ")
            )
            .unwrap();
        }
    }
    let all = cases.len();
    writeln!(
        out,
        "{right} of {all} verdicts right ({:.1} %); {missed} of {marks} marks missed, {false_marks} false marks",
        100.0 * right as f64 / all.max(1) as f64
    )
    .unwrap();
    out
}

/// One case of a table of messages.
pub(crate) struct HeardCase {
    pub(crate) kind: char,
    pub(crate) durable: bool,
    pub(crate) line: Option<usize>,
    pub(crate) known_wrong: bool,
    pub(crate) message: String,
}

pub(crate) fn heard_cases(text: &str) -> (String, Vec<HeardCase>) {
    let rows = || text.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with("//"));
    let is_line = |row: &&str| row.starts_with("- ") && !row.starts_with("- | ");
    let memory: String = rows().filter(is_line).map(|row| format!("{row}\n")).collect();
    let cases = rows().filter(|row| !is_line(row)).map(|row| {
        let (label, message) = row.split_once(" | ").unwrap_or_else(|| panic!("no label: {row}"));
        let label = label.trim();
        HeardCase {
            kind: label.chars().next().unwrap(),
            durable: label.contains('+'),
            line: label.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok(),
            known_wrong: label.ends_with('!'),
            message: message.replace("\\n", "\n"),
        }
    });
    (memory, cases.collect())
}

pub(crate) fn board_of(memory: &str) -> Board {
    Board::new(compile_memory(memory).into_iter().map(|(line, _, check)| (line, check)))
}

/// What the message carries, after a turn in which the agent did something.
pub(crate) fn heard(message: &str, board: &Board) -> Option<Signal> {
    let before = turn("> do it\n~ src/a.ts | a | b\n< Done.");
    hear(message, None, Some(&before), board)
}

pub(crate) fn score_heard(text: &str, quiet: bool) -> String {
    let (memory, cases) = heard_cases(text);
    let board = board_of(&memory);
    let (mut out, mut hits, mut false_ones, mut lost) = (String::new(), 0, 0, 0);
    let (mut tied, mut ties, mut false_ties, mut kinds) = (0, 0, 0, 0);
    for case in &cases {
        let signal = heard(&case.message, &board);
        let durable = signal.as_ref().is_some_and(|signal| signal.durable);
        let line = signal.as_ref().filter(|signal| signal.durable).and_then(|signal| signal.line);
        let kind = signal.as_ref().map_or('-', |signal| match signal.kind {
            Kind::Correction => 'C',
            Kind::Preference => 'P',
            Kind::StandingInstruction => 'I',
        });
        match (case.durable, durable) {
            (true, true) => hits += 1,
            (true, false) => lost += 1,
            (false, true) => false_ones += 1,
            (false, false) => {}
        }
        kinds += usize::from(kind == case.kind);
        ties += usize::from(case.line.is_some());
        tied += usize::from(case.line.is_some() && line == case.line);
        false_ties += usize::from(line.is_some() && line != case.line);
        let wrong = case.durable != durable || (case.durable && line != case.line);
        if wrong && !quiet {
            writeln!(
                out,
                "want {}{} {:?} got {kind}{} {line:?}: {}",
                case.kind,
                if case.durable { "+" } else { "" },
                case.line,
                if durable { "+" } else { "" },
                case.message.replace('\n', "\\n")
            )
            .unwrap();
        }
    }
    let rate = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let (p, r) = (rate(hits, hits + false_ones), rate(hits, hits + lost));
    let f = if p + r > 0.0 { 2.0 * p * r / (p + r) } else { 0.0 };
    writeln!(
        out,
        "lasting: P {p:.3} R {r:.3} F1 {f:.3} ({hits} found, {false_ones} false, {lost} lost of {}); kinds right {kinds}; tied {tied} of {ties}, {false_ties} to a wrong line",
        cases.len()
    )
    .unwrap();
    out
}
