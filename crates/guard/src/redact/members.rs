//! Secrets that the structure of a value gives away: the key they stand under, the name beside them, the field of a form
//! that they are typed into.

use super::chars::{Class, skip_blanks_back};
use super::extent::JUDGED_MAX_BYTES;
use super::header;
use super::judge::{Candidate, Join};
use super::names::{CREDENTIAL, Kind, PASSWORD, SecretName, is_short_for_password, read_name};
use super::operator::{Joined, Operator};
use super::pair::{is_name_field, is_value_field};
use super::placeholder::Words;
use super::span::{Rank, Span};
use super::tree::{Content, Finding, Place, Tree};
use super::vocabulary::{LABEL_FIELDS, USER_WORDS};
use super::work;

/// Names that a key of an object may have; longer ones are data.
const KEY_MAX_BYTES: usize = 128;
/// The private members of a JSON web key.
const KEY_MEMBERS: &[&str] = &["d", "p", "q", "dp", "dq", "qi", "k"];
/// What says which field of a page is meant.
const FIELD_FIELDS: &[&str] = &["selector", "element", "locator", "ref", "target"];
/// What is typed into a field.
const TYPED_FIELDS: &[&str] = &["text", "value", "Value"];
/// What says where a text is written to, and the text.
const FILE_FIELDS: &[&str] = &["file_path", "path", "filename"];
const CONTENT_FIELDS: &[&str] = &["content", "text", "file_text"];
/// Keys under which a secret is wrapped once more.
const WRAPPING_KEYS: &[&str] = &["plain", "plaintext", "raw", "clear", "cleartext", "text", "content"];

/// What an output of Terraform is that says of itself that it is a secret.
const SENSITIVE: SecretName = SecretName { kind: Kind::Password, rule: "secret" };
/// What only the cookies of a browser have beside their names and values.
const COOKIE_FIELDS: &[&str] = &["httpOnly", "sameSite", "hostOnly", "HttpOnly", "SameSite"];
/// How many fields of an object may be the head of a table or its rows.
const TABLE_FIELDS_MAX: usize = 16;

/// Where a tree was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// From a value. What stands under a telling name there is a secret, whatever it looks like.
    Value,
    /// From a text, which rules for texts have read as well. A list may be part of a program.
    Printed,
}

/// The name that something stands under, and how it is joined with it.
#[derive(Debug, Clone, Copy)]
struct Named {
    name: SecretName,
    join: Join,
}

impl Named {
    fn surely(name: SecretName) -> Self {
        Self { name, join: Join::Json }
    }

    /// Beside something that may be its name: it has to look like a secret too.
    fn loosely(name: SecretName) -> Self {
        let join = if name.kind == Kind::Password { Join::Loose } else { Join::Pair };
        Self { name, join }
    }
}

/// A node that is still to be looked at.
type Open = (usize, Option<Named>);

/// Secrets in the texts of a tree, by their names.
pub(super) fn find(tree: &Tree<'_>, name: Option<SecretName>, origin: Origin) -> Vec<Finding> {
    let mut finder = Finder { tree, origin, findings: Vec::new(), open: Vec::new() };
    finder.open.push((0, name.map(Named::loosely)));
    while let Some((node, named)) = finder.open.pop() {
        match &tree.nodes[node].content {
            Content::Other | Content::True => {}
            Content::Text(text) => finder.judge(node, text, named),
            Content::Array(items) => finder.open_array(items, named),
            Content::Object(fields) => finder.open_object(fields, named),
        }
    }
    finder.findings
}

/// The name of a value in a text: `cookies = {…`.
pub(super) fn name_before(bytes: &[u8], at: usize) -> Option<SecretName> {
    let sign = skip_blanks_back(bytes, at, 4);
    let is_joined = sign > 0 && matches!(bytes[sign - 1], b'=' | b':');
    let end = skip_blanks_back(bytes, sign.saturating_sub(1), 4);
    let start = Class::WORD.run_start(bytes, end, KEY_MAX_BYTES);
    is_joined.then(|| read_name(&bytes[start..end]))?
}

