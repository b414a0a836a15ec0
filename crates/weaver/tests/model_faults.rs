//! Every fault at every call of a scan with a model: what is done again comes to the same.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod support;

use std::sync::Arc;

use serde_json::json;
use subcortex_mind::{AskNow, Failure, Question, Reply};
use subcortex_store::{Fault, FaultKind, FaultyDisk, RealDisk, Then};
use subcortex_weaver::CompiledBroadcast;
use subcortex_weaver::scanner::{self, ScanRequest};
use support::World;

/// A stand-in for a model that always answers the same to the same.
#[derive(Debug)]
struct Steady;

impl AskNow for Steady {
    fn model(&self) -> &'static str {
        "steady"
    }

    fn ask_now(&self, question: &Question) -> Result<Reply, Failure> {
        let compiled = json!({
            "1": { "untestable": "x" },
            "2": {
                "trigger": [{ "wrote": { "paths": ["db/schema.sql"] } }],
                "expect": [{ "ran": { "command": "foo-sync" } }],
                "examples": { "followed": ["+ db/schema.sql\nx", "$ foo-sync"], "missed": ["+ db/schema.sql\nx"] },
            },
            "3": { "untestable": "x" },
        });
        let answer = match question.purpose {
            "compile" => compiled,
            _ if question.said[0].text.contains("foo-sync") => json!({ "verdict": "missed", "quote": "" }),
            _ => json!({ "verdict": "followed", "quote": "pnpm add left-pad" }),
        };
        Ok(Reply { text: answer.to_string(), ..Reply::default() })
    }
}

fn world() -> World {
    let mut world = World::with(
        "- Use pnpm, not npm.\n- The `foo-sync` script ought to be kicked off once `db/schema.sql` was touched.\n- Be nice.\n",
    );
    world.person("s1", "add it");
    world.ran("s1", "npm install left-pad");
    world.ran("s1", "pnpm add left-pad");
    world.person("s1", "and a column");
    world.wrote("s1", "db/schema.sql", "alter table");
    world.event("claude", "agent.session_end", "s1", json!({}));
    world.pin_events();
    world.thinks(Steady);
    world
}

#[test]
fn a_scan_that_failed_anywhere_is_simply_done_again() {
    let mut sound = world();
    sound.scan();
    let expect = sound.memory();
    assert!(expect.iter().any(|(_, text)| text.contains("judged_by: model")));
    assert!(expect.iter().any(|(_, text)| text.contains("by: model\n")));
    let mut hits = 0;
    for kind in [FaultKind::Eio, FaultKind::Crash] {
        for at_call in 1.. {
            let mut world = world();
            let disk = Arc::new(FaultyDisk::new(RealDisk, Fault { at_call, kind, then: Then::Once }));
            let (mut broadcast, _) = CompiledBroadcast::read(&RealDisk, &world.shop.folder).unwrap();
            world.shop.disk = disk.clone();
            let _whatever = scanner::scan(&world.shop, &mut broadcast, &ScanRequest::default(), &|| false);
            world.shop.disk = Arc::new(RealDisk);
            world.scan();
            world.scan();
            hits += usize::from(disk.was_hit());
            let memory: Vec<_> =
                world.memory().into_iter().filter(|(name, _)| !name.contains("/.")).collect();
            assert_eq!(memory, expect, "{kind:?} at {at_call}\n{}", disk.log().join("\n"));
            if !disk.was_reached() {
                break;
            }
        }
    }
    assert!(hits > 30, "{hits}");
}
