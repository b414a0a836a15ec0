//! What is reached over HTTP, on loopback only: a listener, and a table of [`Route`]s that says who may do what.
//!
//! Three kinds of people knock:
//!
//! - **workers**, with the token of their run (`Authorization: Bearer …`, from `$SUBCORTEX_TOKEN`). The token says who they are,
//!   so there is no way to name another worker ([`worker_routes`]):
//!
//!   | route | what it answers |
//!   |---|---|
//!   | `GET /whoami` | who the worker is, what it may do, and its scratchpad, as Markdown |
//!   | `GET /whoami/actions` | what it can do here, as JSON |
//!   | `GET /whoami/actions/update_scratchpad` | how that is done, as JSON |
//!   | `POST /whoami/actions/update_scratchpad` | replaces the free text of its own scratchpad, its goals, pending actions or current task |
//!
//! - **the person** whose home it is, with the token of the page;
//! - **everybody**, on routes that tell nothing of the home.
//!
//! Whoever has no valid token gets `403 Unauthorized`, on every other route and for every other path, before a byte of the body
//! is read. So does a request for another host, and one that a foreign web page made.
//!
//! The body of a worker's `POST` is the text as `text/plain`, or an object with some of `scratchpad` (or `content`, which is the
//! same), `goals`, `pending_actions` and `current_task` as `application/json`, or the texts among them as a form
//! (`application/x-www-form-urlencoded`). Every other content type, and every other key, is refused. A person's `POST` is
//! `application/json`.

mod answer;
mod body;
mod describe;
mod guard;
mod route;
mod routes;
mod serve;
mod workers;

use std::fmt::Debug;
use std::net::SocketAddr;

pub use answer::{Answer, Fault};
pub use describe::openapi;
pub use guard::PageKey;
pub use route::{Call, Field, Holds, Rights, Route, Takes, Verb};
pub use routes::Site;
use serde_json::{Map, Value};
pub use serve::serve;
pub use workers::worker_routes;

/// Those who are at work, known by the tokens of their runs.
pub trait Workers: Debug + Send + Sync + 'static {
    /// Who the worker is; `None` when nobody has this token.
    fn whoami(&self, token: &str) -> Option<String>;

    /// Whether a connection is a run's: the address of its other end, and ours. Who works may have read the person's token.
    fn hold(&self, peer: SocketAddr, here: SocketAddr) -> bool;

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
