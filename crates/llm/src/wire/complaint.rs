//! What the other side says when something went wrong.

use serde_json::Value;

use crate::answer::Trouble;

/// An error inside a stream or an answer, read as the status that it would have been.
pub(super) fn said(error: &Value) -> Trouble {
    let status = [&error["code"], &error["status"], &error["type"]].into_iter().find_map(status);
    // What nobody knows may pass as well as an inner error.
    Trouble::Said {
        status: status.unwrap_or(500),
        reason: words(error).unwrap_or("no reason is given").to_owned(),
    }
}

/// The reason in the body of a refused request: its message if it is JSON of a usual form, else the text.
pub(crate) fn reason(body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let places = [&value["error"], &value["detail"], &value];
    let found = places.into_iter().find_map(words);
    found.unwrap_or(if body.trim().is_empty() { "no reason is given" } else { body }).to_owned()
}

fn words(error: &Value) -> Option<&str> {
    let places = [&error["message"], error, &error["type"], &error["code"]];
    places.into_iter().find_map(|place| place.as_str().filter(|words| !words.trim().is_empty()))
}

fn status(code: &Value) -> Option<u16> {
    if let Some(number) = code.as_u64() {
        return u16::try_from(number).ok().filter(|number| (400..600).contains(number));
    }
    match code.as_str()? {
        "invalid_request_error" | "invalid_prompt" => Some(400),
        "authentication_error" | "invalid_api_key" => Some(401),
        "billing_error" => Some(402),
        "permission_error" => Some(403),
        "not_found_error" | "model_not_found" => Some(404),
        "request_too_large" => Some(413),
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" => Some(429),
        "api_error" | "server_error" | "internal_server_error" => Some(500),
        "timeout_error" => Some(504),
        "overloaded_error" | "overloaded" => Some(529),
        number => number.parse().ok().filter(|number| (400..600).contains(number)),
    }
}
