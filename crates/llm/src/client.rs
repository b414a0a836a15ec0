//! A model behind HTTP.

use std::fmt;

use subcortex_mind::{Asking, Failure, FailureKind, Mind, Question, Reply, Usage};
use tokio::time::sleep;

use crate::address::Address;
use crate::attempt::attempt;
use crate::setback::Site;
use crate::wire::Shape;
use crate::{Endpoint, backoff, http};

/// A model behind HTTP. Attempts that fail for a passing reason are made again; dropping a question closes its
/// connection.
///
/// What the other side does not count is estimated from bytes, three for a token, so that a budget is never blind.
pub struct Client {
    site: Site,
    http: reqwest::Client,
    first_pause_ms: u64,
}

impl Client {
    /// A client of the endpoint. Nothing is sent yet.
    ///
    /// # Errors
    /// If the address is none that questions, and the key, may be sent to; or if the system has no roots of trust.
    pub fn new(endpoint: Endpoint) -> Result<Self, Failure> {
        if endpoint.silence_ms == 0 {
            let message = "`api.silence_ms` is 0, so that no answer could ever come in time: write 120000";
            return Err(Failure::new(FailureKind::Refused, message));
        }
        let address = Address::of(&endpoint)?;
        let builder = http::builder();
        // Without TLS no roots of trust are needed, and a machine without any can still ask its own model.
        let builder = if address.is_secure() { builder } else { builder.tls_certs_only([]) };
        let http = builder.build().map_err(|problem| {
            let why = http::innermost(&problem);
            let message =
                format!("no connection can be made over TLS ({why}): install the package ca-certificates");
            Failure::new(FailureKind::Refused, message)
        })?;
        Ok(Self { site: Site { endpoint, address }, http, first_pause_ms: backoff::FIRST_PAUSE_MS })
    }

    /// The same client, with another pause before its first retry, in milliseconds; the further ones grow from it.
    #[must_use]
    pub fn first_pause_ms(self, first_pause_ms: u64) -> Self {
        Self { first_pause_ms, ..self }
    }

    async fn ask_until_answered(&self, question: &Question) -> Result<Reply, Failure> {
        let wire = self.site.endpoint.wire;
        let mut shape = Shape::of(wire, question);
        let mut used_in_vain = Usage::default();
        let mut retries = 0;
        loop {
            let setback = match attempt(&self.site, &self.http, question, shape).await {
                Ok(reply) => return Ok(with_vain(reply, &used_in_vain)),
                Err(setback) => setback,
            };
            used_in_vain.add(&setback.failure.usage);
            let other = setback.refusal.as_deref().and_then(|reason| shape.after_refusal(wire, reason));
            if let Some(other) = other {
                shape = other;
                continue;
            }
            if !setback.may_pass || retries >= self.site.endpoint.max_retries {
                return Err(given_up(setback.failure, used_in_vain, retries));
            }
            sleep(backoff::pause(self.first_pause_ms, retries, setback.wait)).await;
            retries += 1;
        }
    }
}

fn with_vain(mut reply: Reply, used_in_vain: &Usage) -> Reply {
    reply.usage.add(used_in_vain);
    // The cost is of the last attempt alone, which is too little to tell.
    if used_in_vain.total() > 0 {
        reply.cost_usd = None;
    }
    reply
}

fn given_up(failure: Failure, usage: Usage, retries: u32) -> Failure {
    let message = match retries {
        0 => failure.message,
        1 => format!("{} (asked twice)", failure.message),
        more => format!("{} (asked {} times)", failure.message, more.saturating_add(1)),
    };
    Failure { message, usage, ..failure }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("endpoint", &self.site.endpoint).finish_non_exhaustive()
    }
}

impl Mind for Client {
    fn model(&self) -> &str {
        &self.site.endpoint.model
    }

    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(self.ask_until_answered(question))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wire;

    fn new(base_url: &str, silence_ms: u64) -> Result<Client, Failure> {
        let (base_url, model) = (base_url.to_owned(), "m".to_owned());
        let wire = Wire::OpenAiChat;
        Client::new(Endpoint { wire, base_url, model, key: None, max_retries: 0, silence_ms })
    }

    #[test]
    fn a_client_is_made_without_a_runtime_and_without_a_connection() {
        assert_eq!(new("http://127.0.0.1:1", 1).unwrap().model(), "m");
        assert!(new("file:///etc/passwd", 1).is_err());
        assert!(new("http://127.0.0.1:1", 0).unwrap_err().message.contains("`api.silence_ms` is 0"));
    }
}
