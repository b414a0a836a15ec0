//! What can be counted.

use std::sync::Arc;

use serde_json::Value;

use crate::{Page, PageError};

/// The text, as `subcortex metrics` prints it.
pub(crate) async fn metrics(page: &Arc<Page>) -> Result<Value, PageError> {
    let schedule = page.schedule().await?;
    page.read(move |page| {
        let (spend, shop) = (page.helm.spend(), page.helm.workshop());
        Ok(subcortex_daemon::metrics(&schedule, &spend, &shop)?)
    })
    .await
}
