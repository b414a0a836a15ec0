//! Edits that wait for a person's yes, each with what was said and what the agent had done.

use subcortex_weaver::explain::{self, Review};

use crate::{Page, PageError};

pub(crate) fn review(page: &Page) -> Result<Review, PageError> {
    Ok(explain::review(&page.helm.workshop())?)
}
