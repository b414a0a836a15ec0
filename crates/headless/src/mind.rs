//! An agent that is asked questions.

use std::path::PathBuf;
use std::sync::Arc;

use subcortex_engine::{Cancellation, ProcessEnding};
use subcortex_known_agents::headless::{Order, PermissionMode};
use subcortex_mind::{Asking, Failure, FailureKind, Mind, Question, Reply};

use crate::{AgentEnding, AgentOutcome, Headless, prompt};

/// Turns for an answer in words.
const TURNS_FOR_WORDS: u32 = 1;
/// Turns for an answer that fits a schema: with one reminder by the CLI, and one correction.
const TURNS_FOR_SCHEMA: u32 = 3;

/// The rules of a question that has none. Without any, the agent would bring its own long ones.
const NO_RULES: &str = "Answer what you are asked, and nothing else.";

/// A mind behind an agent's command line, see [`Headless::as_mind`]. Neither CLI can be held to
/// [`Question::max_output_tokens`].
#[derive(Debug, Clone)]
pub struct AgentMind {
    pub(crate) headless: Arc<Headless>,
    pub(crate) run_id: String,
    pub(crate) cwd: PathBuf,
    pub(crate) model: Option<String>,
    pub(crate) max_duration_ms: u64,
    pub(crate) cancellation: Cancellation,
}

impl Mind for AgentMind {
    /// The model, or the agent's name where the choice is its own.
    fn model(&self) -> &str {
        self.model.as_deref().unwrap_or(self.headless.agent.name)
    }

    fn tells_cost(&self) -> bool {
        self.headless.agent.cli.as_ref().is_some_and(|cli| cli.tells_cost)
    }

    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            let order = self.order(question);
            let rules = if question.rules.trim().is_empty() { NO_RULES } else { &question.rules };
            match self.headless.carry_out(&order, Some(rules), self.cancellation.clone(), None).await {
                Ok(outcome) => self.reply(outcome),
                Err(missing) => Err(Failure::new(FailureKind::Refused, missing.to_string())),
            }
        })
    }
}

impl AgentMind {
    fn order(&self, question: &Question) -> Order {
        Order {
            run_id: self.run_id.clone(),
            cwd: self.cwd.clone(),
            prompt: prompt::conversation(&question.said),
            model: self.model.clone(),
            tools: Vec::new(),
            max_turns: if question.schema.is_some() { TURNS_FOR_SCHEMA } else { TURNS_FOR_WORDS },
            max_usd: None,
            max_output_tokens: None,
            gatekeeper: None,
            schema: question.schema.clone(),
            subagents: None,
            readable: Vec::new(),
            changeable: Vec::new(),
            mode: PermissionMode::default(),
            writable: None,
            max_duration_ms: self.max_duration_ms,
        }
    }

    fn reply(&self, outcome: AgentOutcome) -> Result<Reply, Failure> {
        let failed = |kind, message| Err(Failure { kind, message, usage: outcome.usage });
        let name = self.headless.agent.name;
        match outcome.ending {
            AgentEnding::Well => Ok(Reply {
                text: outcome.structured.map_or(outcome.text, |value| value.to_string()),
                model: outcome.model.unwrap_or_else(|| self.model().to_owned()),
                usage: outcome.usage,
                cost_usd: outcome.cost_usd,
                is_cut: false,
            }),
            AgentEnding::Failed { kind, why } => failed(kind, why),
            AgentEnding::Process(ProcessEnding::DeadlineReached) => {
                let limit_ms = self.max_duration_ms;
                failed(
                    FailureKind::TimedOut,
                    format!(
                        "`{name}` did not answer within {limit_ms} ms and was ended; see whether its model answers"
                    ),
                )
            }
            AgentEnding::Process(ProcessEnding::Cancelled { reason }) => {
                failed(FailureKind::Cancelled, format!("`{name}` was ended: {reason}"))
            }
            AgentEnding::Process(ProcessEnding::Signalled { signal }) => failed(
                FailureKind::Unreachable,
                format!(
                    "`{name}` was ended by signal {signal} from outside; see whether memory ran out (`dmesg`)"
                ),
            ),
            AgentEnding::Process(ProcessEnding::Exited { code }) => {
                failed(FailureKind::Garbage, format!("`{name}` exited with {code}"))
            }
        }
    }
}
