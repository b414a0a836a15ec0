//! Answers that never come, and what is said about them.

use subcortex_llm::Wire;
use subcortex_mind::{FailureKind, Mind, Usage};

use crate::server::{Server, Step, response, stream, stream_head};
use crate::speech::{WIRES, beginning, error_event};
use crate::{KEY, ask, client, endpoint, question};

#[tokio::test]
async fn a_refused_key_is_not_tried_again_and_never_shown() {
    for wire in WIRES {
        for status in [401, 403] {
            let body = format!(r#"{{"error": {{"message": "invalid key {KEY}\u001b[2J"}}}}"#);
            let server = Server::following(vec![response(status, "", &body)]).await;
            let client = client(endpoint(&server, wire));
            let failure = client.ask(&question()).await.unwrap_err();
            assert_eq!(failure.kind, FailureKind::Unauthorized);
            let label = server.base_url.replace("http://", "");
            assert_eq!(
                failure.message,
                format!(
                    "{label} says {status} (invalid key [REDACTED:key]\\u{{1b}}[2J): check the key that `api.key_env` or `api.key_file` names in config/subcortex.yaml"
                )
            );
            assert!(!format!("{failure:?} {client:?}").contains(KEY));
            assert_eq!((server.requests().len(), failure.usage), (1, Usage::default()));
        }
    }
}

#[tokio::test]
async fn the_key_is_shown_nowhere_however_it_is_echoed() {
    let wire = Wire::OpenAiChat;
    let scripts = [
        response(400, "", KEY),
        response(500, "", &format!("<p>{KEY}</p>")),
        response(302, &format!("location: http://a.example/{KEY}\r\n"), ""),
        response(400, "", &format!("{}{KEY}", "x".repeat(8 * 1024 - 5))),
        response(400, "", &format!("{}{KEY}", "x".repeat(295))),
        stream(&error_event(wire, KEY, KEY)),
        stream(&format!("data: {KEY}\n\n")),
        response(
            200,
            "content-type: application/json\r\n",
            &format!(r#"{{"error": {{"message": "{KEY}"}}}}"#),
        ),
    ];
    for script in scripts {
        let (reply, _) = ask(wire, vec![script.clone(), script.clone(), script]).await;
        let failure = reply.unwrap_err();
        assert!(!format!("{failure:?}").contains(&KEY[..5]), "{}", failure.message);
    }
}

#[tokio::test]
async fn what_a_person_must_correct_is_asked_once() {
    for wire in WIRES {
        for status in [400, 404, 405, 413, 418, 422] {
            let (reply, server) =
                ask(wire, vec![response(status, "", r#"{"error": "no such model"}"#)]).await;
            let failure = reply.unwrap_err();
            assert_eq!(failure.kind, FailureKind::Refused);
            assert!(failure.message.contains("(no such model): check `api."), "{}", failure.message);
            assert_eq!(server.requests().len(), 1);
        }
        let refusal = stream(&error_event(wire, "authentication_error", "who are you"));
        let (reply, server) = ask(wire, vec![refusal]).await;
        assert_eq!((reply.unwrap_err().kind, server.requests().len()), (FailureKind::Unauthorized, 1));
    }
}

#[tokio::test]
async fn a_busy_endpoint_is_asked_as_often_as_may_be() {
    for wire in WIRES {
        let busy =
            || response(529, "", r#"{"error": {"type": "overloaded_error", "message": "Overloaded"}}"#);
        let (reply, server) = ask(wire, vec![busy(), busy(), busy()]).await;
        let failure = reply.unwrap_err();
        assert_eq!((failure.kind, server.requests().len()), (FailureKind::Busy, 3));
        assert!(failure.message.contains("says 529 (Overloaded)"), "{}", failure.message);
        assert!(failure.message.ends_with("(asked 3 times)"), "{}", failure.message);
    }
}

#[tokio::test]
async fn a_stream_that_always_breaks_off_is_counted_each_time() {
    for wire in WIRES {
        let cut = || stream(&beginning(wire, &["wrong wrong"]));
        let (reply, server) = ask(wire, vec![cut(), cut(), cut()]).await;
        let failure = reply.unwrap_err();
        assert_eq!((failure.kind, server.requests().len()), (FailureKind::Unreachable, 3));
        assert_eq!(failure.usage.output, 3 * 4);
        assert_eq!(failure.usage.input, 3 * if wire == Wire::Anthropic { 60 } else { 9 });
    }
}

#[tokio::test]
async fn silence_is_ended_and_counted_like_a_cut() {
    for wire in WIRES {
        let before_the_head = vec![Step::Hang];
        let inside =
            vec![stream_head(), Step::Say(beginning(wire, &["wrong wrong"]).into_bytes()), Step::Hang];
        let mut server = Server::following(vec![before_the_head, inside]).await;
        let mut endpoint = endpoint(&server, wire);
        (endpoint.silence_ms, endpoint.max_retries) = (300, 1);
        let failure = client(endpoint).ask(&question()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::TimedOut);
        assert!(failure.message.contains("said nothing for 300 ms"), "{}", failure.message);
        server.gone().await;
        server.gone().await;
    }
}

#[tokio::test]
async fn nobody_there_is_told_with_what_to_do() {
    let server = Server::following(vec![]).await;
    let mut endpoint = endpoint(&server, Wire::OpenAiChat);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    endpoint.base_url = format!("http://{closed}/v1");
    let failure = client(endpoint).ask(&question()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert!(
        failure.message.starts_with(&format!("no connection to {closed} (Connection refused")),
        "{}",
        failure.message
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::following(vec![]).await;
    for status in [301, 302, 303, 307, 308] {
        let location = format!("location: {}/v1/messages\r\n", elsewhere.base_url);
        let (reply, _) = ask(Wire::Anthropic, vec![response(status, &location, "")]).await;
        let failure = reply.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Refused);
        assert!(failure.message.contains("redirects are not followed"), "{}", failure.message);
    }
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn what_is_no_answer_is_said_to_be_none() {
    let deep = format!("data: {}\n\n", "{\"a\":".repeat(100_000));
    for wire in WIRES {
        let scripts = [
            response(200, "content-type: text/html\r\n", "<html>\n<body>Please log in</body>\n"),
            stream("\u{0}\u{1}\u{fffd}\n\n\n garbage \n\n"),
            stream("data: not JSON\n\n"),
            stream("data: [1, 2]\n\n"),
            stream(&deep),
            response(200, "content-type: application/json\r\n", "{}"),
            response(
                200,
                "content-type: application/json\r\n",
                "{\"choices\": \"no\", \"content\": 7, \"output\": 1}",
            ),
            response(200, "content-type: application/json\r\n", "\u{1b}]0;"),
            response(204, "", ""),
        ];
        for script in scripts {
            let (reply, server) = ask(wire, vec![script.clone()]).await;
            let failure = reply.expect_err(&format!("{wire:?} {script:?}"));
            assert_eq!(
                (failure.kind, server.requests().len()),
                (FailureKind::Garbage, 1),
                "{}",
                failure.message
            );
            assert!(!failure.message.contains(char::is_control), "{:?}", failure.message);
        }
    }
}

#[tokio::test]
async fn what_is_no_http_is_a_connection_that_breaks_off() {
    let noise = || vec![Step::Say(b"\x16\x03\x01 SSH-2.0 \0\0\r\n\r\n".to_vec())];
    let (reply, server) = ask(Wire::OpenAiChat, vec![noise(), noise(), noise()]).await;
    let failure = reply.unwrap_err();
    assert_eq!((failure.kind, server.requests().len()), (FailureKind::Unreachable, 3));
}
