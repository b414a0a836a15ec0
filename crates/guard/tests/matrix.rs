//! Every kind of secret in every way in which agents are shown a text, counted by kind and by way.
//!
//! Missed today: a key of Mailchimp that a shell breaks in two (its form is in its end), tables drawn with boxes in percent encoding and in
//! `\u` numbers, a short name as a token under `cat -A`, whose sign at the end of a line becomes part of it.

mod corpus;

use std::collections::BTreeMap;

use corpus::draw::Draw;
use corpus::shown::{ENCODINGS, MARGINS, Way};
use corpus::{Case, formed, placed};
use subcortex_guard::Redactor;

const RECALL_MIN_PER_CENT: f64 = 99.8;
/// So that neither a kind nor a way can hide behind the others.
const ROW_MIN_PER_CENT: f64 = 97.0;
/// How many of those that are missed are shown.
const MISSED_SHOWN: usize = 200;

const PLAIN: Way = Way { name: "plain", text: str::to_owned, part: str::to_owned };

/// Passwords as people choose them; many are names as programs have them, with a number.
const PASSWORDS: &[&str] = &[
    "winter_harbor_42",
    "prodDbMain2024",
    "kite_lamp9",
    "hunter2",
    "Tr0ub4dor&3",
    "blue-lagoon-77",
    "S3cr3tSauce",
    "Zx8Qw3Er7Ty1Ui5Op9As",
];

/// Where a password stands. `%` is the password.
const PLACES: &[(&str, &str)] = &[
    ("properties", "spring.datasource.username=app\nspring.datasource.password=%\nserver.port=8080\n"),
    ("properties, spaced", "spring.datasource.username = app\nspring.datasource.password = %\n"),
    ("properties with a colon", "db.user: app\ndb.password: %\n"),
    ("ini", "[client]\nuser = root\npassword = %\nhost = db\n"),
    ("ini, tight", "[client]\nuser=root\npassword=%\nhost=db\n"),
    ("yaml", "database:\n  user: app\n  password: %\n  port: 5432\n"),
    ("yaml list", "users:\n  - name: app\n    password: %\n"),
    ("yaml in quotes", "database:\n  password: \"%\"\n"),
    ("toml", "[db]\npassword = \"%\"\n"),
    ("env", "PORT=80\nDB_PASSWORD=%\nDEBUG=1\n"),
    ("export", "#!/bin/sh\nexport DB_PASSWORD=%\nexec app\n"),
    ("json", "{\n  \"user\": \"app\",\n  \"password\": \"%\"\n}\n"),
    ("flag", "tool login --user app --password % --verbose\n"),
    ("flag, last", "tool login --password %\n"),
    ("flag with a sign", "tool login --password=% --verbose\n"),
    ("mysql", "mysql -u root -p% app\n"),
    ("sshpass", "sshpass -p % ssh bob@host\n"),
    ("docker login", "docker login -u bob -p % registry.test\n"),
    ("mongosh", "mongosh -u app -p % db.test\n"),
    ("curl -u", "curl -u bob:% https://host.test/\n"),
    ("address", "url = https://bob:%@host.test/path\n"),
    ("database address", "DATABASE_URL=postgres://app:%@db.test:5432/app\n"),
    ("connection string", "Server=db.test;Database=app;User Id=sa;Password=%;Encrypt=true\n"),
    ("libpq", "host=db.test port=5432 user=app password=% dbname=app\n"),
    ("netrc", "machine api.test\nlogin bob\npassword %\n"),
    ("netrc in a line", "machine api.test login bob password %\n"),
    ("pgpass", "db.test:5432:app:bob:%\n"),
    ("sql", "CREATE USER app IDENTIFIED BY '%';\n"),
    ("prompt", "user: bob\npassword: %\n"),
    ("markdown table", "| user | password |\n|------|----------|\n| bob | % |\n"),
    ("psql", " username | password \n----------+----------\n bob      | %\n(1 row)\n"),
    ("box", "│ user │ password │\n├──────┼──────────┤\n│ bob  │ % │\n"),
    (
        "mysql table",
        "+------+----------+\n| user | password |\n+------+----------+\n| bob  | % |\n+------+----------+\n",
    ),
    ("csv", "user,password\nbob,%\n"),
    ("row of a table", "| password | % |\n"),
    ("yaml with a remark", "db:\n  password: %  # of production\n"),
    ("ini with a remark", "[client]\npassword=% ; of production\n"),
    ("short name", "smtp:\n  user: app\n  pwd: %\n"),
    ("compose", "services:\n  db:\n    environment:\n      - POSTGRES_PASSWORD=%\n"),
    ("dotted flag", "java -Ddb.password=% -jar app.jar\n"),
    ("xml", "<db>\n  <password>%</password>\n</db>\n"),
    ("chpasswd", "echo 'bob:%' | chpasswd\n"),
];

