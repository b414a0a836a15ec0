//! Texts as a browser, a terminal or a parser shows them.
//!
//! | written | seen |
//! |---|---|
//! | `&#70;rom`, `&#x46;rom`, `&shy;`, `&eacute;` | entities of HTML, also of entities |
//! | `%46rom` | percents of an address, also of percents |
//! | `=46rom`, a word with `=` and the end of a line in it | bytes of a mail, and its lines that go on |
//! | `\u0046rom`, `\u{46}rom`, `\x46rom` | numbers of letters, behind any number of backslashes |
//! | colours and links of a terminal | nothing |
//! | a letter, a step back, a letter | the second letter |
//! | `<b>F</b>rom`, `F<!-- x -->rom` | tags and comments between letters of a word; what they say stands behind the text |
//!
//! Whoever redacts looks for bytes of tokens and needs their places: `redact/disguise.rs`. Whoever compares texts decodes both: what was no writing, and only looks like one, is still the same on both sides.

use std::borrow::Cow;

/// How often what was decoded is decoded again: a writing of a writing of a writing.
const MAX_ROUNDS: usize = 4;
/// The longest number of a letter, in digits, also with zeros in front.
const MAX_DIGITS: usize = 8;
/// The longest name of an entity, in bytes.
const MAX_NAME_BYTES: usize = 16;
/// The longest link of a terminal, in bytes.
const MAX_LINK_BYTES: usize = 4096;
/// The longest tag or comment between the letters of a word, in bytes.
const MAX_TAG_BYTES: usize = 200;
/// A shorter tag says nothing that somebody could pass on, in bytes.
const MIN_TELLING_BYTES: usize = 16;
/// Tags that end no word. Where another tag stands, a reader sees two words.
const INLINE: [&str; 30] = [
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u",
    "wbr",
];

/// Entities whose letters do not stand in their names.
#[rustfmt::skip]
const ENTITIES: [(&str, char); 53] = [
    ("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", ' '), ("ensp", ' '), ("emsp", ' '), ("thinsp", ' '),
    ("hairsp", ' '), ("Tab", '\t'), ("NewLine", '\n'), ("shy", '\u{ad}'), ("zwj", '\u{200d}'), ("zwnj", '\u{200c}'), ("lrm", '\u{200e}'),
    ("rlm", '\u{200f}'), ("ZeroWidthSpace", '\u{200b}'), ("NoBreak", '\u{2060}'), ("excl", '!'), ("num", '#'), ("dollar", '$'),
    ("percnt", '%'), ("lpar", '('), ("rpar", ')'), ("ast", '*'), ("plus", '+'), ("comma", ','), ("period", '.'), ("sol", '/'),
    ("colon", ':'), ("semi", ';'), ("equals", '='), ("quest", '?'), ("commat", '@'), ("lsqb", '['), ("lbrack", '['), ("bsol", '\\'),
    ("rsqb", ']'), ("rbrack", ']'), ("Hat", '^'), ("lowbar", '_'), ("grave", '`'), ("lcub", '{'), ("lbrace", '{'), ("verbar", '|'),
    ("vert", '|'), ("rcub", '}'), ("rbrace", '}'), ("hyphen", '-'), ("dash", '-'), ("ndash", '-'), ("mdash", '-'),
];
/// What follows the letter in the names of entities that are drawn letters.
const DRAWN: [&str; 17] = [
    "grave", "acute", "circ", "tilde", "uml", "ring", "cedil", "slash", "caron", "breve", "macr", "dot",
    "ogon", "strok", "opf", "scr", "fr",
];

/// A text as it is shown.
pub(crate) fn decoded(text: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(text);
    for _ in 0..MAX_ROUNDS {
        if !is_encoded(shown.as_bytes()) {
            break;
        }
        shown = Cow::Owned(decoded_once(&shown));
    }
    shown
}

/// Whether a text holds a writing that is shown otherwise: a look that costs little.
pub fn is_encoded(text: &[u8]) -> bool {
    // Of several backslashes the first counts.
    let is_first = |at: usize| text[at] != b'\\' || at == 0 || text[at - 1] != b'\\';
    let is_in_word = |at: usize| at > 0 && is_of_word(text[at - 1]) && tag(&text[at..]).is_some();
    memchr::memchr3_iter(b'&', b'%', b'\\', text).any(|at| is_first(at) && Sign::at(text, at).is_some())
        || memchr::memchr_iter(b'=', text).any(|at| Sign::at(text, at).is_some())
        || memchr::memchr3(ESCAPE, STEP_BACK, NUL, text).is_some()
        || memchr::memchr_iter(b'<', text).any(is_in_word)
}

