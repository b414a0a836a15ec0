//! The routes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use crate::{Refusal, Workers, body, guard};

/// The longest request, in bytes: the longest scratchpad with every character escaped, and some room.
pub(crate) const MAX_BODY_BYTES: usize = 256 * 1024;
/// What everyone is told who is not the worker.
const UNAUTHORIZED: &str = "403 Unauthorized";
/// The longest text of a scratchpad, in characters, for the description; the scratchpad itself holds to it.
const MAX_TEXT_CHARS: usize = 10_000;

type Everyone = Arc<dyn Workers>;

/// The routes of one connection; the flag is set when a worker has shown its token there.
pub(crate) fn router(workers: Everyone, is_known: Arc<AtomicBool>) -> Router {
    let door = (Arc::clone(&workers), is_known);
    Router::new()
        .route("/whoami", get(whoami))
        .route("/whoami/actions", get(actions))
        .route("/whoami/actions/update_scratchpad", get(describe).post(update_scratchpad))
        .fallback(nothing_here)
        .method_not_allowed_fallback(nothing_here)
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(from_fn_with_state(door, let_workers_in))
        .with_state(workers)
}

/// Who asks comes before what is asked: nobody else's body is read.
async fn let_workers_in(
    State((workers, is_known)): State<(Everyone, Arc<AtomicBool>)>,
    request: Request,
    next: Next,
) -> Response {
    if page(&workers, request.headers()).is_none() {
        return unauthorized();
    }
    is_known.store(true, Ordering::Relaxed);
    next.run(request).await
}

fn unauthorized() -> Response {
    (StatusCode::FORBIDDEN, UNAUTHORIZED).into_response()
}

fn as_json(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// The worker's own page, if its token is valid.
fn page(workers: &Everyone, headers: &HeaderMap) -> Option<String> {
    workers.whoami(guard::token(headers)?)
}

async fn whoami(State(workers): State<Everyone>, headers: HeaderMap) -> Response {
    // The run may have ended since it was let in.
    match page(&workers, &headers) {
        Some(page) => ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], page).into_response(),
        None => unauthorized(),
    }
}

fn action() -> Value {
    json!({
        "name": "update_scratchpad",
        "method": "POST",
        "path": "/whoami/actions/update_scratchpad",
        "description": "Replaces the free text of your own scratchpad, your goals, pending actions or current task: what is not named stays. \
                        An empty text clears it.",
        "content_types": ["application/json", "application/x-www-form-urlencoded", "text/plain"],
        "body": {
            "scratchpad": { "type": "string", "max_length": MAX_TEXT_CHARS, "also": "content" },
            "goals": { "type": "array" },
            "pending_actions": { "type": "array" },
            "current_task": {},
        },
    })
}

async fn actions() -> Response {
    as_json(&json!({ "actions": [action()] }))
}

async fn describe() -> Response {
    as_json(&action())
}

async fn update_scratchpad(State(workers): State<Everyone>, headers: HeaderMap, body: Bytes) -> Response {
    let Some(token) = guard::token(&headers) else { return unauthorized() };
    let wanted = match body::wanted(&headers, &body) {
        Ok(wanted) => wanted,
        Err(not_taken) => return not_taken.into_response(),
    };
    match workers.update_scratchpad(token, wanted) {
        Ok(said) => said.into_response(),
        Err(Refusal::Unauthorized) => unauthorized(),
        Err(Refusal::Unfit(why)) => (StatusCode::BAD_REQUEST, why).into_response(),
        Err(Refusal::NotKept(why)) => (StatusCode::INTERNAL_SERVER_ERROR, why).into_response(),
    }
}

async fn nothing_here() -> Response {
    (StatusCode::NOT_FOUND, "404 nothing is here; see GET /whoami/actions").into_response()
}
