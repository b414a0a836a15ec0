//! Cryptographic keys that have a form of their own. Armoured blocks are in `pem`.

use crate::redact::chars::Class;
use crate::redact::shape::{OPEN, Shape, run, shape};

const ALNUM: Class = Class::ALNUM;

pub(super) const SHAPES: &[Shape] = &[
    shape("age-secret-key", &["AGE-SECRET-KEY-"], &[run(Class::UPPER_ALNUM.or(Class::DASH), 50, OPEN)]),
    shape("extended-private-key", &["xprv", "yprv", "zprv", "tprv", "uprv", "vprv"], &[run(ALNUM, 100, 112)])
        .word()
        .closed(),
    shape("nostr-secret-key", &["nsec1"], &[run(Class::LOWER_ALNUM, 58, 58)]).word().closed(),
];
