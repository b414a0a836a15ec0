//! Who may speak to the interface at all.

use axum::http::{HeaderMap, header};

/// The token that a request shows, if the request may be answered.
pub(crate) fn token(headers: &HeaderMap) -> Option<&str> {
    // A page in a browser can be made to send requests here, but not without saying where it comes from; and a name that
    // somebody else resolves to loopback still stands in `Host`.
    if headers.contains_key(header::ORIGIN) || !is_loopback_host(text(headers, header::HOST)?) {
        return None;
    }
    let (scheme, token) = text(headers, header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
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
