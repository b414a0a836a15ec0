//! The network: models behind HTTP, and pages for a worker that may read the web.
//!
//! [`Client`] is a [`Mind`](subcortex_mind::Mind) on any endpoint that speaks one of three interfaces ([`Wire`]). It
//! streams, retries what may pass, counts what was used also where nothing came of it, and holds every answer to a
//! size. [`fetch::Fetcher`] reads public pages and nothing else.
//!
//! Nothing here knows where a key comes from, follows a redirect with a key, or asks the environment for a proxy. The
//! roots of trust are those of the system, or of `SSL_CERT_FILE` and `SSL_CERT_DIR`, which the TLS library looks at.

mod address;
mod answer;
mod attempt;
mod backoff;
mod client;
mod endpoint;
pub mod fetch;
mod http;
mod setback;
mod sse;
mod wire;
mod words;

pub use client::Client;
pub use endpoint::{Endpoint, Key, KeyProblem, Wire};
