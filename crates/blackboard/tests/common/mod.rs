//! Random entries, legal and illegal, and a second opinion on which are which: a model that keeps no state but asks the
//! whole history, written for being obviously right.
#![allow(dead_code, clippy::unwrap_used, clippy::wildcard_enum_match_arm)] // part of tests

use std::collections::BTreeSet;

use subcortex_blackboard::{Author, Entry, Role, Strategy};
use subcortex_testkit::Random;

pub(crate) const WORKERS: [&str; 3] = ["w1", "w2", "w3"];
const ENTITIES: [&str; 3] = ["Acme", "Globex", "Initech"];
const FIELDS: [&str; 2] = ["ceo", "founded"];
const URLS: [&str; 4] =
    ["https://a.example/x", "https://b.example/y", "https://c.example/z", "https://d.example/"];

pub(crate) type Said = (Author, Entry);

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    random.pick(from)
}

/// Somebody who may or may not say what it says.
pub(crate) fn random_said(random: &mut Random) -> Said {
    let worker = pick(random, &WORKERS);
    let (role, entry) = match random.below(20) {
        0 | 1 => (Role::Supervisor, strategy(random)),
        2..=7 => (Role::Worker, pending(random, worker)),
        8..=11 => (Role::Worker, verified(random, worker)),
        12 => (Role::Worker, unverified(random)),
        13 => (Role::Worker, failed(random, worker)),
        14 => (
            Role::Supervisor,
            Entry::Tombstone { url: pick(random, &URLS).into(), failure_reason: "404".into(), turn: 1 },
        ),
        15 => (Role::User, Entry::UserDirective { text: "hurry".into() }),
        _ => (Role::Supervisor, synthesis(random)),
    };
    // Now and then somebody says what is not its to say.
    let role = if random.below(25) == 0 { Role::ALL[random.below(3)] } else { role };
    let id = match role {
        Role::Supervisor => "boss",
        Role::Worker if random.below(25) == 0 => "stranger",
        Role::Worker => worker,
        Role::User => "ann",
    };
    (Author::new(role, id).unwrap(), entry)
}

fn strategy(random: &mut Random) -> Entry {
    let count = 1 + random.below(3);
    let entities: Vec<String> = ENTITIES[..count].iter().map(ToString::to_string).collect();
    let assigned = match random.below(3) {
        0 => serde_json::json!([pick(random, &WORKERS)]),
        1 => serde_json::json!({ entities[0].clone(): pick(random, &WORKERS) }),
        _ => serde_json::json!(WORKERS),
    };
    Entry::Strategy(Strategy {
        goal: "find out".into(),
        entities,
        tool_chain: vec!["search".into()],
        assigned: serde_json::from_value(assigned).unwrap(),
        query: (random.below(4) == 0).then(|| format!("not {}", pick(random, &URLS))),
    })
}

fn pending(random: &mut Random, worker: &str) -> Entry {
    let (entity, field) = (pick(random, &ENTITIES).into(), pick(random, &FIELDS).into());
    Entry::Pending { entity, field, assigned_to: worker.into(), turn: 1 }
}

fn verified(random: &mut Random, worker: &str) -> Entry {
    let (entity, field) = (pick(random, &ENTITIES).into(), pick(random, &FIELDS).into());
    let source_url = pick(random, &URLS).into();
    Entry::Verified { entity, field, value: "v".into(), source_url, retrieved_by: worker.into() }
}

fn unverified(random: &mut Random) -> Entry {
    let (entity, field) = (pick(random, &ENTITIES).into(), pick(random, &FIELDS).into());
    Entry::Unverified { entity, field, claimed_value: None, reason: "nothing".into() }
}

fn failed(random: &mut Random, worker: &str) -> Entry {
    Entry::FailedUrl {
        url: pick(random, &URLS).into(),
        failure_reason: "404".into(),
        tried_by: worker.into(),
    }
}

fn synthesis(random: &mut Random) -> Entry {
    let count = random.below(3);
    let citations = (0..count).map(|_| pick(random, &URLS).to_owned()).collect();
    Entry::Synthesis { text: "so it is".into(), citations }
}

