//! The interface over a real socket, with two workers and everybody else.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Map, Value};
use subcortex_web::{Refusal, Site, Workers, worker_routes};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Two workers whose tokens are their names.
#[derive(Debug, Default)]
struct Two {
    texts: Mutex<[String; 2]>,
}

impl Two {
    fn place(token: &str) -> Option<usize> {
        ["ann", "ben"].iter().position(|name| *name == token)
    }
}

impl Workers for Two {
    fn whoami(&self, token: &str) -> Option<String> {
        Self::place(token).map(|place| format!("# You are {token}\n{}", self.texts.lock().unwrap()[place]))
    }

    fn hold(&self, _peer: SocketAddr, _here: SocketAddr) -> bool {
        false
    }

    fn update_scratchpad(&self, token: &str, wanted: Map<String, Value>) -> Result<&'static str, Refusal> {
        let place = Self::place(token).ok_or(Refusal::Unauthorized)?;
        let text = wanted.get("scratchpad").or(wanted.get("content")).and_then(Value::as_str);
        let text = text.ok_or(Refusal::Unfit("no text".into()))?;
        if text.len() > 10 {
            return Err(Refusal::Unfit("too long".into()));
        }
        self.texts.lock().unwrap()[place] = text.to_owned();
        Ok("Scratchpad updated successfully.")
    }
}

struct Server {
    port: u16,
    two: Arc<Two>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let two = Arc::new(Two::default());
        let workers: Arc<dyn Workers> = Arc::clone(&two) as _;
        let site = Site { routes: worker_routes(&workers), workers, key: None };
        tokio::spawn(subcortex_web::serve(listener, site));
        Self { port, two }
    }

    async fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // A server that has read enough may close before it has read all.
        drop(stream.read_to_end(&mut answer).await);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The status and the body.
    async fn ask(&self, line: &str, headers: &str, body: &str) -> (u16, String) {
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-length: {length}\r\n{headers}\r\n{body}",
            self.port
        );
        let answer = self.raw(&request).await;
        let status = answer.split(' ').nth(1).unwrap_or_default().parse().unwrap_or(0);
        (status, answer.split_once("\r\n\r\n").unwrap_or_default().1.to_owned())
    }
}

const ANN: &str = "authorization: Bearer ann\r\n";
const UPDATE: &str = "POST /whoami/actions/update_scratchpad";

