//! Secrets without a form, known by the name they stand under.

use super::draw::Draw;
use super::{Case, escaped, percent_encoded};

/// A kind, the words of its usual name, and the template of its value (empty: a password that a person chose).
pub(crate) const KINDS: &[(&str, &str, &str)] = &[
    ("password", "password", ""),
    ("database password", "db password", ""),
    ("mysql password", "mysql root password", ""),
    ("postgres password", "postgres password", ""),
    ("smtp password", "smtp pass", ""),
    ("passphrase", "ssh passphrase", ""),
    ("redis password", "redis password", ""),
    ("admin passwd", "admin passwd", ""),
    ("aws secret key", "aws secret access key", "{b40}"),
    ("aws session token", "aws session token", "{b200}"),
    ("azure storage key", "storage account key", "{b86}=="),
    ("azure client secret", "azure client secret", "{A40}"),
    ("google client secret", "google client secret", "{A24}"),
    ("oauth client secret", "client secret", "{A32}"),
    ("generic api key", "api key", "{A32}"),
    ("generic access token", "access token", "{A40}"),
    ("generic refresh token", "refresh token", "{A48}"),
    ("auth token", "auth token", "{h40}"),
    ("secret key", "secret key", "{u50}"),
    ("signing key", "signing key", "{b44}"),
    ("encryption key", "encryption key", "{h64}"),
    ("jwt secret", "jwt secret", "{A43}"),
    ("session secret", "session secret", "{A32}"),
    ("webhook secret", "webhook secret", "{h40}"),
    ("private key", "private key", "{h64}"),
    ("wallet private key", "wallet private key", "0x{h64}"),
    ("bitcoin key", "wallet private key", "5J{A49}"),
    ("heroku key", "heroku api key", "{i}"),
    ("cloudflare token", "cloudflare api token", "{u40}"),
    ("cloudflare global key", "cloudflare api key", "{h37}"),
    ("fastly token", "fastly api token", "{u32}"),
    ("vercel token", "vercel token", "{A24}"),
    ("netlify token", "netlify auth token", "{u43}"),
    ("snowflake password", "snowflake password", ""),
    ("snowflake token", "snowflake access token", "{u64}"),
    ("datadog key", "datadog api key", "{h32}"),
    ("datadog app key", "dd app key", "{h40}"),
    ("cohere key", "cohere api key", "{A40}"),
    ("mistral key", "mistral api key", "{A32}"),
    ("deepseek key", "deepseek api key", "{h32}"),
    ("linkedin secret", "linkedin client secret", "{A16}"),
    ("twitter secret", "twitter api secret", "{A50}"),
    ("facebook secret", "facebook app secret", "{h32}"),
    ("twilio auth token", "twilio auth token", "{h32}"),
    ("postmark token", "postmark server token", "{i}"),
    ("asana secret", "asana client secret", "{h32}"),
    ("bitbucket secret", "bitbucket client secret", "{A32}"),
    ("paypal secret", "paypal client secret", "{u80}"),
    ("okta token", "okta api token", "00{u40}"),
    ("auth0 secret", "auth0 client secret", "{u64}"),
    ("algolia key", "algolia admin key", "{h32}"),
    ("codecov token", "codecov token", "{i}"),
    ("snyk token", "snyk token", "{i}"),
    ("jenkins token", "jenkins api token", "{h34}"),
    ("travis token", "travis token", "{A22}"),
    ("wandb key", "wandb api key", "{h40}"),
    ("pagerduty key", "pagerduty api key", "{A20}"),
    ("splunk token", "splunk token", "{i}"),
    ("spotify secret", "spotify client secret", "{h32}"),
    ("discord secret", "discord client secret", "{u32}"),
    ("zoom secret", "zoom client secret", "{A32}"),
    ("binance key", "binance secret key", "{A64}"),
    ("infura key", "infura api key", "{h32}"),
    ("mapbox token", "mapbox secret token", "{A50}"),
    ("rapidapi key", "rapidapi key", "{l50}"),
    ("elastic key", "elastic api key", "{b60}"),
    ("linode token", "linode token", "{h64}"),
    ("hetzner token", "hetzner api token", "{A64}"),
    ("new relic license", "new relic license key", "{h36}NRAL"),
];

/// How the words of a name are joined.
#[derive(Clone, Copy)]
enum Style {
    Shouted,
    Snake,
    Kebab,
    Camel,
    Dotted,
    Spaced,
    Header,
}

use Style::{Camel, Dotted, Header, Kebab, Shouted, Snake, Spaced};

