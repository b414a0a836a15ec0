//! Random numbers that are the same on every machine and in every year.

/// SplitMix64. A generator of our own, of three lines, because the data of a benchmark or of a failing test must not
/// change with the version of a library.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// All numbers follow from the seed.
    pub fn seeded(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Any number.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        // 53 bits are what a double holds exactly.
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from 0 up to, but not including, `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// True with this probability, from 0 to 1.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// One of the choices; there must be at least one.
    pub fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_published_algorithm() {
        let mut random = Random::seeded(1_234_567);
        let expect = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.bits(), random.bits(), random.bits()], expect);
    }

    #[test]
    fn numbers_stay_within_their_range() {
        let mut random = Random::seeded(7);
        for _ in 0..10_000 {
            assert!((0.0..1.0).contains(&random.unit()));
            assert!(random.below(3) < 3);
        }
    }
}
