//! Credentials of clouds, hosting, infrastructure and secret stores.

use crate::redact::chars::Class;
use crate::redact::shape::{OPEN, Piece, Shape, run, shape};

const URL64: Class = Class::URL64;
const ALNUM: Class = Class::ALNUM;
const LOWER_HEX: Class = Class::LOWER_HEX;
const VAULT: Class = URL64.or(Class::DOT);

pub(super) const SHAPES: &[Shape] = &[
    shape("aws-access-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], &[run(Class::UPPER_ALNUM, 16, 16)])
        .word()
        .closed(),
    shape(
        "aws-session-token",
        &["IQoJb3JpZ2luX2Vj", "FwoGZXIvYXdz", "FQoGZXIvYXdz"],
        &[run(Class::BASE64.or(Class::EQUALS).or(Class::PERCENT), 40, OPEN)],
    ),
    shape("aws-bedrock-key", &["ABSK"], &[run(Class::BASE64.or(Class::EQUALS).or(Class::PERCENT), 90, OPEN)])
        .word(),
    shape("aws-bedrock-key", &["bedrock-api-key-"], &[run(Class::ANY64, 40, OPEN)]),
    shape("aws-mws-token", &["amzn.mws."], &[run(Class::HEX.or(Class::DASH), 36, 36)]),
    shape("google-api-key", &["AIza"], &[run(URL64, 35, 35)]).word(),
    shape("google-oauth-secret", &["GOCSPX-"], &[run(URL64, 20, OPEN)]),
    shape("google-oauth-token", &["ya29."], &[run(URL64.or(Class::DOT), 20, OPEN)]).word(),
    shape("google-refresh-token", &["1//0", "1%2F%2F0"], &[run(URL64, 35, OPEN)]).word(),
    shape(
        "azure-client-secret",
        &["0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "7Q~", "8Q~", "9Q~"],
        &[run(VAULT.or(Class::TILDE), 31, 40)],
    )
    .after(VAULT.or(Class::TILDE), 3, 3),
    shape("azure-storage-key", &["+ASt"], &[run(ALNUM, 6, 6), Piece::Text("==")]).after(
        Class::BASE64,
        70,
        80,
    ),
    shape("azure-ai-key", &["JQQJ9"], &[run(ALNUM, 20, 40)]).after(ALNUM, 40, 60).closed(),
    shape("azure-devops-token", &["AZDO"], &[run(ALNUM, 4, 4)]).after(ALNUM, 70, 80).closed(),
    shape("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], &[run(LOWER_HEX, 32, OPEN)]),
    shape("digitalocean-spaces-key", &["DO00", "DO801"], &[run(Class::UPPER_ALNUM, 15, 16)])
        .word()
        .closed()
        .random(),
    shape("heroku-key", &["HRKU-"], &[run(URL64, 32, OPEN)]).word(),
    shape(
        "cloudflare-origin-key",
        &["v1.0-"],
        &[run(LOWER_HEX, 24, 24), Piece::Text("-"), run(LOWER_HEX, 100, OPEN)],
    ),
    shape("alibaba-access-key-id", &["LTAI"], &[run(ALNUM, 16, 24)]).word().closed(),
    shape("tencent-secret-id", &["AKID"], &[run(ALNUM, 32, 32)]).word().closed(),
    shape("yandex-key", &["AQVN"], &[run(URL64, 35, 38)]).word().closed(),
    shape(
        "fly-token",
        &["fm1a_", "fm1r_", "fm2_"],
        &[run(Class::ANY64.or(Class::DOT).or(Class::PERCENT), 40, OPEN)],
    )
    .word(),
    shape("fly-token", &["fo1_"], &[run(URL64, 40, 48)]).word().closed(),
    shape("netlify-token", &["nfp_", "nfc_", "nfo_", "nfu_"], &[run(ALNUM, 32, OPEN)]).word(),
    shape("vercel-token", &["vercel_blob_rw_"], &[run(Class::WORD, 24, OPEN)]),
    shape("vercel-token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], &[run(ALNUM, 40, OPEN)]).word(),
    shape("supabase-key", &["sbp_", "sbp_v0_"], &[run(LOWER_HEX, 32, OPEN)]).word(),
    shape("supabase-key", &["sb_secret_"], &[run(URL64, 20, OPEN)]),
    shape(
        "planetscale-token",
        &["pscale_tkn_", "pscale_pw_", "pscale_oauth_", "pscale_app_secret_"],
        &[run(VAULT, 24, OPEN)],
    ),
    shape("neon-token", &["napi_"], &[run(ALNUM, 40, OPEN)]).word(),
    shape("neon-password", &["npg_"], &[run(ALNUM, 12, 24)]).word().closed().random(),
    shape("render-token", &["rnd_"], &[run(ALNUM, 28, 40)]).word().closed(),
    shape("databricks-token", &["dapi"], &[run(LOWER_HEX, 32, 32)]).word().closed(),
    shape("databricks-token", &["dose"], &[run(LOWER_HEX, 32, 32)]).word().closed(),
    shape("terraform-token", &[".atlasv1."], &[run(URL64, 40, OPEN)]).after(ALNUM, 14, 14),
    shape("pulumi-token", &["pul-"], &[run(LOWER_HEX, 40, 40)]).word().closed(),
    shape("vault-token", &["hvs.", "hvb.", "hvr."], &[run(VAULT, 20, OPEN)]).word(),
    shape(
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        &[run(VAULT, 32, OPEN)],
    )
    .word(),
    shape("onepassword-token", &["ops_eyJ"], &[run(Class::ANY64.or(Class::PERCENT), 60, OPEN)]).word(),
    shape(
        "onepassword-secret-key",
        &["A3-"],
        &[run(Class::UPPER_ALNUM, 6, 6), Piece::Text("-"), run(Class::UPPER_ALNUM.or(Class::DASH), 20, 34)],
    )
    .word()
    .closed(),
    shape("tailscale-key", &["tskey-"], &[run(URL64, 20, OPEN)]).word(),
    shape("openshift-token", &["sha256~"], &[run(URL64, 40, 44)]).closed(),
    shape("infracost-key", &["ico-"], &[run(ALNUM, 32, 32)]).word().closed().random(),
    shape("scalingo-token", &["tk-us-"], &[run(URL64, 40, OPEN)]).word(),
    shape("clickhouse-key", &["4b1d"], &[run(ALNUM, 38, 38)]).word().closed().random(),
    shape("confluent-key", &["cflt"], &[run(Class::BASE64, 60, 60)]).word().closed().random(),
    shape("k3s-token", &["::server:", "::node:"], &[run(ALNUM, 16, OPEN)]).after(ALNUM, 67, 67),
    shape(
        "bitwarden-session",
        &["BW_SESSION="],
        &[Piece::OneOf(&["\"", "'", "\\\"", ""]), run(Class::BASE64, 40, OPEN)],
    )
    .keep_anchor(),
    shape("google-oauth-code", &["4/0A"], &[run(URL64, 50, OPEN)]).word().random(),
];
