//! Whom a remark sides with: the line, or whoever wants it changed. Where nobody can tell, it is left open; it is never taken for the
//! other side.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod support;

use support::World;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    With,
    Against,
}
use Side::{Against, With};

/// A line, what a person says, and for whom that speaks.
const PAIRS: &[(&str, &str, Side)] = &[
    ("Use npm.", "never use npm here, always use pnpm", Against),
    ("Use npm.", "no npm from now on, we moved to pnpm", Against),
    ("Use pnpm, not npm.", "I told you to always use pnpm, not npm", With),
    ("Use pnpm, not npm.", "you used npm again, always use pnpm", With),
    ("Use pnpm, not npm.", "from now on use npm instead of pnpm", Against),
    ("Use yarn for packages.", "stop using yarn, we always use bun now", Against),
    ("Never push to main.", "you pushed to main again, never push to main", With),
    ("Never push to main.", "from now on always push straight to main", Against),
    ("Always push to main.", "never push to main again", Against),
    (
        "Run `make test` before committing.",
        "you forgot make test before committing again, always run it",
        With,
    ),
    (
        "Run `make test` before committing.",
        "from now on never run `make test` before committing, CI does that",
        Against,
    ),
    ("Run `make test` before committing.", "always run `make test` before you commit!", With),
    ("Use tabs for indentation.", "always use spaces for indentation, never tabs", Against),
    ("Use spaces, not tabs.", "never use tabs, always spaces, as I said", With),
    ("Use spaces, not tabs.", "from now on always use tabs, not spaces", Against),
    ("Write tests with jest.", "never use jest, always write tests with vitest", Against),
    ("Write tests with vitest, not jest.", "why jest again? always use vitest, not jest", With),
    ("Use `console.log` for debugging.", "never leave `console.log` anywhere, from now on", Against),
    ("Never use `console.log`.", "you left console.log in again. never use `console.log`", With),
    ("Add comments to every function.", "stop adding comments to every function, never do that", Against),
    ("Never add comments.", "no comments! I said never add comments", With),
    ("Squash commits before merging.", "never squash commits before merging", Against),
    ("Never squash commits.", "from now on always squash commits before merging", Against),
    ("Never squash commits.", "you squashed again, never squash commits", With),
    ("Use `any` where types are hard.", "never use `any` in TypeScript", Against),
    ("Never use `any`.", "there it is again: `any`. never use `any`", With),
    ("Deploy with `make deploy`.", "never deploy with `make deploy`, always use `fly deploy`", Against),
    (
        "Deploy with `fly deploy`, not `make deploy`.",
        "always deploy with `fly deploy`, not `make deploy`",
        With,
    ),
    ("Use double quotes in Python.", "always use single quotes in Python, never double quotes", Against),
    ("Use single quotes, never double quotes.", "always single quotes, never double quotes please", With),
    ("Ask before deleting files.", "from now on don't ask before deleting files", Against),
    (
        "Ask before deleting files.",
        "you deleted files without asking again, always ask before deleting files",
        With,
    ),
    ("Commit after every change.", "never commit after every change, only when I say so", Against),
    ("Never commit without being asked.", "you committed without being asked, never do that again", With),
    ("Use black for formatting.", "from now on always use ruff for formatting, not black", Against),
    ("Use ruff for formatting, not black.", "always format with ruff, never black", With),
    ("Use pip for dependencies.", "never pip, always use `uv` for dependencies", Against),
    ("Use `uv`, never pip.", "you used pip again. always use `uv`, never pip", With),
    ("Use `uv`, never pip.", "from now on use pip, not uv", Against),
    ("Use class components.", "never use class components, always function components", Against),
    (
        "Use function components, not class components.",
        "always function components, not class components!",
        With,
    ),
    ("Keep code in `src/old`.", "never put code in `src/old` again", Against),
    ("Never edit `src/generated`.", "you edited src/generated again, never edit `src/generated`", With),
    ("Never edit `src/generated`.", "from now on always edit `src/generated` directly", Against),
    ("Use `git rebase` to update branches.", "never use `git rebase`, always use `git merge`", Against),
    ("Use `git merge`, never `git rebase`.", "never `git rebase`, always `git merge`, remember", With),
    ("Reply in English.", "from now on always reply in German, not in English", Against),
    ("Write commit messages in English.", "always write commit messages in English!", With),
    ("Use Docker for local runs.", "stop using docker for local runs, never do that", Against),
    ("Never use Docker locally.", "I said never use Docker locally", With),
    ("Use `axios` for requests.", "never use axios, always `fetch`", Against),
    ("Use `fetch`, not `axios`.", "axios again?? always use `fetch`, not `axios`", With),
    ("Use CSS modules.", "from now on always use tailwind, never CSS modules", Against),
    ("Use tailwind, not CSS modules.", "always tailwind, not CSS modules", With),
    ("Use REST.", "never REST, always use GraphQL from now on", Against),
    (
        "Run `cargo clippy` before each commit.",
        "you skipped clippy, always run `cargo clippy` before each commit",
        With,
    ),
    (
        "Run `cargo clippy` before each commit.",
        "from now on never run `cargo clippy` before commits",
        Against,
    ),
    ("Use `println!` for logging.", "never use `println!` for logging, always use `tracing`", Against),
    (
        "Use `tracing`, not `println!`.",
        "always use `tracing`, not `println!`, how often do I have to say it",
        With,
    ),
    ("Put tests in `tests/`.", "never put tests in `tests/`, always next to the code", Against),
];

