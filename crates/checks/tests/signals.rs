//! What people say, in words of other projects than those the rules were written from.
#![allow(clippy::unwrap_used, clippy::panic)]

use subcortex_checks::{Board, Kind, compile_memory, hear};
use subcortex_model::{Event, EventId, Source, Turn};

const MEMORY: &str = "\
- Use pnpm, not npm.
- Before committing, run `make lint`.
- Never edit files under `gen/`; change the templates in `templates/`.
- Run `terraform plan` only; never run `terraform apply`.
- Use `slog` for logging, never `fmt.Println`.
- Start each task on a new branch from the latest `main`.
- Don't add comments unless asked.
";

fn board() -> Board {
    Board::new(compile_memory(MEMORY).into_iter().map(|(line, _, check)| (line, check)))
}

fn earlier_turn() -> Turn {
    let event = |kind: &str, text: &str| Event {
        id: EventId::from_log(text),
        ts: jiff::Timestamp::UNIX_EPOCH,
        event_type: kind.to_owned(),
        source: Source::of("claude"),
        session_key: None,
        turn: None,
        cwd: None,
        dedup: None,
        payload: serde_json::json!({ "text": text }).as_object().unwrap().clone(),
    };
    Turn {
        session_key: "s".into(),
        events: vec![event("channel.message", "do it"), event("agent.result", "Done.")],
    }
}

#[test]
fn what_is_meant_to_last_is_heard() {
    let before = earlier_turn();
    let board = board();
    let mut missed = Vec::new();
    for message in [
        "from now on please write the commit messages in English",
        "no, we never call the database from the handlers. go through the repository layer",
        "don't ever run terraform apply yourself!",
        "I told you to use pnpm",
        "again? i said no comments in the code",
        "why did you edit the files in gen/ instead of the templates?",
        "remember that the staging cluster is read only",
        "In this repo we use tabs, not spaces.",
        "I prefer small functions over long ones with comments",
        "please stop adding emojis to the readme",
        "always run the integration tests before you say it is done",
        "you should have created a new branch from main for this",
        "We don't mock the database in tests here.",
        "for future reference: the API keys live in vault, never put them into env files",
        "add this to CLAUDE.md: migrations need a rollback",
        "I'd rather have you ask before you delete things",
        "you keep forgetting to run make lint before committing",
        "please never commit directly, I want to review first",
        "Whenever you touch the protobuf files, regenerate the stubs.",
        "our convention is snake_case for all table names",
        "every endpoint must have an auth check, no exceptions",
        "make a note: builds on CI use node 20",
        "why are you using npm?",
        "no. don't use fmt.Println, we have slog for that",
        "stop creating summary documents after every change, nobody reads them",
        "By default go for the simplest solution, I don't like abstractions that are used once",
        "Please don't push to main without a PR again.",
        "keep in mind that this runs on iOS 15 as well",
    ] {
        let heard = hear(message, None, Some(&before), &board);
        if !heard.as_ref().is_some_and(|signal| signal.durable) {
            missed.push((message, heard.map(|signal| (signal.kind, signal.why))));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn tasks_questions_and_bug_reports_are_not_taken_for_rules() {
    let before = earlier_turn();
    let board = board();
    let mut wrong = Vec::new();
    for message in [
        "can you add a retry to the upload client?",
        "the button is always disabled on mobile, please fix",
        "it never loads when I am offline",
        "the label should say Save instead of Submit",
        "no, the second one",
        "that's not the file I meant, look at src/upload.go",
        "still getting the same error",
        "ok commit this and open a PR",
        "what happens if the token never expires?",
        "do you remember which port the proxy uses?",
        "should we use redis or postgres for this?",
        "the header must not overlap the menu on small screens",
        "run the tests again",
        "revert the last change please",
        "use 8081 for now, the other port is taken",
        "I think we could maybe improve that in the future",
        "how do I run this locally?",
        "why is the build failing?",
        "it should be below the table, not above it",
        "great, now do the same for the other three handlers",
        "Error: connect ECONNREFUSED 127.0.0.1:5432\n    at TCPConnectWrap.afterConnect",
        "Implement the following plan:\n\n# Plan\n- Always run tests\n- Never push to main",
        "let's try the second option",
        "I am just playing with ideas in my head and trying to keep this as small as possible.",
        "I want to use option B because it still has to load lazily.",
        "1 does seem like a decent path forward, though I feel like we might want to improve this in future.",
        "if we use a queue here, would the order be kept?",
        "the chart shows nothing when there is only one entry",
        "yes please",
        "you can merge it now",
        "I don't see the new column in the export",
        "actually make it blue",
        "there is a typo in the third paragraph",
        "this test always fails on my machine but not on CI, any idea?",
        "Can you check whether all endpoints have an auth check?",
    ] {
        if let Some(signal) = hear(message, None, Some(&before), &board).filter(|signal| signal.durable) {
            wrong.push((message, signal.kind, signal.why, signal.line));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_correction_is_tied_to_its_line() {
    let before = earlier_turn();
    let board = board();
    for (message, line) in [
        ("why are you using npm? I told you to use pnpm", Some(1)),
        ("you forgot to run make lint before committing", Some(2)),
        ("no! never edit the files in gen/, change the templates", Some(3)),
        ("you should have started a new branch from main", Some(6)),
        ("no, the button should be green", None),
    ] {
        let heard = hear(message, None, Some(&before), &board)
            .unwrap_or_else(|| panic!("nothing heard in {message}"));
        assert_eq!(heard.kind, Kind::Correction, "{message}");
        assert_eq!(heard.line, line, "{message}");
    }
}
