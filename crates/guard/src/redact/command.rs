//! Passwords on command lines whose flags do not say so: `mysql -p…`, `curl -u user:…`, `sshpass -p …`.

use std::ops::Range;

use super::chars::{Class, has_at, skip_blanks, word_begins};
use super::placeholder::{is_placeholder, is_wordy};
use super::quote::Quote;
use super::span::{Rank, Span};

/// How much of a command line is looked at, in bytes.
const COMMAND_MAX_BYTES: usize = 1024;

/// How a flag carries its secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carries {
    /// `-psecret`
    Attached,
    /// `-p secret`
    Apart,
    /// `-u user:secret`
    BehindColon,
    /// `-U user%secret`
    BehindPercent,
}

/// A program, and the flags that carry a secret there.
struct Command {
    name: &'static str,
    flags: &'static [(&'static str, Carries)],
}

const fn command(name: &'static str, flags: &'static [(&'static str, Carries)]) -> Command {
    Command { name, flags }
}

use Carries::{Apart, Attached, BehindColon, BehindPercent};

const COMMANDS: &[Command] = &[
    command("mysql", &[("-p", Attached)]),
    command("mysqldump", &[("-p", Attached)]),
    command("mysqladmin", &[("-p", Attached)]),
    command("mysqlimport", &[("-p", Attached)]),
    command("mariadb", &[("-p", Attached)]),
    command("mariadb-dump", &[("-p", Attached)]),
    command("sshpass", &[("-p", Apart), ("-p", Attached)]),
    command(
        "curl",
        &[("-u", BehindColon), ("--user", BehindColon), ("-U", BehindColon), ("--proxy-user", BehindColon)],
    ),
    command("wget", &[("--user", BehindColon)]),
    command("http", &[("-a", BehindColon), ("--auth", BehindColon)]),
    command("https", &[("-a", BehindColon)]),
    command("docker", &[("-p", Apart)]),
    command("podman", &[("-p", Apart)]),
    command("buildah", &[("-p", Apart)]),
    command(
        "skopeo",
        &[("--creds", BehindColon), ("--src-creds", BehindColon), ("--dest-creds", BehindColon)],
    ),
    command("helm", &[("-p", Apart)]),
    command("oras", &[("-p", Apart)]),
    command("az", &[("-p", Apart)]),
    command("oc", &[("-p", Apart)]),
    command("redis-cli", &[("-a", Apart)]),
    command("mongosh", &[("-p", Apart)]),
    command("mongo", &[("-p", Apart)]),
    command("mongodump", &[("-p", Apart)]),
    command("mongorestore", &[("-p", Apart)]),
    command("ldapsearch", &[("-w", Apart)]),
    command("ldapmodify", &[("-w", Apart)]),
    command("ldapadd", &[("-w", Apart)]),
    command("sqlcmd", &[("-P", Apart), ("-P", Attached)]),
    command("bcp", &[("-P", Apart)]),
    command("cqlsh", &[("-p", Apart)]),
    command("influx", &[("-p", Apart), ("-t", Apart)]),
    command("rabbitmqadmin", &[("-p", Apart)]),
    command("smbclient", &[("-U", BehindPercent)]),
    command("rpcclient", &[("-U", BehindPercent)]),
    command("zip", &[("-P", Apart)]),
    command("unzip", &[("-P", Apart)]),
    command("7z", &[("-p", Attached)]),
    command("keytool", &[("-storepass", Apart), ("-keypass", Apart)]),
    command("openssl", &[("-passin", BehindColon), ("-passout", BehindColon), ("-k", Apart)]),
    command("ipmitool", &[("-P", Apart)]),
    command("snmpwalk", &[("-A", Apart), ("-X", Apart), ("-c", Apart)]),
    command("xfreerdp", &[("/p", BehindColon)]),
    command("twine", &[("-p", Apart)]),
    command("svn", &[("--password", Apart)]),
    command("gpg", &[("--passphrase", Apart)]),
    command("vault", &[("login", Apart)]),
];

/// The names of the commands, for the automaton: only those that are telling words by themselves.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

/// Looks at the command line behind the name at `anchor`.
pub(super) fn find(bytes: &[u8], anchor: Range<usize>, spans: &mut Vec<Span>) {
    let ends_word = bytes.get(anchor.end).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    let begins_word =
        word_begins(bytes, anchor.start) && (anchor.start == 0 || !b"-_.".contains(&bytes[anchor.start - 1]));
    if !ends_word || !begins_word {
        return;
    }
    let name = &bytes[anchor.clone()];
    let Some(command) = COMMANDS.iter().find(|command| command.name.as_bytes() == name) else { return };
    let line = anchor.end..line_end(bytes, anchor.end);
    for (flag, carries) in command.flags {
        let found = memchr::memmem::find_iter(&bytes[line.clone()], flag.as_bytes()).find_map(|at| {
            let start = line.start + at;
            let is_own_word = matches!(bytes[start - 1], b' ' | b'\t' | b'\n');
            is_own_word.then(|| find_secret(bytes, start + flag.len(), line.end, *carries))?
        });
        spans.extend(found);
    }
}

/// Where a command ends: at the end of its line, unless that is continued, or at `|`, `;` and `&&`.
fn line_end(bytes: &[u8], start: usize) -> usize {
    let limit = bytes.len().min(start + COMMAND_MAX_BYTES);
    (start..limit)
        .find(|&at| match bytes[at] {
            b'\n' => bytes[at - 1] != b'\\',
            b'|' | b';' => true,
            b'&' => bytes.get(at + 1) == Some(&b'&'),
            b'\\' => bytes.get(at + 1) == Some(&b'n'),
            _ => false,
        })
        .unwrap_or(limit)
}

fn find_secret(bytes: &[u8], at: usize, line_end: usize, carries: Carries) -> Option<Span> {
    let start = match carries {
        Attached => at,
        Apart | BehindPercent => skip_blanks(bytes, at, 8),
        BehindColon => skip_blanks(bytes, at + usize::from(bytes.get(at) == Some(&b'=')), 8),
    };
    if start >= line_end || (carries == Apart && start == at) {
        return None;
    }
    let (start, end) = argument(bytes, start, line_end);
    let start = match carries {
        BehindColon => start + 1 + memchr::memchr(b':', &bytes[start..end])?,
        BehindPercent => start + 1 + memchr::memchr(b'%', &bytes[start..end])?,
        Attached | Apart => start,
    };
    let secret = &bytes[start..end];
    let is_number = carries == Apart
        && secret.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-' | b'/'));
    let refused = secret.len() < 3
        || secret.starts_with(b"-")
        || is_placeholder(secret)
        || is_number
        || (carries == Apart && is_wordy(secret) && secret.len() < 8);
    (!refused).then_some(Span { start, end, rule: "command-password", rank: Rank::Placed })
}

/// One argument, without its quotes.
fn argument(bytes: &[u8], start: usize, limit: usize) -> (usize, usize) {
    if let Some(quote) = Quote::at(bytes, start) {
        let inner = start + quote.open_len();
        return (inner, quote.end(bytes, inner).unwrap_or(limit).clamp(inner, limit.max(inner)));
    }
    let end = (start..limit)
        .find(|&at| bytes[at].is_ascii_whitespace() || matches!(bytes[at], b'"' | b'\'' | b'`'))
        .unwrap_or(limit);
    (start, end)
}

/// `machine … login … password …`, as in `.netrc`.
pub(super) fn find_netrc(bytes: &[u8], anchor_end: usize, spans: &mut Vec<Span>) {
    const TOKENS_MAX: usize = 12;
    let mut at = anchor_end;
    let mut before: &[u8] = b"";
    let mut has_login = false;
    for _ in 0..TOKENS_MAX {
        at = skip_space(bytes, at);
        let end = token_end(bytes, at);
        let token = &bytes[at..end];
        has_login |= before == b"login";
        if before == b"password" && has_login && !token.is_empty() {
            if !is_placeholder(token) {
                spans.push(Span { start: at, end, rule: "netrc-password", rank: Rank::Placed });
            }
            return;
        }
        if token.is_empty() || token == b"machine" {
            return;
        }
        (before, at) = (token, end);
    }
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    let limit = bytes.len().min(at + 64);
    while at < limit {
        at += match &bytes[at..] {
            [byte, ..] if byte.is_ascii_whitespace() => 1,
            [b'\\', b'n' | b'r' | b't', ..] => 2,
            _ => return at,
        };
    }
    at
}

fn token_end(bytes: &[u8], at: usize) -> usize {
    let limit = bytes.len().min(at + 256);
    (at..limit)
        .find(|&end| {
            bytes[end].is_ascii_whitespace()
                || matches!(bytes[end], b'"' | b'\'')
                || has_at(bytes, end, b"\\n")
        })
        .unwrap_or(limit)
}

/// `host:port:database:user:password` on a line of its own, as in `.pgpass`. The anchor is `:port:`.
pub(super) fn find_pgpass(bytes: &[u8], anchor: Range<usize>) -> Option<Span> {
    let host_start = Class::ALNUM.or(Class::DOT).or(Class::DASH).run_start(bytes, anchor.start, 128);
    let host_start = if host_start == anchor.start && anchor.start > 0 && bytes[anchor.start - 1] == b'*' {
        anchor.start - 1
    } else {
        host_start
    };
    let begins_line = host_start == 0
        || matches!(bytes[host_start - 1], b'\n' | b'"' | b'\'' | b' ' | b'\t')
        || super::chars::has_before(bytes, host_start, b"\\n");
    if host_start == anchor.start || !begins_line {
        return None;
    }
    let end = token_end(bytes, anchor.end);
    let mut colons = memchr::memchr_iter(b':', &bytes[anchor.end..end]);
    let (_, user_end) = (colons.next()?, colons.next()?);
    let start = anchor.end + user_end + 1;
    let password = &bytes[start..end];
    (password.len() >= 3 && !is_placeholder(password)).then_some(Span {
        start,
        end,
        rule: "pgpass-password",
        rank: Rank::Placed,
    })
}

/// `IDENTIFIED BY 'secret'` in SQL.
pub(super) fn find_sql(bytes: &[u8], anchor_end: usize) -> Option<Span> {
    let at = skip_blanks(bytes, anchor_end, 8);
    let quote = Quote::at(bytes, at)?;
    let start = at + quote.open_len();
    let end = quote.end(bytes, start)?;
    let password = &bytes[start..end];
    let is_secret = (3..=256).contains(&password.len()) && !is_placeholder(password);
    is_secret.then_some(Span { start, end, rule: "sql-password", rank: Rank::Placed })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let mut spans = Vec::new();
        let end = text.find(' ').unwrap();
        find(text.as_bytes(), 0..end, &mut spans);
        assert_eq!(spans.first().map(|span| &text[span.start..span.end]), expect, "{text}");
    }

    #[test]
    fn known_commands_give_their_passwords_away() {
        check("mysql -u root -phunter2 app", Some("hunter2"));
        check("curl -u bob:hunter2 https://x.test", Some("hunter2"));
        check("curl -s --user 'bob:hunter2' https://x.test", Some("hunter2"));
        check("sshpass -p hunter2 ssh bob@host", Some("hunter2"));
        check("docker login -u bob -p hunter2 registry.test", Some("hunter2"));
        check("openssl rsa -in key.pem -passin pass:hunter2", Some("hunter2"));
    }

    #[test]
    fn other_flags_stay() {
        for text in [
            "mysql -u root -p app",
            "docker run -p 8080:80 image",
            "curl -u $USER:$PASS x",
            "mkdir -p a/b",
            "curl -s https://x.test",
            "docker run -p 127.0.0.1:80:80 x",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn netrc_and_pgpass_lines_are_recognised() {
        let mut spans = Vec::new();
        let text = "machine api.test\n  login bob\n  password hunter2\n";
        find_netrc(text.as_bytes(), 7, &mut spans);
        assert_eq!(&text[spans[0].start..spans[0].end], "hunter2");
        let line = "db.test:5432:app:bob:hunter2\n";
        let at = line.find(":5432:").unwrap();
        let span = find_pgpass(line.as_bytes(), at..at + 6).unwrap();
        assert_eq!(&line[span.start..span.end], "hunter2");
    }
}
