//! Numbers in a byte string.

use super::Damaged;

/// Appends a number in as few bytes as it needs, seven bits each.
pub(super) fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes such a number off the front.
pub(super) fn take_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for shift in [0, 7, 14, 21, 28] {
        let (&first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(first & 0x7f).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// The four bytes at a place.
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Damaged> {
    let four = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    four.map(|four| u32::from_le_bytes(*four)).ok_or(Damaged("it ends too early"))
}

/// The eight bytes at a place, as a length or a place.
pub(super) fn place_at(bytes: &[u8], at: usize) -> Result<usize, Damaged> {
    let eight = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>());
    let number = eight.map(|eight| u64::from_le_bytes(*eight)).ok_or(Damaged("it ends too early"))?;
    usize::try_from(number).map_err(|_| Damaged("a number in it is too large"))
}
