//! Public pages of the web, for a worker that may read them.
//!
//! What a worker asks for was written by a model that has read who knows what. So a URL may only lead to the public
//! internet: not to this machine, its network, or the metadata of a cloud. Each URL is checked as it was written
//! (`target`), each address that its name stands for is checked before it is connected to (`resolver`), and each
//! redirect begins with the same checks (`fetcher`). Which addresses are public stands in `public`.

mod error;
mod fetcher;
mod public;
mod resolver;
mod target;
#[cfg(test)]
mod tests;

pub use error::FetchError;
pub use fetcher::Fetcher;
pub use subcortex_mind::Fetched;
