//! `subcortex hook EVENT`: what an agent program tells while it works goes to the spine.
//!
//! Whatever happens, the agent goes on: the exit code is always 0, nothing is said on standard error, and on standard
//! output only what the agent is to know. Trouble goes to `var/log/hooks.log` in the home, one line each; when that file
//! has [`MAX_LOG_BYTES`] it becomes `hooks.1.log` and a new one is begun. A call that lasts longer than [`MAX_DURATION`]
//! gives up: an append that is cut off there is repaired by the next one, and the transcript tells the same later.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use subcortex_guard::{Redactor, escape_for_display};
use subcortex_home::Home;
use subcortex_known_agents::AGENTS;
use subcortex_known_agents::hooks::{Call, MAX_INPUT_BYTES, drafts, injection, pointers_answer};
use subcortex_spine::{Durability, Spine};
use subcortex_store::{Disk, OpenMode, RealDisk};

use super::asking;
use crate::args::{AgentName, Hook};
use crate::exit_code::ExitCode;
use crate::surroundings::Surroundings;

/// How long the agent waits at most, whatever is wrong with the disk.
const MAX_DURATION: Duration = Duration::from_secs(4);
/// The size at which a new log is begun, in bytes.
const MAX_LOG_BYTES: u64 = 256 * 1024;
/// How much of an event's name is shown, in characters: it comes from a settings file.
const MAX_SHOWN_EVENT_CHARS: usize = 64;

/// How the agent program was started, for its readers, where another agent is above it.
const AGENTS_SHELL: &str = "agent-shell";

/// Does what it can and ends well.
pub(crate) fn run(surroundings: &Surroundings, home: Option<&Path>, args: &Hook) -> ExitCode {
    // Without a home, or in a run of our own, there is nobody to tell.
    let Ok(home) = surroundings.home(home) else { return ExitCode::Done };
    if surroundings.is_own_run || !home.root().is_dir() {
        return ExitCode::Done;
    }
    let log = Log::new(&home, &args.event);
    log.give_up_in_time();
    // What a panic says on standard error would be shown to the person who works with the agent.
    std::panic::set_hook(Box::new(|_| {}));
    match catch_unwind(AssertUnwindSafe(|| handle(surroundings, &home, args))) {
        Ok(Ok(())) => {}
        Ok(Err(why)) => log.write(&why),
        Err(_) => log.write("a bug: the hook panicked"),
    }
    ExitCode::Done
}

/// Whether a command line that cannot be understood is a hook's.
pub(crate) fn is_meant(args: &[OsString]) -> bool {
    let mut words = args.iter().skip(1);
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--home") => drop(words.next()),
            Some(word) if word.starts_with('-') => {}
            other => return other == Some("hook"),
        }
    }
    false
}

/// Notes that a hook was called with words that mean nothing here.
pub(crate) fn misunderstood(surroundings: &Surroundings) -> ExitCode {
    let mut words = surroundings.args.iter();
    let named = words.find(|word| *word == "--home").and_then(|_| words.next()).map(PathBuf::from);
    if let Ok(home) = surroundings.home(named.as_deref())
        && home.root().is_dir()
    {
        Log::new(&home, "?").write("the command line is not understood; `subcortex hook --help` shows it");
    }
    ExitCode::Done
}

fn handle(surroundings: &Surroundings, home: &Home, args: &Hook) -> Result<(), String> {
    let disk: Arc<dyn Disk> = Arc::new(RealDisk);
    let input = read_input()?;
    let call = Call {
        event: &args.event,
        agents: args.agent.as_ref().map_or(AGENTS, |AgentName(agent)| std::slice::from_ref(agent)),
        input: &input,
        // The program's hooks are not called in its shells: there the agent calls, or a program that it started.
        entrypoint: surroundings.agent_shell.and(Some(AGENTS_SHELL)).or(surroundings.entrypoint.as_deref()),
        own_dirs: vec![home.root().to_owned()],
    };
    let mut news = drafts(&*disk, &call).map_err(|problem| problem.to_string())?;
    if args.event == "SessionStart" {
        // The agent gets what it needs to know, whatever is wrong with what it might ask.
        let (question, trouble) = match asking::question(surroundings, home, &input) {
            Ok(question) => (question, None),
            Err(why) => (None, Some(why)),
        };
        let injected = if args.inject {
            injection(&*disk, &call, &home.broadcast(), question.as_deref())
                .map_err(|problem| problem.to_string())?
        } else {
            None
        };
        let answer = match injected {
            Some(injected) => {
                news.push(injected.draft);
                Some(injected.answer)
            }
            None => pointers_answer(&*disk, &call, &home.broadcast(), question.as_deref()),
        };
        if let Some(answer) = answer {
            std::io::stdout()
                .lock()
                .write_all(answer.as_bytes())
                .map_err(|error| format!("what the agent is to know could not be handed over: {error}"))?;
        }
        if let Some(why) = trouble {
            Log::new(home, &args.event).write(&format!("nothing is asked: {why}"));
        }
    }
    if news.is_empty() {
        return Ok(());
    }
    let mut spine = Spine::new(disk, home.spine(), surroundings.boot_id.clone());
    // Not synced: that would cost the agent a disk's time, and what a power cut takes stands in the transcript.
    spine.append(news, Timestamp::now(), Durability::Written).map_err(|error| error.to_string())?;
    Ok(())
}

fn read_input() -> Result<Vec<u8>, String> {
    let mut input = Vec::new();
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(input);
    }
    stdin
        .lock()
        .take(MAX_INPUT_BYTES + 1)
        .read_to_end(&mut input)
        .map_err(|error| format!("standard input cannot be read: {error}"))?;
    if input.len() as u64 > MAX_INPUT_BYTES {
        return Err(format!("the input is longer than {MAX_INPUT_BYTES} bytes"));
    }
    Ok(input)
}

/// Where trouble is noted.
#[derive(Debug, Clone)]
struct Log {
    path: PathBuf,
    event: String,
}

impl Log {
    fn new(home: &Home, event: &str) -> Self {
        // Anything may stand where the name is expected. Redacted first: half a secret has no form.
        let event = Redactor::new().text(event).chars().take(MAX_SHOWN_EVENT_CHARS).collect();
        Self { path: home.hooks_log(), event }
    }

    /// Ends the process, well, when it takes too long.
    fn give_up_in_time(&self) {
        let log = self.clone();
        // Without the thread the call is merely not watched.
        drop(std::thread::Builder::new().spawn(move || {
            std::thread::sleep(MAX_DURATION);
            log.write(&format!("gave up after {} s", MAX_DURATION.as_secs()));
            std::process::exit(0);
        }));
    }

    /// Writes one line. If that fails too, nobody can be told.
    fn write(&self, why: &str) {
        let why = Redactor::new().text(why).into_owned();
        let now = Timestamp::now();
        let line = format!(
            "{now:.3} WARN  hook failed  event={} error={}\n",
            escape_for_display(&self.event),
            escape_for_display(&why.replace('\n', " "))
        );
        drop(self.append(line.as_bytes()));
    }

    fn append(&self, line: &[u8]) -> std::io::Result<()> {
        let disk = RealDisk;
        if disk.stat(&self.path).is_ok_and(|stat| stat.len + line.len() as u64 > MAX_LOG_BYTES) {
            disk.rename(&self.path, &self.path.with_file_name("hooks.1.log"))?;
        }
        disk.open(&self.path, OpenMode::Append)?.write(line).map(drop)
    }
}
