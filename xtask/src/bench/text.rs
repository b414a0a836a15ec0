//! Text in the shape of what agents say, read and run: prose, code and the output of commands.
//!
//! Lines are made once, escaped for JSON once, and then strung together at random: so a gigabyte takes
//! seconds, and every piece of it is a valid part of a JSON string.

use subcortex_testkit::Random;

/// How many different lines there are of each style. Many enough that nothing repeats within a record.
const LINES_PER_STYLE: usize = 4_096;

/// What a text looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Sentences, as people and agents write them.
    Prose,
    /// Source code.
    Code,
    /// What commands print.
    Output,
}

/// A stock of lines, escaped for JSON, each ending in an escaped newline.
#[derive(Debug)]
pub(crate) struct Text {
    prose: Vec<String>,
    code: Vec<String>,
    output: Vec<String>,
}

impl Text {
    pub(crate) fn new(random: &mut Random) -> Self {
        let mut stock = |line: fn(&mut Random) -> String| {
            (0..LINES_PER_STYLE).map(|_| escape(&format!("{}\n", line(random)))).collect::<Vec<_>>()
        };
        Self { prose: stock(prose_line), code: stock(code_line), output: stock(output_line) }
    }

    /// Appends at least `length_bytes` of text; the end of the last line makes it a little more.
    pub(crate) fn fill(&self, into: &mut String, random: &mut Random, style: Style, length_bytes: usize) {
        let lines = match style {
            Style::Prose => &self.prose,
            Style::Code => &self.code,
            Style::Output => &self.output,
        };
        let end = into.len() + length_bytes;
        while into.len() < end {
            into.push_str(&lines[random.below(lines.len())]);
        }
    }
}

/// The inside of a JSON string.
fn escape(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn prose_line(random: &mut Random) -> String {
    let words = 4 + random.below(14);
    let mut line = String::new();
    for _ in 0..words {
        let word = random.pick(&WORDS);
        match random.below(24) {
            0 => line.push_str(&format!("`{}` ", random.pick(&NAMES))),
            1 => line.push_str(&format!("\"{word}\" ")),
            2 => line.push_str(&format!("{word}, ")),
            _ => line.push_str(&format!("{word} ")),
        }
    }
    line.pop();
    line.push(if random.chance(0.9) { '.' } else { '?' });
    line
}

fn code_line(random: &mut Random) -> String {
    let (a, b, c) = (random.pick(&NAMES), random.pick(&NAMES), random.pick(&NAMES));
    let indent = "    ".repeat(random.below(4));
    let number = random.below(5_000);
    let code = match random.below(9) {
        0 => format!("let {a} = {b}.{c}(\"{a}\", {number})?;"),
        1 => format!("if {a}.is_empty() || {b} > {number} {{"),
        2 => format!("pub fn {a}({b}: &str, {c}: u64) -> Result<(), Error> {{"),
        3 => format!("// {}", prose_line(random)),
        4 => format!("self.{a}.insert({b}.clone(), {c});"),
        5 => format!("const {a} = await fetch(`/api/${{{b}}}/{c}`, {{ method: 'POST' }});"),
        6 => format!("println!(\"{a}: {{}}\\n\", {b});"),
        7 => format!("\treturn {a}[\"{b}\"] != nil && {c} == {number}"),
        _ => "}".to_owned(),
    };
    format!("{indent}{code}")
}

fn output_line(random: &mut Random) -> String {
    let (a, b) = (random.pick(&NAMES), random.pick(&NAMES));
    let number = random.below(2_000);
    match random.below(8) {
        0 => format!("src/{a}/{b}.rs:{number}:    let {b} = {a}::new();"),
        1 => format!("test {a}::tests::{b}_is_kept ... ok"),
        2 => format!("error[E0{}]: mismatched types: expected `{a}`, found `&{b}`", 100 + random.below(600)),
        3 => format!("-rw-r--r-- 1 dev dev {number:>6} Jan  1 08:00 {a}-{b}.json"),
        4 => format!("{number:>6}\t{}", code_line(random)),
        5 => {
            format!("{{\"level\":\"info\",\"target\":\"{a}\",\"message\":\"{b} done\",\"took_ms\":{number}}}")
        }
        6 => format!(
            "   Compiling {a} v0.{}.{} (/home/dev/proj/crates/{b})",
            random.below(9),
            random.below(40)
        ),
        _ => format!("C:\\work\\{a}\\{b}.txt \u{1b}[32m✓\u{1b}[0m {}", random.pick(&WORDS)),
    }
}

const NAMES: [&str; 40] = [
    "session",
    "reader",
    "parse_line",
    "config",
    "token_count",
    "retry",
    "queue",
    "worker",
    "user_id",
    "path",
    "buffer",
    "schedule",
    "render",
    "client",
    "handler",
    "index",
    "cache",
    "migrate",
    "payload",
    "timeout",
    "logger",
    "fixture",
    "snapshot",
    "router",
    "store",
    "lexer",
    "span",
    "digest",
    "upload",
    "report",
    "timer",
    "registry",
    "mailer",
    "invoice",
    "cursor",
    "backoff",
    "shard",
    "webhook",
    "metrics",
    "signer",
];

const WORDS: [&str; 80] = [
    "the",
    "a",
    "to",
    "and",
    "of",
    "in",
    "that",
    "is",
    "it",
    "for",
    "with",
    "on",
    "this",
    "not",
    "but",
    "when",
    "please",
    "always",
    "never",
    "before",
    "after",
    "instead",
    "because",
    "should",
    "must",
    "fix",
    "run",
    "write",
    "read",
    "change",
    "keep",
    "remove",
    "check",
    "commit",
    "push",
    "branch",
    "test",
    "tests",
    "file",
    "function",
    "module",
    "error",
    "build",
    "release",
    "version",
    "again",
    "wrong",
    "right",
    "first",
    "then",
    "only",
    "every",
    "why",
    "where",
    "still",
    "fails",
    "passes",
    "slow",
    "fast",
    "line",
    "lines",
    "name",
    "type",
    "value",
    "empty",
    "large",
    "small",
    "thanks",
    "good",
    "done",
    "yes",
    "no",
    "don't",
    "let's",
    "Überprüfung",
    "für",
    "データ",
    "→",
    "naïve",
    "🙂",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_the_inside_of_a_json_string() {
        let mut random = Random::seeded(3);
        let text = Text::new(&mut random);
        for style in [Style::Prose, Style::Code, Style::Output] {
            let mut filled = String::new();
            text.fill(&mut filled, &mut random, style, 100_000);
            assert!((100_000..100_500).contains(&filled.len()), "{}", filled.len());
            let plain: String = serde_json::from_str(&format!("\"{filled}\"")).unwrap();
            assert!(plain.lines().count() > 500, "{style:?}");
        }
    }
}
