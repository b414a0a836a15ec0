//! Answers that come, whole or after some trouble.

use std::time::{Duration, Instant};

use serde_json::json;
use subcortex_llm::Wire;
use subcortex_mind::{Mind, Said, Speaker, Usage};

use crate::server::{Server, Step, response, stream, stream_head, torn_chunks};
use crate::speech::{TOLD_MODEL, WIRES, beginning, ending, error_event, told_usage, whole, whole_stream};
use crate::{KEY, MODEL, ask, client, endpoint, question};

#[tokio::test]
async fn a_plain_answer_is_read_and_counted() {
    for wire in WIRES {
        let (reply, server) =
            ask(wire, vec![stream(&whole_stream(wire, &["It is ", "late. ", "日本\n"]))]).await;
        let reply = reply.unwrap();
        assert_eq!(reply.text, "It is late. 日本\n");
        assert_eq!((reply.model.as_str(), reply.is_cut), (TOLD_MODEL, false));
        assert_eq!(reply.usage, told_usage(wire), "{wire:?}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn the_question_is_written_as_each_interface_wants_it() {
    for wire in WIRES {
        let server = Server::following(vec![stream(&whole_stream(wire, &["{}"]))]).await;
        let mut question = question();
        question.said.push(Said { by: Speaker::Model, text: "Late.".into() });
        question.said.push(Said { by: Speaker::Us, text: "How late?".into() });
        question.schema = Some(json!({"type": "object"}));
        client(endpoint(&server, wire)).ask(&question).await.unwrap();
        let request = server.requests().remove(0);
        let said = json!([
            {"role": "user", "content": "What is the time?"},
            {"role": "assistant", "content": "Late."},
            {"role": "user", "content": "How late?"},
        ]);
        let mut with_rules = json!([{"role": "system", "content": "Be brief."}]);
        with_rules.as_array_mut().unwrap().extend(said.as_array().unwrap().clone());
        let format = json!({"name": "judge", "schema": {"type": "object"}, "strict": true});
        let (path, key, body) = match wire {
            Wire::Anthropic => (
                "/v1/messages",
                request.header("x-api-key").map(str::to_owned),
                json!({"model": MODEL, "max_tokens": 77, "stream": true, "system": "Be brief.", "messages": said}),
            ),
            Wire::OpenAiChat => (
                "/v1/chat/completions",
                request.header("authorization").map(|value| value.replace("Bearer ", "")),
                json!({
                    "model": MODEL, "max_tokens": 77, "stream": true, "stream_options": {"include_usage": true},
                    "messages": with_rules, "response_format": {"type": "json_schema", "json_schema": format},
                }),
            ),
            Wire::OpenAiResponses => (
                "/v1/responses",
                request.header("authorization").map(|value| value.replace("Bearer ", "")),
                json!({
                    "model": MODEL, "max_output_tokens": 77, "stream": true, "store": false, "instructions": "Be brief.",
                    "input": said,
                    "text": {"format": {"type": "json_schema", "name": "judge", "schema": {"type": "object"}, "strict": true}},
                }),
            ),
        };
        assert_eq!((request.path(), key.as_deref()), (path, Some(KEY)));
        assert_eq!(request.body, body);
        assert_eq!(request.header("anthropic-version").is_some(), wire == Wire::Anthropic);
    }
}

#[tokio::test]
async fn without_a_key_none_is_sent() {
    for wire in WIRES {
        let server = Server::following(vec![stream(&whole_stream(wire, &["a"]))]).await;
        let mut endpoint = endpoint(&server, wire);
        endpoint.key = None;
        client(endpoint).ask(&question()).await.unwrap();
        let request = server.requests().remove(0);
        assert_eq!((request.header("x-api-key"), request.header("authorization")), (None, None));
    }
}

#[tokio::test]
async fn a_stream_split_between_any_two_bytes_is_the_same_answer() {
    for wire in WIRES {
        let bytes = whole_stream(wire, &["naïve ", "日本 🦀"]).replace('\n', "\r\n").into_bytes();
        let (reply, _) = ask(wire, vec![vec![stream_head(), Step::Spell(bytes)]]).await;
        assert_eq!(reply.unwrap().text, "naïve 日本 🦀");
    }
}

#[tokio::test]
async fn an_answer_in_one_piece_is_understood() {
    for wire in WIRES {
        let headers = "Content-Type: Application/JSON; charset=utf-8\r\n";
        let (reply, _) = ask(wire, vec![response(200, headers, &whole(wire, "late"))]).await;
        let reply = reply.unwrap();
        assert_eq!((reply.text.as_str(), reply.model.as_str()), ("late", TOLD_MODEL));
        assert_eq!(reply.usage, told_usage(wire));
    }
}

#[tokio::test]
async fn an_answer_that_got_too_long_says_so() {
    for wire in WIRES {
        let (reply, _) =
            ask(wire, vec![stream(&(beginning(wire, &["half"]) + &ending(wire, true, true)))]).await;
        assert!(reply.unwrap().is_cut);
    }
}

#[tokio::test]
async fn what_is_not_counted_is_estimated() {
    // Anthropic counts the question at the beginning, so only the other two leave it out here.
    for wire in [Wire::OpenAiChat, Wire::OpenAiResponses] {
        let text = "x".repeat(300);
        let events = beginning(wire, &[&text]) + &ending(wire, false, false);
        let (reply, _) = ask(wire, vec![stream(&events)]).await;
        // The rules and the text of the question have 26 bytes.
        assert_eq!(reply.unwrap().usage, Usage { input: 9, output: 100, ..Usage::default() });
    }
    let (reply, _) = ask(
        Wire::Anthropic,
        vec![stream(&(beginning(Wire::Anthropic, &["x"]) + &ending(Wire::Anthropic, false, false)))],
    )
    .await;
    assert_eq!(reply.unwrap().usage.input, 60);
}

#[tokio::test]
async fn control_characters_in_an_answer_are_the_answer() {
    for wire in WIRES {
        let (reply, _) =
            ask(wire, vec![stream(&whole_stream(wire, &["a\u{1b}[2J\u{0}", "\r\n\u{202e}b"]))]).await;
        assert_eq!(reply.unwrap().text, "a\u{1b}[2J\u{0}\r\n\u{202e}b");
    }
}

#[tokio::test]
async fn after_429_the_pause_that_was_asked_for_is_made() {
    for wire in WIRES {
        let busy = response(429, "retry-after-ms: 150\r\n", "{}");
        let began = Instant::now();
        let (reply, server) = ask(wire, vec![busy, stream(&whole_stream(wire, &["late"]))]).await;
        let reply = reply.unwrap();
        assert!(began.elapsed() >= Duration::from_millis(150));
        assert_eq!((reply.text.as_str(), reply.usage), ("late", told_usage(wire)));
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn what_may_pass_is_tried_again() {
    for status in [408, 409, 429, 500, 502, 503, 504, 529] {
        let wire = Wire::Anthropic;
        let (reply, server) =
            ask(wire, vec![response(status, "", ""), stream(&whole_stream(wire, &["late"]))]).await;
        assert_eq!(reply.unwrap().text, "late", "{status}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn after_a_cut_stream_the_answer_is_the_second_one_and_both_are_counted() {
    for wire in WIRES {
        for cut in
            [stream(&beginning(wire, &["wrong wrong"])), torn_chunks(&beginning(wire, &["wrong wrong"]))]
        {
            let (reply, server) = ask(wire, vec![cut, stream(&whole_stream(wire, &["right"]))]).await;
            let reply = reply.unwrap();
            assert_eq!(reply.text, "right");
            assert_eq!(server.requests().len(), 2);
            // 11 bytes were said in vain: 4 tokens. Only Anthropic had counted the question by then.
            let vain = if wire == Wire::Anthropic {
                Usage { output: 4, ..told_usage(wire) }
            } else {
                Usage { input: 9, output: 4, ..Usage::default() }
            };
            let mut expect = told_usage(wire);
            expect.add(&vain);
            assert_eq!(reply.usage, expect, "{wire:?}");
        }
    }
}

#[tokio::test]
async fn an_error_inside_a_stream_is_handled_like_its_status() {
    for wire in WIRES {
        let busy = stream(&(beginning(wire, &["a"]) + &error_event(wire, "overloaded_error", "Overloaded")));
        let (reply, server) = ask(wire, vec![busy, stream(&whole_stream(wire, &["late"]))]).await;
        assert_eq!(reply.unwrap().text, "late");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_schema_that_is_refused_is_left_out_once() {
    for wire in [Wire::OpenAiChat, Wire::OpenAiResponses] {
        let refusal = response(400, "", r#"{"error": {"message": "response_format is not supported"}}"#);
        let server = Server::following(vec![refusal, stream(&whole_stream(wire, &["{}"]))]).await;
        let mut endpoint = endpoint(&server, wire);
        endpoint.max_retries = 0;
        let mut question = question();
        question.schema = Some(json!({"type": "object"}));
        assert_eq!(client(endpoint).ask(&question).await.unwrap().text, "{}");
        let field = if wire == Wire::OpenAiChat { "response_format" } else { "text" };
        let has_field: Vec<bool> =
            server.requests().iter().map(|request| !request.body[field].is_null()).collect();
        assert_eq!(has_field, [true, false]);
    }
}

#[tokio::test]
async fn the_limit_is_called_otherwise_where_its_usual_name_is_refused() {
    let wire = Wire::OpenAiChat;
    let refusal = response(400, "", r#"{"error": {"message": "Use 'max_completion_tokens' instead."}}"#);
    let (reply, server) = ask(wire, vec![refusal, stream(&whole_stream(wire, &["late"]))]).await;
    assert_eq!(reply.unwrap().text, "late");
    let request = server.requests().remove(1);
    assert_eq!(
        (&request.body["max_completion_tokens"], &request.body["max_tokens"]),
        (&json!(77), &json!(null))
    );
}
