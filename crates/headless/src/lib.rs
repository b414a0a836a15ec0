//! Agents' own programs, run without a terminal as supervised child processes.
//!
//! [`Headless::run`] gives one of them an [`Order`](subcortex_known_agents::headless::Order) and says what came of it; [`Headless::as_mind`] asks it questions
//! without tools. The process itself is the business of `engine`: deadline, cancellation, and the end of the whole tree.
//!
//! How each is called stands with the agent (`subcortex_known_agents::headless`). What holds for both, found by trying Claude Code 2.1.325 and Codex 0.166.0:
//!
//! - The prompt goes over standard input. It may be long, and must not stand in the list of processes.
//! - Nothing of the user's own set-up takes part: no hooks, no memory files, no skills, no tool servers. The login does.
//! - Nothing is left behind that looks like a session of a person: no transcript, no rollout.
//! - Nobody is asked. What is not allowed is denied, and the agent is told so.
//! - A run went well only if the agent's own last word says so in every field **and** it exited with 0. Both CLIs say
//!   `success` or exit with 0 for runs that failed.
//!
//! | | claude | codex |
//! |---|---|---|
//! | `Order::tools` | the only tools it has; `Write` and `Edit` end at `Order::cwd` | none: no shell; any: a shell in a sandbox, which may write to `cwd` if a tool writes |
//! | `Order::readable` | read, never written | the sandbox lets it read everything |
//! | `Order::changeable` | `Write` and `Edit` reach them too | writable in its sandbox |
//! | `Order::max_turns`, `Order::max_usd` | kept by the CLI | not known to it; the deadline ends a run |
//! | `Order::max_output_tokens` | told message by message; whoever watches ends the run | kept by the CLI (0.166); one that does not know it goes without |
//! | `Order::gatekeeper` | asked before each `Bash` | not known to it: its sandbox has no network |
//! | `Order::schema` | enforced by the CLI, checked here | said in the prompt; the first object of the answer is taken |
//! | `Order::subagents` | handed over, run as subagents | their text stands in the prompt, to be followed one after the other |
//! | rules of a question | the system prompt | instructions of the developer, behind Codex's own |
//! | [`AgentOutcome::cost_usd`] | the CLI's own figure | unknown |
//!
//! Not promised:
//! - Settings that an administrator manages apply to `claude` whatever we say.
//! - `codex` reads the `AGENTS.md` in its own home, against which it has no option.
//! - Both keep what they need for themselves: `claude` its `~/.claude.json`, `codex` its databases and built-in skills.
//! - Programs that `Bash` starts may read and write what the user may. Whoever puts `Bash` into `tools` should name the
//!   commands for `claude`, as in `Bash(git log:*)`; the sandbox of `codex` holds for all of them.
//! - Rules, schema and definitions of subagents stand on the command line, where other users of the machine may see them.

mod headless;
mod lines;
mod mind;
mod outcome;
mod prompt;

pub use headless::{Headless, Missing, Watch};
pub use mind::AgentMind;
pub use outcome::{AgentEnding, AgentOutcome};
