//! The report for a terminal: rules that a person contradicted; those that are followed or missed, worst first; then those that
//! wait, what people said and no rule covers, and what cannot be tested.

use std::fmt::Write as _;

use subcortex_guard::{Redactor, escape_for_display};
use unicode_width::UnicodeWidthStr;

use crate::ink::Ink;
use crate::report::{Finding, Quote, Report, RuleReport, Said, Standing};
use crate::words::{day, left_out_headless, looked_at, n_of, ranges, short, without_mark};
use crate::wrap::{cut, wrapped};

/// How many cells the bar of a rule has.
const BAR_CELLS: u64 = 10;
/// How many cells the percentage beside it takes.
const PERCENT_CELLS: usize = 5;
/// How many cells the word before a quote takes at least.
const VERDICT_CELLS: usize = 8;
/// What stands between two pieces of a line.
const GAP_CELLS: usize = 2;
/// How many lines the words of one rule take at most.
const MAX_RULE_LINES: usize = 3;
/// How many sentences that no rule covers are shown.
const MAX_SAID: usize = 20;
/// How many rules of one kind are shown in the lists below the judged ones.
const MAX_LISTED: usize = 50;
/// Narrower terminals are treated as if they were this wide.
const MIN_WIDTH: usize = 40;
/// Longer lines are hard to read.
const MAX_WIDTH: usize = 120;

/// How the table is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// How many cells a line has.
    pub width: usize,
    /// Whether there are colours.
    pub colour: bool,
}

/// What each finding looks like.
fn ink_of(finding: Finding) -> Ink {
    match finding {
        Finding::Contradicted => Ink::Magenta,
        Finding::Missed => Ink::Red,
        Finding::Followed => Ink::Green,
        Finding::Unclear => Ink::Yellow,
    }
}

/// The report as text. `name` is what the rules file is called.
pub fn table(report: &Report, name: &str, style: Style) -> String {
    let width = style.width.clamp(MIN_WIDTH, MAX_WIDTH);
    let number_width = report.rules.last().map_or(1, |outcome| outcome.rule.line.to_string().len());
    let mut sheet = Sheet { text: String::new(), style: Style { width, ..style }, indent: number_width + 3 };
    sheet.head(report, name);
    sheet.contradicted(report);
    sheet.judged(report);
    sheet.listed(report, Standing::Unclear, "it was touched, and nobody can tell whether it was followed");
    sheet.listed(report, Standing::Waiting, "no occasion yet");
    sheet.doubted(report);
    sheet.said(report);
    sheet.untestable(report);
    sheet.text
}

struct Sheet {
    text: String,
    style: Style,
    /// Where the words of a rule begin.
    indent: usize,
}

impl Sheet {
    fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn inked(&self, ink: Ink, text: &str) -> String {
        if self.style.colour { ink.paint(text) } else { text.to_owned() }
    }

    /// A heading, with a blank line before it.
    fn heading(&mut self, heading: &str, remark: &str) {
        self.line("");
        let bold = self.inked(Ink::Bold, heading);
        if heading.width() + GAP_CELLS + remark.width() <= self.style.width {
            let dim = self.inked(Ink::Dim, remark);
            self.line(&format!("{bold}  {dim}"));
            return;
        }
        self.line(&bold);
        for line in wrapped(remark, self.style.width, usize::MAX) {
            let line = self.inked(Ink::Dim, &line);
            self.line(&line);
        }
    }

    /// The same with how many rules stand below it: together they are those of the head.
    fn counted(&mut self, heading: &str, rules: usize, remark: &str) {
        self.heading(&format!("{heading} ({rules})"), remark);
    }

    /// Pieces that stay whole behind a start of so many cells; those that do not fit go to the next line, where the first
    /// piece began.
    fn pieces(&mut self, start: &str, start_cells: usize, pieces: &[(String, Option<Ink>)]) {
        let indent = if start_cells == 0 { 0 } else { start_cells + GAP_CELLS };
        let mut line = start.to_owned();
        let mut used = start_cells;
        for (text, ink) in pieces {
            let gap = if used == 0 { 0 } else { GAP_CELLS };
            if used + gap + text.width() > self.style.width && used > indent {
                self.line(&std::mem::take(&mut line));
                line.push_str(&" ".repeat(indent));
                used = indent;
            } else {
                line.push_str(&" ".repeat(gap));
                used += gap;
            }
            used += text.width();
            line.push_str(&ink.map_or_else(|| text.clone(), |ink| self.inked(ink, text)));
        }
        self.line(&line);
    }

    /// Words at the indent, over at most `max_lines` lines.
    fn paragraph(&mut self, text: &str, max_lines: usize, ink: Option<Ink>) {
        let lines = wrapped(text, self.style.width - self.indent, max_lines);
        for line in lines {
            let line = ink.map_or_else(|| line.clone(), |ink| self.inked(ink, &line));
            self.line(&format!("{:indent$}{line}", "", indent = self.indent));
        }
    }

