//! What a worker wants, from the body of its request.

use axum::http::{HeaderMap, StatusCode, header};
use serde_json::{Map, Value};

/// What is said to a body that is no JSON object.
const NO_OBJECT: &str = "the body must be JSON such as {\"scratchpad\": \"your text\"}";
/// What is said to a body of another type.
const OTHER_TYPE: &str =
    "the content type must be text/plain, application/json or application/x-www-form-urlencoded";

/// A body that is not taken: the status, and why.
type NotTaken = (StatusCode, String);

/// The keys and values that a body gives. A text alone is the scratchpad's.
pub(crate) fn wanted(headers: &HeaderMap, body: &[u8]) -> Result<Map<String, Value>, NotTaken> {
    let bad = |why: &str| (StatusCode::BAD_REQUEST, why.to_owned());
    let text = std::str::from_utf8(body).map_err(|_| bad("the body must be text in UTF-8"))?;
    match media_type(headers)?.as_str() {
        "" | "text/plain" => Ok(Map::from_iter([("scratchpad".to_owned(), Value::from(text))])),
        "application/json" => serde_json::from_str(text).map_err(|_| bad(NO_OBJECT)),
        "application/x-www-form-urlencoded" => form(text).map_err(|why| bad(&why)),
        _ => Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, OTHER_TYPE.to_owned())),
    }
}

/// The type without its parameters; empty when the request names none.
fn media_type(headers: &HeaderMap) -> Result<String, NotTaken> {
    let mut named = headers.get_all(header::CONTENT_TYPE).iter();
    let other = || (StatusCode::UNSUPPORTED_MEDIA_TYPE, OTHER_TYPE.to_owned());
    let Some(first) = named.next() else { return Ok(String::new()) };
    let first = first.to_str().map_err(|_| other())?;
    if named.next().is_some() {
        return Err(other());
    }
    Ok(first.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

fn form(text: &str) -> Result<Map<String, Value>, String> {
    let mut wanted = Map::new();
    for (key, value) in form_urlencoded::parse(text.as_bytes()) {
        if wanted.insert(key.clone().into_owned(), Value::from(value.into_owned())).is_some() {
            return Err("a key is given twice in the form".into());
        }
    }
    Ok(wanted)
}
