//! Addresses of pages, compared by where they lead.

use std::fmt;

use url::Url;

use crate::limits::Malformed;

/// The longest address, in bytes.
const MAX_URL_BYTES: usize = 2_048;

/// Where a URL leads: scheme and host in small letters, no usual port, no fragment. Two spellings of one page are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WebAddress(String);

impl WebAddress {
    /// Reads a URL; `field` names it in messages.
    pub fn parse(field: &'static str, text: &str) -> Result<Self, Malformed> {
        if text.len() > MAX_URL_BYTES {
            return Err(Malformed::TooLong { field, len_bytes: text.len(), max_bytes: MAX_URL_BYTES });
        }
        // The parser would drop some of these in silence.
        let is_clean = !text.chars().any(|letter| letter.is_control() || letter.is_whitespace());
        let url = Url::parse(text).ok().filter(|url| is_clean && matches!(url.scheme(), "http" | "https"));
        let mut url = url.filter(Url::has_host).ok_or_else(|| Malformed::not_a_url(field, text))?;
        url.set_fragment(None);
        Ok(Self(url.into()))
    }

    /// The addresses that a text mentions.
    pub(crate) fn mentioned(text: &str) -> impl Iterator<Item = Self> + '_ {
        let ends_it = |letter: char| letter.is_whitespace() || "<>\"'`()[]{}|".contains(letter);
        text.split(ends_it).filter(|word| word.contains("://")).filter_map(|word| {
            let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
            WebAddress::parse("text", word).ok()
        })
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_page_are_one_address() {
        let parse = |text| WebAddress::parse("url", text).unwrap();
        for spelling in [
            "https://A.example/x",
            "HTTPS://a.example:443/x",
            "https://a.example/x#top",
            "https://a.example/./x",
        ] {
            assert_eq!(parse(spelling), parse("https://a.example/x"), "{spelling}");
        }
        assert_ne!(parse("https://a.example/x"), parse("https://a.example/xy"));
        assert_ne!(parse("https://a.example/x"), parse("http://a.example/x"));
    }

    #[test]
    fn what_is_no_address_of_a_page_is_refused() {
        for text in [
            "",
            "a.example",
            "ftp://a.example/",
            "https://",
            "javascript:alert(1)",
            "https://a.example/ x",
            "https://a\n.example/",
        ] {
            assert!(WebAddress::parse("url", text).is_err(), "{text}");
        }
        assert!(WebAddress::parse("url", &format!("https://a.example/{}", "x".repeat(2_048))).is_err());
    }

    #[test]
    fn addresses_in_a_text_are_found() {
        let found: Vec<_> =
            WebAddress::mentioned("see (https://a.example/x), or https://b.example/y. Not c.example")
                .collect();
        assert_eq!(
            found.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["https://a.example/x", "https://b.example/y"]
        );
    }
}
