//! A Redis server that is reached over TLS, with a password, by its URL; the authority is of our own making.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::strategy;
use crate::partitions;
use crate::redis::Server;
use crate::support::{Said, TestHome, has_program};

fn openssl(dir: &Path, args: &[&str]) {
    let output = Command::new("openssl").args(args).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "openssl {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority, and a certificate of its for this machine.
fn certificates(dir: &Path) {
    openssl(
        dir,
        &[
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=Test Authority",
            "-keyout",
            "ca.key",
            "-out",
            "ca.crt",
        ],
    );
    openssl(
        dir,
        &[
            "req",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-subj",
            "/CN=localhost",
            "-keyout",
            "redis.key",
            "-out",
            "redis.csr",
        ],
    );
    std::fs::write(dir.join("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n").unwrap();
    openssl(
        dir,
        &[
            "x509",
            "-req",
            "-in",
            "redis.csr",
            "-CA",
            "ca.crt",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-days",
            "2",
            "-extfile",
            "names",
            "-out",
            "redis.crt",
        ],
    );
}

fn say(home: &TestHome, authority: &Path) -> Said {
    let entry = strategy().to_string();
    let args = ["blackboard", "append", "t", "--role", "supervisor", "--as", "boss", &entry];
    let output = home.command(&args).env("SSL_CERT_FILE", authority).output().unwrap();
    Said {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_server_is_reached_over_tls_and_only_if_its_authority_is_trusted() {
    let test = "a_server_is_reached_over_tls_and_only_if_its_authority_is_trusted";
    if !has_program(test, "openssl") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    certificates(dir.path());
    let file = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let tls_port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (port, certificate, key, authority) =
        (tls_port.to_string(), file("redis.crt"), file("redis.key"), file("ca.crt"));
    let options = [
        "--tls-port",
        &port,
        "--tls-cert-file",
        &certificate,
        "--tls-key-file",
        &key,
        "--tls-ca-cert-file",
        &authority,
        "--tls-auth-clients",
        "no",
    ];
    let Some(server) = Server::start_with(test, &options) else { return };
    server.ask(&["CONFIG", "SET", "requirepass", "hush"]);
    let home = partitions::home();
    let url = |password: &str| format!("rediss://:{password}@localhost:{port}");
    home.write("config/subcortex.yaml", format!("blackboard: {{ store: '{}' }}\n", url("hush")));

    let stranger = dir.path().join("stranger.crt");
    openssl(
        dir.path(),
        &[
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=Stranger",
            "-keyout",
            "stranger.key",
            "-out",
            "stranger.crt",
        ],
    );
    let refused = say(&home, &stranger);
    assert_eq!(refused.code, 74, "{refused:?}");
    assert!(refused.err.contains("certificate") && !refused.err.contains("hush"), "{refused:?}");

    let taken = say(&home, Path::new(&authority));
    assert_eq!(taken.code, 0, "{taken:?}");
    let read = home
        .command(&["blackboard", "read", "t", "--json"])
        .env("SSL_CERT_FILE", &authority)
        .output()
        .unwrap();
    let board: serde_json::Value = serde_json::from_slice(&read.stdout).unwrap();
    assert_eq!(board["entries"][0]["kind"], json!("STRATEGY"));

    home.write("config/subcortex.yaml", format!("blackboard: {{ store: '{}' }}\n", url("wrong")));
    let refused = say(&home, Path::new(&authority));
    assert_eq!(refused.code, 74, "{refused:?}");
    assert!(!refused.err.contains("wrong@"), "the password is not shown: {refused:?}");

    // The fleet meets there, too.
    home.write("config/subcortex.yaml", format!("fleet: {{ redis: '{}' }}\n", url("hush")));
    partitions::partition(&home, "job", "inbox: fleet");
    let dropped = home
        .command(&["drop", "job", "--name", "a.md", "/dev/null"])
        .env("SSL_CERT_FILE", &authority)
        .output()
        .unwrap();
    assert!(dropped.status.success(), "{dropped:?}");
}
