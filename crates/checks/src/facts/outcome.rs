//! How a command ended: a pipe hides the exit of what stands before it, and then its answer tells.

use super::Simple;
use crate::language::CommandEnd;
use crate::text::{self, pattern};

// What every report of a failure holds. Answers are long and hardly ever report one, so this is what they are searched for.
pattern!(
    MAY_REPORT,
    r"(?i-u)fail|error|npm err!|elifecycle|exited with code|issue|problem|violation|offense|\*\*\*"
);

// How test runners, linters, compilers and task runners report that something failed, in one line: at its beginning, behind a place in a file,
// and anywhere in it. Together they would learn more of texts than an expression may keep, and forget it all the time. Edges of words are
// those of plain letters: with the edges of all scripts the search falls back to its slowest way at the first letter that is not plain.
pattern!(
    BEGINS_WITH_FAILURE,
    r"(?x)^(?:
    \W*[1-9][0-9]*\ (?:tests?\ )?(?:fail|failed|failing|failures?)(?-u:\b)
    | \W*[1-9][0-9]*\ (?:issues?|problems?|violations?|offenses?)(?-u:\b)
    | (?:FAIL|FAILED|FAILURES!|---\s*FAIL)(?-u:\b) | FAILURE:\  | BUILD\ FAILED | Build\ FAILED
    | error(?:\[E[0-9]+\])?:\  | make(?:\[[0-9]+\])?:\ \*\*\*
    | (?:task|just|mise|nx|turbo)(?-u:\b).*(?-u:\b)failed(?-u:\b))"
);
pattern!(
    ERROR_AT_PLACE,
    r"(?x)^\S+(?:\([0-9]+,[0-9]+\):\ error(?-u:\b) | :[0-9]+:[0-9]+:?\ (?:-\ )?error(?-u:\b))"
);
pattern!(
    HOLDS_FAILURE,
    r"(?x)
    (?-u:\b)[1-9][0-9]*\ failed[,;|] | ,\ [1-9][0-9]*\ failures?(?-u:\b) | (?-u:\b)Fail(?:ed|ures?):\s+[1-9]
    | Tests?:\s+[1-9][0-9]*\ failed | test\ result:\ FAILED
    | npm\ ERR! | ELIFECYCLE | exited\ with\ code\ [1-9] | [Cc]ommand\ failed\ with\ exit\ code\ [1-9]
    | \ [1-9][0-9]*\ offenses?\ detected
    | (?-u:\b)Found\ [1-9][0-9]*\ (?:errors?|issues?|problems?|violations?)(?-u:\b)(?:\.$|\ in(?-u:\b)|$)
    | \ error\ TS[0-9]+ | \*\*\ (?:TEST|BUILD)\ FAILED | >\ Task\ \S+\ FAILED | \.{3,}Failed$"
);

// As the last words of a short line. What stands before them is counted afterwards: an expression that counts takes megabytes.
pattern!(TASK_FAILED, r"(?i)(?-u:\b)task failed[.!]?$");
/// The most that stands before them.
const MAX_CHARS_BEFORE_TASK: usize = 60;

pattern!(
    REFUSES,
    r"(?i)^(?:error:|\S+: (?:command not found|not found|no such file)|unknown (?:command|option|subcommand)|usage:|failed to )"
);

/// A refusal stands at the very start of an answer.
const REFUSAL_CHARS: usize = 200;

/// How a command ended, by its exit and by what its answer says.
pub(super) fn of(failed: bool, answer: &str) -> CommandEnd {
    if failed || reports_failure(answer) || REFUSES.is_match(text::excerpt(answer, REFUSAL_CHARS)) {
        CommandEnd::Failed
    } else {
        CommandEnd::Passed
    }
}

fn reports_failure(answer: &str) -> bool {
    let mut rest = answer;
    while let Some(found) = MAY_REPORT.find(rest) {
        let (before, behind) = rest.split_at(found.start());
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let end = behind.find('\n').map_or(rest.len(), |at| found.start() + at);
        if rest.get(begin..end).is_some_and(is_report) {
            return true;
        }
        rest = rest.get(end..).unwrap_or("");
    }
    false
}

