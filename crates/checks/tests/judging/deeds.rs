//! What was done, and how it ended.

use super::*;

#[test]
fn a_run_of_tests_has_the_end_that_it_tells_itself_and_the_last_one_before_a_commit_decides() {
    check(
        "- Never commit failing tests.",
        &[
            (
                "> go\n~ a.ts | a | b\n$ bun run lint && bun run test => error: script \"lint\" exited with code 1\\n  1274 pass\\n  0 fail\n$ git commit -am x",
                "-",
            ),
            (
                "> go\n~ a.ts | a | b\n! bun run lint && bun run test => error: script \"lint\" exited with code 1\n$ git commit -am x",
                "-",
            ),
            (
                "> go\n~ a.ts | a | b\n$ bun run lint && bun run test => 3 pass\\n  2 fail\n$ git commit -am x",
                "W",
            ),
            (
                "> go\n~ a.ts | a | b\n! bun test => 2 fail\n$ bun test src => error: shown by a test\\n 3 pass\\n 0 fail\n$ git commit -am x",
                "-",
            ),
            (
                "> go\n~ a.ts | a | b\n$ bun test => 3 pass\\n 0 fail\n~ a.ts | b | c\n! bun test => 2 fail\n$ git commit -am x",
                "W",
            ),
            ("> go\n~ a.ts | a | b\n$ git commit -am x\n! bun test => 2 fail", "-"),
            ("> go\n~ a.ts | a | b\n! bun test => 0 fail\\n 1 error\n$ git commit -am x", "W"),
        ],
    );
}

#[test]
fn what_the_tool_does_not_know_speaks_against_the_line_and_what_was_done_before_the_try_is_a_miss() {
    let line = "- Prefix all shell commands with `rtk`, for example `rtk bun run test`.";
    let refused = "error: unrecognized subcommand 'bun'\\n\\nUsage: rtk";
    check(
        line,
        &[
            (&format!("> go\n! rtk bun run test => {refused}\n$ bun run test => 3 pass"), "W"),
            (&format!("> go\n$ rtk bun run test | tail => {refused}\n$ bun run test => 3 pass"), "W"),
            ("> go\n! rtk bun run test => bash: rtk: command not found\n$ bun run test => 3 pass", "W"),
            (&format!("> go\n$ bun run test => 3 pass\n! rtk bun run test => {refused}"), "W"),
            ("> go\n$ bun run test => 3 pass", "W"),
            ("> go\n! rtk bun run test => 2 fail\n$ bun run test => 3 pass", "N"),
        ],
    );
    let board = Board::new(compile_memory(line).into_iter().map(|(number, _, check)| (number, check)));
    let said_of = |script: &str| judge(&turn(script), None, &board).swap_remove(0);
    let misled = said_of(&format!("> go\n! rtk bun run test => {refused}\n$ bun run test => 3 pass"));
    assert_eq!(misled.root_cause, Some(RootCause::DirectionWrong), "{}", misled.why);
    assert!(misled.why.contains("was tried, and does not work there"), "{}", misled.why);
    let missed = said_of(&format!("> go\n$ bun run test => 3 pass\n! rtk bun run test => {refused}"));
    assert!(missed.root_cause.is_none() && !missed.why.contains("tried"), "{}", missed.why);
}

#[test]
fn a_change_that_a_person_orders_is_no_slip_however_they_call_the_file() {
    check(
        "- Do not edit CHANGELOG.md except when cutting a release.",
        &[
            ("> then commit, and update changelog\n~ CHANGELOG.md | a | b", "N"),
            ("> commit and update @CHANGELOG.md\n~ CHANGELOG.md | a | b", "N"),
            (
                "> fix it\n~ a.ts | a | b\n^ add a small sentence to the changelog\n~ CHANGELOG.md | a | b",
                "N",
            ),
            ("> fix it\n~ CHANGELOG.md | a | b", "W"),
            ("> fix it and don't update the changelog\n~ CHANGELOG.md | a | b", "W"),
            ("> why did you change the changelog\n~ CHANGELOG.md | a | b", "W"),
            ("> you updated the changelog, remove the fix\n~ CHANGELOG.md | a | b", "W"),
            ("> fix it\n~ CHANGELOG.md | a | b\n^ update the changelog", "W"),
        ],
    );
    check(
        "- Never edit files under `gen/`.",
        &[
            ("> update gen/api.ts by hand\n~ gen/api.ts | a | b", "N"),
            ("> update gen/api.ts by hand\n~ gen/api.ts | a | b\n~ gen/b.ts | a | b", "W"),
            ("> update the api\n~ gen/api.ts | a | b", "W"),
        ],
    );
    // Who asks for a file does not ask for what must not stand in it.
    check(
        "- Never use `eval(` in `src/`.",
        &[("> write src/api.ts\n+ src/api.ts | eval(x)", "W"), ("> go\n+ src/api.ts | eval(x)", "W")],
    );
}

#[test]
fn a_branch_is_fresh_after_a_pull_that_worked_and_open_where_nobody_can_tell() {
    let line = "- Always create new branches from the latest `main`.";
    let current = "Switched to branch 'main'\\nYour branch is up to date with 'origin/main'.";
    check(
        line,
        &[
            (
                "> go\n$ git checkout main => Switched to branch 'main'\n$ git pull => Already up to date.\n$ git checkout -b x",
                "S",
            ),
            ("> go\n% main\n$ git pull | tail -1 => Already up to date.\n$ git checkout -b x", "S"),
            ("> go\n$ git checkout main && git checkout -b x => Switched to branch 'main'", "W"),
            (&format!("> go\n$ git checkout main && git checkout -b x => {current}"), "N"),
            (
                &format!(
                    "> go\n! git pull => fatal: unable to access\n$ git checkout main => {current}\n$ git checkout -b x"
                ),
                "N",
            ),
            (
                "> go\n$ git checkout main => ok\n$ git pull \\| tail -1 => fatal: unable to access\n$ git checkout -b x",
                "W",
            ),
            (
                "> go\n! git checkout main && git pull && pnpm i => Updating 12ab..34cd\\nERR! no\n% main\n$ git checkout -b x",
                "S",
            ),
            ("> go\n% main\n$ git checkout -b x", "N"),
        ],
    );
    let branch = "> go\n% main\n$ git checkout -b x";
    assert_eq!(
        last_verdict(line, &["> go\n$ git checkout main\n$ git pull => Already up to date.", branch]),
        "S"
    );
    let other = "> go\n$ git pull => Already up to date.\n$ git checkout -b y";
    assert_eq!(last_verdict(line, &[other, "> go\n$ git checkout main => ok", branch]), "N");
}
