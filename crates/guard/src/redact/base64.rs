//! Decodes base64 in either alphabet, to look inside. No crate for thirty lines.

/// Decodes; `None` for anything that is not base64. Bits that are left over at the end are dropped.
pub(super) fn decode(encoded: &[u8]) -> Option<Vec<u8>> {
    let padding = encoded.iter().rev().take_while(|byte| **byte == b'=').count();
    let body = &encoded[..encoded.len() - padding];
    if padding > 2 || body.len() % 4 == 1 {
        return None;
    }
    let mut decoded = Vec::with_capacity(body.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in body {
        bits = (bits << 6) | u32::from(sextet(*byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(decoded)
}

fn sextet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// The characters that every base64 text holds whose plain text holds `plain` at `offset` (mod 3): those that
/// depend on `plain` alone.
pub(super) fn fixed_part(plain: &[u8], offset: usize) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |at: usize| {
        let byte = plain[at / 8];
        (byte >> (7 - at % 8)) & 1
    };
    let lead_bits = offset % 3 * 8;
    let skipped = (6 - lead_bits % 6) % 6;
    let mut text = String::new();
    let mut at = skipped;
    while at + 6 <= plain.len() * 8 {
        let value = (at..at + 6).fold(0, |value, position| value << 1 | bit(position));
        text.push(char::from(ALPHABET[usize::from(value)]));
        at += 6;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_are_decoded() {
        assert_eq!(decode(b"dXNlcjpwYXNz").unwrap(), b"user:pass");
        assert_eq!(decode(b"dXNlcg==").unwrap(), b"user");
        assert_eq!(decode(b"-_-_").unwrap(), decode(b"+/+/").unwrap());
        assert_eq!(decode(b"a"), None);
        assert_eq!(decode(b"ab!d"), None);
    }

    #[test]
    fn the_fixed_part_is_found_at_every_offset() {
        // "x", "xx" and "xxx" before "secret"
        assert_eq!(fixed_part(b"secret", 0), "c2VjcmV0");
        assert!("eHNlY3JldA==".contains(&fixed_part(b"secret", 1)));
        assert!("eHhzZWNyZXQ=".contains(&fixed_part(b"secret", 2)));
    }
}
