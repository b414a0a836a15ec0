//! One pass over a text: anchors are found, and each anchor asks the rule that it belongs to.

use std::ops::Range;
use std::sync::OnceLock;

use super::anchors::Anchors;
use super::assignment::Read;
use super::context::{self, Service};
use super::reach::Reach;
use super::shape::Shape;
use super::span::{Rank, Span};
use super::{assignment, command, encoded, header, jwt, kubernetes, lines, names, pem, tokens, url};

/// Whom an anchor belongs to.
#[derive(Debug, Clone, Copy)]
enum Rule {
    Shape(&'static Shape),
    Name,
    Address,
    Jwt,
    Bearer,
    Basic,
    PrivateKey,
    PuttyKey,
    EncodedKey,
    Encoded,
    Command,
    Netrc,
    Pgpass,
    Sql,
    Piped,
    Kubernetes,
    Service(Service),
}

/// A Kubernetes object has at least this many bytes.
const KUBERNETES_GAP_BYTES: usize = 64;

/// Anchors of rules that are no tables.
const SINGLE: &[(&str, Rule)] = &[
    ("://", Rule::Address),
    ("eyj", Rule::Jwt),
    ("bearer ", Rule::Bearer),
    ("basic ", Rule::Basic),
    ("private key", Rule::PrivateKey),
    ("private-lines:", Rule::PuttyKey),
    ("ls0tls1crudjti", Rule::EncodedKey),
    ("machine ", Rule::Netrc),
    ("default login ", Rule::Netrc),
    (":5432:", Rule::Pgpass),
    (":5433:", Rule::Pgpass),
    (":6432:", Rule::Pgpass),
    (":*:", Rule::Pgpass),
    ("identified by ", Rule::Sql),
    ("kind: secret", Rule::Kubernetes),
    ("\"kind\":\"secret\"", Rule::Kubernetes),
    ("\"kind\": \"secret\"", Rule::Kubernetes),
];

/// The anchors of all rules, as they are usually written.
#[cfg(test)]
pub(super) fn anchor_texts() -> Vec<String> {
    let shapes = tokens::FAMILIES.iter().flat_map(|family| family.iter());
    let of_shapes = shapes.flat_map(|shape| shape.anchors.iter().map(|anchor| (*anchor).to_owned()));
    let single = SINGLE.iter().map(|(anchor, _)| match *anchor {
        "eyj" => "eyJ".to_owned(),
        "private key" => "-----BEGIN PRIVATE KEY-----".to_owned(),
        "ls0tls1crudjti" => "LS0tLS1CRUdJTi".to_owned(),
        "kind: secret" => "kind: Secret".to_owned(),
        other => other.to_owned(),
    });
    let plain = names::STEMS.iter().chain(lines::READERS).map(|text| (*text).to_owned());
    let commands = command::names().map(|name| format!("{name} "));
    let services = context::SERVICES.iter().map(|(name, _)| (*name).to_owned());
    of_shapes.chain(single).chain(plain).chain(commands).chain(encoded::anchors()).chain(services).collect()
}

/// The anchors of all rules, prepared when they are first needed and then kept.
fn shared_anchors() -> &'static Anchors<Rule> {
    static SHARED: OnceLock<Anchors<Rule>> = OnceLock::new();
    SHARED.get_or_init(|| {
        let shapes = tokens::FAMILIES.iter().flat_map(|family| family.iter());
        let of_shapes = shapes.flat_map(|shape| {
            shape.anchors.iter().map(|anchor| (anchor.to_ascii_lowercase(), Rule::Shape(shape)))
        });
        let single = SINGLE.iter().map(|(anchor, rule)| ((*anchor).to_owned(), *rule));
        let stems = names::STEMS.iter().map(|stem| ((*stem).to_owned(), Rule::Name));
        let readers = lines::READERS.iter().map(|reader| ((*reader).to_owned(), Rule::Piped));
        let commands = command::names().map(|name| (format!("{name} "), Rule::Command));
        let encoded = encoded::anchors().map(|anchor| (anchor.to_ascii_lowercase(), Rule::Encoded));
        let services =
            context::SERVICES.iter().map(|(name, service)| ((*name).to_owned(), Rule::Service(*service)));
        Anchors::new(
            of_shapes
                .chain(single)
                .chain(stems)
                .chain(commands)
                .chain(readers)
                .chain(encoded)
                .chain(services),
        )
    })
}

/// Everything in a text that must not be kept.
pub(super) fn find(text: &str) -> Vec<Span> {
    scan(text, /*looks_inside*/ true)
}

fn scan(text: &str, looks_inside: bool) -> Vec<Span> {
    let mut scan = Scan::new(text.as_bytes(), looks_inside);
    shared_anchors().find(text.as_bytes(), |rule, start, end| scan.ask(rule, start..end));
    scan.finish()
}

