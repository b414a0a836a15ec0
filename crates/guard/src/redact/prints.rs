//! Commands that print a secret: those that are there for it (`gh auth token`), and those whose name of what they print tells
//! (`echo $DB_PASSWORD`, `terraform output -raw db_password`).

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::names::{Kind, read_name};

/// What a command line prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prints {
    /// Something that may hold a secret, beside what says so.
    Some,
    /// A secret among other things.
    Among,
    /// A secret and nothing else.
    Only,
}

/// Commands that print a secret and nothing else; with a second text only where the command holds that, too.
const ONLY: &[(&str, &str)] = &[
    ("wg genkey", ""),
    ("wg genpsk", ""),
    ("openssl rand", ""),
    ("gh auth token", ""),
    ("fly auth token", ""),
    ("flyctl auth token", ""),
    ("auth print-access-token", ""),
    ("auth print-identity-token", ""),
    ("application-default print-access-token", ""),
    ("op read ", ""),
    ("op item get ", "--field"),
    ("pass show ", ""),
    ("lpass show ", "--password"),
    ("find-generic-password", "-w"),
    ("find-internet-password", "-w"),
    ("secret-tool lookup", ""),
    ("keyring get ", ""),
    ("vault kv get", "-field"),
    ("vault read", "-field"),
    ("vault print token", ""),
    ("get-secret-value", "--query"),
    ("ssm get-parameter", "--query"),
    ("get-login-password", ""),
    ("keyvault secret show", "--query"),
    ("get-access-token", "--query"),
    ("secrets versions access", ""),
    ("bw get password", ""),
    ("bw get totp", ""),
    ("doppler secrets get", "--plain"),
    ("infisical secrets get", "--plain"),
    ("create token ", ""),
    ("oc whoami -t", ""),
    ("oc whoami --show-token", ""),
    ("systemd-creds cat", ""),
    ("systemd-creds decrypt", ""),
    ("rclone reveal", ""),
    ("get secret", "jsonpath"),
    ("get secret", "go-template"),
    ("get secret", "custom-columns"),
    ("pwgen", ""),
];
/// Commands that print a secret beside its name and more.
const SOME: &[&str] = &[
    "op item get ",
    "find-generic-password",
    "vault kv get",
    "vault read",
    "get-secret-value",
    "ssm get-parameter",
    "keyvault secret show",
    "account get-access-token",
    "bw get ",
    "lpass show ",
    "export-secret",
    "get secret",
    "solana/id.json",
    "sops -d",
    "sops --decrypt",
    "sops decrypt",
    "ansible-vault view",
    "doppler secrets",
    "infisical secrets",
    "chamber read",
    "--show-secrets",
    "credentials:show",
];
/// Programs whose arguments name what is printed.
const NAMERS: &[&str] = &[
    "printenv",
    "terraform output",
    "tofu output",
    "terragrunt output",
    "pulumi config get",
    "pulumi stack output",
    "heroku config:get",
    "dokku config:get",
    "aws configure get",
    "npm config get",
    "git config",
    "gcloud config get",
    "jq ",
    "yq ",
];
/// Programs that print what they are given, or what they read of the environment.
const SAYERS: &[&str] =
    &["echo", "printf", "print", "Write-Output", "Write-Host", "node", "python", "python3", "ruby", "perl"];
/// What stands in front of the name of a variable.
const VARIABLES: &[&str] = &["${", "$env:", "$", "process.env.", "environ", "getenv(", "ENV[", "env.get("];
/// Programs that print the value behind a name, if the name is followed by its operator.
const CUTTERS: &[&str] = &["grep", "rg", "sed", "awk", "cut"];
/// How they are told to print the value only.
const VALUES: &[&str] = &["\\K", "-f2", "-f 2", "$2", "=//"];
/// Programs that only print a file.
const READERS: &[&str] = &["cat", "head", "tail", "bat", "less", "more", "type", "Get-Content"];
/// Where containers find their secrets.
const SECRETS_DIR: &str = "/run/secrets/";
/// What a command may be piped through and still be printed.
const PASSED_THROUGH: &[&str] = &[
    "base64", "tr", "cut", "head", "tail", "sed", "awk", "xargs", "tee", "cat", "grep", "rev", "fold", "jq",
    "xxd", "less", "more", "openssl", "echo", "sort", "uniq", "gunzip", "zcat", "hexdump", "od", "bat",
    "python3", "node",
];
/// Shells that run a script that they are given.
const SHELLS: &[&str] = &["bash -lc ", "bash -c ", "sh -c ", "zsh -lc ", "zsh -c "];
/// Commands that print nothing.
const SILENT: &[&str] = &[
    "cd", "export", "set", "source", ".", "unset", "sleep", "true", ":", "pushd", "popd", "umask", "trap",
    "local", "[", "[[", "test", "if", "then", "fi", "else", "do", "done", "eval", "sudo",
];

