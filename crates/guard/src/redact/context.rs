//! Secrets whose form is too plain to look for everywhere: only in texts that name their service.

use super::chars::{Class, has_before, word_begins};
use super::random::{Makeup, looks_random};
use super::span::{Rank, Span};
use super::work;

/// Something that has to be named before its tokens are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    Bitcoin,
    Discord,
    Ngrok,
    Vault,
    /// The owner of an id whose secret stands beside it, see [`TWINS`].
    Owner(usize),
}

/// The anchors.
pub(super) const SERVICES: &[(&str, Service)] = &[
    ("bitcoin", Service::Bitcoin),
    ("privkey", Service::Bitcoin),
    ("discord", Service::Discord),
    ("ngrok", Service::Ngrok),
    ("vault", Service::Vault),
    ("akia", Service::Owner(0)),
    ("asia", Service::Owner(1)),
    ("ltai", Service::Owner(2)),
];

/// Looks through the whole text for the tokens of a service that it names.
pub(super) fn find(bytes: &[u8], service: Service, spans: &mut Vec<Span>) {
    match service {
        Service::Bitcoin => spans.extend(memchr::memchr3_iter(b'5', b'K', b'L', bytes).filter_map(|at| {
            let len = if bytes[at] == b'5' { 50 } else { 51 };
            let end = fixed(bytes, at, 1, Class::ALNUM, len)?;
            looks_random(&bytes[at..end]).then(|| span(at, end, "private-key"))
        })),
        Service::Discord => {
            spans.extend(memchr::memchr_iter(b'.', bytes).filter_map(|dot| discord_token(bytes, dot)))
        }
        Service::Ngrok => {
            spans.extend(memchr::memchr_iter(b'_', bytes).filter_map(|joint| ngrok_token(bytes, joint)))
        }
        Service::Owner(twin) => find_beside(bytes, &TWINS[twin], spans),
        Service::Vault => spans.extend(memchr::memmem::find_iter(bytes, b"s.").filter_map(|at| {
            let end = fixed(bytes, at, 2, Class::ALNUM, 24)?;
            looks_random(&bytes[at + 2..end]).then(|| span(at, end, "vault-token"))
        })),
    }
}

/// Tokens of Discord and Okta, and of Twilio beside its id, where nobody names them: all of their form is asked for.
pub(super) fn find_unnamed(bytes: &[u8], spans: &mut Vec<Span>) {
    find_beside(bytes, &TWILIO, spans);
    spans.extend(memchr::memmem::find_iter(bytes, b"00").filter_map(|at| okta_token(bytes, at)));
    let dots = memchr::memchr_iter(b'.', bytes).filter(|dot| bytes.get(dot + 7) == Some(&b'.'));
    spans.extend(dots.filter_map(|dot| {
        let found = discord_token(bytes, dot)?;
        let (id, signature) = (&bytes[found.start..dot], &bytes[dot + 8..found.end]);
        let fits = (24..=26).contains(&id.len()) && (27..=38).contains(&signature.len());
        (fits && looks_random(id) && looks_random(signature)).then_some(found)
    }));
}

/// How many characters a key of WireGuard has before its `=`.
const WIREGUARD_CHARS: usize = 43;
/// How far behind the command its key is printed, in bytes.
const PRINTED_MAX_BYTES: usize = 200;

/// `wg genkey`, and the key that it printed on one of the next lines.
pub(super) fn find_made_key(bytes: &[u8], command_end: usize) -> Option<Span> {
    let window = &bytes[command_end..bytes.len().min(command_end + PRINTED_MAX_BYTES)];
    work::note(window.len());
    let sign = memchr::memchr_iter(b'=', window).find_map(|sign| {
        let at = command_end + sign.checked_sub(WIREGUARD_CHARS)?;
        fixed(bytes, at, 0, Class::BASE64, WIREGUARD_CHARS).map(|end| at..end + 1)
    })?;
    looks_random(&bytes[sign.clone()]).then(|| span(sign.start, sign.end, "private-key"))
}

/// Okta's tokens begin with two zeros, and have exactly so many characters behind them.
const OKTA_CHARS: usize = 40;

/// Okta's tokens where nobody names it: all of their form is asked for.
fn okta_token(bytes: &[u8], at: usize) -> Option<Span> {
    let stands_free = at == 0
        || !Class::ANY64.or(Class::DOT).or(Class::PERCENT).has(bytes[at - 1])
        || has_before(bytes, at, b"/");
    let end = fixed(bytes, at, 2, Class::URL64, OKTA_CHARS).filter(|_| stands_free)?;
    let makeup = Makeup::of(&bytes[at + 2..end]);
    let is_free = !bytes.get(end).is_some_and(|byte| matches!(byte, b'=' | b'+' | b'.' | b'-'));
    let is_mixed = makeup.upper >= 4 && makeup.lower >= 4 && makeup.digits >= 1 && makeup.joints <= 3;
    (is_free && is_mixed && makeup.is_random()).then(|| span(at, end, "okta-token"))
}

