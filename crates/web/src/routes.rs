//! From a request to its row, and from the row to an answer: first who asks, then what is asked, then the deed.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::RequestExt as _;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use serde_json::{Map, Value};

use crate::answer::dressed;
use crate::guard::lets_in;
use crate::workers::UNAUTHORIZED;
use crate::{Answer, Call, Fault, Field, Holds, PageKey, Rights, Route, Takes, Verb, Workers};

/// The longest request, in bytes: the longest scratchpad with every character escaped, and some room.
const MAX_BODY_BYTES: usize = 256 * 1024;

/// What one listener serves.
#[derive(Debug, Clone)]
pub struct Site {
    /// Every route there is.
    pub routes: Vec<Route>,
    /// Who is at work.
    pub workers: Arc<dyn Workers>,
    /// What the person shows; without one, no route of theirs lets anybody in.
    pub key: Option<PageKey>,
}

/// What is known of a connection once somebody has spoken on it.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Whether somebody with a token speaks there.
    pub(crate) has_token: AtomicBool,
    /// Whether it carries a stream, which may last.
    pub(crate) is_stream: AtomicBool,
    /// The addresses of its two ends: theirs, and ours.
    pub(crate) ends: Option<(SocketAddr, SocketAddr)>,
}

/// All routes; which connection a request came on stands in its extensions.
pub(crate) fn router(site: &Arc<Site>) -> Router {
    let mut router = Router::new();
    for row in &site.routes {
        let filter = match row.verb {
            Verb::Get => MethodFilter::GET,
            Verb::Post => MethodFilter::POST,
        };
        let (path, row, site) = (row.path, Arc::new(row.clone()), Arc::clone(site));
        let serve = move |request: Request| {
            let (row, site) = (Arc::clone(&row), Arc::clone(&site));
            async move { dressed(serve_row(&row, &site, request).await) }
        };
        router = router.route(path, on(filter, serve));
    }
    let site = Arc::clone(site);
    let nothing = move |request: Request| {
        let response = nothing_here(&site, &request);
        async move { dressed(response) }
    };
    router.fallback(nothing.clone()).method_not_allowed_fallback(nothing)
}

/// Who asks comes before what is asked: nobody else's body is read.
async fn serve_row(row: &Route, site: &Site, mut request: Request) -> Response {
    if !lets_in(request.headers(), row.rights, &*site.workers, site.key) {
        return unauthorized();
    }
    let known = request.extensions().get::<Arc<Known>>().map(Arc::clone).unwrap_or_default();
    let is_a_run = || known.ends.is_none_or(|(peer, here)| site.workers.hold(peer, here));
    if row.rights == Rights::Person && is_a_run() {
        return unauthorized();
    }
    if row.rights != Rights::Anybody {
        known.has_token.store(true, Ordering::Relaxed);
    }
    let places = request.extract_parts::<Path<BTreeMap<String, String>>>().await;
    let (parts, body) = request.into_parts();
    let call = match call(row, &parts, body).await {
        Ok(call) => Call { places: places.map(|Path(places)| places).unwrap_or_default(), ..call },
        Err(refused) => return refused,
    };
    let answer = (row.handler)(call).await;
    if matches!(answer, Answer::Stream(_)) {
        known.is_stream.store(true, Ordering::Relaxed);
    }
    answer.into_response()
}

/// What is asked, as far as it is what the row takes.
async fn call(row: &Route, parts: &Parts, body: Body) -> Result<Call, Response> {
    let unfit = |why: String| Answer::Refused(Fault::Unfit, why).into_response();
    let query = query(row.query, parts.uri.query().unwrap_or_default()).map_err(unfit)?;
    let mut call = Call { query, headers: parts.headers.clone(), ..Call::default() };
    if row.verb == Verb::Get {
        return Ok(call);
    }
    let too_long = (StatusCode::PAYLOAD_TOO_LARGE, format!("a body may have {MAX_BODY_BYTES} bytes"));
    call.body = to_bytes(body, MAX_BODY_BYTES).await.map_err(|_| too_long.into_response())?;
    call.object = match row.takes {
        Takes::Raw => Map::new(),
        Takes::Nothing => object(&[], &call).map_err(unfit)?,
        Takes::Object(fields) => object(fields, &call).map_err(unfit)?,
    };
    Ok(call)
}

fn query(fields: &[Field], text: &str) -> Result<Map<String, Value>, String> {
    let mut found = Map::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        let field = field(fields, &name)?;
        let value = match field.holds {
            Holds::Text => Value::from(value.into_owned()),
            Holds::Number => value
                .parse::<u64>()
                .map(Value::from)
                .map_err(|_| format!("`{}` must be a number", field.name))?,
        };
        if found.insert(field.name.to_owned(), value).is_some() {
            return Err(format!("`{}` is given twice", field.name));
        }
    }
    Ok(found)
}

/// The fields of a body. Only JSON that says so: what a form of a foreign page can send is never taken.
fn object(fields: &[Field], call: &Call) -> Result<Map<String, Value>, String> {
    if call.body.is_empty() && fields.iter().all(|field| !field.required) {
        return Ok(Map::new());
    }
    let kind = call.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("application/json")) {
        return Err("the content type must be application/json".into());
    }
    let found: Map<String, Value> = serde_json::from_slice(&call.body)
        .map_err(|error| format!("the body must be a JSON object: {error}"))?;
    for (name, value) in &found {
        let field = field(fields, name)?;
        let fits = match field.holds {
            Holds::Text => value.is_string(),
            Holds::Number => value.is_u64(),
        };
        if !fits {
            let what = match field.holds {
                Holds::Text => "a text",
                Holds::Number => "a number",
            };
            return Err(format!("`{name}` must be {what}"));
        }
    }
    match fields.iter().find(|field| field.required && !found.contains_key(field.name)) {
        Some(missing) => Err(format!("`{}` is missing", missing.name)),
        None => Ok(found),
    }
}

fn field<'f>(fields: &'f [Field], name: &str) -> Result<&'f Field, String> {
    fields.iter().find(|field| field.name == name).ok_or_else(|| {
        let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
        format!("`{}` is not known here; known are: {}", name.escape_debug(), known.join(", "))
    })
}

fn unauthorized() -> Response {
    (StatusCode::FORBIDDEN, UNAUTHORIZED).into_response()
}

/// Only who has a token learns what is not there.
fn nothing_here(site: &Site, request: &Request) -> Response {
    let lets_in = |rights| lets_in(request.headers(), rights, &*site.workers, site.key);
    if lets_in(Rights::Worker) {
        return (StatusCode::NOT_FOUND, "404 nothing is here; see GET /whoami/actions").into_response();
    }
    if lets_in(Rights::Person) {
        let why = "nothing is here; see GET /api/v1/openapi.json".to_owned();
        return Answer::Refused(Fault::Missing, why).into_response();
    }
    unauthorized()
}
