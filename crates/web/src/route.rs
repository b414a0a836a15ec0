//! A route is a row of a table: where it is, who may use it, what it takes, what it does. The guard, the limits and the
//! description for programs are made from the rows, so that none of them can forget one.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::HeaderMap;
use serde_json::{Map, Value};

use crate::{Answer, guard};

/// How a route is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Looks.
    Get,
    /// Does.
    Post,
}

impl Verb {
    /// The word in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Everybody on this machine: it tells nothing of the home.
    Anybody,
    /// A worker, with the token of its run. No browser is let in.
    Worker,
    /// The person whose home it is, with the token of the page; from a program, or from the page itself.
    Person,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A text.
    Text,
    /// A whole number, not negative.
    Number,
}

/// A field of a query or of a body.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub holds: Holds,
    /// Whether it may not be left out.
    pub required: bool,
    /// What it is for.
    pub about: &'static str,
}

impl Field {
    /// A text that may be left out.
    pub const fn text(name: &'static str, about: &'static str) -> Self {
        Self { name, holds: Holds::Text, required: false, about }
    }

    /// A number that may be left out.
    pub const fn number(name: &'static str, about: &'static str) -> Self {
        Self { name, holds: Holds::Number, required: false, about }
    }

    /// The same, and it may not be left out.
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }
}

/// What a route takes as its body.
#[derive(Debug, Clone, Copy)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// One JSON object with these fields, and no others.
    Object(&'static [Field]),
    /// Whatever the route itself understands.
    Raw,
}

type Doing = Pin<Box<dyn Future<Output = Answer> + Send>>;
type Handler = Arc<dyn Fn(Call) -> Doing + Send + Sync>;

/// One row of the table.
#[derive(Clone)]
pub struct Route {
    /// How it is asked.
    pub verb: Verb,
    /// Where it is; `{name}` stands for one part of a path.
    pub path: &'static str,
    /// Who may use it.
    pub rights: Rights,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// What may stand behind the `?`.
    pub query: &'static [Field],
    /// What it takes.
    pub takes: Takes,
    pub(crate) handler: Handler,
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({:?})", self.verb.as_str(), self.path, self.rights)
    }
}

impl Route {
    /// A route that is looked at.
    pub fn get<F>(
        path: &'static str,
        rights: Rights,
        about: &'static str,
        handler: impl Fn(Call) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |call| Box::pin(handler(call)));
        Self { verb: Verb::Get, path, rights, about, query: &[], takes: Takes::Nothing, handler }
    }

    /// A route that does something.
    pub fn post<F>(
        path: &'static str,
        rights: Rights,
        about: &'static str,
        handler: impl Fn(Call) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        Self::get(path, rights, about, handler).that_acts()
    }

    /// The same as a route that does something.
    #[must_use]
    pub fn that_acts(self) -> Self {
        Self { verb: Verb::Post, ..self }
    }

    /// The same with fields behind the `?`.
    #[must_use]
    pub fn with_query(self, query: &'static [Field]) -> Self {
        Self { query, ..self }
    }

    /// The same with a body.
    #[must_use]
    pub fn taking(self, takes: Takes) -> Self {
        Self { takes, ..self }
    }
}

/// What somebody who may asks of a route: only fields that the row names, each of the kind that it names.
#[derive(Debug, Default)]
pub struct Call {
    pub(crate) places: BTreeMap<String, String>,
    pub(crate) query: Map<String, Value>,
    pub(crate) object: Map<String, Value>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Call {
    /// A part of the path.
    pub fn place(&self, name: &str) -> &str {
        self.places.get(name).map_or("", String::as_str)
    }

    /// A text of the query or the body.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.query.get(name).or_else(|| self.object.get(name)).and_then(Value::as_str)
    }

    /// A number of the query or the body.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.query.get(name).or_else(|| self.object.get(name)).and_then(Value::as_u64)
    }

    /// The token that was shown.
    pub(crate) fn token(&self) -> &str {
        guard::token(&self.headers).unwrap_or_default()
    }
}
