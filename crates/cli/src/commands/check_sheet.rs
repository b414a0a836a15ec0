//! How checks are shown to people: all lines in short with a sum below them, or one line with all of its test.

use std::fmt::Write as _;
use std::path::Path;

use subcortex_audit::{Ink, cut, wrapped};
use subcortex_checks::{Check, Expect, Mixed, Order, Scope, Since, Unmet};
use subcortex_guard::escape_for_display;
use subcortex_memory::{Line, MadeBy};
use subcortex_weaver::TrustState;

use super::check::Understood;
use super::check_words::any;
use super::trouble::quoted;
use crate::looks::Looks;
use crate::words::counted;

/// How many lines the words of one rule take in the list at most.
const MAX_RULE_LINES: usize = 2;
/// How many lines of a list of numbers are shown at most.
const MAX_NUMBER_LINES: usize = 4;
/// How wide the first column of one test is, in cells.
const LABEL_CELLS: usize = 11;
/// Longer lines are hard to read, in cells.
const MAX_WIDTH: usize = 110;
/// Narrower terminals are treated as if they were this wide, in cells.
const MIN_WIDTH: usize = 40;

/// How a line stands as a test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Test,
    NotTrusted,
    NoTest,
}

impl Mark {
    fn of((line, known): Understood<'_>, trust: &TrustState) -> Self {
        match (known.check.testable, trust.of(line, known).is_trusted()) {
            (true, true) => Self::Test,
            (true, false) => Self::NotTrusted,
            (false, _) => Self::NoTest,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::NotTrusted => "not trusted",
            Self::NoTest => "no test",
        }
    }

    fn ink(self) -> Ink {
        match self {
            Self::Test => Ink::Green,
            Self::NotTrusted => Ink::Yellow,
            Self::NoTest => Ink::Dim,
        }
    }
}

fn width(looks: &Looks) -> usize {
    looks.width.clamp(MIN_WIDTH, MAX_WIDTH)
}

/// The whole rule in one line, however its file wraps it.
fn rule(line: &Line) -> String {
    let words: Vec<&str> = line.rule.split_whitespace().collect();
    escape_for_display(&words.join(" ")).into_owned()
}

/// Every line in short, what cannot be tested by its reasons, and how many there are of each.
pub(super) fn all(
    lines: &[Understood<'_>],
    trust: &TrustState,
    file: Option<&Path>,
    looks: &Looks,
) -> String {
    if lines.is_empty() {
        return match file {
            Some(file) => {
                let file = file.display().to_string();
                format!(
                    "{} holds no rules\na rule is a line such as `- Use pnpm, not npm.`\n",
                    escape_for_display(&file)
                )
            }
            None => "no rules yet\nadd one with: subcortex rule add \"…\"\n".to_owned(),
        };
    }
    let number_cells = lines.last().map_or(1, |(line, _)| line.number.to_string().len()) + 3;
    let marks: Vec<Mark> = lines.iter().map(|line| Mark::of(*line, trust)).collect();
    let mark_cells = marks.iter().map(|mark| mark.word().len()).max().unwrap_or_default() + 2;
    let indent = number_cells + mark_cells;
    let room = width(looks).saturating_sub(indent);
    let mut text = String::new();
    for ((line, known), mark) in lines.iter().zip(&marks) {
        let number = looks.bold(&format!("{:<number_cells$}", format!("L{}", line.number)));
        let word = format!("{:<mark_cells$}", mark.word());
        let mut start = format!("{number}{}", looks.ink(mark.ink(), &word));
        for part in wrapped(&rule(line), room, MAX_RULE_LINES) {
            // Writing to a String cannot fail.
            let _ok = writeln!(text, "{start}{part}");
            start = " ".repeat(indent);
        }
        let mut below = |words: &str, ink: Option<Ink>| {
            for part in wrapped(&escape_for_display(words), room, MAX_RULE_LINES) {
                let part = ink.map_or_else(|| part.clone(), |ink| looks.ink(ink, &part));
                let _ok = writeln!(text, "{}{part}", " ".repeat(indent));
            }
        };
        if known.check.testable {
            below(&format!("{}{}", known.check.why, by(known.by)), Some(Ink::Dim));
        }
        if let Some(doubt) = trust.of(line, known).doubt() {
            below(&format!("! {doubt}"), None);
        }
        if let (true, Some(reword)) = (known.check.testable, &known.check.reword) {
            below(&format!("→ {reword}"), None);
        }
    }
    text.push_str(&untestable(lines, looks));
    text.push_str(&sum(&marks, lines, file, looks));
    text
}

/// Who read the line, where it was not the rules.
fn by(by: MadeBy) -> &'static str {
    match by {
        MadeBy::Person => " (your own check)",
        MadeBy::Model => " (as a model reads it)",
        MadeBy::Rules => "",
    }
}

