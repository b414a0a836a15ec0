//! The moves one by one: what is legal, and what a refusal says.
#![allow(clippy::unwrap_used)] // a test may fail

use std::collections::BTreeSet;

use serde_json::{Value, json};
use subcortex_blackboard::{Author, Board, Entry, Fact, Record, Role, ThreadId, WebAddress, delegations};

const PAGE: &str = "https://acme.example/about";
const DEAD: &str = "https://dead.example/x";

/// A thread, spoken to as a script would.
#[derive(Default)]
struct Talk(Board);

impl Talk {
    fn say(&mut self, role: Role, id: &str, entry: &Value) -> Result<(), String> {
        let entry = Entry::parse(&entry.to_string()).map_err(|why| why.to_string())?;
        self.0.append(&Author::new(role, id).unwrap(), &entry).map_err(|why| why.to_string())
    }

    #[track_caller]
    fn takes(&mut self, role: Role, id: &str, entry: &Value) -> &mut Self {
        self.say(role, id, entry).unwrap();
        self
    }

    #[track_caller]
    fn refuses(&mut self, role: Role, id: &str, entry: &Value, expect: &str) -> &mut Self {
        let before = self.0.clone();
        let why = self.say(role, id, entry).unwrap_err();
        assert!(why.contains(expect), "{why}");
        assert_eq!(self.0, before, "a refusal leaves no trace");
        self
    }

    fn with_strategy() -> Self {
        let mut talk = Talk::default();
        talk.takes(Role::Supervisor, "boss", &strategy(&["Acme"], json!(["w1", "w2"])));
        talk
    }
}

fn strategy(entities: &[&str], assigned: Value) -> Value {
    json!({"kind": "STRATEGY", "goal": "who leads them", "entities": entities, "tool_chain": ["search", "fetch"], "assigned": assigned})
}

fn pending(worker: &str) -> Value {
    json!({"kind": "PENDING", "entity": "Acme", "field": "ceo", "assigned_to": worker, "turn": 1})
}

fn verified(worker: &str, url: &str) -> Value {
    json!({"kind": "VERIFIED", "entity": "Acme", "field": "ceo", "value": "Ann", "source_url": url, "retrieved_by": worker})
}

fn unverified() -> Value {
    json!({"kind": "UNVERIFIED", "entity": "Acme", "field": "ceo", "claimed_value": "Ann?", "reason": "no source"})
}

fn failed(worker: &str, url: &str) -> Value {
    json!({"kind": "FAILED_URL", "url": url, "failure_reason": "404", "tried_by": worker})
}

fn tombstone(url: &str) -> Value {
    json!({"kind": "TOMBSTONE", "url": url, "failure_reason": "404", "turn": 2})
}

fn directive(text: &str) -> Value {
    json!({"kind": "USER_DIRECTIVE", "text": text})
}

fn synthesis(citations: &[&str]) -> Value {
    json!({"kind": "SYNTHESIS", "text": "Ann leads Acme", "citations": citations})
}

use Role::{Supervisor, User, Worker};

#[test]
fn a_wrong_role_is_told_what_it_may_append() {
    Talk::with_strategy()
        .refuses(Supervisor, "boss", &pending("boss"), "PENDING is for a worker, and you are a supervisor: you may append STRATEGY, TOMBSTONE, SYNTHESIS")
        .refuses(Worker, "w1", &strategy(&["X"], json!([])), "you may append PENDING, VERIFIED, UNVERIFIED, FAILED_URL")
        .refuses(Worker, "w1", &directive("x"), "USER_DIRECTIVE is for a user")
        .refuses(User, "ann", &tombstone(DEAD), "TOMBSTONE is for a supervisor");
}

#[test]
fn nobody_speaks_for_somebody_else() {
    Talk::with_strategy()
        .refuses(Worker, "w1", &pending("w2"), "`assigned_to` is `w2`, and you are `w1`")
        .takes(Worker, "w1", &pending("w1"))
        .refuses(Worker, "w1", &verified("w2", PAGE), "`retrieved_by` is `w2`")
        .refuses(Worker, "w1", &failed("w2", DEAD), "`tried_by` is `w2`");
}

#[test]
fn a_move_from_nowhere_is_refused() {
    Talk::default()
        .refuses(Worker, "w1", &pending("w1"), "there is no STRATEGY yet")
        .refuses(Supervisor, "boss", &synthesis(&[PAGE]), "there is no STRATEGY yet")
        .refuses(Worker, "w1", &failed("w1", DEAD), "there is no STRATEGY yet");
    Talk::with_strategy()
        .refuses(Worker, "w1", &verified("w1", PAGE), "nobody has claimed `ceo` of `Acme`")
        .refuses(Worker, "w1", &unverified(), "nobody has claimed")
        .refuses(Supervisor, "boss", &tombstone(DEAD), "no worker has reported");
}

