//! The client against servers on real sockets that behave, and others.
#![allow(clippy::unwrap_used, clippy::panic)] // The helpers are part of the tests.

mod answers;
mod failures;
mod limits;
mod server;
mod speech;

use subcortex_llm::{Client, Endpoint, Key, Wire};
use subcortex_mind::{Failure, Mind, Question, Reply};

use server::{Script, Server};

const KEY: &str = "s3cr3t-of-the-test";
const MODEL: &str = "asked-model";
/// Longer than any answer here takes, also on a busy machine.
const PATIENT_MS: u64 = 60_000;

fn endpoint(server: &Server, wire: Wire) -> Endpoint {
    Endpoint {
        wire,
        base_url: server.base_url.clone(),
        model: MODEL.to_owned(),
        key: Some(Key::new(KEY.to_owned()).unwrap()),
        max_retries: 2,
        silence_ms: PATIENT_MS,
    }
}

fn client(endpoint: Endpoint) -> Client {
    Client::new(endpoint).unwrap().first_pause_ms(1)
}

fn question() -> Question {
    let mut question = Question::new("judge", "Be brief.", "What is the time?");
    question.max_output_tokens = 77;
    question
}

/// Asks a server that follows the scripts.
async fn ask(wire: Wire, scripts: Vec<Script>) -> (Result<Reply, Failure>, Server) {
    let server = Server::following(scripts).await;
    let client = client(endpoint(&server, wire));
    let reply = client.ask(&question()).await;
    (reply, server)
}
