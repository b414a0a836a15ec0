//! Passwords on command lines whose flags do not say so: `mysql -p…`, `curl -u user:…`, `sshpass -p …`.
//! Flags that do say so (`--password`) are names like others, see `assignment`.

use std::ops::Range;

use super::chars::{Class, has_at, has_before, skip_blanks, skip_blanks_back, word_begins};
use super::commands::{COMMANDS, Carries};
use super::margin;
use super::placeholder::{is_absolute_path, is_placeholder, is_wordy};
use super::quote::Quote;
use super::random::{Makeup, is_complex};
use super::reach::Reach;
use super::span::{Rank, Span};
use super::work;
use super::wrap::BORDERS;

/// How much of a command line is looked at, in bytes.
const COMMAND_MAX_BYTES: usize = 1024;

/// How many arguments `htpasswd` takes behind its flags, and how many other programs take.
const ARGUMENTS_MAX: usize = 3;
const FINAL_MAX: usize = 4;
/// How many words of its command line are looked at, with flags.
const WORDS_MAX: usize = 10;
/// A word of letters and digits is a password from this length on, in bytes.
const MIXED_MIN_BYTES: usize = 6;
/// The longest password of a command, in bytes.
const SECRET_MAX_BYTES: usize = 512;
/// What stands for a user and has no password behind it is a token from this length on, in bytes.
const TOKEN_MIN_BYTES: usize = 16;
/// Short flags of `curl` that take no value.
const CURL_SWITCHES: &[u8] = b"sSfLkivgNOJ";
/// How many short flags may be joined.
const JOINED_FLAGS_MAX: usize = 6;
/// How often a flag is looked for on one line; the first ones are the ones that count.
const FLAGS_MAX: usize = 4;

use Carries::{
    Apart, Attached, Before, BehindColon, BehindComma, BehindPercent, Cookie, Final, Last, Literal, Pairs,
    Second,
};

/// The names of the commands: anchors.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

/// Whether a word is the name of one of the commands.
pub(super) fn is_name(word: &str) -> bool {
    COMMANDS.iter().any(|command| command.name == word)
}

/// Looks at the command line behind the name at `anchor`.
pub(super) fn find(bytes: &[u8], anchor: Range<usize>, lines: &mut Reach, spans: &mut Vec<Span>) {
    let ends_word = bytes.get(anchor.end).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
    let is_free = anchor.start == 0
        || !b"-_.".contains(&bytes[anchor.start - 1])
        || margin::ends_at(bytes, anchor.start);
    let begins_word = word_begins(bytes, anchor.start) && is_free;
    if !ends_word || !begins_word {
        return;
    }
    let name = &bytes[anchor.clone()];
    let Some(command) = COMMANDS.iter().find(|command| command.name.as_bytes() == name) else { return };
    let line = anchor.end..lines.end(bytes, anchor.end, COMMAND_MAX_BYTES, |at| ends_command(bytes, at));
    for (flag, carries) in command.flags {
        work::note(line.len());
        if flag.is_empty() {
            spans.extend(find_final(bytes, line.start, line.end));
            continue;
        }
        // `-su` is `-s -u`.
        let letter = flag.as_bytes().get(1..2).filter(|_| flag.len() == 2 && *carries == BehindColon);
        let needle = letter.unwrap_or(flag.as_bytes());
        let found = memchr::memmem::find_iter(&bytes[line.clone()], needle)
            .map(|at| line.start + at)
            .filter(|&start| match letter {
                Some(_) => ends_flags(bytes, start),
                None => matches!(bytes[start - 1], b' ' | b'\t' | b'\n' | b'\'' | b'"'),
            })
            .take(FLAGS_MAX)
            .filter_map(|start| find_secret(bytes, start + needle.len(), line.end, *carries));
        // A secret has several literals; of other flags the first that carries one counts.
        spans.extend(found.take(if *carries == Literal { FLAGS_MAX } else { 1 }));
    }
}

