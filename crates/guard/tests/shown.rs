//! Secrets are found in whatever way a text is shown: behind line numbers and other margins, in escapes, in disguise.

mod corpus;

use std::collections::BTreeMap;

use corpus::draw::Draw;
use corpus::shown::{ENCODINGS, MARGINS, SPLITS, Way, base64_lines};
use corpus::{Case, escaped};
use subcortex_guard::Redactor;

/// Of what is found in the plain text.
const RECALL_MIN_PER_CENT: f64 = 99.8;
/// How many of those that are missed are shown.
const SHOWN: usize = 20;

/// Whether the cases that are found when they are shown plainly are found in each of the ways; and what was counted.
fn check_ways(ways: &[Way], cases: &[Case]) -> (bool, String) {
    let redactor = Redactor::new();
    let (mut count, mut found) = (0, 0);
    let mut missed: BTreeMap<(&str, &str), (usize, String)> = BTreeMap::new();
    for case in cases.iter().filter(|case| !case.is_leaked_by(&redactor.text(&case.text))) {
        for way in ways {
            let shown = (way.text)(&case.text);
            let clean = redactor.text(&shown);
            count += 1;
            if case.is_leaked_as(&clean, way.part) {
                let entry = missed
                    .entry((way.name, case.place))
                    .or_insert_with(|| (0, format!("{} {clean:?}", case.kind)));
                entry.0 += 1;
            } else {
                found += 1;
            }
            assert_eq!(redactor.text(&clean), clean, "{} {} / {}", way.name, case.kind, case.place);
        }
    }
    let recall = found as f64 * 100.0 / f64::from(count);
    let mut report = format!("{count} cases, {found} found: recall {recall:.3} %");
    for ((way, place), (times, example)) in missed.iter().take(SHOWN) {
        report.push_str(&format!("\nmissed {times} x {way} / {place}: {example}"));
    }
    (recall >= RECALL_MIN_PER_CENT, report)
}

#[test]
fn secrets_are_found_behind_every_margin() {
    let (is_enough, report) = check_ways(MARGINS, &corpus::cases(1));
    println!("{report}");
    assert!(is_enough, "{report}");
}

#[test]
fn secrets_are_found_in_every_encoding() {
    let (is_enough, report) = check_ways(ENCODINGS, &corpus::cases(1));
    println!("{report}");
    assert!(is_enough, "{report}");
}

#[test]
fn tokens_are_found_with_unseen_characters_in_them() {
    let mut draw = Draw::seeded(1);
    let cases: Vec<Case> =
        corpus::formed::cases(&mut draw).into_iter().filter(|case| !case.place.contains("json")).collect();
    let (is_enough, report) = check_ways(SPLITS, &cases);
    println!("{report}");
    assert!(is_enough, "{report}");
}

/// Private keys as the usual programs write them: name, columns and bytes of the body.
const KEYS: &[(&str, &str, usize, usize)] = &[
    ("rsa", "RSA PRIVATE KEY", 64, 1192),
    ("rsa 4096", "PRIVATE KEY", 64, 2374),
    ("ed25519", "PRIVATE KEY", 64, 48),
    ("ec", "EC PRIVATE KEY", 64, 121),
    ("openssh ed25519", "OPENSSH PRIVATE KEY", 70, 270),
    ("openssh rsa", "OPENSSH PRIVATE KEY", 70, 1800),
    ("encrypted", "ENCRYPTED PRIVATE KEY", 64, 1300),
    ("pgp", "PGP PRIVATE KEY BLOCK", 64, 2000),
];

