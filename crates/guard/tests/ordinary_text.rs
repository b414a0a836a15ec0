//! What is left alone: ordinary code and prose.

mod corpus;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use corpus::draw::Draw;
use corpus::shown::{MARGINS, base64_lines, numbered};
use subcortex_guard::Redactor;

#[track_caller]
fn check_unchanged(lines: &[&str]) {
    for line in lines {
        assert_eq!(Redactor::new().text(line), *line);
    }
}

#[test]
fn hashes_and_ids_stay() {
    check_unchanged(&[
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
        "integrity sha512-abc123def456ghi789jkl0mn1op2qr3st4uv5wx6yz7==",
        "\"session_id\": \"7b1d4c2e-1234-4bcd-9abc-1234567890ab\"",
        "\"tool_use_id\": \"toolu_01A09q90qw90lq917835lq9\"",
        "\"cache_key\": \"abc123def456ghi789jkl0\"",
        "color: #ff00aa; --token-color: #abcdef",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7vbqajDhA+17CIBw9o4Q bob@host",
        "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7vB2kZ0p\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUZx8Qw3Er7Ty1Ui5Op9As2\n-----END CERTIFICATE-----",
    ]);
}

#[test]
fn programs_about_secrets_stay() {
    check_unchanged(&[
        "let token = self.next_token()?;",
        "password = getPassword()",
        "api_key: str",
        "pub api_key: Option<String>,",
        "api_key=os.environ[\"API_KEY\"]",
        "apiKey: process.env.API_KEY",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "password: ${DB_PASSWORD}",
        "password: \"{{ db_password }}\"",
        "password := os.Getenv(\"PASSWORD\")",
        "if password == \"\" {",
        "fn password(&self) -> &str {",
        "def win_getpass(prompt='Password: ', stream=None):",
        "resp = self.sendcmd('PASS ' + passwd)",
        "user_pass = '%s:%s' % (u, p)",
        "password = password.encode(\"latin1\")",
        "const KEY = 'my-storage-key';",
        "localStorage.getItem('token')",
        "headers: { Authorization: `Bearer ${token}` }",
        "println!(\"password: {}\", password);",
        "log.info(\"token: \" + token)",
        "match token.kind { TokenKind::Ident => {} }",
        "connect(host=host, password=password, token=tok2)",
        "pub const ERROR_ILL_FORMED_PASSWORD: WIN32_ERROR = 1324u32;",
        "\"token_count\": 12, \"max_tokens\": 4096",
    ]);
}

#[test]
fn talk_about_secrets_stays() {
    check_unchanged(&[
        "Enter your password:",
        "the password must have at least 8 characters",
        "errors.password = \"Password must be at least 8 characters\"",
        "Authorization: Bearer YOUR_TOKEN_HERE",
        "export API_KEY=<your-key>",
        "PASSWORD=changeme",
        "password: ********",
        "token: xxxxxxxx",
        "--password <PASSWORD>    The password to use",
        "see https://user:password@example.com for the syntax",
        "https://example.com/a/b?q=password&page=2",
        "PWD=/workspace/project1",
        "the key is to keep it simple",
        "a token is a piece of text",
        "[REDACTED:jwt] and password=[REDACTED:password]",
    ]);
}

/// Lines about passwords in programs, documents, logs, diffs and tables, none of which holds one.
const LINES: &str = include_str!("corpus/ordinary.txt");
/// The same of several lines each, with an empty line between them.
const BLOCKS: &str = include_str!("corpus/ordinary_blocks.txt");

#[test]
fn lines_about_passwords_that_hold_none_stay() {
    let indented = BLOCKS.replace('\n', "\n    ");
    let texts = LINES.lines().chain(BLOCKS.split("\n\n")).chain([LINES, BLOCKS, &indented]);
    let redactor = Redactor::new();
    let changed: Vec<String> = texts
        .flat_map(|text| lost_lines(text, &redactor.text(text)).into_iter().map(str::to_owned))
        .collect();
    assert!(LINES.lines().count() >= 200);
    assert!(changed.is_empty(), "{} changed\n{}", changed.len(), changed.join("\n"));
}

#[test]
fn lines_about_passwords_stay_in_the_values_of_tools() {
    for text in LINES.lines().chain(BLOCKS.split("\n\n")) {
        let plain = serde_json::json!({"content": text, "lines": text.lines().collect::<Vec<_>>()});
        for value in [Some(plain), serde_json::from_str(text).ok()].into_iter().flatten() {
            let mut clean = value.clone();
            Redactor::new().value(&mut clean);
            assert_eq!(clean, value);
        }
    }
}

/// A corpus of this size says something.
const CORPUS_MIN_BYTES: usize = 10 << 20;
const CORPUS_MAX_BYTES: usize = 16 << 20;
/// So that one large package does not make up the corpus.
const PACKAGE_MAX_BYTES: usize = 1 << 20;
/// Ten times stricter than what is asked for.
const CHANGED_MAX_PER_CENT: f64 = 0.1;