/// Whether a letter is the last of short flags: behind a dash, or behind others of which one is.
fn ends_flags(bytes: &[u8], letter: usize) -> bool {
    let dash = Class::LETTER.run_start(bytes, letter, JOINED_FLAGS_MAX);
    let is_joined = dash < letter;
    let sign = dash.checked_sub(1).map(|at| bytes[at]);
    let begins = dash >= 2 && matches!(bytes[dash - 2], b' ' | b'\t' | b'\n' | b'\'' | b'"');
    let is_flag = matches!(sign, Some(b'-' | b'/')) && begins;
    let is_last = || bytes.get(letter + 1) == Some(&b' ');
    // `-sSubob:…`: what stands before carries nothing.
    let is_of_curl = || bytes[dash..letter].iter().all(|flag| CURL_SWITCHES.contains(flag));
    is_flag && (!is_joined || is_last() || is_of_curl())
}

/// Where a command ends: at the end of its line, unless that is continued, or at `|`, `;` and `&&`.
fn ends_command(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'\n' => bytes[at - 1] != b'\\',
        b'|' | b';' => true,
        b'&' => bytes.get(at + 1) == Some(&b'&'),
        b'\\' => bytes.get(at + 1) == Some(&b'n'),
        _ => false,
    }
}

fn find_secret(bytes: &[u8], at: usize, line_end: usize, carries: Carries) -> Option<Span> {
    match carries {
        Last => return find_last(bytes, at, line_end),
        Final => return find_final(bytes, at, line_end),
        Before => return find_before(bytes, at),
        Pairs => return find_pair(bytes, at, line_end),
        Second => return find_second(bytes, at, line_end),
        Attached | Apart | BehindColon | BehindComma | BehindPercent | Cookie | Literal => {}
    }
    let start = match carries {
        Attached => at,
        BehindComma | BehindPercent | Cookie | Last | Final | Before | Pairs | Second => {
            skip_blanks(bytes, at, 8)
        }
        Apart | BehindColon | Literal => {
            skip_blanks(bytes, at + usize::from(bytes.get(at) == Some(&b'=')), 8)
        }
    };
    if start >= line_end || (carries == Apart && start == at) {
        return None;
    }
    let (start, end) = argument(bytes, start, line_end);
    if carries == BehindColon
        && let Some(token) = bytes[start..end].strip_suffix(b":")
    {
        // `curl -u <token>:`, with no password behind it.
        let is_token =
            token.len() >= TOKEN_MIN_BYTES && !token.contains(&b':') && Makeup::of(token).is_random();
        return is_token.then(|| placed(start..end - 1));
    }
    let start = match carries {
        BehindColon => start + 1 + memchr::memchr(b':', &bytes[start..end])?,
        BehindComma => start + 1 + memchr::memchr(b',', &bytes[start..end])?,
        BehindPercent => start + 1 + memchr::memchr(b'%', &bytes[start..end])?,
        Cookie | Literal => start + 1 + memchr::memchr(b'=', &bytes[start..end])?,
        Attached | Apart | Last | Final | Before | Pairs | Second => start,
    };
    let secret = &bytes[start..end];
    (secret.len() <= SECRET_MAX_BYTES).then_some(())?;
    let is_number = carries == Apart
        && secret.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'-' | b'/'));
    // `https://…`: an address, and no user.
    let is_address = carries == BehindColon && secret.starts_with(b"//");
    let refused = secret.len() < 3
        || is_address
        || secret.starts_with(b"-")
        || is_placeholder(secret)
        || is_number
        || is_absolute_path(secret)
        || (carries == Apart && is_wordy(secret) && secret.len() < 8);
    (!refused).then_some(Span { start, end, rule: "command-password", rank: Rank::Placed })
}

