//! A model that says what a test tells it to, behind the interfaces that the real agents speak, on loopback.
//!
//! `POST /v1/messages` streams as Claude Code expects it, `POST /v1/responses` as Codex does. Each request is answered by
//! the script, which sees the whole request and how many answers of tools it holds.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// What the model says next.
pub(crate) enum Turn {
    Say(&'static str),
    /// Words in front of it, the tool's name, its input.
    Call(&'static str, &'static str, Value),
}

/// Sees the request and the number of tool answers in it.
pub(crate) type Script = fn(&Value, usize) -> Turn;

/// The server; it lives as long as the test.
pub(crate) struct Model {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Model {
    pub(crate) fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                // A client that goes away in the middle is no failure of the test.
                std::thread::spawn(move || drop(answer(stream, script, &kept)));
            }
        });
        Self { port, requests }
    }

    /// The bodies of all requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn answer(stream: TcpStream, script: Script, kept: &Mutex<Vec<String>>) -> std::io::Result<()> {
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
        kept.lock().unwrap().push(String::from_utf8_lossy(&body).into_owned());
        let turn = script(&request, count(&request["messages"], "tool_result"));
        send(stream, "text/event-stream", &events(&anthropic(&request, turn)))
    } else if is_post && path.ends_with("/responses") {
        kept.lock().unwrap().push(String::from_utf8_lossy(&body).into_owned());
        let turn = script(&request, count(&request["input"], "function_call_output"));
        send(stream, "text/event-stream", &events(&openai(turn)))
    } else {
        send(stream, "application/json", r#"{"object":"list","data":[],"models":[],"input_tokens":1}"#)
    }
}

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

fn send(mut stream: TcpStream, content_type: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
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

fn anthropic(request: &Value, turn: Turn) -> Vec<Value> {
    let usage = json!({"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1});
    let message = json!({"id": fresh("msg"), "type": "message", "role": "assistant", "model": request["model"],
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage});
    let mut out = vec![json!({"type": "message_start", "message": message})];
    let mut blocks = Vec::new();
    let stop = match turn {
        Turn::Say(text) => {
            blocks.push((json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text})));
            "end_turn"
        }
        Turn::Call(text, name, input) => {
            if !text.is_empty() {
                blocks
                    .push((json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text})));
            }
            blocks.push((
                json!({"type": "tool_use", "id": fresh("toolu"), "name": name, "input": {}}),
                json!({"type": "input_json_delta", "partial_json": input.to_string()}),
            ));
            "tool_use"
        }
    };
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

fn openai(turn: Turn) -> Vec<Value> {
    let item = match turn {
        Turn::Say(text) => {
            json!({"type": "message", "id": fresh("msg"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]})
        }
        Turn::Call(_, name, input) => {
            json!({"type": "function_call", "id": fresh("fc"), "call_id": fresh("call"),
            "name": name, "arguments": input.to_string(), "status": "completed"})
        }
    };
    let id = fresh("resp");
    let usage = json!({"input_tokens": 10, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 30});
    vec![
        json!({"type": "response.created", "response": {"id": id, "object": "response", "status": "in_progress", "output": []}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed",
            "response": {"id": id, "object": "response", "status": "completed", "output": [item], "usage": usage}}),
    ]
}
