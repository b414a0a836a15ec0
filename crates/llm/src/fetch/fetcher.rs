//! The reader of pages.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION, USER_AGENT};
use reqwest::{Response, Url};
use subcortex_mind::{Fetch, Fetched, Fetching};
use tokio::time::timeout;

use super::error::FetchError;
use super::public::is_public;
use super::resolver::{Closed, Guarded, Lookup, system};
use super::target::{host, target};
use crate::http;
use crate::words::shown;

/// The most that is read of a page, in bytes.
pub(super) const MAX_PAGE_BYTES: usize = 256 * 1024;
/// How long a page may take with all its redirects, in milliseconds.
const MAX_FETCH_MS: u64 = 20_000;
/// How many redirects are followed.
pub(super) const MAX_REDIRECTS: usize = 5;
/// The longest URL, in bytes.
pub(super) const MAX_URL_BYTES: usize = 8 * 1024;

/// Reads public pages: with GET, without cookies, keys or proxies.
pub struct Fetcher {
    lookup: Lookup,
    /// Which addresses may be connected to.
    is_open: fn(IpAddr) -> bool,
    max_fetch_ms: u64,
    /// Made for the first page: reading the system's roots of trust takes a moment.
    http: OnceLock<reqwest::Client>,
}

impl Fetcher {
    /// A reader of public pages.
    #[must_use]
    pub fn new() -> Self {
        Self { lookup: system(), is_open: is_public, max_fetch_ms: MAX_FETCH_MS, http: OnceLock::new() }
    }

    /// A reader with names and open addresses of a test's own.
    #[cfg(test)]
    pub(super) fn for_tests(lookup: Lookup, is_open: fn(IpAddr) -> bool, max_fetch_ms: u64) -> Self {
        Self { lookup, is_open, max_fetch_ms, http: OnceLock::new() }
    }

    /// Reads the page behind a URL, of whatever status it is.
    ///
    /// # Errors
    /// If the URL leads, by itself or by a redirect, to anywhere but the public web, or no page comes from there in time.
    pub async fn get(&self, url: &str) -> Result<Fetched, FetchError> {
        let url = target(url, None, self.is_open)?;
        let (host, limit_ms) = (host(&url), self.max_fetch_ms);
        let fetching = self.follow(url);
        let fetched = timeout(Duration::from_millis(limit_ms), fetching).await;
        fetched.unwrap_or(Err(FetchError::TimedOut { host, limit_ms }))
    }

    async fn follow(&self, mut url: Url) -> Result<Fetched, FetchError> {
        for _ in 0..=MAX_REDIRECTS {
            let response = self.ask(&url).await?;
            match redirect(&response) {
                Some(location) => url = target(&location, Some(&url), self.is_open)?,
                None => return read(response, &url).await,
            }
        }
        Err(FetchError::TooManyRedirects)
    }

    async fn ask(&self, url: &Url) -> Result<Response, FetchError> {
        let request = self.http()?.get(url.clone());
        let request =
            request.header(ACCEPT, "text/*, application/json, */*;q=0.1").header(USER_AGENT, "subcortex");
        let response = request.send().await.map_err(|problem| failed(url, &problem))?;
        // The resolver and the URL were checked; this is what was really connected to.
        match response.remote_addr() {
            Some(peer) if !(self.is_open)(peer.ip()) => Err(FetchError::Forbidden { host: host(url) }),
            _ => Ok(response),
        }
    }

    fn http(&self) -> Result<&reqwest::Client, FetchError> {
        if let Some(http) = self.http.get() {
            return Ok(http);
        }
        let guarded = Guarded { lookup: Arc::clone(&self.lookup), is_open: self.is_open };
        // Connections are not kept: each page is asked for at an address that was just checked.
        let built = http::builder().dns_resolver(Arc::new(guarded)).pool_max_idle_per_host(0).build();
        let built =
            built.map_err(|problem| FetchError::NoTrust { why: shown(&http::innermost(&problem), None) })?;
        Ok(self.http.get_or_init(|| built))
    }
}

impl Default for Fetcher {
    fn default() -> Self {
        Self::new()
    }
}

impl Fetch for Fetcher {
    fn get<'a>(&'a self, url: &'a str) -> Fetching<'a> {
        Box::pin(async move { Fetcher::get(self, url).await.map_err(|error| error.to_string()) })
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher").finish_non_exhaustive()
    }
}

/// Where a page says that it is instead.
fn redirect(response: &Response) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

async fn read(mut response: Response, url: &Url) -> Result<Fetched, FetchError> {
    let content_type =
        response.headers().get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let content_type = shown(&content_type.unwrap_or_default(), None);
    let mut bytes = Vec::new();
    while bytes.len() <= MAX_PAGE_BYTES {
        match response.chunk().await.map_err(|problem| failed(url, &problem))? {
            Some(piece) => bytes.extend_from_slice(&piece),
            None => break,
        }
    }
    let mut is_cut = bytes.len() > MAX_PAGE_BYTES;
    bytes.truncate(MAX_PAGE_BYTES);
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if is_cut {
        // Half a character at the end is of our own making.
        text.truncate(text.trim_end_matches('\u{fffd}').len());
    }
    // What is no text has grown by what stands for it.
    if text.len() > MAX_PAGE_BYTES {
        text.truncate(text.floor_char_boundary(MAX_PAGE_BYTES));
        is_cut = true;
    }
    Ok(Fetched { status: response.status().as_u16(), content_type, text, is_cut })
}

fn failed(url: &Url, problem: &reqwest::Error) -> FetchError {
    let mut inner: Option<&dyn Error> = Some(problem);
    while let Some(error) = inner {
        if error.is::<Closed>() {
            return FetchError::Forbidden { host: host(url) };
        }
        inner = error.source();
    }
    FetchError::Unreachable { host: host(url), why: shown(&http::innermost(problem), None) }
}
