//! Several processes append at once, and some are killed.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use subcortex_spine::{Durability, Spine, SpineDirs};
use subcortex_store::RealDisk;

use crate::common::{Home, keyed, message, now};

const WRITERS: usize = 8;
const RECORDS: usize = 10_000;
const DIR: &str = "SUBCORTEX_TEST_SPINE_DIR";
const NAME: &str = "SUBCORTEX_TEST_SPINE_WRITER";

/// Not a test of its own: the other tests start this binary again to play one writer. It says `<n>` on its
/// standard output for each record that was acknowledged.
#[test]
fn plays_one_writer_when_asked() {
    let (Ok(dir), Ok(name)) = (std::env::var(DIR), std::env::var(NAME)) else { return };
    let mut spine = Spine::new(std::sync::Arc::new(RealDisk), SpineDirs::below(dir.as_ref()), "boot".into());
    let mut out = std::io::stdout().lock();
    for n in 0..RECORDS {
        let text = format!("{name} {n} {}", "z".repeat(n % 300));
        // Every tenth has a key, so that the index is shared too.
        let draft = if n % 10 == 0 { keyed(&text, &format!("{name}/{n}")) } else { message(&text) };
        spine.append(vec![draft], now(), Durability::Written).unwrap();
        writeln!(out, "acknowledged {n}").unwrap();
    }
}

fn start_writer(home: &Home, name: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::plays_one_writer_when_asked", "--nocapture", "--test-threads=1"])
        .env(DIR, home.dir.root())
        .env(NAME, format!("w{name}"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn eight_processes_lose_and_tear_nothing_while_some_are_killed() {
    let home = Home::new();
    let writers: Vec<_> = (0..WRITERS)
        .map(|name| {
            let mut child = start_writer(&home, name);
            let out = BufReader::new(child.stdout.take().unwrap());
            // Every other writer is killed in the middle, each at another point.
            let kill_at = (name % 2 == 1).then_some(RECORDS * name / WRITERS);
            std::thread::spawn(move || acknowledged(child, out, kill_at))
        })
        .collect();
    let acknowledged: Vec<usize> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();

    let texts = home.texts();
    assert_eq!(home.verify().damaged, [], "no torn line");
    let mut seen = [0; WRITERS];
    for text in &texts {
        let mut words = text.split(' ');
        let writer: usize = words.next().unwrap()[1..].parse().unwrap();
        let n: usize = words.next().unwrap().parse().unwrap();
        assert_eq!(n, seen[writer], "each writer's records are there in order, once");
        seen[writer] += 1;
    }
    for (writer, (&seen, &acknowledged)) in seen.iter().zip(&acknowledged).enumerate() {
        assert!(seen >= acknowledged, "writer {writer}: {acknowledged} acknowledged, {seen} found");
        assert!(seen == RECORDS || writer % 2 == 1);
    }
    println!("{} records of {WRITERS} processes, {acknowledged:?} acknowledged", texts.len());
}

/// Counts what a writer says, and kills it after `kill_at` records.
fn acknowledged(
    mut child: Child,
    out: BufReader<std::process::ChildStdout>,
    kill_at: Option<usize>,
) -> usize {
    let mut count = 0;
    for line in out.lines() {
        count += usize::from(line.unwrap().contains("acknowledged"));
        if Some(count) == kill_at {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    count
}
