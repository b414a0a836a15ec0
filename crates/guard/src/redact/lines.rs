//! Files and statements that are passwords line by line: `.netrc`, `.pgpass`, SQL, and what is piped into
//! programs that read a password.

use std::ops::Range;

use super::chars::{Class, contains, has_at, has_before, position, skip_blanks};
use super::command::{argument, is_surely_secret};
use super::margin;
use super::placeholder::{is_placeholder, is_plain_data};
use super::quote::Quote;
use super::span::{Rank, Span};
use super::work;

/// How far before the program its input may be written, in bytes.
const PIPE_MAX_BYTES: usize = 256;

/// Programs and flags that read a password from their input: anchors.
pub(super) const READERS: &[&str] = &[
    "--password-stdin",
    "--with-token",
    "--passphrase-fd",
    "chpasswd",
    "newusers",
    "sudo -",
    "passwd --stdin",
    "secret put ",
    "secret set ",
    "secret create ",
    "secrets create ",
    "secrets versions add ",
    "env add ",
    "secret-tool store ",
    "keyring set ",
    "pass insert ",
    "encrypt_string",
    "kinit",
    "passwd ",
    "cryptsetup ",
    "smbpasswd",
    "su - ",
];

/// Readers that are programs; their names stand in other commands as well, and so right behind the pipe only.
const PROGRAMS: &[&str] = &["kinit", "passwd ", "cryptsetup ", "smbpasswd", "su - "];
/// What may stand between `echo` or `printf` and the text.
const FORMATS: &[&str] = &[
    "-n ",
    "-e ",
    "-en ",
    "-ne ",
    "-- ",
    "'%s' ",
    "\"%s\" ",
    "%s ",
    "'%s\\n' ",
    "\"%s\\n\" ",
    "%s\\n ",
    "%s\\\\n ",
];
/// Reads settings that are no secrets as well, such as `production`.
const READS_SETTINGS: &[u8] = b"env add ";
/// What reads a password from `<<<`, besides the readers.
const HANDED_TO: &[&str] = &[
    "read -s",
    "read -rs",
    "read -sr",
    "read -rsp",
    "read -sp",
    "su -",
    "op signin",
    "lpass login",
    "wg set ",
];
/// How many flags of `sudo` are looked at.
const SUDO_FLAGS_MAX: usize = 4;
/// What says that a password is asked for, near the place where it is typed.
const ASKED: &[u8] = b"assword";

/// `echo … | docker login --password-stdin`
pub(super) fn find_piped(bytes: &[u8], reader: Range<usize>) -> Option<Span> {
    let window_start = reader.start.saturating_sub(PIPE_MAX_BYTES);
    let line_start = memchr::memrchr(b'\n', &bytes[window_start..reader.start])
        .map_or(window_start, |at| window_start + at + 1);
    let pipe = line_start + memchr::memrchr(b'|', &bytes[line_start..reader.start])?;
    let is_program = PROGRAMS.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(&bytes[reader.clone()]));
    let between = bytes[pipe + 1..reader.start].trim_ascii();
    (!is_program || between.is_empty() || between == b"sudo").then_some(())?;
    reads_secret(bytes, &reader).then_some(())?;
    let line = &bytes[line_start..pipe];
    let (echo, name) = ["echo ", "printf ", "<<< ", "yes "]
        .iter()
        .find_map(|name| Some((memchr::memmem::rfind(line, name.as_bytes())?, name)))?;
    let mut at = line_start + echo + name.len();
    while FORMATS.iter().any(|format| has_at(bytes, at, format.as_bytes())) {
        at = skip_blanks(bytes, at + memchr::memchr(b' ', &bytes[at..pipe])?, 8);
    }
    let (start, end) = argument(bytes, at, pipe);
    let reader = &bytes[reader];
    let is_for_user = reader.eq_ignore_ascii_case(b"chpasswd");
    let start = if is_for_user { start + 1 + memchr::memchr(b':', &bytes[start..end])? } else { start };
    (reader != READS_SETTINGS || is_surely_secret(&bytes[start..end])).then_some(())?;
    is_typed(&bytes[start..end]).then_some(Span { start, end, rule: "command-password", rank: Rank::Placed })
}

/// How much of a list of users is looked at, in bytes.
const USERS_MAX_BYTES: usize = 2 * 1024;

/// Whether a list of users and passwords follows: `chpasswd <<EOF`, `cat <<EOF | chpasswd`, `chpasswd:` of cloud-init.
pub(super) fn begins_users(bytes: &[u8], reader: &Range<usize>) -> bool {
    let name = &bytes[reader.clone()];
    let is_reader = name.eq_ignore_ascii_case(b"chpasswd") || name.eq_ignore_ascii_case(b"newusers");
    let around = reader.start.saturating_sub(PIPE_MAX_BYTES)..bytes.len().min(reader.end + PIPE_MAX_BYTES);
    let before = bytes[around.start..reader.start].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let behind = bytes[reader.end..around.end].split(|byte| *byte == b'\n').next().unwrap_or_default();
    work::note(around.len());
    is_reader && (contains(before, b"<<") || contains(behind, b"<<") || behind.trim_ascii() == b":")
}

