//! One client, until it hangs up.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{QuitReason, RequestContext, ServerInitializeError};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::broken::Answering;
use crate::{Call, TOOLS};

/// What a client is told about the whole.
const INSTRUCTIONS: &str = "subcortex remembers how people want their agents to work, and tests each line of that memory against what really happens. \
`recall` searches it; `why L12` shows the evidence for a line. When the person gives a lasting order, hand it over with `remember` and their own words.";

/// Whoever answers.
pub trait Tools: Send + Sync + 'static {
    /// Answers a call: with a value, or with why not, for the agent to read.
    fn answer(&self, call: Call) -> Result<Value, String>;
}

/// Why serving ended early.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The client said something else than hello.
    #[error("the client does not speak MCP: {0}")]
    Hello(#[from] Box<ServerInitializeError>),
    /// A thread died.
    #[error("serving ended: {0}")]
    Ended(#[from] tokio::task::JoinError),
}

/// Serves on standard input and output until the client closes them.
pub async fn serve(tools: Arc<dyn Tools>) -> Result<(), McpError> {
    let (input, output) = rmcp::transport::stdio();
    serve_on(input, output, tools).await
}

/// Serves on any two ends.
pub async fn serve_on(
    input: impl AsyncRead + Send + Sync + Unpin + 'static,
    output: impl AsyncWrite + Send + Sync + Unpin + 'static,
    tools: Arc<dyn Tools>,
) -> Result<(), McpError> {
    let running = match (Server { tools }).serve(Answering::new(input, output)).await {
        Ok(running) => running,
        // Whoever only looked whether somebody is there is no mistake.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Box::new(error).into()),
    };
    if let QuitReason::JoinError(error) = running.waiting().await? {
        return Err(error.into());
    }
    Ok(())
}

struct Server {
    tools: Arc<dyn Tools>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_instructions(INSTRUCTIONS);
        info.server_info = Implementation::new("subcortex", env!("CARGO_PKG_VERSION"));
        info
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let why = format!("there is no method `{}`; `tools/list` names what can be called", request.method);
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(|tool| tool.described()).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = match Call::parse(&request.name, request.arguments.unwrap_or_default()) {
            Ok(call) => call,
            Err(unknown) => return Err(ErrorData::invalid_params(unknown.to_string(), None)),
        };
        let tools = Arc::clone(&self.tools);
        // Files are read and the daemon is asked: the next request need not wait for that.
        let answered = tokio::task::spawn_blocking(move || tools.answer(call)).await;
        let result = match answered {
            Ok(Ok(value)) => CallToolResult::success(vec![ContentBlock::text(in_words(&value))]),
            Ok(Err(why)) => CallToolResult::error(vec![ContentBlock::text(why)]),
            Err(error) => return Err(ErrorData::internal_error(error.to_string(), None)),
        };
        Ok(result.into())
    }
}

/// A text as it is, everything else as JSON.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
    }
}
