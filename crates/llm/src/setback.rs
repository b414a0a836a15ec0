//! Why an attempt failed, in words for the person who has to do something about it.

use std::time::Duration;

use subcortex_mind::{Failure, FailureKind, Usage};

use crate::Endpoint;
use crate::address::Address;
use crate::answer::{MAX_TEXT_BYTES, Trouble};
use crate::words::shown;

/// An attempt that came to nothing.
#[derive(Debug)]
pub(crate) struct Setback {
    pub(crate) failure: Failure,
    /// The same question may be answered the next time.
    pub(crate) may_pass: bool,
    /// How long the other side asks us to wait.
    pub(crate) wait: Option<Duration>,
    /// Why the request itself was refused, as far as that is known: another way to put it may be taken.
    pub(crate) refusal: Option<String>,
}

impl Setback {
    fn new(kind: FailureKind, may_pass: bool, message: String) -> Self {
        Self { failure: Failure::new(kind, message), may_pass, wait: None, refusal: None }
    }

    /// The same, with what was used in vain.
    pub(crate) fn having_used(mut self, usage: Usage) -> Self {
        self.failure.usage = usage;
        self
    }
}

/// An endpoint that has been looked at.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) endpoint: Endpoint,
    pub(crate) address: Address,
}

impl Site {
    /// The other side answered with a status that is none of success.
    pub(crate) fn status(&self, status: u16, reason: &str) -> Setback {
        let told = format!("{} says {status} ({})", self.address.label, self.shown(reason));
        let model = self.shown(&self.endpoint.model);
        let (kind, may_pass, advice) = match status {
            300..=399 => (
                FailureKind::Refused,
                false,
                "redirects are not followed, for the key would go along; write the address that answers into `api.base_url` in config/subcortex.yaml".to_owned(),
            ),
            401 | 403 => (FailureKind::Unauthorized, false, self.about_the_key().to_owned()),
            402 => (
                FailureKind::Unauthorized,
                false,
                "the account that the key belongs to has to be paid for".to_owned(),
            ),
            404 | 405 => (
                FailureKind::Refused,
                false,
                format!("check `api.base_url` and `api.model` (`{model}`) in config/subcortex.yaml"),
            ),
            408 | 409 | 429 | 503 | 529 => (
                FailureKind::Busy,
                true,
                "it has too much to do, or the limit of the account is reached; what waits is asked again later".to_owned(),
            ),
            500 | 502 | 504 => (
                FailureKind::Unreachable,
                true,
                "something is wrong on the other side; what waits is asked again later".to_owned(),
            ),
            _ => (
                FailureKind::Refused,
                false,
                format!("check `api.model` (`{model}`) in config/subcortex.yaml and what this server can do"),
            ),
        };
        let mut setback = Setback::new(kind, may_pass, format!("{told}: {advice}"));
        setback.refusal = matches!(status, 400 | 422).then(|| reason.to_owned());
        setback
    }

    fn about_the_key(&self) -> &'static str {
        if self.endpoint.key.is_some() {
            "check the key that `api.key_env` or `api.key_file` names in config/subcortex.yaml"
        } else {
            "it wants a key; name one by `api.key_env` or `api.key_file` in config/subcortex.yaml"
        }
    }

    /// What came in is no answer.
    pub(crate) fn trouble(&self, trouble: &Trouble) -> Setback {
        let label = &self.address.label;
        match trouble {
            Trouble::Nonsense(what) => Setback::new(
                FailureKind::Garbage,
                false,
                format!(
                    "{label} answered with something that is no answer ({}): check that `api.base_url` in config/subcortex.yaml is the address of a model, and which interface it speaks",
                    self.shown(what)
                ),
            ),
            Trouble::TooLong => Setback::new(
                FailureKind::Garbage,
                false,
                format!(
                    "{label} does not stop answering: the connection was closed after {MAX_TEXT_BYTES} bytes of text or too much around it; use another model or server if this happens again"
                ),
            ),
            Trouble::Said { status, reason } => self.status(*status, reason),
        }
    }

    /// No connection, or none that can be trusted.
    pub(crate) fn no_connection(&self, why: &str) -> Setback {
        let label = &self.address.label;
        Setback::new(
            FailureKind::Unreachable,
            true,
            format!(
                "no connection to {label} ({}): start the server, look at the network, or correct `api.base_url` in config/subcortex.yaml",
                self.shown(why)
            ),
        )
    }

    /// The connection ended before the answer did.
    pub(crate) fn broken_off(&self, why: &str) -> Setback {
        let label = &self.address.label;
        Setback::new(
            FailureKind::Unreachable,
            true,
            format!(
                "the answer of {label} breaks off ({}): look at the network and at the server's log",
                self.shown(why)
            ),
        )
    }

    /// Not a byte for longer than may be.
    pub(crate) fn silent(&self) -> Setback {
        let Self { endpoint, address } = self;
        Setback::new(
            FailureKind::TimedOut,
            true,
            format!(
                "{} said nothing for {} ms: raise `api.silence_ms` in config/subcortex.yaml if the model is slow, or look at the server's log",
                address.label, endpoint.silence_ms
            ),
        )
    }

    /// Words from outside, fit for a message.
    pub(crate) fn shown(&self, words: &str) -> String {
        shown(words, self.endpoint.key.as_ref())
    }
}
