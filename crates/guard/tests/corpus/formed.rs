//! Secrets that have a form of their own. The places give no hint: their names say nothing.

use super::draw::Draw;
use super::{Case, escaped, percent_encoded};

/// A kind, and the templates of its formats.
pub(crate) const KINDS: &[(&str, &[&str])] = &[
    ("aws-access-key-id", &["AKIA{U16}", "ASIA{U16}"]),
    ("aws-session-token", &["IQoJb3JpZ2luX2Vj{b300}", "FwoGZXIvYXdz{b250}="]),
    ("aws-bedrock-key", &["ABSK{b128}"]),
    ("google-api-key", &["AIza{u35}"]),
    ("google-oauth-secret", &["GOCSPX-{u28}"]),
    ("google-oauth-token", &["ya29.{u120}"]),
    ("google-refresh-token", &["1//0{u60}"]),
    ("azure-client-secret", &["{A3}8Q~{u34}"]),
    ("azure-ai-key", &["{A52}JQQJ99AK{A24}"]),
    ("azure-devops-token", &["{A76}AZDO{A4}"]),
    ("digitalocean-token", &["dop_v1_{h64}", "doo_v1_{h64}", "dor_v1_{h64}"]),
    ("heroku-key", &["HRKU-AA{u58}"]),
    ("cloudflare-origin-key", &["v1.0-{h24}-{h146}"]),
    ("alibaba-access-key-id", &["LTAI{A20}"]),
    ("tencent-secret-id", &["AKID{A32}"]),
    ("yandex-key", &["AQVN{u36}"]),
    ("fly-token", &["fm2_{b200}", "fo1_{u43}"]),
    ("netlify-token", &["nfp_{A36}"]),
    ("vercel-token", &["vercel_blob_rw_{A40}"]),
    ("supabase-key", &["sbp_{h40}", "sb_secret_{u31}"]),
    ("planetscale-token", &["pscale_tkn_{u43}", "pscale_pw_{u43}", "pscale_oauth_{u43}"]),
    ("neon-token", &["napi_{l64}", "napi_{A64}"]),
    ("twilio-key", &["SK{h32}"]),
    ("mandrill-key", &["md-{u22}"]),
    ("runpod-key", &["rpa_{U46}"]),
    ("nats-seed", &["SUA{U55}", "SAA{U55}"]),
    ("apache-hash", &["$apr1${A8}${A22}", "$1${A8}${A22}"]),
    ("unix-hash", &["$6${A16}${A86}", "$y$j9T${A22}${A43}", "$gy$j9T${A22}${A43}", "$5${A16}${A43}"]),
    ("django-hash", &["pbkdf2_sha256$600000${A22}${b43}="]),
    ("werkzeug-hash", &["scrypt:32768:8:1${A16}${h128}", "pbkdf2:sha256:260000${A16}${h64}"]),
    ("wordpress-hash", &["$P$B{A30}", "$S$D{A51}"]),
    ("postgres-hash", &["SCRAM-SHA-256$4096:{b22}==${b43}=:{b43}=", "md5{h32}"]),
    ("run-token", &["scrun_{h32}"]),
    ("cloudflare-token", &["cfut_{A40}{h8}"]),
    ("snyk-token", &["snyk_uat.{h8}.{u150}"]),
    ("linkedin-secret", &["WPL_AP1.{A16}.{A8}"]),
    ("adafruit-key", &["aio_{A28}"]),
    ("paseto-token", &["v4.local.{u120}", "v2.local.{u80}"]),
    ("wandb-key", &["wandb_v1_{u77}"]),
    ("voyage-key", &["pa-{u43}"]),
    ("context7-key", &["ctx7sk-{i}"]),
    ("render-token", &["rnd_{A32}"]),
    ("databricks-token", &["dapi{h32}"]),
    ("terraform-token", &["{A14}.atlasv1.{u67}"]),
    ("pulumi-token", &["pul-{h40}"]),
    ("vault-token", &["hvs.{u95}", "hvb.{u138}"]),
    ("doppler-token", &["dp.pt.{A43}", "dp.st.{A43}"]),
    ("onepassword-token", &["ops_eyJ{b260}"]),
    ("onepassword-secret-key", &["A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}"]),
    ("tailscale-key", &["tskey-auth-{A17}-{A32}"]),
    ("openshift-token", &["sha256~{u43}"]),
    (
        "github-token",
        &["ghp_{A36}", "gho_{A36}", "ghu_{A36}", "ghs_{A36}", "ghr_{A36}", "github_pat_{A22}_{A59}"],
    ),
    (
        "gitlab-token",
        &["glpat-{u20}", "gldt-{u20}", "glrt-{u20}", "glptt-{h40}", "glcbt-{A2}_{u20}", "GR1348941{u20}"],
    ),
    ("bitbucket-token", &["ATBB{A32}"]),
    ("atlassian-token", &["ATATT3{u186}"]),
    ("npm-token", &["npm_{A36}"]),
    ("pypi-token", &["pypi-AgEIcHlwaS5vcmc{u120}"]),
    ("rubygems-token", &["rubygems_{h48}"]),
    ("crates-io-token", &["cio{A32}"]),
    ("docker-hub-token", &["dckr_pat_{u27}"]),
    ("nuget-key", &["oy2{l43}"]),
    ("clojars-token", &["CLOJARS_{h60}"]),
    ("jfrog-token", &["AKCp{A69}"]),
    ("circleci-token", &["CCIPAT_{A22}_{h40}"]),
    ("buildkite-token", &["bkua_{l40}"]),
    ("sonar-token", &["squ_{h40}", "sqp_{h40}"]),
    ("sourcegraph-token", &["sgp_{h16}_{h40}"]),
    ("postman-key", &["PMAK-{h24}-{h34}"]),
    ("readme-token", &["rdme_{l70}"]),
    ("prefect-token", &["pnu_{A36}"]),
    ("harness-token", &["pat.{u22}.{A24}.{A20}"]),
    ("octopus-key", &["API-{U26}"]),
    ("anthropic-key", &["sk-ant-api03-{u93}AA", "sk-ant-oat01-{u93}AA", "sk-ant-admin01-{u93}AA"]),
    (
        "openai-key",
        &["sk-{A20}T3BlbkFJ{A20}", "sk-proj-{u74}T3BlbkFJ{u74}", "sk-svcacct-{u74}T3BlbkFJ{u58}", "sk-{h32}"],
    ),
    ("openrouter-key", &["sk-or-v1-{h64}"]),
    ("huggingface-token", &["hf_{L34}"]),
    ("replicate-token", &["r8_{A37}"]),
    ("groq-key", &["gsk_{A52}"]),
    ("perplexity-key", &["pplx-{A48}"]),
    ("xai-key", &["xai-{A80}"]),
    ("nvidia-key", &["nvapi-{u64}"]),
    ("cerebras-key", &["csk-{l48}"]),
    ("langsmith-key", &["lsv2_pt_{h32}_{h10}"]),
    ("pinecone-key", &["pcsk_{A6}_{A63}"]),
    ("elevenlabs-key", &["sk_{h48}"]),
    ("tavily-key", &["tvly-{A32}"]),
    ("firecrawl-key", &["fc-{h32}"]),
    (
        "slack-token",
        &[
            "xoxb-{d12}-{d13}-{A24}",
            "xoxp-{d12}-{d12}-{d12}-{h32}",
            "xapp-1-{U11}-{d13}-{h64}",
            "xoxe.xoxp-1-{A163}",
        ],
    ),
    ("telegram-bot-token", &["{d9}:AA{u33}", "{d10}:AA{u33}"]),
    ("sendgrid-key", &["SG.{u22}.{u43}"]),
    ("mailgun-key", &["key-{h32}"]),
    ("mailchimp-key", &["{h32}-us14"]),
    ("brevo-key", &["xkeysib-{h64}-{A16}"]),
    ("resend-key", &["re_{A8}_{A24}"]),
    ("hubspot-token", &["pat-na1-{i}"]),
    ("facebook-token", &["EAAC{A150}"]),
    ("twitter-bearer-token", &["AAAAAAAAAAAAAAAAAAAAA{A90}"]),
    ("stripe-key", &["sk_live_{A24}", "rk_live_{A24}", "sk_test_{A98}"]),
    ("stripe-webhook-secret", &["whsec_{A32}"]),
    ("square-token", &["sq0atp-{u22}", "sq0csp-{u43}", "EAAA{u60}"]),
    ("braintree-token", &["access_token$production${l16}${h32}"]),
    ("plaid-token", &["access-production-{i}"]),
    ("flutterwave-key", &["FLWSECK_TEST-{h32}-X"]),
    ("easypost-key", &["EZAK{A54}"]),
    ("shippo-token", &["shippo_live_{h40}"]),
    ("duffel-token", &["duffel_live_{u43}"]),
    ("shopify-token", &["shpat_{h32}", "shpca_{h32}", "shppa_{h32}", "shpss_{h32}"]),
    ("notion-token", &["secret_{A43}", "ntn_{d11}{A35}"]),
    ("airtable-token", &["pat{A14}.{h64}"]),
    ("linear-key", &["lin_api_{A40}"]),
    ("asana-token", &["1/1{d15}:{h32}"]),
    ("clickup-token", &["pk_{d8}_{U32}"]),
    ("figma-token", &["figd_{u40}"]),
    ("dropbox-token", &["sl.{u135}"]),
    ("contentful-token", &["CFPAT-{u43}"]),
    ("typeform-token", &["tfp_{u59}"]),
    ("salesforce-token", &["00D{A15}!{A96}"]),
    ("new-relic-key", &["NRAK-{U27}", "NRII-{u32}"]),
    ("sentry-token", &["sntryu_{h64}", "sntrys_eyJpYXQiOjE3{A120}_{A43}"]),
    ("grafana-token", &["glsa_{A32}_{h8}", "glc_{A100}"]),
    ("dynatrace-token", &["dt0c01.{U24}.{U64}"]),
    ("posthog-key", &["phx_{A43}"]),
    ("age-secret-key", &["AGE-SECRET-KEY-1{U58}"]),
    ("extended-private-key", &["xprv9s21ZrQH143K{A96}"]),
    (
        "jwt",
        &["eyJhbGciOiJIUzI1NiJ9.eyJ{u60}.{u43}", "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{u200}.{u342}"],
    ),
];

