//! What workers reach: their own page and their own scratchpad.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{Answer, Call, Refusal, Rights, Route, Takes, Workers, body};

/// What everyone is told who is not the worker.
pub(crate) const UNAUTHORIZED: &str = "403 Unauthorized";
/// The longest text of a scratchpad, in characters, for the description; the scratchpad itself holds to it.
const MAX_TEXT_CHARS: usize = 10_000;
const UPDATE: &str = "/whoami/actions/update_scratchpad";

/// The rows for workers.
pub fn worker_routes(workers: &Arc<dyn Workers>) -> Vec<Route> {
    let (who, update) = (Arc::clone(workers), Arc::clone(workers));
    let rights = Rights::Worker;
    vec![
        Route::get(
            "/whoami",
            rights,
            "Who the worker is, what it may do, and its scratchpad.",
            move |call| {
                // The run may have ended since it was let in.
                let page = who.whoami(call.token());
                async move {
                    page.map_or_else(unauthorized, |page| Answer::Text("text/markdown; charset=utf-8", page))
                }
            },
        ),
        Route::get("/whoami/actions", rights, "What the worker can do here.", |_| async {
            Answer::Json(json!({ "actions": [action()] }))
        }),
        Route::get(UPDATE, rights, "How its scratchpad is changed.", |_| async { Answer::Json(action()) }),
        Route::post(UPDATE, rights, "Changes the worker's own scratchpad.", move |call| {
            let said = update_scratchpad(&*update, &call);
            async move { said }
        })
        .taking(Takes::Raw),
    ]
}

fn unauthorized() -> Answer {
    Answer::Plain(403, UNAUTHORIZED.into())
}

fn action() -> Value {
    json!({
        "name": "update_scratchpad",
        "method": "POST",
        "path": UPDATE,
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

fn update_scratchpad(workers: &dyn Workers, call: &Call) -> Answer {
    let wanted = match body::wanted(&call.headers, &call.body) {
        Ok(wanted) => wanted,
        Err((status, why)) => return Answer::Plain(status.as_u16(), why),
    };
    match workers.update_scratchpad(call.token(), wanted) {
        Ok(said) => Answer::Text("text/plain; charset=utf-8", said.into()),
        Err(Refusal::Unauthorized) => unauthorized(),
        Err(Refusal::Unfit(why)) => Answer::Plain(400, why),
        Err(Refusal::NotKept(why)) => Answer::Plain(500, why),
    }
}
