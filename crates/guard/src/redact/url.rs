//! Addresses that carry a password or a token: `scheme://user:password@host`.

use super::chars::{Class, contains};
use super::placeholder::is_placeholder;
use super::random::{Makeup, is_complex, looks_random};
use super::reach::Reach;
use super::span::{Rank, Span};
use super::vocabulary::DATABASES;
use super::work;

/// How far the part before the host may reach, in bytes.
const AUTHORITY_MAX_BYTES: usize = 512;

/// What stands as a password where the user is a token.
const PASSWORDS_OF_TOKENS: &[&[u8]] = &[b"x-oauth-basic", b"x-oauth-token"];

/// Looks behind the `://` that ends at `behind`.
pub(super) fn find(bytes: &[u8], behind: usize, addresses: &mut Reach) -> Option<Span> {
    let stop = addresses.end(bytes, behind, AUTHORITY_MAX_BYTES, |at| ends_address(bytes, at));
    let window = &bytes[behind..stop];
    work::note(window.len());
    let host_at = behind + memchr::memrchr(b'@', &window[..authority_len(bytes, behind, window)])?;
    let user_info = &bytes[behind..host_at];
    match memchr::memchr(b':', user_info) {
        Some(colon) => {
            let start = behind + colon + 1;
            let password = &bytes[start..host_at];
            if PASSWORDS_OF_TOKENS.contains(&password) {
                let token =
                    Span { start: behind, end: behind + colon, rule: "url-token", rank: Rank::Placed };
                return looks_random(&user_info[..colon]).then_some(token);
            }
            let is_secret = password.len() >= 3
                && !is_placeholder(password)
                && !is_loose_template(password)
                && (is_database(bytes, behind) || !password.contains(&b'/') || is_drawn_over_slash(password));
            let rule = if is_database(bytes, behind) { "database-url" } else { "url-password" };
            is_secret.then_some(Span { start, end: host_at, rule, rank: Rank::Placed })
        }
        None => {
            let is_drawn =
                user_info.len() >= 16 && Class::BEARER.has_all(user_info) && looks_random(user_info);
            let is_token = is_drawn || is_chosen_token(user_info);
            let rule =
                if contains(&window[host_at - behind..], b"sentry") { "sentry-dsn" } else { "url-token" };
            is_token.then_some(Span { start: behind, end: host_at, rule, rank: Rank::Placed })
        }
    }
}

/// How much of the window can belong to user and host. A database's password may hold a `/`.
fn authority_len(bytes: &[u8], behind: usize, window: &[u8]) -> usize {
    let first = window.iter().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(window.len());
    let port = window[..first].iter().rposition(|byte| *byte == b':').map(|colon| &window[colon + 1..first]);
    let is_port = port.is_none_or(|port| port.iter().all(u8::is_ascii_digit));
    if is_port {
        return first;
    }
    // What stands behind the colon is no port, so a `#` is part of a password. `git@host:path/x@tag` has its `@` before.
    if !is_database(bytes, behind) && window[..first].contains(&b'@') {
        return window.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(window.len());
    }
    window.iter().position(|byte| *byte == b'?').unwrap_or(window.len())
}

/// `M2wBeA/Y6vM87`: nothing that stands behind a colon in an address looks so, before the host or in a path.
fn is_drawn_over_slash(password: &[u8]) -> bool {
    let makeup = Makeup::of(password);
    let first = password.split(|byte| *byte == b'/').next().unwrap_or_default();
    let is_mixed = makeup.upper > 0 && makeup.lower > 0 && makeup.digits > 0;
    let is_word = Class::LOWER.or(Class::DASH).or(Class::DOT).has_all(first)
        || Class::UPPER.or(Class::UNDERSCORE).has_all(first);
    !is_word && !password.contains(&b'@') && ((is_mixed && makeup.is_random()) || is_complex(password))
}

/// Whether the scheme is one of a database, with or without its driver (`postgresql+asyncpg`), also behind the sign of a diff.
fn is_database(bytes: &[u8], behind: usize) -> bool {
    let scheme_end = behind.saturating_sub(3);
    let start = Class::ALNUM.or(Class::PLUS_SLASH).run_start(bytes, scheme_end, 24);
    let scheme = bytes[start..scheme_end].rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    scheme.split(|byte| *byte == b'+').find(|part| !part.is_empty()).is_some_and(|part| DATABASES.has(part))
}

fn ends_address(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => true,
        b'"' | b'\'' | b'`' | b'<' | b'>' => true,
        b'\\' => matches!(bytes.get(at + 1), None | Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'u' | b'\\')),
        _ => false,
    }
}

/// A token with a sign in it. An address for mail whose `@` was encoded is none.
fn is_chosen_token(user_info: &[u8]) -> bool {
    let makeup = Makeup::of(user_info);
    makeup.is_chosen()
        && makeup.upper > 0
        && makeup.lower > 0
        && !is_loose_template(user_info)
        && !is_placeholder(user_info)
        && !contains(user_info, b"%40")
        && !user_info.contains(&b'@')
}

/// A gap in an address: `user:{pw}@`, `user:$PW@`, `user:%s@`, `user:...@`.
fn is_loose_template(password: &[u8]) -> bool {
    password.iter().any(|byte| b"{}<>".contains(byte))
        || password.starts_with(b"$") && !password.contains(&b'!')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(&str, &str)>) {
        let behind = text.find("://").unwrap() + 3;
        let found = find(text.as_bytes(), behind, &mut Reach::default())
            .map(|span| (&text[span.start..span.end], span.rule));
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn passwords_in_addresses_are_found() {
        check("https://bob:hunter2@host.test/a", Some(("hunter2", "url-password")));
        check("postgres://bob:p@ss/w0rd@db:5432/app", Some(("p@ss/w0rd", "database-url")));
        check("http://bob:hun#ter2@proxy:3128", Some(("hun#ter2", "url-password")));
        check("https://Hun!ter2x@host.test/a", Some(("Hun!ter2x", "url-token")));
        check("https://bob:M2wBeA/Y6vM87@db.example.com/x", Some(("M2wBeA/Y6vM87", "url-password")));
        check("+postgres://bob:H6J0fd/jyklLI@db:6379/0", Some(("H6J0fd/jyklLI", "database-url")));
        check("postgresql+asyncpg://bob:p@ss/w0rd@db/x", Some(("p@ss/w0rd", "database-url")));
        check("redis://:hunter2@cache", Some(("hunter2", "database-url")));
        check("mongodb+srv://app:x9!k2@c0.mongodb.net/?a=b", Some(("x9!k2", "database-url")));
        check(
            "https://9f86d081884c7d659a2feaa0c55ad015@o1.ingest.sentry.io/2",
            Some(("9f86d081884c7d659a2feaa0c55ad015", "sentry-dsn")),
        );
    }

    #[test]
    fn addresses_without_a_password_stay() {
        for text in [
            "https://host.test/a@b",
            "https://host.test#a@b",
            "https://Bob%40host2@host.test/a",
            "https://host.test:8080/x",
            "ssh://git@github.com/a/b",
            "https://user:password@host",
            "postgres://user:${PW}@db",
            "https://host.test/?q=a:b@c",
            "postgres://localhost:5432/db?mail=a@b",
            "https://user:<pw>@host",
            "http://a",
            "https://x/@scope/pkg",
            "git+ssh://git@github.com:Org2/repo.git@v1.0",
            "http://localhost:PORT/@vite/client",
            "https://host:port2/path@x",
            "https://{host}:{port}/Ab3x@y",
        ] {
            check(text, None);
        }
    }
}
