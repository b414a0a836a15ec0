//! The worked example with engine `api`: the same people, pages and moves, chosen by a model. Sources must be fetched, and only public
//! pages are, so the test has a network of its own with an address in it that looks public.

use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use subcortex_fake_model::{Model, Turn};

use super::supervised::{board, has, wait_for, wait_until};
use crate::models::{call, done, is_exit_question};
use crate::partitions::{drop_task, inbox, partition};
use crate::redis::Server;
use crate::support::{TestHome, binary, skip};

/// Looks public; in the test's own network it is this machine.
const PUBLIC: &str = "11.22.33.44";
/// Says that the test is inside of its network.
const INSIDE: &str = "SUBCORTEX_TEST_NETWORK";
/// How long the model thinks before it gives up.
const PATIENCE: Duration = Duration::from_secs(60);
const WORKERS: [&str; 3] = ["worker-1", "worker-2", "worker-3"];

/// Runs this test once more in a network of its own; `true` there.
fn is_inside(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let network = format!("ip link set lo up && ip addr add {PUBLIC}/32 dev lo");
    let enter = |then: &str| {
        let mut command = Command::new("unshare");
        command.args(["--net", "sh", "-c", &format!("{network} && {then}")]);
        command
    };
    if !enter("true").output().is_ok_and(|output| output.status.success()) {
        skip(test, "a network of its own cannot be made here; it needs root and `ip`");
        return false;
    }
    let this = format!("blackboard::supervised_api::{test}");
    let mut again = enter("exec \"$0\" \"$@\"");
    again.arg(std::env::current_exe().unwrap()).args(["--exact", &this, "--nocapture"]).env(INSIDE, "1");
    let output = again.output().unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "the test itself ran");
    false
}

/// A web site; gives its address. The report is found only by whoever is told to look for it.
fn pages() -> String {
    let listener = TcpListener::bind((PUBLIC, 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 4096];
            let len = stream.read(&mut request).unwrap_or(0);
            let line = String::from_utf8_lossy(&request[..len]).lines().next().unwrap_or_default().to_owned();
            let page =
                ["Acme Ann", "Globex Ben", "Initech-report Dee", "Hooli Cem"].into_iter().find_map(|page| {
                    let (name, leads) = page.split_once(' ').unwrap();
                    line.starts_with(&format!("GET /{name} ")).then_some(leads)
                });
            let (status, text) = page.map_or(("404 Not Found", "nothing"), |leads| ("200 OK", leads));
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
                text.len()
            );
            drop(stream.write_all(answer.as_bytes()));
        }
    });
    address
}

/// What the model makes of a request: whom it speaks for stands in it.
struct Thinking {
    home: PathBuf,
    pages: String,
    /// What a worker does next.
    plans: Mutex<BTreeMap<&'static str, VecDeque<String>>>,
}

impl Thinking {
    fn answer(&self, request: &Value) -> Turn {
        if is_exit_question(request) {
            return Turn::say("null");
        }
        let text = request.to_string();
        match WORKERS.into_iter().find(|name| text.contains(&format!("# You are {name}"))) {
            Some(worker) => Turn::say(self.work(worker, &text)),
            None => Turn::say(self.supervise()),
        }
    }

    fn work(&self, worker: &'static str, request: &str) -> String {
        let mut plans = self.plans.lock().unwrap();
        let plan = plans.entry(worker).or_default();
        if plan.is_empty() {
            *plan = self.plan(worker, request);
        }
        plan.pop_front().unwrap()
    }

    /// Claims, pages and facts for the entities of a task.
    fn plan(&self, worker: &str, request: &str) -> VecDeque<String> {
        let task = request.rsplit("[blackboard:research]").next().unwrap_or_default();
        let entities =
            task.split("entities: ").nth(1).and_then(|rest| rest.split("\\n").next()).unwrap_or_default();
        let mut plan = VecDeque::new();
        for entity in entities.split(", ") {
            let page = |name: &str| format!("{}/{name}", self.pages);
            let verified = |url: &str, value: &str| {
                say(
                    json!({"kind": "VERIFIED", "entity": entity, "field": "ceo", "value": value, "source_url": url, "retrieved_by": worker}),
                )
            };
            plan.push_back(say(json!({"kind": "PENDING", "entity": entity, "field": "ceo", "assigned_to": worker, "turn": 1})));
            let mut find = |name: &str, value: &str| {
                plan.push_back(call("http_get", json!({"url": page(name)})));
                plan.push_back(verified(&page(name), value));
            };
            match entity {
                "Acme" => find("Acme", "Ann"),
                "Hooli" => find("Hooli", "Cem"),
                "Initech" if task.contains("query: ") => find("Initech-report", "Dee"),
                "Globex" => {
                    plan.push_back(call("http_get", json!({"url": page("dead")})));
                    // A page that was not had is no source, whatever a model says.
                    plan.push_back(verified(&page("dead"), "Nobody"));
                    plan.push_back(say(json!({"kind": "FAILED_URL", "url": page("dead"), "failure_reason": "404", "tried_by": worker})));
                    plan.push_back(call("http_get", json!({"url": page("Globex")})));
                    plan.push_back(verified(&page("Globex"), "Ben"));
                }
                _ => plan.push_back(say(json!({"kind": "UNVERIFIED", "entity": entity, "field": "ceo", "claimed_value": null, "reason": "no page"}))),
            }
        }
        plan.push_back(done("NO-OP: said on the blackboard"));
        plan
    }

