//! A program of the user's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use subcortex_cadence::Definition;
use subcortex_cadence::settle::{Ending, Work};
use subcortex_engine::{CommandSpec, Finished, Limits, ProcessEnding, resolve};
use subcortex_home::Home;

use super::{Allowed, Engine, Place, Working};
use crate::aside::redacted;
use crate::clock::remaining_ms;
use crate::run::{DEADLINE_SPARE_MS, ending_of};
use crate::{Details, Minds, Run, Task, Worked};

/// How much of the end of an engine's standard error is kept for people, in characters.
const KEPT_STDERR_CHARS: usize = 4_000;

#[derive(Debug)]
pub(super) struct Command;

impl Engine for Command {
    fn name(&self) -> &'static str {
        "command"
    }

    fn work<'a>(&'a self, run: &'a Run<'a>, task: Task<'a>) -> Working<'a> {
        Box::pin(async move {
            match run.runner.launcher.launch(command(run, task), run.cancellation.clone()).await {
                Ok(finished) => report_of(finished).await.into(),
                Err(error) => Worked::ended(Ending::Refused(error.to_string())),
            }
        })
    }

    fn usable(
        &self,
        definition: &Definition,
        partition: &str,
        _minds: &Minds,
        home: &Home,
        environment: &BTreeMap<OsString, OsString>,
    ) -> Result<String, String> {
        let spec = CommandSpec { env: environment.clone(), ..program(definition, home.partition(partition)) };
        let found = resolve(&spec).map_err(|error| error.to_string())?;
        Ok(found.display().to_string())
    }

    fn allows(&self, definition: &Definition, _place: &Place) -> Allowed {
        let programs = definition.engine.argv().iter().take(1).cloned().collect();
        Allowed { programs, ..Allowed::default() }
    }
}

fn command(run: &Run<'_>, task: Task<'_>) -> CommandSpec {
    CommandSpec {
        run_id: run.start.run.as_str().to_owned(),
        env: run.environment(task),
        stdin: task.map_or_else(Vec::new, |(_, body)| body.as_bytes().to_vec()),
        limits: Limits::within_ms(remaining_ms(run.start.deadline) + DEADLINE_SPARE_MS),
        ..program(run.definition, run.runner.home.partition(run.start.partition.as_str()))
    }
}

/// The program of a definition, in the folder of its partition.
fn program(definition: &Definition, folder: PathBuf) -> CommandSpec {
    let argv = definition.engine.argv();
    let (program, args) =
        argv.split_first().map_or(("", &[][..]), |(program, args)| (program.as_str(), args));
    CommandSpec {
        run_id: String::new(),
        program: program.into(),
        args: args.iter().map(OsString::from).collect(),
        cwd: folder,
        env: BTreeMap::new(),
        stdin: Vec::new(),
        limits: Limits::within_ms(0),
        writable: None,
    }
}

/// A program's end, redacted, as the scheduler judges it.
async fn report_of(finished: Finished) -> (Work, Details) {
    let ending = match &finished.ending {
        ProcessEnding::Exited { code: 0 } => Ending::Well,
        ProcessEnding::Exited { code } => Ending::ExitCode(*code),
        ProcessEnding::Signalled { signal } => Ending::Signal(*signal),
        ProcessEnding::DeadlineReached => Ending::TimedOut,
        ProcessEnding::Cancelled { reason } => ending_of(*reason),
    };
    let output = redacted(finished.stdout.text_lossy().to_string()).await;
    let stderr = redacted(finished.stderr.text_lossy().to_string()).await;
    let before_the_end = stderr.chars().count().saturating_sub(KEPT_STDERR_CHARS);
    let stderr: String = stderr.chars().skip(before_the_end).collect();
    let work = Work { output: output.clone().into_bytes(), ..Work::ended(ending) };
    (work, Details { output, stderr, survivors_killed: finished.survivors_killed, ..Details::default() })
}