fn key_cases(draw: &mut Draw) -> Vec<Case> {
    let mut cases: Vec<Case> = KEYS
        .iter()
        .map(|(kind, name, columns, bytes)| {
            let (text, secrets) = armoured(draw, name, *columns, *bytes);
            Case { kind, place: "key", text, secrets }
        })
        .collect();
    let secrets: Vec<String> = (0..14).map(|_| draw.fill("{b64}").0).collect();
    let public: Vec<String> = (0..6).map(|_| draw.fill("{b64}").0).collect();
    let text = format!(
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: bob\nPublic-Lines: 6\n{}\nPrivate-Lines: 14\n{}\nPrivate-MAC: {}\n",
        public.join("\n"),
        secrets.join("\n"),
        draw.fill("{h64}").0,
    );
    cases.push(Case { kind: "putty", place: "key", text, secrets });
    cases
}

fn armoured(draw: &mut Draw, name: &str, columns: usize, bytes: usize) -> (String, Vec<String>) {
    let chars = bytes.div_ceil(3) * 4;
    let body = draw.fill(&format!("{{b{chars}}}")).0;
    let lines: Vec<String> =
        body.as_bytes().chunks(columns).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    let text = format!("-----BEGIN {name}-----\n{}\n-----END {name}-----\n", lines.join("\n"));
    (text, lines.into_iter().filter(|line| line.len() >= 16).collect())
}

#[test]
fn private_keys_are_found_in_every_way_to_show_them() {
    let redactor = Redactor::new();
    for seed in 1..6 {
        for case in key_cases(&mut Draw::seeded(seed)) {
            for way in MARGINS.iter().chain(ENCODINGS) {
                let clean = redactor.text(&(way.text)(&case.text)).into_owned();
                assert!(!case.is_leaked_as(&clean, way.part), "{} / {}: {clean}", case.kind, way.name);
            }
        }
    }
}

#[test]
fn a_secret_in_settings_and_a_password_of_htpasswd_are_found() {
    for (text, clean) in [
        ("[auth]\nsecret = \"Tr0ub4dor&3\"\n", "[auth]\nsecret = \"[REDACTED:secret]\"\n"),
        ("secret = 'hunter2'", "secret = '[REDACTED:secret]'"),
        ("secret = \"K7#mQ9!xL2@p\"", "secret = \"[REDACTED:secret]\""),
        ("htpasswd -b .htpasswd bob hunter2", "htpasswd -b .htpasswd bob [REDACTED:command-password]"),
        ("htpasswd -nbB bob 'p4ss w0rd'", "htpasswd -nbB bob '[REDACTED:command-password]'"),
        ("secret = \"my-secret-name\"", "secret = \"my-secret-name\""),
        ("secret = \"vault:kv/app#key\"", "secret = \"vault:kv/app#key\""),
    ] {
        assert_eq!(Redactor::new().text(text), clean);
    }
}

#[test]
fn a_private_key_of_which_only_the_end_is_shown_is_found() {
    let redactor = Redactor::new();
    for case in
        key_cases(&mut Draw::seeded(2)).iter().filter(|case| case.kind != "putty" && case.kind != "ed25519")
    {
        let cut: String = case.text.lines().skip(2).map(|line| line.to_owned() + "\n").collect();
        let half = &cut[17..];
        for way in MARGINS.iter().chain(ENCODINGS) {
            for part in [&cut, half] {
                let shown = (way.text)(part);
                let clean = redactor.text(&shown).into_owned();
                let case = Case {
                    kind: case.kind,
                    place: "torn",
                    text: String::new(),
                    secrets: case.secrets[1..].to_vec(),
                };
                assert!(!case.is_leaked_as(&clean, way.part), "{} / {}: {clean}", case.kind, way.name);
            }
        }
    }
}