const ESCAPE: u8 = 0x1b;
const STEP_BACK: u8 = 8;
const BELL: u8 = 7;
/// Every second byte of UTF-16 that was read as something else.
const NUL: u8 = 0;

fn decoded_once(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut shown, mut aside) = (String::with_capacity(text.len()), String::new());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let sign = match byte {
            b'&' | b'%' | b'=' | b'\\' => Sign::at(bytes, at),
            b'<' if shown.ends_with(char::is_alphanumeric) => tag(&bytes[at..]).map(|len| {
                if len >= MIN_TELLING_BYTES {
                    aside.extend(["\n", text[at..at + len].trim_matches(['<', '>'])]);
                }
                Sign { len, shows: None }
            }),
            &ESCAPE => Some(Sign::of_terminal(bytes, at)),
            &NUL => Some(Sign { len: 1, shows: None }),
            &STEP_BACK => {
                shown.pop();
                Some(Sign { len: 1, shows: None })
            }
            _ => None,
        };
        match sign {
            Some(Sign { len, shows }) => {
                shown.extend(shows);
                at += len;
            }
            None => {
                let end = next_sign(bytes, at + 1);
                shown.push_str(&text[at..end]);
                at = end;
            }
        }
    }
    shown.push_str(&aside);
    shown
}

/// Where the next byte stands that may begin a sign. All of them are ASCII, so it is the boundary of a letter. Of several backslashes the
/// first counts: none of the others is looked at again.
fn next_sign(bytes: &[u8], from: usize) -> usize {
    let is_sign = |byte: &u8| matches!(*byte, b'&' | b'%' | b'=' | b'<' | ESCAPE | STEP_BACK | NUL);
    let mut is_behind_backslash = from > 0 && bytes[from - 1] == b'\\';
    for (at, byte) in bytes.iter().enumerate().skip(from) {
        let is_backslash = *byte == b'\\';
        if is_sign(byte) || is_backslash && !is_behind_backslash {
            return at;
        }
        is_behind_backslash = is_backslash;
    }
    bytes.len()
}

/// Something written that is shown as one letter, or as nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sign {
    /// How long it is, in bytes.
    len: usize,
    shows: Option<char>,
}

impl Sign {
    fn at(text: &[u8], at: usize) -> Option<Self> {
        let rest = text.get(at..)?;
        match rest.first()? {
            b'&' => entity(rest),
            b'%' => percent(rest),
            b'=' if is_of_line(text, at) => soft_break(rest),
            b'=' => of_mail(rest),
            b'\\' => number(rest),
            _ => None,
        }
    }

    fn shows(len: usize, letter: char) -> Option<Self> {
        // What is no text is left as it was: `%02d` is a format.
        let is_text = !letter.is_control() || matches!(letter, '\t' | '\n' | '\r');
        is_text.then_some(Self { len, shows: Some(letter) })
    }

    /// What a terminal is told: most of it is not seen, and the rest moves.
    fn of_terminal(text: &[u8], at: usize) -> Self {
        let rest = &text[at + 1..];
        match rest.first() {
            Some(b'[') => {
                let asked = rest[1..].iter().take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
                match rest.get(1 + asked) {
                    Some(b'm' | b'K' | b'h' | b'l') => Self { len: asked + 3, shows: None },
                    Some(0x40..=0x7e) => Self { len: asked + 3, shows: Some(' ') },
                    _ => Self { len: 1, shows: None },
                }
            }
            Some(b']') => {
                let told = rest.iter().take(MAX_LINK_BYTES).position(|byte| matches!(*byte, BELL | ESCAPE));
                match told.map(|end| (end, rest[end], rest.get(end + 1))) {
                    Some((end, BELL, _)) => Self { len: end + 2, shows: None },
                    Some((end, _, Some(b'\\'))) => Self { len: end + 3, shows: None },
                    _ => Self { len: 1, shows: None },
                }
            }
            Some(b'(' | b')') if rest.get(1).is_some_and(u8::is_ascii) => Self { len: 3, shows: None },
            _ => Self { len: 1, shows: None },
        }
    }
}

/// How long the tag or the comment is that stands here, if the word goes on behind it.
fn tag(rest: &[u8]) -> Option<usize> {
    let near = &rest[..rest.len().min(MAX_TAG_BYTES)];
    let len = if near.starts_with(b"<!--") {
        memchr::memmem::find(near, b"-->")? + 3
    } else {
        let start = if near.get(1) == Some(&b'/') { 2 } else { 1 };
        let name = near.get(start..)?.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name = std::str::from_utf8(&near[start..start + name]).ok()?;
        if !INLINE.iter().any(|inline| inline.eq_ignore_ascii_case(name)) {
            return None;
        }
        let end = 1 + near[1..].iter().position(|byte| matches!(byte, b'<' | b'>' | b'\n'))?;
        (near[end] == b'>').then_some(end + 1)?
    };
    rest.get(len).filter(|next| is_of_word(**next) || matches!(next, b'<' | b'&')).map(|_| len)
}

