//! A worker's own page and scratchpad, over HTTP and on the command line, with the token of its run.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::Notes;

/// A worker that writes its token and address where the test finds them, and waits until the test lets it go.
const WORKER: &str = "#!/bin/sh\n\
    echo \"$SUBCORTEX_TOKEN $SUBCORTEX_URL\" > told.tmp && mv told.tmp told\n\
    while [ ! -e go ]; do sleep 0.02; done\n\
    echo \"NO-OP: waited\"\n";

fn wait_for(what: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !what() {
        assert!(Instant::now() < until, "it never happened");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The status line's number and the body.
fn http(url: &str, line: &str, token: &str, body: &str) -> (u16, String) {
    let address = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "{line} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
}

#[test]
fn only_the_worker_itself_changes_its_scratchpad_and_only_while_it_runs() {
    let notes = Notes::saying("", vec![], "");
    for worker in ["ann", "ben"] {
        notes.partition(
            worker,
            "engine: command\ncommand: [./work.sh]\nschedule: { max_duration_ms: 120000 }",
        );
        notes.home.write(&format!("subconscious/{worker}/work.sh"), WORKER);
        let script = notes.home.path(&format!("subconscious/{worker}/work.sh"));
        std::fs::set_permissions(script, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    }
    let daemon = notes.home.daemon();
    for worker in ["ann", "ben"] {
        notes.home.write(&format!("subconscious/{worker}/inbox/task"), "wait");
    }
    let told = |worker: &str| notes.read(&format!("subconscious/{worker}/told"));
    wait_for(|| !told("ann").is_empty() && !told("ben").is_empty());
    let (ann, url) = told("ann").trim().split_once(' ').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let ben = told("ben").split(' ').next().unwrap().to_owned();
    assert_eq!(notes.home.json(&["status", "--json"])["url"], url.as_str());

    let update = "POST /whoami/actions/update_scratchpad";
    let (status, page) = http(&url, "GET /whoami", &ann, "");
    assert!(
        status == 200 && page.starts_with("# You are ann") && page.contains("## Your Scratchpad"),
        "{page}"
    );
    assert_eq!(http(&url, update, &ann, "ann was here"), (200, "Scratchpad updated successfully.".into()));
    assert_eq!(http(&url, update, "guess", "owned"), (403, "403 Unauthorized".into()));
    let too_long = "Scratchpad content exceeds maximum length of 10000 characters".to_owned();
    assert_eq!(http(&url, update, &ann, &"x".repeat(10_001)), (400, too_long.clone()));
    assert_eq!(http(&url, update, &ann, &"ü".repeat(10_000)).0, 200, "characters, not bytes");
    assert_eq!(http(&url, update, &ann, "").0, 200, "an empty text clears it");
    assert_eq!(http(&url, update, &ann, "ann was here").0, 200);
    assert!(http(&url, "GET /whoami", &ann, "").1.contains("ann was here"));
    assert!(!http(&url, "GET /whoami", &ben, "").1.contains("ann was here"));

    assert!(page.contains("## Your Plans\n\n- Current task: task\n- Goals: none\n"), "{page}");
    let typed = |kind: &str, body: &str| {
        http(&url, &format!("{update} HTTP/1.1\r\ncontent-type: {kind}\r\nx:"), &ann, body)
    };
    let json = "application/json";
    let plans = r#"{"goals": ["sort"], "pending_actions": ["rest"], "current_task": "now", "content": "ann was here"}"#;
    assert_eq!(typed(json, plans).0, 200);
    let page = http(&url, "GET /whoami", &ann, "").1;
    assert!(
        page.contains("- Current task: now\n- Goals:\n  - sort\n- Pending actions:\n  - rest\n"),
        "{page}"
    );
    assert!(notes.home.run(&["whoami", "ann"]).out.contains("  - sort\n"), "durable at once");
    let form = "application/x-www-form-urlencoded";
    assert_eq!(typed(form, "content=abc+def").0, 200);
    assert_eq!(notes.home.run(&["scratchpad", "show", "ann"]).out, "abc def\n");
    for (kind, body, status, part) in [
        ("application/xml", "x", 415, "the content type must be"),
        (form, "note=x", 400, "there is no key `note` here; the keys are `scratchpad`, `content`, `goals`"),
        (json, r#"{"content": "a", "scratchpad": "b"}"#, 400, "give one of them"),
        (json, r#"{"notes": "a"}"#, 400, "there is no key `notes` here"),
        (json, r#"{"goals": "a"}"#, 400, "`goals` must be a list"),
        (form, &format!("content={}", "x".repeat(10_001)), 400, &too_long),
    ] {
        let (code, why) = typed(kind, body);
        assert!(code == status && why.contains(part), "{kind}: {code} {why}");
    }
    assert_eq!(typed(json, r#"{"scratchpad": "ann was here"}"#).0, 200);

    let set = |worker: &str, token: Option<&str>, text: &str| {
        let mut command = notes.home.command(&["scratchpad", "set", worker, text]);
        command.envs(token.map(|token| ("SUBCORTEX_TOKEN", token)));
        let output = command.output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, said) = set("ben", Some(&ben), "ben too");
    assert_eq!((code, said.as_str()), (0, "Scratchpad updated successfully.\n"));
    for (worker, token) in [("ben", Some(ann.as_str())), ("ben", None), ("ben", Some("guess"))] {
        let (code, said) = set(worker, token, "owned");
        assert!(code == 1 && said.contains("403 Unauthorized"), "{code} {said}");
    }
    let (code, said) = set("ann", Some(&ann), &"x".repeat(10_001));
    assert!(code == 2 && said.contains(&too_long), "{code} {said}");
    assert_eq!(notes.home.run(&["scratchpad", "show", "ann"]).out, "ann was here\n");
    assert_eq!(notes.home.run(&["scratchpad", "show", "ben"]).out, "ben too\n");
    assert!(notes.home.run(&["whoami", "ben"]).out.contains("ben too"));

    notes.home.write("subconscious/ann/go", "");
    notes.home.write("subconscious/ben/go", "");
    daemon.wait_for_all(&["run ended"]);
    daemon.wait_for_all(&["run ended"]);
    assert_eq!(http(&url, update, &ann, "late"), (403, "403 Unauthorized".into()));
    assert!(set("ann", Some(&ann), "late").1.contains("403 Unauthorized"));
    assert!(notes.read("subconscious/ann/scratchpad/active.yaml").contains("scratchpad: ann was here"));
    daemon.signal("TERM");
    assert!(daemon.end().success());
    assert!(!notes.home.path("var/cadence/worker.sock").exists());
}