/// Places whose names say nothing. `%` is the secret, `%%` the secret in a query.
const PLACES: &[(&str, &str)] = &[
    ("prose", "I pasted % into the chat by mistake, sorry"),
    ("end of a sentence", "The one that works is %."),
    ("parentheses", "use the other one (%) instead"),
    ("markdown code", "run it with `%` and see"),
    ("json", r#"{"id": 7, "value": "%", "ok": true}"#),
    ("url query", "GET https://api.test/v1/items?limit=10&x=%%&page=2 HTTP/1.1"),
    (".env", "# settings\nPORT=8080\nFOO=%\nDEBUG=1\n"),
    ("yaml", "service:\n  image: app:1\n  value: %\n  replicas: 2\n"),
    ("shell", "export FOO=\"%\" && ./run.sh"),
    ("python", "x = '%'\nprint(x)"),
    ("rust", "let x = String::from(\"%\");"),
    ("javascript", "const x = `%`;"),
    ("go", "x := \"%\""),
    ("curl header", "curl -s -H \"X-Foo: %\" https://api.test/items"),
    ("log line", "2024-05-06T07:08:09Z INFO request done id=42 v=% status=200"),
    ("xml", "<entry><v>%</v></entry>"),
    ("csv", "7,bob,%,2024-05-06"),
    ("argument", "deploy --env prod --x % --verbose"),
    ("two lines", "first\n%\nlast"),
    ("terminal colours", "\u{1b}[32m%\u{1b}[0m"),
    ("list", "[\"a\", \"%\", \"b\"]"),
];

pub(crate) fn cases(draw: &mut Draw) -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, templates) in KINDS {
        for template in *templates {
            for (place, frame) in PLACES {
                cases.push(case(draw, kind, template, place, frame));
            }
            cases.push(broken(draw, kind, template, "\n"));
            cases.push(broken(draw, kind, template, "\\\n    "));
            cases.push(nested(draw, kind, template, 1));
            cases.push(nested(draw, kind, template, 2));
        }
    }
    cases
}