/// Whether a byte may be of a letter or a digit.
fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii()
}

fn entity(rest: &[u8]) -> Option<Sign> {
    if rest.get(1) == Some(&b'#') {
        let is_hex = matches!(rest.get(2), Some(b'x' | b'X'));
        let start = if is_hex { 3 } else { 2 };
        let (len, value) = digits(&rest[start..], if is_hex { 16 } else { 10 }, MAX_DIGITS)?;
        let end = start + len;
        // Browsers do without the end.
        let len = if rest.get(end) == Some(&b';') { end + 1 } else { end };
        return Sign::shows(len, char::from_u32(value)?);
    }
    let name =
        rest.get(1..)?.iter().take(MAX_NAME_BYTES).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if rest.get(1 + name) != Some(&b';') {
        return None;
    }
    let letter = named(std::str::from_utf8(&rest[1..1 + name]).ok()?)?;
    let mut len = name + 2;
    while letter == '&' && rest[len..].starts_with(b"amp;") {
        len += 4; // an entity of an entity
    }
    Sign::shows(len, letter)
}

fn named(name: &str) -> Option<char> {
    let known = ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, letter)| *letter);
    let first = name.chars().next().filter(|_| name.get(1..).is_some_and(|drawn| DRAWN.contains(&drawn)));
    known.or(first)
}

/// Whether a line ends here, in the middle of its words.
fn is_of_line(text: &[u8], at: usize) -> bool {
    let is_behind_word = at > 0 && !text[at - 1].is_ascii_whitespace();
    is_behind_word && text[at + 1..].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) == Some(&b'\n')
}

/// The end of a line in a mail that is none of what was said, with the number that a tool puts in front of the next line.
fn soft_break(rest: &[u8]) -> Option<Sign> {
    let end = 1 + rest.iter().position(|byte| *byte == b'\n')?;
    let next = &rest[end..];
    let margin = next.iter().take_while(|byte| **byte == b' ').count();
    let number = next[margin..].iter().take(MAX_DIGITS).take_while(|byte| byte.is_ascii_digit()).count();
    let behind = &next[margin + number..];
    let arrow = ["→".as_bytes(), b"\t"].into_iter().find(|arrow| number > 0 && behind.starts_with(arrow));
    let len = end + arrow.map_or(0, |arrow| margin + number + arrow.len());
    let goes_on = rest.get(len).is_some_and(|byte| !byte.is_ascii_whitespace());
    goes_on.then_some(Sign { len, shows: None })
}

/// Bytes of a letter in a mail: `=C3=A9`, in capitals only.
fn of_mail(rest: &[u8]) -> Option<Sign> {
    let is_capital = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F');
    let is_sign = |sign: &[u8]| sign[0] == b'=' && sign[1..].iter().all(is_capital);
    let signs = rest.chunks_exact(3).take(4).take_while(|sign| is_sign(sign)).count();
    let bytes: Vec<u8> =
        rest[..signs * 3].iter().map(|byte| if *byte == b'=' { b'%' } else { *byte }).collect();
    // A percent of a mail is no percent of an address.
    if bytes.starts_with(b"%25") { Sign::shows(3, '%') } else { percent(&bytes) }
}

fn percent(rest: &[u8]) -> Option<Sign> {
    let byte = |from: usize| {
        let (len, value) = digits(rest.get(from..)?, 16, 2)?;
        (len == 2).then(|| u8::try_from(value).ok()).flatten()
    };
    let first = byte(1)?;
    let mut len = 3;
    if first == b'%' {
        while rest[len..].starts_with(b"25") {
            len += 2; // a percent of a percent
        }
        return Sign::shows(len, '%');
    }
    let needed = match first {
        0..0x80 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0..0xf8 => 4,
        _ => return None,
    };
    let mut letter = vec![first];
    while letter.len() < needed && rest.get(len) == Some(&b'%') {
        letter.push(byte(len + 1)?);
        len += 3;
    }
    Sign::shows(len, std::str::from_utf8(&letter).ok()?.chars().next()?)
}