#[test]
fn keys_and_settings_in_lines_of_base64_are_found() {
    let redactor = Redactor::new();
    let mut draw = Draw::seeded(3);
    let mut texts: Vec<String> =
        key_cases(&mut draw).into_iter().filter(|case| case.kind != "putty").map(|case| case.text).collect();
    texts.push(format!(
        "PORT=80\nHOST=db.example.test\nLOG_LEVEL=debug\nDB_PASSWORD={}\nDEBUG=1\n",
        draw.fill("{A24}").0
    ));
    texts.push(format!(
        "# settings of the service\nname = \"api\"\ngithub = \"{}\"\n",
        draw.fill("ghp_{A36}").0
    ));
    for text in texts {
        for columns in [64, 76] {
            let lines = base64_lines(&text, columns);
            let secrets: Vec<String> =
                lines.lines().filter(|line| line.len() >= 16).map(str::to_owned).collect();
            let case = Case { kind: "base64", place: "lines", text: lines.clone(), secrets };
            let ways = MARGINS.iter().map(|way| (way.name, (way.text)(&lines)));
            for (name, shown) in
                ways.chain([("plain", lines.clone()), ("json", format!("{{\"a\":\"{}\"}}", escaped(&lines)))])
            {
                let clean = redactor.text(&shown);
                assert!(!case.is_leaked_by(&clean), "{columns} {name}: {clean}\n{text}");
            }
        }
    }
}

/// A token that nobody was given.
const TOKEN: &str = "ghp_Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz1Xc";

fn assert_hidden(text: &str, secrets: &[&str]) {
    let clean = Redactor::new().text(text);
    for secret in secrets {
        assert!(!clean.contains(secret), "{text:?} became {clean:?}");
    }
}

#[test]
fn a_token_that_markdown_or_html_wrote_is_found() {
    for text in [
        TOKEN.replace('_', "\\_"),
        TOKEN.replace('_', "\\\\_"),
        TOKEN.replace('_', "&#95;"),
        TOKEN.replace('_', "&#x5f;"),
        TOKEN.replace('_', "&lowbar;"),
        TOKEN.replace("9As", "&shy;9As"),
    ] {
        assert_hidden(&format!("use {text} here"), &["Zx8Qw3Er7Ty1", "Df6Gh4Jk0Lz1Xc"]);
    }
    assert_hidden("glpat\\-Zx8Qw3Er7Ty1Ui5Op9As", &["Zx8Qw3Er7Ty1"]);
}

#[test]
fn a_token_with_characters_in_it_that_are_not_seen_or_wide_is_found() {
    for unseen in ["\u{fe0f}", "\u{34f}", "\u{180e}", "\u{e0061}", "\u{3164}"] {
        assert_hidden(
            &format!("use ghp_Zx8Qw3Er7Ty1{unseen}Ui5Op9As2Df6Gh4Jk0Lz1Xc"),
            &["Zx8Qw3Er7Ty1", "Ui5Op9As2"],
        );
        assert_hidden(&format!("use gh{unseen}p_Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz1Xc"), &["Zx8Qw3Er7Ty1"]);
    }
    let wide: String =
        TOKEN.chars().filter_map(|character| char::from_u32(u32::from(character) + 0xFEE0)).collect();
    assert_hidden(&format!("use {wide} here"), &[&wide[6..30]]);
}

#[test]
fn arguments_and_objects_in_a_text_of_json_are_read() {
    for text in [
        r#"{"args":["mysql","--password","Tr0ub4dor","app"]}"#,
        r#"{"args": ["mysql", "--password", "Tr0ub4dor", "app"]}"#,
        "[\n  \"mysql\",\n  \"--password\",\n  \"Tr0ub4dor\"\n]",
        r#"{"DB_PASSWORD":{"value":"Tr0ub4dor"}}"#,
        r#"{"DB_PASSWORD": {"type": "env", "default": "Tr0ub4dor"}}"#,
        r#"{"DB_PASSWORD": {"current": "Tr0ub4dor"}}"#,
        "{\n  \"DB_PASSWORD\": {\n    \"value\": \"Tr0ub4dor\"\n  }\n}",
        r#"{\"DB_PASSWORD\": {\"value\": \"Tr0ub4dor\"}}"#,
    ] {
        assert_hidden(text, &["Tr0ub4dor"]);
    }
    for text in [
        r#"{"password": {"type": "string", "default": "", "title": "Password"}}"#,
        r#"{"password": {"type": "string"}, "user": {"default": "Tr0ub4dor"}}"#,
        r#"{"token": {"description": "the token", "default": "none"}}"#,
    ] {
        assert_eq!(Redactor::new().text(text), text);
    }
}

