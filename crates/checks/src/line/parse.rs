//! The grammar of a line: `[condition,] directive [condition] [exception]`, several times, with code terms masked out.

use crate::text::pattern;

use super::clauses::{split_clauses, strip_asides};
use super::model::Line;

pattern!(LIST_MARK, r"^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+|>\s+)+");
pattern!(LABEL, r"^(?:\*\*|__)([^*_]+?)(?:\*\*|__)\s*[:.—–-]?\s*");

impl Line {
    /// Takes a line apart.
    pub fn parse(text: &str, headings: &[String]) -> Self {
        let mark = LIST_MARK.find(text).map_or(0, |found| found.end());
        let text = text.get(mark..).unwrap_or(text).trim().trim_end_matches(['\r', '\n']);
        let mut line = Self { text: text.to_owned(), headings: headings.to_vec(), ..Self::default() };
        let masked = line.mask(text);
        let unlabelled = match LABEL.captures(&masked) {
            Some(label) => {
                let (whole, name) =
                    (label.get(0).map_or(0, |m| m.end()), label.get(1).map_or("", |m| m.as_str()));
                let rest = masked.get(whole..).unwrap_or("");
                if rest.trim().is_empty() { name.to_owned() } else { format!("{name}: {rest}") }
            }
            None => masked,
        };
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
        let line = Line::parse(text, &[]);
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
