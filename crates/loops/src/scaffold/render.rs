//! The words of a new loop's files.

use std::fmt::Write as _;

use crate::config::Tier;
use crate::pattern::Pattern;

/// Writing to a String cannot fail.
macro_rules! line {
    ($out:expr, $($words:tt)*) => { let _ok = writeln!($out, $($words)*); };
}

pub(super) fn config(name: &str, pattern: &Pattern) -> String {
    let mut out = String::new();
    line!(out, "# The config of the loop `{name}`. It is yours: no run changes it.");
    line!(out, "# Replace every <fill in …>, then try `subcortex loop check {name}`.");
    line!(out, "name: {name}");
    line!(out, "pattern: {}", pattern.name);
    line!(out, "tier: {:?}  # {}", pattern.tier, tier_in_words(pattern.tier));
    line!(out, "cadence: {}  # a duration (10m, 6h, 1d) or five fields of cron", quoted(pattern.cadence));
    line!(out, "goal: {}", quoted(pattern.goal));
    line!(out, "scope: {}  # globs below the repository, with commas between", quoted(pattern.scope));
    let mode = if pattern.gate.is_some() { "acceptEdits" } else { "plan" };
    line!(out, "permission_mode: {mode}");
    line!(out, "engine: claude  # or codex, api, or command with `command: [program, argument]`");
    if let Some(gate) = pattern.gate {
        line!(out, "worktree: true");
        line!(out, "verify: {}  # must end with 0, or the result is not offered", quoted(gate.verify));
        line!(out, "guard: {}  # the same, for what must stay as it is", quoted(gate.guard));
        line!(out, "land_via: {}", gate.land_via);
    }
    line!(out, "escalation: {}", quoted(pattern.escalation));
    line!(out, "budget_tokens: {}  # output tokens a run", pattern.budget_tokens);
    line!(out, "kill_switch: .loops/{name}/PAUSED  # while this file exists, nothing runs");
    out
}

pub(super) fn readme(name: &str, pattern: &Pattern) -> String {
    let mut out = String::new();
    line!(out, "# {name}\n\n{}\n", pattern.about);
    line!(out, "**A run.** {}\n", pattern.run);
    line!(out, "**What it may do** ({:?}). {}\n", pattern.tier, rights_in_words(pattern.tier));
    line!(out, "**Is it worth it?** {}\n", pattern.doubt);
    line!(out, "## Before it runs\n");
    line!(out, "1. Replace every `<fill in …>` in `loop.config.yaml`.");
    line!(out, "2. `subcortex loop check {name}` says what is missing still.");
    line!(out, "3. `subcortex loop estimate {name}` says what it will cost.\n");
    line!(out, "To stop it: `touch .loops/{name}/PAUSED`, or `touch .loops/PAUSED` for all loops.\n");
    line!(out, "## Files\n");
    line!(out, "- `loop.config.yaml`: what it is. Yours.");
    line!(out, "- `STATE.md`: what it knows, under Priority, Watch and Noise. Rewritten by each run.");
    line!(out, "- `run-log.md`: one line a run. Only ever appended to.");
    out
}

fn tier_in_words(tier: Tier) -> &'static str {
    match tier {
        Tier::L1 => "looks and reports",
        Tier::L2 => "proposes, from a worktree",
        Tier::L3 => "acts, isolated",
    }
}

fn rights_in_words(tier: Tier) -> &'static str {
    match tier {
        Tier::L1 => "It reads the scope and writes nothing but its own STATE.md and run-log.md.",
        Tier::L2 => {
            "It changes files of the scope in a git worktree of its own. A result that fails `verify` or `guard` is \
             not offered; one that passes is left on a branch, and somebody else lands it."
        }
        Tier::L3 => "It changes files of the scope by itself, and runs only where it is isolated.",
    }
}

/// As a YAML text between double quotes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
