//! Blackboards from outside: the command, on files and on a Redis server; who speaks inside a run; a whole supervised run.

mod api;
mod supervised;
mod supervised_api;
mod tls;

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::partitions::{drop_task, script};
use crate::redis::on_each;
use crate::support::{Said, TestHome, binary};

pub(super) const PAGE: &str = "https://acme.example/about";

pub(super) fn say(home: &TestHome, role: &str, id: &str, entry: &Value) -> Said {
    home.run(&["blackboard", "append", "t", "--role", role, "--as", id, &entry.to_string()])
}

#[track_caller]
fn takes(home: &TestHome, role: &str, id: &str, entry: &Value) {
    let said = say(home, role, id, entry);
    assert_eq!(said.code, 0, "{entry}: {said:?}");
}

#[track_caller]
fn refuses(home: &TestHome, role: &str, id: &str, entry: &Value, expect: &str) {
    let before = home.json(&["blackboard", "read", "t", "--json"]);
    let said = say(home, role, id, entry);
    assert_eq!(said.code, 2, "{entry}: {said:?}");
    assert!(said.err.contains(expect), "{said:?}");
    assert_eq!(home.json(&["blackboard", "read", "t", "--json"]), before, "a refusal leaves no trace");
}

fn strategy() -> Value {
    json!({"kind": "STRATEGY", "goal": "who leads Acme", "entities": ["Acme"], "tool_chain": ["search"], "assigned": {"Acme": "w1"}})
}

fn pending(worker: &str) -> Value {
    json!({"kind": "PENDING", "entity": "Acme", "field": "ceo", "assigned_to": worker, "turn": 1})
}

fn verified(worker: &str) -> Value {
    json!({"kind": "VERIFIED", "entity": "Acme", "field": "ceo", "value": "Ann", "source_url": PAGE, "retrieved_by": worker})
}

#[test]
fn a_thread_from_plan_to_synthesis_by_command() {
    on_each("thread_by_command", |home| {
        refuses(home, "worker", "w1", &pending("w1"), "there is no STRATEGY yet");
        takes(home, "supervisor", "boss", &strategy());
        takes(home, "worker", "w1", &pending("w1"));
        refuses(home, "worker", "w2", &pending("w2"), "is claimed by `w1`");
        refuses(home, "worker", "w1", &strategy(), "STRATEGY is for a supervisor");
        takes(home, "worker", "w1", &verified("w1"));
        let synthesis = json!({"kind": "SYNTHESIS", "text": "Ann leads Acme", "citations": [PAGE]});
        takes(home, "user", "ann", &json!({"kind": "USER_DIRECTIVE", "text": "be brief"}));
        refuses(home, "supervisor", "boss", &synthesis, "the USER_DIRECTIVE `be brief` is not answered");
        takes(home, "supervisor", "boss", &strategy());
        takes(home, "supervisor", "boss", &synthesis);
        let read = home.json(&["blackboard", "read", "t", "--json"]);
        let kinds: Vec<_> =
            read["entries"].as_array().unwrap().iter().map(|entry| entry["kind"].clone()).collect();
        assert_eq!(kinds, ["STRATEGY", "PENDING", "VERIFIED", "USER_DIRECTIVE", "STRATEGY", "SYNTHESIS"]);
        assert_eq!(read["synthesis"], "Ann leads Acme");
        assert_eq!(read["entries"][2]["checked"], false, "nobody watched the fetch");
        let text = home.run(&["blackboard", "read", "t"]).out;
        assert!(text.contains("Acme / ceo = Ann (https://acme.example/about, unchecked)"), "{text}");
    });
}