/// The state of one pass.
struct Scan<'a> {
    bytes: &'a [u8],
    /// Whether base64 is decoded; not in what was decoded already.
    looks_inside: bool,
    spans: Vec<Span>,
    /// Up to here everything is found already; names and values in it are not judged again.
    covered_until: usize,
    /// The same for secrets that were found by their form.
    formed_until: usize,
    /// How far names and what they announce have been read.
    read: Read,
    /// The end of the base64 text that was decoded last.
    decoded_until: usize,
    /// Kubernetes objects closer together than any real ones are not looked at one by one.
    kubernetes_until: usize,
    kubernetes_data_until: usize,
    addresses: Reach,
    commands: Reach,
    services: Vec<Service>,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8], looks_inside: bool) -> Self {
        Self {
            bytes,
            looks_inside,
            spans: Vec::new(),
            covered_until: 0,
            formed_until: 0,
            read: Read::default(),
            decoded_until: 0,
            kubernetes_until: 0,
            kubernetes_data_until: 0,
            addresses: Reach::default(),
            commands: Reach::default(),
            services: Vec::new(),
        }
    }

    /// Lets one rule look at one anchor. Nothing is looked at twice, so that hostile text costs no more
    /// than other text.
    fn ask(&mut self, rule: Rule, hit: Range<usize>) {
        let bytes = self.bytes;
        match rule {
            Rule::Shape(shape) if hit.end > self.formed_until => {
                let found = shape.find(bytes, hit);
                self.add_formed(found.map(|range| formed(range, shape.rule)));
            }
            Rule::Jwt if hit.end > self.formed_until => {
                let found = jwt::find(bytes, hit);
                self.add_formed(found.map(|range| formed(range, "jwt")));
            }
            Rule::PrivateKey if hit.end > self.formed_until => self.add_formed(pem::find(bytes, hit)),
            Rule::PuttyKey if hit.end > self.formed_until => self.add_formed(pem::find_putty(bytes, hit.end)),
            Rule::EncodedKey if hit.end > self.formed_until => {
                self.add_formed(pem::find_encoded(bytes, hit.start))
            }
            Rule::Shape(_) | Rule::Jwt | Rule::PrivateKey | Rule::PuttyKey | Rule::EncodedKey => {}
            Rule::Service(service) => {
                if !self.services.contains(&service) {
                    self.services.push(service);
                }
            }
            _ if hit.end <= self.covered_until => {}
            Rule::Name => self.ask_name(hit),
            Rule::Address => {
                let found = url::find(bytes, hit.end, &mut self.addresses);
                self.add(found);
            }
            Rule::Bearer => self.add(header::find_bearer(bytes, hit.end)),
            Rule::Basic => self.add(header::find_basic(bytes, hit.end)),
            Rule::Encoded => self.ask_encoded(hit.start),
            Rule::Command => {
                let mut lines = std::mem::take(&mut self.commands);
                self.add_all(|spans| command::find(bytes, hit.start..hit.end - 1, &mut lines, spans));
                self.commands = lines;
            }
            Rule::Netrc => self.add_all(|spans| lines::find_netrc(bytes, hit.end, spans)),
            Rule::Pgpass => self.add(lines::find_pgpass(bytes, hit)),
            Rule::Sql => self.add(lines::find_sql(bytes, hit.end)),
            Rule::Piped => self.add(lines::find_piped(bytes, hit)),
            Rule::Kubernetes => self.ask_kubernetes(hit),
        }
    }

    fn ask_name(&mut self, stem: Range<usize>) {
        // Several stems may stand in one name.
        if stem.end <= self.read.name_end {
            return;
        }
        let bytes = self.bytes;
        let mut read = self.read;
        self.add_all(|spans| assignment::find(bytes, stem, &mut read, spans));
        self.read = read;
    }

    /// The data may stand before the anchor, so the distance between two anchors bounds the work.
    fn ask_kubernetes(&mut self, hit: Range<usize>) {
        if hit.start >= self.kubernetes_until {
            let bytes = self.bytes;
            self.kubernetes_until = hit.end + KUBERNETES_GAP_BYTES;
            let mut data_until = self.kubernetes_data_until;
            self.add_all(|spans| kubernetes::find(bytes, hit, &mut data_until, spans));
            self.kubernetes_data_until = data_until;
        }
    }

    fn ask_encoded(&mut self, anchor_start: usize) {
        if !self.looks_inside || anchor_start < self.decoded_until {
            return;
        }
        let text = encoded::text_around(self.bytes, anchor_start);
        self.decoded_until = text.end;
        self.add(encoded::find(self.bytes, text, |plain| {
            !scan(plain, /*looks_inside*/ false).is_empty()
        }));
    }

    fn add_formed(&mut self, span: Option<Span>) {
        if let Some(span) = &span {
            self.formed_until = self.formed_until.max(span.end);
        }
        self.add(span);
    }

    fn add(&mut self, span: Option<Span>) {
        if let Some(span) = span {
            self.covered_until = self.covered_until.max(span.end);
            self.spans.push(span);
        }
    }

    fn add_all(&mut self, find: impl FnOnce(&mut Vec<Span>)) {
        let known = self.spans.len();
        find(&mut self.spans);
        let end = self.spans[known..].iter().map(|span| span.end).max();
        self.covered_until = self.covered_until.max(end.unwrap_or(0));
    }

    fn finish(mut self) -> Vec<Span> {
        for service in std::mem::take(&mut self.services) {
            context::find(self.bytes, service, &mut self.spans);
        }
        self.spans
    }
}

fn formed(range: Range<usize>, rule: &'static str) -> Span {
    Span { start: range.start, end: range.end, rule, rank: Rank::Formed }
}