    fn head(&mut self, report: &Report, name: &str) {
        let words = format!("{}, held against {}", shown(name), looked_at(report));
        for line in wrapped(&words, self.style.width, usize::MAX) {
            let line = self.inked(Ink::Bold, &line);
            self.line(&line);
        }
        let count = |standing, ink, words: &str| {
            let n = report.count(standing);
            (format!("{n} {words}"), (n > 0).then_some(ink))
        };
        if report.rules.is_empty() {
            let words = "no rules: the file holds no line that a session could be held against. A rule is a line such as `- Use pnpm, not npm.` or `- Run make lint before you commit.`";
            for line in wrapped(words, self.style.width, usize::MAX) {
                self.line(&line);
            }
            return;
        }
        let rules = n_of(report.rules.len() as u64, "rule:", "rules:");
        let never = report.standing(Standing::Missed).filter(|outcome| outcome.is_never_followed()).count();
        let at_times = report.count(Standing::Missed) - never;
        let missed = |n: usize, words: &str| (format!("{n} {words}"), (n > 0).then_some(Ink::Red));
        // The usual ones are always shown; the others where there are any.
        let usual = [
            count(Standing::Followed, Ink::Green, "always followed"),
            count(Standing::Waiting, Ink::Yellow, "waiting"),
            count(Standing::Untestable, Ink::Dim, "not testable"),
        ];
        let rare = |standing, ink, words| (report.count(standing) > 0).then(|| count(standing, ink, words));
        let mut counts = vec![(rules, None)];
        counts.extend(rare(Standing::Contradicted, Ink::Magenta, "contradicted by you"));
        if never > 0 {
            counts.push(missed(never, "never followed"));
        }
        if at_times > 0 || never == 0 {
            counts.push(missed(at_times, "missed at times"));
        }
        counts.extend(usual);
        counts.extend(rare(Standing::Unclear, Ink::Yellow, "unclear"));
        counts.extend(rare(Standing::Doubted, Ink::Yellow, "not trusted"));
        self.pieces("", 0, &counts);
    }

    /// What matters most: the person said that the rule itself is wrong.
    fn contradicted(&mut self, report: &Report) {
        let all: Vec<&RuleReport> = report.standing(Standing::Contradicted).collect();
        if all.is_empty() {
            return;
        }
        self.counted("Contradicted by you", all.len(), "the rule itself is wrong: rewrite it or take it out");
        all.into_iter().for_each(|outcome| self.in_full(outcome));
    }

    fn judged(&mut self, report: &Report) {
        let judged = report.judged_worst_first();
        if judged.is_empty() {
            return;
        }
        let remark = "worst first, where many misses weigh more than one; with the newest quotes";
        self.counted("Judged", judged.len(), remark);
        judged.into_iter().for_each(|outcome| self.in_full(outcome));
    }

    fn in_full(&mut self, outcome: &RuleReport) {
        self.counts(outcome);
        self.rule(outcome);
        self.quotes(outcome);
    }

    fn counts(&mut self, outcome: &RuleReport) {
        let decided = outcome.turns.followed + outcome.turns.missed;
        let full = outcome.turns.followed * BAR_CELLS / decided.max(1);
        let empty = if decided == 0 { 0 } else { BAR_CELLS - full };
        let followed = self.inked(Ink::Green, &"█".repeat(full as usize));
        let missed = self.inked(Ink::Red, &"░".repeat(empty as usize));
        let blank = " ".repeat((BAR_CELLS - full - empty) as usize);
        let percent = outcome.followed_percent().map_or_else(String::new, |percent| format!("{percent}%"));
        let number = self.number(outcome);
        let shown = [Finding::Contradicted, Finding::Followed, Finding::Missed, Finding::Unclear];
        let counts = shown
            .into_iter()
            .map(|finding| (finding, outcome.turns.of(finding)))
            .filter(|(_, n)| *n > 0)
            .map(|(finding, n)| (format!("{} {n}", finding.word()), Some(ink_of(finding))));
        let pieces: Vec<_> = counts.collect();
        let start = format!("{number}{followed}{missed}{blank} {percent:>4}");
        self.pieces(&start, self.indent + BAR_CELLS as usize + PERCENT_CELLS, &pieces);
    }

    fn number(&self, outcome: &RuleReport) -> String {
        let number = format!("{:<indent$}", format!("L{}", outcome.rule.line), indent = self.indent);
        self.inked(Ink::Bold, &number)
    }

    fn rule(&mut self, outcome: &RuleReport) {
        self.paragraph(&rule_words(outcome), MAX_RULE_LINES, None);
    }

    /// The newest quote of each kind.
    fn quotes(&mut self, outcome: &RuleReport) {
        let newest: Vec<&Quote> =
            Finding::ALL.into_iter().filter_map(|finding| outcome.quotes_of(finding).next()).collect();
        let cells = newest.iter().map(|quote| quote.verdict.word().len()).max().unwrap_or_default();
        newest.into_iter().for_each(|quote| self.quote(quote, cells.max(VERDICT_CELLS)));
    }

