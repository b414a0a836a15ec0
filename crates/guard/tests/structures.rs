//! A secret that is spread over the strings of a value is found as if it stood in one text, in a value and in JSON that was
//! printed, plainly or in a string of other JSON.

mod corpus;

use corpus::draw::Draw;
use serde_json::{Value, json};
use subcortex_guard::Redactor;

/// What is left of a value: stored as it is, printed on one line and on many, and as the text of a field.
fn ways(value: &Value) -> [String; 4] {
    let redactor = Redactor::new();
    let mut stored = json!({"tool_input": value});
    redactor.value(&mut stored);
    let text = |text: String| {
        let clean = redactor.text(&text).into_owned();
        assert!(serde_json::from_str::<Value>(&clean).is_ok(), "{clean}");
        assert_eq!(redactor.text(&clean), clean);
        clean
    };
    let lines = format!("{value:#}");
    [
        stored.to_string(),
        text(value.to_string()),
        text(lines.clone()),
        text(json!({"output": lines}).to_string()),
    ]
}

#[track_caller]
fn check_hidden(value: &Value, secret: &str) {
    for left in ways(value) {
        assert!(!left.contains(secret), "{left}");
    }
}

#[track_caller]
fn check_unchanged(value: &Value) {
    let mut stored = value.clone();
    Redactor::new().value(&mut stored);
    assert_eq!(stored, *value);
    for text in [value.to_string(), format!("{value:#}"), json!({"output": value.to_string()}).to_string()] {
        assert_eq!(Redactor::new().text(&text), text);
    }
}

#[test]
fn the_lines_of_a_key_are_hidden_in_whatever_they_are_kept() {
    let mut draw = Draw::seeded(21);
    let shapes: [fn(&[String]) -> Value; 10] = [
        |lines| json!({"lines": lines}),
        |lines| json!({"source": lines.iter().map(|line| format!("{line}\n")).collect::<Vec<_>>()}),
        |lines| json!({"edits": lines.iter().map(|line| json!({"old_string": "", "new_string": line})).collect::<Vec<_>>()}),
        |lines| json!({"structuredPatch": [{"oldStart": 1, "lines": lines.iter().map(|line| format!("+{line}")).collect::<Vec<_>>()}]}),
        |lines| json!({"content": lines.iter().map(|line| json!({"type": "text", "text": line})).collect::<Vec<_>>()}),
        |lines| json!({"matches": lines.iter().enumerate().map(|(at, line)| json!({"line": at, "text": line})).collect::<Vec<_>>()}),
        |lines| json!({"by_number": lines.iter().enumerate().map(|(at, line)| (at.to_string(), json!(line))).collect::<serde_json::Map<_, _>>()}),
        |lines| Value::Object(lines.iter().map(|line| (line.clone(), json!(1))).collect()),
        |lines| json!({"a": lines[..7].join("\n"), "b": lines[7..].join("\n")}),
        |lines| json!({"command": lines.iter().map(|line| format!("echo \"{line}\" >> ~/.ssh/id\n")).collect::<String>()}),
    ];
    for shape in shapes {
        let body: Vec<String> = (0..12).map(|_| draw.fill("{b64}").0).collect();
        let mut lines = vec!["-----BEGIN PRIVATE KEY-----".to_owned()];
        lines.extend(body.clone());
        lines.push("-----END PRIVATE KEY-----".to_owned());
        for left in ways(&shape(&lines)) {
            for line in &body {
                assert!(!left.contains(&line[..20]) && !left.contains(&line[40..]), "{left}");
            }
        }
    }
}

#[test]
fn the_lines_of_a_setting_are_read_as_one_text() {
    check_hidden(&json!({"lines": ["+  - name: DB_PASSWORD", "+    value: Zx8!Qw3Er7"]}), "Qw3Er7");
    check_hidden(&json!(["machine api.test", "login bob", "password Zx8!Qw3Er7"]), "Qw3Er7");
    check_hidden(
        &json!({"1": "kind: Secret", "2": "data:", "3": "  user: YWRtaW5pc3RyYXRvcg=="}),
        "YWRtaW5pc3",
    );
}

