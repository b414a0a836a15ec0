//! Secrets known by the place where they stand: addresses, headers, commands, files of their own, armour.

use super::draw::Draw;
use super::{Case, escaped};

/// A kind, and texts of it. `%p` is a password, `%t` a drawn token, `%b` `user:password` in base64.
const KINDS: &[(&str, &[&str])] = &[
    (
        "address",
        &[
            "https://bob:%p@host.test/path",
            "git clone https://bob:%t@git.test/a/b.git",
            "remote: http://admin:%p@10.0.0.1:8080",
            "ftp://bob:%p@files.test",
            "{\"url\": \"https://bob:%p@host.test\"}",
            "{\"body\":\"{\\\"url\\\":\\\"https://bob:%p@host.test\\\"}\"}",
            "PROXY=http://bob:%p@proxy.test:3128",
            "proxy: socks5://bob:%p@proxy.test:1080",
            "see <https://bob:%p@host.test> for more",
            "`ssh://bob:%p@host.test:22`",
        ],
    ),
    (
        "database address",
        &[
            "DATABASE_URL=postgres://app:%p@db.test:5432/app",
            "postgresql://app:%p@db.test/app?sslmode=require",
            "mysql://app:%p@db.test:3306/app",
            "mongodb+srv://app:%p@cluster0.mongodb.net/?retryWrites=true",
            "redis://:%p@cache.test:6379/0",
            "rediss://default:%t@cache.test:6380",
            "amqp://app:%p@queue.test:5672/vhost",
            "url: \"postgres://app:%t@db.test/app\"",
            "engine = create_engine('mysql+pymysql://app:%p@db.test/app')",
            "{\"dsn\":\"postgres://app:%p@db.test/app\"}",
            "mssql://sa:%p@db.test:1433",
            "clickhouse://default:%p@ch.test:9000/db",
        ],
    ),
    (
        "connection string",
        &[
            "Server=db.test;Database=app;User Id=sa;Password=%p;Encrypt=true",
            "Data Source=db.test;User ID=sa;Pwd=%p;",
            "\"ConnectionString\": \"Server=db.test;User=sa;Password=%p;\"",
            "jdbc:postgresql://db.test/app?user=bob&password=%t",
            "jdbc:mysql://db.test/app?user=bob&password=%t&ssl=true",
            "jdbc:sqlserver://db.test;user=sa;password=%p;encrypt=true",
            "host=db.test port=5432 user=app password=%p dbname=app",
            "cache.test:6379,password=%p,ssl=True,abortConnect=False",
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%t%t==;EndpointSuffix=core.windows.net",
            "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=%t=",
        ],
    ),
    (
        "authorization header",
        &[
            "Authorization: Bearer %t",
            "authorization: bearer %t\r\nHost: api.test",
            "Authorization: Basic %b",
            "Authorization: token %t",
            "Proxy-Authorization: Basic %b",
            "curl -H 'Authorization: Bearer %t' https://api.test",
            "curl -H \"Authorization: Basic %b\" https://api.test",
            "{\"headers\": {\"Authorization\": \"Bearer %t\"}}",
            "{\"curl\":\"curl -H \\\"Authorization: Bearer %t\\\" https://api.test\"}",
            "headers.set('Authorization', 'Bearer %t')",
            "req.Header.Set(\"Authorization\", \"Basic %b\")",
            "headers = {'Authorization': 'ApiKey %t'}",
            "sent Bearer %t to the server",
            "auth was Basic %b in the dump",
            "'Authorization' => 'Bearer %t',",
        ],
    ),
    (
        "cookie",
        &[
            "Cookie: theme=dark; session=%t; lang=en",
            "Set-Cookie: sessionid=%t; Path=/; HttpOnly; Secure",
            "set-cookie: connect.sid=s%3A%t; Path=/",
            "curl -H 'Cookie: auth_token=%t' https://api.test",
            "{\"cookie\": \"JSESSIONID=%t; a=b\"}",
            "{\"h\":\"{\\\"Cookie\\\":\\\"PHPSESSID=%t\\\"}\"}",
            "document.cookie = 'token=%t'",
            "Cookie: csrftoken=%t",
            "--cookie \"session=%t\"",
            "headers: { Cookie: 'sid=%t' }",
        ],
    ),
    (
        "signed address",
        &[
            "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=60&X-Amz-Signature=%t%t",
            "https://x.blob.core.windows.net/c/b?sv=2022-11-02&se=2024-01-01&sr=b&sp=r&sig=%t%3D",
            "https://storage.googleapis.com/b/o?X-Goog-Expires=60&X-Goog-Signature=%t%t",
            "https://cdn.test/v?Expires=1700000000&Signature=%t&Key-Pair-Id=K1",
            "https://api.test/hook?token=%t",
            "https://api.test/cb#access_token=%t&state=1",
            "{\"next\":\"https://api.test/?a=1\\u0026access_token=%t\"}",
            "https://api.test/?api_key=%t&q=x",
            "<a href=\"https://api.test/?a=1&amp;api_key=%t\">x</a>",
            "wss://api.test/socket?auth_token=%t",
        ],
    ),
    (
        "command",
        &[
            "mysql -u root -p%p app",
            "mysqldump -h db.test -uroot -p%p app > dump.sql",
            "curl -u bob:%p https://api.test",
            "curl -s --user 'bob:%p' https://api.test",
            "sshpass -p '%p' ssh bob@host.test",
            "docker login -u bob -p %p registry.test",
            "PGPASSWORD=%p psql -h db.test -U app",
            "redis-cli -h cache.test -a %p ping",
            "wget --user=bob --password=%p https://files.test/x",
            "openssl rsa -in key.pem -passin pass:%p",
            "ldapsearch -x -D cn=admin -w %p -b dc=test",
            "kubectl create secret generic db --from-literal=password=%p",
            "{\"command\":\"mysql -u root -p%p app\"}",
            "{\"command\":\"curl -u bob:%p https://api.test\"}",
            "az login -u bob@test -p %p",
            "mongosh --host db.test -u root -p %p",
        ],
    ),
    (
        "netrc",
        &[
            "machine api.test login bob password %p",
            "machine api.test\n  login bob\n  password %p\n",
            "default login bob password %p",
            "{\"content\":\"machine api.test\\n  login bob\\n  password %p\\n\"}",
        ],
    ),
    ("pgpass", &["db.test:5432:app:bob:%p\n", "*:*:*:bob:%p", "localhost:5432:*:postgres:%p"]),
    (
        "sql",
        &[
            "CREATE USER bob IDENTIFIED BY '%p';",
            "ALTER USER bob WITH PASSWORD '%p';",
            "CREATE ROLE app LOGIN PASSWORD '%p'",
            "SET PASSWORD FOR bob = '%p';",
        ],
    ),
    (
        "npm and docker configuration",
        &[
            "//registry.test/:_authToken=%t",
            "//registry.test/:_password=%t",
            "{\"auths\":{\"https://index.docker.io/v1/\":{\"auth\":\"%b\"}}}",
            "\"identitytoken\": \"%t\"",
        ],
    ),
    (
        "webhook",
        &[
            "https://hooks.slack.com/services/T%n/B%n/%t",
            "https://discord.com/api/webhooks/123456789012345678/%t%t",
            "https://maker.ifttt.com/trigger/x/with/key/%t",
            "SLACK=\"https://hooks.slack.com/services/T%n/B%n/%t\"",
        ],
    ),
    (
        "sentry address",
        &[
            "https://%h@o123.ingest.sentry.io/456",
            "SENTRY_DSN=https://%h@sentry.test/2",
            "dsn: \"https://%h@o1.ingest.us.sentry.io/9\"",
        ],
    ),
    (
        "discord bot",
        &[
            "discord bot token MTk4NjIyNDgzNDcxOTI1MjQ4.GaBcDe.%u38 in prose",
            "client.login('MTk4NjIyNDgzNDcxOTI1MjQ4.GaBcDe.%u38') # discord",
        ],
    ),
    ("k3s", &["K3S_TOKEN=K10%h%h::server:%h", "k3s join with K10%h%h::server:%h"]),
    (
        "beside an id",
        &[
            "Client(\"AC9f86d081884c7d659a2feaa0c55ad015\", \"%h\")",
            "curl -u AC9f86d081884c7d659a2feaa0c55ad015:%h https://api.twilio.com/2010-04-01/x",
        ],
    ),
    ("twilio", &["twilio: SK%h", "TWILIO_API_KEY=SK%h", "new twilio.Twilio('SK%h')"]),
];

