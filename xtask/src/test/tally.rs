//! Counts tests from what libtest prints and from the file of skips.

use std::collections::BTreeMap;
use std::fmt;

/// What happened to the tests of one run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    passed: usize,
    failed: usize,
    ignored: usize,
    /// The line in which a test reported that it was skipped, by the name of the test.
    skips: BTreeMap<String, String>,
}

impl Tally {
    /// Takes in one line of output; only libtest's result lines matter.
    pub(crate) fn add_line(&mut self, line: &str) {
        let Some(counts) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". ")) else {
            return;
        };
        for count in counts.1.split("; ") {
            let mut words = count.split_whitespace();
            let (Some(Ok(number)), Some(what)) = (words.next().map(str::parse::<usize>), words.next()) else {
                continue;
            };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }

    /// Takes in the file of skips. A test that reported several reasons is one skipped test.
    pub(crate) fn add_skips(&mut self, file: &[u8]) {
        for line in String::from_utf8_lossy(file).lines() {
            let rest = line.strip_prefix("SKIPPED ").unwrap_or(line);
            let test = rest.split_once(": ").map_or(rest, |(test, _)| test);
            self.skips.entry(test.to_owned()).or_insert_with(|| line.to_owned());
        }
    }

    /// A step that failed without a failed test (a lint, code that does not compile) is a failure too.
    pub(crate) fn count_failed_step(&mut self) {
        self.failed = self.failed.max(1);
    }

    /// What the tests wrote about their skips.
    pub(crate) fn skip_lines(&self) -> impl Iterator<Item = &str> {
        self.skips.values().map(String::as_str)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let passed = self.passed.saturating_sub(self.skips.len());
        write!(f, "{passed} passed, {} failed, {} skipped", self.failed, self.ignored + self.skips.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, skips: &str, expect: &str) {
        let mut tally = Tally::default();
        output.lines().for_each(|line| tally.add_line(line));
        tally.add_skips(skips.as_bytes());
        assert_eq!(tally.to_string(), expect);
    }

    #[test]
    fn result_lines_of_all_binaries_are_summed() {
        let output = "\
running 4 tests
test a::b ... ok
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s

test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 7 filtered out; finished in 1.23s
";
        check(output, "", "13 passed, 2 failed, 1 skipped");
    }

    #[test]
    fn other_output_counts_nothing() {
        check(
            "5 passed; 3 failed\nall test result: ok. 1 passed; 0 failed\ntest result: what",
            "",
            "0 passed, 0 failed, 0 skipped",
        );
    }

    #[test]
    fn a_skipped_test_is_not_a_passed_one() {
        let output =
            "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        check(output, "SKIPPED spine::kill: strace is missing\n", "4 passed, 0 failed, 2 skipped");
    }

    #[test]
    fn a_test_that_skips_for_two_reasons_is_one_skipped_test() {
        let output = "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured";
        check(
            output,
            "SKIPPED a: no strace\nSKIPPED a: no cgroup\nSKIPPED b: no strace\n",
            "3 passed, 0 failed, 2 skipped",
        );
    }

    #[test]
    fn a_step_that_fails_without_a_failed_test_is_one_failure() {
        let mut tally = Tally::default();
        tally.count_failed_step();
        assert_eq!(tally.to_string(), "0 passed, 1 failed, 0 skipped");
    }

    #[test]
    fn failed_tests_speak_for_their_step() {
        let mut tally = Tally::default();
        tally.add_line("test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured");
        tally.count_failed_step();
        assert_eq!(tally.to_string(), "1 passed, 2 failed, 0 skipped");
    }
}