fn is_report(line: &str) -> bool {
    let patterns = [&BEGINS_WITH_FAILURE, &ERROR_AT_PLACE, &HOLDS_FAILURE];
    patterns.iter().any(|pattern| pattern.is_match(line)) || is_failed_task(line)
}

fn is_failed_task(line: &str) -> bool {
    let before = TASK_FAILED.find(line).and_then(|found| line.get(..found.start()));
    before.is_some_and(|before| before.chars().count() <= MAX_CHARS_BEFORE_TASK)
}

// What a test runner says at its end of how many tests failed, and of those that passed: in lines that are about nothing else.
pattern!(
    TESTS_FAILED,
    r"(?x)(?m)^(?:
    [=\ \t]*(?:[0-9]+\ (?:tests?\ )?(?:passed|skipped|deselected|todo)[,;|]?\ +)*[1-9][0-9]*\ (?:tests?\ )?(?:fail|failed|failing|failures?)(?-u:\b)
    | [=\ \t]*Tests?:?\ +[1-9][0-9]*\ failed(?-u:\b)
    | [=\ \t]*[0-9]+\ (?:runs|tests|examples|scenarios|specs|assertions)(?-u:\b)[^\n]*\ [1-9][0-9]*\ (?:failures?|errors?|failed)(?-u:\b)
    | [^\n]*(?-u:\b)Failures:\ [1-9] | [^\n]*(?-u:\b)Failed:\ +[1-9]
    | test\ result:\ FAILED | FAILED\ \((?:failures|errors) | \#\ fail\ +[1-9] | ---\ FAIL: | FAIL\t)"
);
pattern!(
    TESTS_PASSED,
    r"(?x)(?m)^(?:
    [=\ \t]*0\ (?:fail|failed|failing|failures)(?-u:\b)
    | [=\ \t]*[1-9][0-9]*\ (?:tests?\ )?(?:passed|passing)(?-u:\b) | [=\ \t]*Tests?:?\ +[1-9][0-9]*\ passed(?-u:\b)
    | [=\ \t]*[0-9]+\ (?:runs|tests|examples|scenarios|specs|assertions)(?-u:\b)[^\n]*(?-u:\b)0\ (?:failures|failed)(?-u:\b)
    | [^\n]*(?-u:\b)Failures:\ 0(?-u:\b) | [^\n]*(?-u:\b)Failed:\ +0(?-u:\b) | test\ result:\ ok(?-u:\b) | \#\ fail\ +0(?-u:\b) | OK\ \([0-9]+\ tests? | ok\ +\t)"
);

/// How a run of tests ended by its own count, whatever else ran in the same line; nothing when it shows none.
pub(crate) fn of_tests(answer: &str) -> Option<CommandEnd> {
    if TESTS_FAILED.is_match(answer) {
        Some(CommandEnd::Failed)
    } else {
        TESTS_PASSED.is_match(answer).then_some(CommandEnd::Passed)
    }
}

pattern!(
    REFUTES,
    r"(?im)^(?:\w+: )?(?:(?:unrecogni[sz]ed|unknown|unexpected|invalid|no such) (?:sub)?command|missing script)(?-u:\b)|^error: unexpected argument|(?-u:\b)is not a \S+ command(?-u:\b)|: command not found$"
);

/// Whether the shell or a tool says that there is no such command.
pub(crate) fn refutes(answer: &str) -> bool {
    REFUTES.is_match(answer)
}

/// Whether the shell says that it does not know this command.
pub(super) fn is_not_found(simple: &Simple, answer: &str) -> bool {
    let Some(program) = simple.words.first().filter(|_| answer.contains("not found")) else { return false };
    let says = |line: &str| {
        line.ends_with(&format!("{program}: command not found"))
            || line.ends_with(&format!("command not found: {program}"))
            || line.ends_with(&format!("{program}: not found"))
    };
    answer.lines().any(says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_behind_a_pipe_is_read_out_of_the_answer() {
        for answer in [
            "3 failed, 10 passed in 2.1s",
            "main.go:3:1: undefined: x (typecheck)\n2 issues:\n* typecheck: 2",
            "error: Recipe `lint` failed on line 3\ntask failed",
            "[lint] ERROR task failed",
            "src/a.ts(3,5): error TS2322: no",
            "Found 2 errors in 1 file (checked 9 source files)",
            "make: *** [Makefile:3: test] Error 1",
            "Failed!  - Failed:     1, Passed:    12, Skipped:     0",
            "** TEST FAILED **",
            "12 examples, 1 failure",
            "ruff.....................................................................Failed",
            "\u{2716} 3 problems (2 errors, 1 warning)",
        ] {
            assert_eq!(of(false, answer), CommandEnd::Failed, "{answer}");
        }
        for answer in [
            "10 passed",
            "0 failed",
            "12 examples, 0 failures",
            "0 issues.",
            "Found 0 errors.",
            "Found 2 errors (2 fixed, 0 remaining).",
            "Failed: 0, Passed: 3",
            "grep: the task failed successfully is a joke in the docs",
        ] {
            assert_eq!(of(false, answer), CommandEnd::Passed, "{answer}");
        }
    }

    #[test]
    fn a_run_of_tests_tells_its_own_end() {
        for (answer, end) in [
            ("error: script \"lint\" exited with code 1\n   1274 pass\n   0 fail", Some(CommandEnd::Passed)),
            (" 1351 pass\n 114 fail\n 114 errors", Some(CommandEnd::Failed)),
            ("==== 1 failed, 10 passed in 2.1s ====", Some(CommandEnd::Failed)),
            ("==== 10 passed, 1 failed in 2.1s ====", Some(CommandEnd::Failed)),
            ("==== 10 passed in 2.1s ====", Some(CommandEnd::Passed)),
            ("Tests:       1 failed, 20 passed, 21 total", Some(CommandEnd::Failed)),
            ("Tests:       20 passed, 20 total", Some(CommandEnd::Passed)),
            (" Test Files  1 failed (2)\n      Tests  1 failed | 2 passed (3)", Some(CommandEnd::Failed)),
            ("      Tests  3 passed (3)", Some(CommandEnd::Passed)),
            (
                "test result: ok. 5 passed; 0 failed\ntest result: FAILED. 3 passed; 1 failed",
                Some(CommandEnd::Failed),
            ),
            ("test result: ok. 5 passed; 0 failed; 0 ignored", Some(CommandEnd::Passed)),
            ("12 examples, 1 failure", Some(CommandEnd::Failed)),
            ("12 examples, 0 failures", Some(CommandEnd::Passed)),
            ("3 runs, 5 assertions, 0 failures, 1 errors, 0 skips", Some(CommandEnd::Failed)),
            ("Passed!  - Failed:     0, Passed:    12", Some(CommandEnd::Passed)),
            ("Tests run: 5, Failures: 1, Errors: 0", Some(CommandEnd::Failed)),
            ("--- FAIL: TestX (0.00s)\nFAIL\tx/y\t0.1s", Some(CommandEnd::Failed)),
            ("ok  \tx/y\t0.1s", Some(CommandEnd::Passed)),
            ("\u{2716} 3 problems (2 errors, 1 warning)", None),
            ("error: script \"lint\" exited with code 1", None),
            ("src/a.test.ts: it failed 3 times", None),
        ] {
            assert_eq!(of_tests(answer), end, "{answer}");
        }
    }

    #[test]
    fn a_command_that_nobody_knows_did_not_run() {
        let simple = |line: &str| super::super::split(line).remove(0);
        assert!(is_not_found(&simple("ruff check"), "bash: line 1: ruff: command not found"));
        assert!(is_not_found(&simple("ruff check"), "zsh: command not found: ruff"));
        assert!(!is_not_found(&simple("cat a"), "bash: line 1: ruff: command not found"));
    }
}
