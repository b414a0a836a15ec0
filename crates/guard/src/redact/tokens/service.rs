//! Tokens of shops, trackers, documents, monitoring and other services.

use crate::redact::chars::Class;
use crate::redact::shape::{OPEN, Piece, Shape, run, shape};

const URL64: Class = Class::URL64;
const ALNUM: Class = Class::ALNUM;
const LOWER_HEX: Class = Class::LOWER_HEX;

/// How the token of a run begins: in a form of its own it is recognised wherever a worker prints it.
pub const RUN_TOKEN_PREFIX: &str = "scrun_";

pub(super) const SHAPES: &[Shape] = &[
    shape("run-token", &[RUN_TOKEN_PREFIX], &[run(LOWER_HEX, 32, 32)]).word(),
    shape(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_", "shprt_"],
        &[run(Class::HEX, 24, OPEN)],
    ),
    shape("oauth-code", &["?code=", "&code="], &[run(URL64.or(Class::DOT).or(Class::PERCENT), 20, OPEN)])
        .keep_anchor()
        .random(),
    shape("notion-token", &["ntn_"], &[run(ALNUM, 40, 60)]).word(),
    shape("notion-token", &["secret_"], &[run(ALNUM, 40, 48)]).word().closed().random(),
    shape("airtable-token", &["pat"], &[run(ALNUM, 14, 14), Piece::Text("."), run(LOWER_HEX, 60, OPEN)])
        .word(),
    shape("linear-key", &["lin_api_", "lin_oauth_", "lin_wh_"], &[run(ALNUM, 32, OPEN)]),
    shape(
        "asana-token",
        &["1/1", "2/1", "1%2F1", "2%2F1"],
        &[
            run(Class::DIGIT.or(Class::PLUS_SLASH), 13, 40),
            Piece::OneOf(&[":", "%3A"]),
            run(LOWER_HEX, 32, 32),
        ],
    )
    .word()
    .closed(),
    shape(
        "clickup-token",
        &["pk_"],
        &[run(Class::DIGIT, 6, 10), Piece::Text("_"), run(Class::UPPER_ALNUM, 32, 32)],
    )
    .word()
    .closed(),
    shape("figma-token", &["figd_", "figu_", "figo_", "figuh_", "figoh_"], &[run(URL64, 30, OPEN)]).word(),
    shape("dropbox-token", &["sl."], &[run(URL64, 100, OPEN)]).word(),
    shape("contentful-token", &["CFPAT-"], &[run(URL64, 40, OPEN)]).word(),
    shape("typeform-token", &["tfp_"], &[run(URL64.or(Class::DOT), 40, OPEN)]).word(),
    shape("frameio-token", &["fio-u-"], &[run(URL64, 50, OPEN)]).word(),
    shape("mapbox-secret-token", &["sk.eyJ"], &[run(URL64, 40, 400), Piece::Text("."), run(URL64, 20, OPEN)])
        .word(),
    shape("adobe-secret", &["p8e-", "p8-e-"], &[run(URL64, 32, 40)]).word().closed().random(),
    shape(
        "salesforce-token",
        &["00D"],
        &[run(ALNUM, 12, 15), Piece::OneOf(&["!", "%21"]), run(URL64.or(Class::DOT), 60, OPEN)],
    )
    .word(),
    shape("okta-token", &["SSWS "], &[run(URL64, 38, 46)]).keep_anchor().closed(),
    shape(
        "vercel-token",
        &["vercel_", "vcp_", "vci_", "vca_", "vcr_", "vck_"],
        &[run(Class::WORD, 24, OPEN)],
    )
    .word()
    .random(),
    shape("elastic-key", &["essu_"], &[run(Class::ANY64, 20, OPEN)]).word().random(),
    // Monitoring.
    shape("new-relic-key", &["NRAK-", "NRII-", "NRIQ-", "NRRA-", "NRSP-", "NRAA-"], &[run(URL64, 20, OPEN)])
        .word(),
    shape("new-relic-key", &["FFFFNRAL", "NRAL"], &[]).after(LOWER_HEX, 32, 36).word(),
    shape("sentry-token", &["sntrys_", "sntryu_", "sntryi_"], &[run(Class::ANY64, 40, OPEN)]).word(),
    shape("grafana-token", &["glsa_"], &[run(Class::WORD, 32, OPEN)]).word(),
    shape("grafana-token", &["glc_"], &[run(Class::ANY64, 32, OPEN)]).word(),
    shape("grafana-token", &["eyJrIjoi"], &[run(Class::BASE64.or(Class::EQUALS), 50, OPEN)]).word(),
    shape(
        "dynatrace-token",
        &["dt0c01.", "dt0s16.", "dt0s08."],
        &[run(ALNUM.or(Class::DASH), 8, 24), Piece::Text("."), run(ALNUM, 50, OPEN)],
    )
    .word(),
    shape(
        "honeycomb-key",
        &["hcaik_", "hcaic_", "hcxik_", "hcbik_", "hcalk_", "hcxlk_"],
        &[run(ALNUM, 40, OPEN)],
    )
    .word(),
    shape("posthog-key", &["phx_", "phs_"], &[run(ALNUM, 32, OPEN)]).word(),
    shape(
        "launchdarkly-key",
        &["api-", "sdk-"],
        &[
            run(LOWER_HEX, 8, 8),
            Piece::Text("-"),
            run(LOWER_HEX, 4, 4),
            Piece::Text("-"),
            run(LOWER_HEX.or(Class::DASH), 22, 22),
        ],
    )
    .word()
    .closed(),
    shape("statsig-key", &["secret-"], &[run(ALNUM, 40, 48)]).word().closed().random(),
    shape("stytch-secret", &["secret-live-", "secret-test-"], &[run(URL64, 30, OPEN)]).word(),
    shape("unkey-key", &["unkey_"], &[run(ALNUM, 16, OPEN)]).word().random(),
    shape("inngest-key", &["signkey-prod-", "signkey-test-", "signkey-branch-"], &[run(LOWER_HEX, 32, OPEN)])
        .word(),
    shape("trigger-key", &["tr_dev_", "tr_prod_", "tr_stg_", "tr_pat_"], &[run(ALNUM, 16, OPEN)]).word(),
    shape("authress-key", &["scauth_", "authress_"], &[run(URL64.or(Class::DOT), 60, OPEN)]).word().random(),
    shape("maxmind-key", &["_mmk"], &[]).after(Class::WORD, 34, 40).word(),
    shape("cloudflare-token", &["cfut_", "cfat_", "cfk_"], &[run(ALNUM, 36, OPEN)]).word(),
    shape("snyk-token", &["snyk_uat.", "snyk_sat."], &[run(URL64.or(Class::DOT), 40, OPEN)]).word(),
    shape(
        "linkedin-secret",
        &["WPL_AP1."],
        &[run(ALNUM, 12, 24), Piece::Text("."), run(Class::ANY64, 4, OPEN)],
    )
    .word(),
    shape("adafruit-key", &["aio_"], &[run(ALNUM, 28, 28)]).word().closed().random(),
    shape("paseto-token", &["v1.local.", "v2.local.", "v3.local.", "v4.local."], &[run(URL64, 60, OPEN)])
        .word(),
    // An application of 42.
    shape("intra-secret", &["s-s4t2ud-", "s-s4t2af-"], &[run(LOWER_HEX, 64, 64)]).word(),
    shape("apify-token", &["apify_api_"], &[run(ALNUM, 30, OPEN)]),
    shape("sanity-token", &["skE", "skA"], &[run(ALNUM, 140, OPEN)]).word(),
];