/// A second list, written before it was run, by the same hand. Two of it were wrong at first; the code was mended for their kinds, so no list
/// is untouched any more.
const MORE_PAIRS: &[(&str, &str, Side)] = &[
    ("Use Poetry for dependencies.", "we're off poetry, it's `uv` from now on", Against),
    (
        "Use `uv` for dependencies, not Poetry.",
        "poetry again? I told you we always use `uv` for dependencies",
        With,
    ),
    ("Always add docstrings.", "stop adding docstrings everywhere, never do that", Against),
    ("Never add docstrings.", "you added docstrings again, I never want docstrings", With),
    (
        "Commit directly to `main`.",
        "from now on never commit directly to `main`, always open a branch",
        Against,
    ),
    ("Never commit to `main`.", "you committed to main again. never commit to `main`", With),
    ("Use MySQL.", "never MySQL in this project, always Postgres", Against),
    ("Use Postgres, not MySQL.", "why MySQL? always use Postgres, not MySQL", With),
    ("Mock the database in tests.", "never mock the database in tests, use the real one", Against),
    ("Never mock the database.", "you mocked the database again, never mock the database", With),
    ("Use `make build`.", "don't ever use `make build`, always `just build`", Against),
    ("Build with `just build`, not `make build`.", "always `just build`, not `make build`!", With),
    ("Write comments in German.", "from now on always write comments in English, not German", Against),
    ("Write comments in English.", "comments in English please, always", With),
    ("Use snake_case for files.", "never snake_case for files, always kebab-case", Against),
    (
        "Use kebab-case for files, not snake_case.",
        "always kebab-case for files, not snake_case, as I said",
        With,
    ),
    (
        "Run the linter before pushing.",
        "from now on don't run the linter before pushing, CI does it",
        Against,
    ),
    (
        "Run the linter before pushing.",
        "you pushed without running the linter, always run the linter before pushing",
        With,
    ),
    ("Never edit migrations.", "from now on always edit migrations in place", Against),
    ("Never edit migrations.", "you edited migrations again, never edit migrations", With),
    ("Use Redux for state.", "never use Redux for state, always Zustand", Against),
    ("Use Zustand, not Redux.", "Redux again?? always Zustand, not Redux", With),
    ("Use `var` in JavaScript.", "never use `var` in JavaScript, always `const`", Against),
    ("Use `const`, never `var`.", "there's a `var` again, always `const`, never `var`", With),
    ("Summarise your changes in CHANGES.md.", "never write CHANGES.md again", Against),
    ("Never create CHANGES.md.", "you created CHANGES.md again! never create CHANGES.md", With),
    ("Use Flask.", "from now on always FastAPI, never Flask", Against),
    ("Use FastAPI, not Flask.", "always FastAPI, not Flask, I told you", With),
    ("Deploy on Fridays.", "never deploy on Fridays", Against),
    ("Never deploy on Fridays.", "you deployed on a Friday, never deploy on Fridays", With),
    ("Use emojis in commit messages.", "no emojis in commit messages, never", Against),
    ("No emojis in commit messages.", "emojis again. never emojis in commit messages", With),
    (
        "Put helpers in `utils.py`.",
        "never put helpers in `utils.py`, always next to where they are used",
        Against,
    ),
    ("Never put helpers in `utils.py`.", "from now on always put helpers in `utils.py`", Against),
    ("Use `docker-compose`.", "never `docker-compose`, always `docker compose`", Against),
    ("Use `docker compose`, not `docker-compose`.", "always `docker compose`, not `docker-compose`", With),
    ("Ask before you install packages.", "from now on install packages without asking, always", Against),
    (
        "Ask before you install packages.",
        "you installed packages without asking, always ask before you install packages",
        With,
    ),
    ("Use Selenium for browser tests.", "never Selenium, always Playwright for browser tests", Against),
    ("Use Playwright, not Selenium.", "why Selenium again? always Playwright, not Selenium", With),
    ("Rebase before merging.", "never rebase before merging, always merge", Against),
    ("Never rebase shared branches.", "you rebased a shared branch, never rebase shared branches", With),
    ("Use 4 spaces.", "always use 2 spaces, never 4 spaces", Against),
    ("Use 2 spaces, not 4.", "always 2 spaces, not 4", With),
    ("Use `any` freely.", "never use `any`, always a real type", Against),
    ("Log with `print`.", "never `print`, always use the logging module", Against),
    (
        "Log with the logging module, never `print`.",
        "you used print again, always the logging module, never `print`",
        With,
    ),
    ("Keep pull requests large.", "from now on always keep pull requests small", Against),
    ("Keep pull requests small.", "always keep pull requests small, that one was huge", With),
    ("Squash when merging.", "from now on never squash when merging", Against),
    ("Never force-push.", "you force-pushed again, never force-push", With),
    ("Force-push when needed.", "never force-push, under no circumstances", Against),
];

