//! A model that says what a test tells it to, behind the interfaces that the real agents speak, on loopback.
//!
//! `POST /v1/messages` streams as Claude Code expects it, `POST /v1/responses` as Codex does. Each request is answered by
//! the script, which sees the whole request and how many answers of tools it holds.
#![allow(clippy::unwrap_used, reason = "only tests use it, and they stop at the first surprise")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// How long a request is waited for before it is called missing.
const PATIENCE: Duration = Duration::from_secs(300);

/// What the model does next.
#[derive(Debug, Clone)]
pub enum Turn {
    /// Says something and is done.
    Say(&'static str),
    /// Words in front of it, the tool's name, its input.
    Call(&'static str, &'static str, Value),
    /// Refuses with a status.
    Refuse(u16),
    /// Begins to answer, and the connection is gone.
    BreakOff,
    /// Never answers.
    Wait,
}

impl Turn {
    /// Says something that the test made up as it ran.
    pub fn say(text: impl Into<String>) -> Self {
        // A test says little, and its process soon ends.
        Self::Say(Box::leak(text.into().into_boxed_str()))
    }
}

/// Sees the request and the number of tool answers in it.
pub type Script = fn(&Value, usize) -> Turn;

/// The server; it lives as long as the test.
#[derive(Debug)]
pub struct Model {
    /// The port on 127.0.0.1.
    pub port: u16,
    requests: Arc<Requests>,
}

/// The bodies of the requests so far, and whoever waits for the next one.
#[derive(Debug, Default)]
struct Requests {
    bodies: Mutex<Vec<String>>,
    came: Condvar,
}

impl Requests {
    fn keep(&self, body: &[u8]) {
        self.bodies.lock().unwrap().push(String::from_utf8_lossy(body).into_owned());
        self.came.notify_all();
    }
}

impl Model {
    /// Starts a model that follows a script.
    pub fn start(script: impl Fn(&Value, usize) -> Turn + Send + Sync + 'static) -> Self {
        let script = Arc::new(script);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Requests::default());
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, script) = (Arc::clone(&kept), Arc::clone(&script));
                // A client that goes away in the middle is no failure of the test.
                std::thread::spawn(move || drop(answer(stream, &*script, &kept)));
            }
        });
        Self { port, requests }
    }

    /// The bodies of all requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.requests.bodies.lock().unwrap().clone()
    }

    /// Waits until the model has been asked.
    pub fn wait_until_asked(&self) {
        let bodies = self.requests.bodies.lock().unwrap();
        let waiting = self.requests.came.wait_timeout_while(bodies, PATIENCE, |bodies| bodies.is_empty());
        assert!(!waiting.unwrap().1.timed_out(), "the model was never asked");
    }
}

fn answer(
    stream: TcpStream,
    script: &(impl Fn(&Value, usize) -> Turn + ?Sized),
    kept: &Requests,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    reader.read_line(&mut head)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = head.split_whitespace().nth(1).unwrap_or_default();
    let is_post = head.starts_with("POST");
    if is_post && path.starts_with("/v1/messages") && !path.contains("count_tokens") {
        kept.keep(&body);
        let turn = script(&request, count(&request["messages"], "tool_result"));
        follow(stream, turn, |turn| anthropic(&request, turn))
    } else if is_post && path.ends_with("/responses") {
        kept.keep(&body);
        let turn = script(&request, count(&request["input"], "function_call_output"));
        follow(stream, turn, openai)
    } else {
        send(stream, 200, "application/json", r#"{"object":"list","data":[],"models":[],"input_tokens":1}"#)
    }
}

/// Does what the script says; `spoken` puts words and calls into the events of an interface.
fn follow(mut stream: TcpStream, turn: Turn, spoken: impl Fn(Spoken) -> Vec<Value>) -> std::io::Result<()> {
    let said = |say: Spoken| events(&spoken(say));
    match turn {
        Turn::Say(text) => send(stream, 200, EVENTS, &said(Spoken { text, call: None })),
        Turn::Call(text, name, input) => {
            send(stream, 200, EVENTS, &said(Spoken { text, call: Some((name, input)) }))
        }
        Turn::Refuse(status) => {
            let error =
                json!({"type": "error", "error": {"type": "scripted", "message": "as the script says"}});
            send(stream, status, "application/json", &error.to_string())
        }
        Turn::BreakOff => {
            let whole = said(Spoken { text: "never to be ended", call: None });
            // More is announced than comes.
            let head = head(200, EVENTS, whole.len());
            write!(stream, "{head}{}", &whole[..whole.len() / 3])
        }
        // Until the other side gives up.
        Turn::Wait => stream.read(&mut [0]).map(drop),
    }
}

/// What a model says: words, perhaps a call of a tool with its input.
struct Spoken {
    text: &'static str,
    call: Option<(&'static str, Value)>,
}

const EVENTS: &str = "text/event-stream";

/// How many objects of a type there are somewhere in a value.
fn count(value: &Value, kind: &str) -> usize {
    match value {
        Value::Array(items) => items.iter().map(|item| count(item, kind)).sum(),
        Value::Object(fields) => {
            let own = usize::from(fields.get("type").and_then(Value::as_str) == Some(kind));
            own + fields.values().map(|field| count(field, kind)).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn send(mut stream: TcpStream, status: u16, content_type: &str, body: &str) -> std::io::Result<()> {
    write!(stream, "{}{body}", head(status, content_type, body.len()))
}

fn head(status: u16, content_type: &str, length: usize) -> String {
    format!(
        "HTTP/1.1 {status} Scripted\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
}

fn events(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
        .collect()
}

/// A name that no other message of this process has.
fn fresh(prefix: &str) -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}_{:016x}{:08x}", NEXT.fetch_add(1, Ordering::Relaxed), std::process::id())
}

fn anthropic(request: &Value, spoken: Spoken) -> Vec<Value> {
    let usage = json!({"input_tokens": 10, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 1});
    let message = json!({"id": fresh("msg"), "type": "message", "role": "assistant", "model": request["model"],
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage});
    let mut out = vec![json!({"type": "message_start", "message": message})];
    let mut blocks = Vec::new();
    if !spoken.text.is_empty() {
        blocks
            .push((json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": spoken.text})));
    }
    let stop = if spoken.call.is_some() { "tool_use" } else { "end_turn" };
    if let Some((name, input)) = spoken.call {
        blocks.push((
            json!({"type": "tool_use", "id": fresh("toolu"), "name": name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": input.to_string()}),
        ));
    }
    for (index, (block, delta)) in blocks.into_iter().enumerate() {
        out.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        out.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        out.push(json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    out.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 25}}));
    out.push(json!({"type": "message_stop"}));
    out
}

fn openai(spoken: Spoken) -> Vec<Value> {
    let item = match spoken.call {
        None => {
            json!({"type": "message", "id": fresh("msg"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": spoken.text, "annotations": []}]})
        }
        Some((name, input)) => {
            json!({"type": "function_call", "id": fresh("fc"), "call_id": fresh("call"),
            "name": name, "arguments": input.to_string(), "status": "completed"})
        }
    };
    let id = fresh("resp");
    let usage = json!({"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 30});
    vec![
        json!({"type": "response.created", "response": {"id": id, "object": "response", "status": "in_progress", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed",
            "response": {"id": id, "object": "response", "status": "completed", "output": [item], "usage": usage}}),
    ]
}
