//! Secrets that only their name or place tells: words as passwords, hexadecimal tokens, parts and lines of keys.

use subcortex_guard::Redactor;

#[track_caller]
fn hides(text: &str, secret: &str) {
    let clean = Redactor::new().text(text).into_owned();
    assert!(!clean.contains(secret), "{text}\n{clean}");
    assert!(clean.contains("[REDACTED:"), "{clean}");
}

#[track_caller]
fn stays(text: &str) {
    assert_eq!(Redactor::new().text(text), text);
}

const LINE: &str = "mOE18aW+g8c/v/bCVuF6SQbvYxJQcCe/R+QxxQsm562ld/Q7u0mpcR1c50rgTIjW";
const HEX: &str = "3460be31201e69fedaa0eee8b9997f5c7c2999fd";
const JWT: &str =
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.pU3KGCUwux1tEyze1iN7LtkeP3IfyxlxF0SU1kk8nVw";

#[test]
fn a_web_token_is_hidden_in_the_path_of_an_address() {
    for place in [
        "https://host.test/verify/{}",
        "GET /verify-email/{} HTTP/1.1",
        "https://app.test/reset-password/{}?next=/home",
        "open https://app.test/magic_link/{}",
    ] {
        hides(&place.replace("{}", JWT), "pU3KGCUwux1tEyze1iN7");
    }
}

#[test]
fn a_password_of_words_is_hidden_where_settings_name_it() {
    for place in [
        "password: {}",
        "Password: {}",
        "db_password: {}",
        "  password: {}\n  user: app",
        "passwd={} host=db",
        "user=app password={} dbname=x",
        "spring.datasource.password={}",
        "[client]\nuser=app\npassword={}",
        "psql --password {}",
        "tool --password={}",
    ] {
        for password in ["correcthorse", "blaubeerkuchen", "dragonfire"] {
            hides(&place.replace("{}", password), password);
        }
    }
}

#[test]
fn words_about_passwords_stay() {
    for text in [
        "password: authentication",
        "password: unsupported",
        "Password: successfully changed",
        "- password: characters",
        "password: userpassword",
        "password = plainpassword",
        "password = somevariable",
        "connect(password=somevariable)",
        "--password requirements",
        "the password is compromised",
        "password: deprecated",
        "password: passwordless",
        "password: unnecessary",
        "password: everything works now",
    ] {
        stays(text);
    }
}

#[test]
fn a_password_with_brackets_in_it_is_hidden_where_a_program_would_have_brackets() {
    let places = [
        "password: {}",
        "password = {}",
        "spring.datasource.password={}",
        "db:\n  user: app\n  password: {}\n  port: 1\n",
        "secret: {}",
        "token: {}",
        "api_key: {}",
        "client_secret={}",
        "\"secret\": \"{}\"",
        "token = \"{}\"",
        "deploy --token '{}'",
        "Authorization: Bearer {}",
    ];
    for (place, password) in places.iter().flat_map(|place| {
        ["Xk7(mQ9(vL2pT4", "Xk7(mQ9)vL2p4s", "p{Q7z!kL2xW9", "Xk7[mQ9vL2pR", "aB3<kL9|x2Qw"]
            .map(|password| (place, password))
    }) {
        hides(&place.replace("{}", password), password);
    }
    for place in ["\"secret\": \"{}\"", "deploy --token {}", "token: {}", "Authorization: Bearer {}"] {
        hides(&place.replace("{}", "Xk7;mQ9;vL2pT4"), "vL2pT4");
    }
    hides("headers={\"Authorization\": f\"Bearer Xk7#mQ9%vL2p\"}", "vL2p");
}

#[test]
fn brackets_of_programs_stay() {
    for text in [
        "password: getenv(\"X1\")",
        "password: getenv(",
        "token = foo[bar]",
        "token = Args[2].Value",
        "token: Option<String>",
        "token: Vec<u8>",
        "secret: Array<UInt8>(32)",
        "secret: Key<U32>",
        "secret: [u8;32]",
        "password: sha256(md5(x2))",
        "secret = HmacSHA256(k1)",
        "token: x[0](y[1])",
        "api_key: x509.ParsePKCS8PrivateKey(b64)",
        "token: Box<dyn Fn(u8)->U256>",
        "password = Base64.encode(p1)|md5",
        "Authorization: Bearer ${T1}",
        "const p = Buffer.from(password, 'base64').toString('utf8')",
    ] {
        stays(text);
    }
}

