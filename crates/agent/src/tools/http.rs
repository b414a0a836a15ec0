//! `http_get`.

use super::{Args, Tools, string};

/// The longest address, in bytes.
const MAX_URL_BYTES: usize = 2_048;

pub(super) async fn get(tools: &Tools, args: &Args) -> Result<String, String> {
    let url = string(args, "url")?;
    check(url)?;
    let page = tools.fetch.get(url).await?;
    if let (200..=299, Some(board)) = (page.status, &tools.blackboard) {
        board.fetched(url);
    }
    let cut = if page.is_cut { ", cut because it is long" } else { "" };
    Ok(format!("status {}, {}{cut}\n{}", page.status, page.content_type, page.text))
}

/// The form alone. Where an address leads is known only when its name is resolved, so that is for whoever fetches.
fn check(url: &str) -> Result<(), String> {
    if url.len() > MAX_URL_BYTES {
        return Err(format!("the address has {} bytes, and at most {MAX_URL_BYTES} are taken", url.len()));
    }
    if url.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        return Err("the address contains a space or a control character: encode it".into());
    }
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("http" | "https") => Ok(()),
        _ => Err("only addresses that begin with http:// or https:// are fetched".into()),
    }
}
