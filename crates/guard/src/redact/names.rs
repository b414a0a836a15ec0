//! Which names announce a secret.
//!
//! A name is read like an English compound: its last word says what it is (`password_length` is a length),
//! the word before says of what sort (`public_key`, `next_token`). Trailing words that only say where or how
//! (`API_KEY_PROD`, `passwordPlain`, `DB_PASSWORD_2`) are passed over.

use super::chars::has_before;
use super::placeholder::Words;
use super::vendors::vendor_rule;
use super::vocabulary::{
    CLIENTS, HARMLESS_KEYS, HARMLESS_TOKENS, NEUTRAL, NO_PASSWORD_AFTER, OWNERS_OF_PASS, PASSWORD_ENDINGS,
    PASSWORD_WORDS, PHRASES, STRONG_KEYS, STRONG_SECRETS, STRONG_TOKENS,
};

/// What a name announces, and so how much its value has to prove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Chosen by a person: may be short and may be a word.
    Password,
    /// Certainly a secret: `client_secret`, `api_key`, `access_token`.
    Secret,
    /// Often a secret, often not: `token`, `secret`, `auth`.
    Token,
    /// Rarely a secret: `key` of something.
    Key,
    /// `Authorization`: a scheme and what goes with it.
    Authorization,
    /// `Cookie`: pairs of names and values.
    Cookie,
    /// Words that stand for a key: `mnemonic`, `seed_phrase`.
    Phrase,
    /// A signature in an address.
    Signature,
}

/// A name that announces a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SecretName {
    pub(super) kind: Kind,
    pub(super) rule: &'static str,
}

/// Texts of which every such name holds one: its anchors.
pub(super) const STEMS: &[&str] = &[
    "pass",
    "pwd",
    "_pw",
    "secret",
    "token",
    "key",
    "auth",
    "cred",
    "cookie",
    "mnemonic",
    "phrase",
    "psk",
    "kennwort",
    "contraseña",
    "contrasena",
    "_pat",
    "-pat",
    "pw:",
    "pw=",
    "pw =",
    "pw\"",
    "pw'",
    "-pw ",
    "rootpw",
    "bindpw",
    "wif",
    "пароль",
    "Пароль",
    "密码",
    "密碼",
    "パスワード",
    "비밀번호",
    "senha",
    "hasło",
    "wachtwoord",
    "lösenord",
    "haslo",
    "heslo",
    "parola",
    "şifre",
    "Şifre",
    "sifre",
    "adgangskode",
    "salasana",
    "jelszó",
    "mật khẩu",
    "kata sandi",
    "κωδικός",
    "סיסמה",
    "סיסמא",
    "كلمة المرور",
    "كلمة السر",
    "رمز عبور",
    "पासवर्ड",
    "รหัสผ่าน",
    "암호",
    "sig=",
    "signature",
    "bearer",
    "totp",
    "sonar.login",
];

/// The label of what a login needs.
pub(super) const CREDENTIAL: &str = "credential";
/// The label of what is called a secret and nothing more.
pub(super) const SECRET: &str = "secret";
/// The label of what is called a token and nothing more.
pub(super) const TOKEN: &str = "token";
/// The label of passwords that may be several words.
pub(super) const PASSPHRASE: &str = "passphrase";

/// How the names of kinds begin at AWS: `AWS::ApiGateway::ApiKey`.
pub(super) const KINDS_OF_AWS: &[u8] = b"AWS::";

/// How many words of a name are looked at, counted from its end.
const WORDS_MAX: usize = 8;