/// Places that name the secret. `@` is the name, `%` the value, `%%` the value in a query.
const PLACES: &[(&str, Style, &str)] = &[
    (".env", Shouted, "PORT=8080\n@=%\nDEBUG=1\n"),
    (".env with quotes", Shouted, "@=\"%\"\n"),
    ("shell export", Shouted, "export @='%'; ./run.sh"),
    ("docker run", Shouted, "docker run -e @=% -p 80:80 app"),
    ("compose", Shouted, "    environment:\n      @: \"%\"\n      PORT: 80\n"),
    ("yaml", Snake, "service:\n  @: %\n  port: 80\n"),
    ("yaml with quotes", Snake, "service:\n  @: '%'\n"),
    ("toml", Snake, "[service]\n@ = \"%\"\nport = 80\n"),
    ("ini", Snake, "[service]\n@ = %\nport = 80\n"),
    ("java properties", Dotted, "app.@=%\napp.port=80\n"),
    ("json", Snake, "{\"user\": \"bob\", \"@\": \"%\", \"port\": 80}"),
    ("json in camel case", Camel, "{\"@\":\"%\"}"),
    ("pretty json", Camel, "{\n  \"@\":\n    \"%\"\n}"),
    ("python dictionary", Snake, "cfg = {'@': '%', 'port': 80}"),
    ("python", Snake, "@ = \"%\"\n"),
    ("python environ", Shouted, "os.environ[\"@\"] = \"%\""),
    ("rust", Shouted, "const @: &str = \"%\";"),
    ("rust field", Snake, "Config { @: \"%\".to_string(), port: 80 }"),
    ("typescript", Camel, "const @: string = '%';"),
    ("javascript object", Camel, "connect({ host: 'x', @: '%' })"),
    ("go", Camel, "@ := \"%\""),
    ("java", Camel, "private String @ = \"%\";"),
    ("php", Snake, "'@' => '%',"),
    ("url query", Snake, "curl 'https://api.test/v1?limit=5&@=%%&x=1'"),
    ("header", Header, "GET / HTTP/1.1\r\nX-@: %\r\nHost: api.test\r\n"),
    ("curl header", Header, "curl -H 'X-@: %' https://api.test"),
    ("flag", Kebab, "tool login --@ % --verbose"),
    ("flag with equals", Kebab, "tool login --@=% --verbose"),
    ("arguments as a list", Kebab, "[\"login\", \"--@\", \"%\"]"),
    ("log line", Snake, "2024-05-06T07:08:09Z INFO login user=bob @=% status=200"),
    ("prose", Spaced, "By the way, the @ is % for now."),
    ("prose with a colon", Spaced, "@: %"),
    ("xml", Camel, "<config><@>%</@></config>"),
    ("kubernetes", Shouted, "env:\n  - name: @\n    value: \"%\"\n"),
    ("json name and value", Shouted, "{\"name\": \"@\", \"value\": \"%\"}"),
    ("terraform", Snake, "resource \"x\" \"y\" {\n  @ = \"%\"\n}\n"),
];

pub(crate) fn cases(draw: &mut Draw) -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, words, template) in KINDS {
        for (place, style, frame) in PLACES {
            cases.push(case(draw, kind, words, template, (place, *style, frame)));
        }
        cases.push(nested(draw, kind, words, template, 1));
        cases.push(nested(draw, kind, words, template, 2));
        cases.push(nested_lines(draw, kind, words, template));
    }
    cases
}

fn value(draw: &mut Draw, template: &str) -> String {
    if template.is_empty() { draw.password() } else { draw.fill(template).0 }
}

fn case(
    draw: &mut Draw,
    kind: &'static str,
    words: &str,
    template: &str,
    place: (&'static str, Style, &str),
) -> Case {
    let (place, style, frame) = place;
    let value = value(draw, template);
    let (shown, secret) = match frame.contains("%%") {
        true => (percent_encoded(&value), percent_encoded(&value)),
        false => (value.clone(), value),
    };
    let text = frame.replace("%%", "%").replace('@', &name(words, style)).replacen('%', &shown, 1);
    Case { kind, place, text, secrets: vec![secret] }
}

/// JSON in a string of JSON, once or twice.
fn nested(draw: &mut Draw, kind: &'static str, words: &str, template: &str, times: usize) -> Case {
    let value = value(draw, template);
    let mut text = format!("{{\"{}\":\"{}\",\"port\":80}}", name(words, Snake), value);
    for _ in 0..times {
        text = format!("{{\"content\":\"{}\"}}", escaped(&text));
    }
    Case {
        kind,
        place: if times == 1 { "json in json" } else { "json in json in json" },
        text,
        secrets: vec![value],
    }
}

/// Lines of settings in a string of JSON, as an agent reports a file.
fn nested_lines(draw: &mut Draw, kind: &'static str, words: &str, template: &str) -> Case {
    let value = value(draw, template);
    let lines = format!("PORT=8080\n{}={}\nDEBUG=1\n", name(words, Shouted), value);
    let text = format!("{{\"stdout\":\"{}\"}}", escaped(&lines));
    Case { kind, place: ".env in json", text, secrets: vec![value] }
}

fn name(words: &str, style: Style) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    match style {
        Shouted => words.to_uppercase().replace(' ', "_"),
        Snake => words.replace(' ', "_"),
        Kebab => words.replace(' ', "-"),
        Dotted => words.replace(' ', "."),
        Spaced => words.to_owned(),
        Header => words.split(' ').map(capital).collect::<Vec<_>>().join("-"),
        Camel => {
            let joined: String = words.split(' ').map(capital).collect();
            joined[..1].to_lowercase() + &joined[1..]
        }
    }
}
