//! Lines that are no JSON are answered.
//!
//! The library passes over them in silence; a client that made a mistake would wait for ever. So what comes in is looked at on its
//! way: for each line that is no JSON the client is told so (`-32700`, with `"id": null`, since no request is known), and the
//! connection goes on. The library leaves such an `id` out, so that line is written beside it, between two of its own.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{AsyncRwTransport, DEFAULT_MAX_LINE_LENGTH};
use serde::de::IgnoredAny;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// What some programs put in front of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A connection whose broken lines are answered.
pub(crate) struct Answering<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> {
    lines: AsyncRwTransport<RoleServer, Watched<R>, Output<W>>,
    output: Output<W>,
    broken: UnboundedReceiver<&'static str>,
}

impl<R, W> Answering<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W) -> Self {
        let (told, broken) = unbounded_channel();
        let input = Watched { input, line: Vec::new(), is_too_long: false, told };
        let output = Output(Arc::new(Mutex::new(Written { output, is_mid_line: false, beside: Vec::new() })));
        Self { lines: AsyncRwTransport::new(input, output.clone()), output, broken }
    }
}

impl<R, W> Transport<RoleServer> for Answering<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let output = &self.output;
            tokio::select! {
                biased;
                Some(why) = self.broken.recv() => output.held().beside.extend(parse_error(why)),
                written = poll_fn(|context| output.held().poll_beside(context)), if output.is_behind() => {
                    written.ok()?;
                }
                message = self.lines.receive() => {
                    if message.is_some() {
                        return message;
                    }
                    if self.broken.is_empty() {
                        poll_fn(|context| output.held().poll_beside(context)).await.ok()?;
                        return None;
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close().await
    }
}

/// The answer to a line that nobody can read.
fn parse_error(why: &str) -> Vec<u8> {
    let error = ErrorData::parse_error(why.to_owned(), None);
    format!("{}\n", serde_json::json!({"jsonrpc": "2.0", "id": null, "error": error})).into_bytes()
}

/// The output, which the library and we write.
struct Output<W>(Arc<Mutex<Written<W>>>);

impl<W> Clone for Output<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W> Output<W> {
    fn held(&self) -> MutexGuard<'_, Written<W>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_behind(&self) -> bool {
        !self.held().beside.is_empty()
    }
}

struct Written<W> {
    output: W,
    /// Whether the library has written a part of a line.
    is_mid_line: bool,
    /// Our own lines that are still to be written.
    beside: Vec<u8>,
}

impl<W: AsyncWrite + Unpin> Written<W> {
    /// Writes our own lines, unless the library is in the middle of one of its own: it comes back here when that is whole.
    fn poll_beside(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.beside.is_empty() || self.is_mid_line {
            return Poll::Ready(Ok(()));
        }
        while !self.beside.is_empty() {
            let written = ready!(Pin::new(&mut self.output).poll_write(context, &self.beside))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.beside.drain(..written);
        }
        Pin::new(&mut self.output).poll_flush(context)
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Output<W> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut held = self.held();
        ready!(held.poll_beside(context))?;
        let written = ready!(Pin::new(&mut held.output).poll_write(context, bytes))?;
        if let Some(last) = bytes.get(..written).and_then(<[u8]>::last) {
            held.is_mid_line = *last != b'\n';
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut held = self.held();
        ready!(held.poll_beside(context))?;
        Pin::new(&mut held.output).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut held = self.held();
        ready!(held.poll_beside(context))?;
        Pin::new(&mut held.output).poll_shutdown(context)
    }
}

/// Input, looked at line by line while it is read.
struct Watched<R> {
    input: R,
    /// The line so far.
    line: Vec<u8>,
    is_too_long: bool,
    told: UnboundedSender<&'static str>,
}

impl<R> Watched<R> {
    fn see(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_over = piece.ends_with(b"\n");
            self.is_too_long |= self.line.len() + piece.len() > DEFAULT_MAX_LINE_LENGTH;
            if self.is_too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(piece);
            }
            if is_over {
                self.judge();
                self.line.clear();
                self.is_too_long = false;
            }
        }
    }

    fn judge(&self) {
        let line = self.line.trim_ascii();
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let why = if self.is_too_long {
            "this line is too long"
        } else if !line.is_empty() && serde_json::from_slice::<IgnoredAny>(line).is_err() {
            "this line is no JSON"
        } else {
            return;
        };
        let _gone = self.told.send(why); // nobody listens only once the connection is over
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.input).poll_read(context, buffer))?;
        let new = buffer.filled().get(before..).unwrap_or_default();
        self.see(new);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Value;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

    use crate::{Call, Tools, serve_on};

    struct Nobody;

    impl Tools for Nobody {
        fn answer(&self, _: Call) -> Result<Value, String> {
            Ok(Value::Null)
        }
    }

    #[tokio::test]
    async fn a_line_that_is_no_json_is_answered_and_the_next_request_as_well() {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let serving = tokio::spawn(serve_on(read, write, Arc::new(Nobody)));
        let (read, mut write) = tokio::io::split(ours);
        let mut answers = BufReader::new(read).lines();
        let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
        write.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
        assert!(answers.next_line().await.unwrap().unwrap().contains("\"id\":1"));
        write.write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await.unwrap();
        for broken in ["{\"jsonrpc\": \"2.0\", \"id\": 2,\n", "hello\n", "\u{0}\u{0}\n"] {
            write.write_all(broken.as_bytes()).await.unwrap();
            let said: Value = serde_json::from_str(&answers.next_line().await.unwrap().unwrap()).unwrap();
            assert_eq!(said["error"]["code"], -32700, "{broken:?}: {said}");
            assert_eq!(said.get("id"), Some(&Value::Null), "{broken:?}: {said}");
        }
        write.write_all(b"\n\r\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n").await.unwrap();
        let said = answers.next_line().await.unwrap().unwrap();
        assert!(said.contains("\"id\":3") && !said.contains("error"), "{said}");
        write.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"nope\"}\n").await.unwrap();
        let said: Value = serde_json::from_str(&answers.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!((&said["id"], &said["error"]["code"]), (&4.into(), &(-32601).into()), "{said}");
        let why = said["error"]["message"].as_str().unwrap();
        assert!(why.contains("no method `nope`"), "{why}");
        drop((answers, write));
        serving.await.unwrap().unwrap();
    }
}
