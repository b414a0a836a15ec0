//! How a command ended: a pipe hides the exit of what stands before it, and then its answer tells.

use crate::language::Outcome;
use crate::text::{self, pattern};

pattern!(
    REPORTS_FAILURE,
    r"(?m)^\W*[1-9]\d* (?:tests? )?(?:fail|failed|failing|failures)\b|\b[1-9]\d* failed[,;|]|^(?:FAIL|FAILED|---\s*FAIL)\b|Tests?:\s+[1-9]\d* failed|test result: FAILED|npm ERR!|ELIFECYCLE|exited with code [1-9]"
);

pattern!(
    REFUSES,
    r"(?i)^(?:error:|\S+: (?:command not found|not found|no such file)|unknown (?:command|option|subcommand)|usage:|failed to )"
);

/// A refusal stands at the very start of an answer.
const REFUSAL_CHARS: usize = 200;

/// How a command ended, by its exit and by what its answer says.
pub(super) fn of(failed: bool, answer: &str) -> Outcome {
    let start = text::excerpt(answer, REFUSAL_CHARS);
    if failed || REPORTS_FAILURE.is_match(answer) || REFUSES.is_match(start) {
        Outcome::Failed
    } else {
        Outcome::Passed
    }
}