/// Whole names, written in one word, that are certainly secrets; a longer name may end with them.
const STRONG_ENDINGS: &[(&str, &str)] = &[
    ("apikey", "api-key"),
    ("secretkey", "secret-key"),
    ("accesskey", "access-key"),
    ("privatekey", "private-key"),
    ("privkey", "private-key"),
    ("authtoken", "token"),
    ("accesstoken", "token"),
    ("refreshtoken", "token"),
    ("bearertoken", "token"),
    ("clientsecret", "client-secret"),
    ("appsecret", "client-secret"),
    ("authkey", "api-key"),
    ("accountkey", "azure-storage-key"),
    ("sharedaccesskey", "azure-storage-key"),
    ("secretaccesskey", "aws-secret-key"),
    ("accesskeysecret", "secret-key"),
    ("encryptionkey", "secret-key"),
    ("signingkey", "secret-key"),
    ("masterkey", "secret-key"),
    ("sharedsecret", "secret"),
    ("usertoken", "token"),
    ("servicekey", "api-key"),
    ("apitoken", "token"),
    ("apisecret", "client-secret"),
];

/// What `pass` is beside a user.
pub(super) const PASSWORD: SecretName = SecretName { kind: Kind::Password, rule: "password" };

/// Names that may be a password, and may be a verb.
pub(super) fn is_short_for_password(name: &[u8]) -> bool {
    is(name, "pass") || is(name, "pw")
}

/// Whether the word in which a stem was found can be the one that counts: what follows it in the name says
/// only where or how. `tail` begins right behind the stem.
pub(super) fn may_be_head(tail: &[u8], last_of_stem: u8) -> bool {
    let Some(&first) = tail.first() else { return true };
    let begins_word = first.is_ascii_uppercase() && last_of_stem.is_ascii_lowercase();
    let goes_on = first.is_ascii_alphanumeric() && !begins_word;
    // `secret_id` is a secret; of other names the id is none.
    Words::of(tail).skip(usize::from(goes_on)).all(|word| is_neutral(word) || is(word, "id"))
}

fn is_neutral(word: &[u8]) -> bool {
    NEUTRAL.has(word) || word.iter().all(u8::is_ascii_digit)
}

/// Reads a name. `None` means that it announces no secret.
pub(super) fn read_name(name: &[u8]) -> Option<SecretName> {
    let mut buffer: [&[u8]; WORDS_MAX] = [&[]; WORDS_MAX];
    let words = last_words(name, &mut buffer);
    let words = without_neutral_end(words);
    let (head, before) = words.split_last().filter(|_| !name.starts_with(KINDS_OF_AWS))?;
    let previous = before.last().copied().unwrap_or_default();
    let found = read_head(head, previous, name)?;
    Some(match vendor_rule(words) {
        // A vendor's name before it makes `key`, `token` and `secret` certain.
        Some(rule) if !matches!(found.kind, Kind::Cookie | Kind::Authorization | Kind::Signature) => {
            SecretName {
                kind: if found.kind == Kind::Password { Kind::Password } else { Kind::Secret },
                rule: amazon_rule(words).unwrap_or(rule),
            }
        }
        _ => SecretName { rule: amazon_rule(words).unwrap_or(found.rule), ..found },
    })
}

/// The secret key and the session token have no form of their own, and deserve their own label.
fn amazon_rule(words: &[&[u8]]) -> Option<&'static str> {
    let has = |word: &str| words.iter().any(|known| is(known, word));
    if has("secret") && has("access") && has("key") {
        Some("aws-secret-key")
    } else if has("aws") && has("session") && has("token") || has("amz") && has("security") {
        Some("aws-session-token")
    } else {
        None
    }
}

