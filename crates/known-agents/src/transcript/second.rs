//! Words of a call and of its answer, of which there are two reports.
//!
//! A hook and a record report a call under one name, and the spine keeps whichever comes first. They need not say the same, and an agent was
//! shown both: so what may be an order for good in a report is told beside it, named by its words. Two reports that say the same tell it once.

use serde_json::Value;
use subcortex_model::{Draft, event_type};

use super::bound;
use super::draft::Payload;
use super::rest::Rest;
use super::shown::{is_telling, texts_of};

/// Tells the orders of the calls and answers among the drafts from this place on, behind all of them.
pub(crate) fn tell_orders(rest: Rest, drafts: &mut Vec<Draft>, from: usize) {
    if rest == Rest::Orders {
        let told: Vec<Draft> = drafts[from..].iter().filter_map(orders_of).collect();
        drafts.extend(told);
    }
}

fn orders_of(draft: &Draft) -> Option<Draft> {
    let field = |name: &str| draft.payload.get(name);
    let is_answer = draft.event_type == event_type::AGENT_TOOL_RESULT;
    let texts = match &*draft.event_type {
        // What was refused may hold a person's words.
        event_type::AGENT_TOOL_RESULT if field("refused") == Some(&Value::Bool(true)) => return None,
        event_type::AGENT_TOOL_RESULT => field("text").map(texts_of),
        event_type::AGENT_TOOL_USE => field("input").map(texts_of),
        _ => None,
    };
    let (name, texts) = (draft.key.as_ref()?, texts?);
    let orders: String = texts.into_iter().map(bound::orders).collect();
    if !is_telling(&orders) {
        return None;
    }
    let hash = blake3::hash(orders.as_bytes()).to_hex();
    let call = field("tool_use_id").filter(|_| is_answer).cloned();
    let payload = Payload::new().with("text", orders).with_some("tool_use_id", call).into_fields();
    Some(Draft {
        event_type: event_type::AGENT_SHOWN.to_owned(),
        source_id: Some(format!("{name}#words-{}", &hash[..8])),
        key: None,
        payload,
        ..draft.clone()
    })
}
