//! Which line a person's words are about: what shares a word with a line may be about anything.
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::turn;
use subcortex_checks::Stance::{Against, With};
use subcortex_checks::{Board, Stance, compile_memory, hear, line_meant};

const MEMORY: &str = "\
- Never commit or push to `main`; every change goes through a feature branch and a pull request.
- After changing API endpoints or controllers, run `pnpm api:generate` and commit the regenerated client.
- Versions are bumped only by the release job; never run `npm version` by hand.
- When you add a table or an index, also update the baseline migration `1700000000000-FullSchema.ts` so that fresh databases match.

## Project: /p/other

- Format everything with `make fmt` before every commit.
";

fn board() -> Board {
    let compiled = compile_memory(MEMORY);
    let words: Vec<(usize, String)> = compiled.iter().map(|(line, text, _)| (*line, text.clone())).collect();
    let board = Board::new(compiled.into_iter().map(|(line, _, check)| (line, check)));
    board.with_words(words.iter().map(|(line, text)| (*line, text.trim_start_matches("- "))))
}

/// Holds what is said in a directory, with and without a turn before it, against the board.
#[track_caller]
fn check(cwd: &str, messages: &[&str], expect: Option<(usize, Stance)>) {
    let (board, before) = (board(), turn("> go on\n< Done."));
    let mut wrong = Vec::new();
    for message in messages {
        for before in [None, Some(&before)] {
            let heard = hear(message, Some(cwd), before, &board);
            let found = heard.as_ref().and_then(|signal| signal.line.zip(signal.stance));
            // Without a turn before it an objection says nothing.
            if found != expect && (heard.is_some() || before.is_some()) {
                wrong.push((message, before.is_some(), found));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn words_about_a_program_are_not_about_every_line_that_calls_it() {
    let messages = [
        "From now on always use pnpm, not npm.",
        "We use pnpm here.",
        "From now on always use bun, never pnpm, in this repo.",
        "stop using yarn, we're on pnpm",
        "pnpm again? always use bun please",
        "I said no npm in this repo",
        "I prefer pnpm over npm",
    ];
    check("/p/web", &messages, None);
}

#[test]
fn words_about_another_command_are_another_rule() {
    let messages = [
        "In future, run `pnpm lint:md` after every change of a Markdown file.",
        "always run `pnpm build` and commit the result",
        "You forgot to run make lint before committing!",
        "every commit needs a ticket number",
        "remember to run `npm audit` after changing dependencies",
    ];
    check("/p/web", &messages, None);
}

#[test]
fn the_same_wish_about_another_file_is_another_wish() {
    let (line, text, check) = compile_memory("- Never edit the file generated_1.rs.\n").remove(0);
    let board = Board::new([(line, check)]).with_words([(line, text.trim_start_matches("- "))]);
    for (wish, expect) in [
        ("From now on never edit the file generated_2.rs.", None),
        ("From now on never edit the file generated_1.rs.", Some((1, With))),
    ] {
        assert_eq!(line_meant(wish, None, &board), expect, "{wish}");
    }
}

#[test]
fn who_says_a_part_of_a_line_again_is_for_it() {
    let messages = [
        "I told you never to push to main!",
        "I said don't push to main",
        "you committed to main again, never commit to main",
        "please never commit or push to main",
        "we never push to main here",
    ];
    check("/p/web", &messages, Some((1, With)));
}

#[test]
fn what_must_not_be_done_to_a_file_speaks_against_a_line_that_wants_it_done() {
    let messages = [
        "full schema should not be updated ever",
        "the full schema must never be updated again",
        "never update the full schema migration",
        "FullSchema.ts is not to be updated, I said",
    ];
    check("/p/web", &messages, Some((4, Against)));
}

#[test]
fn a_line_of_a_section_takes_no_words_from_elsewhere() {
    let messages =
        ["always run `make fmt` before every commit", "I told you to format with make fmt before a commit"];
    check("/p/other", &messages, Some((8, With)));
    check("/p/web", &messages, None);
}
