//! The grammar of a line: `[condition,] directive [condition] [exception]`, several times, with code terms masked out.

use crate::reading::LONGEST_RULE_BYTES;
use crate::text::pattern;

use super::clauses::{split_clauses, strip_asides};
use super::model::ParsedLine;

pattern!(LIST_MARK, r"^\s*(?:[-*+•]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|>\s+)+");
// Ticks, crosses and warning signs in front of a rule; the words behind them say it again.
pattern!(MARK, r"^(?:[\x{2600}-\x{27BF}\x{2B00}-\x{2BFF}\x{1F300}-\x{1FAFF}\x{FE0F}\x{2190}-\x{21FF}]\s*)+");
pattern!(
    SHOUT,
    r"(?i)^\s*(?:\*\*|__)?(?:critical|important|mandatory|warning|note|rule|required|attention|caution|always remember|remember|non-negotiable|hard rule|nb|n\.b\.)(?: rule| note)?(?:\*\*|__)?\s*[:!]\s*(?:\*\*|__)?\s*"
);
pattern!(LABEL, r"^(?:\*\*|__)([^*_]+?)(?:\*\*|__)(\s*[:.—–-]?)\s*");
/// More words than this are a sentence, not a label.
const LONGEST_LABEL_WORDS: usize = 4;

/// `**Types**: use …` keeps its label; words that are only bold, and sentences in bold, are words.
fn unlabelled(masked: &str) -> String {
    let Some(label) = LABEL.captures(masked) else { return masked.to_owned() };
    let (whole, name, joint) = (
        label.get(0).map_or(0, |found| found.end()),
        label.get(1).map_or("", |found| found.as_str()).trim(),
        label.get(2).map_or("", |found| found.as_str()).trim(),
    );
    let rest = masked.get(whole..).unwrap_or("");
    if rest.trim().is_empty() {
        return name.trim_end_matches(':').to_owned();
    }
    let ends = name.ends_with([':', '.', '!', ',']);
    let bare = name.trim_end_matches([':', '.', '!']);
    let is_sentence = name.ends_with(['.', '!'])
        || bare.split_whitespace().count() > LONGEST_LABEL_WORDS
        || (joint.is_empty() && !ends);
    match (is_sentence, joint.is_empty() && !ends, name.ends_with(',')) {
        (_, true, _) | (_, _, true) => format!("{name} {rest}"),
        (true, ..) => format!("{bare}. {rest}"),
        (false, ..) => format!("{bare}: {rest}"),
    }
}

impl ParsedLine {
    /// Takes a line apart; of one that is a document, its beginning: the parts are compared with each other.
    pub fn parse(text: &str, headings: &[String]) -> Self {
        let text = text.get(..text.floor_char_boundary(LONGEST_RULE_BYTES)).unwrap_or(text);
        let mark = LIST_MARK.find(text).map_or(0, |found| found.end());
        let text = text.get(mark..).unwrap_or(text).trim().trim_end_matches(['\r', '\n']);
        let mut line = Self { text: text.to_owned(), headings: headings.to_vec(), ..Self::default() };
        let text = text.get(MARK.find(text).map_or(0, |found| found.end())..).unwrap_or(text);
        let masked = line.mask(text);
        let unlabelled = unlabelled(&masked);
        let unlabelled =
            unlabelled.get(SHOUT.find(&unlabelled).map_or(0, |found| found.end())..).unwrap_or("");
        line.masked = unlabelled.replace("**", "").replace("__", "").to_lowercase();
        let without_asides = if line.masked.contains(")?") || line.masked.contains(") →") {
            line.masked.replace(['(', ')'], " ")
        } else {
            strip_asides(&line.masked)
        };
        for clause in split_clauses(&without_asides) {
            line.add_clause(&clause);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> String {
        let line = ParsedLine::parse(text, &[]);
        let mut out: Vec<String> = line
            .conditions
            .iter()
            .map(|when| format!("{:?}({})", when.relation, line.unmask(&when.text)))
            .collect();
        out.extend(line.directives.iter().map(|directive| {
            let sign = if directive.negative { "-" } else { "+" };
            let swap = directive
                .instead_of
                .as_ref()
                .map(|other| format!(" / {}", line.unmask(other)))
                .unwrap_or_default();
            format!("{sign}{}[{}]{swap}", directive.verb, line.unmask(&directive.object))
        }));
        out.join(" ")
    }

    #[test]
    fn of_a_line_that_is_a_document_only_the_beginning_is_taken_apart() {
        let long = format!("- Always run `make test` {}é", "before you push and ".repeat(6_000));
        let line = ParsedLine::parse(&long, &[]);
        assert!(
            line.text.len() <= LONGEST_RULE_BYTES && line.text.starts_with("Always run"),
            "{}",
            line.text.len()
        );
    }

    #[test]
    fn lines_as_people_word_them_are_taken_apart() {
        for (text, expect) in [
            (
                "- Before committing, run `make fmt` and `make lint`.",
                "Before(committing) +run[make fmt and make lint]",
            ),
            ("Use pnpm, not npm.", "+use[pnpm] / npm"),
            (
                "Never edit files in `gen/`; change the templates instead",
                "-edit[files in gen/] +change[the templates instead]",
            ),
            ("Prefer `slog` over `log`", "+prefer[slog] / log"),
            ("When editing *.go files, run gofmt", "When(editing *.go files) +run[gofmt]"),
            (
                "Do not bypass it with `--no-verify` unless the user agrees.",
                "Unless(the user agrees) -bypass[it with --no-verify]",
            ),
            (
                "After every code change, run the tests with `x y` before reporting the task as done.",
                "After(every code change) Before(reporting the task as done) +run[the tests with x y]",
            ),
            ("use bun instead of node", "+use[bun] / node"),
            ("before committing run `a`, `b`", "Before(committing) +run[a, b]"),
            ("Every time you add a dependency update `x.txt`", "When(you add a dependency) +update[x.txt]"),
        ] {
            assert_eq!(show(text), expect, "{text}");
        }
    }
}