/// The last of two or three arguments behind a flag with a `b` in it.
fn find_last(bytes: &[u8], at: usize, line_end: usize) -> Option<Span> {
    let flag_end = Class::ALNUM.run_end(bytes, at, 8);
    bytes[at.saturating_sub(1)..flag_end].contains(&b'b').then_some(())?;
    let found = arguments(bytes, flag_end, line_end);
    let secret = found.last().filter(|_| (2..=ARGUMENTS_MAX).contains(&found.len()))?.clone();
    let text = &bytes[secret.clone()];
    (text.len() >= 3 && !is_placeholder(text)).then(|| placed(secret))
}

/// The last of one to four arguments, if it can be nothing else than a password.
fn find_final(bytes: &[u8], at: usize, line_end: usize) -> Option<Span> {
    let found = arguments(bytes, at, line_end);
    let secret = found.last().filter(|_| (1..=FINAL_MAX).contains(&found.len()))?.clone();
    is_surely_secret(&bytes[secret.clone()]).then(|| placed(secret))
}

/// The argument behind the next one.
fn find_second(bytes: &[u8], at: usize, line_end: usize) -> Option<Span> {
    let secret = arguments(bytes, at, line_end).into_iter().nth(1)?;
    is_surely_secret(&bytes[secret.clone()]).then(|| placed(secret))
}

/// The first argument that gives something a value.
fn find_pair(bytes: &[u8], at: usize, line_end: usize) -> Option<Span> {
    arguments(bytes, at, line_end).into_iter().find_map(|argument| {
        let start = argument.start + 1 + memchr::memchr(b'=', &bytes[argument.clone()])?;
        is_surely_secret(&bytes[start..argument.end]).then(|| placed(start..argument.end))
    })
}

/// The word before a flag, and the blank between them.
fn find_before(bytes: &[u8], at: usize) -> Option<Span> {
    let flag_start = at.checked_sub(b"/user:".len())?;
    let end = skip_blanks_back(bytes, flag_start, 8);
    let start = end
        - bytes[..end]
            .iter()
            .rev()
            .take(COMMAND_MAX_BYTES)
            .take_while(|byte| !byte.is_ascii_whitespace())
            .count();
    work::note(end - start);
    (end < flag_start && is_surely_secret(&bytes[start..end])).then(|| placed(start..end))
}

pub(super) fn is_surely_secret(text: &[u8]) -> bool {
    let makeup = Makeup::of(text);
    let is_mixed =
        makeup.digits > 0 && makeup.letters() > 0 && makeup.joints == 0 && makeup.len >= MIXED_MIN_BYTES;
    !is_placeholder(text) && !text.starts_with(b"\\") && (is_mixed || makeup.is_random() || is_complex(text))
}

fn placed(secret: Range<usize>) -> Span {
    Span { start: secret.start, end: secret.end, rule: "command-password", rank: Rank::Placed }
}

/// The arguments behind `at` that are no flags and no numbers.
fn arguments(bytes: &[u8], at: usize, line_end: usize) -> Vec<Range<usize>> {
    let is_argument = |word: &Range<usize>| {
        let word = &bytes[word.clone()];
        // More flags, and the cost that one of them takes.
        let is_flag =
            word.starts_with(b"-") || word.strip_prefix(b"/").is_some_and(|flag| Class::LETTER.has_all(flag));
        word.is_empty() || (!is_flag && !Class::DIGIT.has_all(word))
    };
    let mut found = words(bytes, at..line_end, WORDS_MAX);
    found.retain(is_argument);
    found
}

/// The words of a command line, without their quotes.
pub(super) fn words(bytes: &[u8], line: Range<usize>, max: usize) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = line.start;
    while words.len() < max {
        at = skip_blanks(bytes, at, 40);
        if has_at(bytes, at, b"\\\n") {
            at += 2;
            continue;
        }
        let is_continued = at + 1 >= line.end && bytes.get(at) == Some(&b'\\');
        let is_framed = || BORDERS.iter().any(|border| bytes[at..].starts_with(border.as_bytes()));
        if at >= line.end
            || is_continued
            || matches!(bytes[at], b'|' | b';' | b'&' | b'<' | b'>')
            || is_framed()
        {
            break;
        }
        let (start, end) = argument(bytes, at, line.end);
        let is_quoted = start > at;
        let closing = Quote::at(bytes, at).and_then(|quote| quote.closes_at(bytes, end)).unwrap_or(0);
        at = (end + closing).max(at + 1);
        if end > start || is_quoted {
            words.push(start..end);
        }
        // The quote behind a word closes the text around the command.
        if Quote::at(bytes, at).is_some() && !has_before(bytes, at, b"=") {
            break;
        }
    }
    words
}

