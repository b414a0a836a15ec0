//! A program of a person's: the prompt on standard input, the report as the last line.

use std::ffi::OsString;
use std::path::PathBuf;

use subcortex_engine::{CommandSpec, Limits, ProcessEnding};
use subcortex_loops::config::Tier;
use subcortex_loops::end::LoopEnd;
use subcortex_work::redacted;

use super::{Assignment, EngineWork, ended_early};

/// Programs that isolate what they start by themselves. They need more of the machine than a fence leaves them.
const ISOLATORS: [&str; 7] =
    ["docker", "podman", "bwrap", "systemd-nspawn", "systemd-run", "firejail", "nerdctl"];

pub(super) async fn work(job: &Assignment<'_>) -> EngineWork {
    let argv = job.config.argv();
    let Some((program, args)) = argv.split_first() else {
        let why = "`command` is missing, so there is nothing to start".into();
        return EngineWork::none(LoopEnd::Refused { why });
    };
    let isolates =
        job.tier == Tier::L3 && ISOLATORS.iter().any(|known| program.rsplit('/').next() == Some(known));
    let spec = CommandSpec {
        run_id: job.run_id.to_owned(),
        program: found(job, program),
        args: args.iter().map(OsString::from).collect(),
        cwd: job.dir.to_owned(),
        env: job.environment(),
        stdin: job.prompt.as_bytes().to_vec(),
        limits: Limits::within_ms(job.limit_ms),
        writable: (!isolates).then(|| job.writable()),
    };
    let finished = match job.runner.worker.launcher.launch(spec, job.cancellation.clone()).await {
        Ok(finished) => finished,
        Err(error) => return EngineWork::none(LoopEnd::Refused { why: error.to_string() }),
    };
    let errors = redacted(finished.stderr.text_lossy()).await;
    let said = match finished.ending {
        ProcessEnding::Exited { code: 0 } => Ok(redacted(finished.stdout.text_lossy()).await),
        ProcessEnding::Exited { code } => {
            let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let why = if last.is_empty() {
                format!("exit code {code}")
            } else {
                format!("exit code {code}: {last}")
            };
            Err(LoopEnd::Failed { why })
        }
        ProcessEnding::Signalled { signal } => {
            Err(LoopEnd::Failed { why: format!("ended by signal {signal}") })
        }
        ProcessEnding::DeadlineReached => Err(LoopEnd::TimedOut),
        ProcessEnding::Cancelled { reason } => Err(ended_early(reason)),
    };
    EngineWork {
        said,
        output_tokens: 0,
        commands: Vec::new(),
        errors,
        denied: Vec::new(),
        survivors_killed: finished.survivors_killed,
    }
}

/// A path starts at the loop's folder where such a file is, else where the loop works.
fn found(job: &Assignment<'_>, program: &str) -> PathBuf {
    let own = job.place.dir.join(program);
    let is_own = program.contains('/') && job.runner.worker.disk.stat(&own).is_ok();
    if is_own { own } else { program.into() }
}