pub(crate) fn cases(draw: &mut Draw) -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, frames) in KINDS {
        // Several draws: a place is short, and a password may be unlucky.
        for _ in 0..3 {
            cases.extend(frames.iter().map(|frame| case(draw, kind, frame)));
        }
    }
    for _ in 0..3 {
        armour(draw, &mut cases);
        encoded(draw, &mut cases);
        phrases(draw, &mut cases);
    }
    cases
}

fn case(draw: &mut Draw, kind: &'static str, frame: &'static str) -> Case {
    let mut secrets = Vec::new();
    let mut text = String::new();
    let mut rest = frame;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let (gap, tail) = rest[at + 1..].split_at(1);
        let (body, tail) = match gap {
            "p" => (draw.password().replace(['@', '#', '$'], "!"), tail),
            "t" => (draw.fill("{A32}").0, tail),
            "h" => (draw.fill("{h32}").0, tail),
            "n" => (draw.fill("{U10}").0, tail),
            "u" => (draw.fill("{u38}").0, &tail[2..]),
            "b" => (base64(&format!("bob:{}", draw.password())), tail),
            other => (format!("%{other}"), tail),
        };
        text.push_str(&body);
        if matches!(gap, "p" | "t" | "h" | "u" | "b") {
            secrets.push(body);
        }
        rest = tail;
    }
    text.push_str(rest);
    Case { kind, place: frame, text, secrets }
}