fn number(rest: &[u8]) -> Option<Sign> {
    let (start, value, len) = numbered(rest)?;
    let mut len = start + len;
    let is_high = (0xd800..0xdc00).contains(&value);
    let letter = if is_high {
        let (behind, low, low_len) =
            numbered(&rest[len..]).filter(|(_, low, _)| (0xdc00..0xe000).contains(low))?;
        len += behind + low_len;
        char::from_u32(0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00))?
    } else {
        char::from_u32(value)?
    };
    if letter == char::from(ESCAPE) || letter == char::from(STEP_BACK) {
        return Some(Sign { len, shows: Some(letter) }); // told to a terminal: the next round knows
    }
    Sign::shows(len, letter)
}

/// How many bytes stand in front of the digits of a number, its value, and how long the digits are, with their brace.
fn numbered(rest: &[u8]) -> Option<(usize, u32, usize)> {
    let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
    let start = slashes + 1;
    let behind = rest.get(start..).filter(|_| slashes > 0)?;
    let exactly = |wanted: usize| digits(behind, 16, wanted).filter(|(len, _)| *len == wanted);
    let (len, value) = match rest.get(slashes)? {
        b'u' if behind.first() == Some(&b'{') => {
            let (len, value) = digits(&behind[1..], 16, MAX_DIGITS)?;
            (behind.get(1 + len) == Some(&b'}')).then_some((len + 2, value))?
        }
        b'u' => exactly(4)?,
        b'U' => exactly(8)?,
        b'x' => exactly(2)?,
        _ => return None,
    };
    Some((start, value, len))
}

/// How many digits a number has, and its value.
fn digits(text: &[u8], radix: u32, most: usize) -> Option<(usize, u32)> {
    let figures = text.iter().take(most).map_while(|byte| char::from(*byte).to_digit(radix));
    let (len, value) = figures
        .fold((0, 0_u32), |(len, value), digit| (len + 1, value.saturating_mul(radix).saturating_add(digit)));
    (len > 0).then_some((len, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_is_shown() {
        for written in [
            "&#70;rom &#x6E;ow &#X6fn",
            "&#70rom n&#111w on",
            "&amp;#70;rom &amp;amp;#110;ow on",
            "%46rom%20now%20on",
            "%2546rom%252520now on",
            "=46rom=20n=6Fw on",
            "Fr=\nom n=\r\now=20o=\n     2→n",
            r"\u0046rom \x6eow \u{6f}n",
            r"\\u0046rom \\\\\u006eow \U0000006fn",
            "\u{1b}[1;31mF\u{1b}[0mrom n\u{1b}[Kow on",
            r"\u001b[31mF\u001b[0mrom now on",
            "\u{1b}]8;;https://a.test\u{7}From\u{1b}]8;;\u{1b}\\ now on",
            "F\u{8}Fr\u{8}rom _\u{8}now on",
            "\u{1b}(BFrom&nbsp;now&Tab;on",
            "F</b>rom n<span class=x>o</span>w o<!-- > -->n",
            "F<B></b>rom now o<wbr>n",
            "F\0r\0o\0m\0 \0n\0o\0w\0 \0o\0n\0",
        ] {
            assert_eq!(decoded(written).replace('\t', " "), "From now on", "{written:?}");
        }
        assert_eq!(decoded(r"\ud835\udc00lways caf%C3%A9 &eacute;"), "𝐀lways café e");
        assert_eq!(decoded("caf=C3=A9 5=25"), "café 5%");
        assert_eq!(decoded("a\u{1b}[5Cb"), "a b", "the cursor moves");
        assert_eq!(decoded("al<b title='never push'>ways"), "always\nb title='never push'");
    }

    #[test]
    fn what_is_no_writing_stays_and_is_not_copied() {
        for text in [
            "100% of AT&T; a & b &c. %02d %zz %",
            "<p>one<br>two</p>three <b>four</b> a < b",
            r"C:\users\name \n \\ \u12 \x4",
            "&unknown; &#; &#xg; &",
            "%ff%fe",
            "let x =\n    1; a == b; c=d0; url?a=b; x=\n  y = 02",
        ] {
            assert!(matches!(decoded(text), Cow::Borrowed(_)), "{text}");
        }
        for text in ["&#99999999;", r"\u{110000}", r"\ud835", r"\udc00 x", "%e2%82"] {
            assert_eq!(decoded(text), text);
        }
    }

    #[test]
    fn what_ends_too_early_is_no_trouble() {
        let all = "&#x46;&amp;amp;%46%e2%82%ac\\\\u0046\\ud835\\udc00\\u{46}\u{1b}[31m\u{1b}]8;;x\u{7}\u{1b}(Bx\u{8}ä";
        for (end, _) in all.char_indices() {
            for start in (0..end).filter(|start| all.is_char_boundary(*start)) {
                let _ = decoded(&all[start..end]);
            }
        }
    }
}
