//! The lines of the broadcast. They are few and change by hand, so they are read for each search and kept nowhere.

use std::collections::HashMap;

use subcortex_guard::Redactor;
use subcortex_memory::Broadcast;

use crate::segment::{Builder, Kind, Stored};
use crate::words::Words;
use crate::{Places, RecallError};

pub(crate) fn broadcast(places: &Places, words: &mut Words) -> Result<Builder, RecallError> {
    let mut builder = Builder::default();
    let redactor = Redactor::new();
    for line in Broadcast::read(&*places.disk, &places.memory)?.lines {
        let text = redactor.text(line.text.trim()).into_owned();
        let mut counts = HashMap::new();
        words.counted(&text, &mut counts);
        let (path, parts) = (line.reference(), vec![text]);
        builder.add(&Stored { kind: Kind::Line, path, ts: None, event: None, session: None, parts }, &counts);
    }
    Ok(builder)
}
