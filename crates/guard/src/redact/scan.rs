//! One pass over a text: anchors are found, and each anchor asks the rule that it belongs to.

use std::ops::Range;

use super::armour::Armour;
use super::assignment::Read;
use super::chars::word_begins;
use super::context::{self, Service};
use super::crowd::{Crowd, Limit};
use super::loose_ends::LooseEnd;
use super::margin::Direction;
use super::reach::Reach;
use super::rules::{Rule, shared_anchors};
use super::shape::{Look, Shape};
use super::span::{Span, between_quotes};
use super::view::View;
use super::{
    announced, argv, assignment, calls, command, disguise, dump, encoded, flags, frame, header, insert, jwt,
    kubernetes, lines, listed, login, loose_ends, made, pem, printed, records, spoken, stores, table, torn,
    typed, url, wallet, wrap,
};

/// The labels of private keys.
const PRIVATE_KEY: &str = "private-key";
const PUTTY_KEY: &str = "putty-private-key";
/// How many views are made of each other: escapes taken away, then a listing in a listing.
const DEPTH_MAX: usize = 4;
/// A Kubernetes object has at least this many bytes.
const KUBERNETES_GAP_BYTES: usize = 64;

/// Where nothing drawn follows an anchor, it does not follow the next one either that stands so near.
const REFUSED_BYTES: usize = 12;
/// Commands, and other places that are told by what stands around them.
const COMMAND_LIMIT: Limit = Limit { anchors: 32, within_bytes: 1024 };
const PLACE_LIMIT: Limit = Limit { anchors: 16, within_bytes: 512 };

/// Everything in a text that must not be kept.
pub(super) fn find(text: &str) -> Vec<Span> {
    let mut spans = find_in_plain(text);
    spans.extend(printed::find(text.as_bytes()));
    spans
}

/// The same without the structure that the text may have.
pub(super) fn find_in_plain(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans = scan(bytes, DEPTH_MAX);
    if let Some(view) = disguise::undisguised(bytes) {
        let mut found: Vec<Span> = scan_view(&view, DEPTH_MAX).collect();
        // A colour whose escape was written out.
        if let Some(inner) = disguise::undisguised(view.bytes()) {
            found.extend(scan_view(&inner, DEPTH_MAX).map(|span| view.span_in_text(span)));
        }
        spans.extend(found.into_iter().flat_map(|span| between_quotes(bytes, span)));
    }
    for view in frame::without(bytes) {
        spans.extend(scan_view(&view, DEPTH_MAX));
    }
    for dump in dump::find(bytes) {
        let found = scan(dump.bytes(), DEPTH_MAX);
        spans.extend(found.into_iter().filter_map(|span| dump.span_in_text(span)));
    }
    spans
}

/// Findings in a text. Its views, and what is encoded in it, are looked at `depth` levels deep.
fn scan(bytes: &[u8], depth: usize) -> Vec<Span> {
    let mut scan = Scan::new(bytes, depth);
    shared_anchors().find(bytes, |rule, start, end| scan.ask(rule, start..end));
    scan.finish()
}

/// Findings in a view, as findings in the text that it shows.
fn scan_view(view: &View, depth: usize) -> impl Iterator<Item = Span> {
    scan(view.bytes(), depth).into_iter().map(|span| view.span_in_text(span))
}

