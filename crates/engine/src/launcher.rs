//! Starting programs: the interface, and the launcher that starts real ones.

use std::fmt::Debug;
use std::pin::Pin;
use std::process::{Command, Stdio};

use crate::cgroup::{Base, Group};
use crate::names::{RUN_GROUP_VARIABLE, RUN_ID_VARIABLE};
use crate::resolve::resolve;
use crate::spawner::{Order, Spawner};
use crate::supervise::supervise;
use crate::{Cancellation, CommandSpec, Containment, Finished, GroupPrefix, StartError};

/// A run in progress.
pub type Launching<'a> = Pin<Box<dyn Future<Output = Result<Finished, StartError>> + Send + 'a>>;

/// Whoever runs programs: [`ProcessLauncher`], or a stand-in that answers from a script.
pub trait Launcher: Debug + Send + Sync {
    /// Runs one program to its end. Dropping the future ends the run at once, without grace.
    fn launch(&self, spec: CommandSpec, cancellation: Cancellation) -> Launching<'_>;
}

/// Runs real programs. Needs a tokio runtime with its I/O and time drivers switched on.
#[derive(Debug)]
pub struct ProcessLauncher {
    prefix: GroupPrefix,
    base: Result<Base, String>,
    spawner: Spawner,
}

impl ProcessLauncher {
    /// A launcher for one home. It uses cgroups where it can, see [`Self::why_no_cgroup`].
    pub fn new(prefix: GroupPrefix) -> Result<Self, StartError> {
        let base = Base::find(&prefix.fresh_group("probe")?);
        Self::with_base(prefix, base)
    }

    /// A launcher that never uses cgroups.
    pub fn sweep_only(prefix: GroupPrefix) -> Result<Self, StartError> {
        Self::with_base(prefix, Err("cgroups are switched off".into()))
    }

    fn with_base(prefix: GroupPrefix, base: Result<Base, String>) -> Result<Self, StartError> {
        let cannot = |what| move |source| StartError::CannotSupervise { what, source };
        std::fs::metadata("/proc/self/stat").map_err(cannot("/proc is not there"))?;
        let spawner = Spawner::new().map_err(cannot("no thread for starting programs"))?;
        Ok(Self { prefix, base, spawner })
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
        let program = resolve(&spec)?;
        let mark = self.prefix.fresh_group(&spec.run_id)?;
        if let Some(order) = cancellation.order() {
            return Ok(Finished::never_started(order, self.containment()));
        }
        let mut command = Command::new(&program);
        command.args(&spec.args).current_dir(&spec.cwd).env_clear().envs(&spec.env);
        command.env(RUN_ID_VARIABLE, &spec.run_id).env(RUN_GROUP_VARIABLE, &mark);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let group = self.new_group(&mark);
        let (tree, exit) = self.spawner.start(Order { program, command, mark, group }).await?;
        supervise(tree, exit, spec.stdin, spec.limits, cancellation).await
    }

    /// A failure costs the run its cgroup, not its life: the sweep holds it too.
    fn new_group(&self, mark: &str) -> Option<Group> {
        self.base.as_ref().ok().and_then(|base| base.create(mark).ok())
    }
}

impl Launcher for ProcessLauncher {
    fn launch(&self, spec: CommandSpec, cancellation: Cancellation) -> Launching<'_> {
        Box::pin(self.run(spec, cancellation))
    }
}
