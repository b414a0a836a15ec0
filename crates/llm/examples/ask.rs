//! Asks an endpoint one question, to see whether it can be used:
//!
//! ```text
//! cargo run -p subcortex-llm --example ask -- chat http://127.0.0.1:8080/v1 smollm2 "What is a tide?"
//! KEY=… cargo run -p subcortex-llm --example ask -- anthropic https://api.anthropic.com claude-haiku-4-5 "What is a tide?"
//! ```
//!
//! With a fifth argument, the answer is asked for in this JSON schema.
#![allow(clippy::disallowed_methods)] // An example is an edge: it may look at its environment.

use std::error::Error;
use std::io::Write;

use subcortex_llm::{Client, Endpoint, Key, Wire};
use subcortex_mind::{Mind, Question};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [wire, base_url, model, text, schema @ ..] = arguments.as_slice() else {
        return Err("usage: ask anthropic|chat|responses BASE_URL MODEL QUESTION [SCHEMA]".into());
    };
    let wire = match wire.as_str() {
        "anthropic" => Wire::Anthropic,
        "chat" => Wire::OpenAiChat,
        "responses" => Wire::OpenAiResponses,
        other => return Err(format!("`{other}` is no interface: write anthropic, chat or responses").into()),
    };
    let client = Client::new(Endpoint {
        wire,
        base_url: base_url.clone(),
        model: model.clone(),
        key: std::env::var("KEY").ok().map(Key::new).transpose()?,
        max_retries: 2,
        silence_ms: 120_000,
    })?;
    let mut question = Question::new("answer", "Answer in one short sentence.", text);
    question.max_output_tokens = 200;
    question.schema = schema.first().map(|schema| serde_json::from_str(schema)).transpose()?;
    let reply = client.ask(&question).await?;
    writeln!(std::io::stdout(), "{reply:#?}")?;
    Ok(())
}