/// Why lines cannot be tested and how to reword them: each reason once, with its lines.
fn untestable(lines: &[Understood<'_>], looks: &Looks) -> String {
    let mut reasons: Vec<(&Check, Vec<usize>)> = Vec::new();
    for (line, known) in lines.iter().filter(|(_, known)| !known.check.testable) {
        let is_same = |check: &Check| {
            check.reword == known.check.reword && (check.reword.is_some() || check.why == known.check.why)
        };
        match reasons.iter_mut().find(|(check, _)| is_same(check)) {
            Some((_, numbers)) => numbers.push(line.number),
            None => reasons.push((&known.check, vec![line.number])),
        }
    }
    if reasons.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", looks.bold("No test, and how to reword it"));
    let room = width(looks).saturating_sub(4);
    for (check, numbers) in reasons {
        let hint = match &check.reword {
            Some(reword) => format!("→ {}", escape_for_display(reword)),
            None => escape_for_display(&check.why).into_owned(),
        };
        for part in wrapped(&hint, room, MAX_NUMBER_LINES) {
            let _ok = writeln!(text, "  {part}");
        }
        let numbers: Vec<String> = numbers.iter().map(|number| format!("L{number}")).collect();
        for part in wrapped(&numbers.join(", "), room, MAX_NUMBER_LINES) {
            let _ok = writeln!(text, "    {}", looks.dim(&part));
        }
    }
    text
}

/// How many lines stand how, and what tells more.
fn sum(marks: &[Mark], lines: &[Understood<'_>], file: Option<&Path>, looks: &Looks) -> String {
    let count = |mark: Mark| marks.iter().filter(|other| **other == mark).count();
    let (doubted, none) = (count(Mark::NotTrusted), count(Mark::NoTest));
    let mut words =
        format!("{} of {} can be tested", marks.len() - none, counted(marks.len(), "rule", "rules"));
    if doubted > 0 {
        words.push_str(&format!(
            ", {doubted} of them {} not trusted",
            if doubted == 1 { "is" } else { "are" }
        ));
    }
    if none > 0 {
        words.push_str(&format!("; {none} {} no test", if none == 1 { "has" } else { "have" }));
    }
    let example = lines.iter().find(|(_, known)| known.check.testable).or(lines.first());
    let example = example.map_or(1, |(line, _)| line.number);
    let file =
        file.map_or_else(String::new, |file| format!(" --file {}", quoted(&file.display().to_string())));
    let more = format!("all of a test: subcortex check L{example}{file}");
    format!("\n{words}\n{}\n", looks.dim(&escape_for_display(&more)))
}

/// All of one line's test: when it has an occasion, what is looked for there, and what that means.
pub(super) fn one((line, known): Understood<'_>, trust: &TrustState, looks: &Looks) -> String {
    let check = &known.check;
    let mark = Mark::of((line, known), trust);
    let sheet = Sheet { looks, width: width(looks) };
    let start = format!("L{}  {}  ", line.number, mark.word());
    let mut parts = wrapped(&rule(line), sheet.width.saturating_sub(start.len()), usize::MAX).into_iter();
    let mut text = format!(
        "{}  {}  {}\n",
        looks.bold(&format!("L{}", line.number)),
        looks.ink(mark.ink(), mark.word()),
        parts.next().unwrap_or_default()
    );
    parts.for_each(|part| text.push_str(&format!("{}{part}\n", " ".repeat(start.len()))));
    text.push('\n');
    let mut say = |label: &str, words: String| sheet.say(&mut text, label, &words);
    say("read as", format!("{}{}", check.why, by(known.by)));
    if check.testable {
        say("holds", holds(line, &check.scope));
        say("when", if check.trigger.is_empty() { "any turn".to_owned() } else { any(&check.trigger) });
        if !check.maybe.is_empty() {
            say("perhaps", format!("{} (doing it counts, not doing it does not)", any(&check.maybe)));
        }
        let mut lead = "expect";
        for expect in &check.expect {
            say(lead, expected(expect));
            lead = "and expect";
        }
        if !check.near.is_empty() {
            say("nearly", format!("{} (leaves it open)", any(&check.near)));
        }
        if !check.forbid.is_empty() {
            say("never", any(&check.forbid));
        }
        if !check.unless.is_empty() {
            say("unless", format!("{} (leaves it open)", any(&check.unless)));
        }
        say("otherwise", otherwise(check));
    }
    if let Some(doubt) = trust.of(line, known).doubt() {
        say("not trusted", doubt.to_owned());
    }
    if let Some(reword) = &check.reword {
        say("reword", format!("→ {reword}"));
    }
    text
}

struct Sheet<'a> {
    looks: &'a Looks,
    width: usize,
}

impl Sheet<'_> {
    fn say(&self, text: &mut String, label: &str, words: &str) {
        let indent = LABEL_CELLS + 4;
        let mut start = format!(
            "  {}",
            self.looks.dim(&format!("{:<cells$}", cut(label, LABEL_CELLS), cells = LABEL_CELLS + 2))
        );
        for part in wrapped(&escape_for_display(words), self.width.saturating_sub(indent), usize::MAX) {
            text.push_str(&format!("{start}{part}\n"));
            start = " ".repeat(indent);
        }
    }
}