/// Whether an entry is legal after a history of legal ones.
pub(crate) fn is_legal(history: &[Said], (author, entry): &Said) -> bool {
    let closed = match history.iter().rposition(|(_, said)| matches!(said, Entry::Synthesis { .. })) {
        Some(at) => !history[at..].iter().any(|(_, said)| matches!(said, Entry::UserDirective { .. })),
        None => false,
    };
    let plan = last_strategy(history);
    let by = author.id.as_str();
    match entry {
        Entry::UserDirective { .. } => author.role == Role::User,
        _ if closed => false,
        Entry::Strategy(strategy) => {
            let mentions_dead =
                |query: &String| buried(history).iter().any(|url| query.ends_with(url.as_str()));
            author.role == Role::Supervisor && !strategy.query.as_ref().is_some_and(mentions_dead)
        }
        _ if plan.is_none() => false,
        Entry::Pending { entity, field, assigned_to, .. } => {
            let listed = plan.is_some_and(|plan| plan.entities.contains(entity));
            let free = match standing(history, entity, field) {
                Standing::Free => true,
                Standing::Unverified(who) => who != by,
                Standing::Pending(_) | Standing::Verified(_) => false,
            };
            author.role == Role::Worker && assigned_to == by && listed && free
        }
        Entry::Verified { entity, field, source_url, retrieved_by, .. } => {
            author.role == Role::Worker
                && retrieved_by == by
                && standing(history, entity, field) == Standing::Pending(by.into())
                && !buried(history).contains(source_url)
        }
        Entry::Unverified { entity, field, .. } => {
            author.role == Role::Worker && standing(history, entity, field) == Standing::Pending(by.into())
        }
        Entry::FailedUrl { url, tried_by, .. } => {
            let said_before = history.iter().any(|(who, said)| {
                who.id == by && matches!(said, Entry::FailedUrl { url: other, .. } if other == url)
            });
            author.role == Role::Worker && tried_by == by && !buried(history).contains(url) && !said_before
        }
        Entry::Tombstone { url, .. } => {
            author.role == Role::Supervisor
                && reported(history).contains(url)
                && !buried(history).contains(url)
        }
        Entry::Synthesis { citations, .. } => {
            author.role == Role::Supervisor && is_ready(history) && cites_facts(history, citations)
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Standing {
    Free,
    Pending(String),
    Verified(String),
    Unverified(String),
}

/// How a fact stands: what was last said about it, and what happened since.
fn standing(history: &[Said], about: &str, what: &str) -> Standing {
    let is_it = |entity: &str, field: &str| entity == about && field == what;
    let last = history.iter().rposition(|(_, said)| match said {
        Entry::Pending { entity, field, .. }
        | Entry::Verified { entity, field, .. }
        | Entry::Unverified { entity, field, .. } => is_it(entity, field),
        _ => false,
    });
    let Some(last) = last else { return Standing::Free };
    let (who, said) = &history[last];
    let since = || history[last + 1..].iter().map(|(_, said)| said);
    let plans =
        || since().filter_map(|said| if let Entry::Strategy(plan) = said { Some(plan) } else { None });
    let dropped = plans().any(|plan| !plan.entities.iter().any(|entity| entity == about));
    match said {
        Entry::Pending { .. } => {
            let given_away = plans().any(|plan| {
                let workers = plan.assigned.workers_for(about, &plan.entities);
                !workers.is_empty() && !workers.contains(&who.id.as_str())
            });
            if dropped || given_away { Standing::Free } else { Standing::Pending(who.id.clone()) }
        }
        Entry::Unverified { .. } if dropped => Standing::Free,
        Entry::Unverified { .. } => Standing::Unverified(who.id.clone()),
        Entry::Verified { source_url, .. } if buried(history).contains(source_url) => Standing::Free,
        Entry::Verified { source_url, .. } => Standing::Verified(source_url.clone()),
        _ => Standing::Free,
    }
}

fn last_strategy(history: &[Said]) -> Option<&Strategy> {
    history
        .iter()
        .rev()
        .find_map(|(_, said)| if let Entry::Strategy(plan) = said { Some(plan) } else { None })
}

fn reported(history: &[Said]) -> BTreeSet<String> {
    let url =
        |(_, said): &Said| if let Entry::FailedUrl { url, .. } = said { Some(url.clone()) } else { None };
    history.iter().filter_map(url).collect()
}

fn buried(history: &[Said]) -> BTreeSet<String> {
    let url =
        |(_, said): &Said| if let Entry::Tombstone { url, .. } = said { Some(url.clone()) } else { None };
    history.iter().filter_map(url).collect()
}

fn standings(history: &[Said]) -> Vec<(&'static str, Standing)> {
    let each = |entity| FIELDS.map(|field| (entity, standing(history, entity, field)));
    ENTITIES.into_iter().flat_map(each).collect()
}

fn is_ready(history: &[Said]) -> bool {
    let Some(plan) = last_strategy(history) else { return false };
    let position = |wanted: fn(&Entry) -> bool| history.iter().rposition(|(_, said)| wanted(said));
    let answered = position(|said| matches!(said, Entry::Strategy(_)))
        > position(|said| matches!(said, Entry::UserDirective { .. }));
    let all = standings(history);
    let nothing_open =
        !all.iter().any(|(_, fact)| matches!(fact, Standing::Pending(_) | Standing::Unverified(_)));
    let each_known = plan.entities.iter().all(|entity| {
        all.iter().any(|(about, fact)| about == entity && matches!(fact, Standing::Verified(_)))
    });
    answered && nothing_open && each_known && reported(history).is_subset(&buried(history))
}

fn cites_facts(history: &[Said], citations: &[String]) -> bool {
    let all = standings(history);
    let is_fact = |url: &String| all.iter().any(|(_, fact)| *fact == Standing::Verified(url.clone()));
    !citations.is_empty() && citations.iter().all(is_fact)
}
