//! Which anchor belongs to which rule.

use std::sync::OnceLock;

use super::anchors::Anchors;
use super::context::{self, Service};
use super::shape::Shape;
use super::{
    announced, argv, calls, command, dump, encoded, flags, lines, listed, login, made, names, pem, records,
    spoken, stores, table, tokens, typed, wallet,
};

/// Whom an anchor belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rule {
    Shape(&'static Shape),
    Name,
    Address,
    Jwt,
    Bearer,
    Basic,
    PrivateKey,
    BrokenHeader,
    PuttyKey,
    PuttyEnd,
    EncodedKey,
    BareKey,
    ListedKey,
    DumpedKey,
    Encoded,
    Command,
    Netrc,
    Pgpass,
    Sql,
    Insert,
    Copy,
    Call,
    Argv,
    Record,
    Login,
    WebKey,
    Piped,
    Handed,
    Sent,
    Kubernetes,
    PasswordFlag,
    Store,
    Typed,
    Spoken,
    Announced,
    Wallet,
    WalletList,
    MadeKey,
    Made,
    CookieJar,
    Service(Service),
}

/// Anchors of rules that are no tables.
const SINGLE: &[(&str, Rule)] = &[
    ("://", Rule::Address),
    ("eyj", Rule::Jwt),
    ("bearer ", Rule::Bearer),
    // Where a header takes a list: `Sec-WebSocket-Protocol: bearer, …`.
    ("bearer, ", Rule::Bearer),
    ("basic ", Rule::Basic),
    ("auth plain ", Rule::Basic),
    ("private key", Rule::PrivateKey),
    ("private+key", Rule::PrivateKey),
    ("openvpn static key v1", Rule::PrivateKey),
    ("-----begin", Rule::BrokenHeader),
    ("-----end", Rule::BrokenHeader),
    ("private-lines:", Rule::PuttyKey),
    ("private-mac:", Rule::PuttyEnd),
    ("ls0tls1crudjti", Rule::EncodedKey),
    ("machine ", Rule::Netrc),
    ("default login ", Rule::Netrc),
    (":5432:", Rule::Pgpass),
    (":5433:", Rule::Pgpass),
    (":5434:", Rule::Pgpass),
    (":6432:", Rule::Pgpass),
    (":15432:", Rule::Pgpass),
    (":25060:", Rule::Pgpass),
    (":26257:", Rule::Pgpass),
    (":*:", Rule::Pgpass),
    (flags::FLAG, Rule::PasswordFlag),
    (wallet::HEADING, Rule::WalletList),
    (records::ANCHOR, Rule::Record),
    ("wg genkey", Rule::MadeKey),
    ("wg genpsk", Rule::MadeKey),
    (made::ANCHOR, Rule::Made),
    ("identified by ", Rule::Sql),
    ("identified with ", Rule::Sql),
    ("pragma key =", Rule::Sql),
    ("pragma key=", Rule::Sql),
    ("pragma rekey =", Rule::Sql),
    ("insert into ", Rule::Insert),
    ("copy ", Rule::Copy),
    ("\"kty\"", Rule::WebKey),
    ("<<<", Rule::Handed),
    ("send \"", Rule::Sent),
    ("send \\\"", Rule::Sent),
    ("xdotool type ", Rule::Sent),
    ("kind: secret", Rule::Kubernetes),
    ("stringdata:", Rule::Kubernetes),
    ("\"kind\":\"secret\"", Rule::Kubernetes),
    ("\"kind\": \"secret\"", Rule::Kubernetes),
];

