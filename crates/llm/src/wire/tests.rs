//! What the socket tests leave out: the odder things that servers say.

use serde_json::{Value, json};
use subcortex_mind::{Question, Usage};

use super::*;

const WIRES: [Wire; 3] = [Wire::Anthropic, Wire::OpenAiChat, Wire::OpenAiResponses];

fn take(wire: Wire, events: &[Value]) -> Result<Answer, Trouble> {
    let mut answer = Answer::default();
    for event in events {
        take_event(wire, &mut answer, &event.to_string())?;
    }
    Ok(answer)
}

#[test]
fn thoughts_are_no_answer_but_counted_when_nobody_else_counts() {
    let thought = "x".repeat(300);
    for (wire, event) in [
        (
            Wire::Anthropic,
            json!({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": thought}}),
        ),
        (Wire::OpenAiChat, json!({"choices": [{"delta": {"reasoning_content": thought, "content": null}}]})),
        (Wire::OpenAiChat, json!({"choices": [{"delta": {"reasoning": thought, "content": ""}}]})),
        (Wire::OpenAiResponses, json!({"type": "response.reasoning_summary_text.delta", "delta": thought})),
    ] {
        let answer = take(wire, &[event]).unwrap();
        assert_eq!((answer.text.as_str(), answer.usage(0).output), ("", 100), "{wire:?}");
    }
}

#[test]
fn a_refusal_is_what_was_answered() {
    for (wire, event) in [
        (Wire::OpenAiChat, json!({"choices": [{"delta": {"refusal": "No."}}]})),
        (Wire::OpenAiResponses, json!({"type": "response.refusal.delta", "delta": "No."})),
    ] {
        assert_eq!(take(wire, &[event]).unwrap().text, "No.");
    }
}

#[test]
fn content_may_be_a_list_of_parts() {
    let parts = json!([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]);
    let answer = take(Wire::OpenAiChat, &[json!({"choices": [{"delta": {"content": parts}}]})]).unwrap();
    assert_eq!(answer.text, "ab");
}

#[test]
fn the_last_account_counts_and_nonsense_in_it_does_not() {
    let usage = |usage: Value| json!({"choices": [], "usage": usage});
    let answer = take(
        Wire::OpenAiChat,
        &[
            usage(json!({"prompt_tokens": 10, "completion_tokens": 1})),
            usage(json!({"prompt_tokens": 10, "completion_tokens": 9, "cost": 0.25, "prompt_tokens_details": {"cached_tokens": 99}})),
            usage(json!(null)),
            usage(json!({"prompt_tokens": -5, "completion_tokens": "many", "cost": -1})),
        ],
    )
    .unwrap();
    assert_eq!(answer.told, Usage { input: 0, output: 9, cache_read: 10, cache_write: 0 });
    assert_eq!(answer.cost_usd, Some(0.25));
}

#[test]
fn events_of_the_wrong_shape_are_read_over() {
    let odd = [
        json!({}),
        json!({"type": 7, "choices": {}, "delta": [], "response": "no", "message": null, "usage": 5, "model": 1}),
        json!({"type": "content_block_delta", "delta": "text"}),
        json!({"type": "message_delta", "delta": {"stop_reason": null}}),
        json!({"type": "response.output_text.delta", "delta": {"a": 1}}),
        json!({"choices": [7, {"delta": 9}]}),
    ];
    for wire in WIRES {
        let answer = take(wire, &odd).unwrap();
        assert_eq!((answer.text.as_str(), answer.has_stopped, answer.is_whole), ("", false, false));
    }
}

#[test]
fn an_error_is_read_as_the_status_that_it_stands_for() {
    let status = |wire, event: Value| match take(wire, &[event]) {
        Err(Trouble::Said { status, reason }) => (status, reason),
        other => panic!("{other:?}"),
    };
    let error = |error: Value| json!({"type": "error", "error": error});
    for (wire, event, expect) in [
        (Wire::Anthropic, error(json!({"type": "overloaded_error", "message": "later"})), (529, "later")),
        (Wire::Anthropic, error(json!({"type": "rate_limit_error"})), (429, "rate_limit_error")),
        (Wire::Anthropic, error(json!("down")), (500, "down")),
        (Wire::OpenAiChat, json!({"error": {"code": 429, "message": "slow"}}), (429, "slow")),
        (Wire::OpenAiChat, json!({"error": {"code": "503"}}), (503, "503")),
        (Wire::OpenAiChat, json!({"error": {"code": 7}}), (500, "no reason is given")),
        (
            Wire::OpenAiResponses,
            json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}),
            (429, "slow"),
        ),
        (Wire::OpenAiResponses, json!({"type": "response.failed"}), (500, "no reason is given")),
        (
            Wire::OpenAiResponses,
            json!({"type": "response.failed", "response": {"error": {"code": "invalid_prompt", "message": "no"}}}),
            (400, "no"),
        ),
    ] {
        assert_eq!(status(wire, event.clone()), (expect.0, expect.1.to_owned()), "{event}");
    }
}

#[test]
fn the_reason_of_a_refusal_is_found_in_the_usual_places() {
    for (body, expect) in [
        (r#"{"error": {"message": "a", "type": "b"}}"#, "a"),
        (r#"{"type": "error", "error": {"type": "b", "message": "a"}}"#, "a"),
        (r#"{"error": "a"}"#, "a"),
        (r#"{"message": "a"}"#, "a"),
        (r#"{"detail": "a"}"#, "a"),
        ("plain words", "plain words"),
        ("{}", "{}"),
        (" \n", "no reason is given"),
    ] {
        assert_eq!(reason(body), expect, "{body}");
    }
}

#[test]
fn a_response_of_full_length_counts_as_cut() {
    let question = Question { max_output_tokens: 5, ..Question::default() };
    let completed = |output: u64| {
        let response = json!({"status": "completed", "output": [], "usage": {"input_tokens": 1, "output_tokens": output}});
        take(Wire::OpenAiResponses, &[json!({"type": "response.completed", "response": response})]).unwrap()
    };
    assert!(is_cut(Wire::OpenAiResponses, &completed(5), &question));
    assert!(!is_cut(Wire::OpenAiResponses, &completed(4), &question));
}

#[test]
fn a_purpose_makes_a_name_that_is_taken() {
    let name = |purpose| schema_name(&Question::new(purpose, "", ""));
    assert_eq!(name("judge"), "judge");
    assert_eq!(name("jud ge/ü"), "judge");
    assert_eq!(name(""), "answer");
    assert_eq!(name("x123456789x123456789x123456789x123456789x123456789x123456789x123456789").len(), 64);
}

#[test]
fn a_question_without_a_limit_has_one() {
    let question = Question::new("judge", "", "text");
    for wire in WIRES {
        let body = body(wire, "m", &question, Shape::of(wire, &question));
        let limits = ["max_tokens", "max_output_tokens"].map(|name| body[name].as_u64());
        assert!(limits.contains(&Some(u64::from(DEFAULT_MAX_OUTPUT_TOKENS))), "{body}");
        assert!(
            body["system"].is_null() && body["instructions"].is_null(),
            "no rules, no field for them: {body}"
        );
    }
}