#[test]
fn a_folded_block_is_found_behind_numbers() {
    for sign in ["|", ">", ">-", "|-", ">+"] {
        assert_hidden(
            &format!(
                "     1\tdb:\n     2\t  password: {sign}\n     3\t    Tr0ub4dorX9\n     4\t  port: 80\n"
            ),
            &["Tr0ub4dorX9"],
        );
        assert_hidden(&format!("db:\n  password: {sign}\n    Tr0ub4dorX9\n  port: 80\n"), &["Tr0ub4dorX9"]);
    }
}

#[test]
fn a_token_that_a_table_has_broken_is_found() {
    let parts = ["Zx8Qw3Er7Ty1Ui5", "Op9As2Df6Gh4Jk0", "Lz1Xc7Vb3Nm"];
    for border in ["│", "|", "┃", "║"] {
        let row = |text: &str| format!("{border} {text:<19} {border}\n");
        let table = row("name") + &row(&format!("ghp_{}", parts[0])) + &row(parts[1]) + &row("end of it");
        assert_hidden(&table, &parts[..2]);
        let row = |name: &str, text: &str| format!("{border} {name:<8} {border} {text:<15} {border}\n");
        let table = row("ci", &format!("glpat-{}", &parts[0][..9])) + &row("", parts[1]) + &row("port", "80");
        assert_hidden(&table, &[&parts[0][..9], parts[1]]);
        let table = row("ci", "glpat-Zx8Qw3Er7Ty1Ui5Op9As") + &row("host", "db-1") + &row("port", "80");
        let clean = Redactor::new().text(&table).into_owned();
        assert!(clean.contains("host") && clean.contains("db-1"), "{clean}");
    }
}

/// Tokens, drawn; `{h64}` and the like say what they are made of.
const DRAWN: &[&str] = &[
    "sk-ant-api03-{u93}AA",
    "sk_live_51{A98}",
    "dop_v1_{h64}",
    "github_pat_{A22}_{A59}",
    "xai-{A80}",
    "AGE-SECRET-KEY-1{U58}",
    "xkeysib-{h64}-{A16}",
    "npm_{A36}",
];

#[test]
fn a_token_that_was_broken_at_any_place_is_found_whole() {
    let mut draw = Draw::seeded(21);
    for template in DRAWN {
        for width in [60, 72, 80] {
            let (token, _) = draw.fill(template);
            let text = format!("Here is the value we talked about: {token} as it was found\nand next");
            let (line, rest) = text.split_at(width);
            let Some(cut) = rest.find(' ').filter(|cut| *cut >= 12) else { continue };
            for mark in ["\n", "\n  ", "\n+", "\n> ", "\n# "] {
                assert_hidden(&format!("{line}{mark}{rest}"), &[&rest[..cut]]);
            }
        }
        for _ in 0..3 {
            let (token, _) = draw.fill(template);
            let (first, rest) = token.split_at(token.len() / 2);
            for sign in
                ["\" + \"", "\" \"", "\" +\n    \"", "\"\n    \"", "\" .. \"", "\" . \"", "\" \\\n  \""]
            {
                let text = format!("KEY = \"{first}{sign}{rest}\"\n");
                assert_hidden(&text, &[first, rest]);
                assert_hidden(&text.replace('"', "\\\"").replace('\n', "\\n"), &[first]);
            }
            assert_hidden(&format!("│ {first}│\n│ {rest} as found"), &[first, rest]);
        }
    }
}

