//! Private keys that real programs made, in every format in which they are shown, through every door of the redactor: nothing of
//! them is left, and nothing else is changed.
//!
//! Out of reach, and not tried: what packs the text (gzip), what replaces letters (rot13), and lines in another order (`sort`,
//! `tac`).
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod corpus;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use corpus::draw::Draw;
use corpus::key_formats::FORMATS;
use corpus::shown::{ENCODINGS, MARGINS};
use serde_json::{Value, json};
use subcortex_guard::Redactor;

/// The keys are new each time.
const RECALL_MIN_PER_CENT: f64 = 99.8;
/// So much of a key in one piece gives something away, in characters.
const LEAK_MIN_CHARS: usize = 12;
/// Where the agents' texts are cut, in bytes.
const CUT_BYTES: usize = 16 * 1024;
const BEFORE: &str = "This line stands before the file.";
const BEHIND: &str = "That was all of it, said nobody.";

/// Two keys of one kind: what both have in common is the kind's, and no secret.
struct Kind {
    name: &'static str,
    one: String,
    other: String,
}

fn openssl(arguments: &str, input: Option<&Path>) -> String {
    let mut command = Command::new("openssl");
    command.args(arguments.split(' '));
    if let Some(path) = input {
        command.arg("-in").arg(path);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn ssh_keygen(dir: &Path, arguments: &str) -> String {
    let path = dir.join("id");
    let _ = std::fs::remove_file(&path);
    let mut command = Command::new("ssh-keygen");
    command
        .args(["-q", "-C", "bob", "-f"])
        .arg(&path)
        .args(arguments.split(' ').filter(|part| !part.is_empty()));
    let command = command.args(["-N", if arguments.contains("-a") { "a long passphrase" } else { "" }]);
    assert!(command.status().unwrap().success(), "{arguments}");
    std::fs::read_to_string(path).unwrap()
}

/// The same key, as another of OpenSSL's commands writes it.
fn rewritten(dir: &Path, key: &str, arguments: &str) -> String {
    let path = dir.join("in.pem");
    std::fs::write(&path, key).unwrap();
    openssl(arguments, Some(&path))
}

/// The same salt in all: it is no secret.
fn without_salt(key: &str) -> String {
    let line = |line: &str| match line.strip_prefix("DEK-Info: ") {
        Some(_) => "DEK-Info: AES-256-CBC,0123456789ABCDEF0123456789ABCDEF\n".to_owned(),
        None => line.to_owned() + "\n",
    };
    key.lines().map(line).collect()
}

/// Of PuTTY there is no program here; its format is simple. What is no secret is the same in both.
fn putty(draw: &mut Draw) -> String {
    let private: Vec<String> = (0..14).map(|_| draw.fill("{b64}").0).collect();
    let public = "AAAAB3NzaC1yc2EAAAADAQABAAABAQC5".repeat(2);
    format!(
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: bob\nPublic-Lines: 2\n{public}\n{public}\nPrivate-Lines: 14\n{}\nPrivate-MAC: {}\n",
        private.join("\n"),
        "0123456789abcdef".repeat(4),
    )
}

type Maker<'a> = (&'static str, Box<dyn FnMut() -> String + 'a>);

fn kinds() -> Vec<Kind> {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let mut draw = Draw::seeded(31);
    let rsa = || openssl("genrsa -traditional 2048", None);
    let ec = || openssl("ecparam -name prime256v1 -genkey -noout", None);
    let ed25519 = || openssl("genpkey -algorithm ed25519", None);
    let mut makers: Vec<Maker<'_>> = vec![
        ("rsa", Box::new(rsa)),
        ("rsa, pkcs #8", Box::new(|| openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072", None))),
        ("rsa, encrypted", Box::new(|| rewritten(dir, &rsa(), "pkcs8 -topk8 -passout pass:long"))),
        (
            "rsa, encrypted in the old way",
            Box::new(|| without_salt(&rewritten(dir, &rsa(), "rsa -traditional -aes256 -passout pass:long"))),
        ),
        ("ec", Box::new(ec)),
        ("ec with parameters", Box::new(|| openssl("ecparam -name secp384r1 -genkey", None))),
        ("ec, pkcs #8", Box::new(|| rewritten(dir, &ec(), "pkcs8 -topk8 -nocrypt"))),
        ("ed25519", Box::new(ed25519)),
        ("x25519", Box::new(|| openssl("genpkey -algorithm x25519", None))),
        ("openssh ed25519", Box::new(|| ssh_keygen(dir, "-t ed25519"))),
        ("openssh ed25519, encrypted", Box::new(|| ssh_keygen(dir, "-t ed25519 -a 1"))),
        ("openssh rsa", Box::new(|| ssh_keygen(dir, "-t rsa -b 2048"))),
        ("openssh ecdsa", Box::new(|| ssh_keygen(dir, "-t ecdsa"))),
        ("ssh-keygen -m PEM", Box::new(|| ssh_keygen(dir, "-t rsa -b 2048 -m PEM"))),
        ("putty", Box::new(move || putty(&mut draw))),
    ];
    makers.iter_mut().map(|(name, make)| Kind { name, one: make(), other: make() }).collect()
}

fn formats() -> Vec<Door> {
    let shown = MARGINS.iter().chain(ENCODINGS).map(|way| (way.name, way.text));
    shown.chain(FORMATS.iter().copied()).collect()
}

/// What comes out of a door when a text is put in.
type Door = (&'static str, fn(&str) -> String);

const DOORS: [Door; 6] = [
    ("text", |text| Redactor::new().text(text).into_owned()),
    ("field", |text| {
        let mut value = json!({"tool_response": {"content": [{"type": "text", "text": text}]}});
        Redactor::new().value(&mut value);
        value.pointer("/tool_response/content/0/text").and_then(Value::as_str).unwrap().to_owned()
    }),
    ("lines of a field", |text| {
        let mut value = json!({"lines": text.split_inclusive('\n').collect::<Vec<_>>()});
        Redactor::new().value(&mut value);
        value["lines"].as_array().unwrap().iter().filter_map(Value::as_str).collect()
    }),
    ("front", |text| {
        let before = "An ordinary line of a long file.\n".repeat(1 + CUT_BYTES / 33);
        let at = CUT_BYTES.saturating_sub(text.len() / 2);
        let from = before.floor_char_boundary(at);
        let kept = before[..from].rfind('\n').map_or(0, |at| at + 1);
        Redactor::new().front(&format!("{}{text}", &before[..kept]), CUT_BYTES)
    }),
    ("tail", |text| {
        let behind = "An ordinary line of a long file.\n".repeat(1 + CUT_BYTES / 33);
        let at = CUT_BYTES.saturating_sub(text.len() / 2);
        Redactor::new().tail(&format!("{text}{}", &behind[..at]), CUT_BYTES)
    }),
    ("printed field", |text| {
        let printed = format!("{:#}", json!({"stdout": text, "stderr": "", "interrupted": false}));
        let clean = Redactor::new().text(&printed).into_owned();
        let value: Value = serde_json::from_str(&clean).unwrap_or_else(|error| panic!("{error}: {clean}"));
        value["stdout"].as_str().unwrap().to_owned()
    }),
];

/// The pieces of a text that could be parts of a key: runs of its characters, and whole lines of lists of bytes.
fn pieces(text: &str) -> BTreeSet<&str> {
    let is_of_key = |character: char| character.is_ascii_alphanumeric() || "+/=-_%&#;\\".contains(character);
    let runs = text.split(|character| !is_of_key(character));
    runs.chain(text.lines().map(str::trim)).filter(|piece| piece.len() >= LEAK_MIN_CHARS).collect()
}

/// What is left of the shown key, and is not left of every key of this kind.
fn leaked<'c>(clean: &'c str, shown: &str, shown_other: &str) -> Option<&'c str> {
    pieces(clean).into_iter().find(|piece| shown.contains(*piece) && !shown_other.contains(*piece))
}

#[test]
fn keys_of_real_programs_are_hidden_in_every_format_and_at_every_door() {
    let name = "keys_of_real_programs_are_hidden_in_every_format_and_at_every_door";
    for program in ["openssl", "ssh-keygen"] {
        if !subcortex_testkit::has_program(name, program) {
            return;
        }
    }
    let (kinds, formats) = (kinds(), formats());
    let (mut count, mut found) = (0, 0);
    let mut missed: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    let mut changed = Vec::new();
    for (format, show) in &formats {
        for kind in &kinds {
            let framed = |key: &str| format!("{BEFORE}\n{}\n{BEHIND}\n", show(key));
            let (shown, other) = (framed(&kind.one), framed(&kind.other));
            for (door, through) in &DOORS {
                let clean = through(&shown);
                count += 1;
                match leaked(&clean, &shown, &other) {
                    None => found += 1,
                    Some(piece) => {
                        missed.entry((format, door)).or_default().push(format!("{}: {piece}", kind.name));
                    }
                }
                let is_whole = !["front", "tail"].contains(door);
                if is_whole && !(clean.contains(BEFORE) && clean.contains(BEHIND)) {
                    changed.push(format!("{format} / {door} / {}", kind.name));
                }
            }
        }
    }
    let recall = f64::from(found) * 100.0 / f64::from(count);
    println!(
        "{} formats x {} kinds x {} doors = {count} cases, {found} found: recall {recall:.3} %; {} took an ordinary line along",
        formats.len(),
        kinds.len(),
        DOORS.len(),
        changed.len()
    );
    for ((format, door), kinds) in &missed {
        println!("leaks: {format} / {door}: {} kinds, {}", kinds.len(), kinds[0]);
    }
    for place in &changed {
        println!("an ordinary line went: {place}");
    }
    assert!(formats.len() >= 83, "{}", formats.len());
    assert!(recall >= RECALL_MIN_PER_CENT, "recall {recall:.3} %");
    assert!(changed.is_empty(), "{} cases took an ordinary line along", changed.len());
}
