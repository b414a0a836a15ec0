//! What endpoints say, in each of the three interfaces.

use serde_json::json;
use subcortex_llm::Wire;
use subcortex_mind::Usage;

pub(crate) const WIRES: [Wire; 3] = [Wire::Anthropic, Wire::OpenAiChat, Wire::OpenAiResponses];
/// What the whole answers here say about themselves.
pub(crate) const TOLD_MODEL: &str = "told-model";

/// What the whole answers here are counted with.
pub(crate) fn told_usage(wire: Wire) -> Usage {
    let cache_write = if wire == Wire::Anthropic { 5 } else { 0 };
    Usage { input: 60, output: 7, cache_read: 40, cache_write }
}

fn event(wire: Wire, data: serde_json::Value) -> String {
    match wire {
        Wire::OpenAiChat => format!("data: {data}\n\n"),
        Wire::Anthropic | Wire::OpenAiResponses => {
            format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or("x"))
        }
    }
}

/// A stream that has begun and says these pieces.
pub(crate) fn beginning(wire: Wire, pieces: &[&str]) -> String {
    let start = match wire {
        Wire::Anthropic => {
            let usage = json!({"input_tokens": 60, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 5, "output_tokens": 1});
            let message = json!({"type": "message_start", "message": {"model": TOLD_MODEL, "usage": usage, "content": []}});
            event(wire, message)
                + &event(
                    wire,
                    json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                )
                + &event(wire, json!({"type": "ping"}))
        }
        Wire::OpenAiChat => {
            format!(
                ": working\n\n{}",
                event(
                    wire,
                    json!({"model": TOLD_MODEL, "choices": [{"index": 0, "delta": {"role": "assistant", "content": null}, "finish_reason": null}]})
                )
            )
        }
        Wire::OpenAiResponses => event(
            wire,
            json!({"type": "response.created", "response": {"model": TOLD_MODEL, "status": "in_progress", "output": []}}),
        ),
    };
    let said = pieces.iter().map(|piece| match wire {
        Wire::Anthropic => event(wire, json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})),
        Wire::OpenAiChat => event(wire, json!({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": null}]})),
        Wire::OpenAiResponses => event(wire, json!({"type": "response.output_text.delta", "delta": piece})),
    });
    start + &said.collect::<String>()
}

/// The end of a stream; `None` counts nothing.
pub(crate) fn ending(wire: Wire, is_cut: bool, is_counted: bool) -> String {
    let usage = |usage| if is_counted { usage } else { json!(null) };
    match wire {
        Wire::Anthropic => {
            let reason = if is_cut { "max_tokens" } else { "end_turn" };
            let usage = usage(json!({"output_tokens": 7}));
            event(wire, json!({"type": "content_block_stop", "index": 0}))
                + &event(
                    wire,
                    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}),
                )
                + &event(wire, json!({"type": "message_stop"}))
        }
        Wire::OpenAiChat => {
            let reason = if is_cut { "length" } else { "stop" };
            let usage = usage(
                json!({"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 40}}),
            );
            event(wire, json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
                + &event(wire, json!({"choices": [], "usage": usage}))
                + "data: [DONE]\n\n"
        }
        Wire::OpenAiResponses => {
            let status = if is_cut { "incomplete" } else { "completed" };
            let usage = usage(
                json!({"input_tokens": 100, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 40}}),
            );
            let response =
                json!({"model": TOLD_MODEL, "status": status, "usage": usage, "error": null, "output": []});
            event(wire, json!({"type": format!("response.{status}"), "response": response}))
        }
    }
}

/// A stream from its beginning to its end.
pub(crate) fn whole_stream(wire: Wire, pieces: &[&str]) -> String {
    beginning(wire, pieces) + &ending(wire, false, true)
}

/// An answer in one piece.
pub(crate) fn whole(wire: Wire, text: &str) -> String {
    let answer = match wire {
        Wire::Anthropic => json!({
            "type": "message", "model": TOLD_MODEL, "stop_reason": "end_turn", "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": 60, "cache_read_input_tokens": 40, "cache_creation_input_tokens": 5, "output_tokens": 7},
        }),
        Wire::OpenAiChat => json!({
            "model": TOLD_MODEL, "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 40}},
        }),
        Wire::OpenAiResponses => json!({
            "model": TOLD_MODEL, "status": "completed", "error": null,
            "output": [{"type": "reasoning", "content": [{"text": "hm"}]}, {"type": "message", "content": [{"type": "output_text", "text": text}]}],
            "usage": {"input_tokens": 100, "output_tokens": 7, "input_tokens_details": {"cached_tokens": 40}},
        }),
    };
    answer.to_string()
}

/// An error inside a stream; `kind` as Anthropic names it.
pub(crate) fn error_event(wire: Wire, kind: &str, message: &str) -> String {
    match wire {
        Wire::Anthropic => event(wire, json!({"type": "error", "error": {"type": kind, "message": message}})),
        Wire::OpenAiChat => event(wire, json!({"error": {"type": kind, "message": message}})),
        Wire::OpenAiResponses => event(
            wire,
            json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": kind, "message": message}}}),
        ),
    }
}
