//! `shell`: one program of the allow-list. There is no shell in between.
//!
//! The program runs in the first write root, which also takes its temporary files, and the kernel keeps it and its children from
//! changing files outside of the write roots. Where the kernel cannot, the tool is refused. What else a program can do
//! (read, use the network, change modes and times) is up to whoever put it on the list.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use subcortex_engine::{CommandSpec, Finished, Limits, ProcessEnding};

use super::files::{make_root, on_a_thread};
use super::{Args, Tools, kind_of, string};
use crate::Identity;
use crate::text::one_line;

/// The most arguments of a program.
const MAX_ARGS: usize = 64;
/// How long the arguments are together, in bytes.
const MAX_ARGS_BYTES: usize = 64 * 1024;
/// Time between SIGTERM and SIGKILL when a call takes too long.
const GRACE_MS: u64 = 500;
/// Bytes kept from the beginning, and from the end, of each output stream. All of it fits into the next question.
const OUTPUT_BYTES: usize = 3 * 1024;
/// How much of a refused name a message shows, in characters.
const MAX_SHOWN_CHARS: usize = 60;

pub(super) async fn run(tools: &Tools, identity: &Identity, args: &Args) -> Result<String, String> {
    let (program, args) = called(args)?;
    let program = allowed(identity, &program)?;
    let Some(root) = identity.writes.first() else {
        return Err("there is no folder to run a program in".into());
    };
    let disk = Arc::clone(&tools.disk);
    let roots = identity.writes.clone();
    on_a_thread(move || roots.iter().try_for_each(|root| make_root(disk.as_ref(), root))).await?;
    let spec = spec(tools, identity, program, args, root);
    let finished =
        tools.launcher.launch(spec, tools.cancellation.clone()).await.map_err(|error| error.to_string())?;
    report(&finished, tools.step_limit_ms)
}

/// The program and its arguments, from `program` and `args`, or from the words of `command`.
fn called(args: &Args) -> Result<(String, Vec<OsString>), String> {
    if !args.contains_key("command") {
        return Ok((string(args, "program")?.to_owned(), arguments(args.get("args"))?));
    }
    if args.len() > 1 {
        return Err("give `command` alone, or `program` and `args`".into());
    }
    // Quotes and backslashes as a shell reads them, and nothing else of what a shell does.
    let words = shlex::split(string(args, "command")?).ok_or("`command` has a quote that is not closed")?;
    let mut words = words.into_iter();
    let program = words.next().ok_or("`command` is empty")?;
    Ok((program, arguments(Some(&words.collect()))?))
}

/// The very name that a person allowed; a path would name another program.
fn allowed<'a>(identity: &'a Identity, name: &str) -> Result<&'a str, String> {
    let found = identity.programs.iter().find(|program| *program == name && is_bare_name(program));
    found.map(String::as_str).ok_or_else(|| {
        format!(
            "`{}` is not one of your programs: see What You May Do. Give the name alone in `program`, and each argument in the list `args`",
            one_line(name, MAX_SHOWN_CHARS)
        )
    })
}

fn is_bare_name(program: &str) -> bool {
    !program.is_empty() && !program.contains('/')
}

fn arguments(args: Option<&Value>) -> Result<Vec<OsString>, String> {
    let values = match args {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(values)) => values,
        Some(other) => return Err(format!("`args` must be a list of texts, and is {}", kind_of(other))),
    };
    if values.len() > MAX_ARGS {
        return Err(format!("there are {} arguments, and at most {MAX_ARGS} are taken", values.len()));
    }
    let mut given = Vec::with_capacity(values.len());
    let mut len_bytes = 0;
    for value in values {
        let Value::String(text) = value else {
            return Err(format!("`args` must be a list of texts, and holds {}", kind_of(value)));
        };
        len_bytes += text.len();
        if text.contains('\0') || len_bytes > MAX_ARGS_BYTES {
            return Err(format!("an argument contains NUL, or they are longer than {MAX_ARGS_BYTES} bytes"));
        }
        given.push(text.into());
    }
    Ok(given)
}

fn spec(tools: &Tools, identity: &Identity, program: &str, args: Vec<OsString>, root: &Path) -> CommandSpec {
    let mut env = tools.environment.clone();
    env.insert("TMPDIR".into(), root.into());
    CommandSpec {
        run_id: tools.run_id.clone(),
        program: program.into(),
        args,
        cwd: root.into(),
        env,
        stdin: Vec::new(),
        limits: Limits {
            max_duration_ms: tools.step_limit_ms,
            deadline_grace_ms: GRACE_MS,
            output_head_bytes: OUTPUT_BYTES,
            output_tail_bytes: OUTPUT_BYTES,
        },
        writable: Some(identity.writes.clone()),
    }
}

/// A program that ended by itself has an answer, whatever its exit code is: `grep` says with 1 that nothing was found.
fn report(finished: &Finished, limit_ms: u64) -> Result<String, String> {
    let code = match &finished.ending {
        ProcessEnding::Exited { code } => *code,
        ProcessEnding::Signalled { signal } => {
            return Err(format!("the program was ended by signal {signal}"));
        }
        ProcessEnding::DeadlineReached => {
            return Err(format!("the program was ended: it was not done after {limit_ms} ms"));
        }
        ProcessEnding::Cancelled { reason } => return Err(format!("the program was ended: {reason}")),
    };
    let mut said = format!("exit code {code}");
    for (name, stream) in [("", &finished.stdout), ("standard error:\n", &finished.stderr)] {
        let output = stream.text_lossy();
        if !output.trim().is_empty() {
            said.push('\n');
            said.push_str(name);
            said.push_str(output.trim_end());
        }
    }
    Ok(said)
}