#[test]
fn ten_megabytes_of_ordinary_text_stay_as_they_are() {
    let files = ordinary_files();
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    if bytes < CORPUS_MIN_BYTES {
        println!(
            "skipped: the package registry here holds {bytes} bytes of text, {CORPUS_MIN_BYTES} are needed"
        );
        return;
    }
    let redactor = Redactor::new();
    let (mut lines, mut changed) = (0, Vec::new());
    for (path, text) in &files {
        lines += text.lines().count();
        let clean = redactor.text(text);
        changed
            .extend(lost_lines(text, &clean).into_iter().map(|line| format!("{}: {line}", path.display())));
    }
    let per_cent = changed.len() as f64 * 100.0 / lines as f64;
    println!(
        "{bytes} bytes, {lines} lines in {} files, {} changed: {per_cent:.4} %",
        files.len(),
        changed.len()
    );
    for line in changed.iter().take(40) {
        println!("changed {line}");
    }
    assert!(per_cent <= CHANGED_MAX_PER_CENT, "{per_cent:.4} % of the lines were changed");
}

/// How much of the corpus is shown in each of the ways.
const LISTED_BYTES: usize = 1 << 20;

#[test]
fn ordinary_text_in_a_listing_stays_as_it_is() {
    let redactor = Redactor::new();
    let mut bytes = 0;
    // What is changed in the plain text, documented examples of secrets, is no business of a listing.
    let files: Vec<String> = ordinary_files()
        .into_iter()
        .map(|(_, text)| text)
        .filter(|text| redactor.text(text) == *text)
        .take_while(|text| {
            bytes += text.len();
            bytes <= LISTED_BYTES
        })
        .collect();
    let (mut lines, mut changed) = (0, Vec::new());
    for way in MARGINS {
        for text in &files {
            let shown = (way.text)(text);
            lines += shown.lines().count();
            let clean = redactor.text(&shown);
            changed
                .extend(lost_lines(&shown, &clean).into_iter().map(|line| format!("{}: {line}", way.name)));
        }
    }
    println!("{lines} lines in {} ways, {} changed", MARGINS.len(), changed.len());
    assert!(changed.is_empty(), "{}", changed.iter().take(20).cloned().collect::<Vec<_>>().join("\n"));
}

#[test]
fn what_only_looks_drawn_stays_in_a_listing_too() {
    let mut draw = Draw::seeded(5);
    let mut fill = |template: &str| -> String { (0..40).map(|_| draw.fill(template).0 + "\n").collect() };
    let picture = format!("<svg>{}</svg>", fill("{A40}"));
    let texts = [
        fill("checksum = \"{h64}\""),
        fill("      \"integrity\": \"sha512-{b86}==\","),
        fill("  integrity sha512-{b86}=="),
        fill("github.com/a/b v1.2.3 h1:{b43}="),
        fill("commit {h40}"),
        fill("{h64}  target/release/app"),
        fill("Zm9v{b72}"),
        base64_lines(&picture, 64),
        format!("-----BEGIN CERTIFICATE-----\n{}-----END CERTIFICATE-----\n", fill("{b64}")),
        format!("-----BEGIN PUBLIC KEY-----\n{}-----END PUBLIC KEY-----\n", fill("{b64}")),
        format!("-----BEGIN PGP SIGNATURE-----\n\n{}-----END PGP SIGNATURE-----\n", fill("{b64}")),
        format!("<img src=\"data:image/png;base64,iVBORw0KGgo{}\">\n", fill("{b64}").replace('\n', "")),
        fill("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b43} bob@host"),
        base64_lines(&picture, 76),
        fill("\"session_id\": \"{i}\","),
        fill("toolu_01{A22}"),
    ];
    let redactor = Redactor::new();
    for text in &texts {
        assert_eq!(redactor.text(text), *text);
        for way in MARGINS {
            let shown = (way.text)(text);
            assert_eq!(redactor.text(&shown), shown, "{}", way.name);
            assert_eq!(redactor.text(&numbered(&shown)), numbered(&shown), "numbered {}", way.name);
        }
    }
}

/// Lines that are in the first text and not in the second.
fn lost_lines<'a>(before: &'a str, after: &str) -> Vec<&'a str> {
    let mut kept: HashMap<&str, usize> = HashMap::new();
    for line in after.lines() {
        *kept.entry(line).or_default() += 1;
    }
    before
        .lines()
        .filter(|line| {
            kept.get_mut(line).and_then(|count| count.checked_sub(1).map(|left| *count = left)).is_none()
        })
        .collect()
}

/// Sources and documents of the packages that this machine has, and of the workspace.
fn ordinary_files() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut total = 0;
    for package in packages() {
        let mut size = 0;
        let mut found = Vec::new();
        collect(&package, &mut found);
        for path in found {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            if size + text.len() <= PACKAGE_MAX_BYTES && total + text.len() <= CORPUS_MAX_BYTES {
                size += text.len();
                total += text.len();
                files.push((path, text));
            }
        }
    }
    files
}

fn packages() -> Vec<PathBuf> {
    let mut packages = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join("docs")];
    for registry in entries(&cargo_home().join("registry/src")) {
        packages.extend(entries(&registry));
    }
    packages
}

// A test looks around; the crate does not.
#[allow(clippy::disallowed_methods)]
fn cargo_home() -> PathBuf {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .unwrap_or_default()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_symlink() {
        return;
    }
    if path.is_dir() {
        entries(path).iter().for_each(|entry| collect(entry, found));
    } else if path
        .extension()
        .is_some_and(|end| ["rs", "md", "toml", "lock"].iter().any(|known| end == *known))
    {
        found.push(path.to_owned());
    }
}
