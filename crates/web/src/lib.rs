//! What workers reach over HTTP, on loopback only.
//!
//! | route | what it answers |
//! |---|---|
//! | `GET /whoami` | who the worker is, what it may do, and its scratchpad, as Markdown |
//! | `GET /whoami/actions` | what it can do here, as JSON |
//! | `GET /whoami/actions/update_scratchpad` | how that is done, as JSON |
//! | `POST /whoami/actions/update_scratchpad` | replaces the free text of its own scratchpad, its goals, pending actions or current task |
//!
//! A worker shows the token of its run (`Authorization: Bearer …`, from `$SUBCORTEX_TOKEN`). The token says who it is, so
//! there is no way to name another worker. Whoever has no valid one gets `403 Unauthorized`, on every route, and so does
//! a request that a web page could have made: one for another host, or with an origin.
//!
//! The body of the `POST` is the text as `text/plain`, or an object with some of `scratchpad` (or `content`, which is the
//! same), `goals`, `pending_actions` and `current_task` as `application/json`, or the texts among them as a form
//! (`application/x-www-form-urlencoded`). Every other content type, and every other key, is refused.

mod body;
mod guard;
mod routes;
mod serve;

use std::fmt::Debug;

use serde_json::{Map, Value};
pub use serve::serve;

/// Those who are at work, known by the tokens of their runs.
pub trait Workers: Debug + Send + Sync + 'static {
    /// Who the worker is; `None` when nobody has this token.
    fn whoami(&self, token: &str) -> Option<String>;

    /// Changes what these keys name of the worker's own scratchpad; says what it is told.
    fn update_scratchpad(&self, token: &str, wanted: Map<String, Value>) -> Result<&'static str, Refusal>;
}

/// Why a scratchpad was not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody has this token.
    Unauthorized,
    /// What is wanted cannot be taken, and why.
    Unfit(String),
    /// It could not be kept, and why.
    NotKept(String),
}
