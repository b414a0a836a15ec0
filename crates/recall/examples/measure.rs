//! How well recall ranks, on a collection of others: `measure TEXTS QUESTIONS`.
//!
//! `TEXTS` has a name and a text a line, `QUESTIONS` the names of the right texts (with commas between) and a question; a
//! tab between both. Printed are the usual figures over the first ten answers.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a tool for developers"
)]

use std::collections::HashSet;
use std::time::Instant;

use subcortex_recall::Ranked;

const CUT: usize = 10;

fn main() {
    let read = |place: usize| std::fs::read_to_string(std::env::args().nth(place).unwrap()).unwrap();
    let (texts, questions) = (read(1), read(2));
    let rows = |text: &'static str| text.lines().filter_map(|line| line.split_once('\t'));
    let (texts, questions): (&'static str, &'static str) = (texts.leak(), questions.leak());
    let start = Instant::now();
    let mut ranked = Ranked::of(rows(texts)).unwrap();
    let built = start.elapsed();
    let (mut gain, mut found, mut first, mut count) = (0.0, 0.0, 0.0, 0.0);
    let start = Instant::now();
    for (right, question) in rows(questions) {
        let right: HashSet<&str> = right.split(',').collect();
        let best = ranked.best(question, CUT);
        let hits: Vec<usize> = (0..best.len()).filter(|&at| right.contains(best[at].as_str())).collect();
        let discount = |at: &usize| 1.0 / ((at + 2) as f64).log2();
        let ideal: f64 = (0..right.len().min(CUT)).map(|at| discount(&at)).sum();
        gain += hits.iter().map(discount).sum::<f64>() / ideal;
        found += hits.len() as f64 / right.len() as f64;
        first += hits.first().map_or(0.0, |at| 1.0 / (at + 1) as f64);
        count += 1.0;
    }
    println!(
        "{count} questions, {} texts, built in {built:?}, asked in {:?}",
        rows(texts).count(),
        start.elapsed()
    );
    println!("nDCG@10 {:.3}  recall@10 {:.3}  MRR@10 {:.3}", gain / count, found / count, first / count);
}
