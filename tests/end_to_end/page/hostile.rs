//! Texts from outside that would like to be more than text, in every view: they are shown, and nothing runs.

use serde_json::json;

use super::browser::{Browser, Scheme};
use super::{Lively, RULES, did, say, spent};
use crate::partitions::script;
use crate::support::TestHome;

/// Markup that would change the page if it were markup anywhere; a file can have this name.
const MARKUP: &str =
    "<img src=x onerror=\"window.pwned=1\"><svg onload=window.pwned=1>'\"&lt;javascript:pwned";
/// Turns the direction of what follows it.
const TURNED: &str = "\u{202e}txt.exe";

fn hostile_home() -> TestHome {
    let home = TestHome::new();
    home.write("config/subcortex.yaml", "cadence: { interval_ms: 1000 }\nbroadcast: { mode: propose }\n");
    home.write("memory/CLAUDE.md", format!("# {MARKUP}\n{RULES}- Never run `{MARKUP}`.\n"));
    did(&home, MARKUP, &format!("git push origin main # {MARKUP} {TURNED}"));
    home.says(MARKUP, &format!("From now on always use pnpm, not npm. {MARKUP}"));
    home.says(MARKUP, &format!("ok {MARKUP} {TURNED}"));
    home.run(&["tick", "--partition", "memory-weaver"]);
    let change = json!({ "kind": "add", "after": format!("- {MARKUP}"), "why": MARKUP, "evidence": [{ "fragment": "memory/fragments/../../x", "event_id": MARKUP, "session_key": MARKUP }] });
    let proposal = json!({ "id": "prop_x", "created": jiff::Timestamp::now(), "waits_because": MARKUP, "change": change });
    std::fs::create_dir_all(home.path("memory/proposals")).unwrap();
    home.write("memory/proposals/prop_x.yaml", proposal.to_string());
    let journal = json!({ "id": "edit_x", "ts": jiff::Timestamp::now(), "cause": "evidence", "changes": [{ "kind": "rewrite", "before": MARKUP, "after": MARKUP, "why": MARKUP, "evidence": [] }] });
    home.write("memory/journal.jsonl", format!("{journal}\n"));
    script(&home, "fails", "cooldown_ticks: 0", "cat; echo '<img src=x onerror=window.pwned=1>' >&2; exit 1");
    home.write(&format!("subconscious/fails/inbox/{MARKUP}.md"), MARKUP);
    for _ in 0..3 {
        home.run(&["tick", "--partition", "fails"]);
    }
    home.write("subconscious/fails/PAUSED", MARKUP);
    spent(&home, MARKUP, 0.1);
    say(
        &home,
        "supervisor",
        "boss",
        &json!({ "kind": "STRATEGY", "goal": MARKUP, "entities": ["Acme"], "tool_chain": [MARKUP], "assigned": { "Acme": "w1" } }),
    );
    say(&home, "user", "me", &json!({ "kind": "USER_DIRECTIVE", "text": format!("{MARKUP} {TURNED}") }));
    home
}

#[test]
fn hostile_texts_stay_texts_in_every_view() {
    let Some(browser) = Browser::start("hostile_texts_stay_texts", Scheme::Light) else { return };
    let lively = Lively::serving(hostile_home());
    browser.go(&lively.link);
    browser.wait("document.querySelector('#glance a')");
    let run = lively.look("runs")["runs"][0]["run_id"].as_str().unwrap().to_owned();
    let views = [
        "broadcast",
        "review",
        "now",
        "runs",
        &format!("runs/{run}"),
        "inboxes",
        "blackboards",
        "blackboards/research",
        "spend",
        "spine",
    ];
    for view in views {
        browser.run(&format!("location.hash = '#/{view}'"));
        browser.wait("document.querySelector('#view h1')");
        if !view.starts_with("runs") {
            browser.sees("<img src=x onerror=");
        }
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true })");
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(browser.run("return window.pwned ?? null"), json!(null), "{view}");
        let made = browser.run("return [...document.querySelectorAll('main img, main svg[onload], main script, [href^=javascript]')].length");
        assert_eq!(made, 0, "{view}: text became markup");
        assert_eq!(
            browser.run("return document.body.innerText.includes('\\u202e')"),
            false,
            "{view}: text is turned around"
        );
    }
    browser.run("location.hash = '#/inboxes'");
    browser.sees("held");
    browser.click("#view .tasks button");
    browser.sees("is tried again");
    assert_eq!(browser.complaints(), Vec::<String>::new(), "the policy had to stop something");
}

#[test]
fn the_page_may_run_its_own_scripts_and_nothing_else() {
    let Some(browser) = Browser::start("the_page_may_run", Scheme::Light) else { return };
    let lively = Lively::serving(TestHome::new());
    browser.go(&lively.link);
    browser.wait("document.querySelector('#glance a')");
    let refused = browser.run(
        "return new Promise((done) => setTimeout(() => {
         const tried = [];
         try { document.body.innerHTML = '<b>x</b>'; tried.push('markup of text'); } catch {}
         try { window.eval('window.pwned = 1'); tried.push('eval'); } catch {}
         const script = document.createElement('script'); try { script.text = 'window.pwned = 2'; document.head.append(script); } catch {}
         if (window.pwned) tried.push('an inline script');
         done(tried) }))",
    );
    assert_eq!(refused, json!([]));
    let outside = "return fetch('http://127.0.0.1:1/').then(() => 'asked', () => 'refused')";
    assert_eq!(browser.run(outside), "refused");
    let complaints = browser.complaints().join("\n");
    assert!(complaints.contains("Content Security Policy"), "{complaints}");
}