pub(crate) fn base64(plain: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in plain.as_bytes().chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let is_padding = digit > chunk.len();
            let index = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if is_padding { '=' } else { char::from(ALPHABET[index]) });
        }
    }
    text
}

/// Private keys in armour.
fn armour(draw: &mut Draw, cases: &mut Vec<Case>) {
    for (kind, name) in [
        ("rsa key", "RSA PRIVATE KEY"),
        ("pkcs8 key", "PRIVATE KEY"),
        ("encrypted key", "ENCRYPTED PRIVATE KEY"),
        ("ec key", "EC PRIVATE KEY"),
        ("openssh key", "OPENSSH PRIVATE KEY"),
        ("pgp key", "PGP PRIVATE KEY BLOCK"),
        ("dsa key", "DSA PRIVATE KEY"),
    ] {
        let mut lines: Vec<String> = (0..12).map(|_| draw.fill("{b64}").0).collect();
        lines.push(draw.fill("{b40}==").0);
        let (begin, end) = (format!("-----BEGIN {name}-----"), format!("-----END {name}-----"));
        let block = format!("{begin}\n{}\n{end}\n", lines.join("\n"));
        let indented = block.replace('\n', "\n    ");
        let escaped_once = escaped(&block);
        let joined = lines.iter().map(|line| format!("\"{line}\\n\" +\n    ")).collect::<String>();
        let mut add = |place, text: String| cases.push(Case { kind, place, text, secrets: lines.clone() });
        add("file", block.clone());
        add("windows file", block.replace('\n', "\r\n"));
        add("yaml block", format!("key: |\n    {indented}\nport: 80\n"));
        add("json", format!("{{\"private_key\":\"{escaped_once}\",\"port\":80}}"));
        add(
            "json in json",
            format!("{{\"content\":\"{}\"}}", escaped(&format!("{{\"private_key\":\"{escaped_once}\"}}"))),
        );
        add(".env", format!("KEY=\"{escaped_once}\"\nPORT=80\n"));
        add("cut off", format!("{begin}\n{}\n", lines[..5].join("\n")));
        add("cut off, then prose", format!("{begin}\n{}\n\nand then it stops.", lines[..5].join("\n")));
        add("on one line", format!("{begin} {} {end}", lines.join(" ")));
        add("java", format!("String k = \"{begin}\\n\" +\n    {joined}\"{end}\\n\";"));
        add("comment", format!("# {}", block.replace('\n', "\n# ")));
        add("heredoc", format!("cat > id_rsa <<EOF\n{block}EOF\nchmod 600 id_rsa"));
        let encoded = base64(&block);
        let text = format!("data:\n  key: {encoded}\n");
        cases.push(Case { kind, place: "base64", text, secrets: vec![encoded] });
    }
    let lines: Vec<String> = (0..6).map(|_| draw.fill("{b64}").0).collect();
    let text = format!(
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: x\nPrivate-Lines: 6\n{}\nPrivate-MAC: 00\n",
        lines.join("\n")
    );
    cases.push(Case { kind: "putty key", place: "file", text, secrets: lines });
}

/// Tokens inside base64.
fn encoded(draw: &mut Draw, cases: &mut Vec<Case>) {
    for template in [
        "ghp_{A36}",
        "glpat-{u20}",
        "sk-ant-api03-{u93}AA",
        "xoxb-{d12}-{d13}-{A24}",
        "npm_{A36}",
        "github_pat_{A22}_{A59}",
    ] {
        for (place, before) in
            [("base64", ""), ("base64 with a user", "bob:"), ("base64 of a line", "TOKEN=")]
        {
            let (secret, _) = draw.fill(template);
            let encoded = base64(&format!("{before}{secret}"));
            cases.push(Case {
                kind: "token in base64",
                place,
                text: format!("blob: {encoded} end"),
                secrets: vec![encoded],
            });
        }
    }
}

fn phrases(draw: &mut Draw, cases: &mut Vec<Case>) {
    let words = [
        "legal", "winner", "thank", "year", "wave", "sausage", "worth", "useful", "zebra", "ocean", "rapid",
        "violin", "garden", "metal",
    ];
    let phrase: Vec<&str> = (0..12).map(|_| draw.one(&words)).collect();
    let phrase = phrase.join(" ");
    for (place, text) in [
        ("env", format!("MNEMONIC=\"{phrase}\"")),
        ("json", format!("{{\"mnemonic\": \"{phrase}\"}}")),
        ("yaml", format!("seed_phrase: \"{phrase}\"")),
        ("javascript", format!("const mnemonic = '{phrase}';")),
    ] {
        cases.push(Case { kind: "seed phrase", place, text, secrets: vec![phrase.clone()] });
    }
}
