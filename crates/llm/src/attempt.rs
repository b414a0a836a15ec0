//! One attempt to have a question answered: one request, one answer read to its end.

use std::ops::Deref;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{RequestBuilder, Response};
use subcortex_mind::{Question, Reply};
use tokio::time::timeout;

use crate::answer::{Answer, Trouble};
use crate::setback::{Setback, Site};
use crate::wire::{self, Shape};
use crate::{Wire, backoff, http, sse};

/// The most that is read of one answer with all that is around its text, in bytes. A stream says a hundred bytes and
/// more about every token.
pub(crate) const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;
/// The most that is read of what is said about an error, in bytes.
const MAX_COMPLAINT_BYTES: usize = 8 * 1024;
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Why reading stopped before the answer was whole.
enum Break {
    Silent,
    BrokenOff(String),
    Trouble(Trouble),
}

impl From<Trouble> for Break {
    fn from(trouble: Trouble) -> Self {
        Self::Trouble(trouble)
    }
}

/// Asks once.
pub(crate) async fn attempt(
    site: &Site,
    http: &reqwest::Client,
    question: &Question,
    shape: Shape,
) -> Result<Reply, Setback> {
    let request = request(site, http, question, shape);
    let response = match timeout(silence(site), request.send()).await {
        Err(_) => return Err(site.silent()),
        Ok(Err(error)) if error.is_connect() => return Err(site.no_connection(&http::innermost(&error))),
        Ok(Err(error)) => return Err(site.broken_off(&http::innermost(&error))),
        Ok(Ok(response)) => response,
    };
    if response.status() != 200 {
        return Err(complaint(site, response).await);
    }
    let mut answer = Answer::default();
    let read = read(site, response, &mut answer).await;
    let usage = answer.usage(question.len_bytes());
    read.map_err(|why| {
        let setback = match why {
            Break::Silent => site.silent(),
            Break::BrokenOff(why) => site.broken_off(&why),
            Break::Trouble(trouble) => site.trouble(&trouble),
        };
        setback.having_used(usage)
    })?;
    let model = if answer.model.is_empty() { site.endpoint.model.clone() } else { site.shown(&answer.model) };
    let is_cut = wire::is_cut(site.endpoint.wire, &answer, question);
    Ok(Reply { text: answer.text, model, usage, cost_usd: answer.cost_usd, is_cut })
}

fn silence(site: &Site) -> Duration {
    Duration::from_millis(site.endpoint.silence_ms)
}

fn request(site: &Site, http: &reqwest::Client, question: &Question, shape: Shape) -> RequestBuilder {
    let body = wire::body(site.endpoint.wire, &site.endpoint.model, question, shape);
    let mut request = http
        .post(site.address.url.clone())
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "text/event-stream, application/json")
        .body(body.to_string());
    if site.endpoint.wire == Wire::Anthropic {
        request = request.header("anthropic-version", ANTHROPIC_VERSION);
    }
    let Some(key) = &site.endpoint.key else { return request };
    let (name, value) = match site.endpoint.wire {
        Wire::Anthropic => ("x-api-key", key.reveal().to_owned()),
        Wire::OpenAiChat | Wire::OpenAiResponses => {
            (AUTHORIZATION.as_str(), format!("Bearer {}", key.reveal()))
        }
    };
    // A key is of visible ASCII, which every header takes.
    let Ok(mut value) = HeaderValue::from_str(&value) else { return request };
    value.set_sensitive(true);
    request.header(name, value)
}

/// What the other side says about a request that it did not answer.
async fn complaint(site: &Site, mut response: Response) -> Setback {
    let status = response.status();
    let wait = backoff::told(response.headers());
    let location = response
        .headers()
        .get(LOCATION)
        .map(|location| String::from_utf8_lossy(location.as_bytes()).into_owned());
    let mut body = Vec::new();
    while body.len() < MAX_COMPLAINT_BYTES {
        match timeout(silence(site), response.chunk()).await {
            Ok(Ok(Some(piece))) => body.extend_from_slice(&piece),
            // The status says the most; a body that does not come is done without.
            Ok(Ok(None) | Err(_)) | Err(_) => break,
        }
    }
    body.truncate(MAX_COMPLAINT_BYTES);
    if status.is_success() {
        return site.trouble(&Trouble::Nonsense(format!("status {status}")));
    }
    let reason = match location.filter(|_| status.is_redirection()) {
        Some(location) => format!("to {location}"),
        None => wire::reason(&String::from_utf8_lossy(&body)),
    };
    Setback { wait, ..site.status(status.as_u16(), &reason) }
}

async fn read(site: &Site, response: Response, answer: &mut Answer) -> Result<(), Break> {
    let content_type = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    if content_type.to_ascii_lowercase().starts_with(b"application/json") {
        read_whole(site, response, answer).await
    } else {
        read_stream(site, response, answer).await
    }
}

async fn read_whole(site: &Site, mut response: Response, answer: &mut Answer) -> Result<(), Break> {
    let mut body = Vec::new();
    while let Some(piece) = piece(site, &mut response).await? {
        if body.len() + piece.len() > sse::MAX_EVENT_BYTES {
            return Err(Trouble::TooLong.into());
        }
        body.extend_from_slice(&piece);
    }
    Ok(wire::take_whole(site.endpoint.wire, answer, &body)?)
}

async fn read_stream(site: &Site, mut response: Response, answer: &mut Answer) -> Result<(), Break> {
    let (mut reader, mut events, mut len_bytes) = (sse::Reader::default(), Vec::new(), 0_usize);
    while let Some(piece) = piece(site, &mut response).await? {
        len_bytes = len_bytes.saturating_add(piece.len());
        if len_bytes > MAX_BODY_BYTES {
            return Err(Trouble::TooLong.into());
        }
        let fed = reader.feed(&piece, &mut events);
        for event in events.drain(..) {
            wire::take_event(site.endpoint.wire, answer, &event)?;
            if answer.is_whole {
                return Ok(());
            }
        }
        fed.map_err(|sse::TooLong| Trouble::TooLong)?;
    }
    if answer.has_stopped {
        answer.is_whole = true;
        return Ok(());
    }
    if len_bytes > 0 && !reader.has_seen_field() {
        return Err(Trouble::Nonsense("no stream of events".to_owned()).into());
    }
    Err(Break::BrokenOff("the stream ended early".to_owned()))
}

/// The next bytes of a body; `None` at its end.
async fn piece(
    site: &Site,
    response: &mut Response,
) -> Result<Option<impl Deref<Target = [u8]> + use<>>, Break> {
    match timeout(silence(site), response.chunk()).await {
        Err(_) => Err(Break::Silent),
        Ok(Err(error)) => Err(Break::BrokenOff(http::innermost(&error))),
        Ok(Ok(piece)) => Ok(piece),
    }
}
