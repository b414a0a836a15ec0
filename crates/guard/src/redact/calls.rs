//! Secrets in programs whose arguments have no names: `connect(host, "bob", "…")`, `jwt.sign(claims, "…")`.

use std::ops::Range;

use super::chars::Class;
use super::command::is_surely_secret;
use super::extent::JUDGED_MAX_BYTES;
use super::operator::{Operator, skip_program_text};
use super::placeholder::{is_placeholder, is_plain_data};
use super::quote::Quote;
use super::random::{Makeup, is_complex};
use super::span::{Rank, Span};
use super::work;

/// Which argument is a secret.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// The one with this number.
    At(usize),
    /// One behind another text, if it can be nothing else.
    Behind,
    /// The second, if the first is a text as well.
    Second,
}

use Place::{At, Behind, Second};

/// What functions that take a secret are called, and where it stands: anchors.
pub(super) const NAMES: &[(&str, Place)] = &[
    ("connect(", Behind),
    ("connection(", Behind),
    ("login(", Second),
    ("authenticate(", Second),
    ("db.auth(", Second),
    ("getconnection(", At(2)),
    ("pymysql.connect(", At(2)),
    ("mysqldb.connect(", At(2)),
    ("mysqli_connect(", At(2)),
    ("new mysqli(", At(2)),
    ("new pdo(", At(2)),
    ("create_superuser(", At(2)),
    ("create_user(", At(2)),
    ("basic_auth(", At(1)),
    ("jwt.sign(", At(1)),
    ("jwt.verify(", At(1)),
    ("jwt.encode(", At(1)),
    ("jwt.decode(", At(1)),
    ("hmac.new(", At(0)),
    ("createhmac(", At(1)),
    ("createcipheriv(", At(1)),
    ("createdecipheriv(", At(1)),
    ("new, []byte(", At(0)),
    ("fernet(", At(0)),
    ("secretkeyspec(", At(0)),
    ("cookieparser(", At(0)),
    ("passwordauthentication(", At(1)),
    ("changeuserpassword(", At(1)),
    ("wifi.begin(", At(1)),
    ("ftp(", At(2)),
    ("credentials(", At(3)),
];
/// How many `=` base64 ends in.
const PADDING_MAX: usize = 2;
/// How much of a call is looked at, in bytes.
const CALL_MAX_BYTES: usize = 256;

/// Looks at the arguments of a call.
pub(super) fn find(bytes: &[u8], hit: &Range<usize>) -> Option<Span> {
    let name = bytes[hit.clone()].to_ascii_lowercase();
    let (_, place) = NAMES.iter().find(|(text, _)| text.as_bytes() == name)?;
    let texts = texts(bytes, hit.end);
    let secret = match place {
        At(number) => texts.get(*number).cloned().flatten()?,
        Behind => texts.into_iter().flatten().skip(1).find(|text| is_chosen(&bytes[text.clone()]))?,
        Second => match &texts[..] {
            [Some(_), Some(text)] => text.clone(),
            _ => return None,
        },
    };
    let text = &bytes[secret.clone()];
    (is_surely_secret(text) && !is_code(text)).then_some(())?;
    (text.len() <= JUDGED_MAX_BYTES && !is_placeholder(text) && !is_plain_data(text)).then_some(Span {
        start: secret.start,
        end: secret.end,
        rule: "password",
        rank: Rank::Placed,
    })
}

/// The arguments of a call that are texts, in their places.
fn texts(bytes: &[u8], open_end: usize) -> Vec<Option<Range<usize>>> {
    let limit = bytes.len().min(open_end + CALL_MAX_BYTES);
    work::note(limit - open_end);
    let mut texts = Vec::new();
    let (mut at, mut begin, mut depth) = (open_end, open_end, 0_usize);
    while at < limit {
        if let Some(quote) = Quote::at(bytes, at) {
            let Some(end) = quote.end_before(bytes, at + quote.open_len(), limit) else { return texts };
            at = end + quote.closes_at(bytes, end).unwrap_or(1);
            continue;
        }
        match bytes[at] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth > 0 => depth -= 1,
            b',' | b')' if depth == 0 => {
                texts.push(text(bytes, begin, at));
                begin = at + 1;
                if bytes[at] == b')' {
                    return texts;
                }
            }
            b';' => return texts,
            _ => {}
        }
        at += 1;
    }
    texts
}

/// The text that an argument consists of.
fn text(bytes: &[u8], begin: usize, end: usize) -> Option<Range<usize>> {
    let begin = begin + bytes[begin..end].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let (at, _) = skip_program_text(bytes, begin, Operator::Call);
    let quote = Quote::at(bytes, at).filter(|_| at < end)?;
    let start = at + quote.open_len();
    let inner_end = quote.end_before(bytes, start, end)?;
    let rest = &bytes[(inner_end + quote.closes_at(bytes, inner_end)?).min(end)..end];
    let is_end = rest.iter().all(|byte| byte.is_ascii_whitespace() || *byte == b')');
    // `"…".getBytes()`
    let method = Class::WORD.run_end(rest, 1, CALL_MAX_BYTES);
    let is_bytes = rest.first() == Some(&b'.') && rest.get(method) == Some(&b'(');
    (is_end || is_bytes).then_some(start..inner_end)
}

fn is_code(text: &[u8]) -> bool {
    let padding = text.iter().rev().take(PADDING_MAX).take_while(|byte| **byte == b'=').count();
    text[..text.len() - padding].iter().any(|byte| b"(){}[]<>=,;\\ ".contains(byte))
}

/// Letters, digits and a sign, or drawn: no name of a database is made so.
fn is_chosen(text: &[u8]) -> bool {
    text.len() <= JUDGED_MAX_BYTES
        && (Makeup::of(text).is_surely_secret() || is_complex(text))
        && !is_code(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        let end = text.find('(').unwrap() + 1;
        let (name, _) = NAMES.iter().find(|(name, _)| text[..end].to_lowercase().ends_with(name)).unwrap();
        assert_eq!(
            find(text.as_bytes(), &(end - name.len()..end)).map(|span| &text[span.start..span.end]),
            expect,
            "{text}"
        );
    }

    #[test]
    fn the_last_argument_of_a_login_is_a_password() {
        check("connect(host, \"bob\", \"hun!ter2\")", Some("hun!ter2"));
        check("client.login('bob@x.org', 'hun!ter2')", Some("hun!ter2"));
        check("jwt.sign({ id: [1, 2] }, 'hunter2', { expiresIn: '1h2' })", Some("hunter2"));
        check("hmac.new(b\"hunter2\", msg, sha256)", Some("hunter2"));
        check("connect(\"localhost\", 5432, \"app2\")", None);
        check("login(user, \"hun!ter2\")", None);
        check("connect(\"a\", f(\"hun!ter2\"))", None);
        check("getConnection(url, \"sa\", \"${PASSWORD}\")", None);
    }
}
