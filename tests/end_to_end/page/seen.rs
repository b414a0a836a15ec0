//! Every view with real data, in a real browser: what is shown, that nobody complains, that it can be read and reached.

use serde_json::Value;

use super::browser::{Browser, Scheme};
use super::{Lively, did, weave};
use crate::support::TestHome;

/// The views, and something that each shows of [`Lively`].
const VIEWS: [(&str, &[&str]); 8] = [
    (
        "broadcast",
        &[
            "1 of 4 lines ignored at times",
            "Never push to main",
            "1 missed",
            "Edits of the memory",
            "Be kind to each other",
            "not testable",
        ],
    ),
    ("review", &["cargo nextest run", "It waits because", "git commit -am parser", "Accept", "Reject"]),
    ("now", &["memory-weaver", "tests every line", "a tick", "1 held", "Pause everything"]),
    ("runs", &["What ran", "fails", "Failed", "Done", "exit code 1", "edit for a person"]),
    ("inboxes", &["deploy.md", "held", "What it says", "Try again", "Hand over a task"]),
    ("blackboards", &["research", "Who leads Acme?"]),
    ("spend", &["$0.25", "1,100 tokens", "memory-weaver", "the highest day: $0.25"]),
    (
        "spine",
        &[
            "channel.message",
            "From now on always use pnpm, not npm.",
            "run.ended",
            "Bash: git push origin main",
        ],
    ),
];

/// The contrast of every text that is seen with what is behind it; those that are too weak.
const WEAK_TEXTS: &str = r#"
const parse = (text) => {
  const n = text.match(/[\d.]+(e-?\d+)?/g).map(Number);
  return text.startsWith("color(") ? [n[0] * 255, n[1] * 255, n[2] * 255, n[3] ?? 1] : [n[0], n[1], n[2], n[3] ?? 1];
};
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const behind = (element) => {
  const layers = [];
  for (let one = element; one; one = one.parentElement) layers.push(parse(getComputedStyle(one).backgroundColor));
  return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1]);
};
const light = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const weak = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  const style = getComputedStyle(element);
  if (!own || !element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) || element.closest("svg, noscript, :disabled")) continue;
  const ground = behind(element);
  const opacity = (() => { let all = 1; for (let one = element; one; one = one.parentElement) all *= getComputedStyle(one).opacity; return all; })();
  const ink = parse(style.color);
  const seen = over([ink[0], ink[1], ink[2], ink[3] * opacity], ground);
  const [a, b] = [light(seen), light(ground)].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  if (ratio < (large ? 3 : 4.5)) weak.push(`${ratio.toFixed(2)} ${element.tagName}.${element.className}: ${element.textContent.trim().slice(0, 40)}`);
}
return weak;
"#;

/// Everything that can be used, without what a group of choices leaves out.
const USABLE: &str = r#"[...document.querySelectorAll("a[href], button, input, select, textarea, summary, pre[tabindex]")]
  .filter((one) => one.checkVisibility() && !one.disabled && !(one.type === "radio" && !one.checked))"#;

fn show(browser: &Browser, view: &str, parts: &[&str]) {
    browser.run(&format!("location.hash = '#/{view}'"));
    for part in parts {
        browser.sees(part);
    }
}

fn has_no_weak_texts(browser: &Browser, view: &str) {
    let weak = browser.run(WEAK_TEXTS);
    assert_eq!(weak, Value::Array(Vec::new()), "{view}: texts that are hard to read");
}

fn fits_a_phone(browser: &Browser, view: &str) {
    browser.size(390, 844);
    let width = browser.run("return document.documentElement.scrollWidth");
    assert!(width.as_u64().unwrap() <= 390, "{view} is {width} wide on a phone");
    browser.size(1200, 900);
}

#[test]
fn every_view_shows_real_data_without_complaints_in_light_and_dark_on_a_screen_and_a_phone() {
    let name = "every_view_shows_real_data";
    let Some(light) = Browser::start(name, Scheme::Light) else { return };
    let lively = Lively::new();
    let dark = Browser::start(name, Scheme::Dark).unwrap();
    for (scheme, browser) in [("light", &light), ("dark", &dark)] {
        browser.go(&lively.link);
        browser.sees("Memory");
        for (view, parts) in VIEWS {
            show(browser, view, parts);
            has_no_weak_texts(browser, &format!("{view}, {scheme}"));
            fits_a_phone(browser, view);
        }
        let address = browser.run("return location.href");
        assert!(!address.as_str().unwrap().contains(&lively.door.token), "the token stays in the address");
        assert_eq!(browser.complaints(), Vec::<String>::new(), "{scheme}");
    }
    // What one asks for by its place.
    light.click("#view a[href^='#/runs'], nav a[href='#/runs']");
    light.click(".runs a");
    light.sees("Started");
    show(
        &light,
        "blackboards/research",
        &["STRATEGY", "PENDING", "Who leads Acme?", "Acme → w1", "Missing before a synthesis", "Step in"],
    );
    has_no_weak_texts(&light, "a thread");
    show(&light, "broadcast", &["Never push to main"]);
    light.run("document.querySelector('details.missed').open = true");
    for part in ["Understood as", "Missed in 1 turn", "git push origin main"] {
        light.sees(part);
    }
    has_no_weak_texts(&light, "the evidence of a line");
    fits_a_phone(&light, "the evidence of a line");
    light.run("location.hash = '#/broadcast/edits'");
    light.wait("document.querySelector('#edits-title').getBoundingClientRect().top < innerHeight");
    light.go(&format!("{}/#{}", lively.link.split_once("/#").unwrap().0, "0".repeat(64)));
    light.sees("This page needs its link");
}

