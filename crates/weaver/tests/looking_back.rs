//! What is about to become a line is looked up on the spine, also behind scans that have forgotten what an agent said.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, dead_code)]

mod support;

use serde_json::json;
use subcortex_weaver::reflect;
use support::World;

const RULES: &str = "- Keep functions small.\n";
const ORDER: &str = "From now on, always run `make check` before you commit.";

fn goes_on(world: &mut World, said: &str) {
    world.person("s1", said);
    world.ran("s1", "ls");
    world.minutes_pass(30);
    reflect(&world.shop, &|| false).unwrap();
}

#[test]
fn a_prompt_that_the_agent_scheduled_itself_is_nobodys_however_many_runs_lie_between() {
    for (tool, input) in [
        ("CronCreate", json!({ "cron": "* * * * *", "prompt": ORDER })),
        ("SendMessage", json!({ "message": format!("note: {ORDER}") })),
        ("Write", json!({ "file_path": "/p/RULES.md", "content": format!("# Rules\n\n{ORDER}\n") })),
    ] {
        let mut world = World::with(RULES);
        world.person("s1", "hi there, look around");
        let call = json!({ "tool_name": tool, "input": input, "tool_use_id": "c1" });
        world.event("claude", "agent.tool_use", "s1", call);
        for said in ["now look at the menu", "and at the footer", ORDER, "thanks"] {
            goes_on(&mut world, said);
        }
        assert_eq!(world.file("memory/CLAUDE.md"), RULES, "{tool}");
    }
    let mut world = World::with(RULES);
    for said in ["hi there, look around", "now look at the menu", ORDER, "thanks"] {
        goes_on(&mut world, said);
    }
    assert!(world.file("memory/CLAUDE.md").contains("make check"), "a person's own order is heard");
}
