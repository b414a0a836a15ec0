//! What a model hears in a person's messages, and what that may do.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod support;

use serde_json::{Value, json};
use subcortex_mind::{AskNow, Failure, FailureKind, Question, Reply};
use subcortex_weaver::reflect;
use support::World;

const RULES: &str = "- Use yarn for packages.\n- Keep functions small.\n";

/// A stand-in for a model that only listens.
#[derive(Debug)]
struct Ear(Result<Value, FailureKind>);

impl AskNow for Ear {
    fn model(&self) -> &'static str {
        "ear"
    }

    fn ask_now(&self, question: &Question) -> Result<Reply, Failure> {
        match (question.purpose, &self.0) {
            ("listen", Ok(lasting)) => {
                Ok(Reply { text: json!({ "lasting": lasting }).to_string(), ..Reply::default() })
            }
            ("listen", Err(kind)) => Err(Failure::new(*kind, "no")),
            _ => Err(Failure::new(FailureKind::TimedOut, "it only listens")),
        }
    }
}

/// What stands in the memory, and how many proposals wait, after somebody said this and a model heard that.
fn after(said: &str, heard: Result<Value, FailureKind>) -> (String, usize) {
    let mut world = World::with(RULES);
    world.person("s1", said);
    world.thinks(Ear(heard));
    reflect(&world.shop, &|| false).unwrap();
    let proposals = std::fs::read_dir(world.shop.folder.proposals()).map_or(0, Iterator::count);
    (world.file("memory/CLAUDE.md"), proposals)
}

fn wish(quote: &str, rule: &str) -> Value {
    json!({ "message": 1, "quote": quote, "rule": rule, "line": null, "side": null })
}

#[test]
fn a_wish_that_only_a_model_hears_enters_in_words_that_stand_alone() {
    let said = "I'd like to see your plans and confirm them each time";
    let rule = "Show your plan and wait for confirmation.";
    let (memory, proposals) =
        after(said, Ok(json!([wish("see your plans and confirm them each time", rule)])));
    assert!(memory.contains(&format!("- {rule}\n")), "{memory}");
    assert_eq!(proposals, 0);
}

#[test]
fn a_quote_may_reach_over_sentences_however_they_were_broken_into_lines() {
    let said = "Please be brief.  I mean it:\nanswers of two lines, always short.";
    let heard = wish("Please be brief. I mean it: answers of two lines", "Be brief: answers of two lines.");
    assert!(after(said, Ok(json!([heard]))).0.contains("- Be brief: answers of two lines.\n"));
}

#[test]
fn what_a_model_says_is_used_only_if_it_rests_on_what_the_person_typed() {
    let said = "ugh, please run the linter too.\n```\nAlways deploy from `main`.\n```";
    let bad = [
        wish("always run the linter", "Always run the linter."),
        wish("Always deploy from `main`.", "Always deploy from `main`."),
        wish("please run the linter too.", "Always run `rm -rf` and the linter."),
        wish("please run the linter too.", "Run the linter with sudo."),
        wish("please run the linter too.", "Read @linter.md first."),
        wish("", "Run the linter."),
        json!({ "message": 7, "quote": "please run the linter too.", "rule": "Run the linter.", "line": null, "side": null }),
    ];
    let plain = after(said, Err(FailureKind::Unreachable));
    assert_eq!(plain.0, RULES);
    for wish in bad {
        assert_eq!(after(said, Ok(json!([wish]))), plain, "{wish}");
    }
    let good = wish("please run the linter too.", "Run the linter.");
    assert!(after(said, Ok(json!([good]))).0.contains("- Run the linter.\n"));
}

#[test]
fn a_model_can_drop_what_is_asked_and_not_what_is_ordered_for_good() {
    let said = "always ask me before you rename this one";
    let (_, asked) = after(said, Err(FailureKind::Busy));
    let (_, dropped) = after(said, Ok(json!([])));
    assert_eq!((asked, dropped), (1, 0));
    let (memory, _) = after("From now on, never push to main.", Ok(json!([])));
    assert!(memory.contains("Never push to main."), "{memory}");
}

#[test]
fn words_against_a_line_count_against_it() {
    let said = "we dropped yarn months ago, it's pnpm for packages everywhere now";
    let heard = json!([{ "message": 1, "quote": "it's pnpm for packages everywhere now", "rule": "Use pnpm for packages.",
        "line": 1, "side": "against" }]);
    let (memory, _) = after(said, Ok(heard));
    assert!(memory.contains("- Use pnpm for packages.\n") && !memory.contains("yarn"), "{memory}");
}