/// One argument, without its quotes.
pub(super) fn argument(bytes: &[u8], start: usize, limit: usize) -> (usize, usize) {
    if let Some(quote) = Quote::at(bytes, start) {
        let inner = start + quote.open_len();
        let end = quote.end_before(bytes, inner, limit).unwrap_or(limit);
        return (inner, end.clamp(inner, limit.max(inner)));
    }
    let end = (start..limit).find(|&at| ends_argument(bytes, at)).unwrap_or(limit);
    work::note(end.saturating_sub(start));
    (start, with_quoted_half(bytes, end, limit))
}

/// `user:'secret'` is one word, with the quotes in it.
fn with_quoted_half(bytes: &[u8], end: usize, limit: usize) -> usize {
    let parts = [b":", b"%", b","].iter().any(|sign| has_before(bytes, end, *sign));
    let Some(quote) = Quote::at(bytes, end).filter(|_| parts && end < limit) else { return end };
    let inner = end + quote.open_len();
    let Some(close) = quote.end_before(bytes, inner, limit).filter(|close| *close > inner) else {
        return end;
    };
    let behind = close + quote.closes_at(bytes, close).unwrap_or(0);
    let ends = behind >= limit || bytes[behind].is_ascii_whitespace() || Quote::at(bytes, behind).is_some();
    if behind > close && ends { behind } else { end }
}

fn ends_argument(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'"' | b'\'' | b'`' => true,
        // An escaped quote; a path of Windows has backslashes as well.
        b'\\' => Quote::at(bytes, at).is_some(),
        byte => byte.is_ascii_whitespace() || byte.is_ascii_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let mut spans = Vec::new();
        let end = text.find(' ').unwrap();
        find(text.as_bytes(), 0..end, &mut Reach::default(), &mut spans);
        assert_eq!(spans.first().map(|span| &text[span.start..span.end]), expect, "{text}");
    }

    #[test]
    fn known_commands_give_their_passwords_away() {
        check("mysql -u root -phunter2 app", Some("hunter2"));
        check("mysql -u root '-phun!ter2' app", Some("hun!ter2"));
        check("curl -u bob:hunter2 https://x.test", Some("hunter2"));
        check("curl -s --user 'bob:hunter2' https://x.test", Some("hunter2"));
        check("sshpass -p hunter2 ssh bob@host", Some("hunter2"));
        check("docker login -u bob -p hunter2 registry.test", Some("hunter2"));
        check("openssl rsa -in key.pem -passin pass:hunter2", Some("hunter2"));
        check("htpasswd -b /etc/nginx/.htpasswd bob hunter2", Some("hunter2"));
        check("htpasswd -cbB -C 10 .htpasswd bob 'hunter2' > out", Some("hunter2"));
        check("htpasswd -nb bob hunter2", Some("hunter2"));
        check("kubectl create secret generic db --from-literal=pw=hunter2", Some("hunter2"));
        check("useradd -m -p 'hun!ter2' bob", Some("hun!ter2"));
        check("htpasswd -b \" \"\" `", None);
    }

    #[test]
    fn other_flags_stay() {
        for text in [
            "mysql -u root -p app",
            "htpasswd -c .htpasswd bob",
            "htpasswd -b .htpasswd bob $PW",
            "docker run -p 8080:80 image",
            "curl -u $USER:$PASS x",
            "mkdir -p a/b",
            "curl -s https://x.test",
            "docker run -p 127.0.0.1:80:80 x",
        ] {
            check(text, None);
        }
    }
}