#[tokio::test]
async fn a_worker_sees_itself_and_changes_its_own_scratchpad() {
    let server = Server::start().await;
    assert_eq!(server.ask("GET /whoami", ANN, "").await, (200, "# You are ann\n".into()));
    let said = (200, "Scratchpad updated successfully.".to_owned());
    assert_eq!(server.ask(UPDATE, ANN, "plain").await, said);
    assert_eq!(server.two.texts.lock().unwrap()[0], "plain");
    let json = format!("{ANN}content-type: application/json; charset=utf-8\r\n");
    assert_eq!(server.ask(UPDATE, &json, r#"{"scratchpad": "json"}"#).await, said);
    assert_eq!(*server.two.texts.lock().unwrap(), ["json".to_owned(), String::new()]);
    assert_eq!(server.ask(UPDATE, ANN, "").await, said);
    assert_eq!(server.two.texts.lock().unwrap()[0], "", "an empty text clears it");
    let (status, actions) = server.ask("GET /whoami/actions", ANN, "").await;
    assert!(status == 200 && actions.contains("update_scratchpad") && actions.contains("10000"), "{actions}");
    assert_eq!(server.ask("GET /whoami/actions/update_scratchpad", ANN, "").await.0, 200);
    assert_eq!(server.ask("GET /else", ANN, "").await.0, 404);
    assert_eq!(server.ask("DELETE /whoami", ANN, "").await.0, 404);
}

#[tokio::test]
async fn a_form_is_read_as_one_and_other_types_are_refused() {
    let server = Server::start().await;
    let typed = |kind: &str| format!("{ANN}content-type: {kind}\r\n");
    let form = typed("application/x-www-form-urlencoded");
    assert_eq!(server.ask(UPDATE, &form, "content=abc+d%C3%BC").await.0, 200);
    assert_eq!(server.two.texts.lock().unwrap()[0], "abc dü");
    assert_eq!(server.ask(UPDATE, &form, "content=a&content=b").await.0, 400);
    assert_eq!(server.ask(UPDATE, &typed("Text/Plain; charset=utf-8"), "plain").await.0, 200);
    for kind in ["multipart/form-data; boundary=x", "application/xml", "application/jsonp", "x", "text/html"]
    {
        let (status, why) = server.ask(UPDATE, &typed(kind), "stored?").await;
        assert!(status == 415 && why.contains("application/json"), "{kind}: {status} {why}");
    }
    let both = format!("{}content-type: text/plain\r\n", typed("application/json"));
    assert_eq!(server.ask(UPDATE, &both, "{}").await.0, 415);
    assert_eq!(server.two.texts.lock().unwrap()[0], "plain");
}

#[tokio::test]
async fn everyone_else_gets_403_on_every_route_and_changes_nothing() {
    let server = Server::start().await;
    let refused = (403, "403 Unauthorized".to_owned());
    let others = [
        "",
        "authorization: Bearer eve\r\n",
        "authorization: Bearer \r\n",
        "authorization: ann\r\n",
        "authorization: Basic ann\r\n",
        "authorization: Bearer ann\r\norigin: http://127.0.0.1\r\n",
        "x-token: ann\r\n",
    ];
    let lines = [
        "GET /whoami",
        "GET /whoami/actions",
        "GET /whoami/actions/update_scratchpad",
        UPDATE,
        "GET /else",
        "PUT /whoami",
    ];
    for headers in others {
        for line in lines {
            assert_eq!(server.ask(line, headers, "x").await, refused, "{line} {headers}");
        }
    }
    let foreign = format!("GET /whoami HTTP/1.1\r\nhost: evil.example\r\n{ANN}\r\n");
    assert!(server.raw(&foreign).await.starts_with("HTTP/1.1 403"));
    assert_eq!(*server.two.texts.lock().unwrap(), [String::new(), String::new()]);
}

#[tokio::test]
async fn garbage_is_refused_and_harms_nobody() {
    let server = Server::start().await;
    let json = format!("{ANN}content-type: application/json\r\n");
    for body in ["", "{", "[]", "{\"scratchpad\": 1}", "{\"text\": \"x\"}"] {
        assert_eq!(server.ask(UPDATE, &json, body).await.0, 400, "{body}");
    }
    assert_eq!(server.ask(UPDATE, ANN, &"x".repeat(11)).await, (400, "too long".into()));
    assert_eq!(server.ask(UPDATE, ANN, &"x".repeat(300 * 1024)).await.0, 413);
    drop(server.raw("\0\0\0\r\n\r\n").await);
    assert_eq!(*server.two.texts.lock().unwrap(), [String::new(), String::new()]);
    assert_eq!(server.ask("GET /whoami", ANN, "").await.0, 200);
}

#[tokio::test]
async fn two_hundred_half_open_heads_keep_no_worker_waiting() {
    let server = Server::start().await;
    let mut half_open = Vec::new();
    for _ in 0..200 {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
        stream.write_all(b"GET /whoami HTTP/1.1\r\nHost: localhost\r\n").await.unwrap();
        half_open.push(stream);
    }
    let request = "GET /whoami HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ann\r\n\r\n";
    let answer = tokio::time::timeout(std::time::Duration::from_secs(4), server.raw(request)).await;
    assert!(answer.expect("answered before any head is given up").starts_with("HTTP/1.1 200"));
    drop(half_open);
}

#[tokio::test]
async fn who_has_no_token_is_told_so_before_a_byte_of_the_body_is_there() {
    let server = Server::start().await;
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let head = "POST /whoami/actions/update_scratchpad HTTP/1.1\r\nHost: localhost\r\n\
                Authorization: Bearer nobody\r\nContent-Length: 200000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    let read = tokio::time::timeout(std::time::Duration::from_secs(20), stream.read_exact(&mut answer)).await;
    read.expect("no body is waited for").unwrap();
    assert_eq!(&answer, b"HTTP/1.1 403");
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused() {
    let server = Server::start().await;
    let head = "POST /whoami/actions/update_scratchpad HTTP/1.1\r\nHost: localhost\r\n\
                Authorization: Bearer ann\r\nContent-Length: 300000\r\n\r\n";
    let answer = server.raw(&format!("{head}{}", "x".repeat(300_000))).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert_eq!(server.two.texts.lock().unwrap()[0], "");
}