struct Finder<'t, 'a> {
    tree: &'t Tree<'a>,
    origin: Origin,
    findings: Vec<Finding>,
    open: Vec<Open>,
}

impl Finder<'_, '_> {
    fn judge(&mut self, node: usize, text: &str, named: Option<Named>) {
        let Some(named) = named else { return };
        let value = text.as_bytes();
        let judged = &value[..value.len().min(JUDGED_MAX_BYTES)];
        work::note(judged.len());
        let candidate = Candidate { name: named.name, value: judged, join: named.join, is_quoted: true };
        let is_secret = candidate.is_secret();
        let span = Span { start: 0, end: value.len(), rule: named.name.rule, rank: Rank::Named };
        if is_secret {
            self.add(node, span);
        } else {
            placed_spans(text, named.name).into_iter().for_each(|span| self.add(node, span));
        }
    }

    fn add(&mut self, node: usize, span: Span) {
        self.findings.push(Finding { place: Place::Text(node), span });
    }

    /// Items stand under the name of their array; in the arguments of a command the value of a flag stands behind it.
    fn open_array(&mut self, items: &[usize], named: Option<Named>) {
        let inherited = match (self.origin, named) {
            (Origin::Printed, Some(named)) => Some(Named::loosely(named.name)),
            (Origin::Value | Origin::Printed, named) => named,
        };
        if let Some(pair) = self.pair(items, inherited) {
            self.open.push(pair);
            return;
        }
        if let [head, rows @ ..] = items {
            self.open_rows(*head, rows);
        }
        let (mut flag, mut is_behind_flag) = (None, false);
        for &item in items {
            let text = self.tree.text(item).unwrap_or_default();
            let is_flag = text.starts_with("--") || (text.starts_with('-') && text.len() == 2);
            let next = flag_name(text)
                .map(Named::surely)
                .or_else(|| header_name(text).filter(|_| is_behind_flag).map(Named::loosely));
            self.open.push((item, if is_flag { inherited } else { flag.or(inherited) }));
            (flag, is_behind_flag) = (next, text.starts_with('-'));
        }
    }

    /// `["DB_PASSWORD", "…"]`, and `auth: ["bob", "…"]`.
    fn pair(&self, items: &[usize], named: Option<Named>) -> Option<Open> {
        let [first, second] = *items else { return None };
        let name = self.tree.text(first)?;
        self.tree.text(second)?;
        if named.is_some_and(|named| named.name.rule == CREDENTIAL) {
            return Some((second, Some(Named::loosely(SecretName { rule: CREDENTIAL, ..PASSWORD }))));
        }
        is_name(name).then_some(())?;
        Some((second, Some(Named::loosely(read_name(name.as_bytes())?))))
    }

    /// `[["user", "password"], ["bob", "…"]]`: rows below a head.
    fn open_rows(&mut self, head: usize, rows: &[usize]) {
        let tree = self.tree;
        let Content::Array(names) = &tree.nodes[head].content else { return };
        let is_head = names.len() >= 2 && names.iter().all(|name| tree.text(*name).is_some_and(is_name));
        if !is_head || rows.is_empty() {
            return;
        }
        let named = |at: &usize| read_name(tree.text(*at)?.as_bytes()).map(Named::loosely);
        let columns: Vec<_> = names.iter().map(named).collect();
        if columns.iter().all(Option::is_none) {
            return;
        }
        for row in rows {
            if let Content::Array(cells) = &tree.nodes[*row].content
                && cells.len() == columns.len()
            {
                // Only texts: what is nested is opened with its row, and twice at each level would never end.
                for (cell, column) in cells.iter().zip(&columns) {
                    self.judge(*cell, tree.text(*cell).unwrap_or_default(), *column);
                }
            }
        }
    }

