//! Fragments: what a person or an agent said or did that is evidence.

use std::collections::HashMap;

use subcortex_memory::fragments::{days, read_day};

use crate::segment::{Builder, Kind, Stored};
use crate::words::Words;
use crate::{Places, RecallError};

/// The days that have fragments, each with a stamp that changes when one comes or goes.
pub(crate) fn stamps(places: &Places) -> Result<Vec<(String, String)>, RecallError> {
    let days = days(&*places.disk, &places.memory)?;
    Ok(days.into_iter().map(|(day, mtime_ns)| (day, mtime_ns.to_string())).collect())
}

pub(crate) fn fragments(places: &Places, day: &str, words: &mut Words) -> Result<Builder, RecallError> {
    let mut builder = Builder::default();
    for stored in read_day(&*places.disk, &places.memory, day)?.fragments {
        let fragment = stored.fragment;
        let mut counts = HashMap::new();
        words.counted(&fragment.quote, &mut counts);
        words.counted(&fragment.note, &mut counts);
        let shown = Stored {
            kind: Kind::Fragment,
            path: stored.path,
            ts: Some(fragment.source_ts),
            event: Some(fragment.source_event_id.as_str().to_owned()),
            session: fragment.session_key,
            parts: vec![fragment.quote, fragment.note],
        };
        builder.add(&shown, &counts);
    }
    Ok(builder)
}
