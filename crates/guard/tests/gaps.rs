//! Secrets in places where somebody who looked for gaps found some: each with many secrets, and as lines of a listing.

mod corpus;

use corpus::draw::Draw;
use subcortex_guard::Redactor;

/// How often each place is filled.
const DRAWS: usize = 20;
/// What was drawn may look like a word by chance.
const RECALL_MIN_PER_CENT: f64 = 99.8;

/// What is drawn, and where it stands.
const PLACES: &[(&str, &str)] = &[
    // Stores of secrets.
    ("A16", "aws ssm put-parameter --name /app/DB_PASSWORD --value {}"),
    ("A16", "aws ssm put-parameter --name '/app/api-key' --value '{}' --overwrite"),
    ("L16", "aws secretsmanager put-secret-value --secret-id DB_PASSWORD --secret-string \"{}\""),
    ("L16", "{'out': 'fly secrets set password={}'}"),
    // Brackets around a value.
    ("A16", "DB_PASSWORD = (\n    \"{}\"\n)"),
    ("h32", "API_KEY = (\n    \"{}\"\n)"),
    ("A20", "clientSecret: (\n  '{}'\n),"),
    ("A16", "password = (\"{}\")"),
    // Addresses.
    ("A14", "https://bob:aB3/{}@db.example.test/x"),
    ("A14", "ssh://bob:aB3/{}@db.example.test"),
    ("A14", "socks5://bob:aB3/{}@db.example.test:1080"),
    ("A14", "git+https://bob:aB3/{}@example.test/x.git"),
    ("A10", "postgresql+asyncpg://bob:aB3/{}@db/app"),
    ("A10", "libsql://bob:x/{}@db.example.test"),
    ("A10", "snowflake://bob:x/{}@account/db"),
    ("A10", "+mysql://bob:x/{}@db:3306/app"),
    ("A10", "+mongodb+srv://bob:x/{}@c0.example.test/app"),
    ("u68", "https://canary.discord.com/api/v10/webhooks/166444270021977955/{}"),
    ("A40", "https://app.test/callback?code={}&state=1"),
    // Files and states.
    ("A16", "\"type\": \"random_password\",\n\"instances\": [\n{\n\"length\": 16,\n\"result\": \"{}\"\n"),
    ("A16", "resource \"random_password\" \"db\" {\n    length = 16\n    result = \"{}\"\n}"),
    ("h32", "$ cat config/master.key\n{}"),
    ("A40", "{\"github-oauth\":{\"github.com\":\"{}\"}}"),
    ("h40", "mvn sonar:sonar -Dsonar.login={}"),
    ("A32", "vault_pass: {}"),
    ("U32", "totp: {}"),
    // What was announced.
    ("A20", "Password for the elastic user (reset with `bin/x`):\n  {}"),
    ("h32", "Please use the following password to proceed to installation:\n\n{}\n\nThis may also be found"),
    ("A20", "│ Password for the [elastic] user: {}               │"),
    ("h32", "│ \"API_KEY\":                │\n│     \"{}\"         │"),
    // A removed line, and a line beside one that was found.
    ("b43", "-PresharedKey = {}="),
    ("A16", "-DB_PASSWORD={}"),
    ("A16", "src/app/conf.env-10-pass = {}"),
    // Other blanks, other ways to write signs.
    ("A12", "DB_PASSWORD\u{a0}=\u{a0}\"{}\""),
    ("A12", "Password\u{a0}: {}"),
    ("A14", "&lt;server&gt;&lt;password&gt;{}&lt;/password&gt;"),
    ("A14", "&lt;server>&lt;password>{}&lt;/password>"),
    ("A14", "curl --user &quot;bob:{}&quot; https://x.test"),
    ("A30", "body=password%3A+%22{}%22"),
    // Headers and commands.
    ("A24", "Sec-WebSocket-Protocol: bearer, {}"),
    ("h40", "curl -u {}: https://x.test"),
    ("A18", "curl -sSubob:{} https://x.test"),
    ("A40", "_eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiAiZDdmYjAzZmNiZjZiIn0.{}_"),
    ("A27", "ngrok started with {}_VM9FjxOyhQUMsMrp6CRNl"),
];

