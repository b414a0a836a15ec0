//! The lines of a private key are hidden whatever stands around each of them.

mod corpus;

use corpus::draw::Draw;
use subcortex_guard::Redactor;

/// One way to show the lines of a file.
type Wrapper = (&'static str, fn(usize, &str) -> String);

/// What programs put on both sides of a line.
const WRAPPERS: &[Wrapper] = &[
    ("json log", |n, line| format!("{{\"ts\": {n}, \"level\": \"info\", \"msg\": \"{line}\"}}")),
    ("matches", |n, line| {
        format!(
            "{{\"type\":\"match\",\"data\":{{\"lines\":{{\"text\":\"{line}\\n\"}},\"line_number\":{n}}}}}"
        )
    }),
    ("csv", |n, line| format!("{n},\"{line}\",x")),
    ("list in html", |_, line| format!("<li>{line}</li>")),
    ("line in html", |n, line| format!("<span class=\"line\" data-n=\"{n}\">{line}</span>")),
    ("break in html", |n, line| format!("{n}. {line}<br/>")),
    ("echo", |_, line| format!("echo \"{line}\" >> ~/.ssh/id")),
    ("printf", |_, line| format!("printf '%s\\n' '{line}' >> key")),
    ("sql", |_, line| format!("'{line}' || chr(10) ||")),
    ("powershell", |_, line| format!("    \"{line}`n\" +")),
    ("memory", |n, line| format!("0x7fff{n:08x}:\t\"{line}\"")),
    ("carriage returns shown", |_, line| format!("{line}^M$")),
    ("sed -n l", |_, line| match line.split_at_checked(60) {
        Some((front, rest)) => format!("{front}\\\n{rest}$"),
        None => format!("{line}$"),
    }),
    ("other lines between", |n, line| format!("{line}\n[info] request {n} done")),
    ("groups", |n, line| if n == 1 || line.starts_with('-') { line.to_owned() } else { in_groups(line) }),
    ("narrow", |_, line| folded(line, 20)),
];

fn in_groups(line: &str) -> String {
    parts(line, 4).join(" ")
}

fn folded(line: &str, width: usize) -> String {
    parts(line, width).join("\n")
}

fn parts(line: &str, width: usize) -> Vec<&str> {
    (0..line.len()).step_by(width).map(|at| &line[at..line.len().min(at + width)]).collect()
}

/// A private key of nobody's, and its body line by line.
fn key(draw: &mut Draw, name: &str) -> (Vec<String>, Vec<String>) {
    let mut body: Vec<String> = (0..12).map(|_| draw.fill("{b64}").0).collect();
    body.push(draw.fill("{b22}").0 + "==");
    let mut lines = vec![format!("-----BEGIN {name}-----")];
    lines.extend(body.clone());
    lines.push(format!("-----END {name}-----"));
    (lines, body)
}

/// The same of PuTTY.
fn putty_key(draw: &mut Draw) -> (Vec<String>, Vec<String>) {
    let body: Vec<String> = (0..8).map(|_| draw.fill("{b64}").0).collect();
    let mut lines = vec!["Encryption: none".to_owned(), "Private-Lines: 8".to_owned()];
    lines.extend(body.clone());
    lines.push(format!("Private-MAC: {}", draw.fill("{h64}").0));
    (lines, body)
}

fn keys(draw: &mut Draw) -> Vec<(Vec<String>, Vec<String>)> {
    vec![
        key(draw, "PRIVATE KEY"),
        key(draw, "RSA PRIVATE KEY"),
        key(draw, "OPENSSH PRIVATE KEY"),
        key(draw, "PGP PRIVATE KEY BLOCK"),
        putty_key(draw),
    ]
}

fn shown(lines: &[String], wrapper: Wrapper) -> String {
    lines.iter().enumerate().map(|(at, line)| (wrapper.1)(at + 1, line) + "\n").collect()
}

#[track_caller]
fn check_hidden(name: &str, text: &str, body: &[String]) {
    let redactor = Redactor::new();
    let clean = redactor.text(text);
    for line in body {
        for part in parts(line, 16).into_iter().filter(|part| part.len() >= 8) {
            assert!(!clean.contains(part), "{name}: {part} in\n{clean}");
        }
    }
    assert_eq!(redactor.text(&clean), clean, "{name}");
}

#[test]
fn whatever_stands_on_both_sides_of_its_lines_a_key_is_hidden() {
    let mut draw = Draw::seeded(11);
    for wrapper in WRAPPERS {
        for (lines, body) in keys(&mut draw) {
            check_hidden(wrapper.0, &format!("before\n{}behind\n", shown(&lines, *wrapper)), &body);
        }
    }
}

#[test]
fn a_part_of_a_key_with_one_of_its_ends_is_hidden_too() {
    let mut draw = Draw::seeded(12);
    for wrapper in
        WRAPPERS.iter().filter(|(name, _)| !["other lines between", "groups", "narrow"].contains(name))
    {
        for (lines, body) in keys(&mut draw) {
            let (front, tail) = (&lines[..5], &lines[lines.len() - 4..]);
            check_hidden(wrapper.0, &shown(front, *wrapper), &body);
            check_hidden(wrapper.0, &format!("… +9 lines\n{}", shown(tail, *wrapper)), &body);
        }
    }
}

#[test]
fn a_key_is_hidden_in_a_form_in_an_attribute_and_in_octal_escapes() {
    let mut draw = Draw::seeded(13);
    for (lines, body) in keys(&mut draw) {
        let text = lines.join("\n") + "\n";
        let form: String = text
            .replace('%', "%25")
            .replace('+', "%2B")
            .replace('/', "%2F")
            .replace('=', "%3D")
            .replace(':', "%3A")
            .replace('\n', "%0A")
            .replace(' ', "+");
        check_hidden("form", &format!("user=bob&key={form}&x=1"), &body);
        check_hidden("attribute", &format!("<key value=\"{}\"/>", text.replace('\n', "&#10;")), &body);
        let octal: String = text.bytes().map(|byte| format!("\\{byte:03o}")).collect();
        let clean = Redactor::new().text(&octal).into_owned();
        for line in &body {
            let encoded: String = line[..16].bytes().map(|byte| format!("\\{byte:03o}")).collect();
            assert!(!clean.contains(&encoded), "{clean}");
        }
    }
}

#[test]
fn a_key_of_putty_is_hidden_as_a_list_of_bytes() {
    let (lines, _) = putty_key(&mut Draw::seeded(14));
    let text = format!("PuTTY-User-Key-File-3: ssh-rsa\n{}\n", lines.join("\n"));
    let list =
        |byte: fn(u8) -> String, between: &str| text.bytes().map(byte).collect::<Vec<_>>().join(between);
    for bytes in [
        list(|byte| format!("{byte:02x}"), ""),
        list(|byte| format!("{byte:02x}"), " "),
        list(|byte| format!("0x{byte:02x}"), ", "),
        list(|byte| byte.to_string(), ", "),
    ] {
        assert_eq!(Redactor::new().text(&bytes), "[REDACTED:private-key]");
    }
}

#[test]
fn what_only_speaks_of_a_key_stays() {
    for text in [
        "if text.starts_with(\"-----BEGIN PRIVATE KEY-----\") {\n    let sha = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\";\n}\n",
        "-----BEGIN PRIVATE KEY-----\n(the lines of the key)\n-----END PRIVATE KEY-----\n",
        "header = '-----BEGIN RSA PRIVATE KEY-----'\nfooter = '-----END RSA PRIVATE KEY-----'\nreturn base64EncodedKeyWithoutHeaderAndFooter\n",
        "begin = b\"-----BEGIN PRIVATE KEY-----\"\n# see com/example/project/keys/PrivateKeyReader\nend = b\"-----END PRIVATE KEY-----\"\n",
        "-----BEGIN\nCERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUZx8Qw3Er7Ty1Ui5Op9As2MIIBszCCAVmg\n-----END CERTIFICATE-----\n",
        "Private-MAC: see below\nMIIBszCCAVmgAwIBAgIUZx8Qw3Er7Ty1Ui5Op9As2\n",
    ] {
        assert_eq!(Redactor::new().text(text), text);
    }
}

/// The bodies of keys as OpenSSL and OpenSSH begin them, with drawn bytes behind; and of what is no private key.
fn bodies(draw: &mut Draw) -> Vec<(&'static str, bool, Vec<String>)> {
    let beginnings: [(&str, bool); 12] = [
        ("MIIEpAIBAAKCAQEA", true),                                              // PKCS #1
        ("MIIJKQIBAAKCAgEA", true),                                              // the same of 4096 bits
        ("MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQ", true),            // PKCS #8
        ("MIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0BBQwwHAQI", true),              // encrypted
        ("MHcCAQEEI", true),                                                     // SEC 1
        ("MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg", true),              // the same in PKCS #8
        ("MC4CAQAwBQYDK2VwBCIEI", true),                                         // Ed25519
        ("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ", true),                    // OpenSSH
        ("MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQsw", false),         // a certificate
        ("MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA", false),                 // a public key
        ("MIICijCCAXICAQAwRTELMAkGA1UEBhMCQVUxEzARBgNVBAgM", false),             // a request
        ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", false), // a picture
    ];
    let mut body = |begin: &'static str, is_key: bool| {
        let all: String = begin
            .chars()
            .chain((0..12).flat_map(|_| draw.fill("{b64}").0.chars().collect::<Vec<_>>()))
            .collect();
        (begin, is_key, parts(&all, 64).into_iter().map(str::to_owned).collect())
    };
    beginnings.map(|(begin, is_key)| body(begin, is_key)).into_iter().collect()
}