/// Words that are a password and could be the name of a variable: where only settings and flags are.
const WORDS: &[&str] = &["correcthorse_battery", "velvet_thunder_cloud", "correcthorse", "hunter2abc"];
const WORD_PLACES: &[(&str, &str)] = &[
    (
        "words in properties",
        "spring.datasource.username=app\nspring.datasource.password=%\nserver.port=8080\n",
    ),
    ("words in tight ini", "[client]\nuser=root\npassword=%\nhost=db\n"),
    ("words in yaml", "database:\n  user: app\n  password: %\n  port: 5432\n"),
    ("words in yaml in quotes", "database:\n  password: \"%\"\n"),
    ("words in toml", "[db]\npassword = \"%\"\n"),
    ("words in env", "PORT=80\nDB_PASSWORD=%\nDEBUG=1\n"),
    ("words in json", "{\n  \"user\": \"app\",\n  \"password\": \"%\"\n}\n"),
    ("words behind a flag", "tool login --user app --password % --verbose\n"),
    ("words behind a flag with a sign", "tool login --password=%\n"),
    ("words in a dotted flag", "java -Ddb.password=% -jar app.jar\n"),
    ("words in a connection", "host=db.test port=5432 user=app password=% dbname=app\n"),
];

/// What people choose where others draw a token.
const CHOSEN: &[&str] = &["Tr0ub4dor&3", "S3cr3tSauce", "Zx8Qw3Er7Ty1Ui5Op9As"];
/// The same, written as a name: not found behind `token:`, where the words of parsers stand as well.
const NUMBERED: &[&str] = &["winter_harbor_42", "kite_lamp9"];
const CHOSEN_PLACES: &[(&str, &str)] = &[
    ("secret in settings", "app:\n  name: web\n  secret: %\n"),
    ("secret in properties", "app.name=web\napp.secret=%\n"),
    ("token in properties", "app.name=web\napp.token=%\n"),
    ("token flag", "tool push --token % --verbose\n"),
    ("token flag with a sign", "tool push --token=%\n"),
    ("api key in settings", "app:\n  name: web\n  api_key: %\n"),
    ("token of a shell", "export TOKEN=%\n"),
    (TOKEN_IN_SETTINGS, "app:\n  name: web\n  token: %\n"),
];
const TOKEN_IN_SETTINGS: &str = "token in settings";

/// Tokens without a form, behind the names that tell them. `@` is a drawn token.
const TOKENS: &[(&str, &str)] = &[
    ("token in yaml", "service:\n  token: @\n  port: 80\n"),
    ("secret in yaml", "service:\n  secret: @\n  port: 80\n"),
    ("token in ini", "[service]\ntoken = @\n"),
    ("secret in properties", "app.user=x\napp.secret=@\n"),
    ("token in env", "PORT=80\nTOKEN=@\n"),
    ("export of a token", "#!/bin/sh\nexport TOKEN=@\n"),
    ("token flag", "tool push --token @ --verbose\n"),
    ("token flag with a sign", "tool push --token=@\n"),
    ("api key in yaml", "api_key: @\nport: 80\n"),
    ("client secret in json", "{\n  \"client_secret\": \"@\"\n}\n"),
    ("bearer", "GET / HTTP/1.1\nAuthorization: Bearer @\nHost: api.test\n"),
    ("npmrc", "registry=https://npm.test/\n//npm.test/:_authToken=@\n"),
    ("tokens in a table", "| name | token |\n|------|-------|\n| ci | @ |\n"),
    ("aws", "[default]\naws_access_key_id = AKIA3XMPLE7QWERTYUIO\naws_secret_access_key = @@\n"),
];

