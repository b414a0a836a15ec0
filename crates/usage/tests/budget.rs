//! What a budget lets through, and what the account keeps.

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::sync::Arc;

use jiff::Timestamp;
use subcortex_mind::{Asking, Failure, FailureKind, Mind, Question, Reply, Scripted, Usage};
use subcortex_store::{Disk, RealDisk};
use subcortex_usage::{Account, Caps, Metered, Price, Prices, Purse, prune, read_day};

/// A dollar a token: sums can be done in the head.
const DOLLAR_A_TOKEN: f64 = 1_000_000.0;

struct World {
    dir: tempfile::TempDir,
    account: Arc<Account>,
}

impl World {
    fn new(usd_per_day: Option<f64>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let account = Arc::new(open(&dir, usd_per_day));
        Self { dir, account }
    }

    fn purse(&self, tokens_per_run: Option<u64>, usd_per_day: Option<f64>) -> Arc<Purse> {
        Arc::new(Purse::new(Arc::clone(&self.account), "notes", "run-1", tokens_per_run, usd_per_day))
    }

    fn lines(&self) -> usize {
        let files = std::fs::read_dir(self.dir.path()).unwrap();
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap().lines().count()).sum()
    }
}

fn open(dir: &tempfile::TempDir, usd_per_day: Option<f64>) -> Account {
    let price = Price { input: DOLLAR_A_TOKEN, output: DOLLAR_A_TOKEN, ..Price::default() };
    let prices = Prices([("scripted".to_owned(), price)].into());
    Account::new(Arc::new(RealDisk), dir.path().to_owned(), Caps { usd_per_day, prices })
}

/// A question of 30 bytes, which are 10 tokens, for an answer of at most 100.
fn question() -> Question {
    Question { max_output_tokens: 100, ..Question::new("step", "", "x".repeat(30)) }
}

#[track_caller]
fn refused(answer: Result<Reply, Failure>, expect: &str) {
    let failure = answer.unwrap_err();
    assert_eq!(failure.kind, FailureKind::OverBudget);
    assert!(failure.message.contains(expect), "{failure}");
}

#[tokio::test]
async fn a_run_ends_at_its_tokens_and_the_last_answer_is_shortened_to_what_is_left() {
    let world = World::new(None);
    let script = Arc::new(Scripted::saying(["one", "two", "three"]));
    let mind = Metered::new(Arc::clone(&script) as _, world.purse(Some(320), None));
    for _ in 0..3 {
        mind.ask(&question()).await.unwrap(); // takes 120, as the script says
    }
    let allowed: Vec<u32> = script.asked().iter().map(|asked| asked.max_output_tokens).collect();
    assert_eq!(allowed, [100, 100, 70], "after two, 80 are left, 10 of them for the question");
    refused(mind.ask(&question()).await, "limit of 320 tokens");
    assert_eq!(script.asked().len(), 3, "nothing was asked beyond the limit");
    assert_eq!(world.lines(), 3);
}

#[tokio::test]
async fn a_day_s_money_holds_for_a_partition_and_for_everybody_also_after_a_restart() {
    for (own, everybody) in [(Some(300.0), None), (None, Some(300.0)), (Some(300.0), Some(1_000.0))] {
        let world = World::new(everybody);
        let script = Arc::new(Scripted::saying(["one", "two", "three", "four"]));
        let mind = Metered::new(Arc::clone(&script) as _, world.purse(None, own));
        mind.ask(&question()).await.unwrap();
        mind.ask(&question()).await.unwrap(); // 240 spent; the next could take 110
        refused(mind.ask(&question()).await, "spent today");
        let again = Arc::new(open(&world.dir, everybody));
        let purse = Arc::new(Purse::new(again, "notes", "run-2", None, own));
        refused(Metered::new(Arc::clone(&script) as _, purse).ask(&question()).await, "spent today");
        assert_eq!(script.asked().len(), 2);
    }
}

