//! Whether two rules cannot both be followed.

use std::collections::HashMap;

use crate::judge::{Board, Ready};
use crate::language::{Check, Condition, Ran};

impl Board {
    /// The first line that holds in a directory and cannot be followed together with a wish.
    pub fn clashing_line(&self, wish: &Check, cwd: Option<&str>) -> Option<usize> {
        self.for_words().first_line(std::slice::from_ref(wish), cwd, clash)
    }

    /// The first line that holds in a directory and fits one of these wishes. Whether two checks fit must follow from a deed that
    /// both expect or forbid.
    pub(crate) fn first_line(
        &self,
        wishes: &[Check],
        cwd: Option<&str>,
        fits: fn(&Check, &Check) -> bool,
    ) -> Option<usize> {
        let places = self.deeds().meeting(wishes);
        let mut lines = places.into_iter().filter_map(|at| self.lines().get(at));
        let fitting = lines
            .find(|(_, ready)| ready.holds_in(cwd) && wishes.iter().any(|wish| fits(wish, ready.check())));
        fitting.map(|(line, _)| *line)
    }
}

/// Which lines expect or forbid a deed, so that only these are compared with a wish.
#[derive(Debug, Default)]
pub(crate) struct Deeds(HashMap<String, Vec<usize>>);

impl Deeds {
    /// Files the checks of a board.
    pub(crate) fn new(lines: &[(usize, Ready)]) -> Self {
        let mut deeds: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, (_, ready)) in lines.iter().enumerate() {
            for condition in expected(ready.check()).chain(&ready.check().forbid) {
                deeds.entry(condition.sight().deed()).or_default().push(at);
            }
        }
        Self(deeds)
    }

    /// The places of the lines that share a deed with one of these checks, in order.
    fn meeting(&self, checks: &[Check]) -> Vec<usize> {
        let conditions = checks.iter().flat_map(|check| expected(check).chain(&check.forbid));
        let mut found: Vec<usize> = conditions
            .filter_map(|condition| self.0.get(&condition.sight().deed()))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn expected(check: &Check) -> impl Iterator<Item = &Condition> {
    check.expect.iter().flat_map(|expect| &expect.any)
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
    let is_expected = |forbidden: &Condition| {
        expected(other).any(|wanted| same_deed(wanted, forbidden) && covers(forbidden, wanted))
    };
    strict.testable && other.testable && strict.forbid.iter().any(is_expected)
}

/// Whether all ways of doing what is wanted are forbidden: "never `pnpm dev`" leaves the rest of pnpm.
fn covers(forbidden: &Condition, wanted: &Condition) -> bool {
    let (Condition::Ran(forbidden), Condition::Ran(wanted)) = (forbidden, wanted) else { return true };
    let mut words = wanted.command.split_whitespace();
    forbidden.command.split_whitespace().all(|word| words.next() == Some(word))
}

/// Whether two rules ask for the same: one thing that both expect, or that both forbid.
pub(crate) fn agree(one: &Check, other: &Check) -> bool {
    let both_expect = || expected(one).any(|deed| expected(other).any(|wanted| same_deed(deed, wanted)));
    // "Never start the dev server" forbids `npm run dev` among others, and is not about npm.
    let forbidden = |deed: &Condition| other.forbid.iter().any(|other| same_deed(deed, other));
    let both_forbid = || !one.forbid.is_empty() && one.forbid.iter().all(forbidden);
    one.testable && other.testable && (both_expect() || both_forbid())
}

/// Whether a rule is about the choice between two programs: nobody says that for one task only.
pub(crate) fn swaps_programs(check: &Check) -> bool {
    let ran =
        |condition: &Condition| matches!(condition, Condition::Ran(ran) if !ran.command.trim().is_empty());
    check.testable
        && check.forbid.iter().any(ran)
        && check.expect.iter().any(|expect| expect.any.iter().any(ran))
}

/// Whether one rule forbids a program altogether that the other names for something else: "never `npm`" and "run `npm test` before you
/// commit". The second has to be worded anew, and is not given up.
pub fn bans_its_program(one: &Check, other: &Check) -> bool {
    let bans = |strict: &Check, other: &Check| {
        let calls = |program: &Ran, call: &str| {
            call.split_whitespace().next() == Some(program.command.trim()) && allows(program, call)
        };
        let mut banned = strict.forbid.iter().filter_map(whole_program);
        banned.any(|program| {
            expected(other)
                .any(|wanted| matches!(wanted, Condition::Ran(ran) if calls(program, ran.command.trim())))
        })
    };
    one.testable && other.testable && (bans(one, other) || bans(other, one))
}

/// A condition that is about a program, however it is called.
fn whole_program(condition: &Condition) -> Option<&Ran> {
    let Condition::Ran(ran) = condition else { return None };
    let program = ran.command.trim();
    (!program.is_empty() && !program.contains(' ') && allows(ran, program)).then_some(ran)
}

impl Check {
    /// Whether a rule is about a program itself, and does not merely call it.
    pub(crate) fn is_about_program(&self, program: &str) -> bool {
        let mut said = expected(self).chain(&self.forbid).filter_map(whole_program);
        self.testable && said.any(|known| known.command.trim() == program)
    }
}

/// Whether a plain call is what a condition is about: "no `gh pr create` with an advertisement" is not about every `gh pr create`.
fn allows(ran: &Ran, call: &str) -> bool {
    ran.with.as_ref().is_none_or(|with| with.is_match(call))
        && ran.without.as_ref().is_none_or(|without| !without.is_match(call))
}

/// What a package manager is first of all called for.
const INSTALLS: [&str; 4] = ["install", "i", "ci", "add"];

/// Whether a call is what a program is used for in general. A rule about a program is a rule about that; `pnpm api:generate` stands in a
/// rule about something else, whatever runs it.
fn is_plain_call(program: &str, call: &str) -> bool {
    let of_program = call.strip_prefix(program).and_then(|rest| rest.strip_prefix(' '));
    of_program.and_then(|rest| rest.split_whitespace().next()).is_some_and(|verb| INSTALLS.contains(&verb))
}

/// Whether two conditions are met by the same deed.
fn same_deed(one: &Condition, other: &Condition) -> bool {
    match (one, other) {
        (Condition::Ran(one), Condition::Ran(other)) => {
            let (mine, theirs) = (one.command.trim(), other.command.trim());
            let is_one_call = mine == theirs || is_plain_call(mine, theirs) || is_plain_call(theirs, mine);
            let call = if mine.len() >= theirs.len() { mine } else { theirs };
            !mine.is_empty() && is_one_call && [one, other].iter().all(|ran| allows(ran, call))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::Random;
    use crate::reading::compile;

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
        check("Use pnpm.", "Never start the dev server.", false);
    }

    #[test]
    fn a_program_that_a_rule_only_calls_is_not_its_matter() {
        for (wish, line) in [
            ("Always use bun, never pnpm.", "After changing the API, run `pnpm api:generate`."),
            ("Use pnpm, not npm.", "After changing the API, run `pnpm api:generate`."),
            ("Never run npm, use pnpm instead.", "Run `npm test` before committing."),
            ("No npm.", "Never run `npm version` by hand."),
        ] {
            let (wish, line) = (compile(wish, &[]), compile(line, &[]));
            assert!(!clash(&wish, &line) && !agree(&wish, &line), "{} | {}", wish.why, line.why);
        }
        for (wish, line) in [
            ("Always use bun, never pnpm.", "Use pnpm, not npm."),
            ("Never run npm, use pnpm instead.", "Run `npm install` after pulling."),
        ] {
            assert!(clash(&compile(wish, &[]), &compile(line, &[])), "{wish} | {line}");
        }
        let bans = |one, other| bans_its_program(&compile(one, &[]), &compile(other, &[]));
        assert!(bans("Never run npm, use pnpm instead.", "Run `npm test` before committing."));
        assert!(!bans("Use pnpm, not npm.", "Run `pnpm test` before committing."));
    }

    #[test]
    fn the_first_line_is_found_as_if_every_line_had_been_compared() {
        let mut found = 0;
        for seed in 0..12 {
            let mut random = Random::new(seed);
            let (board, wishes) = (random.board(), random.board());
            for (_, wish) in wishes.lines() {
                for fits in [clash, agree] {
                    let mut lines = board.lines().iter();
                    let plain = lines.find(|(_, ready)| fits(wish.check(), ready.check()));
                    let plain = plain.map(|(line, _)| *line);
                    let quick = board.first_line(std::slice::from_ref(wish.check()), None, fits);
                    assert_eq!(quick, plain, "seed {seed}: {}", wish.check().why);
                    found += usize::from(plain.is_some());
                }
            }
        }
        assert!(found > 30, "{found} lines fitted");
    }
}