    fn quote(&mut self, quote: &Quote, cells: usize) {
        let word = format!("{:<cells$}", quote.verdict.word());
        let place = format!(" {} {}  ", day(quote.ts), shown(short(&quote.session)));
        let room = self.style.width.saturating_sub(self.indent + word.width() + place.width());
        let words = cut(&shown(&quote.quote), room);
        let word = self.inked(ink_of(quote.verdict), &word);
        let rest = self.inked(Ink::Dim, &format!("{place}{words}"));
        self.line(&format!("{:indent$}{word}{rest}", "", indent = self.indent));
    }

    /// Rules about which nothing was decided, with the newest quotes if there are any.
    fn listed(&mut self, report: &Report, standing: Standing, remark: &str) {
        let listed: Vec<&RuleReport> = report.standing(standing).collect();
        if listed.is_empty() {
            return;
        }
        let heading = if standing == Standing::Unclear { "Unclear" } else { "Waiting" };
        self.counted(heading, listed.len(), remark);
        for outcome in listed.iter().take(MAX_LISTED) {
            self.numbered(outcome);
            self.quotes(outcome);
        }
        self.more(listed.len(), MAX_LISTED, "rules");
    }

    fn doubted(&mut self, report: &Report) {
        let doubted: Vec<&RuleReport> = report.standing(Standing::Doubted).collect();
        if doubted.is_empty() {
            return;
        }
        self.counted("Not trusted", doubted.len(), "its check was tried on these turns, and does not count");
        for outcome in doubted.iter().take(MAX_LISTED) {
            self.numbered(outcome);
            let why = outcome.doubt.as_deref().unwrap_or_default();
            self.paragraph(&format!("→ {}", shown(why)), 2, Some(Ink::Dim));
        }
        self.more(doubted.len(), MAX_LISTED, "rules");
    }

    /// A rule beside its number.
    fn numbered(&mut self, outcome: &RuleReport) {
        let number = self.number(outcome);
        let start = self.text.len();
        self.rule(outcome);
        let blank = " ".repeat(self.indent);
        if self.text.get(start..).is_some_and(|added| added.starts_with(&blank)) {
            self.text.replace_range(start..start + self.indent, &number);
        }
    }

    fn more(&mut self, n: usize, shown: usize, what: &str) {
        if n > shown {
            let words = format!("… and {} more {what}", n - shown);
            self.paragraph(&words, 1, Some(Ink::Dim));
        }
    }

    fn said(&mut self, report: &Report) {
        let said: &[Said] = &report.said;
        let headless = left_out_headless(report);
        if said.is_empty() && headless.is_none() {
            return;
        }
        self.heading("Said, but not written down", "no rule covers it");
        for one in said.iter().take(MAX_SAID) {
            let times = if one.times > 1 { format!(" ({} times)", one.times) } else { String::new() };
            let place = format!("{} {}{times}  ", day(one.ts), shown(short(&one.session)));
            let near = one.near.map_or_else(String::new, |line| format!("  (near L{line})"));
            self.paragraph(&format!("{place}{}{near}", shown(&one.quote)), MAX_RULE_LINES, None);
        }
        self.more(said.len(), MAX_SAID, "sentences");
        if let Some(words) = headless {
            self.paragraph(&words, MAX_RULE_LINES, Some(Ink::Dim));
        }
    }

    fn untestable(&mut self, report: &Report) {
        let all: Vec<&RuleReport> = report.standing(Standing::Untestable).collect();
        let (rules, descriptions): (Vec<&RuleReport>, Vec<&RuleReport>) =
            all.iter().partition(|outcome| outcome.rule.instructs());
        if all.is_empty() {
            return;
        }
        self.counted("Not testable", all.len(), if rules.is_empty() { "" } else { "and how to reword it" });
        for outcome in rules.iter().take(MAX_LISTED) {
            self.numbered(outcome);
            let check = &outcome.rule.check;
            let reword = check.reword.as_deref().unwrap_or(&check.why);
            self.paragraph(&format!("→ {}", shown(reword)), 2, Some(Ink::Dim));
        }
        self.more(rules.len(), MAX_LISTED, "rules");
        if !descriptions.is_empty() {
            let lines: Vec<usize> = descriptions.iter().map(|outcome| outcome.rule.line).collect();
            let is_other =
                |line: usize| !lines.contains(&line) && report.rules.iter().any(|o| o.rule.line == line);
            let listed = ranges(&lines, |last, next| !(last + 1..next).any(is_other));
            let n = n_of(
                lines.len() as u64,
                "line describes and orders nothing",
                "lines describe and order nothing",
            );
            let words = format!("{n}: {listed}");
            let mut text = String::new();
            for line in wrapped(&words, self.style.width, MAX_RULE_LINES) {
                // Writing to a String cannot fail.
                let _ok = writeln!(text, "{}", self.inked(Ink::Dim, &line));
            }
            self.text.push_str(&text);
        }
    }
}

fn rule_words(outcome: &RuleReport) -> String {
    shown(&Redactor::new().text(without_mark(&outcome.rule.text)))
}

/// Text from outside in one line, made safe for a terminal.
fn shown(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    escape_for_display(&words.join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_cannot_steer_the_terminal() {
        assert_eq!(shown("a\x1b[2J\n b\u{202e}"), "a\\u{1b}[2J b\\u{202e}");
    }
}
