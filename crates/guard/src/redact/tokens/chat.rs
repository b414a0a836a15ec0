//! Tokens of chat, mail and telephony services, and the addresses of their webhooks.

use crate::redact::chars::Class;
use crate::redact::shape::{OPEN, Piece, Shape, run, shape};

const URL64: Class = Class::URL64;
const ALNUM: Class = Class::ALNUM;
const LOWER_HEX: Class = Class::LOWER_HEX;

pub(super) const SHAPES: &[Shape] = &[
    shape(
        "slack-token",
        &[
            "xoxa-",
            "xoxb-",
            "xoxc-",
            "xoxd-",
            "xoxe-",
            "xoxo-",
            "xoxp-",
            "xoxr-",
            "xoxs-",
            "xoxe.xoxb-",
            "xoxe.xoxp-",
        ],
        &[run(URL64.or(Class::PERCENT), 16, OPEN)],
    ),
    shape("slack-token", &["xapp-", "xwfp-"], &[run(URL64, 20, OPEN)]).word(),
    shape(
        "slack-webhook",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        &[run(ALNUM.or(Class::PLUS_SLASH), 20, OPEN)],
    )
    .keep_anchor(),
    shape(
        "discord-webhook",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        &[run(Class::DIGIT, 15, 24), Piece::Text("/"), run(URL64, 30, OPEN)],
    )
    .keep_anchor(),
    shape(
        "discord-webhook",
        &["discord.com/api/v", "discordapp.com/api/v"],
        &[
            run(Class::DIGIT, 1, 2),
            Piece::Text("/webhooks/"),
            run(Class::DIGIT, 15, 24),
            Piece::Text("/"),
            run(URL64, 30, OPEN),
        ],
    )
    .keep_anchor(),
    shape("telegram-bot-token", &[":AA", "%3AAA"], &[run(URL64, 30, 36)]).after(Class::DIGIT, 8, 10).closed(),
    shape(
        "teams-webhook",
        &[".webhook.office.com/webhookb2/", "outlook.office.com/webhook/"],
        &[
            run(URL64.or(Class::PLUS_SLASH), 30, 60),
            Piece::Text("@"),
            run(URL64.or(Class::PLUS_SLASH), 60, OPEN),
        ],
    )
    .keep_anchor(),
    shape(
        "google-chat-webhook",
        &["chat.googleapis.com/v1/spaces/"],
        &[
            run(URL64, 6, 40),
            Piece::Text("/messages?key="),
            run(URL64, 30, 60),
            Piece::OneOf(&["&token="]),
            run(URL64.or(Class::PERCENT), 20, OPEN),
        ],
    )
    .keep_anchor(),
    shape(
        "twilio-key",
        &[
            "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb", "SKc", "SKd",
            "SKe", "SKf",
        ],
        &[run(LOWER_HEX, 31, 31)],
    )
    .word()
    .closed(),
    shape("sendgrid-key", &["SG."], &[run(URL64, 16, 32), Piece::Text("."), run(URL64, 32, 64)]).word(),
    shape("mailgun-key", &["key-"], &[run(LOWER_HEX, 32, 32)]).word().closed(),
    shape("mailchimp-key", &["-us"], &[run(Class::DIGIT, 1, 2)]).after(LOWER_HEX, 32, 32).closed(),
    shape("brevo-key", &["xkeysib-", "xsmtpsib-"], &[run(URL64, 40, OPEN)]),
    shape("resend-key", &["re_"], &[run(ALNUM, 8, 8), Piece::Text("_"), run(ALNUM, 20, 32)]).word().random(),
    shape("mandrill-key", &["md-"], &[run(URL64, 22, 22)]).word().closed().random(),
    shape("mailersend-key", &["mlsn."], &[run(LOWER_HEX, 40, OPEN)]).word(),
    shape(
        "hubspot-token",
        &["pat-na1-", "pat-na2-", "pat-eu1-", "pat-ap1-"],
        &[run(Class::HEX.or(Class::DASH), 30, OPEN)],
    )
    .word(),
    shape("facebook-token", &["EAA"], &[run(ALNUM, 60, OPEN)]).apart().random(),
    shape("instagram-token", &["IGQV", "IGQW", "IGAA"], &[run(URL64, 80, OPEN)]).apart(),
    shape("twitter-bearer-token", &["AAAAAAAAAAAAAAAAAAAAA"], &[run(ALNUM.or(Class::PERCENT), 60, 140)])
        .apart()
        .closed()
        .random(),
    shape(
        "zapier-webhook",
        &["hooks.zapier.com/hooks/catch/"],
        &[run(ALNUM.or(Class::PLUS_SLASH), 10, OPEN)],
    )
    .keep_anchor(),
    shape("ifttt-webhook", &["/with/key/"], &[run(URL64, 20, OPEN)]).keep_anchor(),
    shape("intercom-token", &["dG9r"], &[run(Class::BASE64, 50, 60), Piece::Text("=")]).apart().closed(),
];