/// What a command line prints of secrets; `None`: nothing that can be told from it.
pub(super) fn of(line: &str) -> Option<Prints> {
    let mut commands = split(line);
    commands.retain(|command| !is_silent(command));
    let found = commands.iter().filter_map(|command| of_command(command)).max()?;
    // What stands beside other output is not told from it line by line.
    Some(if commands.len() > 1 { found.min(Prints::Among) } else { found })
}

/// Whether a file holds nothing but a secret, by its name: `/run/secrets/db_password`, `password.txt`.
pub(super) fn is_secret_file(path: &str) -> bool {
    if path.contains(SECRETS_DIR) {
        return true;
    }
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    // Of Rails: one key for all of its settings, or one for each of its environments.
    if name == "master.key" || (name.ends_with(".key") && path.contains("config/credentials/")) {
        return true;
    }
    let name = name.strip_suffix(".txt").unwrap_or(name);
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    is_plain && path.contains(['/', '\\', '.']) && kind_of(name) == Some(Prints::Only)
}

/// The commands of a line, with what each is piped through.
fn split(line: &str) -> Vec<&str> {
    let line = line.trim();
    let script = SHELLS.iter().find_map(|shell| line.strip_prefix(shell));
    let line = script.map_or(line, |script| script.trim().trim_matches(['"', '\'']));
    let separator = |rest: &[u8]| match rest {
        [b'\n' | b';', ..] => 1,
        [b'&', b'&', ..] | [b'|', b'|', ..] => 2,
        _ => 0,
    };
    let parts =
        parted(line, separator).into_iter().map(|part| part.trim().trim_start_matches(['(', '{']).trim());
    parts.filter(|part| !part.is_empty()).collect()
}

/// A command, and what it is piped through.
fn stages(command: &str) -> Vec<&str> {
    let parts = parted(command, |rest| usize::from(rest.first() == Some(&b'|')));
    parts.into_iter().map(str::trim).collect()
}

/// A text, parted where no quote is open and `separator` says how long what parts it is.
fn parted(text: &str, separator: impl Fn(&[u8]) -> usize) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let (mut start, mut quote, mut at) = (0, None, 0);
    while let Some(sign) = bytes.get(at) {
        match (quote, sign) {
            (Some(open), _) if open == sign => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(sign),
            (None, _) => {
                let len = separator(&bytes[at..]);
                if len > 0 {
                    parts.extend(text.get(start..at));
                    (start, at) = (at + len, at + len);
                    continue;
                }
            }
        }
        at += 1;
    }
    parts.extend(text.get(start..));
    parts
}

fn is_silent(command: &str) -> bool {
    let program = program_of(command);
    let is_assignment = program.split_once('=').is_some_and(|(name, _)| is_identifier(name));
    let is_alone = || command.split_whitespace().nth(1).is_none();
    SILENT.contains(&program) && program != "sudo" || is_assignment && is_alone()
}

/// The program of a command, behind variables that are set for it.
fn program_of(command: &str) -> &str {
    let is_prefix =
        |word: &&str| *word == "sudo" || word.split_once('=').is_some_and(|(name, _)| is_identifier(name));
    let word = command.split_whitespace().find(|word| !is_prefix(word));
    let word = word.or(command.split_whitespace().next()).unwrap_or_default();
    word.rsplit('/').next().unwrap_or(word)
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Which texts a command may hold. Hardly any command holds one, and one search for all of them says so.
#[derive(Default)]
struct MayHold {
    /// One of [`ONLY`] or [`SOME`].
    printers: bool,
    /// One of [`NAMERS`].
    namers: bool,
    /// One of [`VALUES`].
    values: bool,
}

impl MayHold {
    fn of(command: &str) -> Self {
        static TEXTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
            let texts = ONLY.iter().map(|(text, _)| text).chain(SOME).chain(NAMERS).chain(VALUES);
            AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(texts).ok()
        });
        let Some(texts) = &*TEXTS else { return Self { printers: true, namers: true, values: true } };
        let mut may_hold = Self::default();
        for found in texts.find_overlapping_iter(command) {
            match found.pattern().as_usize() {
                nth if nth < ONLY.len() + SOME.len() => may_hold.printers = true,
                nth if nth < ONLY.len() + SOME.len() + NAMERS.len() => may_hold.namers = true,
                _ => may_hold.values = true,
            }
        }
        may_hold
    }
}

fn of_command(command: &str) -> Option<Prints> {
    let stages = stages(command);
    let (first, others) = stages.split_first()?;
    let has = |text: &str| command.contains(text);
    let may_hold = MayHold::of(command);
    let prints = if may_hold.printers && ONLY.iter().any(|(text, with)| has(text) && has(with)) {
        Prints::Only
    } else {
        let some = (may_hold.printers && SOME.iter().any(|text| has(text))).then_some(Prints::Some);
        some.max(named_by(first, &stages, command, &may_hold))?
    };
    others.iter().all(|stage| PASSED_THROUGH.contains(&program_of(stage))).then_some(prints)
}

