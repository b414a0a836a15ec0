//! Letters that look like others: texts are compared as a reader sees them.
//!
//! What is wide, bold, circled, small or accented becomes the plain letter (Unicode's compatibility forms, without their marks), and so do the
//! letters of other alphabets that look like one. What is not seen is left out. A text in another alphabet changes, too; two that are the
//! same stay the same. Entities, percents, numbers of letters and colours come first, see [`crate::decoded`].

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::decoded::{decoded, is_encoded};

/// Letters that look like others, and those others.
const LOOK_ALIKES: [(&str, &str); 4] = [
    ("АВЕЅІЈКМНОРСТУХаеѕіјорсухһԁԛԝӏѵкмтвн", "ABESIJKMHOPCTYXaesijopcyxhdqwlvkmtbh"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαγικνορτυχϲ", "ABEZHIKMNOPTYXayikvoptuxc"),
    ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"),
    ("ɑɡıȷⅼƖłŁøØđĐħ", "agijlIlLoOdDh"),
];
/// Alphabets without a compatibility form: in brackets, white on black, as flags.
const ALPHABETS: [(char, char); 4] = [
    ('\u{249c}', '\u{24b5}'),
    ('\u{1f150}', '\u{1f169}'),
    ('\u{1f170}', '\u{1f189}'),
    ('\u{1f1e6}', '\u{1f1ff}'),
];

/// A text as a reader sees it.
pub fn folded(text: &str) -> Cow<'_, str> {
    let text = decoded(text);
    if !is_drawn(&text) {
        return text;
    }
    // No letter changes across an ASCII one, and most are ASCII.
    let mut seen = String::with_capacity(text.len());
    let mut rest = &*text;
    while !rest.is_empty() {
        let (plain, others) = split_where(rest, |c| !c.is_ascii());
        let (drawn, behind) = split_where(others, |c| c.is_ascii());
        seen.push_str(plain);
        seen.extend(redrawn(drawn));
        rest = behind;
    }
    Cow::Owned(seen)
}

/// A text, cut before the first letter of a kind.
fn split_where(text: &str, is_it: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(is_it).unwrap_or(text.len()))
}

/// The plain letters of those that look like others.
fn redrawn(text: &str) -> impl Iterator<Item = char> {
    let seen = text.chars().filter(|c| !is_unseen(*c)).map(plain);
    seen.nfkd().filter(|c| c.is_ascii() || !is_combining_mark(*c)).map(plain)
}

/// Whether a text may read otherwise than it is written.
pub fn has_look_alikes(text: &str) -> bool {
    is_drawn(text) || is_encoded(text.as_bytes())
}

/// Whether a text has letters that look like others.
fn is_drawn(text: &str) -> bool {
    let may_look = |c: char| {
        !c.is_ascii() && (c.is_alphanumeric() || is_unseen(c) || is_combining_mark(c) || plain(c) != c)
    };
    !text.is_ascii() && text.chars().any(may_look)
}

/// The plain letter that one looks like.
fn plain(letter: char) -> char {
    if letter.is_ascii() {
        return letter;
    }
    let of_alphabet = ALPHABETS.iter().find(|(first, last)| (*first..=*last).contains(&letter));
    if let Some((first, _)) = of_alphabet {
        let at = (u32::from(letter) - u32::from(*first)) as u8;
        return char::from(b'a' + at);
    }
    static LETTERS: LazyLock<HashMap<char, char>> = LazyLock::new(|| {
        LOOK_ALIKES.iter().flat_map(|(these, those)| these.chars().zip(those.chars())).collect()
    });
    LETTERS.get(&letter).copied().unwrap_or(letter)
}

/// What is there and not seen: no width, no ink, or only another direction.
fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_the_same_however_its_letters_are_drawn() {
        for drawn in [
            "Always use pnpm",
            "Ａｌｗａｙｓ　ｕｓｅ　ｐｎｐｍ",
            "𝐀𝐥𝐰𝐚𝐲𝐬 𝓾𝓼𝓮 𝚙𝚗𝚙𝚖",
            "Ⓐⓛⓦⓐⓨⓢ ⓤⓢⓔ ⓟⓝⓟⓜ",
            "🅐🅛🅦🅐🅨🅢 🆄🆂🅴 ⒫⒩⒫⒨",
            "ᴀʟᴡᴀʏꜱ ᴜꜱᴇ ᴘɴᴘᴍ",
            "Аlwауs usе рnрm",
            "Αlwαys υse ρnρm",
            "Al\u{200b}ways\u{2060} u\u{ad}se p\u{e0041}npm",
            "Álwàys ûse pnp\u{301}m",
            "Alwa\u{301}ys use pnpm",
        ] {
            assert_eq!(folded(drawn).to_lowercase(), "always use pnpm", "{drawn}");
        }
    }

    #[test]
    fn what_has_no_look_alikes_is_not_copied() {
        for text in ["Always use pnpm", "12→fn main() … “quoted” – ✓ 🎉"] {
            assert!(matches!(folded(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn every_look_alike_has_its_letter() {
        for (these, those) in LOOK_ALIKES {
            assert_eq!(these.chars().count(), those.chars().count(), "{these}");
        }
    }
}