/// Of several words. `%` is the phrase.
const PHRASE_PLACES: &[(&str, &str)] = &[
    ("passphrase in yaml", "key:\n  passphrase: %\n  file: id\n"),
    ("passphrase in quotes", "key:\n  passphrase: \"%\"\n"),
    ("passphrase in ini", "[key]\npassphrase = %\n"),
    ("passphrase in env", "KEY_PASSPHRASE=\"%\"\n"),
    ("passphrase in json", "{\n  \"passphrase\": \"%\"\n}\n"),
    ("password in quotes", "db:\n  password: \"%\"\n"),
    ("password in toml", "[db]\npassword = \"%\"\n"),
    ("password in json", "{\n  \"password\": \"%\"\n}\n"),
    ("password in env", "DB_PASSWORD='%'\n"),
    ("password flag", "tool login --password \"%\"\n"),
];
const PHRASES: &[&str] = &["correct horse battery staple", "seven purple otters dance slowly"];

/// Tokens with a form are many; each stands in one of its places here, another for each kind.
const FORMED_STEP: usize = 7;
const PLACED_STEP: usize = 3;

fn cases() -> Vec<Case> {
    let mut draw = Draw::seeded(23);
    let mut cases = Vec::new();
    let mut add = |kind, place, text: String, secret: String| {
        cases.push(Case { kind, place, text, secrets: vec![secret] });
    };
    for (place, frame) in PLACES {
        for password in PASSWORDS {
            add("password", *place, frame.replace('%', password), (*password).to_owned());
        }
    }
    for (place, frame) in WORD_PLACES {
        for word in WORDS {
            add("password", *place, frame.replace('%', word), (*word).to_owned());
        }
    }
    for (place, frame) in CHOSEN_PLACES {
        let numbered = if *place == TOKEN_IN_SETTINGS { &[] } else { NUMBERED };
        for chosen in CHOSEN.iter().chain(numbered) {
            add("chosen", *place, frame.replace('%', chosen), (*chosen).to_owned());
        }
    }
    for (place, frame) in TOKENS {
        for template in ["{A32}", "{h40}", "{u24}", "{A40}"] {
            let template = if frame.contains("@@") { "{b40}" } else { template };
            let token = draw.fill(template).0;
            add("token", *place, frame.replace("@@", "@").replace('@', &token), token);
        }
    }
    for (place, frame) in PHRASE_PLACES {
        for phrase in PHRASES {
            add("phrase", *place, frame.replace('%', phrase), (*phrase).to_owned());
        }
    }
    cases.extend(formed::cases(&mut draw).into_iter().step_by(FORMED_STEP));
    cases.extend(placed::cases(&mut draw).into_iter().step_by(PLACED_STEP));
    cases.extend(keys(&mut draw));
    cases
}

/// Private keys in the armour of each of the usual programs.
fn keys(draw: &mut Draw) -> Vec<Case> {
    let mut lines = |count: usize, columns: usize| -> Vec<String> {
        (0..count).map(|_| draw.fill(&format!("{{b{columns}}}")).0).collect()
    };
    let armoured = |kind, name: &str, body: Vec<String>| Case {
        kind,
        place: "key",
        text: format!("-----BEGIN {name}-----\n{}\n-----END {name}-----\n", body.join("\n")),
        secrets: body,
    };
    let (public, private) = (lines(3, 64), lines(8, 64));
    let putty = format!(
        "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: bob\nPublic-Lines: 3\n{}\nPrivate-Lines: 8\n{}\nPrivate-MAC: 00\n",
        public.join("\n"),
        private.join("\n")
    );
    vec![
        armoured("pem", "RSA PRIVATE KEY", lines(12, 64)),
        armoured("ec", "EC PRIVATE KEY", lines(3, 64)),
        armoured("pkcs 8", "PRIVATE KEY", lines(3, 64)),
        armoured("openssh", "OPENSSH PRIVATE KEY", lines(6, 70)),
        armoured("pgp", "PGP PRIVATE KEY BLOCK", lines(10, 64)),
        Case { kind: "putty", place: "key", text: putty, secrets: private },
    ]
}

