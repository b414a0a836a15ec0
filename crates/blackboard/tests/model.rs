//! Random moves: the fold takes exactly those that a model takes which keeps no state.

mod common;

use common::{is_legal, random_said};
use subcortex_blackboard::{Board, Kind};
use subcortex_testkit::Random;

const SEQUENCES: u64 = 10_000;
const MOVES: usize = 60;

#[test]
fn the_fold_takes_what_the_history_allows_and_a_refusal_changes_nothing() {
    let mut taken = std::collections::BTreeMap::<Kind, u64>::new();
    for seed in 0..SEQUENCES {
        let mut random = Random::seeded(seed);
        let (mut board, mut history) = (Board::default(), Vec::new());
        for _ in 0..MOVES {
            let said = random_said(&mut random);
            let before = board.clone();
            let answer = board.append(&said.0, &said.1);
            assert_eq!(
                answer.is_ok(),
                is_legal(&history, &said),
                "seed {seed}: {said:?} is {answer:?} after {history:#?}"
            );
            if answer.is_ok() {
                *taken.entry(said.1.kind()).or_default() += 1;
                history.push(said);
            } else {
                assert_eq!(board, before, "seed {seed}: a refusal left a trace");
            }
        }
    }
    assert_eq!(taken.len(), Kind::ALL.len(), "every kind is taken now and then: {taken:?}");
}