fn read_head(head: &[u8], previous: &[u8], name: &[u8]) -> Option<SecretName> {
    let secret = |kind, rule| Some(SecretName { kind, rule });
    let lower = Lower::of(head);
    match lower.as_str() {
        "key" | "keys" => read_key(previous),
        "token" => match previous {
            word if HARMLESS_TOKENS.has(word) => None,
            // What AWS calls so only marks a request; other settings are written `client_token`.
            b"Client" | b"Request"
                if name.ends_with(b"ClientToken") || name.ends_with(b"lientRequestToken") =>
            {
                secret(Kind::Key, TOKEN)
            }
            word if STRONG_TOKENS.has(word) => secret(Kind::Secret, "token"),
            _ => secret(Kind::Token, TOKEN),
        },
        "secret" | "secrets" => match previous {
            word if CLIENTS.has(word) => secret(Kind::Secret, "client-secret"),
            word if STRONG_SECRETS.has(word) => secret(Kind::Secret, "secret"),
            _ => secret(Kind::Token, SECRET),
        },
        "pass" | "pw" => {
            let is_shouted = name.len() > 2 && name.iter().all(|byte| !byte.is_ascii_lowercase());
            (OWNERS_OF_PASS.has(previous) || is_shouted).then_some(())?;
            secret(Kind::Password, "password")
        }
        "authorization" => secret(Kind::Authorization, "authorization"),
        "auth" | "bearer" | "credential" | "credentials" | "creds" | "cred" => {
            secret(Kind::Token, CREDENTIAL)
        }
        "pat" | "totp" => secret(Kind::Token, TOKEN),
        // Sonar takes a token for a user.
        "login" if has_before(previous, previous.len(), b"sonar") => secret(Kind::Token, TOKEN),
        // So Composer calls tokens in `auth.json`.
        "oauth" if ["github", "gitlab", "bitbucket"].iter().any(|owner| is(previous, owner)) => {
            secret(Kind::Token, TOKEN)
        }
        // Of Vault and Consul: a UUID. What AWS calls so is a name.
        "id" if is(previous, SECRET) => secret(Kind::Token, SECRET),
        // How Bitcoin writes a private key.
        "wif" => secret(Kind::Secret, "private-key"),
        "cookie" | "cookies" => secret(Kind::Cookie, "cookie"),
        "mnemonic" | "seedphrase" => secret(Kind::Phrase, "seed-phrase"),
        "phrase" if PHRASES.has(previous) => secret(Kind::Phrase, "seed-phrase"),
        "sig" | "signature" => secret(Kind::Signature, "url-signature"),
        word => read_joined(word, previous),
    }
}

fn read_key(previous: &[u8]) -> Option<SecretName> {
    let secret = |kind, rule| Some(SecretName { kind, rule });
    let lower = Lower::of(previous);
    match lower.as_str() {
        _ if HARMLESS_KEYS.has(previous) => None,
        "private" | "priv" | "ssh" | "rsa" | "wallet" => secret(Kind::Secret, "private-key"),
        "account" | "shared" => secret(Kind::Secret, "azure-storage-key"),
        "api" | "subscription" | "auth" | "service" => secret(Kind::Secret, "api-key"),
        _ if STRONG_KEYS.has(previous) => secret(Kind::Secret, "secret-key"),
        _ => secret(Kind::Key, "key"),
    }
}

/// Names written as one word, such as `PGPASSWORD` and `apikey`.
fn read_joined(word: &str, previous: &[u8]) -> Option<SecretName> {
    if word.ends_with("passphrase") && !NO_PASSWORD_AFTER.has(previous) {
        return Some(SecretName { kind: Kind::Password, rule: PASSPHRASE });
    }
    if PASSWORD_WORDS.has(word.as_bytes())
        || PASSWORD_ENDINGS.words().any(|end| word.as_bytes().ends_with(end)) && word != "1password"
    {
        let kind = Kind::Password;
        return (!NO_PASSWORD_AFTER.has(previous)).then_some(SecretName { kind, rule: "password" });
    }
    if word.strip_suffix("pass").is_some_and(|owner| OWNERS_OF_PASS.has(owner.as_bytes())) {
        return Some(PASSWORD);
    }
    for (end, harmless) in [("token", Some(HARMLESS_TOKENS)), ("secret", None)] {
        let owner = word.strip_suffix(end).filter(|owner| owner.len() >= 2);
        let is_strong = STRONG_ENDINGS.iter().any(|(strong, _)| word.ends_with(strong));
        if let Some(owner) = owner.filter(|_| !is_strong) {
            let is_harmless = harmless.is_some_and(|list| list.has(owner.as_bytes()));
            return (!is_harmless).then_some(SecretName { kind: Kind::Token, rule: end });
        }
    }
    let (_, rule) = STRONG_ENDINGS.iter().find(|(end, _)| word.ends_with(end))?;
    Some(SecretName { kind: Kind::Secret, rule })
}

