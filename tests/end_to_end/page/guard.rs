//! Who is let in: every row of the table of routes against everybody who is not.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::browser::http;
use super::{Door, Lively};
use crate::support::{TestHome, bundle, has_program, skip};

/// Every route, as the daemon's own description lists them: method, path with something for its places, and whose it is.
fn rows(lively: &Lively) -> Vec<(String, String, Option<String>)> {
    let described = lively.look("openapi.json");
    let mut rows = Vec::new();
    for (path, verbs) in described["paths"].as_object().unwrap() {
        for (verb, row) in verbs.as_object().unwrap() {
            let whose = row["security"][0].as_object().and_then(|one| one.keys().next().cloned());
            let places = row["parameters"].as_array().unwrap().iter().filter(|one| one["in"] == "path");
            let path = places.fold(path.clone(), |path, place| {
                path.replace(&format!("{{{}}}", place["name"].as_str().unwrap()), "x")
            });
            rows.push((verb.to_uppercase(), path, whose));
        }
    }
    rows
}

#[test]
fn every_route_refuses_who_has_no_token_a_wrong_one_another_host_or_a_foreign_origin() {
    let lively = Lively::serving(TestHome::new());
    let (port, token) = (lively.door.port, &lively.door.token);
    let host = format!("host: 127.0.0.1:{port}\r\n");
    let bearer = format!("authorization: Bearer {token}\r\n");
    let strangers = [
        ("no token", host.clone()),
        ("a wrong token", format!("{host}authorization: Bearer {}\r\n", "0".repeat(64))),
        ("a token in two", format!("{host}{bearer}{bearer}")),
        ("a token as a cookie", format!("{host}cookie: token={token}\r\n")),
        ("another host", format!("host: rebound.example:{port}\r\n{bearer}")),
        ("two hosts", format!("{host}host: rebound.example\r\n{bearer}")),
        ("no host", bearer.clone()),
        ("a foreign origin", format!("{host}origin: http://evil.example\r\n{bearer}")),
        ("the origin of another port", format!("{host}origin: http://127.0.0.1:{}\r\n{bearer}", port ^ 1)),
        ("an origin that hides", format!("{host}origin: null\r\n{bearer}")),
        ("a foreign page", format!("{host}sec-fetch-site: cross-site\r\n{bearer}")),
    ];
    let rows = rows(&lively);
    let guarded = rows.iter().filter(|(.., whose)| whose.is_some()).count();
    assert!(guarded >= 27 && rows.len() - guarded >= 19, "{rows:#?}");
    for (method, path, whose) in &rows {
        for (who, headers) in &strangers {
            let needs_token = !who.contains("token");
            if whose.is_none() && !needs_token {
                continue; // tells nothing of the home
            }
            let (status, said) =
                http(port, method, path, &format!("{headers}content-type: application/json\r\n"), "{}");
            let is_refused =
                status == 403 && said == "403 Unauthorized" || (*who == "no host" && status == 400);
            assert!(
                is_refused || (*who == "two hosts" && status == 400),
                "{method} {path}, {who}: {status} {said}"
            );
        }
        if whose.as_deref() == Some("worker") {
            let (status, _) = http(port, method, path, &format!("{host}{bearer}"), "");
            assert_eq!(status, 403, "the page is no worker: {method} {path}");
        }
    }
    assert_eq!(
        http(port, "GET", "/api/v1/else", &host, "").0,
        403,
        "only who has a token learns what is not there"
    );
    assert_eq!(lively.door.ask("GET", "/api/v1/else", &Value::Null).0, 404);
    assert_eq!(lively.door.ask("DELETE", "/api/v1/now", &Value::Null).0, 404);
    // Nothing was done by any of these.
    assert!(!lively.home.path("PAUSED").exists());
}