/// The lines of such a list: `user:password`, up to one that is none.
pub(super) fn find_users(bytes: &[u8], reader_end: usize, spans: &mut Vec<Span>) {
    let limit = bytes.len().min(reader_end + USERS_MAX_BYTES);
    let mut line_end = reader_end;
    while let Some(offset) = memchr::memchr(b'\n', &bytes[line_end..limit]) {
        let line = skip_blanks(bytes, line_end + offset + 1, 40);
        let start = if has_at(bytes, line, b"- ") { line + 2 } else { line };
        line_end = start
            + memchr::memchr(b'\n', &bytes[start..limit.max(start)]).unwrap_or(limit.max(start) - start);
        work::note(line_end - line);
        let colon = Class::URL64.or(Class::DOT).run_end(bytes, start, 64);
        let end = token_end(bytes, colon).min(line_end);
        if has_at(bytes, start, b"list:") {
            continue;
        }
        // A number is that of a line.
        if !bytes[start..].first().is_some_and(u8::is_ascii_alphabetic)
            || colon >= end
            || bytes[colon] != b':'
        {
            return;
        }
        // Behind the password of `newusers` there are the number of the user and more.
        let fields = bytes[colon + 1..end].iter().filter(|byte| **byte == b':').count();
        let first = memchr::memchr(b':', &bytes[colon + 1..end]).filter(|_| fields >= 4);
        let secret = colon + 1..first.map_or(end, |len| colon + 1 + len);
        if is_typed(&bytes[secret.clone()]) {
            spans.push(Span {
                start: secret.start,
                end: secret.end,
                rule: "command-password",
                rank: Rank::Placed,
            });
        }
    }
}

/// Whether a text is what somebody types as a password, and not a gap for it.
fn is_typed(text: &[u8]) -> bool {
    text.len() >= 3 && !is_placeholder(text) && !text.starts_with(b"$")
}

/// `sudo` reads a password with `-S` only, and runs a shell with `-s`.
fn reads_secret(bytes: &[u8], reader: &Range<usize>) -> bool {
    if !bytes[reader.clone()].eq_ignore_ascii_case(b"sudo -") {
        return true;
    }
    let limit = bytes.len().min(reader.end + PIPE_MAX_BYTES);
    let words = bytes[reader.end - 1..limit].split(|byte| *byte == b' ').take(SUDO_FLAGS_MAX);
    let mut flags = words.take_while(|word| word.starts_with(b"-"));
    flags.any(|flag| flag == b"--stdin" || (!flag.starts_with(b"--") && flag.contains(&b'S')))
}

/// `kinit <<< '…'`
pub(super) fn find_handed(bytes: &[u8], sign: Range<usize>) -> Option<Span> {
    let is_ruler = bytes.get(sign.end) == Some(&b'<') || has_before(bytes, sign.start, b"<");
    (!is_ruler).then_some(())?;
    let window_start = sign.start.saturating_sub(PIPE_MAX_BYTES);
    let line_start = memchr::memrchr(b'\n', &bytes[window_start..sign.start])
        .map_or(window_start, |at| window_start + at + 1);
    let line = &bytes[line_start..sign.start];
    let is_reader = |reader: &str| {
        position(line, reader.as_bytes()).is_some_and(|at| {
            let start = line_start + at;
            reads_secret(bytes, &(start..start + reader.len()))
        })
    };
    READERS.iter().chain(HANDED_TO).any(|reader| is_reader(reader)).then_some(())?;
    let limit = bytes.len().min(sign.end + PIPE_MAX_BYTES);
    let (start, end) = argument(bytes, skip_blanks(bytes, sign.end, 8), limit);
    is_typed(&bytes[start..end]).then_some(Span { start, end, rule: "command-password", rank: Rank::Placed })
}

/// `expect "assword:"; send "…\r"`: what a script types when it is asked for a password.
pub(super) fn find_sent(bytes: &[u8], anchor_end: usize) -> Option<Span> {
    let is_mark = |byte: &&u8| matches!(byte, b'"' | b'\\');
    let at = anchor_end - bytes[..anchor_end].iter().rev().take(4).take_while(is_mark).count();
    let near = &bytes[at.saturating_sub(PIPE_MAX_BYTES)..bytes.len().min(at + PIPE_MAX_BYTES)];
    contains(near, ASKED).then_some(())?;
    let (start, end) = argument(bytes, at, bytes.len().min(at + PIPE_MAX_BYTES));
    let text = &bytes[start..end];
    let len = position(text, b"\\").unwrap_or(text.len());
    is_surely_secret(&text[..len]).then_some(Span {
        start,
        end: start + len,
        rule: "command-password",
        rank: Rank::Placed,
    })
}

/// Whether an entry of `.netrc` has a line for each of its parts: the name of the machine ends its own.
pub(super) fn is_netrc_of_lines(bytes: &[u8], anchor_end: usize) -> bool {
    let end = token_end(bytes, anchor_end);
    end > anchor_end && (matches!(bytes.get(end), Some(b'\n' | b'\r')) || has_at(bytes, end, b"\\n"))
}