#[test]
fn a_short_name_for_a_password_with_a_hexadecimal_value_is_one() {
    let long = format!("{HEX}9b74c9897bac770ffc029102");
    for place in [
        "\"pass\": \"{}\"",
        "pass: {}",
        "pass={}",
        "const char* pass = \"{}\";",
        "SMTP:\n  user: a\n  pass: {}",
        "redis-cli -h r --pass {} ping",
        "openssl pkcs12 -in x.p12 -password pass:{} -nodes",
    ] {
        for secret in [&HEX[..32], &long] {
            hides(&place.replace("{}", secret), secret);
        }
    }
    for text in ["tests pass at {}", "PASS: {}", "let them pass {} on", "pass: commit {}"] {
        stays(&text.replace("{}", HEX));
    }
}

#[test]
fn a_long_hexadecimal_number_behind_its_name_is_a_token() {
    for place in [
        "token {}",
        "gitea token ({})",
        "Access token was successfully created: {}",
        "New token was created for bob: {}",
        "the token is {}",
    ] {
        hides(&place.replace("{}", HEX), HEX);
    }
    for text in
        ["commit {}", "the tokenizer at {}", "next token ({})", "key {}", "sha1 {}", "token count at {}"]
    {
        stays(&text.replace("{}", HEX));
    }
}

#[test]
fn all_private_members_of_a_web_key_are_hidden_behind_line_numbers() {
    let (long, short) = (LINE.replace(['+', '/'], "_").repeat(5), LINE.replace(['+', '/'], "-").repeat(3));
    let members = ["d", "p", "q", "dp", "dq", "qi"];
    for margin in ["{}\t", "     {}→", "{}: "] {
        let mut lines =
            vec!["{".to_owned(), "  \"kty\": \"RSA\",".to_owned(), format!("  \"n\": \"{long}\",")];
        lines.extend(members.map(|member| format!("  \"{member}\": \"{member}{short}\",")));
        lines.extend(["  \"e\": \"AQAB\"".to_owned(), "}".to_owned()]);
        let lines = lines.iter().enumerate();
        let text: Vec<_> =
            lines.map(|(n, line)| format!("{}{line}", margin.replace("{}", &(n + 1).to_string()))).collect();
        let clean = Redactor::new().text(&text.join("\n")).into_owned();
        assert!(clean.contains(&long), "what is public stays: {clean}");
        for member in members {
            assert!(!clean.contains(&format!("\"{member}{short}")), "{member}: {clean}");
        }
    }
}

#[test]
fn keys_of_minisign_and_signify_are_known_by_their_beginning() {
    let body = LINE.repeat(4);
    for (comment, beginning, len) in [
        ("minisign encrypted secret key", "RWRTY0Iy", 204),
        ("rsign encrypted secret key", "RWRTY0Iy", 204),
        ("minisign secret key", "RWQAAEIy", 204),
        ("signify secret key", "RWRCSwAAACo", 129),
    ] {
        let key = format!("{beginning}{}", &body[..len]);
        hides(&format!("untrusted comment: {comment}\n{key}\n"), &key[20..40]);
        hides(&format!("     1\tuntrusted comment: {comment}\n     2\t{key}\n"), &key[20..40]);
        hides(&key, &key[20..40]);
    }
    stays(&format!("untrusted comment: minisign public key A1B2\nRWQf6LRCGA9i{}\n", &body[..44]));
}

#[test]
fn one_line_of_a_private_key_is_hidden_behind_what_tells_it() {
    for place in [
        "private key:\n{}",
        "# id_rsa line 2\n{}",
        "$ sed -n 5p ~/.ssh/id_rsa\n{}",
        "private key body {}",
        "id_ed25519 line 3: {}\n",
        "server.key\n{}\n",
    ] {
        hides(&place.replace("{}", LINE), &LINE[8..40]);
    }
    for text in [
        "public key:\n{}",
        "signature:\n{}",
        "{}",
        "digest of the file\n{}",
        "private key and certificate:\n{}",
    ] {
        stays(&text.replace("{}", LINE));
    }
}

#[test]
fn a_key_is_hidden_in_a_listing_of_characters_without_places() {
    let key = format!("-----BEGIN PRIVATE KEY-----\n{LINE}\n{LINE}\n-----END PRIVATE KEY-----\n");
    let cells = |byte: u8| if byte == b'\n' { "  \\n".to_owned() } else { format!("   {}", byte as char) };
    let lines: Vec<String> =
        key.as_bytes().chunks(16).map(|line| line.iter().map(|byte| cells(*byte)).collect()).collect();
    hides(&format!("$ od -An -c server.key\n{}\n", lines.join("\n")), "Q   b   v   Y   x");
    let numbers: Vec<String> = key
        .as_bytes()
        .chunks(16)
        .map(|line| line.iter().map(|byte| format!(" {byte:02x}")).collect())
        .collect();
    hides(&format!("$ od -An -tx1 server.key\n{}\n", numbers.join("\n")), "51 62 76 59 78");
}
