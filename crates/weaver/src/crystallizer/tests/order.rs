use proptest::prelude::*;
use subcortex_memory::{Broadcast, Fragment, Journal, SignalKind, Trajectory, fragments::Stored};

use super::{about, against, said};
use crate::CompiledBroadcast;
use crate::crystallizer::fold::Totals;
use crate::crystallizer::wanted::Material;
use crate::crystallizer::{candidates, ledger};

const RULES: &str = "- Use pnpm, not npm.\n- Never push to main, see [[topic-push]].\n";

fn fragment(broadcast: &Broadcast, event: usize, shape: u8) -> Fragment {
    let (one, two) = (&broadcast.lines[0].hash, &broadcast.lines[1].hash);
    let session = event % 40;
    match shape % 6 {
        0 => about(event, session, (1, one), Trajectory::Strengthening),
        1 => about(event, session, (2, two), Trajectory::Weakening),
        2 => about(event, session, (1 + event % 2, two), Trajectory::Neutral),
        3 => against(event, session, (1, one), "use `npm`, I said"),
        4 => said(event, session, SignalKind::Correction, "squash commits, see ci.yaml"),
        _ => said(event, session, SignalKind::StandingInstruction, &format!("always use tool{}", event % 5)),
    }
}

/// Everything that is written, as one text.
fn product(totals: &Totals, compiled: &CompiledBroadcast) -> String {
    let journal = Journal::default();
    let groups = candidates::group(&totals.tally, &compiled.broadcast, &journal);
    let (tally, mentions, doubts) = (&totals.tally, &totals.mentions, crate::Doubts::default());
    let material = Material { tally, mentions, compiled, journal: &journal, groups: &groups };
    let dossiers: String = material.wanted().iter().map(|wanted| wanted.make().render()).collect();
    let page = ledger::Page { all: tally, counted: tally, compiled, journal: &journal, doubts: &doubts };
    page.render(&groups) + &dossiers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn neither_order_nor_portions_can_be_seen(
        shapes in proptest::collection::vec(any::<u8>(), 1..120),
        order in any::<u64>(),
        split in any::<prop::sample::Index>(),
    ) {
        let compiled = CompiledBroadcast::from(RULES);
        let stored: Vec<Stored> = shapes.iter().enumerate().map(|(event, shape)| {
            let fragment = fragment(&compiled.broadcast, event, *shape);
            Stored { path: format!("memory/fragments/{}", fragment.file()), fragment }
        }).collect();
        let mut straight = Totals::default();
        stored.iter().for_each(|stored| straight.fold(stored));

        let mut shuffled: Vec<&Stored> = stored.iter().collect();
        shuffled.sort_by_key(|stored| blake3::hash(format!("{order}{}", stored.path).as_bytes()).to_hex().to_string());
        let (first, second) = shuffled.split_at(split.index(shuffled.len()));
        let mut portions = Totals::default();
        first.iter().for_each(|stored| portions.fold(stored));
        let text = serde_json::to_string(&portions).unwrap();
        let mut portions: Totals = serde_json::from_str(&text).unwrap();
        second.iter().for_each(|stored| portions.fold(stored));

        prop_assert_eq!(&portions, &straight);
        prop_assert_eq!(product(&portions, &compiled), product(&straight, &compiled));
    }
}