/// `machine … login … password …`, as in `.netrc`.
pub(super) fn find_netrc(bytes: &[u8], anchor_end: usize, spans: &mut Vec<Span>) {
    const TOKENS_MAX: usize = 12;
    let mut at = anchor_end;
    let mut before: &[u8] = b"";
    // `default login …` has its login in the anchor.
    let mut has_login = has_before(bytes, anchor_end, b"login ");
    for _ in 0..TOKENS_MAX {
        at = skip_space(bytes, at);
        let end = token_end(bytes, at);
        let token = &bytes[at..end];
        has_login |= before == b"login";
        if before == b"password" && has_login && !token.is_empty() {
            if token.len() >= 3 && !is_placeholder(token) {
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
    // A line end that is written out.
    let is_escaped = has_before(bytes, host_start, b"\\") && bytes[host_start] == b'n';
    let begins_line = host_start == 0
        || is_escaped
        || b"\n\"'` \t:+->=[".contains(&bytes[host_start - 1])
        || !bytes[host_start - 1].is_ascii()
        || has_before(bytes, host_start, b"\\n")
        || margin::ends_at(bytes, anchor.start + 1);
    if host_start == anchor.start || !begins_line {
        return None;
    }
    let end = token_end(bytes, anchor.end);
    let mut colons = memchr::memchr_iter(b':', &bytes[anchor.end..end]);
    let (_, user_end) = (colons.next()?, colons.next()?);
    let start = anchor.end + user_end + 1;
    let password = &bytes[start..end];
    // `*:*:*:*:*:*:*:*` is an address.
    let is_gap = password.starts_with(b"*:") || !password.iter().any(u8::is_ascii_alphanumeric);
    let is_secret = password.len() >= 3 && !is_gap && !is_placeholder(password) && !is_plain_data(password);
    is_secret.then_some(Span { start, end, rule: "pgpass-password", rank: Rank::Placed })
}

/// How far before `IDENTIFIED BY` the user is named, in bytes.
const STATEMENT_MAX_BYTES: usize = 120;
/// What may be identified by a password. Other things are identified as well.
const IDENTIFIED: &[&str] = &["create user", "alter user", "connect to", "create role", "grant"];

/// `IDENTIFIED BY 'secret'` in SQL, `IDENTIFIED WITH plugin BY 'secret'`, `PRAGMA key = 'secret'`.
pub(super) fn find_sql(bytes: &[u8], anchor: &Range<usize>) -> Option<Span> {
    let mut at = skip_blanks(bytes, anchor.end, 8);
    if has_before(bytes, anchor.end, b"with ") {
        at = skip_blanks(bytes, Class::WORD.run_end(bytes, at, 64), 8);
        (has_at(bytes, at, b"by ") || has_at(bytes, at, b"as ")).then_some(())?;
        at = skip_blanks(bytes, at + 3, 8);
    }
    let quote = Quote::at(bytes, at).filter(|quote| !matches!(quote, Quote::Plain { mark: b'`', .. }));
    let Some(quote) = quote else {
        let before = &bytes[anchor.start.saturating_sub(STATEMENT_MAX_BYTES)..anchor.start];
        let before = before.to_ascii_lowercase();
        let end =
            at + bytes[at..].iter().take(64).take_while(|byte| !b"; \t\n\r\"'`\\".contains(byte)).count();
        let is_statement = IDENTIFIED.iter().any(|words| contains(&before, words.as_bytes()));
        return (is_statement && is_surely_secret(&bytes[at..end])).then_some(sql_password(at..end));
    };
    let start = at + quote.open_len();
    let end = quote.end(bytes, start)?;
    let password = &bytes[start..end];
    let is_secret = (3..=256).contains(&password.len()) && !is_placeholder(password);
    is_secret.then_some(sql_password(start..end))
}

fn sql_password(secret: Range<usize>) -> Span {
    Span { start: secret.start, end: secret.end, rule: "sql-password", rank: Rank::Placed }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_piped(text: &str, reader: &str, expect: Option<&str>) {
        let at = text.find(reader).unwrap();
        let found =
            find_piped(text.as_bytes(), at..at + reader.len()).map(|span| &text[span.start..span.end]);
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn what_is_piped_into_a_reader_is_a_password() {
        check_piped(
            "echo hunter2 | docker login -u bob --password-stdin",
            "--password-stdin",
            Some("hunter2"),
        );
        check_piped("echo -n 'hunter2' | docker login --password-stdin", "--password-stdin", Some("hunter2"));
        check_piped("echo 'bob:hunter2' | chpasswd", "chpasswd", Some("hunter2"));
        check_piped("echo \"$PW\" | docker login --password-stdin", "--password-stdin", None);
        check_piped("cat file | docker login --password-stdin", "--password-stdin", None);
        check_piped("docker login --password-stdin", "--password-stdin", None);
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
