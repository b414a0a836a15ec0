//! One pass over a text: the automaton finds anchors, and each anchor asks the rules that it belongs to.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::context::{self, Service};
use super::shape::Shape;
use super::span::{Rank, Span};
use super::{assignment, command, encoded, header, jwt, names, pem, tokens, url};

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
    Service(Service),
}

/// The anchors of all rules, ready to be looked for.
#[derive(Debug)]
pub(super) struct Anchors {
    automaton: AhoCorasick,
    /// By the number of the pattern.
    rules: Vec<Vec<Rule>>,
}

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
    (":5432:", Rule::Pgpass),
    (":5433:", Rule::Pgpass),
    (":6432:", Rule::Pgpass),
    (":*:", Rule::Pgpass),
    ("identified by ", Rule::Sql),
];

impl Anchors {
    /// The anchors, built when they are first needed and then kept. `None` would mean that the tables are
    /// too large for the automaton, which a test rules out.
    pub(super) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Anchors>> = OnceLock::new();
        SHARED.get_or_init(Self::build).as_ref()
    }

    fn build() -> Option<Self> {
        let mut patterns: Vec<(String, Rule)> = Vec::new();
        for shape in tokens::FAMILIES.iter().flat_map(|family| family.iter()) {
            patterns
                .extend(shape.anchors.iter().map(|anchor| (anchor.to_ascii_lowercase(), Rule::Shape(shape))));
        }
        patterns.extend(SINGLE.iter().map(|(anchor, rule)| ((*anchor).to_owned(), *rule)));
        patterns.extend(names::STEMS.iter().map(|stem| ((*stem).to_owned(), Rule::Name)));
        patterns.extend(command::names().map(|name| (format!("{name} "), Rule::Command)));
        patterns.extend(encoded::anchors().map(|anchor| (anchor.to_ascii_lowercase(), Rule::Encoded)));
        patterns.extend(
            context::SERVICES.iter().map(|(name, service)| ((*name).to_owned(), Rule::Service(*service))),
        );
        patterns.sort_by(|left, right| left.0.cmp(&right.0));

        let mut texts: Vec<String> = Vec::with_capacity(patterns.len());
        let mut rules: Vec<Vec<Rule>> = Vec::with_capacity(patterns.len());
        for (text, rule) in patterns {
            if texts.last() != Some(&text) {
                texts.push(text);
                rules.push(Vec::new());
            }
            if let Some(list) = rules.last_mut() {
                list.push(rule);
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(&texts)
            .ok()?;
        Some(Self { automaton, rules })
    }

    /// Everything in the text that must not be kept.
    pub(super) fn find(&self, text: &str) -> Vec<Span> {
        self.scan(text, /*looks_inside*/ true)
    }

    fn scan(&self, text: &str, looks_inside: bool) -> Vec<Span> {
        let mut scan = Scan::new(self, text.as_bytes(), looks_inside);
        for hit in self.automaton.find_overlapping_iter(text) {
            for rule in &self.rules[hit.pattern().as_usize()] {
                scan.ask(*rule, hit.start()..hit.end());
            }
        }
        scan.finish()
    }
}

/// The state of one pass.
struct Scan<'a> {
    anchors: &'a Anchors,
    bytes: &'a [u8],
    /// Whether base64 is decoded; not in what was decoded already.
    looks_inside: bool,
    spans: Vec<Span>,
    /// Up to here everything is found already; names and values in it are not judged again.
    covered_until: usize,
    /// The same for secrets that were found by their form.
    formed_until: usize,
    /// The end of the name that was looked at last: several stems may stand in one name.
    last_name_end: usize,
    /// The end of the base64 text that was decoded last.
    decoded_until: usize,
    services: Vec<Service>,
}

impl<'a> Scan<'a> {
    fn new(anchors: &'a Anchors, bytes: &'a [u8], looks_inside: bool) -> Self {
        Self {
            anchors,
            bytes,
            looks_inside,
            spans: Vec::new(),
            covered_until: 0,
            formed_until: 0,
            last_name_end: 0,
            decoded_until: 0,
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
            Rule::Address => self.add(url::find(bytes, hit.end)),
            Rule::Bearer => self.add(header::find_bearer(bytes, hit.end)),
            Rule::Basic => self.add(header::find_basic(bytes, hit.end)),
            Rule::Encoded => self.ask_encoded(hit.start),
            Rule::Command => self.add_all(|spans| command::find(bytes, hit.start..hit.end - 1, spans)),
            Rule::Netrc => self.add_all(|spans| command::find_netrc(bytes, hit.end, spans)),
            Rule::Pgpass => self.add(command::find_pgpass(bytes, hit)),
            Rule::Sql => self.add(command::find_sql(bytes, hit.end)),
        }
    }

    fn ask_name(&mut self, stem: Range<usize>) {
        if stem.end <= self.last_name_end {
            return;
        }
        let bytes = self.bytes;
        let mut name_end = 0;
        self.add_all(|spans| name_end = assignment::find(bytes, stem, spans));
        self.last_name_end = name_end;
    }

    fn ask_encoded(&mut self, anchor_start: usize) {
        if !self.looks_inside || anchor_start < self.decoded_until {
            return;
        }
        let text = encoded::text_around(self.bytes, anchor_start);
        self.decoded_until = text.end;
        let anchors = self.anchors;
        self.add(encoded::find(self.bytes, text, |plain| {
            !anchors.scan(plain, /*looks_inside*/ false).is_empty()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_fit_the_automaton() {
        assert!(Anchors::shared().is_some());
    }
}
