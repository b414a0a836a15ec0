//! Keys that move money.

use crate::redact::chars::Class;
use crate::redact::shape::{OPEN, Piece, Shape, run, shape};

const URL64: Class = Class::URL64;
const ALNUM: Class = Class::ALNUM;

pub(super) const SHAPES: &[Shape] = &[
    // Publishable keys (`pk_`) are made to be seen.
    shape(
        "stripe-key",
        &["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
        &[run(Class::WORD, 16, OPEN)],
    )
    .word(),
    shape("stripe-webhook-secret", &["whsec_"], &[run(Class::ANY64, 20, OPEN)]).word(),
    shape("square-token", &["sq0atp-", "sq0csp-", "sq0idp-"], &[run(URL64, 20, OPEN)]).word(),
    shape("square-token", &["EAAA"], &[run(URL64, 56, 62)]).apart().closed().random(),
    shape(
        "braintree-token",
        &[
            "access_token$production$",
            "access_token$sandbox$",
            "access_token%24production%24",
            "access_token%24sandbox%24",
        ],
        &[run(Class::LOWER_ALNUM, 12, 20), Piece::OneOf(&["$", "%24"]), run(Class::LOWER_HEX, 24, OPEN)],
    ),
    shape("paypal-token", &["A21AA", "A23AA"], &[run(URL64, 60, OPEN)]).word(),
    shape(
        "plaid-token",
        &["access-sandbox-", "access-development-", "access-production-"],
        &[run(Class::HEX.or(Class::DASH), 36, 36)],
    ),
    shape("razorpay-key", &["rzp_live_", "rzp_test_"], &[run(ALNUM, 14, 24)]).word(),
    shape("flutterwave-key", &["FLWSECK-", "FLWSECK_TEST-"], &[run(URL64, 12, OPEN)]),
    shape("mollie-key", &["live_", "test_"], &[run(ALNUM, 30, 30)]).word().closed().random(),
    shape("lob-key", &["live_", "test_"], &[run(Class::LOWER_HEX, 35, 35)]).word().closed(),
    shape("easypost-key", &["EZAK", "EZTK"], &[run(ALNUM, 54, 54)]).word().closed(),
    shape("shippo-token", &["shippo_live_", "shippo_test_"], &[run(Class::HEX, 32, OPEN)]),
    shape("duffel-token", &["duffel_live_", "duffel_test_"], &[run(URL64, 32, OPEN)]),
];
