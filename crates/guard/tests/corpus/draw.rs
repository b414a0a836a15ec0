//! Draws texts from templates: `{A36}` is 36 letters and digits.

use subcortex_testkit::Random;

const DIGITS: &str = "0123456789";
const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A source of texts that gives the same ones for the same seed.
pub(crate) struct Draw(Random);

impl Draw {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(Random::seeded(seed))
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0.below(limit)
    }

    /// One of several.
    pub(crate) fn one<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    /// `count` characters of an alphabet.
    pub(crate) fn text(&mut self, alphabet: &str, count: usize) -> String {
        (0..count).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }

    /// Fills the gaps of a template. The first return value is the whole, the second what was drawn.
    pub(crate) fn fill(&mut self, template: &str) -> (String, Vec<String>) {
        let (mut whole, mut drawn) = (String::new(), Vec::new());
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            let close = open + rest[open..].find('}').expect("a gap is closed");
            let gap = &rest[open + 1..close];
            let body = self.gap(gap);
            whole.push_str(&rest[..open]);
            whole.push_str(&body);
            drawn.push(body);
            rest = &rest[close + 1..];
        }
        whole.push_str(rest);
        (whole, drawn)
    }

    fn gap(&mut self, gap: &str) -> String {
        let (sort, count) = gap.split_at(1);
        if sort == "i" {
            return [8, 4, 4, 4, 12].map(|count| self.text("0123456789abcdef", count)).join("-");
        }
        let count = count.parse().expect("a gap has a length");
        let alphabet = match sort {
            "d" => DIGITS.to_owned(),
            "h" => format!("{DIGITS}abcdef"),
            "H" => format!("{DIGITS}ABCDEF"),
            "l" => format!("{DIGITS}{LOWER}"),
            "L" => format!("{LOWER}{UPPER}"),
            "U" => format!("{DIGITS}{UPPER}"),
            "A" => format!("{DIGITS}{LOWER}{UPPER}"),
            "u" => format!("{DIGITS}{LOWER}{UPPER}-_"),
            "b" => format!("{DIGITS}{LOWER}{UPPER}+/"),
            other => panic!("no gap is called {other}"),
        };
        self.text(&alphabet, count)
    }

    /// A password as people choose it: letters, digits, often a sign.
    pub(crate) fn password(&mut self) -> String {
        let word = self.one(&[
            "Winter", "tiger", "Blue", "monkey", "dragon", "Sommer", "kafka", "Pepper", "london", "zebra",
            "Qwert", "matrix",
        ]);
        let joint = self.one(&["", "", "!", "@", "-", "_", "#", "$", "+"]);
        let number = self.text(DIGITS, 4);
        let end = self.one(&["", "", "!", "x", "Zq", "*"]);
        format!("{word}{joint}{number}{end}")
    }
}