    /// `{"columns": ["user", "password"], "rows": [["bob", "…"]]}`
    fn open_table(&mut self, fields: &[usize]) {
        let tree = self.tree;
        let is_of_texts = |items: &[usize]| items.first().is_some_and(|item| tree.text(*item).is_some());
        for &head in fields.iter().take(TABLE_FIELDS_MAX) {
            if !matches!(&tree.nodes[head].content, Content::Array(names) if is_of_texts(names)) {
                continue;
            }
            for &field in fields.iter().take(TABLE_FIELDS_MAX).filter(|field| **field != head) {
                if let Content::Array(rows) = &tree.nodes[field].content {
                    self.open_rows(head, rows);
                }
            }
        }
    }

    fn open_object(&mut self, fields: &[usize], named: Option<Named>) {
        let tree = self.tree;
        if named.is_some_and(|named| named.name.kind == Kind::Cookie) || is_cookie_of_browser(tree, fields) {
            self.judge_cookies(fields);
        }
        self.open_table(fields);
        let beside = named_beside(tree, fields).map(Named::surely).or(named);
        let beside = beside.or_else(|| is_marked_sensitive(tree, fields).then_some(Named::surely(SENSITIVE)));
        let typed = typed_name(tree, fields);
        let written = written_name(tree, fields);
        let is_kubernetes = tree.field(fields, "kind") == Some("Secret");
        let is_web_key = tree.field(fields, "kty").is_some();
        let has_user =
            fields.iter().any(|field| USER_WORDS.any_in(&tree.key(*field).to_ascii_lowercase().into_bytes()));
        for &field in fields {
            let key = tree.key(field);
            if is_kubernetes && matches!(key, "data" | "stringData") {
                self.open_kubernetes(field);
                continue;
            }
            let own = (key.len() <= KEY_MAX_BYTES).then(|| read_name(key.as_bytes())).flatten();
            let found = match key {
                _ if beside.is_some() && is_value_field(key.as_bytes()) => beside,
                _ if TYPED_FIELDS.contains(&key) && typed.is_some() => typed,
                _ if CONTENT_FIELDS.contains(&key) && written.is_some() => written,
                _ if is_web_key && KEY_MEMBERS.contains(&key) => {
                    Some(Named::surely(SecretName { kind: Kind::Secret, rule: "json-web-key" }))
                }
                _ if has_user && is_short_for_password(key.as_bytes()) => Some(Named::surely(PASSWORD)),
                _ if own.is_none() && (is_wrapping(key, fields) || is_host(key)) => named,
                _ => own.map(Named::surely),
            };
            self.open.push((field, found));
        }
    }

    /// `cookies: {"sessionid": "…"}` and `cookies: [{"name": "session", "value": "…"}]`
    fn judge_cookies(&mut self, fields: &[usize]) {
        let tree = self.tree;
        let name = tree.field(fields, "name");
        for (field, value) in tree.texts(fields) {
            let name = match (name, tree.key(field)) {
                (Some(name), "value") => name,
                (Some(_), _) => continue,
                (None, key) => key,
            };
            if header::is_cookie(name.as_bytes(), value.as_bytes()) {
                self.add(field, Span { start: 0, end: value.len(), rule: "cookie", rank: Rank::Placed });
            }
        }
    }

    /// The data of a Kubernetes secret is secret, whatever the names are.
    fn open_kubernetes(&mut self, data: usize) {
        let named = Named::surely(SecretName { kind: Kind::Secret, rule: "kubernetes-secret" });
        match &self.tree.nodes[data].content {
            Content::Object(entries) => self.open.extend(entries.iter().map(|entry| (*entry, Some(named)))),
            Content::Array(_) | Content::Text(_) | Content::Other | Content::True => {
                self.open.push((data, None))
            }
        }
    }
}

