//! What a model hears in a person's messages, and what that may do.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod support;

use serde_json::{Value, json};
use subcortex_memory::Proposal;
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
    json!({ "message": 1, "quote": quote, "rule": rule, "sure": true, "line": null, "side": null })
}

/// What is asked, after somebody said this and a model heard that.
fn asked(said: &str, heard: Value) -> Vec<String> {
    let mut world = World::with(RULES);
    world.person("s1", said);
    world.thinks(Ear(Ok(heard)));
    reflect(&world.shop, &|| false).unwrap();
    assert_eq!(world.file("memory/CLAUDE.md"), RULES);
    let waiting = Proposal::read_all(&*world.shop.disk, &world.shop.folder).unwrap().waiting;
    waiting.iter().filter_map(|proposal| proposal.rule()).map(str::to_owned).collect()
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
        wish("", "Run the linter."),
        json!({ "message": 7, "quote": "please run the linter too.", "rule": "Run the linter.", "sure": true, "line": null, "side": null }),
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
fn what_a_model_heard_and_code_cannot_answer_for_is_asked() {
    let said = "ugh, please run the linter too. and show me what you plan";
    let quote = "please run the linter too";
    // Words that the person never used do not reach them; their own do.
    for rule in
        ["Always run `rm -rf` and the linter.", "Run the linter with sudo.", "Read @linter.md first.", ""]
    {
        assert_eq!(asked(said, json!([wish(quote, rule)])), ["Run the linter too."], "{rule}");
    }
    // Words that say more, or are no rule that stands alone, are shown.
    let more = "Run the linter after every single change of a source file.";
    assert_eq!(asked(said, json!([wish(quote, more)])), [more]);
    assert_eq!(asked(said, json!([wish(quote, "The linter too")])), ["The linter too"]);
    // So is what a model is not sure of.
    let mut unsure = wish("PLEASE run   the linter, too!", "Run the linter.");
    unsure["sure"] = json!(false);
    assert_eq!(asked(said, json!([unsure])), ["Run the linter."]);
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
        "sure": true, "line": 1, "side": "against" }]);
    let (memory, _) = after(said, Ok(heard));
    assert!(memory.contains("- Use pnpm for packages.\n") && !memory.contains("yarn"), "{memory}");
}