/// An id that is no secret, and how the secret looks that belongs to it and has no form of its own.
struct Twin {
    id: &'static [u8],
    id_class: Class,
    id_chars: usize,
    class: Class,
    chars: usize,
    rule: &'static str,
}

const TWINS: [Twin; 3] =
    [aws(b"AKIA"), aws(b"ASIA"), twin(b"LTAI", (Class::ALNUM, 20), (Class::ALNUM, 30), "alibaba-secret-key")];
/// Its id begins too plainly to be an anchor.
const TWILIO: Twin = twin(b"AC", (Class::LOWER_HEX, 32), (Class::LOWER_HEX, 32), "twilio-token");

const fn twin(id: &'static [u8], of_id: (Class, usize), secret: (Class, usize), rule: &'static str) -> Twin {
    Twin { id, id_class: of_id.0, id_chars: of_id.1, class: secret.0, chars: secret.1, rule }
}

const fn aws(id: &'static [u8]) -> Twin {
    twin(id, (Class::UPPER_ALNUM, 16), (Class::BASE64, 40), "aws-secret-key")
}

/// From which length on a token of a session is one, in characters.
const AWS_TOKEN_MIN_CHARS: usize = 100;
/// The longest line that is looked through for them, in bytes.
const TWINS_MAX_BYTES: usize = 8 * 1024;

/// What stands in one line with the id of a key, as tables, lists and calls have it: its secret, and the token of its session.
fn find_beside(bytes: &[u8], twin: &Twin, spans: &mut Vec<Span>) {
    let mut seen_until = 0;
    for at in memchr::memmem::find_iter(bytes, twin.id) {
        if at < seen_until || fixed(bytes, at, twin.id.len(), twin.id_class, twin.id_chars).is_none() {
            continue;
        }
        let from = at.saturating_sub(TWINS_MAX_BYTES);
        let start = memchr::memrchr(b'\n', &bytes[from..at]).map_or(from, |line| from + line + 1);
        let window = &bytes[at..bytes.len().min(at + TWINS_MAX_BYTES)];
        let end = at + memchr::memchr(b'\n', window).unwrap_or(window.len());
        work::note(end - start);
        let mut word = start;
        while word < end {
            // A secret of few characters may be a part of a longer text of more of them.
            let whole = if twin.class == Class::BASE64 { twin.class } else { Class::ALNUM };
            let word_end = whole.run_end(bytes, word, end - word);
            let run = &bytes[word..word_end];
            if run.len() == twin.chars && twin.class.has_all(run) && looks_random(run) {
                spans.push(span(word, word_end, twin.rule));
            } else if twin.class == Class::BASE64
                && run.len() >= AWS_TOKEN_MIN_CHARS
                && looks_random(&run[..AWS_TOKEN_MIN_CHARS])
            {
                spans.push(span(word, Class::EQUALS.run_end(bytes, word_end, 2), "aws-session-token"));
            }
            word = word_end + 1;
        }
        seen_until = end;
    }
}

fn span(start: usize, end: usize, rule: &'static str) -> Span {
    Span { start, end, rule, rank: Rank::Formed }
}

/// A word of a prefix and exactly `len` characters of a class; its end.
fn fixed(bytes: &[u8], at: usize, prefix_len: usize, class: Class, len: usize) -> Option<usize> {
    let start = at + prefix_len;
    let end = class.run_end(bytes, start, len + 1);
    let goes_on = bytes.get(end).is_some_and(|byte| Class::WORD.has(*byte));
    (end - start == len && !goes_on && word_begins(bytes, at)).then_some(end)
}

/// An id of 27 characters, and a secret of 20 or a few more behind the `_`.
fn ngrok_token(bytes: &[u8], joint: usize) -> Option<Span> {
    let start = Class::ALNUM.run_start(bytes, joint, 28);
    let end = Class::ALNUM.run_end(bytes, joint + 1, 26);
    let fits = joint - start == 27 && (20..=25).contains(&(end - joint - 1));
    (fits && looks_random(&bytes[start..joint]) && word_begins(bytes, start))
        .then(|| span(start, end, "ngrok-token"))
}

/// Three parts: the id of the account in base64, a time stamp, a signature. `dot` is the first one.
fn discord_token(bytes: &[u8], dot: usize) -> Option<Span> {
    let start = Class::ALNUM.run_start(bytes, dot, 30);
    let second_end = Class::URL64.run_end(bytes, dot + 1, 8);
    let end = Class::URL64.run_end(bytes, second_end + 1, 48);
    let fits = (22..=28).contains(&(dot - start))
        && matches!(bytes[start], b'M' | b'N' | b'O')
        && second_end - dot - 1 == 6
        && bytes.get(second_end) == Some(&b'.')
        && end >= second_end + 1 + 24;
    (fits && word_begins(bytes, start)).then(|| span(start, end, "discord-token"))
}