#[test]
fn the_description_for_programs_is_openapi_as_a_validator_reads_it() {
    let test = "the_description_for_programs_is_openapi_as_a_validator_reads_it";
    let site = bundle("openapi/site", "SUBCORTEX_TEST_OPENAPI");
    if !has_program(test, "python3") {
        return;
    }
    if !site.join("openapi_spec_validator").is_dir() {
        skip(test, &format!("the validator is not below {}; `cargo xtask test` installs it", site.display()));
        return;
    }
    let validate = |home: &TestHome, document: &Value| {
        home.write("described.json", document.to_string());
        let mut validator = Command::new("python3");
        validator
            .env("PYTHONPATH", &site)
            .args(["-m", "openapi_spec_validator"])
            .arg(home.path("described.json"));
        let said = validator.output().unwrap();
        (
            said.status.success(),
            format!("{}{}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr)),
        )
    };
    let lively = Lively::serving(TestHome::new());
    let mut described = lively.look("openapi.json");
    let (is_valid, said) = validate(&lively.home, &described);
    assert!(is_valid, "{said}");
    // It would say so: a path whose place is described nowhere.
    described["paths"]["/api/v1/runs/{run}"]["get"]["parameters"] = json!([]);
    let (is_valid, said) = validate(&lively.home, &described);
    assert!(!is_valid && said.contains("run"), "{said}");
}

#[test]
fn what_a_route_does_not_know_is_refused_with_what_it_knows() {
    let lively = Lively::serving(TestHome::new());
    let check = |method: &str, path: &str, body: Value, status: u16, words: &str| {
        let (said, why) = lively.door.ask(method, path, &body);
        assert!(
            said == status && why["error"].as_str().is_some_and(|why| why.contains(words)),
            "{path}: {said} {why}"
        );
    };
    check("GET", "/api/v1/runs?limit=x", Value::Null, 400, "`limit` must be a number");
    check("GET", "/api/v1/runs?limt=3", Value::Null, 400, "known are: limit");
    check("POST", "/api/v1/pause", json!({ "partition": 3 }), 400, "`partition` must be a text");
    check("POST", "/api/v1/pause", json!({ "partition": "../x" }), 400, "");
    check("POST", "/api/v1/pause", json!({ "partition": "nobody" }), 404, "no partition `nobody`");
    check("POST", "/api/v1/pause", json!({ "wy": "x" }), 400, "known are: partition, why");
    check("POST", "/api/v1/inboxes/memory-weaver", json!({ "name": "x.md" }), 400, "`body` is missing");
    check("POST", "/api/v1/inboxes/memory-weaver", json!({ "name": "../x.md", "body": "b" }), 400, "");
    check("GET", "/api/v1/inboxes/memory-weaver/gone.md", Value::Null, 404, "the task is gone");
    check("GET", "/api/v1/inboxes/memory-weaver/..%2fCLAUDE.md", Value::Null, 400, "");
    check("GET", "/api/v1/inboxes/nobody/a.md", Value::Null, 404, "no partition `nobody`");
    check("POST", "/api/v1/edits/nothing/revert", Value::Null, 409, "nothing");
    check("GET", "/api/v1/broadcast/nothing", Value::Null, 404, "no such line");
    check("GET", "/api/v1/spine?after=/etc/passwd:0", Value::Null, 400, "names no place");
    check("GET", "/api/v1/blackboards/..%2f..%2fx", Value::Null, 400, "");
    let form = format!(
        "host: 127.0.0.1:{}\r\nauthorization: Bearer {}\r\ncontent-type: text/plain\r\n",
        lively.door.port, lively.door.token
    );
    assert_eq!(
        http(lively.door.port, "POST", "/api/v1/pause", &form, "{\"why\":\"x\"}").0,
        400,
        "only JSON that says so"
    );
    let long = json!({ "body": "x".repeat(300 * 1024) });
    assert_eq!(lively.door.ask("POST", "/api/v1/inboxes/memory-weaver", &long).0, 413);
    let heads: String = (0..100).map(|n| format!("x-{n}: 1\r\n")).collect();
    assert_eq!(http(lively.door.port, "GET", "/healthz", &heads, "").0, 431, "too many fields");
    assert!(!lively.home.path("PAUSED").exists());
}

#[test]
fn the_token_is_private_new_with_each_daemon_and_in_no_log_and_the_page_can_be_switched_off() {
    let home = TestHome::new();
    assert_eq!(home.run(&["open"]).code, 2, "no daemon runs");
    let lively = Lively::serving(home);
    let file = lively.home.path("var/cadence/page.token");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for private in
        [&file, &lively.home.path("var/cadence/control.sock"), &lively.home.path("var/cadence/worker.sock")]
    {
        assert_eq!(mode(private), 0o600, "{}", private.display());
    }
    assert_eq!(lively.door.token.len(), 64);
    lively.look("now");
    let Lively { home, daemon, door: Door { token: first, .. }, .. } = lively;
    daemon.signal("TERM");
    daemon.end();
    assert!(!file.exists(), "the token of a daemon that has ended opens nothing");
    let log = std::fs::read_to_string(home.path("var/log/daemon.log")).unwrap();
    assert!(!log.contains(&first));
    let lively = Lively::serving(home);
    assert_ne!(lively.door.token, first);
    let old = format!("host: localhost:{}\r\nauthorization: Bearer {first}\r\n", lively.door.port);
    assert_eq!(http(lively.door.port, "GET", "/api/v1/now", &old, "").0, 403);
    let Lively { home, daemon, .. } = lively;
    drop(daemon);
    home.write("config/subcortex.yaml", "web: { page: false }\n");
    let _daemon = home.daemon();
    let said = home.run(&["open"]);
    assert!(said.code == 2 && said.err.contains("web.page"), "{said:?}");
}

#[test]
fn health_is_for_everybody_and_says_nothing_else() {
    let lively = Lively::serving(TestHome::new());
    let host = format!("host: localhost:{}\r\n", lively.door.port);
    assert_eq!(http(lively.door.port, "GET", "/healthz", &host, ""), (200, "ok\n".into()));
    assert_eq!(http(lively.door.port, "GET", "/readyz", &host, ""), (200, "ready\n".into()));
    let events = lively.home.path("var/events");
    let away = lively.home.path("var/events.away");
    std::fs::rename(&events, &away).unwrap();
    assert_eq!(http(lively.door.port, "GET", "/readyz", &host, "").0, 503, "it could not append");
    std::fs::rename(&away, &events).unwrap();
}
