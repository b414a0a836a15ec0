//! `subcortex remember`: a rule that a person asked for, handed over by an agent with their words.

use serde_json::Value;
use subcortex_daemon::Decision;

use super::World;
use super::history::decide;
use crate::args::Remember as Args;
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{print, print_json};

pub(crate) fn run(world: &World<'_>, args: &Args) -> Result<ExitCode, Failure> {
    let became = remember(world, &args.session, &args.quote, &args.rule)?;
    if args.json {
        print_json(&became)?;
    } else {
        print(&format!("{}\n", in_words(&became)))?;
    }
    Ok(ExitCode::Done)
}

/// Hands it over and says what became of it.
pub(crate) fn remember(world: &World<'_>, session: &str, quote: &str, rule: &str) -> Result<Value, Failure> {
    world.expect_home()?;
    let (session, quote, rule) = (session.to_owned(), quote.to_owned(), rule.to_owned());
    decide(world, Decision::Remember { session, quote, rule })
}

fn in_words(became: &Value) -> String {
    let text = |pointer: &str| became.pointer(pointer).and_then(Value::as_str).unwrap_or("?");
    match text("/became") {
        "line" => {
            let id = text("/edit/id");
            format!("remembered: edit {id}; undo with: subcortex revert {id}")
        }
        "known" => format!("known already: {}", text("/line")),
        _ => {
            let (id, why) = (text("/proposal"), text("/waits_because"));
            format!("asked: {id}, because {why}\naccept it with: subcortex review accept {id}")
        }
    }
}