#[tokio::test]
async fn a_limit_on_money_needs_a_price() {
    let world = World::new(Some(5.0));
    world.account.set_caps(Caps { usd_per_day: Some(5.0), prices: Prices::default() });
    let mind = Metered::new(Arc::new(Scripted::saying(["one"])), world.purse(None, None));
    refused(mind.ask(&question()).await, "no price for the model `scripted`");
    world.account.set_caps(Caps::default());
    mind.ask(&question()).await.unwrap();
    let spend = world.account.spend(Timestamp::now());
    assert_eq!((spend.today.tokens, spend.today.unpriced), (120, 1));
}

/// A mind that never answers.
#[derive(Debug)]
struct Silent;

impl Mind for Silent {
    fn model(&self) -> &'static str {
        "scripted"
    }

    fn ask<'a>(&'a self, _: &'a Question) -> Asking<'a> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn two_questions_at_once_cannot_overdraw_and_one_that_is_given_up_counts() {
    let world = World::new(Some(150.0));
    let purse = world.purse(None, None);
    let (silent, other) =
        (Metered::new(Arc::new(Silent), Arc::clone(&purse)), Metered::new(Arc::new(Silent), purse));
    let long = question();
    {
        let mut first = silent.ask(&long);
        let second = other.ask(&long);
        let both = async {
            tokio::select! { biased; answer = &mut first => answer, answer = second => answer }
        };
        refused(both.await, "spent today"); // the first holds 110 of the 150
    }
    assert_eq!(world.account.spend(Timestamp::now()).today.tokens, 110, "given up: entered as estimated");
}

#[tokio::test]
async fn a_question_that_was_refused_costs_nothing_and_one_that_failed_late_costs_what_it_took() {
    let world = World::new(None);
    let late = Failure {
        usage: Usage { input: 7, ..Usage::default() },
        ..Failure::new(FailureKind::Unreachable, "cut")
    };
    let script = Scripted::answering([Err(Failure::new(FailureKind::Unauthorized, "401")), Err(late)]);
    let purse = world.purse(None, None);
    let mind = Metered::new(Arc::new(script), Arc::clone(&purse));
    mind.ask(&question()).await.unwrap_err();
    mind.ask(&question()).await.unwrap_err();
    assert_eq!((world.lines(), purse.spent().tokens), (1, 7));
}

#[test]
fn torn_and_foreign_lines_are_counted_apart_and_old_days_go() {
    let world = World::new(None);
    let now: Timestamp = "2026-11-16T10:00:00Z".parse().unwrap();
    let today = world.dir.path().join("2026-11-16.jsonl");
    let whole = r#"{"ts":"2026-11-16T09:00:00Z","partition":"notes","run_id":"r","purpose":"step","model":"m","input":5,"output":2,"usd":0.5}"#;
    std::fs::write(&today, format!("{whole}\nnonsense\n{whole}\n{{\"ts\":\"2026-11-1")).unwrap();
    for (name, bytes) in [("2025-10-11.jsonl", ""), ("2025-10-12.jsonl", ""), ("notes.txt", "mine")] {
        std::fs::write(world.dir.path().join(name), bytes).unwrap();
    }
    let disk = RealDisk;
    let day = read_day(&disk as &dyn Disk, world.dir.path(), "2026-11-16".parse().unwrap()).unwrap();
    assert_eq!((day.partitions["notes"].tokens, day.unreadable), (14, 2));
    let entry = serde_json::from_str(whole).unwrap();
    world.account.enter(&entry);
    let day = read_day(&disk as &dyn Disk, world.dir.path(), "2026-11-16".parse().unwrap()).unwrap();
    assert_eq!(
        (day.partitions["notes"].tokens, day.unreadable),
        (21, 2),
        "a torn line does not spoil the next"
    );
    assert_eq!(prune(&disk, world.dir.path(), now).unwrap(), 1);
    assert!(!world.dir.path().join("2025-10-11.jsonl").exists());
    assert!(
        world.dir.path().join("2025-10-12.jsonl").exists() && world.dir.path().join("notes.txt").exists()
    );
}