/// A name, and how lines are shown.
type Decoration = (&'static str, fn(&str) -> String);

/// Ways to show lines of settings, which hold for whatever stands on the lines.
const DECORATIONS: &[Decoration] = &[
    ("time", |text| each_line(text, "2026-11-01T10:00:01.123Z INFO app: ")),
    ("time of a build", |text| each_line(text, "2026-11-01T10:00:00.1234567Z ")),
    ("file", |text| each_line(text, "conf/app.txt:")),
    ("file and number", |text| each_line(text, "src/conf/app.txt-12-")),
    ("prompt", |text| each_line(text, "user@host:~/p$ ")),
    ("container", |text| each_line(text, "web_1  | ")),
    ("diff", |text| each_line(text, "-")),
    ("json", |text| serde_json::json!({"stdout": text, "stderr": ""}).to_string()),
    ("json in json", |text| {
        serde_json::json!({"r": serde_json::json!({"stdout": text}).to_string()}).to_string()
    }),
    ("docker", |text| {
        let record = |line: &str| serde_json::json!({"log": format!("{line}\n"), "stream": "stdout", "time": "2026-11-01T10:00:00Z"});
        text.lines().map(|line| record(line).to_string() + "\n").collect()
    }),
    ("box", |text| text.lines().map(|line| format!("│ {line:<70} │\n")).collect()),
    ("page", |text| format!("<pre>{text}</pre>")),
];

fn each_line(text: &str, before: &str) -> String {
    text.lines().map(|line| format!("{before}{line}\n")).collect()
}

#[test]
fn what_is_found_on_a_plain_line_is_found_behind_a_decoration() {
    let lines_of_devices = [
        "username admin privilege 15 secret {}",
        "enable secret 0 {}",
        "radius-server key {}",
        "pre-shared-key {}",
        "crypto isakmp key {} address 10.0.0.1",
    ];
    let blocks = [
        "kind: Secret\nmetadata:\n  name: x\ndata:\n  username: YWRtaW4=\n  conn: {}",
        "kind: Secret\nstringData:\n  url: {}",
        "- name: DB_PASSWORD\n  value: {}",
        "variable \"db_password\" {\n  default = \"{}\"\n}",
    ];
    let commands = [
        "htpasswd -b .htpasswd admin {}",
        "openssl passwd -6 {}",
        "redis-cli AUTH {}",
        "bw unlock {}",
        "crackmapexec smb x -u jo -p {}",
    ];
    let others = ["app:{}@tcp(db:3306)/x?parseTime=true", "Cookie: sessionid={}", "authorization: Basic {}"];
    let password = "kT9xWq2LmZ7bRf4P";
    for (name, decoration) in DECORATIONS {
        // A page and a prompt stand around one line.
        let is_of_lines = !["page", "prompt"].contains(name);
        let blocks = blocks.iter().filter(|_| is_of_lines);
        let all = lines_of_devices.iter().chain(&commands).chain(&others).chain(blocks);
        for text in all {
            let is_device = lines_of_devices.contains(text);
            if !(is_device && *name == "diff" || *name == "page" && commands.contains(text)) {
                assert_hidden(&decoration(&text.replace("{}", password)), &[password]);
            }
        }
    }
    for command in commands {
        assert_hidden(&format!("{} \\\n", command.replace("{}", password)), &[password]);
        assert_hidden(&format!("{} \\", command.replace("{}", password)), &[password]);
    }
    for name in [
        "contrase\\u00f1a:",
        "\\u043f\\u0430\\u0440\\u043e\\u043b\\u044c:",
        "\\u5bc6\\u7801:",
        "Password \\u2192",
    ] {
        assert_hidden(&format!("{{\"stdout\": \"{name} {password}\"}}"), &[password]);
    }
    let list = format!("['mysql', '-u', 'root', '-p{password}']");
    for text in [serde_json::json!({"stdout": list}).to_string(), format!("'{}'", list.replace('\'', "\\'"))]
    {
        assert_hidden(&text, &[password]);
    }
    assert_hidden(&format!("{{\"a\": \"cat > .pgpass <<E\\ndb:5432:x:app:{password}\\nE\"}}"), &[password]);
}

#[test]
fn a_private_key_is_found_in_records_and_behind_a_marker_that_is_written_in_another_way() {
    let mut draw = Draw::seeded(22);
    for name in ["PGP PRIVATE KEY BLOCK", "ENCRYPTED PRIVATE KEY", "OpenVPN Static key V1"] {
        let is_hex = name.starts_with("Open");
        let body: Vec<String> = (0..8).map(|_| draw.fill(if is_hex { "{h32}" } else { "{b64}" }).0).collect();
        let key = format!("-----BEGIN {name}-----\n\n{}\n-----END {name}-----\n", body.join("\n"));
        let lines: Vec<&str> = body.iter().map(String::as_str).collect();
        let docker = DECORATIONS.iter().find(|(name, _)| *name == "docker").unwrap().1;
        assert_hidden(&docker(&key), &lines);
        if !is_hex {
            assert_hidden(&key.replace("PRIVATE KEY", "PRIVATE\u{a0}KEY"), &lines);
            assert_hidden(&key.replace("PRIVATE", "\u{1b}[31mPRIVATE\u{1b}[0m"), &lines);
        }
    }
}

#[test]
fn what_stands_behind_a_token_stays() {
    let full = format!("The token that was drawn for the tests of this program: {TOKEN}");
    for (text, kept) in [
        (
            format!("{full}\n9f86d081884c7d659a2feaa0c55ad015 app.tar.gz\n"),
            "9f86d081884c7d659a2feaa0c55ad015",
        ),
        (format!("{full}\n2024-05-06 07:08 done\n"), "2024-05-06"),
        (format!("{full}\nrelease-2024 is out\n"), "release-2024"),
        (format!("[\"{TOKEN}\", \"v1-long-NAME2\"]"), "v1-long-NAME2"),
        (format!("\"{TOKEN}\"\n\"aB3dE5fG7hJ9kL1m\"\n"), "aB3dE5fG7hJ9kL1m"),
        (format!("x(\"{TOKEN}\" + \"/v1/projects\")"), "/v1/projects"),
        (
            format!("x(\"{TOKEN}\" + \"9f86d081884c7d659a2feaa0c55ad015\")"),
            "9f86d081884c7d659a2feaa0c55ad015",
        ),
    ] {
        let clean = Redactor::new().text(&text).into_owned();
        assert!(clean.contains(kept), "{clean}");
    }
}

#[test]
fn tokens_that_nobody_names_are_found_by_their_form() {
    for token in [
        "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
        "NzkyNzE1NDU0MTk2MDg4ODQy.X-hvzA.Ovy4MCQywSkoMRRclStW4xAYK7I8aQ",
        "cmVmdGtuOjAxOjE3NDQ5NjU2Mzg6Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz1Xc7",
        "cmVmdGtu8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz1Xc7Vb3Nm5Qw9Er2Ty6Ui4Op1X",
    ] {
        assert_hidden(&format!("client.login {token} now"), &[&token[10..]]);
    }
    assert_hidden("OKTA_API_TOKEN=00Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz1Xc7Vb3N", &["Zx8Qw3Er7"]);
    assert_hidden("okta token: 00Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh4Jk0Lz1Xc7Vb3N", &["Zx8Qw3Er7"]);
    let hex = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    assert_hidden(&format!("42 gave s-s4t2ud-{hex} to us"), &[hex]);
    assert_hidden(&format!("https://host.test/?next=3Dx&q=3D{TOKEN}"), &[TOKEN]);
    assert_hidden("TWILIO_API_KEY=SK9f86d081884c7d659a2feaa0c55ad015", &["9f86d081"]);
    for text in [
        "NotificationManagerCompat.notify.withAllOfTheChannelsOfTheUser",
        "see MyVeryLongModuleNameNumber.config.the_function_that_reads_it_all",
    ] {
        assert_eq!(Redactor::new().text(text), text);
    }
}

#[test]
fn the_secret_beside_an_id_of_a_key_of_aws_is_found() {
    let mut draw = Draw::seeded(17);
    for row in [
        "User name,Access key ID,Secret access key\nbob,{id},{secret}\n",
        "CREDENTIALS\t{id}\t2026-01-01T00:00:00Z\t{secret}\t{token}\n",
        "{id}:{secret}\n",
        "mc alias set s3 https://s3.example.test {id} {secret}\n",
        "| bob | {id} | {secret} |\n",
    ] {
        for beginning in ["AKIA", "ASIA"] {
            let id = format!("{beginning}{}", draw.fill("{U16}").0);
            let (secret, token) = (draw.fill("{b40}").0, draw.fill("{b200}").0);
            let text = row.replace("{id}", &id).replace("{secret}", &secret).replace("{token}", &token);
            assert_hidden(&text, &[&secret[..20], &secret[20..], &token[..40]]);
        }
    }
    let commits = format!("2026-01-01 {} {}\n", draw.fill("{h40}").0, draw.fill("{h40}").0);
    assert_eq!(Redactor::new().text(&commits), commits);
}

#[test]
fn a_password_in_german_and_in_spanish_is_found() {
    for text in [
        "das Passwort ist Tr0ub4dor&3",
        "Das Passwort lautet Tr0ub4dor&3",
        "contraseña: Tr0ub4dor&3",
        "la contraseña es Tr0ub4dor&3",
        "CONTRASENA=Tr0ub4dor&3",
    ] {
        assert_hidden(text, &["Tr0ub4dor&3"]);
    }
    for text in [
        "Das Passwort ist falsch.",
        "Das Passwort ist zu kurz, es braucht acht Zeichen",
        "la contraseña es incorrecta",
        "la contraseña: no se muestra",
        "Contraseña es obligatoria",
    ] {
        assert_eq!(Redactor::new().text(text), text);
    }
}

/// As `diff -y -W 160` shows two files that have nothing in common but equal lines at the same place.
fn side_by_side(left: &str, right: &str) -> String {
    let count = left.lines().count().max(right.lines().count());
    let rows = left.lines().map(Some).chain(std::iter::repeat(None));
    let rows = rows.zip(right.lines().map(Some).chain(std::iter::repeat(None))).take(count);
    rows.map(|row| match row {
        (Some(left), Some(right)) if left == right => format!("{left:<76}    {right}\n"),
        (Some(left), Some(right)) => format!("{left:<76} |  {right}\n"),
        (left, None) => format!("{:<76} <\n", left.unwrap_or_default()),
        (None, Some(right)) => format!("{:<76} >  {right}\n", ""),
    })
    .collect()
}

#[test]
fn a_private_key_in_one_of_two_columns_is_found() {
    let settings = "# The settings\nport = 80\nif a > b\nname | the app\n";
    let other = key_cases(&mut Draw::seeded(9)).remove(0).text;
    for case in key_cases(&mut Draw::seeded(4)).into_iter().filter(|case| case.kind != "putty") {
        let key = &case.text;
        for (left, right) in [
            (key.as_str(), ""),
            (key, settings),
            (key, key),
            (key, &other),
            ("", key),
            (settings, key),
            (&other, key),
        ] {
            let shown = side_by_side(left, right);
            let clean = Redactor::new().text(&shown).into_owned();
            assert!(!case.is_leaked_by(&clean), "{}:\n{shown}\n{clean}", case.kind);
        }
    }
    let table = side_by_side("name\nport\n", "value of it\n80\n");
    assert_eq!(Redactor::new().text(&table), table);
}