#[test]
fn the_lines_that_are_ignored_most_stand_first_and_lead_to_their_evidence() {
    let name = "the_lines_that_are_ignored_most";
    let Some(browser) = Browser::start(name, Scheme::Light) else { return };
    let home = TestHome::new();
    let others: String = (0..9).map(|n| format!("- Run `make part{n}` before committing.\n")).collect();
    home.write("memory/CLAUDE.md", format!("# Rules\n\n{others}- Never push to `main`.\n"));
    home.write("config/subcortex.yaml", "cadence: { interval_ms: 1000 }\nbroadcast: { mode: observe }\n");
    for session in ["a", "b"] {
        home.says(session, "ship it");
        did(&home, session, "git push origin main");
        home.says(session, "thanks");
    }
    weave(&home);
    let lively = Lively::serving(home);
    browser.go(&lively.link);
    browser.sees("1 of 10 lines ignored at times");
    browser.sees("most of all line 12");
    browser.sees("Ignored most");
    browser.sees("missed 2 of 2 times");
    browser.click(".worst a");
    browser.sees("Missed in 2 turns");
    assert_eq!(browser.run("return document.querySelectorAll('details[open]').length"), 1);
    has_no_weak_texts(&browser, "a long report");
    fits_a_phone(&browser, "a long report");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn everything_can_be_reached_and_seen_with_the_keyboard() {
    let Some(browser) = Browser::start("everything_can_be_reached", Scheme::Light) else { return };
    let lively = Lively::new();
    browser.go(&lively.link);
    for (view, parts) in VIEWS {
        show(&browser, view, parts);
        browser.run("window.reached = new Set(); document.activeElement.blur(); scrollTo(0, 0)");
        let usable = browser.run(&format!("return {USABLE}.length")).as_u64().unwrap();
        for _ in 0..usable + 3 {
            browser.press("\u{e004}");
            browser.run(
                "const one = document.activeElement; const style = getComputedStyle(one);
                 const marked = one.type === 'radio' ? getComputedStyle(one.closest('label')) : style;
                 if (one !== document.body && marked.outlineStyle !== 'none') window.reached.add(one)",
            );
        }
        let missing = browser.run(&format!("return {USABLE}.filter((one) => !window.reached.has(one)).map((one) => one.outerHTML.slice(0, 120))"));
        assert_eq!(
            missing,
            Value::Array(Vec::new()),
            "{view}: out of reach, or nobody sees that it is chosen"
        );
    }
    show(&browser, "broadcast", &["Never push to main"]);
    browser.run("document.querySelector('details.rule summary').focus()");
    browser.press("\u{e007}");
    browser.wait("document.querySelector('details.rule').open");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Writes the pictures of `docs/page/`; run by hand after a change of the page: `-- --ignored pictures_of_the_page`.
#[test]
#[ignore = "writes docs/page/*.png"]
fn pictures_of_the_page() {
    let lively = Lively::new();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/page");
    std::fs::create_dir_all(folder).unwrap();
    let keep = |browser: &Browser, name: &str| {
        let picture = browser.picture();
        let decoded = std::process::Command::new("base64")
            .arg("-d")
            .stdin(std::process::Stdio::piped())
            .stdout(std::fs::File::create(format!("{folder}/{name}.png")).unwrap())
            .spawn();
        let mut decoded = decoded.unwrap();
        std::io::Write::write_all(&mut decoded.stdin.take().unwrap(), picture.as_bytes()).unwrap();
        assert!(decoded.wait().unwrap().success());
    };
    for (scheme, tail) in [(Scheme::Light, ""), (Scheme::Dark, "-dark")] {
        let browser = Browser::start("pictures", scheme).unwrap();
        browser.go(&lively.link);
        browser.sees("Memory");
        for (view, parts) in VIEWS {
            browser.size(1100, 820);
            show(&browser, view, parts);
            if view == "broadcast" {
                browser.run("document.querySelector('details.missed').open = true");
                browser.sees("Missed in 1 turn");
            }
            keep(&browser, &format!("{view}{tail}"));
        }
        browser.size(390, 844);
        show(&browser, "broadcast", &["Never push to main"]);
        keep(&browser, &format!("phone{tail}"));
    }
}