fn is(word: &[u8], known: &str) -> bool {
    known.as_bytes().eq_ignore_ascii_case(word)
}

fn last_words<'a, 'b>(name: &'a [u8], buffer: &'b mut [&'a [u8]; WORDS_MAX]) -> &'b [&'a [u8]] {
    let mut count = 0;
    for word in Words::of(name) {
        if count == WORDS_MAX {
            buffer.rotate_left(1);
            count -= 1;
        }
        buffer[count] = word;
        count += 1;
    }
    &buffer[..count]
}

fn without_neutral_end<'a, 'b>(mut words: &'b [&'a [u8]]) -> &'b [&'a [u8]] {
    while let [before @ .., last] = words
        && !before.is_empty()
        && is_neutral(last)
    {
        words = before;
    }
    words
}

/// A word in small letters, without allocating.
struct Lower {
    bytes: [u8; Self::MAX_BYTES],
    len: usize,
}

impl Lower {
    const MAX_BYTES: usize = 48;

    /// Digits at the end are left out: `password2` is a password.
    fn of(word: &[u8]) -> Self {
        let end = word.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
        let tail = &word[end.saturating_sub(Self::MAX_BYTES)..end];
        let mut bytes = [0; Self::MAX_BYTES];
        for (to, from) in bytes.iter_mut().zip(tail) {
            *to = from.to_ascii_lowercase();
        }
        Self { bytes, len: tail.len() }
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expect: Option<(Kind, &str)>) {
        let found = read_name(name.as_bytes()).map(|found| (found.kind, found.rule));
        assert_eq!(found, expect, "{name}");
    }

    #[test]
    fn passwords_are_recognised_in_every_spelling() {
        for name in [
            "password",
            "DB_PASSWORD",
            "dbPassword",
            "PGPASSWORD",
            "MYSQL_PWD",
            "smtp_pass",
            "spring.datasource.password",
            "password2",
            "PASSWORD_PROD",
            "user-passwd",
            "new_password",
        ] {
            check(name, Some((Kind::Password, "password")));
        }
    }

    #[test]
    fn certain_secrets_are_told_from_likely_ones() {
        check("api_key", Some((Kind::Secret, "api-key")));
        check("apiKey", Some((Kind::Secret, "api-key")));
        check("APIKEY", Some((Kind::Secret, "api-key")));
        check("X-API-Key", Some((Kind::Secret, "api-key")));
        check("client_secret", Some((Kind::Secret, "client-secret")));
        check("AWS_SECRET_ACCESS_KEY", Some((Kind::Secret, "aws-secret-key")));
        check("_authToken", Some((Kind::Secret, "token")));
        check("DATADOG_API_KEY", Some((Kind::Secret, "datadog-key")));
        check("cohere_key", Some((Kind::Secret, "cohere-key")));
        check("AccountKey", Some((Kind::Secret, "azure-storage-key")));
        check("token", Some((Kind::Token, "token")));
        check("secret", Some((Kind::Token, "secret")));
        check("some_key", Some((Kind::Key, "key")));
    }

    #[test]
    fn names_about_secrets_announce_none() {
        for name in [
            "token_count",
            "max_tokens",
            "tokenizer",
            "next_token",
            "page_token",
            "password_length",
            "password_hash",
            "public_key",
            "primary_key",
            "cache_key",
            "secret_name",
            "key_id",
            "token_id",
            "password_id",
            "author",
            "keyboard",
            "monkey",
            "bypass",
            "pass",
            "passed",
            "session_key",
            "authority",
            "hashed_password",
            "forgot_password",
            "keyword",
            "api_key_env",
            "token_url",
            "credentials_file",
        ] {
            check(name, None);
        }
    }
}
