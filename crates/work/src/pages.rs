//! Public pages, for the agent loop.

use subcortex_agent::{Fetch, Fetched, Fetching};
use subcortex_llm::fetch::Fetcher;

/// Public pages, for the agent loop.
#[derive(Debug)]
pub struct Pages(Fetcher);

impl Default for Pages {
    fn default() -> Self {
        Self(Fetcher::new())
    }
}

impl Fetch for Pages {
    fn get<'a>(&'a self, url: &'a str) -> Fetching<'a> {
        Box::pin(async move {
            let page = self.0.get(url).await.map_err(|error| error.to_string())?;
            let subcortex_llm::fetch::Fetched { status, content_type, text, is_cut } = page;
            Ok(Fetched { status, content_type, text, is_cut })
        })
    }
}
