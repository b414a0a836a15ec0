//! What a route answers, as HTTP.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;

/// What a page may do: run its own scripts, use its own styles, ask its own server, and nothing else. Markup is never made of
/// text, which browsers that know `trusted-types` enforce.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// Said with every answer.
const ALWAYS: [(header::HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_FRAME_OPTIONS, "DENY"),
];
/// The same for headers that have no name of their own in the library.
const ALWAYS_BY_NAME: [(&str, &str); 2] =
    [("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin")];

/// Why something was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The request cannot be taken.
    Unfit,
    /// There is no such thing.
    Missing,
    /// It does not fit what is there now.
    Conflict,
    /// It cannot be done now; later perhaps.
    NotNow,
    /// It failed.
    Failed,
}

/// What a route answers.
#[derive(Debug)]
pub enum Answer {
    /// A JSON document.
    Json(Value),
    /// A text of this type.
    Text(&'static str, String),
    /// A file of the program.
    File(&'static str, &'static str),
    /// Events as they come, until the sender is dropped or nobody reads any more.
    Stream(Receiver<String>),
    /// It was not done, and why.
    Refused(Fault, String),
    /// Exactly this status and text.
    Plain(u16, String),
}

impl Answer {
    /// A value as a JSON document.
    pub fn json(value: &impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(value) => Self::Json(value),
            Err(error) => Self::Refused(Fault::Failed, error.to_string()),
        }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let typed = |kind: &'static str, body: Body| ([(header::CONTENT_TYPE, kind)], body).into_response();
        match self {
            Self::Json(value) => typed("application/json", Body::from(value.to_string())),
            Self::Text(kind, text) => typed(kind, Body::from(text)),
            Self::File(kind, text) => typed(kind, Body::from(text)),
            Self::Stream(events) => typed("text/event-stream", Body::new(Events(events))),
            Self::Plain(status, text) => {
                (StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), text)
                    .into_response()
            }
            Self::Refused(fault, why) => {
                let status = match fault {
                    Fault::Unfit => StatusCode::BAD_REQUEST,
                    Fault::Missing => StatusCode::NOT_FOUND,
                    Fault::Conflict => StatusCode::CONFLICT,
                    Fault::NotNow => StatusCode::SERVICE_UNAVAILABLE,
                    Fault::Failed => StatusCode::INTERNAL_SERVER_ERROR,
                };
                (status, typed("application/json", Body::from(json!({ "error": why }).to_string())))
                    .into_response()
            }
        }
    }
}

/// Puts what every answer says into one.
pub(crate) fn dressed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for (name, value) in ALWAYS_BY_NAME {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A body that is written as events come.
struct Events(Receiver<String>);

impl http_body::Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|text| Ok(Frame::data(Bytes::from(text)))))
    }
}
