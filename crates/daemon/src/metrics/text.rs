//! The text format of Prometheus, version 0.0.4.

use std::fmt::{Display, Write as _};

/// What a number means over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Text {
    text: String,
    name: &'static str,
}

impl Text {
    /// Begins a family; the samples that follow belong to it.
    pub(super) fn family(&mut self, name: &'static str, kind: Kind, help: &str) -> &mut Self {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        self.name = name;
        // Writing to a String cannot fail.
        let _ok = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        self
    }

    /// A sample of the family.
    pub(super) fn sample(&mut self, labels: &[(&str, &str)], value: impl Display) -> &mut Self {
        self.part("", labels, value)
    }

    /// A sample of a part of the family, such as `_sum`.
    pub(super) fn part(&mut self, part: &str, labels: &[(&str, &str)], value: impl Display) -> &mut Self {
        let _ok = write!(self.text, "{}{part}", self.name);
        for (place, (label, value)) in labels.iter().enumerate() {
            let before = if place == 0 { '{' } else { ',' };
            let _ok = write!(self.text, "{before}{label}=\"{}\"", escaped(value));
        }
        let after = if labels.is_empty() { "" } else { "}" };
        let _ok = writeln!(self.text, "{after} {value}");
        self
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

fn escaped(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_can_break_out_of_its_label() {
        let mut text = Text::default();
        text.family("x", Kind::Gauge, "An x.").sample(&[("a", "1\"} 2\nx 3\\"), ("b", "")], 0.5);
        assert_eq!(text.finish(), "# HELP x An x.\n# TYPE x gauge\nx{a=\"1\\\"} 2\\nx 3\\\\\",b=\"\"} 0.5\n");
    }
}