/// The state of one pass.
struct Scan<'a> {
    bytes: &'a [u8],
    /// How many more levels of views and encodings are looked at.
    depth: usize,
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
    /// The end of the table that was read last.
    table_until: usize,
    /// How far members of web keys have been looked for.
    web_key_until: usize,
    /// How far listings of keys have been read.
    dumped_until: usize,
    /// The end of the list of arguments that was read last.
    argv_until: usize,
    /// The end of the records that were read last.
    record_until: usize,
    addresses: Reach,
    commands: Reach,
    token_ends: Reach,
    /// Shapes that were refused because nothing drawn follows, and up to where that is said.
    refused: Vec<(&'static Shape, usize)>,
    services: Vec<Service>,
    loose_ends: Vec<LooseEnd>,
    armour: Armour,
    command_crowd: Crowd,
    place_crowd: Crowd,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8], depth: usize) -> Self {
        Self {
            bytes,
            depth,
            spans: Vec::new(),
            covered_until: 0,
            formed_until: 0,
            read: Read::default(),
            decoded_until: 0,
            kubernetes_until: 0,
            kubernetes_data_until: 0,
            table_until: 0,
            web_key_until: 0,
            dumped_until: 0,
            argv_until: 0,
            record_until: 0,
            addresses: Reach::default(),
            commands: Reach::default(),
            token_ends: Reach::default(),
            refused: Vec::new(),
            services: Vec::new(),
            loose_ends: Vec::new(),
            armour: Armour::default(),
            command_crowd: Crowd::default(),
            place_crowd: Crowd::default(),
        }
    }

    /// Lets one rule look at one anchor. Nothing is looked at twice, so that hostile text costs no more
    /// than other text.
    fn ask(&mut self, rule: Rule, hit: Range<usize>) {
        let bytes = self.bytes;
        match rule {
            Rule::Shape(shape) if hit.end > self.formed_until => self.ask_shape(shape, hit),
            Rule::Jwt if hit.end > self.formed_until => self.ask_jwt(hit),
            Rule::PrivateKey if hit.end > self.formed_until => self.ask_private_key(hit),
            Rule::BrokenHeader if hit.end > self.formed_until => self.ask_broken_header(hit),
            Rule::PuttyKey if hit.end > self.formed_until => self.ask_putty_key(hit),
            Rule::PuttyEnd if hit.end > self.formed_until => self.armour.ends(hit, PUTTY_KEY),
            Rule::EncodedKey if hit.end > self.formed_until => {
                self.ask_body(hit.start, pem::find_encoded(bytes, hit.start))
            }
            Rule::BareKey if hit.end > self.formed_until => {
                self.ask_body(hit.start, pem::find_bare(bytes, hit))
            }
            Rule::ListedKey if hit.end > self.formed_until => self.add_formed(listed::find(bytes, hit)),
            Rule::Shape(_)
            | Rule::Jwt
            | Rule::PrivateKey
            | Rule::BrokenHeader
            | Rule::PuttyKey
            | Rule::PuttyEnd
            | Rule::EncodedKey
            | Rule::BareKey
            | Rule::ListedKey => {}
            Rule::Record => self.ask_record(hit.start),
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
            Rule::DumpedKey => self.ask_dumped_key(hit.start),
            Rule::Command if !self.command_crowd.admits(hit.start, COMMAND_LIMIT) => {}
            Rule::Handed
            | Rule::Sent
            | Rule::Piped
            | Rule::Typed
            | Rule::Spoken
            | Rule::Announced
            | Rule::Store
            | Rule::PasswordFlag
            | Rule::Call
            | Rule::Argv
            | Rule::MadeKey
            | Rule::Made
                if !self.place_crowd.admits(hit.start, PLACE_LIMIT) => {}
            Rule::Command => {
                let mut lines = std::mem::take(&mut self.commands);
                self.add_all(|spans| command::find(bytes, hit.start..hit.end - 1, &mut lines, spans));
                self.commands = lines;
            }
            Rule::Netrc => self.ask_netrc(hit),
            Rule::Pgpass => self.add(lines::find_pgpass(bytes, hit)),
            Rule::Sql => self.add(lines::find_sql(bytes, &hit)),
            // A statement is read once, also if it holds others.
            Rule::Insert => self.add_all(|spans| insert::find(bytes, hit.end, spans)),
            Rule::Copy => self.ask_copy(hit.end),
            Rule::Call => self.add(calls::find(bytes, &hit)),
            Rule::Argv => self.ask_argv(&hit),
            Rule::Login => self.add(login::find(bytes, &hit)),
            Rule::WebKey => self.ask_web_key(&hit),
            Rule::Piped => self.ask_piped(hit),
            Rule::Handed => self.add(lines::find_handed(bytes, hit)),
            Rule::Sent => self.add(lines::find_sent(bytes, hit.end)),
            Rule::Kubernetes => self.ask_kubernetes(hit),
            Rule::PasswordFlag => self.add(flags::find(bytes, &hit)),
            Rule::Store => self.add_all(|spans| stores::find(bytes, &hit, spans)),
            Rule::Typed => self.add(typed::find(bytes, &hit)),
            Rule::Spoken => self.add(spoken::find(bytes, &hit)),
            Rule::Announced => self.ask_announced(&hit),
            Rule::Made => self.add(made::find(bytes, hit.end)),
            Rule::Wallet => self.add_all(|spans| wallet::find_made(bytes, hit.end, spans)),
            Rule::WalletList => self.add_all(|spans| wallet::find_listed(bytes, hit.end, spans)),
            Rule::CookieJar => self.ask_jar(&hit),
            Rule::MadeKey => self.add(context::find_made_key(bytes, hit.end)),
        }
    }

    fn ask_name(&mut self, stem: Range<usize>) {
        // Several stems may stand in one name.
        if stem.end <= self.read.name_end {
            return;
        }
        self.ask_table(&stem);
        let bytes = self.bytes;
        let mut read = self.read;
        self.add_all(|spans| assignment::find(bytes, stem, &mut read, spans));
        if let Some(at) = read.loose_end.take() {
            self.note_loose_end(at, Direction::Down);
        }
        self.read = read;
    }

    fn ask_piped(&mut self, hit: Range<usize>) {
        let bytes = self.bytes;
        if lines::begins_users(bytes, &hit) {
            self.note_loose_end(hit.start, Direction::Down);
            self.add_all(|spans| lines::find_users(bytes, hit.end, spans));
        }
        self.add(lines::find_piped(bytes, hit));
    }

    /// What was announced may stand behind the margin of a next line.
    fn ask_announced(&mut self, hit: &Range<usize>) {
        let found = announced::find(self.bytes, hit);
        if found.is_none() && announced::goes_on_below(self.bytes, hit) {
            self.note_loose_end(hit.start, Direction::Down);
        }
        self.add(found);
    }

    fn ask_web_key(&mut self, kind: &Range<usize>) {
        let (bytes, mut read_until) = (self.bytes, self.web_key_until);
        self.add_all(|spans| login::find_web_key(bytes, kind, &mut read_until, spans));
        self.web_key_until = read_until;
    }

    fn ask_copy(&mut self, behind: usize) {
        let (bytes, until) = (self.bytes, self.table_until);
        let Some(names) = insert::copied(bytes, behind).filter(|names| names.start >= until) else { return };
        let mut end = names.end;
        self.add_all(|spans| end = table::find_below(bytes, names, spans));
        self.table_until = end;
    }

    /// A name may be the head of a column. No table is read twice.
    fn ask_table(&mut self, stem: &Range<usize>) {
        if stem.start >= self.table_until && table::is_cell(self.bytes, stem) {
            let bytes = self.bytes;
            let mut looked = None;
            self.add_all(|spans| looked = Some(table::find(bytes, stem, spans)));
            let Some(looked) = looked else { return };
            self.table_until = looked.end;
            if looked.is_behind_margin {
                self.note_loose_end(stem.start, Direction::Down);
            }
        }
    }

    /// A line of a cookie jar has two flags.
    fn ask_jar(&mut self, flag: &Range<usize>) {
        if flag.start >= self.table_until {
            let found = table::find_in_jar(self.bytes, flag, &mut self.table_until);
            self.add(found);
        }
    }

    fn ask_shape(&mut self, shape: &'static Shape, hit: Range<usize>) {
        let known = self.refused.iter_mut().find(|(refused, _)| std::ptr::eq(*refused, shape));
        if known.as_ref().is_some_and(|(_, until)| hit.start < *until) {
            return;
        }
        let found = match shape.look(self.bytes, hit.clone()) {
            Look::Found(range) => Some(range),
            Look::NothingDrawn => {
                let until = hit.start + REFUSED_BYTES;
                match known {
                    Some(known) => known.1 = until,
                    None => self.refused.push((shape, until)),
                }
                None
            }
            Look::Nothing => None,
        };
        if let Some(start) = shape.beginning(self.bytes, &hit) {
            self.note_if_broken_off(start, hit.end, found.as_ref());
        }
        self.add_formed(found.map(|range| Span::formed(range, shape.rule)));
    }

    fn ask_jwt(&mut self, hit: Range<usize>) {
        let found = jwt::find(self.bytes, hit.clone());
        if word_begins(self.bytes, hit.start) {
            self.note_if_broken_off(hit.start, hit.end, found.as_ref());
        }
        self.add_formed(found.map(|range| Span::formed(range, "jwt")));
    }

    fn ask_private_key(&mut self, hit: Range<usize>) {
        let bytes = self.bytes;
        if let Some(end) = pem::last_line_start(bytes, hit.clone()) {
            self.note_loose_end(end, Direction::Up);
            self.armour.ends(end..hit.end, PRIVATE_KEY);
            self.add_formed(pem::find_torn(bytes, end, self.formed_until));
            return;
        }
        let found = pem::find(bytes, hit.clone());
        let is_whole = found.is_some_and(|span| bytes[span.end - 1] == b'-');
        if let Some(start) = pem::block_start(bytes, hit.clone()).filter(|_| !is_whole) {
            self.note_loose_end(start, Direction::Down);
            self.armour.begins(start..hit.end, PRIVATE_KEY);
        }
        self.add_formed(found);
    }

    fn ask_broken_header(&mut self, hit: Range<usize>) {
        let Some(end) = pem::broken_name_end(self.bytes, hit.end) else { return };
        match self.bytes[hit.end - 1] {
            b'D' => self.armour.ends(hit.start..end, PRIVATE_KEY),
            _ => self.armour.begins(hit.start..end, PRIVATE_KEY),
        }
    }

    fn ask_putty_key(&mut self, hit: Range<usize>) {
        let found = pem::find_putty(self.bytes, hit.end);
        self.armour.begins(hit.clone(), PUTTY_KEY);
        if found.is_none() {
            self.note_loose_end(hit.start, Direction::Down);
        }
        self.add_formed(found);
    }

    /// The body of a key may go on behind the margin of the next line.
    fn ask_body(&mut self, at: usize, found: Option<Span>) {
        if found.is_some_and(|span| self.is_broken_off(span.end)) {
            self.note_loose_end(at, Direction::Down);
        }
        self.add_formed(found);
    }

    fn ask_netrc(&mut self, hit: Range<usize>) {
        let bytes = self.bytes;
        if lines::is_netrc_of_lines(bytes, hit.end) {
            self.note_loose_end(hit.start, Direction::Down);
        }
        self.add_all(|spans| lines::find_netrc(bytes, hit.end, spans));
    }

    /// A token that may go on behind the margin of the next line.
    fn note_if_broken_off(&mut self, start: usize, anchor_end: usize, found: Option<&Range<usize>>) {
        let read_until = found.map_or(anchor_end, |range| range.end);
        let is_over_lines = found.is_some_and(|range| wrap::is_over_lines(self.bytes, range));
        if is_over_lines || self.is_broken_off(read_until) {
            self.note_loose_end(start, Direction::Down);
        }
    }

    fn is_broken_off(&mut self, at: usize) -> bool {
        wrap::is_broken_off(self.bytes, at, &mut self.token_ends)
    }

    fn note_loose_end(&mut self, at: usize, direction: Direction) {
        if self.depth > 0 {
            self.loose_ends.push(LooseEnd { at, direction });
        }
    }

    /// The data may stand before the anchor, so the distance between two anchors bounds the work.
    fn ask_kubernetes(&mut self, hit: Range<usize>) {
        if hit.start >= self.kubernetes_until {
            let bytes = self.bytes;
            self.kubernetes_until = hit.end + KUBERNETES_GAP_BYTES;
            self.note_loose_end(hit.start, Direction::Both);
            let mut data_until = self.kubernetes_data_until;
            self.add_all(|spans| kubernetes::find(bytes, hit, &mut data_until, spans));
            self.kubernetes_data_until = data_until;
        }
    }

    /// No records are read twice.
    fn ask_record(&mut self, at: usize) {
        if self.depth == 0 || at < self.record_until {
            return;
        }
        let Some((view, end)) = records::text_at(self.bytes, at) else { return };
        self.record_until = end;
        let found: Vec<Span> = scan_view(&view, self.depth - 1).collect();
        self.spans.extend(found.into_iter().flat_map(|span| between_quotes(self.bytes, span)));
    }

    /// No list of arguments is read twice.
    fn ask_argv(&mut self, flag: &Range<usize>) {
        if self.depth == 0 || flag.start < self.argv_until {
            return;
        }
        let Some((view, end)) = argv::command_around(self.bytes, flag) else { return };
        self.argv_until = end;
        let found: Vec<Span> = scan_view(&view, 0).collect();
        let bytes = self.bytes;
        self.add_all(|spans| spans.extend(found.into_iter().flat_map(|span| between_quotes(bytes, span))));
    }

    /// No listing is read twice.
    fn ask_dumped_key(&mut self, anchor_start: usize) {
        if self.depth == 0 || anchor_start < self.dumped_until {
            return;
        }
        let Some(dump) = dump::find_key(self.bytes, anchor_start) else { return };
        self.dumped_until = dump.end();
        let found = scan(dump.bytes(), self.depth - 1);
        self.add_all(|spans| spans.extend(found.into_iter().filter_map(|span| dump.span_in_text(span))));
    }

    fn ask_encoded(&mut self, anchor_start: usize) {
        if self.depth == 0 || anchor_start < self.decoded_until {
            return;
        }
        let block = encoded::block_around(self.bytes, anchor_start, self.decoded_until);
        let block_end = block.last().map_or(anchor_start, |line| line.end);
        self.decoded_until = block_end;
        if self.is_broken_off(block_end) {
            self.note_loose_end(anchor_start, Direction::Both);
        }
        let depth = self.depth - 1;
        self.add(encoded::find(self.bytes, &block, |plain| !scan(plain.as_bytes(), depth).is_empty()));
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
        context::find_unnamed(self.bytes, &mut self.spans);
        wallet::find_lists(self.bytes, &mut self.spans);
        for service in std::mem::take(&mut self.services) {
            context::find(self.bytes, service, &mut self.spans);
        }
        self.armour.find(self.bytes, &mut self.spans);
        torn::find(self.bytes, &mut self.spans);
        let scan_below = |view: &View| scan_view(view, self.depth.saturating_sub(1)).collect();
        loose_ends::follow(self.bytes, self.loose_ends, scan_below, &mut self.spans);
        self.spans
    }
}
