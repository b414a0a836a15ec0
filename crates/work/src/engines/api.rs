//! The agent loop on a model's HTTP interface.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use subcortex_agent::{BLACKBOARD_TOOLS, Blackboard, Exit, Job, TOOL_NAMES, Tools, work};
use subcortex_cadence::Definition;
use subcortex_cadence::settle::{Ending, Work};
use subcortex_home::Home;
use subcortex_mind::Mind;

use super::{Allowed, Engine, Place, Working};
use crate::aside::redacted;
use crate::exit::{Left, is_the_engine_s};
use crate::letterbox::SharedInbox;
use crate::run::ending_of;
use crate::{Details, Minds, Pages, Run, Surroundings, Task, Worked};

/// How long one call of a tool may take, in milliseconds.
const TOOL_MS: u64 = 60_000;

#[derive(Debug)]
pub(super) struct Api;

impl Engine for Api {
    fn name(&self) -> &'static str {
        "api"
    }

    fn work<'a>(&'a self, run: &'a Run<'a>, task: Task<'a>) -> Working<'a> {
        Box::pin(run_loop(run, task))
    }

    fn has_model(&self) -> bool {
        true
    }

    fn sees_fetches(&self) -> bool {
        true
    }

    fn usual_model(&self, minds: &Minds) -> String {
        minds.api_model().unwrap_or_else(|| "none".into())
    }

    fn mind(&self, run: &Run<'_>) -> Result<Arc<dyn Mind>, String> {
        run.runner.minds.api(run.definition)
    }

    fn mind_alone(&self, minds: &Minds, _around: &Surroundings) -> Result<Arc<dyn Mind>, String> {
        minds.api(&Definition::default())
    }

    fn allows(&self, definition: &Definition, place: &Place) -> Allowed {
        let agent = &definition.agent;
        Allowed {
            reads: std::iter::once(place.memory.clone()).chain(place.reads.iter().cloned()).collect(),
            writes: place.own.clone(),
            tools: tools_of(definition),
            programs: agent.shell.clone(),
            max_steps: agent.max_iterations,
        }
    }

    fn usable(
        &self,
        definition: &Definition,
        _partition: &str,
        minds: &Minds,
        _home: &Home,
        _environment: &BTreeMap<OsString, OsString>,
    ) -> Result<String, String> {
        minds.api(definition).map(|mind| mind.model().to_owned())
    }
}

/// Who has no place on a blackboard is not told about it.
fn tools_of(definition: &Definition) -> Vec<String> {
    let is_for_it = |name: &&str| definition.blackboard.is_some() || !BLACKBOARD_TOOLS.contains(name);
    TOOL_NAMES.into_iter().filter(is_for_it).map(String::from).collect()
}

/// Runs the prompt on the agent loop.
async fn run_loop(run: &Run<'_>, task: Task<'_>) -> Worked {
    let ready = || Ok((run.mind()?, run.instructions()?, run.files()?));
    let (mind, instructions, _) = match ready() {
        Ok(ready) => ready,
        Err(why) => return Worked::ended(Ending::Refused(why)),
    };
    let tools = Tools {
        disk: Arc::clone(&run.runner.disk),
        launcher: Arc::clone(&run.runner.launcher),
        fetch: Arc::new(Pages::default()),
        blackboard: run.desk.seat.clone().map(|seat| seat as Arc<dyn Blackboard>),
        letterbox: Some(Arc::new(SharedInbox {
            home: run.runner.home.clone(),
            disk: Arc::clone(&run.runner.disk),
            peers: Arc::clone(&run.runner.peers),
            partition: run.start.partition.as_str().to_owned(),
            left: AtomicUsize::new(0),
        })),
        environment: run.runner.environment.clone(),
        run_id: run.start.run.as_str().to_owned(),
        step_limit_ms: TOOL_MS,
        cancellation: run.cancellation.clone(),
    };
    let job = Job {
        identity: &run.desk.identity,
        instructions: &instructions,
        task: task.map(|(task, body)| (task.key.name.as_str(), body)),
        mind: &mind,
        tools: &tools,
    };
    let mut state = run.desk.state();
    let given = state.clone();
    let worked = work(&job, &mut state).await;
    let notes = state.notes.clone();
    run.desk.put_state(state, &given);
    run.keep_trace(&worked.trace);
    let output = redacted(worked.output.clone()).await;
    let work = match &worked.exit {
        Exit::Completed => Work::well(output.clone()),
        Exit::Error(why)
            if mind.last_failure().is_some_and(is_the_engine_s) || run.purse.is_out_of_money() =>
        {
            Work::ended(Ending::Refused(why.clone()))
        }
        Exit::Error(why) => Work::ended(Ending::Failed(why.clone())),
        Exit::Exception(why) => Work::ended(
            run.cancellation
                .order()
                .map_or_else(|| Ending::Failed(why.clone()), |order| ending_of(order.reason)),
        ),
        Exit::MaxSteps { max_steps }
            if worked.misread.as_ref().is_some_and(|it| it.answers == *max_steps) =>
        {
            let last = worked.misread.as_ref().map_or("", |misread| &misread.last);
            Work::ended(Ending::Failed(format!(
                "none of the model's {max_steps} answers was the call of a tool, so more steps would not help; the last: {last}\n\
                 hint: choose a `model` that answers in JSON when it is told to, and see that `api.wire` in \
                 config/subcortex.yaml is the interface that your endpoint speaks"
            )))
        }
        Exit::MaxSteps { max_steps } => Work::ended(Ending::Failed(format!(
            "{}: {max_steps} steps without `done`; what it noted is kept, and the next attempt goes on from there; if it is held, \
             continue with `subcortex inbox retry`, or raise `agent.max_iterations`",
            worked.exit.words()
        ))),
    };
    let left = Left { exit: worked.exit, summary: output.clone(), notes, steps: worked.steps };
    Worked { work, details: Details { output, ..Details::default() }, left: Some(left) }
}
