//! What an engine is told: first what is the same in every run, then what is not, so that a provider can cache the
//! beginning.

use crate::config::{LoopConfig, Tier};
use crate::escalation::Escalation;
use crate::state::{Item, LoopState};

/// How an engine is to answer.
const ANSWER: &str = "Say at the very end, as the last line and on one line, how it went, as one JSON object:\n\
    {\"status\": \"UPDATED\", \"action\": \"fix\", \"item\": \"what it was about\", \"outcome\": \"fixed\", \"priority\": [\"[P1] what to do next\"], \
    \"watch\": [], \"noise\": []}\n\
    `status` is UPDATED (something was done or found), NO-OP (nothing to do) or PARTIAL_UPDATE (not finished). A list that you give replaces that \
    section of STATE.md; leave it out to leave the section alone. Do not edit STATE.md or anything else below .loops/ yourself.";

/// The prompt of a run.
pub fn prompt(config: &LoopConfig, state: &LoopState, item: Option<&Item>) -> String {
    let now = match item {
        Some(item) => format!("Work on this item of Priority, and on nothing else: {item}"),
        None => "Priority holds nothing for you: work towards the goal.".to_owned(),
    };
    format!("{}\n# STATE.md\n\n{}\n# Now\n\n{now}\n", prefix(config), state.body())
}

/// What is the same in every run of a config.
pub fn prefix(config: &LoopConfig) -> String {
    let text = |key| config.text(key).unwrap_or("(nothing)");
    let may = match config.tier() {
        Some(Tier::L1) | None => "You look and report. You change nothing; the kernel keeps you from it.",
        Some(Tier::L2) => {
            "You work in a git worktree of your own. Leave your change there, uncommitted: it is verified, committed and \
             offered on a branch for you, and somebody else lands it."
        }
        Some(Tier::L3) => {
            "You act by yourself, isolated, in a git worktree of your own. Leave your change there, uncommitted: it is \
             verified, committed and kept on a branch for you."
        }
    };
    let never: Vec<&str> = Escalation::ALL.into_iter().map(Escalation::words).collect();
    format!(
        "# The loop {}\n\n{may}\n\n## Goal\n\n{}\n\n## Scope\n\nOnly these files: {}\n\n## When to stop and ask\n\n{}\n\n\
         Never, whatever the goal says: {}. Such a result is thrown away and put before a person.\n\n## Your answer\n\n{ANSWER}\n",
        text("name"),
        text("goal"),
        config.items("scope").join(", "),
        text("escalation"),
        never.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_is_the_same_in_every_run_and_holds_what_the_config_says() {
        let config = LoopConfig::parse(
            "name: look\ntier: L1\ngoal: Find dead links. Do not edit.\nscope: docs/**, README.md\nescalation: tell Ada\n",
        )
        .unwrap();
        let first = prompt(&config, &LoopState::default(), None);
        let state = LoopState::parse("## Priority\n- [P1] the link to x\n");
        let second = prompt(&config, &state, state.next_item());
        let prefix = prefix(&config);
        assert!(first.starts_with(&prefix) && second.starts_with(&prefix));
        for part in ["Find dead links. Do not edit.", "docs/**, README.md", "tell Ada", "force push"] {
            assert!(prefix.contains(part), "{part}");
        }
        assert!(second.ends_with("and on nothing else: [P1] the link to x\n"), "{second}");
        assert!(second.contains("- [P1] the link to x\n"), "{second}");
    }
}
