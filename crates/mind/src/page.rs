//! Pages of the web that a model asks for.

use std::fmt::Debug;
use std::pin::Pin;

/// A page that was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// What the other side says it is; empty if it does not.
    pub content_type: String,
    /// The text: from outside. Bytes that are no UTF-8 are replaced.
    pub text: String,
    /// Whether there was more than is taken.
    pub is_cut: bool,
}

/// A page that is being fetched.
pub type Fetching<'a> = Pin<Box<dyn Future<Output = Result<Fetched, String>> + Send + 'a>>;

/// Whoever fetches pages. It decides where it may go: never to private, loopback or metadata addresses, also not by a
/// redirect or a name that resolves to one.
pub trait Fetch: Debug + Send + Sync {
    /// Fetches a page, or says why not.
    fn get<'a>(&'a self, url: &'a str) -> Fetching<'a>;
}