/// Where the line holds.
fn holds(line: &Line, scope: &Scope) -> String {
    let project = scope.project.as_deref().or(line.project.as_deref());
    let mut words = project.map_or("everywhere".to_owned(), |project| format!("in {project}"));
    if !scope.paths.is_empty() {
        let paths: Vec<String> = scope.paths.iter().map(|path| format!("`{}`", path.as_str())).collect();
        words.push_str(&format!(", for {}", paths.join(", ")));
    }
    words
}

/// What is expected, with when it has to happen and how far back it counts.
fn expected(expect: &Expect) -> String {
    let order = match expect.order {
        Order::Anytime => "",
        Order::AfterTrigger => ", after that",
        Order::BeforeTrigger => ", before that",
    };
    let since = match &expect.since {
        Since::Turn => "",
        Since::Session => ", anywhere in the session so far",
        Since::Commit => ", since the last commit",
        Since::Edit(_) => ", since the last change of the files",
    };
    format!("{}{order}{since}", any(&expect.any))
}

/// What a turn means in which none of it is seen, or both sides are.
fn otherwise(check: &Check) -> String {
    let unmet = match check.unmet {
        Unmet::Missed => "none of it seen: missed",
        Unmet::Followed => "none of it seen: followed",
        Unmet::Open => "none of it seen: left open",
    };
    let has_both = !check.expect.is_empty() && !check.forbid.is_empty();
    let mixed = match (has_both, check.mixed) {
        (false, _) => "",
        (true, Mixed::Missed) => "; both seen: missed",
        (true, Mixed::Open) => "; both seen: left open",
    };
    format!("{unmet}{mixed}")
}
