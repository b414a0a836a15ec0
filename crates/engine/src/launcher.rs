//! Starting programs: the interface, and the launcher that starts real ones.

use std::fmt::Debug;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::cgroup::{Base, Group};
use crate::image::Image;
use crate::names::{RUN_GROUP_VARIABLE, RUN_ID_VARIABLE};
use crate::resolve::{explain_spawn_error, resolve};
use crate::spawner::{Order, Started, start};
use crate::supervise::supervise;
use crate::{Cancellation, CommandSpec, Containment, Finished, GroupPrefix, StartError};

/// How long the kernel may take to start a program.
const START_WITHIN_MS: u64 = 10_000;

/// Hears standard output while a program writes it, piece by piece and in order. It is called where the output is read,
/// so it must be quick.
pub type Listener = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// A run in progress.
pub type Launching<'a> = Pin<Box<dyn Future<Output = Result<Finished, StartError>> + Send + 'a>>;

/// Whoever runs programs: [`ProcessLauncher`], or a stand-in that answers from a script.
pub trait Launcher: Debug + Send + Sync {
    /// Runs one program to its end. Dropping the future ends the run without grace: at once, or, while the
    /// program is just being started, as soon as it has been.
    fn launch(&self, spec: CommandSpec, cancellation: Cancellation) -> Launching<'_>;

    /// The same, with somebody who hears standard output. A stand-in tells it all at the end.
    fn launch_heard(
        &self,
        spec: CommandSpec,
        cancellation: Cancellation,
        listener: Listener,
    ) -> Launching<'_> {
        Box::pin(async move {
            let finished = self.launch(spec, cancellation).await?;
            listener(finished.stdout.text_lossy().as_bytes());
            Ok(finished)
        })
    }
}

/// Runs real programs. Needs a tokio runtime with its I/O and time drivers switched on.
#[derive(Debug)]
pub struct ProcessLauncher {
    prefix: GroupPrefix,
    base: Result<Base, String>,
}

impl ProcessLauncher {
    /// A launcher for one home. It uses cgroups where it can, see [`Self::why_no_cgroup`].
    pub fn new(prefix: GroupPrefix) -> Result<Self, StartError> {
        let base = Base::find(&prefix.fresh_group("probe")?.name);
        Self::with_base(prefix, base)
    }

    /// A launcher that never uses cgroups.
    pub fn sweep_only(prefix: GroupPrefix) -> Result<Self, StartError> {
        Self::with_base(prefix, Err("cgroups are switched off".into()))
    }

    fn with_base(prefix: GroupPrefix, base: Result<Base, String>) -> Result<Self, StartError> {
        std::fs::metadata("/proc/self/stat")
            .map_err(|source| StartError::CannotSupervise { what: "/proc is not there", source })?;
        Ok(Self { prefix, base })
    }

    /// What will keep the processes of a run together.
    pub fn containment(&self) -> Containment {
        if self.base.is_ok() { Containment::Cgroup } else { Containment::Sweep }
    }

    /// Why runs get no cgroup of their own; `None` when they do.
    pub fn why_no_cgroup(&self) -> Option<&str> {
        self.base.as_ref().err().map(String::as_str)
    }

    /// Runs one program to its end; see [`Launcher::launch`].
    pub async fn run(&self, spec: CommandSpec, cancellation: Cancellation) -> Result<Finished, StartError> {
        self.run_heard(spec, cancellation, None).await
    }

    async fn run_heard(
        &self,
        spec: CommandSpec,
        cancellation: Cancellation,
        listener: Option<Listener>,
    ) -> Result<Finished, StartError> {
        let program = resolve(&spec)?;
        let name = self.prefix.fresh_group(&spec.run_id)?;
        if let Some(order) = cancellation.order() {
            return Ok(Finished::never_started(order, self.containment()));
        }
        let mut env = spec.env;
        env.insert(RUN_ID_VARIABLE.into(), spec.run_id.into());
        env.insert(RUN_GROUP_VARIABLE.into(), name.name.as_str().into());
        let image = Image::new(&program, &spec.args, env, &spec.cwd)
            .map_err(|error| explain_spawn_error(&program, error))?;
        let group = self.new_group(&name.name);
        let starting =
            start(Order { program: program.clone(), image, name, group, writable: spec.writable })?;
        let started = await_start(starting, program).await?;
        supervise(started, spec.stdin, spec.limits, cancellation, listener).await
    }

    /// A failure costs the run its cgroup, not its life: the sweep holds it too.
    fn new_group(&self, name: &str) -> Option<Group> {
        self.base.as_ref().ok().and_then(|base| base.create(name).ok())
    }
}

/// Waits for the start itself. Only a file system that does not answer makes it take long. Whatever comes of
/// it after this gave up is ended at once by the thread that started it; a cancellation does not make this
/// give up earlier, because the program may be running already when its thread is about to say so.
async fn await_start(
    starting: oneshot::Receiver<Result<Started, StartError>>,
    path: PathBuf,
) -> Result<Started, StartError> {
    match timeout(Duration::from_millis(START_WITHIN_MS), starting).await {
        Ok(Ok(started)) => started,
        Ok(Err(lost)) => Err(StartError::CannotSupervise {
            what: "the thread of the program is gone",
            source: std::io::Error::other(lost),
        }),
        Err(_) => Err(StartError::TooSlow { path, waited_ms: START_WITHIN_MS }),
    }
}

impl Launcher for ProcessLauncher {
    fn launch(&self, spec: CommandSpec, cancellation: Cancellation) -> Launching<'_> {
        Box::pin(self.run(spec, cancellation))
    }

    fn launch_heard(
        &self,
        spec: CommandSpec,
        cancellation: Cancellation,
        listener: Listener,
    ) -> Launching<'_> {
        Box::pin(self.run_heard(spec, cancellation, Some(listener)))
    }
}
