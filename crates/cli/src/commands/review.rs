//! `subcortex review`: edits that wait for a yes.

use serde_json::Value;
use subcortex_daemon::Decision;
use subcortex_guard::escape_for_display;
use subcortex_memory::Proposal;

use super::World;
use super::history::{change_in_words, decide};
use crate::args::{Review, ReviewCommand};
use crate::exit_code::ExitCode;
use crate::failure::Failure;
use crate::output::{note, print, print_json};

pub(crate) fn run(world: &World<'_>, args: &Review) -> Result<ExitCode, Failure> {
    world.expect_home()?;
    match &args.command {
        None => list(world, args.json),
        Some(ReviewCommand::Accept { proposal }) => {
            let value = decide(world, Decision::Accept { proposal: proposal.clone(), words: None })?;
            let id = value.pointer("/edit/id").and_then(Value::as_str).unwrap_or("?");
            print(&format!("accepted: {proposal} (edit {id}; undo with: subcortex revert {id})\n"))?;
            Ok(ExitCode::Done)
        }
        Some(ReviewCommand::Reject { proposal }) => {
            decide(world, Decision::Reject { proposal: proposal.clone() })?;
            print(&format!("rejected: {proposal}; it does not come back\n"))?;
            Ok(ExitCode::Done)
        }
    }
}

fn list(world: &World<'_>, json: bool) -> Result<ExitCode, Failure> {
    let shop = world.workshop()?;
    let proposals = Proposal::read_all(&*shop.disk, &shop.folder)?;
    for (path, why) in &proposals.broken {
        note(&format!("{path} is no proposal: {why}"));
    }
    if json {
        print_json(&proposals.waiting)?;
    } else if proposals.waiting.is_empty() {
        print("nothing waits for you\n")?;
    } else {
        let shown = proposals.waiting.iter().map(|proposal| {
            let waits = escape_for_display(&proposal.waits_because);
            let change = change_in_words(&proposal.change);
            let because = escape_for_display(&proposal.reasons.join("; "));
            let because =
                if because.is_empty() { String::new() } else { format!("      because: {because}\n") };
            format!("{}\n{change}      waits: {waits}\n{because}      subcortex review accept {0}\n", proposal.id)
        });
        print(&shown.collect::<String>())?;
    }
    Ok(ExitCode::Done)
}