/// The anchors of all rules, as they are usually written.
pub(super) fn anchor_texts() -> Vec<String> {
    let shapes = tokens::FAMILIES.iter().flat_map(|family| family.iter());
    let of_shapes = shapes.flat_map(|shape| shape.anchors.iter().map(|anchor| (*anchor).to_owned()));
    let single = SINGLE.iter().map(|(anchor, _)| match *anchor {
        "eyj" => "eyJ".to_owned(),
        "private key" => "-----BEGIN PRIVATE KEY-----".to_owned(),
        "private+key" => "-----BEGIN+PRIVATE+KEY-----".to_owned(),
        "openvpn static key v1" => "-----BEGIN OpenVPN Static key V1-----".to_owned(),
        "ls0tls1crudjti" => "LS0tLS1CRUdJTi".to_owned(),
        "kind: secret" => "kind: Secret".to_owned(),
        "stringdata:" => "stringData:".to_owned(),
        other => other.to_owned(),
    });
    let calls = calls::NAMES.iter().map(|(name, _)| name);
    let plain = names::STEMS.iter().chain(lines::READERS).chain(calls);
    let plain = plain.chain(typed::ACTIONS).chain(spoken::BEGINNINGS).chain(wallet::MAKERS);
    let plain = plain.chain(announced::PASSWORDS).chain(announced::KEYS).chain(table::JAR_FLAGS);
    let plain = plain.chain(argv::FLAGS);
    let plain = plain.chain(login::BEGINNINGS.iter().map(|(text, _)| text)).map(|text| (*text).to_owned());
    let commands = command::names().map(|name| format!("{name} ")).chain(stores::names().map(str::to_owned));
    let services = context::SERVICES.iter().map(|(name, _)| (*name).to_owned());
    let listed = listed::BEGINNINGS
        .iter()
        .chain(pem::BODY_BEGINNINGS)
        .chain(&dump::KEY_BEGINNINGS)
        .map(|text| (*text).to_owned());
    of_shapes
        .chain(single)
        .chain(plain)
        .chain(commands)
        .chain(encoded::anchors())
        .chain(services)
        .chain(listed)
        .collect()
}

/// The same, prepared when they are first needed and then kept.
pub(super) fn shared_anchors() -> &'static Anchors<Rule> {
    static SHARED: OnceLock<Anchors<Rule>> = OnceLock::new();
    SHARED.get_or_init(|| {
        let shapes = tokens::FAMILIES.iter().flat_map(|family| family.iter());
        let of_shapes = shapes.flat_map(|shape| {
            shape.anchors.iter().map(|anchor| (anchor.to_ascii_lowercase(), Rule::Shape(shape)))
        });
        let single = SINGLE.iter().map(|(anchor, rule)| ((*anchor).to_owned(), *rule));
        let stems = names::STEMS.iter().map(|stem| ((*stem).to_owned(), Rule::Name));
        let readers = lines::READERS.iter().map(|reader| ((*reader).to_owned(), Rule::Piped));
        let calls = calls::NAMES.iter().map(|(name, _)| ((*name).to_owned(), Rule::Call));
        let argv = argv::FLAGS.iter().map(|flag| ((*flag).to_owned(), Rule::Argv));
        let stores = stores::names().map(|name| (name.to_owned(), Rule::Store));
        let typed = typed::ACTIONS.iter().map(|action| ((*action).to_owned(), Rule::Typed));
        let spoken = spoken::BEGINNINGS.iter().map(|text| ((*text).to_owned(), Rule::Spoken));
        let announced = announced::PASSWORDS.iter().chain(announced::KEYS);
        let announced = announced.map(|text| ((*text).to_owned(), Rule::Announced));
        let jars = table::JAR_FLAGS.iter().map(|text| ((*text).to_owned(), Rule::CookieJar));
        let wallets = wallet::MAKERS.iter().map(|text| ((*text).to_owned(), Rule::Wallet));
        let logins = login::BEGINNINGS.iter().map(|(text, _)| ((*text).to_owned(), Rule::Login));
        let commands = command::names().map(|name| (format!("{name} "), Rule::Command));
        let encoded = encoded::anchors().map(|anchor| (anchor.to_ascii_lowercase(), Rule::Encoded));
        let services =
            context::SERVICES.iter().map(|(name, service)| ((*name).to_owned(), Rule::Service(*service)));
        let listed = listed::BEGINNINGS.iter().map(|text| ((*text).to_owned(), Rule::ListedKey));
        let dumped = dump::KEY_BEGINNINGS.iter().map(|text| ((*text).to_owned(), Rule::DumpedKey));
        let bodies = pem::BODY_BEGINNINGS.iter().map(|text| (text.to_ascii_lowercase(), Rule::BareKey));
        Anchors::new(
            of_shapes
                .chain(single)
                .chain(stems)
                .chain(commands)
                .chain(readers)
                .chain(calls)
                .chain(argv)
                .chain(logins)
                .chain(stores)
                .chain(typed)
                .chain(spoken)
                .chain(announced)
                .chain(dumped)
                .chain(wallets)
                .chain(jars)
                .chain(encoded)
                .chain(services)
                .chain(listed)
                .chain(bodies),
        )
    })
}
