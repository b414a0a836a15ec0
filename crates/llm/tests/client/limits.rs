//! What is read at most, and what happens to the connection.

use subcortex_llm::Wire;
use subcortex_mind::{FailureKind, Mind};

use crate::server::{Server, Step, stream_head};
use crate::speech::{WIRES, beginning};
use crate::{client, endpoint, question};

/// Asks, expects an answer that is too much, and waits for the server to see the end of the connection.
async fn check_too_much(wire: Wire, steps: Vec<Step>) {
    let mut server = Server::following(vec![steps]).await;
    let failure = client(endpoint(&server, wire)).ask(&question()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Garbage);
    assert!(failure.message.contains("does not stop answering"), "{}", failure.message);
    assert!(failure.usage.total() > 0);
    server.gone().await;
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_without_an_end_is_given_up() {
    for wire in WIRES {
        // The end of a beginning is one piece of the text; it comes again and again.
        let piece = "x".repeat(10_000);
        let said = beginning(wire, &[&piece]);
        let again = said.rsplit("\n\n").nth(1).unwrap().to_owned() + "\n\n";
        check_too_much(
            wire,
            vec![stream_head(), Step::Say(said.into_bytes()), Step::Repeat(again.into_bytes())],
        )
        .await;
    }
}

#[tokio::test]
async fn a_line_without_an_end_is_given_up() {
    let line = vec![stream_head(), Step::Say(b"data: ".to_vec()), Step::Repeat(vec![b'x'; 64 * 1024])];
    check_too_much(Wire::OpenAiChat, line).await;
}

#[tokio::test]
async fn comments_without_an_end_are_given_up() {
    let comment = format!(": {}\n", "x".repeat(64 * 1024));
    check_too_much(Wire::Anthropic, vec![stream_head(), Step::Repeat(comment.into_bytes())]).await;
}

#[tokio::test]
async fn json_without_an_end_is_given_up() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"a\": \"".to_vec();
    check_too_much(Wire::OpenAiResponses, vec![Step::Say(head), Step::Repeat(vec![b'x'; 64 * 1024])]).await;
}

#[tokio::test]
async fn a_complaint_without_an_end_is_cut_short() {
    let head = b"HTTP/1.1 400 Bad\r\n\r\n".to_vec();
    let mut server =
        Server::following(vec![vec![Step::Say(head), Step::Repeat(b"why ".repeat(1_000))]]).await;
    let failure = client(endpoint(&server, Wire::Anthropic)).ask(&question()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Refused);
    assert!(failure.message.len() < 700, "{}", failure.message.len());
    server.gone().await;
}

#[tokio::test]
async fn dropping_a_question_closes_its_connection() {
    for wire in WIRES {
        let said = Step::Say(beginning(wire, &["wrong"]).into_bytes());
        for script in [vec![Step::Hang], vec![stream_head(), said, Step::Hang]] {
            let mut server = Server::following(vec![script]).await;
            let client = client(endpoint(&server, wire));
            let question = question();
            tokio::select! {
                reply = client.ask(&question) => panic!("nothing was answered, and yet: {reply:?}"),
                () = server.hanging() => {}
            }
            server.gone().await;
            assert_eq!(server.requests().len(), 1);
        }
    }
}
