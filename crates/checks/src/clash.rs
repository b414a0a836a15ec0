//! Whether two rules cannot both be followed.

use crate::check::{Check, Condition};
use crate::judge::{Board, Ready};

impl Board {
    /// The first line that holds in a directory and cannot be followed together with a wish.
    pub fn clashing_line(&self, wish: &Check, cwd: Option<&str>) -> Option<usize> {
        let mut lines = self.for_words().lines().iter().filter(|(_, ready)| ready.holds_in(cwd));
        lines.find(|(_, ready)| clash(wish, ready.check())).map(|(line, _)| *line)
    }
}

impl Ready {
    /// Whether the line holds in a project directory: always, or where its section says.
    pub(crate) fn holds_in(&self, cwd: Option<&str>) -> bool {
        let (Some(project), Some(glob)) = (&self.check().scope.project, &self.project) else { return true };
        cwd.is_some_and(|cwd| {
            let project = project.trim_end_matches('/');
            cwd == project || cwd.rsplit('/').next() == Some(project) || glob.is_match(cwd)
        })
    }
}

/// Whether one rule forbids what the other expects. Decided by the tests, not by the words: "use pnpm, not npm" and "use
/// npm" clash, and so do "never add a trailer" and "add a trailer".
pub fn clash(one: &Check, other: &Check) -> bool {
    forbids_what_is_expected(one, other) || forbids_what_is_expected(other, one)
}

fn forbids_what_is_expected(strict: &Check, other: &Check) -> bool {
    let expected = |condition: &Condition| {
        other.expect.iter().any(|expect| expect.any.iter().any(|wanted| same_deed(wanted, condition)))
    };
    strict.testable && other.testable && strict.forbid.iter().any(expected)
}

/// Whether two rules ask for the same: one thing that both expect, or that both forbid.
pub(crate) fn agree(one: &Check, other: &Check) -> bool {
    let expected = |check: &Check| -> Vec<Condition> {
        check.expect.iter().flat_map(|expect| expect.any.iter().cloned()).collect()
    };
    let (mine, theirs) = (expected(one), expected(other));
    let shared = |mine: &[Condition], theirs: &[Condition]| {
        mine.iter().any(|deed| theirs.iter().any(|other| same_deed(deed, other)))
    };
    one.testable && other.testable && (shared(&mine, &theirs) || shared(&one.forbid, &other.forbid))
}

/// Whether a rule is about the choice between two programs: nobody says that for one task only.
pub(crate) fn swaps_programs(check: &Check) -> bool {
    let ran =
        |condition: &Condition| matches!(condition, Condition::Ran(ran) if !ran.command.trim().is_empty());
    check.testable
        && check.forbid.iter().any(ran)
        && check.expect.iter().any(|expect| expect.any.iter().any(ran))
}

/// Whether two conditions are met by the same deed.
fn same_deed(one: &Condition, other: &Condition) -> bool {
    match (one, other) {
        // A rule about a program is a rule about each way of calling it.
        (Condition::Ran(one), Condition::Ran(other)) => {
            let program = |command: &str| command.split_whitespace().next().unwrap_or_default().to_owned();
            let (mine, theirs) = (one.command.trim(), other.command.trim());
            !mine.is_empty() && (mine == theirs || program(mine) == theirs || program(theirs) == mine)
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;

    #[track_caller]
    fn check(one: &str, other: &str, expect: bool) {
        let (first, second) = (compile(one, &[]), compile(other, &[]));
        assert_eq!(clash(&first, &second), expect, "{one} | {other}");
        assert_eq!(clash(&second, &first), expect, "{other} | {one}");
    }

    #[test]
    fn rules_that_cannot_both_be_followed_clash() {
        check("Use pnpm, not npm.", "Use npm, not pnpm.", true);
        check("Never add a Co-Authored-By line to commits.", "Add a Co-Authored-By line to commits.", true);
        check("Use pnpm, not npm.", "Never commit to main directly.", false);
        check("Use pnpm, not npm.", "Use pnpm, not yarn.", false);
        check("Be nice.", "Use npm, not pnpm.", false);
    }
}
