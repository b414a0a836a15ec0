//! What the memory's own check finds becomes tasks: one each, once, taken back when it no longer holds. What asks nobody for anything
//! becomes none: a file of forty lines would fill the inbox before anybody had asked for something.

use subcortex_home::Home;
use subcortex_inbox::notices::{Board, Notice, Settled};
use subcortex_inbox::{Consumer, addressee};
use subcortex_store::Disk;
use subcortex_weaver::{Finding, Settings, inspect};

use super::{Around, Call};
use crate::workshop::workshop;

/// How many findings are posted at the same time: the rest waits until some of these are handled.
const MAX_POSTED: usize = 200;

/// Whether there is something to post or to take back.
pub(super) fn has_news(around: &Around<'_>, consumers: &[Consumer]) -> bool {
    let shop = workshop(around.home, around.disk, Settings::default(), None);
    inspect(&shop)
        .is_ok_and(|found| !board(&**around.disk, around.home).is_settled(&notices(&found, consumers)))
}

/// Posts and takes back.
pub(super) fn settle(call: &Call, consumers: &[Consumer]) -> Result<Settled, String> {
    let shop = workshop(&call.home, &call.disk, call.settings, None);
    let found = inspect(&shop).map_err(|error| error.to_string())?;
    board(&*call.disk, &call.home).settle(&notices(&found, consumers)).map_err(|error| error.to_string())
}

fn board<'a>(disk: &'a dyn Disk, home: &Home) -> Board<'a> {
    let notes = home.memory().join("state/memory-check.json");
    Board { disk, notes, prefix: "check", partitions: home.subconscious() }
}

/// Posts only what some partition takes: anything else would stay in the shared inbox for good.
fn notices(found: &[Finding], consumers: &[Consumer]) -> Vec<Notice> {
    let of = |finding: &Finding| {
        let body = finding.task();
        let inbox = addressee(&body, consumers).ok()?.to_owned();
        Some(Notice { key: finding.key.clone(), inbox, body })
    };
    found.iter().filter(|finding| finding.asks_for_work()).filter_map(of).take(MAX_POSTED).collect()
}