/// The same text as programs show it.
const MARGINS: &[&str] = &["", "    12→", "> ", "2026-11-19T10:00:00Z app: "];

#[test]
fn gaps_that_were_found_are_closed() {
    let redactor = Redactor::new();
    let mut draw = Draw::seeded(11);
    let (mut count, mut missed) = (0, Vec::new());
    for (gap, place) in PLACES {
        for margin in MARGINS.iter().filter(|margin| margin.is_empty() || place.contains('\n')) {
            // The state of a tool is no JSON any more behind a margin, and a box has one of its own.
            if !margin.is_empty() && place.starts_with(['{', '│']) {
                continue;
            }
            for _ in 0..DRAWS {
                let (secret, _) = draw.fill(&format!("{{{gap}}}"));
                let lines = place.replace("{}", &secret);
                let lines: Vec<String> = lines.lines().map(|line| format!("{margin}{line}")).collect();
                let clean = redactor.text(&lines.join("\n")).into_owned();
                count += 1;
                if clean.contains(&secret) {
                    missed.push(clean);
                }
            }
        }
    }
    let recall = 100.0 - missed.len() as f64 * 100.0 / f64::from(count);
    assert!(recall >= RECALL_MIN_PER_CENT, "{recall:.2} %, {}:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn all_the_literals_of_a_secret_go() {
    let redactor = Redactor::new();
    let mut draw = Draw::seeded(12);
    for text in [
        "DB_PASSWORD=\"{a}\" + \"{b}\" + \"{c}\"",
        "API_KEY = \"{a}\" +\n  \"{b}\" +\n  \"{c}\"",
        "password: '{a}' . '{b}' . '{c}'",
        "clientSecret = (\n    \"{a}\"\n    \"{b}\"\n    \"{c}\"\n)",
        "echo \"DB_PASSWORD={a}\" + \"{b}\" + \"{c}\"",
    ] {
        let parts: Vec<String> = (0..3).map(|_| draw.fill("{A12}").0).collect();
        let whole = ["{a}", "{b}", "{c}"]
            .iter()
            .zip(&parts)
            .fold(text.to_owned(), |text, (gap, part)| text.replace(gap, part));
        let clean = redactor.text(&whole);
        assert!(parts.iter().all(|part| !clean.contains(part)), "{whole}\n{clean}");
    }
}

#[test]
fn what_looks_like_such_a_place_stays() {
    let redactor = Redactor::new();
    for text in [
        "aws ssm put-parameter --name /app/region --value eu-west-1b",
        "aws ssm put-parameter --name /app/build --value 9f86d081884c7d65",
        "password = (\n    get_password()\n)",
        "PASSWORD_FIELDS = (\n    \"password1\",\n    \"password2\",\n)",
        "label = \"password: \" + \"hint2\"",
        "git+ssh://git@github.com:Org2/Repo.git@v1.0",
        "http://localhost:PORT/@vite/client",
        "docker://registry.test:Tag2/path@sha256",
        "random_password.db.result",
        "password = random_password.db.result\nname = \"app2\"",
        "config/master.key\nconfig/routes.rb",
        "config/master.key\n",
        "aes-256-key = x",
        "tool -password = 2",
        "let secret = b\"\\x9b\\xe4\\x81\\x0c\\xa7\\x9b\\x01\\x02\\xfe\\xa7\";",
        "Password: `redis://user:password@127.0.0.1`",
        "site_key: \"6Lc9qjcUAAAAADTnJq5kJMjN9aD1lxpRLMnCS2TR\"",
        "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "-H 'PRIVATE-TOKEN: glpat-xxxxxxxxxxxxxxxxxxxx'",
        "https://app.test/list?code=article-overview-of-the-week",
        "totp_enabled: true",
        "Mot de passe\u{a0}: au moins huit signes",
        "&lt;password&gt; is the name of the element",
        "curl -fsSLu https://x.test",
        "Authorization: Bearer YourAccessTokenHere",
    ] {
        assert_eq!(redactor.text(text), text);
    }
}