/// What the names in a command say of what it prints.
fn named_by(first: &str, stages: &[&str], command: &str, may_hold: &MayHold) -> Option<Prints> {
    let program = program_of(first);
    if SAYERS.contains(&program) {
        return variables(first).filter_map(kind_of).max();
    }
    if let Some(namer) = NAMERS.iter().find(|namer| may_hold.namers && first.contains(**namer)) {
        let arguments = first.split(namer).nth(1).unwrap_or_default();
        return arguments.split(|c: char| c.is_whitespace() || "'\".".contains(c)).filter_map(kind_of).max();
    }
    if READERS.contains(&program) && first.split_whitespace().skip(1).any(is_secret_file) {
        return Some(Prints::Only);
    }
    let is_value = may_hold.values && VALUES.iter().any(|sign| command.contains(sign));
    if !is_value || !stages.iter().any(|stage| CUTTERS.contains(&program_of(stage))) {
        return None;
    }
    command.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter_map(kind_of).max()
}

/// The names of variables whose values stand in a command: not `${X:+set}` and `${#X}`, which say something about them.
fn variables(command: &str) -> impl Iterator<Item = &str> {
    VARIABLES.iter().flat_map(move |sign| {
        command.match_indices(sign).filter_map(move |(at, _)| {
            let behind = command.get(at + sign.len()..)?;
            // `${#X}` says how long it is; elsewhere brackets and quotes stand in front of the name.
            let opening: &[char] = if sign.starts_with('$') { &[] } else { &['.', '[', '(', '"', '\''] };
            let behind = behind.trim_start_matches(".get").trim_start_matches(opening);
            let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
            let (name, rest) = behind.split_at_checked(end)?;
            (!rest.starts_with(":+") && !rest.starts_with('+')).then_some(name)
        })
    })
}

/// What a name says of its value.
fn kind_of(name: &str) -> Option<Prints> {
    let secret = read_name(name.trim_start_matches(['-', '.', '/']).as_bytes())?;
    match secret.kind {
        Kind::Password | Kind::Secret | Kind::Token | Kind::Phrase => Some(Prints::Only),
        Kind::Key | Kind::Authorization | Kind::Cookie | Kind::Signature => Some(Prints::Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_tells_what_it_prints() {
        for line in [
            "echo $DB_PASSWORD",
            "echo \"${API_KEY}\"",
            "printf '%s' \"$GITHUB_TOKEN\"",
            "printenv API_KEY",
            "cd infra && terraform output -raw db_password",
            "terraform output db_password",
            "kubectl get secret db -o jsonpath='{.data.password}' | base64 -d",
            "kubectl -n prod get secrets db -o go-template='{{.data.pw}}'",
            "aws secretsmanager get-secret-value --secret-id x --query SecretString --output text",
            "aws ssm get-parameter --name x --with-decryption --query Parameter.Value",
            "vault kv get -field=password secret/db",
            "op read op://vault/item/password",
            "pass show mail/bob",
            "gh auth token",
            "heroku config:get API_KEY -a app",
            "gcloud auth print-access-token",
            "az account get-access-token --query accessToken -o tsv",
            "cat /run/secrets/db",
            "cat ./db_password.txt",
            "grep -oP 'DB_PASSWORD=\\K.*' .env",
            "grep API_KEY .env | cut -d= -f2",
            "awk -F= '/SECRET_KEY/ {print $2}' .env",
            "sed -n 's/^DB_PASSWORD=//p' .env",
            "node -p process.env.API_KEY",
            "python3 -c \"import os; print(os.environ['API_KEY'])\"",
            "AWS_PROFILE=x aws configure get aws_secret_access_key",
            "jq -r .password config.json",
        ] {
            assert_eq!(of(line), Some(Prints::Only), "{line}");
        }
        assert_eq!(of("echo $DB_PASSWORD; ls"), Some(Prints::Among));
        assert_eq!(of("vault kv get secret/db"), Some(Prints::Some));
        for line in [
            "echo $HOME",
            "echo password",
            "echo ${DB_PASSWORD:+set}",
            "echo ${#DB_PASSWORD}",
            "[ -n \"$DB_PASSWORD\" ] && echo set",
            "echo $PW | docker login --password-stdin",
            "echo $TOKEN_COUNT",
            "printenv PATH",
            "terraform output -raw vpc_id",
            "cat src/password.rs",
            "cat docs/api_key.md",
            "grep -rn password src",
            "jq -r .name package.json",
            "git config user.email",
            "kubectl get secrets",
            "npm test",
        ] {
            assert_ne!(of(line), Some(Prints::Only), "{line}");
        }
    }
}