    /// Waits until there is something to do, and does it.
    fn supervise(&self) -> String {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(next) = self.next_move(&read(&self.home)) {
                return next;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        done("PARTIAL_UPDATE: nothing happens")
    }

    fn next_move(&self, board: &Value) -> Option<String> {
        let list = |what: &str| board[what].as_array().cloned().unwrap_or_default();
        let (entries, facts) = (list("entries"), list("facts"));
        let strategies = entries.iter().filter(|entry| entry["kind"] == "STRATEGY").count();
        let wants_hooli = entries.iter().any(|entry| entry["text"] == "also Hooli");
        let stands = |state: &str| facts.iter().any(|fact| fact["state"] == state);
        let plan = |initech: &str, hooli: bool, query: Option<&str>| {
            let mut entities = vec!["Acme", "Globex", "Initech"];
            let mut assigned = json!({"Acme": "worker-1", "Globex": "worker-2", "Initech": initech});
            if hooli {
                entities.push("Hooli");
                assigned["Hooli"] = json!("worker-2");
            }
            let mut entry = json!({"kind": "STRATEGY", "goal": "who leads them", "entities": entities, "tool_chain": ["http_get"], "assigned": assigned});
            if let Some(query) = query {
                entry["query"] = json!(query);
            }
            Some(say(entry))
        };
        if board["synthesis"].is_string() {
            return Some(done("UPDATED: done"));
        }
        if strategies == 0 {
            return plan("worker-3", false, None);
        }
        if let Some(url) = list("failed_urls").first() {
            return Some(say(
                json!({"kind": "TOMBSTONE", "url": url, "failure_reason": "reported by a worker", "turn": 1}),
            ));
        }
        if stands("unverified") && strategies == 1 {
            return plan("worker-1", false, Some("Initech annual report"));
        }
        if !list("open_directives").is_empty() {
            return plan("worker-1", true, Some("Initech annual report"));
        }
        let verified: Vec<&Value> = facts.iter().filter(|fact| fact["state"] == "verified").collect();
        if wants_hooli && verified.len() == 4 && !stands("pending") && !stands("unverified") {
            let citations: Vec<&Value> = verified.iter().map(|fact| &fact["source_url"]).collect();
            return Some(say(
                json!({"kind": "SYNTHESIS", "text": "All of them have somebody who leads them.", "citations": citations}),
            ));
        }
        None
    }
}

fn say(entry: Value) -> String {
    call("blackboard_append", json!({ "entry": entry }))
}

fn read(home: &Path) -> Value {
    let mut command = Command::new(binary());
    command.env_clear().arg("--home").arg(home).args(["blackboard", "read", "research", "--json"]);
    serde_json::from_slice(&command.output().unwrap().stdout).unwrap_or_default()
}

fn play(settings: &str) {
    let (home, pages) = (TestHome::new(), pages());
    let thinking = Arc::new(Thinking { home: home.path(""), pages: pages.clone(), plans: Mutex::default() });
    let model = Model::start(move |request, _| thinking.answer(request));
    let api =
        format!("api: {{ base_url: 'http://127.0.0.1:{}', model: scripted, max_retries: 0 }}\n", model.port);
    home.write(
        "config/subcortex.yaml",
        format!("cadence: {{ interval_ms: 1000, max_parallel: 4 }}\n{api}{settings}"),
    );
    for (name, role) in [("supervisor", "supervisor")].into_iter().chain(WORKERS.map(|name| (name, "worker")))
    {
        let definition = format!(
            "schedule: {{ cooldown_ticks: 0, max_duration_ms: 300000 }}\nengine: api\nagent: {{ max_iterations: 40 }}\n\
             blackboard: {{ role: {role}, thread: research }}"
        );
        partition(&home, name, &definition);
    }
    let daemon = home.daemon();
    drop_task(&home, "supervisor", "who.md", "Who leads Acme, Globex and Initech?");
    wait_until(&home, "what stays unverified is handed on", |board| {
        let strategies =
            board["entries"].as_array().unwrap().iter().filter(|entry| entry["kind"] == "STRATEGY");
        has(board, "UNVERIFIED", "entity", "Initech") && strategies.count() == 2
    });
    let directive = json!({"kind": "USER_DIRECTIVE", "text": "also Hooli"}).to_string();
    let said = home.run(&["blackboard", "append", "research", "--role", "user", "--as", "ann", &directive]);
    assert_eq!(said.code, 0, "{said:?}");
    let end = wait_until(&home, "a synthesis", |board| board["synthesis"].is_string());
    assert!(has(&end, "TOMBSTONE", "url", &format!("{pages}/dead")), "{end:#}");
    for (entity, value) in [("Acme", "Ann"), ("Globex", "Ben"), ("Initech", "Dee"), ("Hooli", "Cem")] {
        let entries = end["entries"].as_array().unwrap();
        let found: Vec<_> =
            entries.iter().filter(|entry| entry["kind"] == "VERIFIED" && entry["entity"] == entity).collect();
        assert_eq!(found.len(), 1, "{entity}: {end:#}");
        assert_eq!(
            (&found[0]["value"], &found[0]["checked"]),
            (&json!(value), &json!(true)),
            "its page was fetched"
        );
    }
    wait_for("the supervisor's task is acked", || inbox(&home, "supervisor").is_empty());
    let runs = home.json(&["runs", "--json"]).to_string();
    assert!(
        runs.contains("All of them have somebody who leads them."),
        "the synthesis is the result: {runs}"
    );
    assert!(board(&home)["synthesis"].is_string());
    daemon.signal("TERM");
    assert!(daemon.end().success());
}

#[test]
fn with_models_it_runs_on_files() {
    if is_inside("with_models_it_runs_on_files") {
        play("");
    }
}

#[test]
fn with_models_it_runs_on_redis() {
    if !is_inside("with_models_it_runs_on_redis") {
        return;
    }
    if let Some(server) = Server::start("with_models_it_runs_on_redis") {
        play(&server.settings());
    }
}