#[test]
fn a_claim_is_one_worker_s_and_a_known_fact_is_reused() {
    let mut elsewhere = pending("w1");
    elsewhere["entity"] = json!("Hooli");
    Talk::with_strategy()
        .refuses(Worker, "w1", &elsewhere, "does not list `Hooli`: claim one of `Acme`")
        .takes(Worker, "w1", &pending("w1"))
        .refuses(Worker, "w2", &pending("w2"), "is claimed by `w1`")
        .refuses(Worker, "w1", &pending("w1"), "is claimed by `w1`")
        .refuses(Worker, "w2", &verified("w2", PAGE), "only it may append")
        .takes(Worker, "w1", &verified("w1", PAGE))
        .refuses(
            Worker,
            "w2",
            &pending("w2"),
            "VERIFIED already: reuse `Ann` from https://acme.example/about",
        );
}

#[test]
fn what_stays_unverified_goes_to_another_worker() {
    Talk::with_strategy()
        .takes(Worker, "w1", &pending("w1"))
        .takes(Worker, "w1", &unverified())
        .refuses(Worker, "w1", &pending("w1"), "another worker may claim it")
        .refuses(Supervisor, "boss", &synthesis(&[PAGE]), "`ceo` of `Acme` is UNVERIFIED")
        .takes(Worker, "w2", &pending("w2"))
        .takes(Worker, "w2", &verified("w2", PAGE))
        .takes(Supervisor, "boss", &synthesis(&[PAGE]));
}

#[test]
fn a_stale_claim_is_released_by_a_strategy_that_gives_it_to_others() {
    let mut again = strategy(&["Acme"], json!({"Acme": "w2"}));
    again["query"] = json!("Acme chief executive");
    Talk::with_strategy()
        .takes(Worker, "w1", &pending("w1"))
        .takes(Supervisor, "boss", &strategy(&["Acme"], json!(["w1", "w2"])))
        .refuses(Worker, "w2", &pending("w2"), "is claimed by `w1`")
        .takes(Supervisor, "boss", &again)
        .refuses(Worker, "w1", &verified("w1", PAGE), "nobody has claimed")
        .takes(Worker, "w2", &pending("w2"));
}

#[test]
fn what_a_strategy_no_longer_lists_holds_nothing_up() {
    Talk::with_strategy()
        .takes(Worker, "w1", &pending("w1"))
        .takes(Worker, "w1", &unverified())
        .takes(Supervisor, "boss", &strategy(&["Globex"], json!(["w1"])))
        .refuses(Supervisor, "boss", &synthesis(&[PAGE]), "`Globex` has no VERIFIED entry");
}

#[test]
fn a_tombstone_is_for_ever_and_everywhere() {
    let mut in_prose = synthesis(&[PAGE]);
    in_prose["text"] = json!("as https://DEAD.example/x#top said");
    let mut talk = Talk::with_strategy();
    talk.takes(Worker, "w1", &pending("w1"))
        .takes(Worker, "w1", &failed("w1", DEAD))
        .refuses(Worker, "w1", &failed("w1", DEAD), "reported https://dead.example/x as failed already")
        .takes(Supervisor, "boss", &tombstone(DEAD))
        .refuses(Supervisor, "boss", &tombstone(DEAD), "tombstoned for ever")
        .refuses(Worker, "w2", &failed("w2", DEAD), "tombstoned for ever")
        .refuses(Worker, "w1", &verified("w1", DEAD), "tombstoned for ever")
        .refuses(Worker, "w1", &verified("w1", "HTTPS://dead.example:443/x#a"), "tombstoned for ever")
        .takes(Worker, "w1", &verified("w1", PAGE))
        .refuses(Supervisor, "boss", &synthesis(&[DEAD]), "tombstoned for ever")
        .refuses(Supervisor, "boss", &in_prose, "tombstoned for ever")
        .takes(Supervisor, "boss", &synthesis(&[PAGE]))
        .takes(User, "ann", &directive("again"))
        .takes(Supervisor, "boss", &strategy(&["Acme"], json!([])))
        .refuses(Supervisor, "boss", &synthesis(&[DEAD]), "tombstoned for ever");
}

#[test]
fn a_fact_whose_page_died_is_open_again() {
    let mut talk = Talk::with_strategy();
    talk.takes(Worker, "w1", &pending("w1"))
        .takes(Worker, "w1", &verified("w1", PAGE))
        .takes(Worker, "w2", &failed("w2", PAGE))
        .refuses(Supervisor, "boss", &synthesis(&[PAGE]), "has not made a TOMBSTONE")
        .takes(Supervisor, "boss", &tombstone(PAGE))
        .refuses(Supervisor, "boss", &synthesis(&[PAGE]), "`Acme` has no VERIFIED entry")
        .takes(Worker, "w1", &pending("w1"));
}

