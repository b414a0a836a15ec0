//! Cryptographic keys that have a form of their own. Armoured blocks are in `pem`.

use crate::redact::chars::Class;
use crate::redact::shape::{OPEN, Piece, Shape, run, shape};

const ALNUM: Class = Class::ALNUM;
/// Hashes of passwords are made of this.
const CRYPT: Class = Class::BASE64.or(Class::DOT).or(Class::DOLLAR).or(Class::EQUALS).or(Class::COMMA);

pub(super) const SHAPES: &[Shape] = &[
    shape("age-secret-key", &["AGE-SECRET-KEY-"], &[run(Class::UPPER_ALNUM.or(Class::DASH), 50, OPEN)]),
    shape("extended-private-key", &["xprv", "yprv", "zprv", "tprv", "uprv", "vprv"], &[run(ALNUM, 100, 112)])
        .word()
        .closed(),
    // Whoever has the hash of a password can try passwords until one fits.
    shape("password-hash", &["$2a$", "$2b$", "$2y$"], &[run(CRYPT, 50, 60)]),
    shape(
        "password-hash",
        &["$5$", "$6$", "$y$", "$7$", "$argon2", "$scrypt$", "$pbkdf2"],
        &[run(CRYPT.or(Class::DASH), 40, 200)],
    ),
    shape(
        "tor-secret-key",
        &["ed25519v1-secret: type0 =="],
        &[Piece::OneOf(&["\n", "\\n", " "]), run(Class::ANY64, 24, OPEN)],
    )
    .keep_anchor(),
    shape("tor-secret-key", &["ED25519-V3:"], &[run(Class::ANY64, 60, OPEN)]).keep_anchor(),
    shape("tor-secret-key", &["descriptor:x25519:"], &[run(Class::UPPER_ALNUM, 52, 52)]).keep_anchor(),
    shape("nostr-secret-key", &["nsec1"], &[run(Class::LOWER_ALNUM, 58, 58)]).word().closed(),
];