#[test]
fn the_body_of_a_private_key_alone_is_hidden_and_other_base64_is_not() {
    type Show = fn(&[String]) -> String;
    let shows: [(&str, Show); 7] = [
        ("lines", |lines| lines.join("\n")),
        ("one line", |lines| lines.concat()),
        ("read tool", |lines| {
            lines.iter().enumerate().map(|(n, line)| format!("{:>6}→{line}\n", n + 2)).collect()
        }),
        ("cat -n", |lines| {
            lines.iter().enumerate().map(|(n, line)| format!("{:>6}\t{line}\n", n + 2)).collect()
        }),
        ("diff", |lines| lines.iter().map(|line| format!("+{line}\n")).collect()),
        ("json", |lines| format!("{{\"output\": \"{}\\n\"}}", lines.join("\\n"))),
        ("assignment", |lines| format!("data = \"{}\"\n", lines.concat())),
    ];
    let mut draw = Draw::seeded(11);
    for (begin, is_key, lines) in bodies(&mut draw) {
        for (name, show) in shows {
            let text = format!("$ tail -n +2 file\n{}\nthat was all of it\n", show(&lines));
            let clean = Redactor::new().text(&text).into_owned();
            let leaks = lines.iter().filter(|line| clean.contains(line.as_str())).count();
            if is_key {
                assert_eq!(leaks, 0, "{begin} {name}:\n{clean}");
                assert!(clean.contains("that was all of it"), "{begin} {name}: {clean}");
            } else if name != "one line" && name != "assignment" {
                assert_eq!(clean, text, "{begin} {name}");
            }
        }
    }
}