#[test]
fn bad_input_exits_with_2_and_says_what_is_wrong() {
    on_each("bad_input", |home| {
        takes(home, "supervisor", "boss", &strategy());
        refuses(home, "boss", "b", &strategy(), "there is no role `boss`");
        refuses(home, "worker", "w\u{7}", &pending("w1"), "control character");
        refuses(home, "worker", "w1", &json!({"kind": "GUESS"}), "no kind of entry");
        refuses(home, "worker", "w1", &json!({"kind": "PENDING", "entity": "Acme"}), "missing field");
        let mut extra = pending("w1");
        extra["role"] = json!("supervisor");
        refuses(home, "worker", "w1", &extra, "unknown field");
        let mut empty = pending("w1");
        empty["entity"] = json!("");
        refuses(home, "worker", "w1", &empty, "`entity` is empty");
        for thread in ["../x", "a/b", "..", "a..b", ""] {
            let said = home.run(&[
                "blackboard",
                "append",
                thread,
                "--role",
                "user",
                "--as",
                "a",
                r#"{"kind":"USER_DIRECTIVE","text":"x"}"#,
            ]);
            assert_eq!(said.code, 2, "{thread}: {said:?}");
            assert_eq!(home.run(&["blackboard", "read", thread, "--json"]).code, 2, "{thread}");
        }
        let said = home.run(&["blackboard", "append", "t", r#"{"kind":"USER_DIRECTIVE","text":"x"}"#]);
        assert_eq!((said.code, said.err.contains("--role is missing")), (2, true), "{said:?}");
        let mut huge = verified("w1");
        huge["value"] = json!("x".repeat(1 << 20));
        let said = piped(
            home,
            &["blackboard", "append", "t", "--role", "worker", "--as", "w1", "-"],
            &huge.to_string(),
        );
        assert_eq!((said.code, said.err.contains("at most 262144 are taken")), (2, true), "{said:?}");
    });
}

fn piped(home: &TestHome, args: &[&str], input: &str) -> Said {
    use std::io::Write;
    let mut command = home.command(args);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It stops reading when it has seen enough.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn watch_shows_a_thread_as_it_grows() {
    on_each("watch", |home| {
        use std::io::{BufRead, BufReader};
        takes(home, "user", "ann", &json!({"kind": "USER_DIRECTIVE", "text": "before"}));
        let mut child = home.command(&["blackboard", "watch", "t"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.next().unwrap().unwrap().contains("USER_DIRECTIVE  user ann: before"));
        takes(home, "user", "ann", &json!({"kind": "USER_DIRECTIVE", "text": "after\u{2028}x"}));
        let line = lines.next().unwrap().unwrap();
        assert!(line.contains("user ann: after"), "{line}");
        child.kill().unwrap();
        child.wait().unwrap();
    });
}

#[test]
fn inside_a_run_the_token_says_who_speaks() {
    let home = crate::partitions::home();
    let entry =
        r#"{"kind":"FAILED_URL","url":"https://dead.example/","failure_reason":"404","tried_by":"worker"}"#;
    let append = format!("{} blackboard append", binary());
    let tries = format!(
        "{append} t --role supervisor '{entry}' 2>>said; echo $? >>said\n\
         {append} t --as other '{entry}' 2>>said; echo $? >>said\n\
         {append} other '{entry}' 2>>said; echo $? >>said\n\
         SUBCORTEX_TOKEN=guess {append} t '{entry}' 2>>said; echo $? >>said\n\
         env -u SUBCORTEX_TOKEN {append} t --role user --as ann '{entry}' 2>>said; echo $? >>said\n\
         {append} t '{entry}' >>said; echo $? >>said\n\
         echo NO-OP: said"
    );
    script(&home, "worker", "cooldown_ticks: 0", &tries);
    let file = home.path("subconscious/worker/CLAUDE.md");
    let plain = std::fs::read_to_string(&file).unwrap();
    drop_task(&home, "worker", "no-seat.md", "x");
    home.run(&["tick", "--partition", "worker"]);
    let said = home.path("subconscious/worker/said");
    let text = std::fs::read_to_string(&said).unwrap();
    assert!(
        text.contains("the partition worker has no place on a blackboard") && !text.contains("\n0\n"),
        "{text}"
    );
    std::fs::remove_file(&said).unwrap();
    let seated = plain.replacen("---\n", "---\nblackboard: { role: worker, thread: t }\n", 1);
    std::fs::write(&file, seated).unwrap();
    takes(&home, "supervisor", "boss", &strategy());
    drop_task(&home, "worker", "seat.md", "x");
    home.run(&["tick", "--partition", "worker"]);
    let text = std::fs::read_to_string(&said).unwrap();
    assert!(text.contains("this run is `worker` on the blackboard, and --role says `supervisor`"), "{text}");
    assert!(text.contains("--as says `other`") && text.contains("the thread says `other`"), "{text}");
    assert!(text.contains("403 Unauthorized"), "{text}");
    let codes: Vec<_> = text.lines().filter(|line| line.len() == 1).collect();
    assert_eq!(codes, ["2", "2", "2", "2", "2", "2", "0"], "the seq stands before the last: {text}");
    let read = home.json(&["blackboard", "read", "t", "--json"]);
    assert_eq!(
        (&read["entries"][1]["role"], &read["entries"][1]["by"]),
        (&json!("worker"), &json!("worker"))
    );
    assert_eq!(read["entries"].as_array().unwrap().len(), 2);
}

#[test]
fn an_expired_thread_reads_as_one_that_never_began() {
    let home = crate::partitions::home();
    home.write("config/subcortex.yaml", "blackboard: { ttl_s: 1 }\n");
    takes(&home, "supervisor", "boss", &strategy());
    let start = Instant::now();
    while home.json(&["blackboard", "read", "t", "--json"])["entries"] != json!([]) {
        assert!(start.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(100));
    }
    refuses(&home, "worker", "w1", &pending("w1"), "there is no STRATEGY yet");
    let said = home.run(&["blackboard", "read", "t"]);
    assert!(said.code == 0 && said.err.contains("it has expired"), "{said:?}");
}

#[test]
fn a_server_that_is_away_and_a_wrong_address_are_said_clearly() {
    let home = crate::partitions::home();
    home.write("config/subcortex.yaml", "blackboard: { store: 'redis://:hush@127.0.0.1:1' }\n");
    let said = say(&home, "supervisor", "boss", &strategy());
    assert_eq!(said.code, 74, "{said:?}");
    assert!(
        said.err.contains("the Redis server at 127.0.0.1:1 does not answer") && !said.err.contains("hush"),
        "{said:?}"
    );
    home.write("config/subcortex.yaml", "blackboard: { store: 'memcached://x' }\n");
    let said = say(&home, "supervisor", "boss", &strategy());
    assert!(said.code == 2 && said.err.contains("blackboard.store"), "{said:?}");
}

#[test]
fn no_agent_speaks_as_the_user() {
    let home = TestHome::new();
    let entry = json!({"kind": "USER_DIRECTIVE", "text": "deploy now"}).to_string();
    let args = ["blackboard", "append", "t", "--role", "user", "--as", "ann", &entry];
    let refused = home.command(&args).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("only a person speaks as the user"));
    assert!(!home.run(&["blackboard", "read", "t"]).out.contains("deploy"));
}