fn case(draw: &mut Draw, kind: &'static str, template: &str, place: &'static str, frame: &str) -> Case {
    let (secret, bodies) = draw.fill(template);
    let text = frame.replace("%%", &percent_encoded(&secret)).replace('%', &secret);
    // A percent sign in the frame is a gap, and one in a query comes from the encoding.
    let text = if frame.contains("%%") { frame.replace("%%", &percent_encoded(&secret)) } else { text };
    Case { kind, place, text, secrets: long(bodies) }
}

/// Broken in the middle, as a terminal of eighty columns or a shell script breaks it.
fn broken(draw: &mut Draw, kind: &'static str, template: &str, line_break: &str) -> Case {
    let (secret, bodies) = draw.fill(template);
    let prefix = "x".repeat(80_usize.saturating_sub(secret.len() / 2).max(1));
    let (first, second) = secret.split_at(secret.len() / 2);
    let is_continued = line_break.starts_with('\\');
    let text = format!("{prefix} {first}{line_break}{second}\nnext line\n");
    // What is left of a body that stands on one of the lines alone.
    let secrets = long(bodies).into_iter().filter(|body| text.contains(body.as_str())).collect::<Vec<_>>();
    let halves = [first, second].map(|half| half[half.len() / 2..].to_owned()).to_vec();
    Case {
        kind,
        place: if is_continued { "broken by a shell" } else { "broken line" },
        text,
        secrets: [secrets, halves].concat(),
    }
}

/// JSON in a string of JSON, once or twice.
fn nested(draw: &mut Draw, kind: &'static str, template: &str, times: usize) -> Case {
    let (secret, bodies) = draw.fill(template);
    let mut text = format!("{{\"value\":\"{secret}\",\"note\":\"line one\\nline two\"}}");
    for _ in 0..times {
        text = format!("{{\"content\":\"{}\"}}", escaped(&text));
    }
    Case {
        kind,
        place: if times == 1 { "json in json" } else { "json in json in json" },
        text,
        secrets: long(bodies),
    }
}

/// Short gaps (a version, a few digits) are no secret by themselves.
fn long(bodies: Vec<String>) -> Vec<String> {
    bodies.into_iter().filter(|body| body.len() >= 14).collect()
}
