//! What a program takes when a setting has no value: people write real secrets there.

use subcortex_guard::Redactor;

/// `{}` is the place of the secret.
const PLACES: &[&str] = &[
    "const pw = process.env.DB_PASSWORD || '{}';",
    "const pw = process.env['DB_PASSWORD'] || '{}';",
    "const pw = process.env.DB_PASSWORD ?? \"{}\";",
    "password: import.meta.env.VITE_DB_PASSWORD ?? `{}`,",
    "const pw = Deno.env.get(\"DB_PASSWORD\") ?? \"{}\";",
    "password = os.environ.get(\"DB_PASSWORD\", \"{}\")",
    "password = os.getenv('DB_PASSWORD', default='{}')",
    "password = os.getenv(\"DB_PASSWORD\") or \"{}\"",
    "DB_PASSWORD = config('DB_PASSWORD', default='{}')",
    "password: ENV.fetch(\"DB_PASSWORD\", \"{}\")",
    "password: ENV.fetch('DB_PASSWORD') { '{}' }",
    "password: <%= ENV['DB_PASSWORD'] || '{}' %>",
    "$password = getenv('DB_PASSWORD') ?: '{}';",
    "$password = $_ENV['DB_PASSWORD'] ?? '{}';",
    "'password' => env('DB_PASSWORD', '{}'),",
    "System.getenv().getOrDefault(\"DB_PASSWORD\", \"{}\");",
    "System.getProperty(\"db.password\", \"{}\");",
    "pw := getEnv(\"DB_PASSWORD\", \"{}\")",
    "viper.SetDefault(\"db.password\", \"{}\")",
    "let pw = env::var(\"DB_PASSWORD\").unwrap_or_else(|_| \"{}\".to_string());",
    "let pw = std::env::var(\"DB_PASSWORD\").unwrap_or(\"{}\".into());",
    "var pw = Environment.GetEnvironmentVariable(\"DB_PASSWORD\") ?? \"{}\";",
    "DB_PASSWORD: ${DB_PASSWORD:-{}}",
    "{\"text\": \"const pw = process.env.DB_PASSWORD || \\\"{}\\\";\"}",
];

#[test]
fn what_a_setting_falls_back_to_is_hidden_also_if_it_is_made_of_words() {
    let redactor = Redactor::new();
    for place in PLACES {
        for secret in ["blaubeerkuchen", "correct-horse-battery", "hunter2", "Zx8Qw3!Er7Ty"] {
            let text = place.replace("{}", secret);
            let clean = redactor.text(&text);
            assert!(!clean.contains(secret), "{text}\n{clean}");
            assert!(clean.contains("DB_PASSWORD") || clean.contains("db.password"), "{clean}");
        }
    }
}

#[test]
fn signing_keys_and_tokens_are_hidden_there_too() {
    let redactor = Redactor::new();
    for (text, secret) in [
        ("const s = process.env.JWT_SECRET || 'supersecretvalue';", "supersecretvalue"),
        (
            "const s = process.env.JWT_SECRET || 'my-super-secret-jwt-key-2023';",
            "my-super-secret-jwt-key-2023",
        ),
        ("SECRET_KEY = config('SECRET_KEY', default='k3wl9d8f7g6h5j4k3l2')", "k3wl9d8f7g6h5j4k3l2"),
        ("api_key = os.environ.get('API_KEY', '4f9d1c3b7a5e')", "4f9d1c3b7a5e"),
    ] {
        let clean = redactor.text(text);
        assert!(!clean.contains(secret), "{clean}");
    }
}

#[test]
fn gaps_names_and_sentences_stay() {
    let redactor = Redactor::new();
    for text in [
        "const pw = process.env.DB_PASSWORD || '';",
        "const pw = process.env.DB_PASSWORD || 'changeme';",
        "const pw = process.env.DB_PASSWORD || process.env.PASSWORD;",
        "const pw = process.env.DB_PASSWORD || 'your-password-here';",
        "password = os.environ.get(\"DB_PASSWORD\", \"password\")",
        "password = os.environ.get(\"DB_PASSWORD\", None)",
        "requireEnv(\"DB_PASSWORD\", \"must be set\")",
        "token = os.environ.get('CSRF_TOKEN', 'anonymous')",
        "expect(process.env.DB_PASSWORD).toBe('undefined')",
        "if (process.env.NODE_ENV || 'development') {",
        "env('QUEUE_CONNECTION', 'database')",
        "ENV.fetch(\"SECRET_KEY_BASE\") { raise \"not set\" }",
        "field.get(\"password\", \"Kennwort vergessen\")",
    ] {
        assert_eq!(redactor.text(text), text);
    }
}