/// What was made of it: the side, or nothing.
fn heard(line: &str, said: &str) -> Option<Side> {
    let mut world = World::with(&format!("- {line}\n- Keep the changelog up to date.\n"));
    world.person("s1", said);
    world.scan();
    let fragments = world.memory().into_iter().filter(|(name, _)| name.contains("-weakening-"));
    let about_it: Vec<String> = fragments
        .map(|(_, text)| text)
        .filter(|text| text.contains("claude_md_ref: memory/CLAUDE.md:L1\n"))
        .collect();
    let against = about_it.iter().any(|text| text.contains("\nroot_cause: direction-wrong\n"));
    (!about_it.is_empty()).then_some(if against { Against } else { With })
}

#[test]
fn a_remark_is_never_taken_for_the_other_side() {
    let mut open = Vec::new();
    let mut wrong = Vec::new();
    for (line, said, expect) in PAIRS.iter().chain(MORE_PAIRS) {
        match heard(line, said) {
            Some(side) if side == *expect => {}
            Some(side) => wrong.push((line, said, side)),
            None => open.push((line, said)),
        }
    }
    let pairs = PAIRS.len() + MORE_PAIRS.len();
    assert!(PAIRS.len() >= 50 && MORE_PAIRS.len() >= 50);
    assert!(wrong.is_empty(), "{} wrong: {wrong:#?}", wrong.len());
    assert!(open.len() * 3 <= pairs, "{} of {pairs} are open: {open:#?}", open.len());
}

/// Remarks that rule something out and yet do not speak against the line.
const NOT_AGAINST: &[(&str, &str)] = &[
    (
        "Never change the lock file unless explicitly asked to.",
        "no no, new feeds break the build. put the lock file back",
    ),
    (
        "Always exclude slow tests in automated runs.",
        "that is a slow test, skip those every time you run tests here",
    ),
    (
        "Never push to an open PR without being asked. Always wait for the instruction to push.",
        "i didn't ask you to push??",
    ),
    ("Add a preview to generate snapshot tests.", "no snapshot tests got generated for it"),
    ("Test names: No \"should\", use verbs", "no 'should' in names please, start with the verb"),
    ("Include proper frontmatter for each page.", "never ever put a credential in a doc page"),
    (
        "Git workflow: provide two commit message options",
        "i do the committing here, i sign them. leave git alone",
    ),
    (
        "Use debug builds (not `--release`), as release builds lack assertions.",
        "please no release build only to see whether it works",
    ),
    ("Packages: FORBIDDEN: `uv pip install`", "uv pip is a no-go here btw, never use it"),
    (
        "Components: DON'T: import CSS or SCSS files",
        "no. admin pages are tailwind only, no stylesheet imports, ever",
    ),
    ("Never store derived data.", "could a view hold that? or is that against our rule about derived data?"),
    (
        "Name branches with the prefix `feat/` or `fix/`.",
        "before you go doing that, we need to get back to main, and pull in latest.",
    ),
    (
        "Start each task on a new branch from `main`.",
        "and I guess that won't work for preview branches, right?",
    ),
];

#[test]
fn who_rules_something_out_need_not_speak_against_the_line() {
    let against: Vec<_> =
        NOT_AGAINST.iter().filter(|(line, said)| heard(line, said) == Some(Against)).collect();
    assert!(against.is_empty(), "{against:#?}");
}

/// Messages that share a word or two with a line of another matter: they speak neither for it nor against it.
const ABOUT_SOMETHING_ELSE: &[(&str, &str)] = &[
    (
        "Public modules must have a docstring with an example.",
        "never link internal pages from the public repo, that was dumb of me",
    ),
    (
        "Illustrations: every diagram needs a caption and alternative text in both languages.",
        "far too much text, from now on two lines are enough for me",
    ),
    (
        "Prefix exported constants of the plugin with `acme_` and document the default of each.",
        "no ticket prefixes in titles, they become the release notes here",
    ),
    (
        "After changing a service, run its tests and the static analysis (skipped if there is none).",
        "don't skip the hooks, they exist for a reason",
    ),
    (
        "Wrap waits for an event in a timeout, so that nothing hangs when the other side is gone.",
        "no event listeners on the window, never, we lose the focus each time",
    ),
    (
        "Write log messages with the `Logger` of the component, not with `print()`, so that they can be filtered.",
        "always print the tick when stdout is a terminal, and nothing otherwise",
    ),
    (
        "When you cannot test a change on the device, take extra care to review it before you hand it over.",
        "we don't care about finished tasks, never list them, hide them behind a flag",
    ),
    (
        "Read the design documents before you change the structure of the engine.",
        "instead clean up the main loop, I can never read those names",
    ),
];

#[test]
fn a_word_in_common_ties_no_remark_to_a_line() {
    let tied: Vec<_> = ABOUT_SOMETHING_ELSE
        .iter()
        .filter_map(|(line, said)| heard(line, said).map(|side| (line, said, side)))
        .collect();
    assert!(tied.is_empty(), "{tied:#?}");
}
