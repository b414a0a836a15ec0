//! A stand-in for an endpoint: a server on a real socket that follows a script, one for each connection.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// What the server does next.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Sends these bytes.
    Say(Vec<u8>),
    /// Sends these bytes one by one.
    Spell(Vec<u8>),
    /// Sends these bytes again and again, until the other side has gone.
    Repeat(Vec<u8>),
    /// Does nothing, until the other side has gone.
    Hang,
}

/// What a connection does, until it is closed.
pub(crate) type Script = Vec<Step>;

/// A request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: serde_json::Value,
}

impl Request {
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(": "));
        fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

pub(crate) struct Server {
    pub(crate) base_url: String,
    requests: Arc<Mutex<Vec<Request>>>,
    gone: mpsc::UnboundedReceiver<()>,
    hanging: mpsc::UnboundedReceiver<()>,
}

impl Server {
    pub(crate) async fn following(scripts: Vec<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (tell_gone, gone) = mpsc::unbounded_channel();
        let (tell_hanging, hanging) = mpsc::unbounded_channel();
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut scripts = scripts.into_iter();
            while let Ok((mut stream, _)) = listener.accept().await {
                // A connection beyond the script is closed after its request was noted.
                let script = scripts.next().unwrap_or_default();
                let (seen, gone, hanging) = (Arc::clone(&seen), tell_gone.clone(), tell_hanging.clone());
                tokio::spawn(async move {
                    let is_over = match read_request(&mut stream).await {
                        Some(request) => {
                            seen.lock().unwrap().push(request);
                            follow(&mut stream, script, &hanging).await.is_ok()
                        }
                        None => false,
                    };
                    if !is_over {
                        let _ = gone.send(());
                    }
                });
            }
        });
        Self { base_url, requests, gone, hanging }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// Waits until a connection has come to [`Step::Hang`].
    pub(crate) async fn hanging(&mut self) {
        self.hanging.recv().await.unwrap();
    }

    /// Waits until the other side has closed a connection before its script was over.
    pub(crate) async fn gone(&mut self) {
        self.gone.recv().await.unwrap();
    }
}

/// Whether the other side has gone before the script was over is told as an error.
async fn follow(
    stream: &mut TcpStream,
    script: Script,
    hanging: &mpsc::UnboundedSender<()>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    for step in script {
        match step {
            Step::Say(bytes) => stream.write_all(&bytes).await?,
            Step::Spell(bytes) => {
                for byte in bytes {
                    stream.write_all(&[byte]).await?;
                    tokio::task::yield_now().await;
                }
            }
            Step::Repeat(bytes) => loop {
                stream.write_all(&bytes).await?;
            },
            Step::Hang => {
                let _ = hanging.send(());
                let read = stream.read(&mut [0; 1]).await;
                assert!(!matches!(read, Ok(1..)), "more than one request on a connection");
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
    stream.shutdown().await
}

async fn read_request(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut request = Request { head, body: serde_json::Value::Null };
    let len: usize = request.header("content-length").map_or(0, |len| len.parse().unwrap());
    while bytes.len() < head_end + len {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    request.body = serde_json::from_slice(&bytes[head_end..head_end + len]).unwrap_or_default();
    Some(request)
}

/// A response with all of its body.
pub(crate) fn response(status: u16, headers: &str, body: &str) -> Script {
    let len = body.len();
    let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {len}\r\n{headers}\r\n");
    vec![Step::Say(format!("{head}{body}").into_bytes())]
}

/// The head of a stream of events that ends with the connection.
pub(crate) fn stream_head() -> Step {
    Step::Say(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_vec())
}

/// A stream of events that ends with the connection.
pub(crate) fn stream(events: &str) -> Script {
    vec![stream_head(), Step::Say(events.as_bytes().to_vec())]
}

/// A stream of events in one chunk, after which the connection is closed without the chunk that ends it.
pub(crate) fn torn_chunks(events: &str) -> Script {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    vec![Step::Say(format!("{head}{:x}\r\n{events}\r\n", events.len()).into_bytes())]
}