#[test]
fn arguments_are_read_as_one_command() {
    for command in [
        json!(["mysql", "-uroot", "-pZx8!Qw3Er7"]),
        json!(["/usr/bin/mysql", "-pZx8!Qw3Er7"]),
        json!(["sudo", "curl", "-u", "bob:Zx8!Qw3Er7", "https://host.test"]),
        json!(["sshpass", "-p", "Zx8!Qw3Er7", "ssh", "host"]),
        json!(["htpasswd", "-b", "file", "bob", "Zx8!Qw3Er7"]),
        json!(["docker", "login", "-u", "bob", "-p", "Zx8!Qw3Er7"]),
        json!(["redis-cli", "-a", "Zx8!Qw3Er7"]),
        json!(["curl", "--header", "X-Api-Key", "Zx8!Qw3Er7As"]),
    ] {
        check_hidden(&json!({"command": command}), "Qw3Er7");
    }
    check_unchanged(
        &json!({"command": ["mysql", "-u", "root", "-p", "app"], "argv": ["docker", "run", "-p", "8080:80", "image"]}),
    );
}

#[test]
fn a_name_beside_a_value_counts_in_every_shape() {
    for value in [
        json!({"env": [["DB_PASSWORD", "Zx8!Qw3Er7"]]}),
        json!({"headers": [["authorization", "Bearer Zx8!Qw3Er7"]]}),
        json!({"cookies": [{"name": "session", "value": "Zx8!Qw3Er7"}]}),
        json!({"cookies": {"sessionid": "Zx8!Qw3Er7"}}),
        json!({"password": {"$plain": "Zx8!Qw3Er7"}}),
        json!({"password": ["Zx8!Qw3Er7"]}),
        json!({"auth": ["bob", "Zx8!Qw3Er7"]}),
        json!({"form": {"pass": "Zx8!Qw3Er7", "user": "bob"}}),
        json!([{"ParameterKey": "DbPassword", "ParameterValue": "Zx8!Qw3Er7"}]),
        json!({"file_path": "/p/password.txt", "content": "Zx8!Qw3Er7"}),
    ] {
        check_hidden(&value, "Qw3Er7");
    }
}

#[test]
fn what_is_typed_into_a_field_for_a_password_is_one() {
    for value in [
        json!({"selector": "#password", "text": "letmein"}),
        json!({"element": "Password textbox", "ref": "e1", "text": "letmein"}),
        json!({"fields": [{"name": "Password", "type": "textbox", "value": "letmein"}]}),
        json!({"label": "Password", "value": "Zx8!letmein"}),
    ] {
        check_hidden(&value, "letmein");
    }
    check_unchanged(&json!({"selector": "#user", "text": "letmein", "ref": 3}));
    check_unchanged(&json!({"label": "Password", "text": "Forgot your password?", "value": ""}));
}

#[test]
fn lists_and_tables_of_ordinary_words_stay() {
    for value in [
        json!(["password", "username"]),
        json!(["passwd", "shadow"]),
        json!({"password": ["required", "string"]}),
        json!({"required": ["token", "name"], "order": ["key", "value"]}),
        json!({"auth": ["admin", "read-only"]}),
        json!({"files": ["src/password.rs", "src/token.rs"], "path": "src/password.rs", "content": "mod tests;"}),
        json!({"cookies": {"theme": "dark", "lang": "en"}}),
        json!({"password": {"type": "string", "minLength": 8}, "token": {"description": "see docs/v1.2"}}),
        json!(["git", "commit", "-m", "remove the key", "-p"]),
        json!({"dependencies": {"a": "1.2.3", "b": "^4.5.6"}, "0": "a", "1": "b"}),
        json!({"name": "token", "type": "string", "in": "header", "text": "abc"}),
    ] {
        check_unchanged(&value);
    }
}
