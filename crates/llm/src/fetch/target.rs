//! A URL that may be asked for, as far as its text can tell.

use std::net::IpAddr;

use reqwest::Url;

use super::error::FetchError;
use super::fetcher::MAX_URL_BYTES;
use crate::words::shown;

/// Names that stand for this machine, its network or the metadata of a cloud, with all names below them.
const CLOSED_NAMES: [&str; 5] = ["localhost", "local", "internal", "home.arpa", "localdomain"];

/// Reads a URL, alone or as one that stands on the page `base`, and checks all that can be checked before a name is
/// looked up. `is_open` says which addresses may be connected to.
pub(super) fn target(url: &str, base: Option<&Url>, is_open: fn(IpAddr) -> bool) -> Result<Url, FetchError> {
    if url.len() > MAX_URL_BYTES {
        return Err(FetchError::TooLongUrl);
    }
    let url = match base {
        Some(base) => base.join(url),
        None => Url::parse(url.trim()),
    };
    let url = url.map_err(|problem| FetchError::NoUrl { why: problem.to_string() })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::Scheme { scheme: shown(url.scheme(), None) });
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::Credentials);
    }
    // Reading the URL has turned every spelling of an address (decimal, octal, hexadecimal, short) into the usual one.
    let name = url.host_str().unwrap_or_default();
    let is_open = match name.trim_start_matches('[').trim_end_matches(']').parse() {
        Ok(address) => is_open(address),
        Err(_) => !is_closed(name),
    };
    if is_open { Ok(url) } else { Err(FetchError::Forbidden { host: host(&url) }) }
}

fn is_closed(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let is_below =
        |closed: &str| name.strip_suffix(closed).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    name.is_empty() || CLOSED_NAMES.into_iter().any(is_below)
}

/// The host of a URL, fit for a message.
pub(super) fn host(url: &Url) -> String {
    shown(url.host_str().unwrap_or_default(), None)
}
