//! A base URL as people write it, made into the address that questions go to.

use std::net::IpAddr;

use reqwest::Url;
use subcortex_guard::escape_for_display;
use subcortex_mind::{Failure, FailureKind};

use crate::{Endpoint, Wire};

/// Where questions are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) url: Url,
    /// Host and port, for messages.
    pub(crate) label: String,
}

impl Address {
    pub(crate) fn of(endpoint: &Endpoint) -> Result<Self, Failure> {
        let mut url = Url::parse(endpoint.base_url.trim()).map_err(|problem| {
            refused(format!("`api.base_url` is no URL ({problem}): write it like http://127.0.0.1:8080/v1"))
        })?;
        check(&url, endpoint.key.is_some())?;
        let path = path(url.path(), endpoint.wire);
        url.set_path(&path);
        let host = url.host_str().unwrap_or_default();
        let label = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        Ok(Self { label: escape_for_display(&label).into_owned(), url })
    }

    /// Whether the address is reached over TLS.
    pub(crate) fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }
}

fn check(url: &Url, has_key: bool) -> Result<(), Failure> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused("`api.base_url` must begin with https:// or http://".to_owned()));
    }
    // None of these three is shown: what stands there may be a secret.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused(
            "`api.base_url` holds a user or a password: take it out; a key is named by `api.key_env` or `api.key_file`"
                .to_owned(),
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused("`api.base_url` holds a `?` or a `#`: write it only up to /v1".to_owned()));
    }
    if has_key && url.scheme() == "http" && !is_loopback(url) {
        return Err(refused(format!(
            "`api.base_url` is http, so the key would travel to {} for everyone on the way to read: write https://, or take `api.key_env` and `api.key_file` away if the server wants no key",
            escape_for_display(url.host_str().unwrap_or_default()),
        )));
    }
    Ok(())
}

fn refused(message: String) -> Failure {
    Failure::new(FailureKind::Refused, message)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The path below which a wire's questions go. A path that names a version (`/v1`, `/v1beta/openai`) stays as it is.
fn path(written: &str, wire: Wire) -> String {
    let tail = match wire {
        Wire::Anthropic => "/messages",
        Wire::OpenAiChat => "/chat/completions",
        Wire::OpenAiResponses => "/responses",
    };
    let written = written.trim_end_matches('/');
    let base = written.strip_suffix(tail).unwrap_or(written);
    let version = if base.split('/').any(is_version) { "" } else { "/v1" };
    format!("{base}{version}{tail}")
}

fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    fn address(base_url: &str, wire: Wire, key: Option<&str>) -> Result<Address, Failure> {
        let key = key.map(|key| Key::new(key.to_owned()).unwrap());
        let base_url = base_url.to_owned();
        Address::of(&Endpoint { wire, base_url, model: String::new(), key, max_retries: 0, silence_ms: 1 })
    }

    #[test]
    fn a_base_url_is_taken_in_every_usual_spelling() {
        for (base_url, wire, expect) in [
            ("https://api.anthropic.com", Wire::Anthropic, "https://api.anthropic.com/v1/messages"),
            ("https://api.anthropic.com/", Wire::Anthropic, "https://api.anthropic.com/v1/messages"),
            (
                "https://api.anthropic.com/v1/messages",
                Wire::Anthropic,
                "https://api.anthropic.com/v1/messages",
            ),
            ("http://127.0.0.1:8080/v1", Wire::OpenAiChat, "http://127.0.0.1:8080/v1/chat/completions"),
            (" http://127.0.0.1:8080/v1// ", Wire::OpenAiChat, "http://127.0.0.1:8080/v1/chat/completions"),
            ("http://[::1]:8080", Wire::OpenAiResponses, "http://[::1]:8080/v1/responses"),
            ("https://api.openai.com/v1/", Wire::OpenAiResponses, "https://api.openai.com/v1/responses"),
            ("https://openrouter.ai/api", Wire::OpenAiChat, "https://openrouter.ai/api/v1/chat/completions"),
            (
                "https://a.example/v1beta/openai/",
                Wire::OpenAiChat,
                "https://a.example/v1beta/openai/chat/completions",
            ),
            ("https://a.example/vault", Wire::OpenAiChat, "https://a.example/vault/v1/chat/completions"),
        ] {
            assert_eq!(address(base_url, wire, None).unwrap().url.as_str(), expect, "{base_url}");
        }
        let label = |base_url| address(base_url, Wire::Anthropic, None).unwrap().label;
        assert_eq!(label("https://api.anthropic.com"), "api.anthropic.com");
        assert_eq!(label("http://127.0.0.1:8080"), "127.0.0.1:8080");
    }

    #[test]
    fn what_is_no_plain_web_address_is_refused_and_not_repeated() {
        for base_url in [
            "",
            "api.openai.com",
            "file:///etc/passwd",
            "ftp://a.example",
            "unix:/run/x",
            "http://",
            "https://me:hunter2@a.example",
            "https://hunter2@a.example",
            "https://a.example/v1?key=hunter2",
            "https://a.example/#hunter2",
        ] {
            let failure = address(base_url, Wire::OpenAiChat, None).unwrap_err();
            assert_eq!(failure.kind, FailureKind::Refused, "{base_url}");
            assert!(!failure.message.contains("hunter2"), "{}", failure.message);
        }
    }

    #[test]
    fn a_key_travels_in_the_clear_only_inside_the_machine() {
        for base_url in [
            "http://localhost:1",
            "http://127.0.0.1:1",
            "http://127.8.9.1",
            "http://[::1]:1",
            "https://a.example",
        ] {
            assert!(address(base_url, Wire::OpenAiChat, Some("k")).is_ok(), "{base_url}");
        }
        for base_url in [
            "http://a.example",
            "http://192.168.1.5:8080",
            "http://localhost.a.example",
            "http://[::ffff:127.0.0.1]",
        ] {
            let failure = address(base_url, Wire::OpenAiChat, Some("secret-k")).unwrap_err();
            assert!(failure.message.contains("write https://"), "{}", failure.message);
            assert!(address(base_url, Wire::OpenAiChat, None).is_ok(), "{base_url} without a key");
        }
    }
}
