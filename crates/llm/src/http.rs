//! How both, the client of a model and the reader of pages, speak HTTP.

use reqwest::ClientBuilder;
use reqwest::redirect::Policy;

/// A client that follows no redirect, keeps no cookie and asks the environment for no proxy.
pub(crate) fn builder() -> ClientBuilder {
    // TLS needs a provider of cryptography, one for the process; whoever named one before is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().redirect(Policy::none()).no_proxy().referer(false)
}

/// What went wrong, in the words of the innermost error; the outer ones only say that something did.
pub(crate) fn innermost(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}
