//! Kill switches, looked at before a run starts, while it goes on, and before its result counts.

use std::convert::Infallible;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use subcortex_engine::{CancelReason, Cancellation, Canceller, CommandSpec, Limits, ProcessEnding};
use subcortex_loops::LoopPlace;
use subcortex_loops::config::LoopConfig;
use subcortex_loops::kill_switch::KillSwitch;
use subcortex_store::Disk;

use crate::LoopRunner;

/// How often files are looked for while a run goes on. With the grace below, work ends within a second.
const LOOK_PAUSE: Duration = Duration::from_millis(200);
/// Time between SIGTERM and SIGKILL.
const GRACE_MS: u64 = 500;
/// How long the question for a label may take, in milliseconds.
const LABEL_MS: u64 = 20_000;

/// The switches of one loop.
#[derive(Debug, Clone)]
pub(crate) struct Switches {
    files: Vec<PathBuf>,
    labels: Vec<String>,
}

impl Switches {
    pub(crate) fn of(runner: &LoopRunner, place: &LoopPlace, config: &LoopConfig) -> Switches {
        let mut switches = Switches { files: vec![runner.worker.home.kill_switch()], labels: Vec::new() };
        for switch in KillSwitch::all(place, config) {
            match switch {
                KillSwitch::File(path) => switches.files.push(path),
                KillSwitch::Label(label) => switches.labels.push(label),
            }
        }
        switches
    }

    /// The file that is there. Any doubt means paused.
    pub(crate) fn set_file(&self, disk: &dyn Disk) -> Option<String> {
        self.files.iter().find_map(|path| match disk.stat(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Ok(_) => Some(format!("{} is there", path.display())),
            Err(error) => Some(format!("{} cannot be looked at: {error}", path.display())),
        })
    }

    /// What is set, labels included. No answer means paused.
    pub(crate) async fn set(&self, runner: &LoopRunner, run_id: &str, place: &LoopPlace) -> Option<String> {
        if let Some(why) = self.set_file(&*runner.worker.disk) {
            return Some(why);
        }
        for label in &self.labels {
            if let Some(why) = ask_for(runner, run_id, place, label).await {
                return Some(why);
            }
        }
        None
    }

    /// Ends a run as soon as a file is there. It goes on until it is dropped.
    pub(crate) async fn watch(&self, disk: &dyn Disk, canceller: &Canceller) -> Infallible {
        loop {
            tokio::time::sleep(LOOK_PAUSE).await;
            if self.set_file(disk).is_some() {
                canceller.cancel(CancelReason::Paused, GRACE_MS);
            }
        }
    }
}

async fn ask_for(runner: &LoopRunner, run_id: &str, place: &LoopPlace, label: &str) -> Option<String> {
    let args = ["issue", "list", "--state", "open", "--limit", "1", "--json", "number", "--label", label];
    let mut env = runner.worker.environment.clone();
    env.insert("GH_PROMPT_DISABLED".into(), "1".into());
    let spec = CommandSpec {
        run_id: run_id.to_owned(),
        program: "gh".into(),
        args: args.into_iter().map(Into::into).collect(),
        cwd: place.root.clone(),
        env,
        stdin: Vec::new(),
        limits: Limits::within_ms(LABEL_MS),
        writable: None,
    };
    let no_answer = |why: String| Some(format!("nobody says whether the label `{label}` is set: {why}"));
    match runner.worker.launcher.launch(spec, Cancellation::never()).await {
        Err(error) => no_answer(error.to_string().lines().next().unwrap_or_default().to_owned()),
        Ok(finished) if finished.ending == (ProcessEnding::Exited { code: 0 }) => {
            let is_clear = finished.stdout.text_lossy().trim() == "[]";
            (!is_clear).then(|| format!("the label `{label}` is set on an open issue"))
        }
        Ok(_) => no_answer("gh failed; see `gh auth status`".into()),
    }
}
