//! Why a page could not be read.

use super::fetcher::{MAX_REDIRECTS, MAX_URL_BYTES};

/// Why a page could not be read. Names in it are fit to be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// It is no URL.
    #[error("this is no URL that can be read ({why}): write it like https://example.org/page")]
    NoUrl {
        /// What is wrong with it.
        why: String,
    },
    /// It is longer than any that leads somewhere.
    #[error("the URL is longer than {MAX_URL_BYTES} bytes: shorten it")]
    TooLongUrl,
    /// It leads elsewhere than to the web.
    #[error("`{scheme}` URLs are not read, only http and https: look for the page on the web")]
    Scheme {
        /// Its scheme.
        scheme: String,
    },
    /// It holds a user or a password, which is not repeated here.
    #[error("the URL holds a user or a password: leave them out, only pages for everyone are read")]
    Credentials,
    /// It leads to this machine, its network or the metadata of a cloud.
    #[error("{host} is not on the public internet, or not only there: only public pages are read")]
    Forbidden {
        /// The host, as it was named.
        host: String,
    },
    /// It leads from one place to the next.
    #[error("the page is behind more than {MAX_REDIRECTS} redirects: ask for the page itself")]
    TooManyRedirects,
    /// Nobody answers, or the answer breaks off.
    #[error("no answer from {host} ({why}): try another page, or this one later")]
    Unreachable {
        /// The host, as it was named.
        host: String,
        /// What went wrong.
        why: String,
    },
    /// It took too long.
    #[error("{host} did not answer within {limit_ms} ms: try another page, or this one later")]
    TimedOut {
        /// The host of the first URL.
        host: String,
        /// How long it may take with all redirects.
        limit_ms: u64,
    },
    /// This machine cannot speak TLS.
    #[error("no connection can be made over TLS ({why}): install the package ca-certificates")]
    NoTrust {
        /// What is missing.
        why: String,
    },
}
