//! Cryptographic keys that have a form of their own. Armoured blocks are in `pem`.

use crate::redact::chars::Class;
use crate::redact::shape::{OPEN, Piece, Shape, run, shape};

const ALNUM: Class = Class::ALNUM;
/// Hashes of passwords are made of this.
const SALT: Class = Class::BASE64.or(Class::DOT);
const CRYPT: Class = SALT.or(Class::DOLLAR).or(Class::EQUALS).or(Class::COMMA);

pub(super) const SHAPES: &[Shape] = &[
    shape("age-secret-key", &["AGE-SECRET-KEY-"], &[run(Class::UPPER_ALNUM.or(Class::DASH), 50, OPEN)]),
    shape("extended-private-key", &["xprv", "yprv", "zprv", "tprv", "uprv", "vprv"], &[run(ALNUM, 100, 112)])
        .word()
        .closed(),
    // Whoever has the hash of a password can try passwords until one fits.
    shape("password-hash", &["$2a$", "$2b$", "$2y$"], &[run(CRYPT, 50, 60)]),
    shape(
        "password-hash",
        &["$5$", "$6$", "$y$", "$gy$", "$7$", "$8$", "$9$", "$argon2", "$scrypt$", "$pbkdf2"],
        &[run(CRYPT.or(Class::DASH), 40, 200)],
    ),
    shape(
        "password-hash",
        &["$1$", "$apr1$", "$apr1$$", "$1$$"],
        &[run(SALT, 1, 8), Piece::OneOf(&["$$", "$"]), run(SALT, 22, 22)],
    ),
    shape("password-hash", &["$P$", "$H$"], &[run(SALT, 31, 31)]).random(),
    shape("password-hash", &["$S$"], &[run(SALT, 52, 52)]).random(),
    shape(
        "password-hash",
        &["{SHA}", "{SSHA}", "{SSHA256}", "{SSHA512}", "{SHA256}", "{SHA512}", "{SMD5}", "{MD5}", "{CRYPT}"],
        &[run(CRYPT, 22, 200)],
    )
    .keep_anchor(),
    // Django, Werkzeug, PostgreSQL, GRUB.
    shape(
        "password-hash",
        &["pbkdf2_sha256$", "pbkdf2_sha1$", "pbkdf2:sha256:", "pbkdf2:sha512:", "scrypt:", "bcrypt_sha256$$"],
        &[run(Class::DIGIT.or(Class::COLON), 4, 20), Piece::Text("$"), run(CRYPT, 40, 200)],
    ),
    shape(
        "password-hash",
        &["SCRAM-SHA-256$"],
        &[run(Class::DIGIT, 4, 8), Piece::Text(":"), run(CRYPT.or(Class::COLON), 60, 200)],
    ),
    shape("password-hash", &["md5"], &[run(Class::LOWER_HEX, 32, 32)]).word().closed(),
    shape(
        "password-hash",
        &["grub.pbkdf2.sha512."],
        &[run(Class::DIGIT, 3, 8), Piece::Text("."), run(Class::HEX.or(Class::DOT), 100, OPEN)],
    ),
    // What Windows stores instead of the hash of an older sort, and the hash behind it.
    shape("password-hash", &["aad3b435b51404eeaad3b435b51404ee:"], &[run(Class::HEX, 32, 32)]).closed(),
    shape(
        "tor-secret-key",
        &["ed25519v1-secret: type0 =="],
        &[Piece::OneOf(&["\n", "\\n", " "]), run(Class::ANY64, 24, OPEN)],
    )
    .keep_anchor(),
    shape("tor-secret-key", &["ED25519-V3:"], &[run(Class::ANY64, 60, OPEN)]).keep_anchor(),
    shape("tor-secret-key", &["descriptor:x25519:"], &[run(Class::UPPER_ALNUM, 52, 52)]).keep_anchor(),
    // The first bytes say what it is for and how it is encrypted; a public key is far shorter.
    shape("minisign-secret-key", &["RWRTY0Iy", "RWQAAEIy"], &[run(Class::BASE64, 180, OPEN)]).word(),
    shape("signify-secret-key", &["RWRCSwAAA"], &[run(Class::BASE64, 110, OPEN)]).word(),
    // Seeds of NATS: of a user, an account, an operator.
    shape("nats-seed", &["SUA", "SAA", "SOA"], &[run(Class::UPPER_ALNUM, 55, 55)]).word().closed().random(),
    shape("nostr-secret-key", &["nsec1"], &[run(Class::LOWER_ALNUM, 58, 58)]).word().closed(),
];