#[test]
fn a_synthesis_needs_everything_settled_and_names_all_that_is_not() {
    let mut talk = Talk::with_strategy();
    talk.takes(Worker, "w1", &pending("w1")).takes(Worker, "w1", &failed("w1", DEAD)).takes(
        User,
        "ann",
        &directive("also the founding year"),
    );
    let why = talk.say(Supervisor, "boss", &synthesis(&[PAGE])).unwrap_err();
    for part in [
        "`ceo` of `Acme` is PENDING with `w1`",
        "`Acme` has no VERIFIED entry",
        "https://dead.example/x is a FAILED_URL",
        "the USER_DIRECTIVE `also the founding year` is not answered",
    ] {
        assert!(why.contains(part), "{why}");
    }
    talk.takes(Worker, "w1", &verified("w1", PAGE))
        .takes(Supervisor, "boss", &tombstone(DEAD))
        .takes(Supervisor, "boss", &strategy(&["Acme"], json!(["w1"])))
        .refuses(Supervisor, "boss", &synthesis(&[]), "cites nothing")
        .refuses(
            Supervisor,
            "boss",
            &synthesis(&["https://ACME.example/about"]),
            "cite the exact `source_url`",
        )
        .takes(Supervisor, "boss", &synthesis(&[PAGE]));
    assert_eq!(talk.0.synthesis(), Some("Ann leads Acme"));
}

#[test]
fn after_a_synthesis_only_a_directive_is_taken_and_it_opens_the_thread() {
    Talk::with_strategy()
        .takes(Worker, "w1", &pending("w1"))
        .takes(Worker, "w1", &verified("w1", PAGE))
        .takes(Supervisor, "boss", &synthesis(&[PAGE]))
        .refuses(Supervisor, "boss", &synthesis(&[PAGE]), "a USER_DIRECTIVE opens it again")
        .refuses(Supervisor, "boss", &strategy(&["Acme"], json!([])), "a USER_DIRECTIVE opens it again")
        .refuses(Worker, "w1", &pending("w1"), "a USER_DIRECTIVE opens it again")
        .takes(User, "ann", &directive("and Globex?"))
        .refuses(Supervisor, "boss", &synthesis(&[PAGE]), "is not answered")
        .takes(Supervisor, "boss", &strategy(&["Acme"], json!([])))
        .takes(Supervisor, "boss", &synthesis(&[PAGE]));
}

#[test]
fn a_worker_that_is_watched_can_only_cite_what_it_fetched() {
    let mut talk = Talk::with_strategy();
    talk.takes(Worker, "w1", &pending("w1"));
    let entry = Entry::parse(&verified("w1", PAGE).to_string()).unwrap();
    let mut author = Author { fetched: Some(BTreeSet::new()), ..Author::new(Worker, "w1").unwrap() };
    let why = talk.0.append(&author, &entry).unwrap_err().to_string();
    assert!(why.contains("was not fetched in this run"), "{why}");
    author.fetched.as_mut().unwrap().insert(WebAddress::parse("url", PAGE).unwrap());
    talk.0.append(&author, &entry).unwrap();
    assert!(talk.0.facts().all(|(_, fact)| matches!(fact, Fact::Verified { checked: true, .. })));
}

#[test]
fn a_strategy_becomes_one_task_a_worker() {
    let mut talk = Talk::with_strategy();
    talk.takes(Worker, "w1", &pending("w1")).takes(Worker, "w1", &verified("w1", PAGE));
    let plan = strategy(
        &["Acme", "Globex", "Initech"],
        json!({"Acme": "w1", "Globex": "w1", "Initech": ["w1", "w2"]}),
    );
    talk.takes(Supervisor, "boss", &plan);
    let entry = Entry::parse(&plan.to_string()).unwrap();
    let ts = jiff::Timestamp::UNIX_EPOCH;
    let record =
        Record { id: "r".into(), seq: 4, ts, role: Supervisor, by: "boss".into(), checked: false, entry };
    let shares = delegations(&ThreadId::new("t").unwrap(), &talk.0, &record);
    assert_eq!(shares.iter().map(|share| share.worker.as_str()).collect::<Vec<_>>(), ["w1", "w2"]);
    assert!(shares[0].body.contains("entities: Globex, Initech\n"), "{}", shares[0].body);
    assert!(shares[1].body.starts_with("[blackboard:t] who leads them\n"), "{}", shares[1].body);
}