/// What looks like the above and holds no secret: programs, types, gaps, remarks, messages.
const ORDINARY: &[&str] = &[
    "password: string\n",
    "interface Login {\n  user: string;\n  password: string;\n}\n",
    "token = get_token()\n",
    "if password == None:\n    raise ValueError(\"password\")\n",
    "The password: see the vault.\n",
    "password: Optional[str] = None\n",
    "def login(user: str, password: str) -> Token:\n    return Token(user)\n",
    "pub password: Option<String>,\npub token: SecretString,\n",
    "password = user_input\nsecret = other_value\n",
    "self.password=other_choice\n",
    "connect(\n    host=host,\n    password=other_choice\n)\n",
    "const user = {\n  name: name,\n  password: other_choice\n}\n",
    "password: ${DB_PASSWORD}\ntoken: ${{ secrets.TOKEN }}\n",
    "db.password=${DB_PASSWORD}\ndb.password=changeme\n",
    "PASSWORD=<your-password>\n",
    "tool login --password-stdin < file\n",
    "the --password command-line option is deprecated\n",
    "  --password string   Password of the registry\n",
    "tool login --password $PASSWORD --token \"$TOKEN\"\n",
    "password: case-sensitive\npassphrase: optional\n",
    "passphrase: the words that protect the key\n",
    "\"password\": \"Passwords do not match\"\n",
    "\"password\": \"must have eight characters\"\n",
    "volumes:\n  - name: tls\n    secret: web-tls-2024\n",
    "secret: regcred\nsecretName: db-credentials\n",
    "token: parse_error_42\ntoken: Ident\n",
    "| field | type | required |\n|-------|------|----------|\n| password | string | yes |\n| token | string | no |\n",
    "| option | password | token |\n|--------|----------|-------|\n| default | none | none |\n| type | string | string |\n",
    "user,password,role\nadmin,<password>,owner\n",
    "let token = self.next_token()?;\nlet key = map.key(&token);\n",
    "resp.headers[\"Authorization\"] = f\"Bearer {token}\"\n",
    "postgres://user:password@localhost:5432/app\n",
    "mysql -u root -p app < dump.sql\n",
    "machine api.test\nlogin bob\npassword <password>\n",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE7vB2kZ0p\n-----END PUBLIC KEY-----\n",
    "commit 3f2a91bc77de3f2a91bc77de3f2a91bc77de3f2a\n",
];

/// How many of how many were found.
#[derive(Default)]
struct Count {
    all: usize,
    found: usize,
}

impl Count {
    fn add(&mut self, is_found: bool) {
        self.all += 1;
        self.found += usize::from(is_found);
    }

    fn per_cent(&self) -> f64 {
        self.found as f64 * 100.0 / self.all as f64
    }
}

#[test]
fn every_kind_is_found_in_every_way_to_show_it() {
    let redactor = Redactor::new();
    let mut total = Count::default();
    let (mut kinds, mut ways) = (BTreeMap::<String, Count>::new(), BTreeMap::<&str, Count>::new());
    let mut missed = BTreeMap::<(String, &str), (usize, String)>::new();
    let cases = cases();
    for case in &cases {
        let kind = if case.kind == case.place {
            case.kind.to_owned()
        } else {
            format!("{}: {}", case.kind, case.place)
        };
        for way in [PLAIN].iter().chain(MARGINS).chain(ENCODINGS) {
            let clean = redactor.text(&(way.text)(&case.text)).into_owned();
            let is_found = !case.is_leaked_as(&clean, way.part);
            total.add(is_found);
            kinds.entry(kind.clone()).or_default().add(is_found);
            ways.entry(way.name).or_default().add(is_found);
            if !is_found {
                missed.entry((kind.clone(), way.name)).or_insert_with(|| (0, clean)).0 += 1;
            }
        }
    }
    println!("{} of {} found: recall {:.3} %", total.found, total.all, total.per_cent());
    for (name, count) in kinds
        .iter()
        .map(|(kind, count)| (kind.as_str(), count))
        .chain(ways.iter().map(|(way, count)| (*way, count)))
    {
        println!("{:>8.3} % of {:>5}  {name}", count.per_cent(), count.all);
    }
    for ((kind, way), (times, example)) in missed.iter().take(MISSED_SHOWN) {
        println!("missed {times} x {kind} / {way}: {example:?}");
    }
    assert!(total.per_cent() >= RECALL_MIN_PER_CENT, "recall {:.3} %", total.per_cent());
    for (name, count) in &ways {
        assert!(count.per_cent() >= ROW_MIN_PER_CENT, "{name}: {} of {}", count.found, count.all);
    }
}

/// Ways that write signs where a line ends or between words: a word with such a sign looks like a password, and more is hidden.
const WAYS_WITH_SIGNS: &[&str] = &["cat -A", "percent encoding", "percent encoding, twice"];

#[test]
fn what_holds_no_secret_stays_in_every_way_to_show_it() {
    let redactor = Redactor::new();
    let ways = [PLAIN].iter().chain(MARGINS).chain(ENCODINGS);
    for way in ways.filter(|way| !WAYS_WITH_SIGNS.contains(&way.name)) {
        for text in ORDINARY {
            let shown = (way.text)(text);
            assert_eq!(redactor.text(&shown), shown, "{}", way.name);
        }
    }
}