/// `--password`
fn flag_name(text: &str) -> Option<SecretName> {
    let name = text.strip_prefix("--").or_else(|| text.strip_prefix('-'))?;
    (name.len() > 1 && is_name(name)).then(|| read_name(name.as_bytes()))?
}

/// `X-Api-Key` as an argument of its own.
fn header_name(text: &str) -> Option<SecretName> {
    let is_joined = text.contains(['-', '_']) && !text.starts_with('-') && is_name(text);
    let name = is_joined.then(|| read_name(text.as_bytes()))??;
    matches!(name.kind, Kind::Password | Kind::Secret).then_some(name)
}

fn is_name(text: &str) -> bool {
    (1..=KEY_MAX_BYTES).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// `{"name": "DB_PASSWORD", "value": …}`: the name is a value itself.
fn named_beside(tree: &Tree<'_>, fields: &[usize]) -> Option<SecretName> {
    tree.texts(fields)
        .filter(|(field, name)| name.len() <= KEY_MAX_BYTES && is_name_field(tree.key(*field).as_bytes()))
        .find_map(|(_, name)| read_name(name.as_bytes()))
}

fn is_marked_sensitive(tree: &Tree<'_>, fields: &[usize]) -> bool {
    fields
        .iter()
        .any(|field| tree.key(*field) == "sensitive" && matches!(tree.nodes[*field].content, Content::True))
}

fn is_cookie_of_browser(tree: &Tree<'_>, fields: &[usize]) -> bool {
    tree.field(fields, "name").is_some()
        && fields.iter().any(|field| COOKIE_FIELDS.contains(&tree.key(*field)))
}

/// `{"selector": "#password", "text": …}`: what is typed into a field for a password.
fn typed_name(tree: &Tree<'_>, fields: &[usize]) -> Option<Named> {
    let is_field = |key: &str| FIELD_FIELDS.contains(&key);
    let has_field = tree.texts(fields).any(|(field, _)| is_field(tree.key(field)));
    let is_described = tree.texts(fields).any(|(field, text)| {
        let key = tree.key(field);
        (is_field(key) || LABEL_FIELDS.has(key.as_bytes())) && is_of_password(text)
    });
    is_described.then(|| if has_field { Named::surely(PASSWORD) } else { Named::loosely(PASSWORD) })
}

/// Whether a description is of a password: `Password textbox`, `input[name=passwd]`.
fn is_of_password(description: &str) -> bool {
    description.len() <= KEY_MAX_BYTES
        && Words::of(description.as_bytes()).any(|word| {
            read_name(word).is_some_and(|name| name.kind == Kind::Password) && !is_short_for_password(word)
        })
}

/// `{"file_path": "/p/password.txt", "content": …}`
fn written_name(tree: &Tree<'_>, fields: &[usize]) -> Option<Named> {
    FILE_FIELDS.iter().find_map(|key| {
        let path = tree.field(fields, key)?;
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file.split('.').find(|part| !part.is_empty())?;
        let name = read_name(stem.as_bytes()).filter(|name| name.kind == Kind::Password)?;
        Some(Named::loosely(name))
    })
}

/// `{"$plain": …}`: the object only wraps what it stands under.
fn is_wrapping(key: &str, fields: &[usize]) -> bool {
    fields.len() == 1 && (key.starts_with(['$', '_', '#']) || WRAPPING_KEYS.contains(&key))
}

/// `{"github-oauth": {"github.com": …}}`: whose secret it is.
fn is_host(key: &str) -> bool {
    key.contains('.') && is_name(key) && !key.contains('_')
}

/// `Authorization` and `Cookie` keep what is no secret in them.
fn placed_spans(text: &str, name: SecretName) -> Vec<Span> {
    let mut spans = Vec::new();
    let joined = Joined { operator: Operator::Colon, value_at: 0, is_spaced: false, name_is_quoted: true };
    if matches!(name.kind, Kind::Authorization | Kind::Cookie) {
        header::find(text.as_bytes(), name.kind, joined, &mut spans);
    }
    spans
}
