//! Who may speak to the interface at all.

use std::fmt;

use axum::http::{HeaderMap, header};

use crate::{Rights, Workers};

/// The token of the page: whoever shows it is the person whose home it is.
#[derive(Clone, Copy)]
pub struct PageKey(blake3::Hash);

impl fmt::Debug for PageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageKey(..)")
    }
}

impl PageKey {
    /// The key that this token fits.
    pub fn of(token: &str) -> Self {
        Self(blake3::hash(token.as_bytes()))
    }

    /// Hashes are compared in a time that does not tell where they differ.
    fn fits(self, token: &str) -> bool {
        blake3::hash(token.as_bytes()) == self.0
    }
}

/// Whether a request may use a route with these rights.
pub(crate) fn lets_in(
    headers: &HeaderMap,
    rights: Rights,
    workers: &dyn Workers,
    key: Option<PageKey>,
) -> bool {
    // A name that somebody else resolves to loopback still stands in `Host`.
    let Some(host) = text(headers, header::HOST).filter(|host| is_loopback_host(host)) else { return false };
    match rights {
        Rights::Anybody => is_own_page_or_no_page(headers, host),
        // A page in a browser can be made to send requests here, but not without saying where it comes from.
        Rights::Worker => {
            !headers.contains_key(header::ORIGIN)
                && token(headers).is_some_and(|token| workers.whoami(token).is_some())
        }
        Rights::Person => {
            is_own_page_or_no_page(headers, host)
                && key.is_some_and(|key| token(headers).is_some_and(|token| key.fits(token)))
        }
    }
}

/// Whether a request comes from a page of this very server, or from no page.
fn is_own_page_or_no_page(headers: &HeaderMap, host: &str) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let own = format!("http://{host}");
    let is_own_origin = origins.all(|origin| origin.as_bytes() == own.as_bytes());
    let site = headers.get("sec-fetch-site").map(axum::http::HeaderValue::as_bytes);
    is_own_origin && matches!(site, None | Some(b"same-origin" | b"none"))
}

/// The token that a request shows.
pub(crate) fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = text(headers, header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    // Two of a kind: nobody knows which one somebody else has looked at.
    if all.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

fn is_loopback_host(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(host: &str, is_fine: bool) {
        assert_eq!(is_loopback_host(host), is_fine, "{host}");
    }

    #[test]
    fn only_names_of_this_machine_are_hosts() {
        for host in ["127.0.0.1", "127.0.0.1:80", "localhost:7823", "[::1]:80", "[::1]"] {
            check(host, true);
        }
        for host in [
            "",
            "example.com",
            "localhost.example.com",
            "127.0.0.1.nip.io:80",
            "10.0.0.1",
            "localhost:80:x",
            ":80",
        ] {
            check(host, false);
        }
    }
}
